/**
 * What does it cost to find a route, beside other routers, and does it cost more with many endpoints than with few?
 *
 *   node parts/router.js
 *
 * All routers hold the same routes: five operations for each endpoint. Each round asks every router at every size in turn,
 * so that what else the machine does falls on all alike, and ratios are taken within a round. The paths are fresh text,
 * as the HTTP parser makes it: a string that was matched before has its hash ready, and would flatter a map. Every answer
 * of every round is compared with what it must be. Once the same ten endpoints are asked for, which shows what a router
 * does; once all of them, which shows what the processor's caches do as well. They are asked for in no order, since the
 * processor learns an order of ten by heart. The names are words, of the same lengths with ten endpoints as with
 * 10,000; for what has a parameter also `resource0`, `resource1`, …, which begin alike and grow longer.
 *
 * How 10,000 endpoints compare with ten is measured by itself, without other routers that empty the caches between.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { ApiServer, integerId } from '../../dist/index.js';
import { median, ratioOf, runIfMain, showRatio, spread } from '../measuring.js';
import { ROUTERS } from '../routers.js';

export const title = 'Router alone';

const SIZES = [1, 10, 100, 1_000, 10_000];
const WARM_UP = 15;
const ROUNDS = 31;
const PATHS = 2_000;

const FIRST = 'old new red blue green north south inner outer small large quick slow bright dark heavy light early late open'.split(' ');
const SECOND = 'pet order user invoice account payment session product customer address ticket report device sensor message channel project branch comment review'.split(' ');
const NAMES = {
  words: (index) => `${FIRST[index % 20]}-${SECOND[Math.floor(index / 20 + index) % 20]}${Math.floor(index / 400) || ''}`,
  numbers: (index) => `resource${index}`,
};

// Each gives method, path, value and parameter; a miss asks for an endpoint whose name is like the others'.
const MATCHES = {
  literal: (name, resource) => ['POST', `/v1/${name(resource)}/feed`, resource, ''],
  parameter: (name, resource, id) => ['GET', `/v1/${name(resource)}/${id}`, resource, id],
  miss: (name, resource, id, size) => ['GET', `/v1/${name(size + resource)}/${id}`, -1, ''],
};
const ACCESS = { ten: (size) => Math.min(size, 10), all: (size) => size };
const SERIES = [['words', 'literal'], ['words', 'parameter'], ['words', 'miss'], ['numbers', 'parameter']];

function routesOf(size, name) {
  const routes = [];
  for (let resource = 0; resource < size; resource += 1) {
    const base = `/v1/${name(resource)}`;
    routes.push(['POST', base, resource], ['POST', `${base}/feed`, resource]);
    for (const method of ['GET', 'PUT', 'DELETE']) routes.push([method, `${base}/:id`, resource]);
  }
  return routes;
}

/** Nanoseconds for a match, with paths that go through so many of the endpoints. Throws when an answer is wrong. */
function time({ name, ask }, router, questions) {
  const [[method]] = questions;
  const paths = questions.map(([, path]) => Buffer.from(path).latin1Slice());
  const answers = { values: new Array(PATHS).fill(0), parameters: new Array(PATHS).fill('') };
  const begin = process.hrtime.bigint();
  ask(router, method, paths, answers);
  const elapsed = Number(process.hrtime.bigint() - begin) / PATHS;
  for (const [index, [, path, value, parameter]] of questions.entries()) {
    if (answers.values[index] === value && answers.parameters[index] === parameter) continue;
    throw new Error(`${name} gave ${answers.values[index]} "${answers.parameters[index]}" for ${method} ${path}`);
  }
  return elapsed;
}

let state = 1;

/** A number below `bound`, the same in each run (Knuth's linear congruential generator). */
function drawBelow(bound) {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * bound);
}

/** The times of every router at every size, as `times[size][router name]`, one for each round. */
function measure(built, names, match, access) {
  const times = Object.fromEntries(SIZES.map((size) => [size, Object.fromEntries(built[size].map(({ name }) => [name, []]))]));
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    for (const size of SIZES) {
      const contenders = built[size];
      const asked = ACCESS[access](size);
      const questions = Array.from({ length: PATHS }, (_, index) => MATCHES[match](NAMES[names], drawBelow(asked), `${round}${index}`, size));
      for (let turn = 0; turn < contenders.length; turn += 1) {
        const contender = contenders[(turn + round) % contenders.length];
        const elapsed = time(contender, contender.router, questions);
        if (round >= WARM_UP) times[size][contender.name].push(elapsed);
      }
    }
  }
  return times;
}

