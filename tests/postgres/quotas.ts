/** `postgresRates` of `restpoint/postgres`: exact for several processes, and whole quotas are removed. */
import type { Pool } from '../../examples/zoo/store/postgres/pg.ts';
import { postgresRates, postgresTables, transaction } from '../../src/postgres/index.ts';
import { rateLimit } from '../../src/interceptors/index.ts';
import { defineEndpoint } from '../../src/index.ts';
import { assert, message, send, serve, waitUntil } from '../support/facts.ts';
import { othersWait, SERIALIZABLE, type Case } from './case.ts';
import { withPoolOfOne, withTwoPools } from './keys.ts';

const HOUR = { limit: 100, windowSeconds: 3600, cost: 1 };
const MAX = Number.MAX_SAFE_INTEGER;

const age = (pool: Pool, ms: number): Promise<unknown> => pool.query(`UPDATE restpoint_rate SET at = at - ${ms}`);

export const QUOTAS: readonly Case[] = [
  ['of 300 requests at once in two processes, 100 pass, even where transactions are serializable by default', async ({ url }) => {
    for (const options of ['', SERIALIZABLE]) {
      await withTwoPools(`${url}${options}`, async (one, two) => {
        const stores = [postgresRates(one), postgresRates(two)];
        const takeOne = async (at: number): Promise<boolean> => {
          for (;;) {
            // Where transactions are serializable, more of them meet than are repeated.
            const taken = await Promise.resolve(stores[at % 2]?.take('a', HOUR)).catch((error: { status?: unknown }) => assert.is(error.status, 503));
            if (taken !== undefined) return taken.isAllowed;
          }
        };
        const taken = await Promise.all(Array.from({ length: 300 }, (_, at) => takeOne(at)));
        assert.is(taken.filter(Boolean).length, 100);
        await one.query('DROP TABLE item, restpoint_rate, restpoint_key, restpoint_event');
      });
    }
  }],
  ['a statement is parsed once for a connection: it has a name, until one of its names is lost', ({ url }) => withPoolOfOne(url, async (pool) => {
    await pool.query(postgresTables());
    const store = postgresRates(pool);
    const prepared = async (): Promise<number> => {
      for (let count = 0; count < 3; count += 1) assert.is((await store.take('a', HOUR)).isAllowed, true);
      return (await pool.query("SELECT 1 FROM pg_prepared_statements WHERE name LIKE 'restpoint%' AND statement LIKE 'INSERT%'")).rows.length;
    };
    assert.is(await prepared(), 1);
    await pool.query('DEALLOCATE ALL');
    assert.is(await prepared(), 0);
  })],
  ['a quota grows steadily, never beyond its whole, and never because a clock goes back', ({ url }) => withTwoPools(url, async (one) => {
    const store = postgresRates(one);
    const window = HOUR.windowSeconds * 1000;
    const take = async (cost: number): Promise<readonly [boolean, number]> => {
      const { isAllowed, fullMs } = await store.take('a', { ...HOUR, cost });
      return [isAllowed, Math.ceil(fullMs / (window / 100))];
    };
    assert.equal(await take(0), [true, 0]);
    assert.equal(await take(100), [true, 100]);
    assert.equal(await take(1), [false, 100]);
    await age(one, window / 10);
    assert.equal(await take(0), [true, 90]);
    assert.equal(await take(11), [false, 90]);
    assert.equal(await take(10), [true, 100]);
    await age(one, -10 * window);
    assert.equal(await take(1), [false, 100]);
    await age(one, 1_000_000_000_000);
    assert.equal(await take(1), [true, 1]);
  })],
  ['a quota grows again after a clock was ahead, and a statement that has waited for others counts the time until it goes on', ({ url }) => withTwoPools(url, async (one, two) => {
    const store = postgresRates(one);
    const take = async (): Promise<boolean> => (await store.take('a', { ...HOUR, cost: 100 })).isAllowed;
    assert.is(await take(), true);
    for (const ahead of [1000, 1e12]) {
      await age(one, -ahead);
      assert.is(await take(), false);
      await age(one, HOUR.windowSeconds * 1000);
      assert.is(await take(), true, `${ahead} ms ahead`);
    }
    const { rows: [row] } = await one.query('SELECT expires * 60 - extract(epoch FROM now()) AS seconds FROM restpoint_rate');
    assert.ok(Number(row?.['seconds']) <= HOUR.windowSeconds + 60, `the row expires in ${String(row?.['seconds'])} s`);
    const tx = await two.connect();
    await tx.query('BEGIN');
    await tx.query('SELECT 1 FROM restpoint_rate FOR UPDATE');
    const waiting = take();
    await othersWait(two);
    const { rows: [clock] } = await tx.query('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now');
    await tx.query('COMMIT');
    tx.release();
    await waiting;
    const { rows: [after] } = await one.query('SELECT at FROM restpoint_rate');
    assert.ok(Number(after?.['at']) >= Math.floor(Number(clock?.['now'])), 'the time of the statement');
  })],
  ['the longest windows and the largest limits fit', ({ url }) => withTwoPools(url, async (one) => {
    const store = postgresRates(one);
    for (const [limit, windowSeconds] of [[1, Math.floor(MAX / 1000)], [Math.floor(MAX / 1000), 1]] as const) {
      const key = `${limit}`;
      assert.is((await store.take(key, { limit, windowSeconds, cost: limit })).isAllowed, true);
      await store.take(key, { limit, windowSeconds, cost: 1 });
      await age(one, 1e12);
      // The window of the first is a hundred thousand years.
      assert.is((await store.take(key, { limit, windowSeconds, cost: 1 })).isAllowed, limit > 1);
    }
  })],
  ['whole quotas are removed', ({ url }) => withTwoPools(url, async (one) => {
    await one.query(`INSERT INTO restpoint_rate SELECT 'k' || n, 0, 0, true, 1 FROM generate_series(1, 250) AS n`);
    const count = async (): Promise<number> => (await one.query('SELECT 1 FROM restpoint_rate')).rows.length;
    await postgresRates(one).take("'; DROP TABLE restpoint_rate; --", HOUR);
    await waitUntil(async () => (await count()) === 1, 'the removal');
  })],
  ['inside a transaction of the same pool it would wait for itself: a logged 503 says what to change', ({ url }) => withTwoPools(url, (one) => withPoolOfOne(url, async (pool) => {
    const limit = rateLimit({ limit: 5, windowSeconds: 60, by: 'caller', key: () => 'a', store: postgresRates(pool) });
    void one;
    await serve((server) => server.registerEndpoint('/item', defineEndpoint({
      context: () => 'ann',
      custom: {
        right: { use: [limit, transaction(pool)], run: () => 1 },
        wrong: { use: [transaction(pool), limit], run: () => 1 },
      },
    })), async (served) => {
      const statuses = await Promise.all(['right', 'wrong', 'right'].map(async (name) => (await send(served.port, message('POST', `/v1/item/${name}`))).status));
      assert.equal(statuses, [200, 503, 200]);
      assert.match(String(served.errors[0]?.cause instanceof Error ? served.errors[0].cause.cause ?? served.errors[0].cause : ''),
        /must be before the transaction in use/);
    });
  }))],
];
