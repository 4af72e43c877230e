/** The program of docs/long-running-jobs.md: jobs survive its processes, and each has one result. */
import type { Pool } from '../../examples/zoo/store/postgres/pg.ts';
import { client, wait } from '../../src/client/index.ts';
import { defineEndpoint, uuidId } from '../../src/index.ts';
import type { Child } from '../support/child.ts';
import { findFreePort } from '../support/free-port.ts';
import { assert, waitUntil } from '../support/facts.ts';
import { withPool, type Case, type Setting } from './case.ts';
import { checkCommands, withShownProgram } from './shown-program.ts';

const WAIT_MS = 600_000;
// pg-boss has no shorter heartbeat.
const SHORT_HEARTBEAT = { 'HEARTBEAT_SECONDS = 15': 'HEARTBEAT_SECONDS = 10', 'CHECK_SECONDS = 15': 'CHECK_SECONDS = 1' };

interface Jobs {
  readonly pool: Pool;
  readonly port: number;
  readonly start: (port: number) => Promise<Child>;
  readonly create: (year: number) => Promise<string | null>;
  readonly waitFor: (location: string | null) => Promise<unknown>;
}

const reports = defineEndpoint({
  id: uuidId,
  create: { input: (json: unknown) => json as { readonly year: number }, run: () => '' },
  get: () => ({ year: 0, total: 0 }),
});

/** Serves the program with these changes, and uses it by a client. */
async function withJobs({ url }: Setting, changes: Readonly<Record<string, string>>, use: (jobs: Jobs) => Promise<void>): Promise<void> {
  await withPool(url, (pool) => withShownProgram({ page: 'long-running-jobs.md', name: 'reports.ts', url, changes }, async ({ start }) => {
    const port = await findFreePort();
    // However long a restart takes here.
    const retries = { attempts: 200, maxDelayMs: 1000 };
    const api = client<{ readonly '/report': typeof reports }>(`http://127.0.0.1:${port}/v1`, { retries })('/report');
    const create = async (year: number): Promise<string | null> => (await api.create({ year }, { raw: true })).headers.get('location');
    await use({ pool, port, start, create, waitFor: (location) => wait(api, location, { signal: AbortSignal.timeout(WAIT_MS) }) });
  }));
}

async function count(pool: Pool, where: string): Promise<number> {
  return Number((await pool.query(`SELECT count(*) FROM pgboss.job WHERE name = 'report' AND ${where}`)).rows[0]?.['count']);
}

/** Waits until a worker has a job, in the middle of which it can be ended. A worker that was killed before keeps its own until its heartbeat is missed. */
function someJobRuns(pool: Pool): Promise<void> {
  return waitUntil(async () => (await count(pool, "state = 'active' AND started_on > now() - interval '0.4 second'")) > 0, 'a job that runs');
}

/** The years of the reports, each with its total. */
async function storedReports(pool: Pool): Promise<readonly unknown[]> {
  return (await pool.query('SELECT year, total FROM report ORDER BY year')).rows.map(({ year, total }) => [year, total]);
}

const years = (length: number): number[] => Array.from({ length }, (_, at) => 2001 + at);

