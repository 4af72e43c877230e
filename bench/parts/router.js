/**
 * The time of a match, beside other routers, and with many endpoints beside few.
 *
 * All routers hold the same routes, five for each endpoint, and take turns in each round; every answer is checked. Paths
 * are new strings, as the HTTP parser makes them: a string that was matched before has its hash ready, which flatters a
 * map. Endpoints are asked for at random, since a processor learns a short sequence. "Ten" asks for the same ten of
 * them, which shows the router's own work; "all" shows the processor's caches as well. Names are words of about one length,
 * or `resource0`, `resource1`, …, which begin alike.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { median, ratiosOf, showRatio } from '../statistics.js';
import { ROUTERS } from '../routers.js';

const SIZES = [10, 1_000, 10_000];
const WARM_UP = 15;
const ROUNDS = 31;
const PATHS = 2_000;

const FIRST = 'old new red blue green north south inner outer small large quick slow bright dark heavy light early late open'.split(' ');
const SECOND = 'pet order user invoice account payment session product customer address ticket report device sensor message channel project branch comment review'.split(' ');
const NAMES = {
  words: (index) => `${FIRST[index % 20]}-${SECOND[Math.floor(index / 20 + index) % 20]}${Math.floor(index / 400) || ''}`,
  numbers: (index) => `resource${index}`,
};

// Each gives method, path, expected value and parameter. A miss asks for an endpoint that is not there.
const MATCHES = {
  literal: (name, resource) => ['POST', `/v1/${name(resource)}/feed`, resource, ''],
  parameter: (name, resource, id) => ['GET', `/v1/${name(resource)}/${id}`, resource, id],
  miss: (name, resource, id, size) => ['GET', `/v1/${name(size + resource)}/${id}`, -1, ''],
};
const SERIES = [['parameter', 'words'], ['parameter', 'numbers'], ['literal', 'words'], ['miss', 'words']];

export const title = 'The router alone';

export async function run({ progress }) {
  const data = [];
  for (const [match, names] of SERIES) {
    progress(`${match}, named by ${names}`);
    // In a worker of its own, no router was warmed up by another kind of match.
    data.push(...(await inWorker({ match, names })));
  }
  return data;
}

function inWorker(workerData) {
  return new Promise((resolve, reject) => {
    new Worker(new URL(import.meta.url), { workerData }).on('message', resolve).on('error', reject);
  });
}

function measureSeries({ match, names }) {
  const routers = Object.fromEntries(SIZES.map((size) => [size, buildAll(size, NAMES[names])]));
  return ['all', 'ten'].flatMap((asked) => {
    const times = SIZES.map((size) => measure(routers[size], size, asked, match, NAMES[names]));
    // Alone, since other routers empty the caches in between.
    const alone = SIZES.map((size) => measure(routers[size].slice(0, 1), size, asked, match, NAMES[names]).restpoint);
    return SIZES.map((size, index) => ({ match, names, size, asked, ...figuresOf(times[index]), besideTen: ratiosOf(alone[index], alone[0]) }));
  }).filter(({ asked, size }) => asked === 'all' || size > 10);
}

function buildAll(size, name) {
  const routes = Array.from({ length: size }, (_, resource) => {
    const base = `/v1/${name(resource)}`;
    return [['POST', base, resource], ['POST', `${base}/feed`, resource], ...['GET', 'PUT', 'DELETE'].map((method) => [method, `${base}/:id`, resource])];
  }).flat();
  return ROUTERS.filter(({ upTo = Infinity }) => size <= upTo).map((adapter) => ({ ...adapter, router: adapter.build(routes) }));
}

/** The nanoseconds of each router's rounds. */
function measure(routers, size, asked, match, name) {
  const times = Object.fromEntries(routers.map((router) => [router.name, []]));
  const among = asked === 'ten' ? 10 : size;
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    const questions = Array.from({ length: PATHS }, (_, index) => MATCHES[match](name, drawBelow(among), `${round}${index}`, size));
    for (let turn = 0; turn < routers.length; turn += 1) {
      const router = routers[(turn + round) % routers.length];
      const elapsed = time(router, questions);
      if (round >= WARM_UP) times[router.name].push(elapsed);
    }
  }
  return times;
}

/** Nanoseconds of one match. Throws on a wrong answer. */
function time({ name, ask, router }, questions) {
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

function figuresOf(times) {
  const ns = Object.fromEntries(Object.entries(times).map(([name, rounds]) => [name, median(rounds)]));
  const [fastest] = Object.keys(ns).filter((name) => name !== 'restpoint').sort((one, other) => ns[one] - ns[other]);
  return { ns, fastest, besideFastest: ratiosOf(times.restpoint, times[fastest]) };
}

export function tableOf(data) {
  const names = ROUTERS.map(({ name }) => name);
  return {
    notes: `Medians of ${ROUNDS} rounds of ${PATHS.toLocaleString('en')} matches, in nanoseconds. Ratios are taken round by round, and have their quartiles. A router is left out where it takes too long to build or to match.`,
    columns: ['Match', 'names', 'endpoints', 'asked for', ...names, 'restpoint beside the fastest other', 'beside 10 endpoints'],
    rows: data.map(({ match, names: named, size, asked, ns, besideFastest, besideTen }) => {
      return [match, named, size.toLocaleString('en'), asked, ...names.map((name) => ns[name]?.toFixed(0) ?? ''), showRatio(besideFastest), size === 10 ? '' : showRatio(besideTen)];
    }),
  };
}

if (!isMainThread) parentPort.postMessage(measureSeries(workerData));
