/** Routers whose values are the strings of their routes. */
import * as assert from 'uvu/assert';
import { parsePattern } from '../../src/router/pattern.ts';
import { Router } from '../../src/router/router.ts';
import { readParameters } from './read-parameters.ts';

/** A router whose values are the strings of its routes. */
export function makeRouter(...routes: readonly string[]): Router<string> {
  const router = new Router<string>();
  for (const route of routes) {
    const [method = '', template = ''] = route.split(' ');
    router.insert(method, parsePattern(template), route);
  }
  return router;
}

/** The route that matches, and the strings of its parameters; nothing on a miss. */
export function matchRoute(router: Router<string>, method: string, path: string): string[] {
  const route = router.match(method, path);
  return route === undefined ? [] : [route, ...readParameters(parsePattern(route.slice(method.length + 1)), path)];
}

export const MISS = undefined;

/** Routes, a method and a path, the route that must match, and the strings of its parameters. */
export type LookUp = readonly [routes: readonly string[], method: string, path: string, value?: string | undefined, ...parameters: string[]];

/** Adds a test for each look-up. */
export function testLookUps(add: (name: string, test: () => void) => void, lookUps: readonly LookUp[]): void {
  for (const [routes, method, path, value, ...parameters] of lookUps) {
    add(`${method} ${JSON.stringify(path)} in [${routes.join(', ')}] -> ${value ?? 'a miss'} (${parameters.join(', ')})`, () => {
      assert.equal(matchRoute(makeRouter(...routes), method, path), value === MISS ? [] : [value, ...parameters]);
    });
  }
}

/** How many nodes of the trie a look-up visits before the path ends. Each reads one character of the path. */
export function countVisits(router: Router<string>, path: string): number {
  const { charCodeAt } = String.prototype;
  let visits = 0;
  String.prototype.charCodeAt = function (this: string, index: number): number {
    visits += 1;
    return charCodeAt.call(this, index);
  };
  try {
    router.match('GET', path);
  } finally {
    String.prototype.charCodeAt = charCodeAt;
  }
  return visits;
}
