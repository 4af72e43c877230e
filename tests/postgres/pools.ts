// Rules: J6
/**
 * Many changes with conditions at the same time, by pools of few connections: each needs one for its transaction, and `get` needs one for its
 * conditions. All are made, and no transaction stays open.
 */
import type { Pool } from '../../examples/zoo/store/postgres/pg.ts';
import { ApiError, ApiServer, defineEndpoint, integerId, type Interceptor } from '../../src/index.ts';
import { idempotent } from '../../src/interceptors/index.ts';
import { inTransaction, postgresEvents, postgresIdempotencyStore, type PostgresPool, type PostgresQueries, postgresTables, transaction } from '../../src/postgres/index.ts';
import { assert, waitUntil } from '../support/facts.ts';
import { withPool, type Case } from './case.ts';
import { openPGlite } from './pglite.ts';

type Use = Interceptor<any> | Interceptor<any>[];

const UPDATE = 'UPDATE pet SET name = $2, version = version + 1 WHERE id = $1 AND ($3::text[] IS NULL OR version::text = ANY ($3)) RETURNING id';
const CONDITIONS: readonly Readonly<Record<string, string>>[] = [
  {}, { 'If-Match': '*' }, { 'If-Match': '"1"' }, { 'If-Unmodified-Since': 'Fri, 31 Dec 2100 23:59:59 GMT' },
];
const caller = (): string => 'ann';
const USES: Readonly<Record<string, (pool: PostgresPool) => Use>> = {
  transaction: (pool) => transaction(pool),
  keys: (pool) => idempotent(postgresIdempotencyStore(pool), { caller }) as Interceptor<any>,
  'claims and transaction': (pool) => [idempotent(postgresIdempotencyStore(pool, { transaction: false }), { caller }) as Interceptor<any>, transaction(pool)],
};

type Read = (pool: PostgresPool, id: number) => Promise<{ readonly version: number } | undefined>;

const SELECT = 'SELECT name, version FROM pet WHERE id = $1';
const readAtOnce: Read = async (pool, id) => (await pool.query(SELECT, [id])).rows[0];
/** By two statements of one snapshot. */
const readInTransaction: Read = (pool, id) => inTransaction(pool, async (tx) => (await tx.query(SELECT, [id]), await tx.query(SELECT, [id])).rows[0]);

/**
 * Makes as many changes at the same time, each of a different item, and then reads one. All have the same condition. `read` is called by the
 * context, by `get` or `currentVersion`, by an interceptor before the others, and after them if it joins their transaction.
 */
async function changeAll(
  pool: PostgresPool, use: Use, count: number, condition: Readonly<Record<string, string>>, read: Read = readAtOnce, hasCurrentVersion = false,
): Promise<void> {
  for (const statement of [
    'DROP TABLE IF EXISTS pet', 'CREATE TABLE pet (id integer PRIMARY KEY, name text NOT NULL, version integer NOT NULL DEFAULT 1)',
    `INSERT INTO pet SELECT n, 'Rex' FROM generate_series(1, ${count}) AS n`, postgresTables(), 'TRUNCATE restpoint_key',
  ]) await pool.query(statement);
  const reader: Interceptor = { around: async (_call, run) => (await read(pool, 1), run()) };
  const server = new ApiServer('', { logger: { info: () => {}, error: ({ message }) => assert.unreachable(message) } });
  server.registerEndpoints({
    '/pet': defineEndpoint({
      id: integerId,
      context: async () => (await read(pool, 1), 'ann'),
      get: (id) => read(pool, id),
      version: ({ version }) => version,
      ...hasCurrentVersion && { currentVersion: async (id: number) => (await read(pool, id))?.version },
      patch: {
        use: [reader, ...[use].flat(), ...read === readInTransaction ? [reader] : []] as unknown as Interceptor<{ readonly tx: PostgresQueries }>,
        input: (json: unknown) => json as { readonly name: string },
        run: async (id, { name }, { tx, ifMatch }) => {
          const { rows } = await tx.query(UPDATE, [id, name, ifMatch === '*' || ifMatch === undefined ? null : ifMatch]);
          if (rows.length === 0) throw ApiError.status(412, 'The pet has changed.');
        },
      },
    }),
  });
  const patch = async (id: number): Promise<number> => {
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': `"${id}"`, ...condition };
    return (await server.fetch(`http://localhost/pet/${id}`, { method: 'PATCH', headers, body: '{"name":"Max"}' })).status;
  };
  const statuses = await Promise.all(Array.from({ length: count }, (_, at) => patch(at + 1)));
  assert.equal([...new Set(statuses)], [204]);
  assert.is((await server.fetch('http://localhost/pet/1')).status, 200);
}

