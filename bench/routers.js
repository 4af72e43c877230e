/**
 * One short adapter for each router that is measured.
 *
 *   upTo        how many endpoints it can register and match in reasonable time (all, where it is not there)
 *   build       makes a router of [method, path, value] routes
 *   ask         matches each path, and notes down the value and the parameter that it gave
 *
 * Each has a loop of its own in `ask`: one that they share would see every router's types, and could not be compiled
 * well for any of them. A miss gives the value -1.
 */
import findMyWay from 'find-my-way';
import { RegExpRouter } from 'hono/router/reg-exp-router';
import { SmartRouter } from 'hono/router/smart-router';
import { TrieRouter } from 'hono/router/trie-router';
import { Memoirist } from 'memoirist';
import { addRoute, createRouter, findRoute } from 'rou3';
import { compileRouter } from 'rou3/compiler';
import { parsePattern } from '../build/modules/router/pattern.js';
import { Router } from '../build/modules/router/router.js';

function note(answers, index, value, parameter) {
  answers.values[index] = value;
  answers.parameters[index] = parameter;
}

const restpoint = {
  name: 'restpoint',
  build(routes) {
    const router = new Router();
    for (const [method, path, value] of routes) router.insert(method, parsePattern(path), value);
    return router;
  },
  ask(router, method, paths, answers) {
    for (let index = 0; index < paths.length; index += 1) {
      const match = router.match(method, paths[index]);
      if (match === undefined) note(answers, index, -1, '');
      else note(answers, index, match.value, match.parameter);
    }
  },
};

const findMyWayAdapter = {
  name: 'find-my-way',
  build(routes) {
    const router = findMyWay();
    for (const [method, path, value] of routes) router.on(method, path, () => {}, { value });
    return router;
  },
  ask(router, method, paths, answers) {
    for (let index = 0; index < paths.length; index += 1) {
      const match = router.find(method, paths[index]);
      if (match === null) note(answers, index, -1, '');
      else note(answers, index, match.store.value, match.params.id ?? '');
    }
  },
};

const memoirist = {
  name: 'memoirist',
  build(routes) {
    const router = new Memoirist();
    for (const [method, path, value] of routes) router.add(method, path, value);
    return router;
  },
  ask(router, method, paths, answers) {
    for (let index = 0; index < paths.length; index += 1) {
      const match = router.find(method, paths[index]);
      if (match === null) note(answers, index, -1, '');
      else note(answers, index, match.store, match.params.id ?? '');
    }
  },
};

const rou3 = {
  name: 'rou3',
  build(routes) {
    const router = createRouter();
    for (const [method, path, value] of routes) addRoute(router, method, path, { value });
    return router;
  },
  ask(router, method, paths, answers) {
    for (let index = 0; index < paths.length; index += 1) {
      const match = findRoute(router, method, paths[index]);
      if (match === undefined) note(answers, index, -1, '');
      else note(answers, index, match.data.value, match.params?.id ?? '');
    }
  },
};

const rou3Compiled = {
  name: 'rou3, compiled',
  build: (routes) => compileRouter(rou3.build(routes)),
  ask(find, method, paths, answers) {
    for (let index = 0; index < paths.length; index += 1) {
      const match = find(method, paths[index]);
      if (match === undefined) note(answers, index, -1, '');
      else note(answers, index, match.data.value, match.params?.id ?? '');
    }
  },
};

function addAll(router, routes) {
  for (const [method, path, value] of routes) router.add(method, path, value);
  return router;
}

const honoRegExp = {
  name: 'hono RegExpRouter',
  upTo: 1_000, // 10,000 took it 10 s
  build: (routes) => addAll(new RegExpRouter(), routes),
  ask(router, method, paths, answers) {
    for (let index = 0; index < paths.length; index += 1) {
      const [found, parameters] = router.match(method, paths[index]);
      if (found.length === 0) note(answers, index, -1, '');
      else note(answers, index, found[0][0], parameters?.[found[0][1].id] ?? '');
    }
  },
};

const honoTrie = {
  name: 'hono TrieRouter',
  build: (routes) => addAll(new TrieRouter(), routes),
  ask(router, method, paths, answers) {
    for (let index = 0; index < paths.length; index += 1) {
      const [found] = router.match(method, paths[index]);
      if (found.length === 0) note(answers, index, -1, '');
      else note(answers, index, found[0][0], found[0][1].id ?? '');
    }
  },
};

const honoSmart = {
  name: 'hono SmartRouter',
  upTo: 1_000, // at 10,000 a match took it 0.2 ms
  build: (routes) => addAll(new SmartRouter({ routers: [new RegExpRouter(), new TrieRouter()] }), routes),
  ask(router, method, paths, answers) {
    for (let index = 0; index < paths.length; index += 1) {
      const [found, parameters] = router.match(method, paths[index]);
      if (found.length === 0) note(answers, index, -1, '');
      else note(answers, index, found[0][0], parameters?.[found[0][1].id] ?? found[0][1].id ?? '');
    }
  },
};

export const ROUTERS = [restpoint, findMyWayAdapter, memoirist, rou3, rou3Compiled, honoRegExp, honoTrie, honoSmart];
