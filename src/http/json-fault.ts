/**
 * Finds where a text stops being JSON (RFC 8259), for the answer to a malformed body. The messages of `JSON.parse` differ from version to
 * version of Node, and some repeat the text.
 *
 *   {"name": "ant",}   ->   15: a name was expected, and not "}"
 *   {"name": "ant"     ->   14: the text ends too early
 */

const SPACE = /[ \t\r\n]*/y;
const LITERAL = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y;
const CHARACTERS = /[^"\\\x00-\x1f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const CLOSING = { '{': '}', '[': ']' } as const;

/** Returns the number of bytes before the first character that JSON cannot have there: the length of the text if it ends too early. */
export function jsonFaultAt(text: string): number {
  return Buffer.byteLength(text.slice(0, new Reader(text).fault()));
}

/** Reads a text up to its first fault. Keeps its own stack: a text can be nested more deeply than calls. */
class Reader {
  readonly #text: string;
  readonly #open: ('{' | '[')[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  fault(): number {
    this.#skip(SPACE);
    while (this.#readValue()) {
      if (!this.#readEnds()) break;
    }
    return this.#at;
  }

  /** Reads a value. Of objects and lists that are not empty, it reads the beginning, up to their first simple value. */
  #readValue(): boolean {
    for (;;) {
      const next = this.#text[this.#at];
      if (next === '"') return this.#readString();
      if (next !== '{' && next !== '[') return this.#skip(LITERAL);
      this.#at += 1;
      this.#skip(SPACE);
      if (this.#text[this.#at] === CLOSING[next]) {
        this.#at += 1;
        return true;
      }
      this.#open.push(next);
      if (next === '{' && !this.#readName()) return false;
    }
  }

  /** Reads the ends of objects and lists behind a value, up to the next value. Returns `false` at a fault. */
  #readEnds(): boolean {
    for (;;) {
      this.#skip(SPACE);
      const open = this.#open.at(-1);
      const next = this.#text[this.#at];
      if (open === undefined || next === undefined) return false;
      if (next === ',') {
        this.#at += 1;
        this.#skip(SPACE);
        return open === '[' || this.#readName();
      }
      if (next !== CLOSING[open]) return false;
      this.#at += 1;
      this.#open.pop();
    }
  }

  #readName(): boolean {
    if (this.#text[this.#at] !== '"' || !this.#readString()) return false;
    this.#skip(SPACE);
    if (this.#text[this.#at] !== ':') return false;
    this.#at += 1;
    return this.#skip(SPACE);
  }

  #readString(): boolean {
    this.#at += 1;
    do this.#skip(CHARACTERS); while (this.#skip(ESCAPE));
    if (this.#text[this.#at] !== '"') return false;
    this.#at += 1;
    return true;
  }

  #skip(expression: RegExp): boolean {
    expression.lastIndex = this.#at;
    const [found] = expression.exec(this.#text) ?? [];
    this.#at += found?.length ?? 0;
    return found !== undefined;
  }
}
