/**
 * Maps a method and a path to a value of the caller's. A method is any text.
 *
 *   insert('GET',  /v1/pet/:id,  a)            match('GET',  '/v1/pet/7')       ->  a
 *   insert('POST', /v1/pet/feed, b)            match('POST', '/v1/pet/feed')    ->  b
 *                                              match('GET',  '/v1/pet/feed')    ->  a
 *   insert('POST', /v1/:kind/7/feed, c)        match('POST', '/v1/pet/7/feed')  ->  c
 *
 * For each method, a literal is tried before a parameter, segment by segment. If the literal leads nowhere, the parameter is tried.
 * Paths are compared byte for byte: nothing is decoded or normalised, and a trailing slash makes another path.
 *
 * A value knows its own pattern, which has the positions of the parameters in a path (`Pattern.gaps`). So a match is the value alone.
 */
import { literalsOf, type Pattern } from './pattern.ts';
import { Trie } from './trie.ts';

/** The routes of a method, so that a look-up visits no routes of other methods. */
interface Routes<T extends NonNullable<unknown>> {
  readonly method: string;
  readonly trie: Trie<T>;
  /** By their shapes. */
  readonly patterns: Map<string, Pattern>;
}

export class Router<T extends NonNullable<unknown>> {
  readonly #routes: Routes<T>[] = [];

  /** Stores a value. If the method has this pattern already, throws a `TypeError` that names both routes. */
  insert(method: string, pattern: Pattern, value: T): void {
    const taken = this.taken(method, pattern);
    if (taken !== undefined) throw new TypeError(`route ${method} ${pattern.text} conflicts with ${method} ${taken.text}`);
    const [first = '', ...others] = literalsOf(pattern);
    let routes = this.#routesOf(method);
    if (routes === undefined) this.#routes.push((routes = { method, trie: new Trie<T>(first), patterns: new Map() }));
    let node = routes.trie.add(first);
    const afterParameters = pattern.hasWildcard ? others.slice(0, -1) : others;
    for (const text of afterParameters) node = (node.afterParameter ??= new Trie<T>(text)).add(text);
    if (pattern.hasWildcard) (node.afterParameter ??= new Trie<T>('')).wildcard = value;
    else node.value = value;
    routes.patterns.set(pattern.shape, pattern);
  }

  /** The pattern of a route that matches the same paths as this one. */
  taken(method: string, pattern: Pattern): Pattern | undefined {
    return this.#routesOf(method)?.patterns.get(pattern.shape);
  }

  /** Looks up a path. `undefined` if no route of this method has it. */
  match(method: string, path: string): T | undefined {
    return this.#routesOf(method)?.trie.find(path, 0);
  }

  /** The methods with a route that matches a path. */
  methodsAt(path: string): readonly string[] {
    return this.#routes.filter(({ trie }) => trie.find(path, 0) !== undefined).map(({ method }) => method);
  }

  /** The methods of all routes, in order of their first insertion. */
  methods(): string[] {
    return this.#routes.map(({ method }) => method);
  }

  // Methods are few: to compare them one by one is faster than a `Map`.
  #routesOf(method: string): Routes<T> | undefined {
    for (const routes of this.#routes) {
      if (routes.method === method) return routes;
    }
    return undefined;
  }
}
