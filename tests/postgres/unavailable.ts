/** `isDatabaseUnavailable` by the errors that drivers, libraries and `fetch` throw. A server that has become a standby. */
import { createRequire } from 'node:module';
import { once } from 'node:events';
import { get } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ApiServer, defineEndpoint } from '../../src/index.ts';
import { idempotent, rateLimit } from '../../src/interceptors/index.ts';
import { isDatabaseUnavailable, mapUnavailable, postgresIdempotencyStore, postgresRates, postgresTables, transaction } from '../../src/postgres/index.ts';
import { runTransaction } from '../../src/postgres/run-transaction.ts';
import { findFreePort } from '../support/free-port.ts';
import { assert, waitUntil } from '../support/facts.ts';
import { withPool, type Case, type Setting } from './case.ts';
import { withShownProgram } from './shown-program.ts';

/** Loads a package of tests/compat, in which the tests run. */
const load = (name: string): any => createRequire(join(process.cwd(), 'test.js'))(name);

const NO_HOST = 'no-such-host.invalid';

/** Resolves to what a promise rejects with. */
function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(() => { throw new Error('nothing failed'); }, (error: unknown) => error);
}

/** Calls `use` with a pool of `pg`. */
async function withPg<T>(options: object, use: (pool: any) => Promise<T>): Promise<T> {
  const pool = new (load('pg').Pool)(options);
  pool.on('error', () => {});
  try {
    return await use(pool);
  } finally {
    await pool.end();
  }
}

const failureOfQuery = (options: object, text = 'SELECT 1', values: readonly unknown[] = []): Promise<unknown> => (
  withPg(options, (pool) => failureOf(pool.query(text, values)))
);

/** Calls `use` with the port of a server that does this with each connection. */
async function withServer<T>(accept: (socket: Socket) => void, use: (port: number) => Promise<T>): Promise<T> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    accept(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await use((server.address() as AddressInfo).port);
  } finally {
    server.close();
    for (const socket of sockets) socket.destroy();
  }
}

/** The end of a handshake: `AuthenticationOk` and `ReadyForQuery`. */
const READY = 'R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I';

const acceptNothing = (): void => {};

/** A server that ends each connection with an error of PostgreSQL, as a server that starts, or PgBouncer, does: instead of `before`, or after it. */
const rejecting = (code: string, message: string, before = '') => (socket: Socket): void => {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.alloc(5, 'E');
  head.writeInt32BE(fields.length + 4, 1);
  socket.once('data', () => socket.end(Buffer.concat([Buffer.from(before, 'latin1'), head, fields])));
};

const local = (port: number, options: object = {}): object => ({ host: '127.0.0.1', port, user: 'u', database: 'd', password: '', ...options });

/** What a statement fails with that runs while `lose` is called with the process of its connection. */
async function failureWhile(setting: Setting, lose: (pid: number) => Promise<unknown>): Promise<unknown> {
  return withPg({ connectionString: setting.url }, async (pool) => {
    const client = await pool.connect();
    client.on('error', () => {});
    const { rows: [{ pid }] } = await client.query('SELECT pg_backend_pid() AS pid');
    const failed = failureOf(client.query('SELECT pg_sleep(60)'));
    await withPool(setting.url, async (other) => {
      await waitUntil(async () => (await other.query(`SELECT 1 FROM pg_stat_activity WHERE pid = ${pid} AND state = 'active'`)).rows.length === 1, 'the statement');
    });
    await lose(pid);
    const error = await failed;
    client.release(true);
    return error;
  });
}

const terminate = (url: string, pid: number): Promise<unknown> => withPool(url, async (pool) => void await pool.query(`SELECT pg_terminate_backend(${pid})`));

/** Waits until the server responds again, for the tests after this one. */
const recovered = (url: string): Promise<void> => (
  waitUntil(() => withPool(url, async (pool) => void await pool.query('SELECT 1')).then(() => true, () => false), 'the server')
);

async function whileStopped<T>({ cluster, url }: Setting, use: () => Promise<T>): Promise<T> {
  cluster.stop();
  try {
    return await use();
  } finally {
    cluster.start();
    await recovered(url);
  }
}

type Row = readonly [what: string, capture: (setting: Setting) => Promise<unknown>];

