/** `restpoint/checks` of services over PostgreSQL: those that lose changes, or wait for themselves, and their right twins. */
import * as assert from 'uvu/assert';
import { checks, type ChecksOptions } from '../../src/checks/index.ts';
import { SchemaValidator } from '../../src/checks/schema-validator.ts';
import { ApiError, ApiServer, integerId } from '../../src/index.ts';
import { failuresOf, standard } from '../checks/pet-server.ts';
import { withPool, type Case } from './case.ts';
import { openPGlite } from './pglite.ts';

/** A pool of `pg`, or PGlite. */
interface Database {
  query(sql: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly any[] }>;
}

const TABLE = 'CREATE TABLE product (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text, stock integer, revision integer DEFAULT 1)';
const OPTIONS: ChecksOptions = { samples: { productCreate: { body: { name: 'Ball', stock: 5 } }, productItemRestock: { body: { count: 3 } } } };

function object(properties: Readonly<Record<string, object>>): any {
  const schema = { type: 'object', required: Object.keys(properties), properties };
  const validator = new SchemaValidator({});
  return standard(schema, (value) => {
    const message = validator.findIssue(value, schema);
    return message === undefined ? { value } : { issues: [{ message }] };
  });
}

const INTEGER = { type: 'integer' };

/** The failures of a service whose update compares no version, and whose restock reads before it writes. */
async function findLost(db: Database, isWrong: boolean): Promise<Map<string, string>> {
  const read = async (id: number): Promise<any> => (await db.query('SELECT name, stock, revision FROM product WHERE id = $1', [id])).rows[0];
  const write = async (set: string, values: readonly unknown[], ifMatch: '*' | readonly string[] | undefined): Promise<any> => {
    const sql = `UPDATE product SET ${set}, revision = revision + 1 WHERE id = $1 AND ($4::text[] IS NULL OR revision::text = ANY ($4)) RETURNING stock`;
    const { rows: [row] } = await db.query(sql, [...values, isWrong || ifMatch === '*' ? null : ifMatch ?? null]);
    if (row === undefined) throw ApiError.status(412);
    return row;
  };
  const server = new ApiServer('/v1', { logger: { info: () => {}, error: () => {} } });
  server.registerEndpoint('/product', {
    id: integerId, schema: object({ name: { type: 'string' }, stock: INTEGER }), requireIfMatch: true, version: ({ revision }: any) => revision,
    create: async ({ name, stock }: any) => (await db.query('INSERT INTO product (name, stock) VALUES ($1, $2) RETURNING id', [name, stock])).rows[0].id,
    get: { output: object({ name: { type: 'string' }, stock: INTEGER, revision: INTEGER }), run: read },
    update: async (id: number, { name, stock }: any, { ifMatch }: any) => {
      await write(`name = $2, stock = $3`, [id, name, stock], ifMatch);
    },
    itemCustom: { restock: { input: object({ count: INTEGER }), output: object({ stock: INTEGER }), run: async (id: number, { count }: any, { ifMatch }: any) => {
      if (!isWrong) return write('stock = stock + $2, name = coalesce($3, name)', [id, count, null], ifMatch);
      const { stock } = await read(id);
      return write('stock = $2, name = coalesce($3, name)', [id, stock + count, null], ifMatch);
    } } },
  } as never);
  return failuresOf(checks(server, OPTIONS).filter(({ isSkipped }) => !isSkipped));
}

/** Throws unless the faults of the service are found. Statements of a database in the process are not interrupted by other connections. */
async function expectFound(db: Database, isInProcess = false): Promise<void> {
  await db.query(TABLE);
  assert.equal([...await findLost(db, false)], []);
  const found = await findLost(db, true);
  assert.match(found.get('PUT /v1/product/:id: two at once with one If-Match -> one success') ?? '',
    /Expected: 1 of two to succeed, as one after the other, not 204 and 204/);
  assert.match(found.get('POST /v1/product/:id/restock: two at once with one If-Match -> one success') ?? '', /not 200 and 200/);
  if (!isInProcess) assert.match(found.get('POST /v1/product/:id/restock: two at once -> as one after the other') ?? '', /Expected: stock of GET \/v1\/product\/:id: a change by 6, .*, not a change by 3/);
}

export const CHECKED_SERVICES: readonly Case[] = [
  ['lost changes over pg are found', ({ url }) => withPool(url, (pool) => expectFound(pool as Database))],
  ['lost changes over PGlite are found', async () => {
    const db = await openPGlite();
    try {
      await expectFound(db as unknown as Database, true);
    } finally {
      await db.close();
    }
  }],
  ['an update that holds a connection, and asks the pool for one more, is found', ({ url }) => withPool(url, async (pool) => {
    await pool.query('CREATE TABLE name (name text)');
    // Those who wait for each other would wait for ten minutes.
    Object.assign((pool as unknown as { readonly options: object }).options, { connectionTimeoutMillis: 4_000 });
    const findFailed = async (isWrong: boolean): Promise<string[]> => {
      const server = new ApiServer('/v1', { logger: { info: () => {}, error: () => {} } });
      server.registerEndpoint('/name', { custom: { add: { input: object({ name: { type: 'string' } }), output: object({ count: INTEGER }), run: async ({ name }: any) => {
        const client = await pool.connect();
        try {
          await client.query('INSERT INTO name VALUES ($1)', [name]);
          const { rows: [row] }: { readonly rows: readonly unknown[] } = await (isWrong ? pool : client).query('SELECT count(*)::integer AS count FROM name');
          return row;
        } finally {
          client.release();
        }
      } } } } as never);
      const timeoutMs = isWrong ? 2_000 : 30_000;
      return [...await failuresOf(checks(server, { samples: { nameAdd: { body: { name: 'Rex' } } }, concurrency: 24, timeoutMs }))].map(([name, message]) => `${name}: ${message}`);
    };
    assert.equal(await findFailed(false), []);
    const [found = 'no failure', ...others] = await findFailed(true);
    assert.match(found, /^POST \/v1\/name\/add: many at once .* got no complete response after 2000 ms/);
    assert.equal(others, []);
  })],
];
