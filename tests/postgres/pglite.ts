/** `restpoint/postgres` over PGlite, which has one connection and no pool. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { defineEndpoint } from '../../src/index.ts';
import { idempotent } from '../../src/interceptors/index.ts';
import { keyset, postgresEvents, postgresIdempotencyStore, postgresRates, postgresTables, type SharedConnection, transaction } from '../../src/postgres/index.ts';
import { assert, message, send, serve, waitUntil, withTimeout } from '../support/facts.ts';
import type { Case } from './case.ts';

export type PGlite = SharedConnection & { close(): Promise<void>; exec(sql: string): Promise<unknown> };

/** From the folder in which the tests run. */
export async function openPGlite(): Promise<PGlite> {
  const path = createRequire(join(process.cwd(), 'tests.js')).resolve('@electric-sql/pglite');
  const { PGlite } = await import(pathToFileURL(path).href) as { readonly PGlite: new () => PGlite };
  return new PGlite();
}

const JSON_KEY = (key: string): string[] => [`Idempotency-Key: "${key}"`, 'Content-Type: application/json'];

export const PGLITE: readonly Case[] = [
  ['the whole entry', async () => {
    const db = await openPGlite();
    try {
      for (let start = 0; start < 2; start += 1) await db.query(postgresTables());
      await db.exec('CREATE TABLE item (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text UNIQUE)');
      const changes = postgresEvents(db, { channel: 'item' });
      const once = idempotent(postgresIdempotencyStore(db, { isolation: 'serializable' }), { required: true });
      const apart = idempotent(postgresIdempotencyStore(db, { transaction: false }), { required: true });
      const rates = postgresRates(db);
      const insert = 'INSERT INTO item (name) VALUES ($1) RETURNING id';
      let fails = 1;
      await serve((server) => server.registerEndpoint('/item', defineEndpoint({
        custom: {
          add: {
            use: once,
            input: String,
            run: async (name, { tx }) => {
              const { rows: [row] } = await tx.query(insert, [name]);
              await changes.append(tx, { event: 'added', data: { name } });
              return row.id;
            },
          },
          apart: { use: apart, input: String, run: async (name) => (await db.query(insert, [name])).rows[0].id },
          conflict: {
            use: transaction(db),
            input: String,
            run: async (name, { tx }) => {
              const { rows: [row] } = await tx.query(insert, [name]);
              if (fails > 0) {
                fails -= 1;
                await tx.query(`DO $$ BEGIN RAISE SQLSTATE '40001'; END $$`);
              }
              return row.id;
            },
          },
          hidden: {
            use: transaction(db),
            input: String,
            run: async (name, { tx }) => {
              await tx.query(insert, [name]);
              await tx.query('SELECT nothing').catch(() => {});
              return 1;
            },
          },
        },
      })), async (served) => {
        const post = async (name: string, body: string, key = 'k'): Promise<[number, string]> => {
          const response = await send(served.port, message('POST', `/v1/item/${name}`, JSON.stringify(body), JSON_KEY(key)));
          return [response.status, response.body];
        };
        const reader = changes.read();
        const first = reader.next();
        await waitUntil(async () => (await db.query('SELECT * FROM pg_listening_channels()')).rows.length === 1, 'a channel that is listened to');
        assert.equal(await Promise.all([post('add', 'a'), post('add', 'a')]), [[200, '1'], [200, '1']]);
        assert.equal(await Promise.all([post('apart', 'b'), post('apart', 'c', 'other')]), [[200, '2'], [200, '3']]);
        assert.equal(await post('apart', 'b'), [200, '2']);
        assert.equal((await post('conflict', 'd'))[0], 200);
        assert.equal((await post('hidden', 'e'))[0], 500);
        assert.is(served.errors.length, 1);
        assert.equal((await withTimeout(first)).value.data, { name: 'a' });
        await reader.return?.();
        await waitUntil(async () => (await db.query('SELECT * FROM pg_listening_channels()')).rows.length === 0, 'the end');
      });
      const { where, orderBy, values } = keyset({ by: 'name', descending: true, after: { id: 3n, key: 'c' } }, { id: 'item.id', name: 'item.name' });
      assert.equal((await db.query(`SELECT name FROM item WHERE ${where} ORDER BY ${orderBy}`, values)).rows, [{ name: 'b' }, { name: 'a' }]);
      const taken = await Promise.all([3, 3, 0].map((cost) => rates.take('k', { limit: 5, windowSeconds: 3600, cost })));
      assert.equal(taken.map(({ isAllowed }) => isAllowed), [true, false, true]);
    } finally {
      await db.close();
    }
  }],
];