/** What the rounds say of one size. */
function judge(times, size) {
  const { restpoint, ...peers } = times[size];
  const [fastest] = Object.keys(peers).toSorted((one, other) => median(peers[one]) - median(peers[other]));
  return {
    nanoseconds: Object.fromEntries(Object.entries(times[size]).map(([name, rounds]) => [name, spread(rounds)])),
    fastest,
    besideFastest: ratioOf(restpoint, peers[fastest]),
  };
}

const OPERATIONS = { id: integerId, schema: (json) => json, create: () => 1, get: () => 1, update() {}, delete() {}, custom: { feed: { run: () => 1 } } };

/** Milliseconds to register so many endpoints, each with all five operations, on a whole server. */
function register(size) {
  const server = new ApiServer('/v1', { logger: { info() {}, error() {} } });
  const begin = process.hrtime.bigint();
  for (let index = 0; index < size; index += 1) server.registerEndpoint(`/resource${index}`, OPERATIONS);
  return Number(process.hrtime.bigint() - begin) / 1e6;
}

/** Every router that can hold so many endpoints, by their number. */
function build(names) {
  const built = {};
  for (const size of SIZES) {
    const able = ROUTERS.filter(({ upTo = Infinity }) => size <= upTo);
    built[size] = able.map((router) => ({ ...router, router: router.build(routesOf(size, NAMES[names])) }));
  }
  return built;
}

/** How restpoint's own times at each size compare with those at ten, as `besideTen[size]`. */
function compareWithTen(built, names, match, access) {
  const alone = Object.fromEntries(SIZES.map((size) => [size, built[size].filter(({ name }) => name === 'restpoint')]));
  const times = measure(alone, names, match, access);
  return Object.fromEntries(SIZES.map((size) => [size, ratioOf(times[size].restpoint, times[10].restpoint)]));
}

/** What one kind of match costs. It is measured in a worker, where no router was warmed up by another kind. */
function measureSeries(names, match) {
  const built = build(names);
  const series = [];
  for (const access of Object.keys(ACCESS)) {
    const times = measure(built, names, match, access);
    const besideTen = compareWithTen(built, names, match, access);
    for (const size of SIZES) {
      // With ten endpoints and fewer, ten and all are the same.
      if (access === 'ten' && size <= 10) continue;
      series.push({ names, match, access, size, ...judge(times, size), besideTen: besideTen[size] });
    }
  }
  return series;
}

const inWorker = (names, match) => new Promise((resolve, reject) => {
  new Worker(new URL(import.meta.url), { workerData: { names, match } }).on('message', resolve).on('error', reject);
});

export async function run({ progress }) {
  const registered = Object.fromEntries(SIZES.map((size) => [size, median([register(size), register(size), register(size)])]));
  const data = { registered, series: [] };
  for (const [names, match] of SERIES) {
    progress(`${title}: ${match}, named by ${names}, ${SIZES.join(', ')} endpoints`);
    data.series.push(...(await inWorker(names, match)));
  }
  const columns = ['match', 'names', 'endpoints', 'asked for', ...ROUTERS.map(({ name }) => name), 'beside the fastest', 'beside 10 endpoints'];
  return { columns, rows: data.series.map(rowOf), notes: notesOf(registered), data };
}

function rowOf({ names, match, access, size, nanoseconds, fastest, besideFastest, besideTen }) {
  const times = ROUTERS.map(({ name }) => (name in nanoseconds ? `${nanoseconds[name].median.toFixed(0)} ns` : '-'));
  return [match, names, size, access, ...times, `${showRatio(besideFastest)} ${fastest}`, showRatio(besideTen)];
}

function notesOf(registered) {
  const left = ROUTERS.filter(({ upTo }) => upTo !== undefined).map(({ name, upTo }) => `${name} is left out over ${upTo} endpoints: it takes too long to build or to match.`);
  return [
    `Medians of ${ROUNDS} rounds of ${PATHS} matches, every answer checked; ratios taken round by round, with their quartiles.`,
    `Registered with all five operations on a server: ${SIZES.map((size) => `${size} in ${registered[size].toFixed(1)} ms`).join(', ')}.`,
    ...left,
  ];
}

if (isMainThread) await runIfMain(import.meta.url, title, run);
else parentPort.postMessage(measureSeries(workerData.names, workerData.match));
