/**
 * The programs of docs/database.md that use PostgreSQL: each gets the responses that the page shows below the first. The programs of
 * docs/postgres.md, docs/operations.md, docs/decoders.md and docs/files.md.
 */
import * as assert from 'uvu/assert';
import type { Child } from '../support/child.ts';
import { findFreePort } from '../support/free-port.ts';
import { waitUntil } from '../support/wait.ts';
import { withPool, withTransaction, type Case, type Setting } from './case.ts';
import { checkCommands, loadShownPrograms, tablesOf, withShownProgram } from './shown-program.ts';

const PAGE = 'database.md';
const PROGRAMS = ['pg.ts', 'drizzle.ts', 'prisma.ts'];

async function checkProgram(name: string, { url }: Setting): Promise<void> {
  const { listPrograms, withScratch, withRunning, printedBy } = await loadShownPrograms();
  const programs = listPrograms(PAGE);
  const program = programs.find((each) => each.name === name);
  const commands = programs.find((each) => each.name === 'pg.ts')?.commands ?? [];
  if (program === undefined || commands.length < 8) throw new Error(`docs/${PAGE} shows no ${name}, or too few commands`);
  const [table = ''] = tablesOf(PAGE);
  await withPool(url, (pool) => pool.query(table).then(() => {}));
  process.env['DATABASE_URL'] = url;
  await withScratch((folder) => withRunning(program, folder, async (running) => {
    const printed = await printedBy(commands, running);
    assert.equal(printed, commands.map(({ printed: shown }) => shown));
  }));
}

/** After the commands of the page: of pets with one name, one is restored, whoever is first. */
async function checkRestored(port: number): Promise<void> {
  const call = (method: string, path = ''): Promise<Response> => fetch(`http://127.0.0.1:${port}/v1/pet${path}`, { method });
  const statuses = async (paths: readonly string[]): Promise<number[]> => {
    return (await Promise.all(paths.map((path) => call('POST', path)))).map(({ status }) => status).toSorted();
  };
  assert.is((await call('DELETE', '/1')).status, 204);
  assert.equal(await statuses(['/1/restore', '/2/restore']), [200, 409]);
  assert.equal(await statuses(['/7/restore', '/9007199254740991/restore']), [404, 404]);
  const count = async (path?: string): Promise<number> => (await (await call('GET', path)).json() as unknown[]).length;
  assert.equal([await count(), await count('/deleted')], [1, 1]);
}

/** The earliest and latest values that a client can send are stored, or rejected. */
async function checkExtremes(port: number): Promise<void> {
  const invoice = { amount: '12.50', due: '2026-03-31', sent: '2026-03-02T09:30:00Z' };
  const statuses = [
    { sent: '9999-12-31T23:59:59-23:59' }, { sent: '0000-01-01T00:00:00Z' }, { due: '0000-01-01' }, { due: '9999-12-31' }, { amount: '9999999999.99' },
  ].map(async (part) => {
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ ...invoice, ...part }) };
    return (await fetch(`http://127.0.0.1:${port}/v1/invoice`, init)).status;
  });
  assert.equal(await Promise.all(statuses), [201, 201, 400, 201, 201]);
  const read = async (path: string): Promise<number> => (await fetch(`http://127.0.0.1:${port}/v1/invoice${path}`)).status;
  const paths = ['', '?sort=sent', '?from=0000-01-01T00:00:00Z', '?to=9999-12-31T23:59:59Z', '/18446744073709551615'];
  assert.equal(await Promise.all(paths.map(read)), [200, 200, 200, 200, 404]);
}

