/** The strings in a source of TypeScript: its strings and templates, with `…` for each value that a template computes. */

// Before a regular expression stands one of these; before a division, a value does.
const BEFORE_EXPRESSION = /(?:[=(,:[!&|?{};>]|\breturn)\s*$/;

export function readStrings(source: string): string[] {
  const reader = new Reader(source);
  reader.readCode(0);
  return reader.strings;
}

class Reader {
  readonly strings: string[] = [];
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  /** Reads code to its end: of the source, or of the brace in which a template has it. Returns the place after that. */
  readCode(start: number): number {
    let depth = 0;
    let at = start;
    while (at < this.#source.length) {
      const sign = this.#source[at];
      if (sign === '}' && depth === 0) return at + 1;
      if (sign === '{') depth += 1;
      if (sign === '}') depth -= 1;
      at = this.#behind(sign, at);
    }
    return at;
  }

  #behind(sign: string | undefined, at: number): number {
    if (sign === "'" || sign === '"') return this.#readString(sign, at + 1);
    if (sign === '`') return this.#readTemplate(at + 1);
    if (sign !== '/') return at + 1;
    if (this.#source[at + 1] === '/') return this.#behindText('\n', at);
    if (this.#source[at + 1] === '*') return this.#behindText('*/', at);
    return BEFORE_EXPRESSION.test(this.#source.slice(Math.max(0, at - 20), at)) ? this.#behindExpression(at + 1) : at + 1;
  }

  #behindText(text: string, at: number): number {
    const found = this.#source.indexOf(text, at);
    return found === -1 ? this.#source.length : found + text.length;
  }

  #behindExpression(start: number): number {
    const [expression = ''] = /^(?:[^/\\[]|\\.|\[(?:[^\]\\]|\\.)*\])*\//.exec(this.#source.slice(start)) ?? [];
    return start + expression.length;
  }

  #readString(quote: string, start: number): number {
    let at = start;
    while (this.#source[at] !== quote) at += this.#source[at] === '\\' ? 2 : 1;
    this.strings.push(this.#source.slice(start, at).replaceAll(/\\(.)/g, '$1'));
    return at + 1;
  }

  #readTemplate(start: number): number {
    let text = '';
    let at = start;
    while (this.#source[at] !== '`') {
      if (this.#source.startsWith('${', at)) {
        text += '…';
        at = this.readCode(at + 2);
        continue;
      }
      if (this.#source[at] === '\\') at += 1;
      text += this.#source[at];
      at += 1;
    }
    this.strings.push(text);
    return at + 1;
  }
}
