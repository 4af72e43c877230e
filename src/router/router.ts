/**
 * Maps a method and a path to a value of the caller's. A method is any text.
 *
 *   insert('GET',  /v1/pet/:id,  a)            match('GET',  '/v1/pet/7')       ->  a
 *   insert('POST', /v1/pet/feed, b)            match('POST', '/v1/pet/feed')    ->  b
 *                                              match('GET',  '/v1/pet/feed')    ->  a
 *   insert('POST', /v1/:kind/7/feed, c)        match('POST', '/v1/pet/7/feed')  ->  c
 *
 * For each method, a literal is tried before a parameter, segment by segment. If the literal leads nowhere, the parameter is tried.
 * Paths are compared byte by byte: nothing is decoded or normalised, and a trailing slash makes another path.
 *
 * A value knows its own pattern, which tells where the parameters are in a path (`Pattern.gaps`). So a match consists of the value
 * alone, and allocates nothing.
 */
import type { Pattern } from './pattern.ts';
import { Trie } from './trie.ts';

/** A list of methods. Equal lists are the same object, since each is made from the empty one, method by method. */
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
  // A trie for each method, so that a look-up visits no routes of other methods.
  readonly #tries = new Map<string, Trie<T>>();
  readonly #noMethods = new MethodList([]);

  /** Stores a value. If the method has this pattern already, throws a `TypeError` that names both routes. */
  insert(method: string, pattern: Pattern, value: T): void {
    this.refuseTaken(method, pattern);
    let trie = this.#tries.get(method);
    if (trie === undefined) this.#tries.set(method, (trie = new Trie<T>()));
    trie.insert(pattern, value);
  }

  /** The text of the stored pattern that matches the same paths as this one. `undefined` if there is none. */
  conflictOf(method: string, pattern: Pattern): string | undefined {
    return this.#tries.get(method)?.conflictOf(pattern);
  }

  /** Throws what `insert` would throw, and changes nothing. */
  refuseTaken(method: string, pattern: Pattern): void {
    const taken = this.conflictOf(method, pattern);
    if (taken !== undefined) throw new TypeError(`route ${method} ${pattern.text} conflicts with ${method} ${taken}`);
  }

  /** Looks up a path. `undefined` if no route of this method has it. */
  match(method: string, path: string): T | undefined {
    return this.#tries.get(method)?.match(path);
  }

  /** The methods with a route that matches a path. Equal lists are the same array, so a caller can cache by it. */
  methodsAt(path: string): readonly string[] {
    let list = this.#noMethods;
    for (const [method, trie] of this.#tries) {
      if (trie.match(path) !== undefined) list = list.plus(method);
    }
    return list.methods;
  }

  /** The methods of all routes, in order of their first insertion. */
  methods(): string[] {
    return [...this.#tries.keys()];
  }
}