/** Two processes start while the database is away, and migrate when it is back. At SIGUSR2, even before that, one is closed, but its probes. */
async function checkMigrations({ cluster, url }: Setting): Promise<void> {
  await withShownProgram({ page: PAGE, name: 'migrate.ts', url }, async ({ commands, start, printedBy }) => {
    const ports = [await findFreePort(), await findFreePort()] as const;
    const statuses = async (port: number): Promise<number[]> => {
      const paths = ['/alive?at=1', '/ready', '/v1/toy', '/v1/none'];
      const read = async (path: string): Promise<number> => {
        return (await fetch(`http://127.0.0.1:${port}${path}`, { method: path === '/v1/toy' ? 'POST' : 'GET' })).status;
      };
      return Promise.all(paths.map(read));
    };
    cluster.stop();
    const children = [await start(ports[0]), await start(ports[1])];
    assert.equal(await Promise.all(ports.map(statuses)), [[200, 503, 503, 503], [200, 503, 503, 503]]);
    children[1]?.send('SIGUSR2');
    cluster.start();
    await printedBy(commands.slice(0, 1), { port: ports[0], pid: 0 });
    assert.equal(await statuses(ports[1]), [200, 503, 503, 503]);
    children[1]?.send('SIGUSR2');
    await printedBy(commands.slice(0, 1), { port: ports[1], pid: 0 });
    assert.equal(await printedBy(commands, { port: ports[0], pid: 0 }), commands.map(({ printed }) => printed));
    await withPool(url, async (pool) => {
      assert.equal((await pool.query('SELECT number FROM migration ORDER BY number')).rows, [{ number: 0 }, { number: 1 }]);
    });
    const logged = children[0]?.output;
    children[0]?.send('SIGUSR2');
    await waitUntil(async () => (await statuses(ports[0]))[1] === 503, 'maintenance');
    assert.equal(await statuses(ports[0]), [200, 503, 503, 503]);
    assert.is(children[0]?.output, logged);
    children[0]?.send('SIGUSR2');
    await waitUntil(async () => (await statuses(ports[0]))[1] === 200, 'the end of maintenance');
    assert.equal(await statuses(ports[0]), [200, 200, 400, 404]);
    for (const child of children) assert.is(await child.end('SIGTERM'), 0, child.output);
  });
}

/** Of processes that run the job at once, one books. A list that waits for a lock of the table gets 503, before its deadline and without its statement. */
async function checkRepairs({ url }: Setting): Promise<void> {
  await withShownProgram({ page: 'postgres.md', name: 'repairs.ts', url, changes: { '60_000': '20' } }, async ({ commands, start, printedBy }) => {
    const ports = await Promise.all([1, 2, 3, 4].map(findFreePort));
    await withPool(url, async (pool) => {
      const children: Child[] = [];
      for (const port of ports) children.push(await start(port)); // One after the other: they share a file.
      for (let round = 0; round < 10; round += 1) {
        await pool.query('TRUNCATE booking RESTART IDENTITY');
        for (const port of ports.slice(0, 2)) assert.equal(await printedBy(commands, { port, pid: 0 }), commands.map(({ printed }) => printed));
        assert.equal((await pool.query('SELECT nights FROM booking')).rows, [{ nights: 1 }]);
      }
      await withTransaction(url, async (locking) => {
        await locking.query('LOCK TABLE booking');
        assert.is((await fetch(`http://127.0.0.1:${ports[0]}/v1/room`)).status, 503);
        const waiting = "SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%sum(nights)%' AND pid <> pg_backend_pid()";
        assert.is((await locking.query(waiting)).rowCount, 0);
      });
      for (const child of children) assert.is(await child.end('SIGTERM'), 0, child.output);
    });
  });
}

export const DATABASES: readonly Case[] = [
  ...PROGRAMS.map((name): Case => [name, (setting) => checkProgram(name, setting)]),
  ['soft-delete.ts', ({ url }) => checkCommands({ page: 'operations.md', name: 'soft-delete.ts', url }, checkRestored)],
  ['tags.ts', ({ url }) => checkCommands({ page: 'operations.md', name: 'tags.ts', url })],
  ['migrate.ts', checkMigrations],
  ['repairs.ts', checkRepairs],
  ['rows.ts', ({ url }) => checkCommands({ page: 'files.md', name: 'rows.ts', url })],
  ['invoices.ts', ({ url }) => checkCommands({ page: 'decoders.md', name: 'invoices.ts', url }, checkExtremes)],
  ['bookings.ts', ({ url }) => checkCommands({ page: 'postgres.md', name: 'bookings.ts', url })],
];
