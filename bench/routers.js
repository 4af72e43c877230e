/**
 * The routers that are measured: those of restpoint, Fastify, Hono and Polka, and two more fast ones.
 *
 *   upTo                how many endpoints it can register and match in reasonable time
 *   create, add, find   make a router, add a route, and look a path up
 *   value               reads the value that was found
 *   none, one, three    note the strings of as many parameters
 */
import findMyWay from 'find-my-way';
import { RegExpRouter } from 'hono/router/reg-exp-router';
import { Memoirist } from 'memoirist';
import { addRoute, createRouter, findRoute } from 'rou3';
import Trouter from 'trouter';
import { parsePattern, Router, skipSegment } from './library.js';

const MAX_VALUES = 10_000;

const common = {
  upTo: Infinity,
  add: (router, method, path, value) => router.add(method, path, value),
  find: (router, method, path) => router.find(method, path),
  none: () => {},
  one: ({ params }, _path, [ids], index) => (ids[index] = params.id),
  three: ({ params }, _path, [ids, zoos, houses], index) => {
    ids[index] = params.id;
    zoos[index] = params.zoo;
    houses[index] = params.house;
  },
};

export const ROUTERS = {
  restpoint: {
    ...common,
    // A handler has the gaps of its pattern at hand. Here they are found by the value.
    create: () => ({ router: new Router(), gaps: new Uint16Array(MAX_VALUES * 3) }),
    add: ({ router, gaps }, method, path, value) => {
      const pattern = parsePattern(path);
      router.insert(method, pattern, value);
      gaps.set(pattern.gaps, value * 3);
    },
    find: ({ router }, method, path) => router.match(method, path),
    value: (match) => match,
    one: (match, path, [ids], index, { gaps }) => (ids[index] = path.slice(gaps[match * 3])),
    three: (match, path, [ids, zoos, houses], index, { gaps }) => {
      const zoo = gaps[match * 3];
      const zooEnd = skipSegment(path, zoo);
      zoos[index] = path.slice(zoo, zooEnd);
      const house = zooEnd + gaps[match * 3 + 1];
      const houseEnd = skipSegment(path, house);
      houses[index] = path.slice(house, houseEnd);
      ids[index] = path.slice(houseEnd + gaps[match * 3 + 2]);
    },
  },
  'find-my-way (Fastify)': {
    ...common,
    create: () => findMyWay(),
    add: (router, method, path, value) => router.on(method, path, () => {}, { value }),
    value: (match) => match.store.value,
  },
  'RegExpRouter (Hono)': {
    ...common,
    upTo: 1_000,
    create: () => new RegExpRouter(),
    find: (router, method, path) => router.match(method, path),
    value: (match) => match[0][0]?.[0] ?? -1,
    one: ([[[, at]], strings], _path, [ids], index) => (ids[index] = strings[at.id]),
    three: ([[[, at]], strings], _path, [ids, zoos, houses], index) => {
      ids[index] = strings[at.id];
      zoos[index] = strings[at.zoo];
      houses[index] = strings[at.house];
    },
  },
  'trouter (Polka)': {
    ...common,
    upTo: 1_000,
    create: () => new Trouter(),
    find: (router, method, path) => router.find(method, path) || undefined,
    value: (match) => match.handlers[0],
  },
  memoirist: { ...common, create: () => new Memoirist(), value: (match) => match.store },
  rou3: {
    ...common,
    create: () => createRouter(),
    add: (router, method, path, value) => addRoute(router, method, path, { value }),
    find: (router, method, path) => findRoute(router, method, path),
    value: (match) => match.data.value,
  },
};

/** Looks each path up, and notes the value and the parameters. A router that finds nothing gives nothing, and nothing is noted. */
export function findAll({ router, find, value, note }, method, paths, results) {
  for (let index = 0; index < paths.length; index += 1) {
    const match = find(router, method, paths[index]);
    if (match === undefined || match === null) continue;
    results.values[index] = value(match);
    note(match, paths[index], results.strings, index, router);
  }
}