export const JOBS: readonly Case[] = [
  ['the commands print what the page shows', ({ url }) => checkCommands({ page: 'long-running-jobs.md', name: 'reports.ts', url })],
  ['a process that is killed four times in the middle of a job: each job has one report, which a client that waits gets', async (setting) => {
    const asked = years(8);
    await withJobs(setting, SHORT_HEARTBEAT, async ({ pool, port, start, create, waitFor }) => {
      let child = await start(port);
      const locations = await Promise.all(asked.map(create));
      const waiting = Promise.all(locations.map(waitFor)).catch((error: unknown) => error);
      for (let kill = 0; kill < 4; kill += 1) {
        await someJobRuns(pool);
        assert.is(await child.end('SIGKILL'), null);
        child = await start(port);
      }
      const expected = asked.map((year) => ({ year, total: 78 }));
      assert.equal(await waiting, expected);
      assert.equal(await storedReports(pool), asked.map((year) => [year, 78]));
      assert.equal([await count(pool, "state = 'completed'"), await count(pool, 'true')], [8, 8]);
      assert.ok(await count(pool, 'retry_count > 0') >= 1, 'no job was begun twice');
    });
  }],
  ['two processes: no job is begun twice', async (setting) => {
    const asked = years(8);
    await withJobs(setting, {}, async ({ pool, port, start, create, waitFor }) => {
      await start(port);
      await start(await findFreePort());
      const locations = await Promise.all(asked.map(create));
      await Promise.all(locations.map(waitFor));
      assert.equal(await storedReports(pool), asked.map((year) => [year, 78]));
      assert.is(await count(pool, 'retry_count = 0'), 8);
    });
  }],
  ['a worker that stands still for longer than its heartbeat stores no second report', async (setting) => {
    await withJobs(setting, { ...SHORT_HEARTBEAT, 'return { year, total }': 'return { year, total: total + process.pid }' }, async ({ pool, port, start, create }) => {
      const first = await start(port);
      await create(2001);
      await someJobRuns(pool);
      first.send('SIGSTOP');
      await start(await findFreePort());
      await waitUntil(async () => (await count(pool, "state = 'completed'")) === 1, 'the report of the second worker');
      const stored = await storedReports(pool);
      first.send('SIGCONT');
      assert.is(await first.end('SIGTERM'), 0, first.output);
      assert.equal([await storedReports(pool), await count(pool, 'retry_count = 1')], [stored, 1]);
    });
  }],
  ['work that fails each time: the status is a 500 after five attempts', async (setting) => {
    const changes = { 'total += month': "throw new Error('out of paper')", 'retryDelay: 1, retryBackoff: true': 'retryDelay: 0' };
    await withJobs(setting, changes, async ({ pool, port, start, create, waitFor }) => {
      const child = await start(port);
      const error = await waitFor(await create(2001)).catch((thrown: unknown) => thrown) as { readonly problem: object };
      assert.equal(error.problem, { type: 'about:blank', title: 'Internal Server Error', status: 500, detail: 'The report could not be made in 5 attempts.' });
      assert.is(child.output.match(/job [0-9a-f-]{36}, attempt \d: Error: out of paper/g)?.length, 5);
      assert.equal([await storedReports(pool), await count(pool, "state = 'failed'")], [[], 1]);
    });
  }],
  ['a process that the work ends each time: the same', async (setting) => {
    const changes = { ...SHORT_HEARTBEAT, 'heartbeatSeconds: HEARTBEAT_SECONDS': 'expireInSeconds: 1', 'total += month': "process.kill(process.pid, 'SIGKILL')" };
    await withJobs(setting, changes, async ({ pool, port, start, create }) => {
      let child = await start(port);
      const location = await create(2001);
      for (let attempt = 1; attempt <= 5; attempt += 1) {
        assert.is(await child.exit(), null);
        child = await start(port);
      }
      await waitUntil(async () => (await count(pool, "state = 'failed'")) === 1, 'the failure');
      assert.is((await fetch(`http://127.0.0.1:${port}${location}`)).status, 500);
    });
  }],
  ['a stop: the job that runs is done, and the others wait', (setting) => withJobs(setting, {}, async ({ pool, port, start, create }) => {
    const child = await start(port);
    for (const year of years(3)) await create(year);
    await someJobRuns(pool);
    assert.is(await child.end('SIGTERM'), 0, child.output);
    const done = await count(pool, "state = 'completed'");
    assert.equal([done >= 1, done + await count(pool, "state = 'created' AND retry_count = 0")], [true, 3]);
  })],
  ['a request that fails sends no job, and a request that is sent again sends one', async (setting) => {
    const changes = { 'return reply(202, undefined, { Location': "if (input.year === 2099) throw new Error('no');\n        return reply(202, undefined, { Location" };
    await withJobs(setting, changes, async ({ pool, port, start }) => {
      await start(port);
      const post = (year: number, headers = {}): Promise<Response> => fetch(`http://127.0.0.1:${port}/v1/report`, {
        method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify({ year }),
      });
      assert.equal([(await post(2099)).status, await count(pool, 'true')], [500, 0]);
      const key = { 'Idempotency-Key': 'a' };
      const locations = [await post(2001, key), await post(2001, key)].map(({ headers }) => headers.get('location'));
      assert.equal([locations[0], await count(pool, 'true')], [locations[1], 1]);
    });
  }],
  ['the commands of the export print what the page shows', ({ url }) => checkCommands({ page: 'long-running-jobs.md', name: 'exports.ts', url })],
  ['an export whose worker is killed in the middle is made whole by another, with the rows of one moment', async ({ url }) => {
    const changes = {
      'heartbeatSeconds: 15': 'expireInSeconds: 5', 'superviseIntervalSeconds: 15, monitorIntervalSeconds: 15': 'superviseIntervalSeconds: 1, monitorIntervalSeconds: 1',
      'FETCH 1000': 'FETCH 10', 'FROM pet ORDER BY id': 'FROM pet WHERE pg_sleep(0.01) IS NOT NULL ORDER BY id',
    };
    await withPool(url, (pool) => withShownProgram({ page: 'long-running-jobs.md', name: 'exports.ts', url, changes }, async ({ start }) => {
      await pool.query("INSERT INTO pet (name, legs) SELECT 'Rex', 4 FROM generate_series(3, 100)");
      const ports = [await findFreePort(), await findFreePort()] as const;
      const child = await start(ports[0]);
      const headers = { 'Content-Type': 'application/json' };
      const sent = await fetch(`http://127.0.0.1:${ports[0]}/v1/export`, { method: 'POST', headers, body: '{"format":"csv"}' });
      const isMade = async (attempts: number): Promise<boolean> => {
        const job = `SELECT 1 FROM pgboss.job WHERE name = 'export' AND state = 'active' AND retry_count = ${attempts - 1}`;
        return (await pool.query(`${job} AND EXISTS (SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'FETCH %')`)).rows.length === 1;
      };
      await waitUntil(() => isMade(1), 'an export that is made');
      await child.end('SIGKILL');
      assert.equal((await pool.query('SELECT * FROM export_piece')).rows, []);
      await start(ports[1]);
      const get = (): Promise<Response> => fetch(`http://127.0.0.1:${ports[1]}${sent.headers.get('location')}`);
      assert.is((await get()).status, 202);
      await waitUntil(() => isMade(2), 'the second attempt');
      await pool.query("INSERT INTO pet (name, legs) VALUES ('Max', 4)");
      await waitUntil(async () => (await get()).status === 200, 'the export');
      const lines = (await (await get()).text()).split('\r\n');
      assert.equal([lines[0], lines.at(-1)], ['"id","name","legs"', '']);
      assert.equal(lines.slice(1, -1).map((line) => Number(line.split('"')[1])), Array.from({ length: 100 }, (_, at) => at + 1));
    }));
  }],
];
