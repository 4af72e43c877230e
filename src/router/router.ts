/**
 * Maps a method and a path to a value.
 *
 *   insert('GET',  /v1/pet/:id,  a)            match('GET',  '/v1/pet/7')       ->  a
 *   insert('POST', /v1/pet/feed, b)            match('POST', '/v1/pet/feed')    ->  b
 *                                              match('GET',  '/v1/pet/feed')    ->  a
 *   insert('POST', /v1/:kind/7/feed, c)        match('POST', '/v1/pet/7/feed')  ->  c
 *
 * For each method, a literal is tried before a parameter, segment by segment. If the literal leads nowhere, the parameter is tried.
 * Paths are compared byte for byte: nothing is decoded or normalised, and a trailing slash makes a different path.
 *
 * A match is only the value. The parameters of the path are found by the pattern of the route (`Pattern.gaps`).
 */
import { splitLiterals, type Pattern } from './pattern.ts';
import { Trie } from './trie.ts';

/** The routes of one method. */
interface Routes<T extends NonNullable<unknown>> {
  readonly method: string;
  readonly trie: Trie<T>;
  /** The patterns by their shapes. */
  readonly patterns: Map<string, Pattern>;
}

export class Router<T extends NonNullable<unknown>> {
  readonly #routes: Routes<T>[] = [];

  /** Stores a value. If the method has this pattern already, throws a `TypeError` that names both routes. */
  insert(method: string, pattern: Pattern, value: T): void {
    const taken = this.findConflict(method, pattern);
    if (taken !== undefined) throw new TypeError(`route ${method} ${pattern.template} conflicts with ${method} ${taken.template}`);
    const [first = '', ...others] = splitLiterals(pattern.template);
    let routes = this.#findRoutes(method);
    if (routes === undefined) this.#routes.push((routes = { method, trie: new Trie<T>(first), patterns: new Map() }));
    let node = routes.trie.add(first);
    const afterParameters = pattern.hasWildcard ? others.slice(0, -1) : others;
    for (const literal of afterParameters) node = (node.afterParameter ??= new Trie<T>(literal)).add(literal);
    if (pattern.hasWildcard) (node.afterParameter ??= new Trie<T>('')).wildcard = value;
    else node.value = value;
    routes.patterns.set(pattern.shape, pattern);
  }

  /** Finds the registered pattern that matches the same paths as this one. */
  findConflict(method: string, pattern: Pattern): Pattern | undefined {
    return this.#findRoutes(method)?.patterns.get(pattern.shape);
  }

  /** Finds the value of the route that matches. */
  match(method: string, path: string): T | undefined {
    return this.#findRoutes(method)?.trie.find(path, 0);
  }

  /** Finds the methods that have a route for a path. */
  findMethods(path: string): readonly string[] {
    return this.#routes.filter(({ trie }) => trie.find(path, 0) !== undefined).map(({ method }) => method);
  }

  /** The methods of all routes, in order of their first insertion. */
  methods(): string[] {
    return this.#routes.map(({ method }) => method);
  }

  // For a few methods, a loop is faster than a `Map`.
  #findRoutes(method: string): Routes<T> | undefined {
    for (const routes of this.#routes) {
      if (routes.method === method) return routes;
    }
    return undefined;
  }
}
