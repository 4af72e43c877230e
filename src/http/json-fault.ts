/**
 * Finds where a text stops being JSON (RFC 8259), for the answer to a malformed body. The messages of `JSON.parse` differ from version to
 * version of Node, and some repeat the text.
 *
 *   {"name": "ant",}   ->   15: a name was expected, and not "}"
 *   {"name": "ant"     ->   14: the text ends too early
 */

const CLOSING = { '{': '}', '[': ']' } as const;
const WORDS: ReadonlyMap<string | undefined, string> = new Map([['t', 'true'], ['f', 'false'], ['n', 'null']]);
const SPACE = ' \n\r\t';
const DIGITS = '0123456789';
const ESCAPES = '"\\/bfnrtu';
const HEXADECIMAL = '0123456789abcdefABCDEF';
const NONE = '\0';

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
    this.#skipSpace();
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
      if (next !== '{' && next !== '[') return this.#readWord(WORDS.get(next)) ?? this.#readNumber();
      this.#at += 1;
      this.#skipSpace();
      if (this.#skip(CLOSING[next])) return true;
      this.#open.push(next);
      if (next === '{' && !this.#readName()) return false;
    }
  }

  /** Reads the ends of objects and lists behind a value, up to the next value. Returns `false` at a fault. */
  #readEnds(): boolean {
    for (;;) {
      this.#skipSpace();
      const open = this.#open.at(-1);
      if (open === undefined) return false;
      if (this.#skip(',')) {
        this.#skipSpace();
        return open === '[' || this.#readName();
      }
      if (!this.#skip(CLOSING[open])) return false;
      this.#open.pop();
    }
  }

  #readName(): boolean {
    if (this.#text[this.#at] !== '"' || !this.#readString()) return false;
    this.#skipSpace();
    if (!this.#skip(':')) return false;
    this.#skipSpace();
    return true;
  }

  #readString(): boolean {
    this.#at += 1;
    for (;;) {
      const next = this.#text[this.#at];
      if (next === undefined || next < ' ') return false;
      this.#at += 1;
      if (next === '"') return true;
      if (next === '\\' && !this.#readEscape()) return false;
    }
  }

  /** Reads an escape behind its backslash. */
  #readEscape(): boolean {
    const next = this.#text[this.#at] ?? NONE;
    if (!ESCAPES.includes(next)) return false;
    this.#at += 1;
    for (let digits = next === 'u' ? 4 : 0; digits > 0; digits -= 1) {
      if (!HEXADECIMAL.includes(this.#text[this.#at] ?? NONE)) return false;
      this.#at += 1;
    }
    return true;
  }

  #readWord(word: string | undefined): boolean | undefined {
    if (word === undefined) return undefined;
    for (const character of word) {
      if (!this.#skip(character)) return false;
    }
    return true;
  }

  #readNumber(): boolean {
    this.#skip('-');
    if (!this.#skip('0') && !this.#skipDigits()) return false;
    if (this.#skip('.') && !this.#skipDigits()) return false;
    if (!this.#skip('e') && !this.#skip('E')) return true;
    if (!this.#skip('+')) this.#skip('-');
    return this.#skipDigits();
  }

  #skipDigits(): boolean {
    const start = this.#at;
    while (DIGITS.includes(this.#text[this.#at] ?? NONE)) this.#at += 1;
    return this.#at > start;
  }

  #skipSpace(): void {
    while (SPACE.includes(this.#text[this.#at] ?? NONE)) this.#at += 1;
  }

  #skip(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }
}
