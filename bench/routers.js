/**
 * The routers that are measured: those of restpoint, Fastify, Hono and Polka, and two more fast ones.
 *
 *   upTo                how many endpoints it can register and match in reasonable time
 *   create, add, find   make a router, add a route, and look a path up
 *   value, parameter    read what was found
 */
import findMyWay from 'find-my-way';
import { RegExpRouter } from 'hono/router/reg-exp-router';
import { Memoirist } from 'memoirist';
import { addRoute, createRouter, findRoute } from 'rou3';
import Trouter from 'trouter';
import { parsePattern, Router } from './library.js';

const common = {
  upTo: Infinity,
  add: (router, method, path, value) => router.add(method, path, value),
  find: (router, method, path) => router.find(method, path),
  parameter: (match) => match.params.id,
};

export const ROUTERS = {
  restpoint: {
    ...common,
    create: () => new Router(),
    add: (router, method, path, value) => router.insert(method, parsePattern(path), value),
    find: (router, method, path) => router.match(method, path),
    value: (match) => match.value,
    parameter: (match) => match.parameter,
  },
  'find-my-way (Fastify)': {
    ...common,
    create: () => findMyWay(),
    add: (router, method, path, value) => router.on(method, path, () => {}, { value }),
    value: (match) => match.store.value,
  },
  'RegExpRouter (Hono)': {
    upTo: 1_000,
    create: () => new RegExpRouter(),
    add: common.add,
    find: (router, method, path) => router.match(method, path),
    value: (match) => match[0][0]?.[0] ?? -1,
    parameter: (match) => match[1]?.[match[0][0]?.[1].id],
  },
  'trouter (Polka)': { ...common, upTo: 1_000, create: () => new Trouter(), value: (match) => match.handlers[0] },
  memoirist: { ...common, create: () => new Memoirist(), value: (match) => match.store },
  rou3: {
    ...common,
    create: () => createRouter(),
    add: (router, method, path, value) => addRoute(router, method, path, { value }),
    find: (router, method, path) => findRoute(router, method, path),
    value: (match) => match.data.value,
    parameter: (match) => match.params?.id,
  },
};

/** Looks each path up, and notes value and parameter. A router that finds nothing gives nothing, and nothing is noted. */
export function findAll({ router, find, value, parameter }, method, paths, answers) {
  for (let index = 0; index < paths.length; index += 1) {
    const match = find(router, method, paths[index]);
    if (!match) continue;
    answers.values[index] = value(match);
    answers.parameters[index] = parameter(match) ?? '';
  }
}
