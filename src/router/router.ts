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
import { Trie, type Match } from './trie.ts';

export type { Match } from './trie.ts';

/** A list of methods. There is one for each that ever was asked for, reached from the empty one method by method. */
class MethodList {
  readonly methods: readonly string[];
  readonly #longer = new Map<string, MethodList>();

  constructor(methods: readonly string[]) {
    this.methods = Object.freeze(methods);
  }

  plus(method: string): MethodList {
    let longer = this.#longer.get(method);
    if (longer === undefined) this.#longer.set(method, (longer = new MethodList([...this.methods, method])));
    return longer;
  }
}

export class Router<T extends NonNullable<unknown>> {
  // A trie for each method: a look-up then goes past no other's values, and past the literals of no other, which a
  // parameter's text would have to be compared with.
  readonly #tries = new Map<string, Trie<T>>();
  readonly #noMethods = new MethodList([]);

  /** Stores a value. Throws `TypeError`, naming both routes, when the method has this pattern already. */
  insert(method: string, pattern: Pattern, value: T): void {
    this.refuseTaken(method, pattern);
    let trie = this.#tries.get(method);
    if (trie === undefined) this.#tries.set(method, (trie = new Trie<T>()));
    trie.insert(pattern, value);
  }

  /** The text of the pattern that stands in the way of another, or `undefined` when that is free. */
  conflictOf(method: string, pattern: Pattern): string | undefined {
    return this.#tries.get(method)?.conflictOf(pattern);
  }

  /** Throws the `TypeError` that `insert` would throw, and changes nothing. */
  refuseTaken(method: string, pattern: Pattern): void {
    const taken = this.conflictOf(method, pattern);
    if (taken !== undefined) throw new TypeError(`route ${method} ${pattern.text} conflicts with ${method} ${taken}`);
  }

  /** Looks a path up. Gives `undefined` when no route of this method has it. */
  match(method: string, path: string): Match<T> | undefined {
    return this.#tries.get(method)?.match(path);
  }

  /**
   * The methods that match at a path, each once; empty when no route has the path. The same methods are the same list,
   * so that what is made of it can be kept.
   */
  methodsAt(path: string): readonly string[] {
    let list = this.#noMethods;
    for (const [method, trie] of this.#tries) {
      if (trie.has(path)) list = list.plus(method);
    }
    return list.methods;
  }

  /** The methods that any route has, each once, in the order in which they first came. */
  methods(): string[] {
    return [...this.#tries.keys()];
  }
}
