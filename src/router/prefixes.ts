/**
 * Values under literal routes. A route covers all paths below it.
 *
 *   /files   covers   /files  /files/a  /files/a/b   but not  /filesX
 *
 * A server has few of these: a loop is faster than a trie.
 */
import { parseLiteralPath } from './pattern.ts';

interface Entry<T> {
  readonly route: string;
  readonly value: T;
}

export class Prefixes<T> {
  readonly #method: string;
  #longestFirst: readonly Entry<T>[] = [];

  /** `method` precedes the route in the message of a conflict. */
  constructor(method: string) {
    this.#method = method;
  }

  get isEmpty(): boolean {
    return this.#longestFirst.length === 0;
  }

  /** Checks a route, and returns it. Throws `TypeError` when it is malformed or taken. */
  check(route: unknown): string {
    const path = parseLiteralPath('route', route);
    if (this.#longestFirst.some((other) => other.route === path)) {
      throw new TypeError(`route ${this.#method} ${path} conflicts with ${this.#method} ${path}`);
    }
    return path;
  }

  /** Adds a value under a checked route. */
  insert(route: string, value: T): void {
    this.#longestFirst = [...this.#longestFirst, { route, value }].sort((a, b) => b.route.length - a.route.length);
  }

  /** Finds the value of the longest route that covers a path. */
  find(path: string): T | undefined {
    return this.#longestFirst.find(({ route }) => covers(route, path))?.value;
  }
}

function covers(route: string, path: string): boolean {
  return route === '/' || (path.startsWith(route) && (path.length === route.length || path[route.length] === '/'));
}
