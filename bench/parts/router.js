/**
 * The time of a match, beside other routers, and with many endpoints beside few.
 *
 * All routers hold the same routes, five for each endpoint (three, where they have three parameters), and take turns in each
 * round; every response is checked. Paths are new strings, as the HTTP parser makes them: a string that was matched before has its hash ready, which flatters a
 * map. Endpoints are asked for at random, since a processor learns a short sequence. "Ten" asks for the same ten of
 * them, which shows the router's own work; "all" shows the processor's caches as well. Names are words of about one length,
 * or `resource0`, `resource1`, …, which begin alike.
 */
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { ROUTERS } from '../routers.js';
import { median, computeRatios } from '../statistics.js';
import { showRatio } from '../tables.js';

const SIZES = [10, 1_000, 10_000];
const WARM_UP = 15;
const ROUNDS = 31;
const PATHS = 2_000;

const FIRST = 'old new red blue green north south inner outer small large quick slow bright dark heavy light early late open';
const SECOND = 'pet order user invoice account payment session product customer address '
  + 'ticket report device sensor message channel project branch comment review';
const wordOf = (words, index) => words.split(' ')[Math.floor(index) % 20];
const NAMES = {
  words: (index) => `${wordOf(FIRST, index)}-${wordOf(SECOND, index / 20 + index)}${Math.floor(index / 400) || ''}`,
  numbers: (index) => `resource${index}`,
};

// Each gives method, path, expected value and the strings of parameters. A miss asks for an endpoint that is not there.
const MATCHES = {
  literal: (name, resource) => ['POST', `/v1/${name(resource)}/feed`, resource],
  parameter: (name, resource, id) => ['GET', `/v1/${name(resource)}/${id}`, resource, id],
  'three parameters': (name, resource, id) => {
    return ['GET', `/v1/${name(resource)}/z${id}/house/${id}h/pet/${id}`, resource, id, `z${id}`, `${id}h`];
  },
  miss: (name, resource, id, size) => ['GET', `/v1/${name(size + resource)}/${id}`, -1],
};
const NOTES = { literal: 'none', parameter: 'one', 'three parameters': 'three', miss: 'none' };
const SERIES = [
  ['parameter', 'words'], ['parameter', 'numbers'], ['three parameters', 'words'], ['literal', 'words'], ['miss', 'words'],
];

export const title = 'The router alone';

export async function run() {
  const data = [];
  for (const [match, names] of SERIES) {
    console.error(`router: ${match}, named by ${names}`);
    // In a separate worker, no router is warmed up by a different kind of match.
    const [rows] = await once(new Worker(new URL(import.meta.url), { workerData: { match, names } }), 'message');
    data.push(...rows);
  }
  return data;
}

async function measureSeries({ match, names }) {
  const finders = await Promise.all(Object.keys(ROUTERS).map((router) => loadFinder(router, NOTES[match])));
  const [ask, name] = [MATCHES[match], NAMES[names]];
  const routers = SIZES.map((size) => buildAll(finders, size, name, match));
  return ['all', 'ten'].flatMap((asked) => {
    const measureSome = (some, index) => measure(some, SIZES[index], asked === 'ten' ? 10 : SIZES[index], { ask, name });
    const times = routers.map(measureSome);
    // Alone, since other routers empty the caches in between.
    const alone = routers.map(([ours], index) => measureSome([ours], index).restpoint);
    return SIZES.map((size, index) => {
      return { match, names, size, asked, ...figuresOf(times[index]), besideTen: computeRatios(alone[index], alone[0]) };
    });
  }).filter(({ asked, size }) => asked === 'all' || size > 10);
}

/** Makes a separate loop for a router: V8 optimizes a loop badly if it sees the types of all routers. */
async function loadFinder(name, note) {
  const { findAll, ROUTERS: { [name]: adapter } } = await import(`../routers.js?${encodeURIComponent(name)}`);
  return { name, findAll, ...adapter, note: adapter[note] };
}

function buildAll(finders, size, name, match) {
  return finders.filter(({ upTo }) => size <= upTo).map((finder) => {
    const router = finder.create();
    for (let resource = 0; resource < size; resource += 1) {
      for (const [method, path] of routesAt(`/v1/${name(resource)}`, match)) finder.add(router, method, path, resource);
    }
    return { ...finder, router };
  });
}

function routesAt(base, match) {
  const item = match === 'three parameters' ? `${base}/:zoo/house/:house/pet/:id` : `${base}/:id`;
  const onItem = ['GET', 'PUT', 'DELETE'].map((method) => [method, item]);
  return match === 'three parameters' ? onItem : [['POST', base], ['POST', `${base}/feed`], ...onItem];
}

/** The nanoseconds of each router's rounds. */
function measure(routers, size, among, { ask, name }) {
  const times = Object.fromEntries(routers.map((router) => [router.name, []]));
  const drawn = () => Math.floor(Math.random() * among);
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    const questions = Array.from({ length: PATHS }, (_, index) => ask(name, drawn(), `${round}${index}`, size));
    for (let turn = 0; turn < routers.length; turn += 1) {
      const router = routers[(turn + round) % routers.length];
      const elapsed = time(router, questions);
      if (round >= WARM_UP) times[router.name].push(elapsed);
    }
  }
  return times;
}

/** Nanoseconds of one match. Throws on a wrong response. */
function time(finder, questions) {
  const [[method]] = questions;
  const paths = questions.map(([, path]) => Buffer.from(path).latin1Slice());
  const noted = () => new Array(PATHS).fill('');
  const results = { values: new Array(PATHS).fill(-1), strings: [noted(), noted(), noted()] };
  const begin = process.hrtime.bigint();
  finder.findAll(finder, method, paths, results);
  const elapsed = Number(process.hrtime.bigint() - begin) / PATHS;
  for (const [index, [, path, value, ...strings]] of questions.entries()) {
    const found = [results.values[index], ...results.strings.map((each) => each[index])];
    if (found.join() !== [value, ...strings, '', '', ''].slice(0, 4).join()) throw new Error(`${finder.name} gave ${found} for ${method} ${path}`);
  }
  return elapsed;
}

function figuresOf(times) {
  const ns = Object.fromEntries(Object.entries(times).map(([name, rounds]) => [name, median(rounds)]));
  const [, ...others] = Object.keys(ns);
  const fastest = others.reduce((best, name) => (ns[name] < ns[best] ? name : best));
  return { ns, besideFastest: computeRatios(times.restpoint, times[fastest]) };
}

export function makeTable(data) {
  const routers = Object.keys(ROUTERS);
  return {
    notes: `Medians of ${ROUNDS} rounds of ${PATHS.toLocaleString('en')} matches, in nanoseconds. `
      + 'Ratios are calculated for each round; their quartiles are in brackets. '
      + 'A router is left out if it takes too long to build or to match.',
    columns: [
      'Match', 'names', 'endpoints', 'asked for', ...routers, 'restpoint beside the fastest other', 'beside 10 endpoints',
    ],
    rows: data.map(({ match, names, size, asked, ns, besideFastest, besideTen }) => {
      const times = routers.map((name) => ns[name]?.toFixed(0) ?? '');
      const ratios = [showRatio(besideFastest), size === 10 ? '' : showRatio(besideTen)];
      return [match, names, size.toLocaleString('en'), asked, ...times, ...ratios];
    }),
  };
}

if (!isMainThread) parentPort.postMessage(await measureSeries(workerData));
