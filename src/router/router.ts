/**
 * A trie with one level for each path segment. It knows nothing of HTTP: what it stores is the caller's, and a
 * method is any text.
 *
 *   insert('GET',  /v1/pet/:id,  a)        match('GET',  '/v1/pet/7')     ->  { value: a, parameter: '7' }
 *   insert('POST', /v1/pet/feed, b)        match('POST', '/v1/pet/feed')  ->  { value: b, parameter: '' }
 *                                          match('GET',  '/v1/pet/feed')  ->  { value: a, parameter: 'feed' }
 *
 * A literal beats a parameter, for each method by itself. Paths are compared as they stand: nothing is decoded,
 * folded or normalised, and a trailing slash makes another path.
 */
import type { Pattern } from './pattern.ts';

/** A successful look-up. */
export interface Match<T> {
  readonly value: T;
  /** The text of the segment that the pattern's parameter stands for, as it was sent; `''` without a parameter. */
  readonly parameter: string;
}

const SLASH = 0x2f;

export class Router<T> {
  // A trie for each method: a look-up then touches one node for each segment and nothing else. In one trie for all,
  // 10,000 endpoints spread over three times the memory, and a match took twice as long.
  readonly #tries = new Map<string, Node<T>>();

  /** Stores a value. Throws `TypeError`, naming both routes, when the method has this pattern already. */
  insert(method: string, pattern: Pattern, value: T): void {
    this.refuseTaken(method, pattern);
    let node = this.#tries.get(method);
    if (node === undefined) this.#tries.set(method, (node = new Node<T>()));
    for (const literal of pattern.literals) node = node.childFor(literal);
    node.store(pattern, value);
  }

  /** Throws the `TypeError` that `insert` would throw, and changes nothing. */
  refuseTaken(method: string, pattern: Pattern): void {
    let node = this.#tries.get(method);
    for (const literal of pattern.literals) node = node?.child(literal, 0, literal.length);
    const taken = pattern.parameter === undefined ? node?.herePattern : node?.belowPattern;
    if (taken !== undefined) throw new TypeError(`route ${method} ${pattern.text} conflicts with ${method} ${taken.text}`);
  }

  /** Looks a path up. Gives `undefined` when no route of this method has it. */
  match(method: string, path: string): Match<T> | undefined {
    let node = this.#tries.get(method);
    if (node === undefined || path.charCodeAt(0) !== SLASH) return undefined;
    if (path.length === 1) return node.matchHere();
    let start = 1;
    for (let end = path.indexOf('/', start); end !== -1; end = path.indexOf('/', start)) {
      node = node.child(path, start, end);
      if (node === undefined) return undefined;
      start = end + 1;
    }
    // Only the last segment is left: a literal first, then the parameter.
    return node.child(path, start, path.length)?.matchHere() ?? node.matchBelow(path, start);
  }

  /** The methods that match at a path, each once; empty when no route has the path. */
  methodsAt(path: string): string[] {
    return this.methods().filter((method) => this.match(method, path) !== undefined);
  }

  /** The methods that any route has, each once, in the order in which they first came. */
  methods(): string[] {
    return [...this.#tries.keys()];
  }
}

/** One level of a trie: what follows a path's first so many literal segments. */
class Node<T> {
  /** The pattern that ends here, and the one that ends in one more segment, a parameter. */
  herePattern: Pattern | undefined;
  belowPattern: Pattern | undefined;
  #here: T | undefined;
  #below: T | undefined;
  // An only child is compared in place, without cutting its segment out of the path; more go into a map.
  #onlyText = '';
  #only: Node<T> | undefined;
  #children: Map<string, Node<T>> | undefined;

  /** The child for the literal segment that stands in `path` from `start` to `end`. */
  child(path: string, start: number, end: number): Node<T> | undefined {
    if (this.#children !== undefined) return this.#children.get(path.slice(start, end));
    if (this.#only === undefined || end - start !== this.#onlyText.length) return undefined;
    return path.startsWith(this.#onlyText, start) ? this.#only : undefined;
  }

  /** The child for a literal segment, made where there is none yet. */
  childFor(literal: string): Node<T> {
    const existing = this.child(literal, 0, literal.length);
    if (existing !== undefined) return existing;
    const child = new Node<T>();
    if (this.#children !== undefined) this.#children.set(literal, child);
    else if (this.#only !== undefined) this.#children = new Map([[this.#onlyText, this.#only], [literal, child]]);
    else {
      this.#onlyText = literal;
      this.#only = child;
    }
    return child;
  }

  store(pattern: Pattern, value: T): void {
    if (pattern.parameter === undefined) {
      this.herePattern = pattern;
      this.#here = value;
    } else {
      this.belowPattern = pattern;
      this.#below = value;
    }
  }

  matchHere(): Match<T> | undefined {
    return this.herePattern === undefined ? undefined : { value: this.#here as T, parameter: '' };
  }

  matchBelow(path: string, start: number): Match<T> | undefined {
    if (this.belowPattern === undefined || start === path.length) return undefined;
    return { value: this.#below as T, parameter: path.slice(start) };
  }
}
