/**
 * Does a server with many endpoints cost more for each request than one with few?
 *
 *   npm run scale
 *
 * Registers 10 to 10,000 endpoints with all five operations, then times matches in short rounds that go through all
 * sizes in turn, so that what else the machine does falls on each alike. Once the same ten endpoints are asked for, which
 * shows what the router does; once all of them in turn, which shows what the processor's caches do as well. The
 * paths are fresh text, as the HTTP parser makes it: a string that was matched before has its hash ready, and would
 * flatter a map.
 */
import { ApiServer, integerId } from '../dist/index.js';
import { parsePattern } from '../dist/router/pattern.js';
import { Router } from '../dist/router/router.js';

const SIZES = [10, 100, 1_000, 10_000];
const WARM_UP = 20;
const ROUNDS = 61;
const PATHS = 2_000;

const handlers = { id: integerId, schema: (json) => json, create: () => 1, get: () => 1, update() {}, delete() {}, custom: { feed: { run: () => 1 } } };

/** Milliseconds to register so many endpoints. */
function register(size) {
  const server = new ApiServer('/v1', { logger: { info() {}, error() {} } });
  const begin = process.hrtime.bigint();
  for (let index = 0; index < size; index += 1) server.registerEndpoint(`/resource${index}`, handlers);
  return Number(process.hrtime.bigint() - begin) / 1e6;
}

function routerOf(size) {
  const router = new Router();
  for (let index = 0; index < size; index += 1) {
    router.insert('GET', parsePattern(`/v1/resource${index}/:id`), index);
    router.insert('POST', parsePattern(`/v1/resource${index}/feed`), index);
  }
  return router;
}

/** Nanoseconds for a match, with paths that go through so many of the endpoints. */
function match(router, asked, round) {
  const resources = Array.from({ length: PATHS }, (_, index) => (index * 7919 + round) % asked);
  const paths = resources.map((resource, index) => Buffer.from(`/v1/resource${resource}/${round}${index}`).latin1Slice());
  const begin = process.hrtime.bigint();
  let sum = 0;
  for (const path of paths) sum += router.match('GET', path).value;
  const elapsed = Number(process.hrtime.bigint() - begin) / PATHS;
  if (sum !== resources.reduce((total, resource) => total + resource, 0)) throw new Error('a match was wrong');
  return elapsed;
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

const registration = SIZES.map((size) => median([register(size), register(size), register(size)]));
const routers = SIZES.map(routerOf);
const few = SIZES.map(() => []);
const all = SIZES.map(() => []);
for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
  SIZES.forEach((size, index) => {
    few[index].push(match(routers[index], SIZES[0], round));
    all[index].push(match(routers[index], size, round));
  });
}

const row = (...columns) => console.log(columns.map((column) => column.padStart(20)).join(''));
const cell = (times, index) => {
  const rounds = times[index].slice(WARM_UP);
  const ratio = median(rounds.map((time, round) => time / times[0][round + WARM_UP]));
  return `${median(rounds).toFixed(0)} ns (${ratio.toFixed(2)})`;
};
console.log(`Node ${process.version}, ${process.arch}. Medians of ${ROUNDS} rounds of ${PATHS} matches; in brackets beside 10 endpoints.\n`);
row('endpoints', 'registered in', 'ten asked for', 'all asked for');
SIZES.forEach((size, index) => row(String(size), `${registration[index].toFixed(1)} ms`, cell(few, index), cell(all, index)));