const UNAVAILABLE: readonly Row[] = [
  ['a server that is stopped', (setting) => whileStopped(setting, () => failureOfQuery({ connectionString: setting.url }))],
  ['a port at which nothing listens', async () => failureOfQuery(local(await findFreePort()))],
  ['the same, of a name with two addresses', async () => failureOfQuery({ ...local(await findFreePort()), host: 'localhost' })],
  ['a name that is not known', () => failureOfQuery({ ...local(5432), host: NO_HOST })],
  ['a server that does not respond, of a pool', () => withServer(acceptNothing, (port) => failureOfQuery(local(port, { connectionTimeoutMillis: 50 })))],
  ['a server that does not respond, of a client', () => withServer(acceptNothing, (port) => (
    failureOf(new (load('pg').Client)(local(port, { connectionTimeoutMillis: 50 })).connect())
  ))],
  ['a server that closes the connection', () => withServer((socket) => socket.end(), (port) => failureOfQuery(local(port)))],
  ['a server that resets the connection',
    () => withServer((socket) => socket.once('data', () => socket.resetAndDestroy()), (port) => failureOfQuery(local(port)))],
  ['a server that closes the connection before TLS has begun', () => withServer((socket) => {
    socket.once('data', () => socket.end('S'));
  }, (port) => failureOfQuery(local(port, { ssl: true })))],
  ['a server that starts', () => withServer(rejecting('57P03', 'the database system is starting up'), (port) => failureOfQuery(local(port)))],
  ['a server that stops as a transaction gets its connection', () => withServer(rejecting('57P01', 'terminating connection', READY), (port) => (
    withPg(local(port), (pool) => failureOf(runTransaction(pool, { isolation: undefined }, async () => assert.unreachable())))
  ))],
  ['PgBouncer without a server', () => withServer(rejecting('08P01', 'server login has been failing'), (port) => failureOfQuery(local(port)))],
  ['a pool whose connections are all in use', ({ url }) => withPg({ connectionString: url, max: 1 }, async (pool) => {
    const client = await pool.connect();
    pool.options.connectionTimeoutMillis = 50;
    const error = await failureOf(pool.connect());
    client.release();
    return error;
  })],
  ['a server without a connection that is free', async ({ url }) => {
    await withPool(url, async (pool) => void await pool.query('DROP ROLE IF EXISTS crowd; CREATE ROLE crowd LOGIN CONNECTION LIMIT 0'));
    return failureOfQuery({ connectionString: url.replace('//postgres:', '//crowd:') });
  }],
  ['a connection that is terminated during a statement', (setting) => failureWhile(setting, (pid) => terminate(setting.url, pid))],
  ['a process of the server that is killed', (setting) => (
    failureWhile(setting, async (pid) => process.kill(pid, 'SIGKILL')).finally(() => recovered(setting.url))
  )],
  ['a different process of the server that is killed', (setting) => withPg({ connectionString: setting.url }, async (pool) => {
    const client = await pool.connect();
    client.on('error', () => {});
    const { rows: [{ pid }] } = await client.query('SELECT pg_backend_pid() AS pid');
    const error = await failureWhile(setting, async () => process.kill(pid, 'SIGKILL')).finally(() => recovered(setting.url));
    client.release(true);
    return error;
  })],
  ['a connection that is terminated between two statements', ({ url }) => withPg({ connectionString: url }, async (pool) => {
    const client = await pool.connect();
    let isLost = false;
    client.on('error', () => { isLost = true; });
    const { rows: [{ pid }] } = await client.query('SELECT pg_backend_pid() AS pid');
    await terminate(url, pid);
    await waitUntil(() => isLost, 'the loss of the connection');
    const error = await failureOf(client.query('SELECT 1'));
    client.release(true);
    return error;
  })],
  ['a statement without a response', ({ url }) => failureOfQuery({ connectionString: url, query_timeout: 50 }, 'SELECT pg_sleep(1)')],
  ['a server that only reads', ({ url }) => failureOfQuery({ connectionString: url }, 'BEGIN READ ONLY; CREATE TABLE t ()')],
  ['Drizzle', (setting) => whileStopped(setting, () => withPg({ connectionString: setting.url }, (pool) => (
    failureOf(load('drizzle-orm/node-postgres').drizzle({ client: pool }).execute('SELECT 1'))
  )))],
  ['Postgres.js', () => withServer(acceptNothing, (port) => {
    const sql = load('postgres')(`postgres://u@127.0.0.1:${port}/d`, { connect_timeout: 1 });
    return failureOf(sql`SELECT 1`).finally(() => sql.end({ timeout: 0 }));
  })],
];

/** `fetch` of a port at which nothing listens. */
const failureOfFetch = async (host: string): Promise<unknown> => failureOf(fetch(`http://${host}:${await findFreePort()}`));

