/**
 * Payments with keys over two zoos on one database, which are killed in turn, behind HAProxy that sends a request again too. And keys that several
 * processes claim at the same time.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { IdempotencyClaim } from 'restpoint/interceptors';
import { StoreKeys } from '../../examples/zoo/keys.ts';
import type { PostgresStore } from '../../examples/zoo/store/postgres/postgres-store.ts';
import { Gate } from '../support/wait.ts';
import { countTo, killWhile, payAndKill, Payers } from '../support/payers.ts';
import { captureErrorText } from '../support/store-cases.ts';
import { withPool, withStore, type Case, type Setting } from './case.ts';
import { EXAMPLE, withZoosBehind } from './balanced-zoos.ts';
import { TOKEN } from './zoos.ts';

const PAYMENTS = 1000;
const KILLS = 20;
const CLIENTS = 8;
const CLAIM: IdempotencyClaim = { key: 'one', fingerprint: 'a' };
const RESPONSE = { status: 200, headers: { 'X-A': ['b', 'c'] }, body: '{"paid":1}' };
const KEPT = { fingerprint: 'a', response: { ...RESPONSE, body: Buffer.from(RESPONSE.body) } };
const failAgain = async (): Promise<never> => {
  throw new Error('it runs again');
};
const artis = { name: 'Artis', city: 'Amsterdam' };

/** The example's configuration, but any request whose connection breaks is sent again to the other instance. */
export function retryingConfiguration(folder: string): string {
  const file = join(folder, 'retrying.cfg');
  const once = '    retry-on conn-failure\n';
  const example = readFileSync(EXAMPLE, 'utf8');
  if (!example.includes(once)) throw new Error(`the example has no ${JSON.stringify(once)}`);
  writeFileSync(file, example.replace(once, '    option http-buffer-request\n    retry-on all-retryable-errors\n'));
  return file;
}

async function payThrough(setting: Setting, configuration: string): Promise<void> {
  await withZoosBehind(setting, configuration, async ({ one, two, base, retries }) => {
    const payers = new Payers({ url: () => base, token: () => TOKEN, pet: '/v1/zoo/1/pet/1' }, PAYMENTS);
    await killWhile(payers.run(CLIENTS), payers.eaten, PAYMENTS, KILLS, (turn) => (turn % 2 === 0 ? one : two).replace());
    console.log(`      ${PAYMENTS} payments took ${payers.attempts} requests of the clients and ${await retries()} retries of HAProxy`);
    assert.equal(payers.wrong, []);
    assert.equal(payers.eaten.sort((first, second) => first - second), countTo(PAYMENTS));
    await withPool(setting.url, async (pool) => assert.equal((await pool.query('SELECT eaten FROM pet')).rows, [{ eaten: String(PAYMENTS) }]));
  });
}

/** Two stores over one database, as two processes have them. */
const withTwo = (url: string, use: (one: PostgresStore, two: PostgresStore) => Promise<void>): Promise<void> => (
  withStore(url, (one) => withStore(url, (two) => use(one, two)))
);

export const PAYMENTS_WITH_KEYS: readonly Case[] = [
  ['of 1,000 payments and 20 kills, each is made once, and has the response of that once', (setting) => payThrough(setting, EXAMPLE)],
  ['the same behind HAProxy that sends requests again', (setting) => payThrough(setting, retryingConfiguration(setting.folder))],
  ['one that is killed after any of its statements is made once, and has the response of that once', async ({ url }) => {
    assert.equal(await payAndKill(url, 'together'), {
      statements: ['BEGIN ISOLATION', 'SELECT pg_try_advisory_xact_lock', 'SELECT text', 'UPDATE pet', 'DELETE FROM', 'INSERT INTO', 'COMMIT'],
      wrong: [],
    });
  }],
  ['one that is killed is made twice if its response is stored in a later transaction', async ({ url }) => {
    const { statements, wrong } = await payAndKill(url, 'apart');
    assert.equal([statements.length, wrong], [9, ['COMMIT', 'BEGIN ISOLATION', 'DELETE FROM', 'INSERT INTO']]);
  }],
  ['a key that one process has claimed is running for another, until its transaction ends', ({ url }) => withTwo(url, async (one, two) => {
    const gate = new Gate();
    const begun = new Gate();
    const first = new StoreKeys(one).once(CLAIM, async ({ tx }) => {
      await tx.zoos.insert(artis);
      begun.open();
      await gate.passed;
      return RESPONSE;
    });
    await begun.passed;
    assert.is(await new StoreKeys(two).once(CLAIM, failAgain), 'running');
    assert.is(await new StoreKeys(two).once({ ...CLAIM, key: 'two' }, async () => RESPONSE), 'done');
    gate.open();
    assert.is(await first, 'done');
    assert.equal(await new StoreKeys(two).once(CLAIM, failAgain), KEPT);
  })],
  ['a claim dies with the connection of its holder, and what it has written with it', ({ url }) => withTwo(url, async (one, two) => {
    const error = await captureErrorText(() => new StoreKeys(one).once(CLAIM, async ({ tx }) => {
      await tx.zoos.insert(artis);
      await withPool(url, async (pool) => {
        await pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle in transaction'`);
      });
      return RESPONSE;
    }));
    assert.is(error, 'UnavailableError: the store is not available');
    assert.is(await new StoreKeys(two).once(CLAIM, async ({ tx }) => (await tx.zoos.insert(artis), RESPONSE)), 'done');
    assert.is((await two.zoos.list({ take: 9 })).length, 1);
  })],
  ['a failure that an operation hides is rolled back, and no response of it is kept', ({ url }) => withStore(url, async (store) => {
    await store.zoos.insert(artis);
    for (const claim of [CLAIM, undefined]) {
      const error = await captureErrorText(() => new StoreKeys(store).once(claim, async ({ tx }) => {
        await tx.zoos.insert({ ...artis, name: 'Blijdorp' });
        await captureErrorText(() => tx.zoos.insert(artis));
        return RESPONSE;
      }));
      assert.match(error, claim === undefined ? /one of its statements has failed/ : /current transaction is aborted/);
    }
    assert.equal((await store.zoos.list({ take: 9 })).map(({ name }) => name), ['Artis']);
    assert.is(await new StoreKeys(store).once(CLAIM, async () => RESPONSE), 'done');
  })],
  ['a response is kept for a day, by the clock of the database, which may go back', ({ url }) => withStore(url, (store) => withPool(url, async (pool) => {
    const keys = new StoreKeys(store);
    await keys.once(CLAIM, async () => RESPONSE);
    for (const at of [`now() + interval '1 year'`, `now() - interval '23 hours'`]) {
      await pool.query(`UPDATE response SET at = ${at}`);
      assert.equal(await keys.once(CLAIM, failAgain), KEPT);
    }
    await pool.query(`UPDATE response SET at = now() - interval '25 hours'`);
    await keys.once({ ...CLAIM, key: 'two' }, async () => RESPONSE);
    assert.equal((await pool.query('SELECT key FROM response')).rows, [{ key: 'two' }]);
    assert.is(await keys.once(CLAIM, async () => RESPONSE), 'done');
  }))],
];