/** A pool of so many connections. */
async function withPoolOf(url: string, max: number, use: (pool: Pool) => Promise<void>): Promise<void> {
  await withPool(url, async (pool) => {
    Object.assign((pool as unknown as { readonly options: object }).options, { max });
    await use(pool);
    const open = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`;
    assert.is((await pool.query(open)).rows.length, 0);
  });
}

export const POOLS: readonly Case[] = [
  ...[1, 2, 3, 5, 10].map((max): Case => [`12 and 100 changes at the same time, a pool of ${max}`, ({ url }) => withPoolOf(url, max, async (pool) => {
    for (const makeUse of Object.values(USES)) {
      for (const condition of CONDITIONS) await changeAll(pool, makeUse(pool), 12, condition, readInTransaction);
      await changeAll(pool, makeUse(pool), 12, { 'If-Match': '"1"' }, readInTransaction, true);
      await changeAll(pool, makeUse(pool), 100, { 'If-Match': '"1"' });
    }
  })]),
  ...[2, 10].map((max): Case => [`1,000 changes at the same time, a pool of ${max}`, ({ url }) => withPoolOf(url, max, (pool) => {
    return changeAll(pool, transaction(pool), 1000, { 'If-Match': '"1"' });
  })]),
  ...[1, 2, 3, 5].map((max): Case => [`beside a reader of events, a pool of ${max}`, ({ url }) => withPoolOf(url, max, async (pool) => {
    await pool.query(postgresTables());
    const changes = postgresEvents<{ changed: number }>(pool, { channel: 'pet' });
    const leaving = new AbortController();
    const read: number[] = [];
    const reading = (async () => {
      for await (const { data } of changes.read({ signal: leaving.signal })) read.push(data);
    })();
    // Read when the reader has begun, which then listens if the pool is large enough.
    await waitUntil(async () => {
      const client = await pool.connect();
      await client.query('BEGIN');
      await changes.append(client, { event: 'changed', data: 1 });
      await client.query('COMMIT');
      client.release();
      return read.length > 0;
    }, 'an event');
    await changeAll(pool, transaction(pool), 12, { 'If-Match': '"1"' });
    await changeAll(pool, USES['keys']?.(pool) as Use, 100, { 'If-Match': '"1"' });
    leaving.abort();
    await reading;
  })]),
  ...[1, 2, 5].map((max): Case => [`transactions of two pools of ${max}, one in the other`, ({ url }) => withPoolOf(url, max, (outer) => withPoolOf(url, max, async (inner) => {
    const audit: Interceptor = { around: (call, run) => transaction(inner).around(call, ({ tx: audited }) => run({ audited })) };
    for (const use of [[audit, transaction(outer)], [transaction(outer), audit]]) await changeAll(outer, use, 100, { 'If-Match': '"1"' });
  }))]),
  ['PGlite', async () => {
    const db = await openPGlite();
    try {
      for (const makeUse of Object.values(USES)) {
        for (const condition of CONDITIONS) await changeAll(db, makeUse(db), 12, condition, readInTransaction);
        await changeAll(db, makeUse(db), 12, { 'If-Match': '"1"' }, readInTransaction, true);
      }
    } finally {
      await db.close();
    }
  }],
];
