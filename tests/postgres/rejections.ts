/** The store's errors for rejections of the database, and for a lost connection. */
import * as assert from 'uvu/assert';
import { PostgresStore } from '../../examples/zoo/store/postgres/postgres-store.ts';
import { UnavailableError } from '../../examples/zoo/store/store.ts';
import { captureErrorText } from '../support/store-cases.ts';
import { othersWait, withPool, withStore, withTransaction, type Case, type Setting } from './case.ts';

const artis = { name: 'Artis', city: 'Amsterdam' };
const UNAVAILABLE = 'UnavailableError: the store is not available';
const ALWAYS = 1000;

/** Lets the database reject the next inserts of zoos with an SQLSTATE. It counts the attempts in the sequence `attempts`. */
export function rejectZoos(url: string, times: number, sqlState: string): Promise<void> {
  return withPool(url, async (pool) => {
    await pool.query('CREATE SEQUENCE attempts');
    await pool.query(`CREATE FUNCTION reject() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('attempts') <= ${times} THEN RAISE EXCEPTION 'rejected by the test' USING ERRCODE = '${sqlState}'; END IF;
      RETURN NEW;
    END $$`);
    await pool.query('CREATE TRIGGER reject BEFORE INSERT ON zoo FOR EACH ROW EXECUTE FUNCTION reject()');
  });
}

/** Inserts a zoo, which the database rejects so many times. */
async function captureRejected({ url }: Setting, times: number, sqlState: string): Promise<{ error: string; attempts: number; stored: number }> {
  let result = { error: '', attempts: 0, stored: 0 };
  await withStore(url, async ({ zoos }) => {
    await rejectZoos(url, times, sqlState);
    const error = await captureErrorText(() => zoos.insert(artis));
    await withPool(url, async (pool) => {
      const { rows: [row] } = await pool.query('SELECT last_value FROM attempts');
      result = { error, attempts: Number(row?.['last_value']), stored: (await zoos.list({ take: 9 })).length };
    });
  });
  return result;
}

export const REJECTIONS: readonly Case[] = [
  ...([['40001', 'a serialization failure'], ['40P01', 'a deadlock']] as const).flatMap(([sqlState, what]): Case[] => [
    [`${what}, twice -> the third attempt succeeds`, async (setting) => {
      assert.equal(await captureRejected(setting, 2, sqlState), { error: 'nothing is thrown', attempts: 3, stored: 1 });
    }],
    [`${what}, each time -> UnavailableError after three attempts`, async (setting) => {
      assert.equal(await captureRejected(setting, ALWAYS, sqlState), { error: UNAVAILABLE, attempts: 3, stored: 0 });
    }],
  ]),
  ...([
    ['08006', UNAVAILABLE],
    ['25006', UNAVAILABLE],
    ['53100', UNAVAILABLE],
    ['57014', UNAVAILABLE],
    ['57P03', UNAVAILABLE],
    ['22012', 'error: rejected by the test'],
    ['23514', 'error: rejected by the test'],
  ] as const).map(([sqlState, expected]): Case => [
    `SQLSTATE ${sqlState} -> ${expected}, after one attempt`,
    async (setting) => {
      assert.equal(await captureRejected(setting, ALWAYS, sqlState), { error: expected, attempts: 1, stored: 0 });
    },
  ]),
  ['a connection that is lost during a statement -> UnavailableError, and the next statement has another connection', async ({ url }) => {
    await withStore(url, async ({ zoos }) => {
      const id = await zoos.insert(artis);
      await withTransaction(url, (client) => withPool(url, async (pool) => {
        await client.query('SELECT 1 FROM zoo FOR UPDATE');
        const changing = captureErrorText(() => zoos.change(id, { name: undefined, city: 'Utrecht' }));
        await othersWait(pool);
        await pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'`);
        assert.is(await changing, UNAVAILABLE);
      }));
      assert.equal(await zoos.find(id), { id, ...artis, revision: 1 });
    });
  }],
  ['a server that is stopped -> UnavailableError with the reason as its cause, until it runs again', ({ cluster, url }) => withStore(url, async ({ zoos }) => {
    const id = await zoos.insert(artis);
    cluster.stop();
    try {
      // Its idle connection may be found lost now. A new one finds no socket, which must not be taken for a zoo that is not found.
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const error = await zoos.find(id).then(() => undefined, (thrown: unknown) => thrown);
        assert.ok(error instanceof UnavailableError && error.cause instanceof Error);
      }
    } finally {
      cluster.start();
    }
    assert.equal(await zoos.find(id), { id, ...artis, revision: 1 });
  })],
  ['a closed store -> UnavailableError', async ({ url }) => {
    const store = await PostgresStore.open(url);
    await store.close();
    assert.is(await captureErrorText(() => store.zoos.insert(artis)), UNAVAILABLE);
  }],
];
