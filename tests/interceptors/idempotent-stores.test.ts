/** The stores of `idempotent`: one of the host, and `memoryKeys`. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { reply } from '../../src/index.ts';
import { type Claim, type Kept, type KeptAnswer, type Keys, memoryKeys } from '../../src/interceptors/index.ts';
import { Gate, until } from '../support/gate.ts';
import { byUser, KEY, pay, Payments, served } from '../support/idempotent-payments.ts';

/** A store that notes its claims, and what happens in it. */
class NotingKeys implements Keys<{ readonly tx: string[] }> {
  readonly claims: (Claim | undefined)[] = [];
  readonly committed: string[] = [];
  readonly #kept = new Map<string, Kept>();

  async once(claim: Claim | undefined, run: (adds: { readonly tx: string[] }) => Promise<KeptAnswer>): Promise<Kept | 'done'> {
    this.claims.push(claim);
    const kept = this.#kept.get(claim?.key ?? '');
    if (kept !== undefined) return kept;
    const tx: string[] = [];
    const answer = await run({ tx });
    if (claim !== undefined) this.#kept.set(claim.key, { fingerprint: claim.fingerprint, answer });
    this.committed.push(...tx);
    return 'done';
  }
}

const stores = suite('a store of the host');
stores('adds its transaction, also without a key, and what fails is not committed', async () => {
  const keys = new NotingKeys();
  const payments = new Payments((body, { tx }) => {
    tx.push(body);
    if (body === 'no') throw new Error('no');
    return tx;
  }, { keys: keys as never });
  await served(payments, async ({ port, errors }) => {
    for (const headers of [[KEY], [KEY], []]) assert.is((await pay(port, '"a"', headers)).body, '["a"]');
    assert.is((await pay(port, '"no"', [])).status, 500);
    assert.equal([keys.committed, payments.count, errors.length], [['a', 'a'], 3, 1]);
  });
});
stores('gets digests, which hold neither the caller nor the key, and are the same in each process', async () => {
  const keys = new NotingKeys();
  await served(new Payments(undefined, { ...byUser, keys: keys as never }), async ({ port }) => {
    await pay(port, '1', [KEY, 'X-User: ann']);
    await pay(port, '1', ['X-User: ann']);
    // SHA-256 of ["ann","POST","/v1/account/pay","one"], and of ["POST","/v1/account/pay","application/json"] with the body behind it.
    assert.equal(keys.claims, [
      { key: 'N8TmnIxlxUCu-aPK83NdzvyVVDNqe-nJJN6SKEAWQq0', fingerprint: 'oqUfOryIgKFZp-ML4YSaSa_8AiuzWc4ppf3z_WxaBCc' },
      undefined,
    ]);
  });
});
stores('that fails: 500, logged', async () => {
  const payments = new Payments(undefined, { keys: { once: async () => { throw new Error('no disk'); } } as never });
  await served(payments, async ({ port, errors }) => {
    assert.is((await pay(port)).status, 500);
    assert.match(errors[0]?.message ?? '', /no disk/);
  });
});
stores.run();

