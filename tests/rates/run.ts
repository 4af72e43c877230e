/**
 * Two processes share one limit, in PostgreSQL and in Redis, with the programs of docs/interceptors.md.
 *
 *   node build/tests/rates/run.js
 *
 * Starts a PostgreSQL server and a Redis server, and removes them. The last line is `N passed, N failed`. Exits with 0 if none failed, with 1 if not,
 * and with 77 if one of the servers is missing and cannot be installed.
 */
import * as assert from 'uvu/assert';
import { connect, Cluster, missingPostgres } from '../postgres/cluster.ts';
import { loadShownPrograms, type RunningProgram } from '../postgres/shown-program.ts';
import { Checks } from '../support/checks.ts';
import { NOT_RUN } from '../support/debian-package.ts';
import { missingRedis, Redis } from './redis.ts';

const MAX_RUN_MS = 3_600_000;
const PAGE = 'interceptors.md';
const LIMIT = 100;
const WINDOW_MS = 3_600_000;

/** What a store needs, and how a test changes what it has. */
interface Setting {
  readonly program: string;
  /** Empties the store. */
  readonly empty: () => Promise<void>;
  /** Makes all that was taken older. */
  readonly age: (ms: number) => Promise<void>;
  /** Ends the database. */
  readonly end: () => Promise<void>;
}

/** Sends requests at once, to each process in turn. Returns how many have each status. */
async function sendAll(count: number, processes: readonly RunningProgram[]): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  await Promise.all(Array.from({ length: count }, async (_, at) => {
    const response = await fetch(`http://127.0.0.1:${processes[at % processes.length]?.port}/v1/pet/1`);
    await response.text();
    assert.is(response.headers.has('retry-after'), response.status === 429);
    counts[response.status] = (counts[response.status] ?? 0) + 1;
  }));
  return counts;
}

async function checkStore({ program: name, empty, age, end }: Setting): Promise<void> {
  const { listPrograms, withScratch, withRunning, printedBy } = await loadShownPrograms();
  const program = listPrograms(PAGE).find((each) => each.name === name);
  if (program === undefined) throw new Error(`docs/${PAGE} shows no ${name}`);
  const inTwo = (use: (processes: readonly [RunningProgram, RunningProgram]) => Promise<void>): Promise<void> => withScratch((folder) => (
    withScratch((other) => withRunning(program, folder, (one) => withRunning(program, other, (two) => use([one, two]))))
  ));
  await inTwo(async (processes) => {
    await empty();
    assert.equal(await printedBy(program.commands, processes[0]), program.commands.map(({ printed }) => printed));
    await empty();
    const started = Date.now();
    assert.equal(await sendAll(300, processes), { 200: LIMIT, 429: 200 });
    // The quota of ten requests has grown back, and that of the time that this has taken.
    await age(WINDOW_MS / LIMIT * 10);
    const { 200: passed = 0, 429: rejected = 0 } = await sendAll(50, processes);
    const grown = Math.floor((Date.now() - started) * LIMIT / WINDOW_MS);
    assert.ok(passed >= 10 && passed <= 10 + grown && passed + rejected === 50, `${passed} passed, ${rejected} were rejected`);
    // It never grows beyond its whole.
    await age(WINDOW_MS * 50);
    assert.equal(await sendAll(150, processes), { 200: LIMIT, 429: 50 });
    await end();
    assert.equal(await sendAll(4, processes), { 200: 4 });
  });
}

function makePostgres(cluster: Cluster): Setting {
  cluster.create();
  const url = cluster.url('postgres');
  process.env['DATABASE_URL'] = url;
  const run = async (sql: string): Promise<void> => {
    const pool = connect(url);
    try {
      await pool.query(sql);
    } finally {
      await pool.end();
    }
  };
  return {
    program: 'limited-in-postgres.ts',
    empty: () => run('TRUNCATE restpoint_rate'),
    age: (ms) => run(`UPDATE restpoint_rate SET at = at - ${ms}`),
    end: async () => cluster.stop(),
  };
}

async function makeRedis(redis: Redis): Promise<Setting> {
  await redis.start();
  process.env['REDIS_URL'] = redis.url;
  return {
    program: 'limited-in-redis.ts',
    empty: async () => void redis.run('FLUSHALL'),
    age: async (ms) => {
      for (const key of redis.run('KEYS', '*').split('\n')) redis.run('HINCRBY', key, 'at', String(-ms));
    },
    end: () => redis.end(),
  };
}

const missing = missingPostgres() ?? missingRedis();
if (missing !== undefined) {
  console.log(`not run: ${missing}`);
  process.exit(NOT_RUN);
}
process.setMaxListeners(0);
// `pg` is loaded from the folder in which the process runs.
process.chdir('tests/compat');
setTimeout(() => {
  console.log(`FAIL  not over after ${MAX_RUN_MS / 1000} s`);
  process.exit(1);
}, MAX_RUN_MS).unref();

const checks = new Checks();
const cluster = new Cluster();
const redis = new Redis();
const SHARED = `of 300 requests to two processes exactly ${LIMIT} pass, the quota grows back, and requests pass while the store is away`;
const CASES: readonly (readonly [name: string, show: () => Promise<void>])[] = [
  [`PostgreSQL: ${SHARED}`, () => checkStore(makePostgres(cluster))],
  [`Redis: ${SHARED}`, async () => checkStore(await makeRedis(redis))],
];
for (const [name, show] of CASES) await checks.check(name, show);
await redis.end();
await cluster.end();
console.log(checks.counts);
process.exit(checks.areGood ? 0 : 1);
