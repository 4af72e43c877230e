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

interface Entry<T> {
  readonly method: string;
  readonly pattern: Pattern;
  readonly value: T;
}

const SLASH = 0x2f;

export class Router<T> {
  readonly #root = new Node<T>();
  readonly #methods = new Set<string>();

  /** Stores a value. Throws `TypeError`, naming both routes, when the method has this pattern already. */
  insert(method: string, pattern: Pattern, value: T): void {
    this.refuseTaken(method, pattern);
    let node = this.#root;
    for (const literal of pattern.literals) node = node.childFor(literal);
    const entry = { method, pattern, value };
    if (pattern.parameter === undefined) node.here.push(entry);
    else node.below.push(entry);
    this.#methods.add(method);
  }

  /** Throws the `TypeError` that `insert` would throw, and changes nothing. */
  refuseTaken(method: string, pattern: Pattern): void {
    let node: Node<T> | undefined = this.#root;
    for (const literal of pattern.literals) node = node?.child(literal, 0, literal.length);
    const taken = find(method, pattern.parameter === undefined ? node?.here : node?.below);
    if (taken !== undefined) {
      throw new TypeError(`route ${method} ${pattern.text} conflicts with ${method} ${taken.pattern.text}`);
    }
  }

  /** Looks a path up. Gives `undefined` when no route of this method has it. */
  match(method: string, path: string): Match<T> | undefined {
    let node = this.#root;
    if (path === '/') return found(find(method, node.here), '');
    if (path.charCodeAt(0) !== SLASH) return undefined;
    let start = 1;
    for (let end = path.indexOf('/', start); end !== -1; end = path.indexOf('/', start)) {
      const child = node.child(path, start, end);
      if (child === undefined) return undefined;
      node = child;
      start = end + 1;
    }
    // Only the last segment is left: a literal first, and the parameter where the method has no such literal.
    const literal = find(method, node.child(path, start, path.length)?.here);
    if (literal !== undefined) return found(literal, '');
    return start === path.length ? undefined : found(find(method, node.below), path.slice(start));
  }

  /** The methods that match at a path, each once; empty when no route has the path. */
  methodsAt(path: string): string[] {
    return this.methods().filter((method) => this.match(method, path) !== undefined);
  }

  /** The methods that any route has, each once, in the order in which they first came. */
  methods(): string[] {
    return [...this.#methods];
  }
}

/** One level of the trie: what follows a path's first so many literal segments. */
class Node<T> {
  /** The routes that end here. */
  readonly here: Entry<T>[] = [];
  /** The routes that end in one more segment, a parameter. */
  readonly below: Entry<T>[] = [];
  // An only child is compared in place, without cutting its segment out of the path; more go into a map.
  #onlyText = '';
  #only: Node<T> | undefined;
  #children: Map<string, Node<T>> | undefined;

  /** The child for the literal segment that stands in `path` from `start` to `end`. */
  child(path: string, start: number, end: number): Node<T> | undefined {
    if (this.#children !== undefined) return this.#children.get(path.slice(start, end));
    if (end - start !== this.#onlyText.length || !path.startsWith(this.#onlyText, start)) return undefined;
    return this.#only;
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
}

// An endpoint has at most a handful of methods at one path, and a scan of so few is faster than hashing.
function find<T>(method: string, entries: readonly Entry<T>[] | undefined): Entry<T> | undefined {
  if (entries === undefined) return undefined;
  for (const entry of entries) if (entry.method === method) return entry;
  return undefined;
}

function found<T>(entry: Entry<T> | undefined, parameter: string): Match<T> | undefined {
  return entry === undefined ? undefined : { value: entry.value, parameter };
}
