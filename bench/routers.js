/**
 * One adapter for each router that is measured: those of restpoint, Fastify, Hono and Polka, and two more fast ones.
 *
 *   upTo    how many endpoints it can register and match in reasonable time
 *   build   makes a router of [method, path, value] routes
 *   ask     matches each path, and notes the value and the parameter (a miss: -1)
 *
 * Each `ask` has its own loop. A shared loop would see the types of all routers, and V8 could not compile it well for any.
 */
import findMyWay from 'find-my-way';
import { RegExpRouter } from 'hono/router/reg-exp-router';
import { Memoirist } from 'memoirist';
import { addRoute, createRouter, findRoute } from 'rou3';
import Trouter from 'trouter';
import { parsePattern, Router } from './library.js';

export const ROUTERS = [
  {
    name: 'restpoint',
    build: (routes) => built(new Router(), routes, (router, method, path, value) => router.insert(method, parsePattern(path), value)),
    ask(router, method, paths, answers) {
      for (let index = 0; index < paths.length; index += 1) {
        const match = router.match(method, paths[index]);
        if (match === undefined) note(answers, index, -1, '');
        else note(answers, index, match.value, match.parameter);
      }
    },
  },
  {
    name: 'find-my-way (Fastify)',
    build: (routes) => built(findMyWay(), routes, (router, method, path, value) => router.on(method, path, () => {}, { value })),
    ask(router, method, paths, answers) {
      for (let index = 0; index < paths.length; index += 1) {
        const match = router.find(method, paths[index]);
        if (match === null) note(answers, index, -1, '');
        else note(answers, index, match.store.value, match.params.id ?? '');
      }
    },
  },
  {
    name: 'RegExpRouter (Hono)',
    upTo: 1_000,
    build: (routes) => built(new RegExpRouter(), routes, (router, method, path, value) => router.add(method, path, value)),
    ask(router, method, paths, answers) {
      for (let index = 0; index < paths.length; index += 1) {
        const [found, parameters] = router.match(method, paths[index]);
        if (found.length === 0) note(answers, index, -1, '');
        else note(answers, index, found[0][0], parameters?.[found[0][1].id] ?? '');
      }
    },
  },
  {
    name: 'trouter (Polka)',
    upTo: 1_000,
    build: (routes) => built(new Trouter(), routes, (router, method, path, value) => router.add(method, path, value)),
    ask(router, method, paths, answers) {
      for (let index = 0; index < paths.length; index += 1) {
        const match = router.find(method, paths[index]);
        if (match === false) note(answers, index, -1, '');
        else note(answers, index, match.handlers[0], match.params.id ?? '');
      }
    },
  },
  {
    name: 'memoirist',
    build: (routes) => built(new Memoirist(), routes, (router, method, path, value) => router.add(method, path, value)),
    ask(router, method, paths, answers) {
      for (let index = 0; index < paths.length; index += 1) {
        const match = router.find(method, paths[index]);
        if (match === null) note(answers, index, -1, '');
        else note(answers, index, match.store, match.params.id ?? '');
      }
    },
  },
  {
    name: 'rou3',
    build: (routes) => built(createRouter(), routes, (router, method, path, value) => addRoute(router, method, path, { value })),
    ask(router, method, paths, answers) {
      for (let index = 0; index < paths.length; index += 1) {
        const match = findRoute(router, method, paths[index]);
        if (match === undefined) note(answers, index, -1, '');
        else note(answers, index, match.data.value, match.params?.id ?? '');
      }
    },
  },
];

function note(answers, index, value, parameter) {
  answers.values[index] = value;
  answers.parameters[index] = parameter;
}

function built(router, routes, add) {
  for (const [method, path, value] of routes) add(router, method, path, value);
  return router;
}