const OTHERS: readonly Row[] = [
  ['a value that is not unique', ({ url }) => failureOfQuery({ connectionString: url }, 'CREATE TABLE t (id int UNIQUE); INSERT INTO t VALUES (1), (1)')],
  ['a table that is not there', ({ url }) => failureOfQuery({ connectionString: url }, 'SELECT * FROM nothing')],
  ['a database that is not there', ({ url }) => failureOfQuery({ connectionString: url.replace('/postgres?', '/nothing?') })],
  ['statement_timeout', ({ url }) => failureOfQuery({ connectionString: url, statement_timeout: 50 }, 'SELECT pg_sleep(60)')],
  ['lock_timeout', ({ url }) => withPg({ connectionString: url }, async (pool) => {
    await pool.query('CREATE TABLE t ()');
    const client = await pool.connect();
    await client.query('BEGIN; LOCK TABLE t');
    const error = await failureOf(pool.query("SET lock_timeout = '10ms'; SELECT * FROM t"));
    client.release(true);
    return error;
  })],
  ['a wrong number of parameters', ({ url }) => failureOfQuery({ connectionString: url }, 'SELECT $1::int, $2::int', [1])],
  ['a limit that a statement exceeds', ({ url }) => failureOfQuery(
    { connectionString: url }, "SET temp_file_limit = '64kB'; SET work_mem = '64kB'; SELECT * FROM generate_series(1, 1000000) AS n ORDER BY -n",
  )],
  ['a pool that has ended', async ({ url }) => {
    const pool = new (load('pg').Pool)({ connectionString: url });
    await pool.end();
    return failureOf(pool.query('SELECT 1'));
  }],
  ['fetch of a port at which nothing listens', () => failureOfFetch('127.0.0.1')],
  ['the same, of a name with two addresses', () => failureOfFetch('localhost')],
  ['fetch of a name that is not known', () => failureOf(fetch(`http://${NO_HOST}`))],
  ['fetch of a server that closes the connection', () => withServer((socket) => socket.end(), (port) => failureOf(fetch(`http://127.0.0.1:${port}`)))],
  ['fetch that takes too long', () => withServer(acceptNothing, (port) => failureOf(fetch(`http://127.0.0.1:${port}`, { signal: AbortSignal.timeout(20) })))],
  ['undici that takes too long', () => withServer(acceptNothing, (port) => (
    failureOf(load('undici').request(`http://127.0.0.1:${port}`, { headersTimeout: 20, bodyTimeout: 20 }))
  ))],
  ['a server of node:http that closes the connection', () => withServer((socket) => socket.end(), (port) => (
    failureOf(new Promise((_, reject) => get(`http://127.0.0.1:${port}`).on('error', reject)))
  ))],
  ['a signal that has aborted', () => failureOf(wait(60_000, undefined, { signal: AbortSignal.timeout(1) }))],
];

/** The error itself, as the cause of an error of a library, and as the cause of that. */
function wrap(error: unknown): readonly unknown[] {
  const wrapped = new Error('the statement failed', { cause: error });
  return [error, wrapped, new Error('the pet was not stored', { cause: wrapped })];
}

const toCases = (rows: readonly Row[], expected: boolean): readonly Case[] => rows.map(([what, capture]): Case => (
  [`${what} -> ${expected ? 'a database that is not available' : 'a different error'}`, async (setting) => {
    const error = await capture(setting);
    assert.equal(wrap(error).map(isDatabaseUnavailable), [expected, expected, expected], String(error));
  }]
));

const SILENT = { info: () => {}, error: () => {} };
const TIMEOUTS = { connectionTimeoutMillis: 60_000, statement_timeout: 60_000, query_timeout: 60_000 };

/** Serves operations that write in each way, by a pool, and calls `use` with a function that calls one. */
async function withWriters(pool: any, use: (call: (name: string) => Promise<Response>) => Promise<void>): Promise<void> {
  const server = new ApiServer('', { mapError: mapUnavailable, logger: SILENT });
  const write = async (queries: any): Promise<string> => (await queries.query('INSERT INTO pet VALUES (1)'), 'written');
  const hide = async (queries: any): Promise<string> => write(queries).catch(() => 'hidden');
  server.registerEndpoint('/write', defineEndpoint({
    custom: {
      queries: { run: () => write(pool) },
      transaction: { use: transaction(pool), run: ({ tx }) => write(tx) },
      serializable: { use: transaction(pool, { isolation: 'serializable' }), run: ({ tx }) => write(tx) },
      hidden: { use: transaction(pool), run: ({ tx }) => hide(tx) },
      keys: { use: idempotent(postgresIdempotencyStore(pool)), run: ({ tx }) => write(tx) },
      claims: { use: idempotent(postgresIdempotencyStore(pool, { transaction: false })), run: () => 'claimed' },
      rates: { use: rateLimit({ limit: 1000, windowSeconds: 60, key: () => 'a', store: postgresRates(pool) }), run: () => 'counted' },
    },
  }));
  let keys = 0;
  await use((name) => server.fetch(`/write/${name}`, { method: 'POST', headers: { 'Idempotency-Key': `key-${keys += 1}` } }));
}

