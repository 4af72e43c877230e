/**
 * The strings in a source of TypeScript: its strings and templates, with `…` for each value that a template computes, and the function that
 * each is an argument of.
 *
 *   throw new TypeError(`${path} must be a ${type ?? 'string'}`)   ->   'string', and '… must be a …', an argument of "TypeError"
 */

// Before a regular expression stands one of these; before a division, a value does.
const BEFORE_EXPRESSION = /(?:[=(,:[!&|?{};>]|\breturn)\s*$/;
const EXPRESSION = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\//y;
const CALLEE = /([\w$.]+)(?:<[^()<>]*>)?$/;

export interface SourceString {
  readonly text: string;
  /** The function or constructor that gets the string as an argument, such as `ApiError.status`; `''` for all other strings. */
  readonly callee: string;
}

export function readStrings(source: string): string[] {
  return readSourceStrings(source).map(({ text }) => text);
}

export function readSourceStrings(source: string): readonly SourceString[] {
  const reader = new Reader(source);
  reader.readCode(0);
  return reader.strings;
}

class Reader {
  readonly strings: SourceString[] = [];
  readonly #source: string;
  /** For each bracket that is open: the function that is called, or `''`. */
  readonly #callees: string[] = [''];

  constructor(source: string) {
    this.#source = source;
  }

  /** Reads code to its end: the end of the source, or the brace that ends a value in a template. Returns the position after that. */
  readCode(start: number): number {
    const depth = this.#callees.length;
    let at = start;
    while (at < this.#source.length) {
      const sign = this.#source[at] ?? '';
      if (sign === '}' && this.#callees.length === depth && depth > 1) return at + 1;
      if ('([{'.includes(sign)) this.#callees.push(sign === '(' ? this.#findCallee(at) : '');
      if (')]}'.includes(sign)) this.#close(at);
      at = this.#skip(sign, at);
    }
    if (this.#callees.length > 1) throw new Error(`a bracket is open at the end: ${this.#source.slice(0, 60)}`);
    return at;
  }

  #close(at: number): void {
    if (this.#callees.length === 1) throw new Error(`a bracket closes that is not open: ${this.#source.slice(at - 60, at + 1)}`);
    this.#callees.pop();
  }

  #findCallee(at: number): string {
    return CALLEE.exec(this.#source.slice(Math.max(0, at - 200), at))?.[1] ?? '';
  }

  #skip(sign: string, at: number): number {
    if (sign === "'" || sign === '"') return this.#readString(sign, at + 1);
    if (sign === '`') return this.#readTemplate(at + 1);
    if (sign !== '/') return at + 1;
    if (this.#source[at + 1] === '/') return this.#skipComment('\n', at);
    if (this.#source[at + 1] === '*') return this.#skipComment('*/', at);
    return BEFORE_EXPRESSION.test(this.#source.slice(Math.max(0, at - 20), at)) ? this.#skipExpression(at) : at + 1;
  }

  #skipComment(end: string, at: number): number {
    const found = this.#source.indexOf(end, at);
    return found === -1 ? this.#source.length : found + end.length;
  }

  #skipExpression(at: number): number {
    EXPRESSION.lastIndex = at;
    const [expression] = EXPRESSION.exec(this.#source) ?? [];
    // Whatever is read wrongly from here on would be lost without a word.
    if (expression === undefined) throw new Error(`not a regular expression: ${this.#source.slice(at, at + 60)}`);
    return at + expression.length;
  }

  #readString(quote: string, start: number): number {
    let at = start;
    while (this.#source[at] !== quote) {
      if (at >= this.#source.length || this.#source[at] === '\n') throw new Error(`a string without an end: ${this.#source.slice(start, at)}`);
      at += this.#source[at] === '\\' ? 2 : 1;
    }
    this.#add(this.#source.slice(start, at).replaceAll(/\\(.)/g, '$1'));
    return at + 1;
  }

  #readTemplate(start: number): number {
    let text = '';
    let at = start;
    while (this.#source[at] !== '`') {
      if (at >= this.#source.length) throw new Error(`a template without an end: ${this.#source.slice(start, start + 60)}`);
      if (this.#source.startsWith('${', at)) {
        text += '…';
        this.#callees.push('');
        at = this.readCode(at + 2);
        this.#callees.pop();
        continue;
      }
      if (this.#source[at] === '\\') at += 1;
      text += this.#source[at];
      at += 1;
    }
    this.#add(text);
    return at + 1;
  }

  #add(text: string): void {
    this.strings.push({ text, callee: this.#callees.at(-1) ?? '' });
  }
}