const memory = suite('memoryKeys');
memory('keeps an answer until it expires, and then the key is free for any request', async () => {
  const payments = new Payments(undefined, { keys: memoryKeys({ ttlMs: 50 }) });
  await served(payments, async ({ port, errors }) => {
    await pay(port);
    await until(async () => (await pay(port, '2')).status === 200, 'the expiry');
    assert.is(payments.count, 2);
    assert.ok(errors.every(({ message: text }) => text.includes('used for another request')));
  });
});
memory('keeps the bytes that were sent, whatever the operation does with them later', async () => {
  const shared = Buffer.from('first');
  const payments = new Payments(() => reply(200, shared), { keys: memoryKeys() });
  await served(payments, async ({ port }) => {
    assert.is((await pay(port)).body, 'first');
    shared.fill('x');
    assert.is((await pay(port)).body, 'first');
  });
});
memory('runs a request that has lasted longer than the keys of others are kept once', async () => {
  const gate = new Gate();
  const payments = new Payments(async (body) => (body === 1 && await gate.passed, 'paid'), { keys: memoryKeys({ ttlMs: 20 }) });
  await served(payments, async ({ port, errors }) => {
    const first = pay(port);
    await until(() => payments.count === 1, 'the first');
    await pay(port, '2', ['Idempotency-Key: two']);
    await until(async () => (await pay(port, '3', ['Idempotency-Key: two'])).status === 200, 'the expiry of another key');
    const before = payments.count;
    assert.is((await pay(port)).status, 409);
    gate.open();
    assert.equal([(await first).status, payments.count], [200, before]);
    assert.ok(errors.length > 0);
  });
});
memory('does not depend on the clock of the day, which may go back and forth', async () => {
  const { now } = Date;
  const payments = new Payments();
  await served(payments, async ({ port }) => {
    try {
      await pay(port);
      for (const shift of [-1, 1, -400, 400]) {
        Date.now = () => now() + shift * 24 * 60 * 60 * 1000;
        assert.is((await pay(port)).headers.get('idempotent-replayed'), 'true');
      }
    } finally {
      Date.now = now;
    }
    assert.is(payments.count, 1);
  });
});
memory('that is full refuses new keys with 503 until the oldest expires, and still replays', async () => {
  const payments = new Payments(undefined, { keys: memoryKeys({ max: 2, ttlMs: 60_000 }) });
  const key = (name: string): readonly string[] => [`Idempotency-Key: ${name}`];
  await served(payments, async ({ port, errors }) => {
    for (const name of ['one', 'two']) assert.is((await pay(port, '1', key(name))).status, 200);
    const { status, headers } = await pay(port, '1', key('three'));
    assert.is(status, 503);
    assert.ok(Number(headers.get('retry-after')) >= 59 && Number(headers.get('retry-after')) <= 60);
    for (const name of ['one', 'two']) assert.is((await pay(port, '1', key(name))).headers.get('idempotent-replayed'), 'true');
    assert.is((await pay(port, '1', [])).status, 200, 'without a key');
    assert.equal([payments.count, errors.length], [3, 1]);
  });
});
memory('counts keys whose requests run', async () => {
  const gate = new Gate();
  const payments = new Payments(() => gate.passed.then(() => 1), { keys: memoryKeys({ max: 1 }) });
  await served(payments, async ({ port, errors }) => {
    const first = pay(port);
    await until(() => payments.count === 1, 'the first');
    const { status, headers } = await pay(port, '1', ['Idempotency-Key: two']);
    assert.equal([status, headers.get('retry-after'), errors.length], [503, '1', 1]);
    gate.open();
    assert.is((await first).status, 200);
  });
});
memory('that expires has room again', async () => {
  const payments = new Payments(undefined, { keys: memoryKeys({ max: 1, ttlMs: 30 }) });
  await served(payments, async ({ port, errors }) => {
    await pay(port);
    await until(async () => (await pay(port, '1', ['Idempotency-Key: two'])).status === 200, 'room');
    assert.ok(payments.count === 2 && errors.every(({ message: text }) => text.includes('too many idempotency keys')));
  });
});
memory('frees what has expired, and nothing else, also after all of it was free', async () => {
  const { now } = performance;
  const keys = memoryKeys({ max: 2, ttlMs: 10 });
  const outcomes: unknown[] = [];
  try {
    for (const [at, key] of [[0, 'a'], [5, 'b'], [9, 'a'], [10, 'a'], [14, 'b'], [15, 'b'], [19, 'a'], [40, 'c'], [41, 'd'], [49, 'c'], [50, 'c'], [50, 'd'], [51, 'e']] as const) {
      performance.now = () => at;
      const outcome = await keys.once({ key, fingerprint: 'f' }, async () => ({ status: 204, headers: {}, body: undefined }));
      outcomes.push(`${key}${at} ${outcome === 'done' ? 'done' : 'kept'}`);
    }
  } finally {
    performance.now = now;
  }
  assert.equal(outcomes, [
    'a0 done', 'b5 done', 'a9 kept', 'a10 done', 'b14 kept', 'b15 done', 'a19 kept', 'c40 done', 'd41 done', 'c49 kept', 'c50 done', 'd50 kept', 'e51 done',
  ]);
});
memory('keeps only keys whose requests were done', async () => {
  const payments = new Payments(() => { throw new Error('no'); }, { keys: memoryKeys({ max: 1 }) });
  await served(payments, async ({ port, errors }) => {
    for (const name of ['one', 'two', 'three']) assert.is((await pay(port, '1', [`Idempotency-Key: ${name}`])).status, 500);
    assert.equal([payments.count, errors.length], [3, 3]);
  });
});
memory.run();