const WAYS = ['queries', 'transaction', 'serializable', 'hidden', 'keys', 'claims', 'rates'];

async function prepare({ url }: Setting): Promise<void> {
  await withPool(url, async (pool) => {
    await pool.query('CREATE TABLE pet (id int)');
    await pool.query(postgresTables());
  });
}

export const UNAVAILABLE_DATABASES: readonly Case[] = [
  ...toCases(UNAVAILABLE, true),
  ...toCases(OTHERS, false),
  ...['pg.ts', 'drizzle.ts', 'prisma.ts'].map((name): Case => [`the program ${name} with mapUnavailable gets 503 with Retry-After while the server is stopped`, async (setting) => {
    const changes = {
      "{ mapInvalidValue } from 'restpoint/postgres';": "{ mapUnavailable } from 'restpoint/postgres';",
      '{ mapError: mapInvalidValue }': '{ mapError: mapUnavailable }',
    };
    await withShownProgram({ page: 'database.md', name, url: setting.url, changes }, async ({ start }) => {
      const port = await findFreePort();
      await start(port);
      const list = (): Promise<Response> => fetch(`http://127.0.0.1:${port}/v1/pet`);
      assert.is((await list()).status, 200);
      await whileStopped(setting, async () => {
        // The first can find its idle connection lost, and the second finds no server.
        for (const { status, headers } of [await list(), await list()]) assert.equal([status, headers.get('retry-after')], [503, '1']);
      });
      await waitUntil(async () => (await list()).status === 200, 'the program');
    });
  }]),
  ['a server that has become a standby: each way to write gets 503 with Retry-After, by a connection that is closed', async (setting) => {
    await prepare(setting);
    setting.cluster.demote();
    try {
      await withPg({ connectionString: setting.url, ...TIMEOUTS }, (pool) => withWriters(pool, async (call) => {
        for (const way of WAYS) {
          const { rows: [{ pid }] } = await pool.query('SELECT pg_backend_pid() AS pid');
          const { status, headers } = await call(way);
          assert.is(status, 503, way);
          assert.is(headers.get('retry-after'), '1', way);
          await waitUntil(() => pool.idleCount === 0, 'connections that are closed');
          assert.not((await pool.query('SELECT pg_backend_pid() AS pid')).rows[0].pid === pid);
        }
      }));
    } finally {
      setting.cluster.promote();
    }
  }],
  ['a pool that has kept connections to such a server writes again when they are closed', async (setting) => {
    await prepare(setting);
    for (const way of WAYS) {
      await withPg({ connectionString: setting.url, max: 4, ...TIMEOUTS }, (pool) => withWriters(pool, async (call) => {
        let opened = 0;
        pool.on('connect', (client: any) => {
          opened += 1;
          if (opened <= 4) void client.query('SET default_transaction_read_only = on');
        });
        const clients = await Promise.all(Array.from({ length: 4 }, () => pool.connect()));
        for (const client of clients) client.release();
        const statuses: number[] = [];
        while (statuses.at(-1) !== 200 && statuses.length < 9) statuses.push((await call(way)).status);
        assert.is(statuses.at(-1), 200, way);
        assert.ok(statuses.length <= 5 && statuses.slice(0, -1).every((status) => status === 503), `${way}: ${statuses}`);
        assert.equal((await pool.query('SHOW default_transaction_read_only')).rows, [{ default_transaction_read_only: 'off' }]);
      }));
    }
  }],
  ['a transaction that an operation has made read-only: its write is an error of the operation, and the connection stays', async (setting) => {
    await prepare(setting);
    await withPg({ connectionString: setting.url, ...TIMEOUTS }, async (pool) => {
      const server = new ApiServer('', { logger: SILENT });
      server.registerEndpoint('/own', defineEndpoint({
        custom: { write: { use: transaction(pool), run: async ({ tx }: any) => (await tx.query('SET TRANSACTION READ ONLY'), await tx.query('INSERT INTO pet VALUES (1)'), 'written') } },
      }));
      const pidOf = async (): Promise<number> => (await pool.query('SELECT pg_backend_pid() AS pid')).rows[0].pid;
      const pid = await pidOf();
      const { status, headers } = await server.fetch('/own/write', { method: 'POST' });
      assert.equal([status, headers.get('retry-after'), await pidOf()], [500, null, pid]);
    });
  }],
];
