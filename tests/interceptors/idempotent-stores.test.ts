/** The stores of `idempotent`: one of the user, and `memoryIdempotencyStore`. */
import { mock } from 'node:test';
import { reply } from '../../src/index.ts';
import { type IdempotencyClaim, type IdempotencyRecord, type IdempotencyStore, memoryIdempotencyStore, type StoredResponse } from '../../src/interceptors/index.ts';
import { byUser, KEY, pay, Payments, servePayments } from '../support/idempotent-payments.ts';
import { Random } from '../support/random.ts';
import { assert, Gate, type RawResponse, suite, waitUntil } from '../support/facts.ts';

/** A store that notes its claims, and what happens in it. */
class NotingKeys implements IdempotencyStore<{ readonly tx: string[] }> {
  readonly claims: (IdempotencyClaim | undefined)[] = [];
  readonly committed: string[] = [];
  readonly #kept = new Map<string, IdempotencyRecord>();

  async once(claim: IdempotencyClaim | undefined, run: (adds: { readonly tx: string[] }) => Promise<StoredResponse>): Promise<IdempotencyRecord | 'done'> {
    this.claims.push(claim);
    const kept = this.#kept.get(claim?.key ?? '');
    if (kept !== undefined) return kept;
    const tx: string[] = [];
    const response = await run({ tx });
    if (claim !== undefined) this.#kept.set(claim.key, { fingerprint: claim.fingerprint, response: response });
    this.committed.push(...tx);
    return 'done';
  }
}

const stores = suite('K8: a store of the user');
stores('adds its transaction, also without a key, and what fails is not committed', async () => {
  const keys = new NotingKeys();
  const seen: unknown[] = [];
  const payments = new Payments((body, { tx, idempotencyKey }) => {
    seen.push(idempotencyKey);
    tx.push(body);
    if (body === 'no') throw new Error('no');
    return tx;
  }, { keys: keys as never });
  await servePayments(payments, async ({ port, errors }) => {
    for (const headers of [[KEY], [KEY], []]) assert.is((await pay(port, '"a"', headers)).body, '["a"]');
    assert.is((await pay(port, '"no"', [])).status, 500);
    assert.equal([keys.committed, payments.count, errors.length], [['a', 'a'], 3, 1]);
    assert.equal(seen, ['one', undefined, undefined]);
  });
});
stores('gets digests, which hold neither the caller nor the key, and are the same in each process', async () => {
  const keys = new NotingKeys();
  await servePayments(new Payments(undefined, { ...byUser, keys: keys as never }), async ({ port }) => {
    await pay(port, '1', [KEY, 'X-User: ann']);
    await pay(port, '1', ['X-User: ann']);
    // SHA-256 of ["ann","POST","/v1/account/pay","one"], of ["POST","/v1/account/pay","application/json"] with the body behind it, and of ["ann"].
    assert.equal(keys.claims, [
      { key: 'N8TmnIxlxUCu-aPK83NdzvyVVDNqe-nJJN6SKEAWQq0', fingerprint: 'oqUfOryIgKFZp-ML4YSaSa_8AiuzWc4ppf3z_WxaBCc',
        caller: 'lwkgLgkKAwiMO6mhZV-79Gv88oZlO04GIZkd1YTXAB4' },
      undefined,
    ]);
  });
});
stores('that adds what is not an object: 500, logged', async () => {
  const payments = new Payments(undefined, { keys: { once: async (_claim: unknown, run: (adds: unknown) => unknown) => run(7) } as never });
  await servePayments(payments, async ({ port, errors }) => {
    assert.equal([(await pay(port)).status, payments.count], [500, 0]);
    assert.match(errors[0]?.message ?? '', /the properties that a store adds must be an object: 7/);
  });
});
stores('that fails: 500, logged', async () => {
  const payments = new Payments(undefined, { keys: { once: async () => { throw new Error('no disk'); } } as never });
  await servePayments(payments, async ({ port, errors }) => {
    assert.is((await pay(port)).status, 500);
    assert.match(errors[0]?.message ?? '', /no disk/);
  });
});

const NOTHING: StoredResponse = { status: 204, headers: {}, body: undefined };

/** How many of the last claims are kept. Those before them are not, since the oldest go first. */
async function countKept(keys: IdempotencyStore, claims: readonly IdempotencyClaim[]): Promise<number> {
  let count = 0;
  for (const claim of claims.toReversed()) {
    if ((await keys.once(claim, async () => NOTHING)) === 'done') break;
    count += 1;
  }
  return count;
}

const memory = suite('K7: memoryIdempotencyStore');
memory('keeps a response until it expires, and then the key is free for any request', async () => {
  const payments = new Payments(undefined, { keys: memoryIdempotencyStore({ ttlMs: 50 }) });
  await servePayments(payments, async ({ port, errors }) => {
    await pay(port);
    await waitUntil(async () => (await pay(port, '2')).status === 200, 'the expiry');
    assert.is(payments.count, 2);
    assert.equal(errors, []);
  });
});
memory('keeps the bytes that were sent, whatever the operation does with them later', async () => {
  const shared = Buffer.from('first');
  const payments = new Payments(() => reply(200, shared), { keys: memoryIdempotencyStore() });
  await servePayments(payments, async ({ port }) => {
    assert.is((await pay(port)).body, 'first');
    shared.fill('x');
    assert.is((await pay(port)).body, 'first');
  });
});
memory('a key expires as mock timers move the clock', async () => {
  const keys = memoryIdempotencyStore({ ttlMs: 1000 });
  const claim = { key: 'a', fingerprint: 'f' };
  const run = async (): Promise<typeof NOTHING> => NOTHING;
  mock.timers.enable({ apis: ['Date'] });
  try {
    assert.is(await keys.once(claim, run), 'done');
    mock.timers.tick(999);
    assert.equal(await keys.once(claim, run), { fingerprint: 'f', response: NOTHING });
    mock.timers.tick(1);
    assert.is(await keys.once(claim, run), 'done');
  } finally {
    mock.timers.reset();
  }
});
memory('counts keys whose requests run: with no others, new keys get 503 until the first of them expires', async () => {
  const gate = new Gate();
  const payments = new Payments(() => gate.passed.then(() => 1), { keys: memoryIdempotencyStore({ max: 1, ttlMs: 60_000 }) });
  await servePayments(payments, async ({ port, errors }) => {
    const first = pay(port);
    await waitUntil(() => payments.count === 1, 'the first');
    const { status, headers } = await pay(port, '1', ['Idempotency-Key: two']);
    assert.is(status, 503);
    assert.ok(Number(headers.get('retry-after')) >= 59 && Number(headers.get('retry-after')) <= 60);
    assert.equal(errors.map(({ message: text }) => /Too many requests with idempotency keys/.test(text)), [true]);
    gate.open();
    assert.is((await first).status, 200);
    assert.is((await pay(port, '1', ['Idempotency-Key: two'])).status, 200);
    assert.is((await pay(port, '1', [])).status, 200, 'without a key');
  });
});
memory('that is full, by one caller, has room for the others: the oldest responses of that caller go', async () => {
  const payments = new Payments(undefined, { ...byUser, keys: memoryIdempotencyStore({ max: 4, maxPerCaller: 100, ttlMs: 60_000 }) });
  const send = async (user: string, key: string): Promise<string> => {
    const { status, headers } = await pay(port, '1', [`Idempotency-Key: ${key}`, `X-User: ${user}`]);
    return `${status}${headers.has('idempotent-replayed') ? ' replayed' : ''}`;
  };
  let port = 0;
  await servePayments(payments, async (server) => {
    ({ port } = server);
    for (let key = 0; key < 20; key += 1) assert.is(await send('ann', `${key}`), '200');
    assert.is(await send('bob', 'a'), '200');
    assert.is(await send('bob', 'b'), '200');
    assert.equal([await send('bob', 'a'), await send('bob', 'b'), await send('ann', '18'), await send('ann', '19')], Array(4).fill('200 replayed'));
    assert.is(await send('ann', '17'), '200');
    assert.equal(server.errors, []);
  });
});
memory('has a quota for each caller: the oldest response of that caller goes, and with none the key gets 429', async () => {
  const gate = new Gate();
  const run = async (body: unknown): Promise<unknown> => (body === 'wait' && await gate.passed, body);
  const payments = new Payments(run, { ...byUser, keys: memoryIdempotencyStore({ max: 100, maxPerCaller: 2, ttlMs: 60_000 }) });
  const send = (port: number, user: string, key: string, body = '"go"'): Promise<RawResponse> => pay(port, body, [`Idempotency-Key: ${key}`, `X-User: ${user}`]);
  await servePayments(payments, async ({ port, errors }) => {
    for (const key of ['a', 'b', 'c']) assert.is((await send(port, 'ann', key)).status, 200);
    for (const [key, replays] of [['b', true], ['c', true], ['a', false]] as const) {
      assert.is((await send(port, 'ann', key)).headers.has('idempotent-replayed'), replays, key);
    }
    const waiting = ['d', 'e'].map((key) => send(port, 'ann', key, '"wait"'));
    await waitUntil(() => payments.count === 6, 'two that run');
    const { status, headers, body } = await send(port, 'ann', 'f');
    assert.is(status, 429, body);
    assert.ok(Number(headers.get('retry-after')) >= 59 && Number(headers.get('retry-after')) <= 60);
    assert.equal(errors, []);
    assert.is((await send(port, 'bob', 'f')).status, 200);
    gate.open();
    for (const response of await Promise.all(waiting)) assert.is(response.status, 200);
    assert.is((await send(port, 'ann', 'f')).status, 200);
  });
});
memory('has a quarter of max for each caller, and all of it where nobody names callers', async () => {
  for (const [caller, count] of [['ann', 25], [undefined, 100]] as const) {
    const keys = memoryIdempotencyStore({ max: 100 });
    const claims = Array.from({ length: 120 }, (_, key) => ({ key: `${key}`, fingerprint: 'f', ...(caller !== undefined && { caller }) }));
    for (const claim of claims) await keys.once(claim, async () => NOTHING);
    assert.is(await countKept(keys, claims), count);
  }
});
for (const [what, body, bytes] of [['text', 'x'.repeat(7_000), 7_000], ['text of two bytes each', 'é'.repeat(3_500), 7_000], ['bytes', new Uint8Array(7_000), 7_000], ['headers', undefined, 7_000]] as const) {
  memory(`holds maxBytes of ${what}, and no more`, async () => {
    const keys = memoryIdempotencyStore({ maxBytes: 1024 * 1024 });
    const headers: StoredResponse['headers'] = body === undefined ? { 'X-A': ['y'.repeat(bytes - 3)] } : {};
    const claims = Array.from({ length: 500 }, (_, key) => ({ key: `${key}`, fingerprint: 'f' }));
    for (const claim of claims) await keys.once(claim, async () => ({ status: 200, headers, body }));
    // Each key takes 512 bytes too.
    assert.is(await countKept(keys, claims), Math.floor((1024 * 1024 - 512) / (bytes + 512)));
  });
}
memory('keeps a response that is longer than maxBytes, alone', async () => {
  const keys = memoryIdempotencyStore({ maxBytes: 10_000 });
  const kept = async (key: string, length: number): Promise<boolean> => (
    await keys.once({ key, fingerprint: 'f' }, async () => ({ status: 200, headers: {}, body: 'x'.repeat(length) })) !== 'done'
  );
  assert.equal([await kept('a', 1), await kept('b', 20_000), await kept('b', 1), await kept('a', 1), await kept('a', 1), await kept('b', 1)],
    [false, false, true, false, true, false]);
});
memory('expires the key of a request that does not end; when that ends at last, the key is that of another request', async () => {
  const { now } = performance;
  const keys = memoryIdempotencyStore({ max: 1, ttlMs: 10 });
  const claim = { key: 'a', fingerprint: 'f' };
  const [first, second, third] = [new Gate(), new Gate(), new Gate()];
  const run = (gate: Gate, status: number, fails = false) => keys.once(claim, async () => {
    await gate.passed;
    if (fails) throw new Error('late');
    return { status, headers: {}, body: undefined };
  });
  try {
    performance.now = () => 0;
    const lost = run(first, 201, true);
    performance.now = () => 9;
    assert.is(await keys.once(claim, async () => NOTHING), 'running');
    performance.now = () => 10;
    const late = run(second, 202);
    performance.now = () => 20;
    const last = run(third, 203);
    first.open();
    assert.is(await lost.catch((error: Error) => error.message), 'late');
    second.open();
    assert.is(await late, 'done');
    assert.is(await keys.once(claim, async () => NOTHING), 'running');
    third.open();
    await last;
    assert.equal(await keys.once(claim, async () => NOTHING), { fingerprint: 'f', response: { status: 203, headers: {}, body: undefined } });
  } finally {
    performance.now = now;
  }
});
memory('keeps the same as a slow model, at random', async () => {
  const { now } = performance;
  const random = new Random(11);
  try {
    for (let round = 0; round < 20; round += 1) {
      const [max, maxPerCaller, maxBytes, ttlMs] = [1 + random.below(12), 1 + random.below(6), 512 * (1 + random.below(30)), 5 + random.below(60)];
      const keys = memoryIdempotencyStore({ max, maxPerCaller, maxBytes, ttlMs });
      let model: { key: string; caller: string | undefined; bytes: number; until: number; }[] = [];
      let changes = 0;
      const weights = new Map<string | undefined, { weight: number; since: number }>();
      const weigh = (caller: string | undefined): void => {
        const weight = model.filter((each) => each.caller === caller).reduce((sum, { bytes }) => sum + Math.ceil(bytes / 1024), 0);
        if (weights.get(caller)?.weight !== weight) weights.set(caller, { weight, since: (changes += 1) });
      };
      const remove = (entry: (typeof model)[number] | undefined): void => {
        model = model.filter((each) => each !== entry);
        if (entry !== undefined) weigh(entry.caller);
      };
      const heaviest = (): string | undefined => [...weights].filter(([, { weight }]) => weight > 0)
        .sort(([, a], [, b]) => b.weight - a.weight || a.since - b.since)[0]?.[0];
      const makeRoom = (count: number, bytes: number): void => {
        while (model.length > 0 && (model.length + count > max || model.reduce((sum, each) => sum + each.bytes, 0) + bytes > maxBytes)) {
          const caller = heaviest();
          remove(model.find((each) => each.caller === caller));
        }
      };
      for (let at = 0; at < 300; at += 1) {
        performance.now = () => at;
        const caller = random.pick([undefined, 'ann', 'bob', 'cid', 'dan']);
        const key = `${caller} ${random.below(8)}`;
        const length = random.below(3000);
        for (const expired of model.filter(({ until }) => until <= at)) remove(expired);
        const isKept = model.some((each) => each.key === key);
        const outcome = await keys.once({ key, fingerprint: 'f', ...(caller !== undefined && { caller }) }, async () => ({ status: 200, headers: {}, body: 'x'.repeat(length) }));
        assert.is(outcome !== 'done', isKept, `round ${round}, ${at}: ${key}`);
        if (isKept) continue;
        const own = model.filter((each) => each.caller === caller);
        if (caller !== undefined && own.length >= maxPerCaller) remove(own[0]);
        makeRoom(1, 512);
        makeRoom(0, 512 + length);
        model.push({ key, caller, bytes: 512 + length, until: at + ttlMs });
        weigh(caller);
      }
    }
  } finally {
    performance.now = now;
  }
});
memory('that expires has room again', async () => {
  const payments = new Payments(undefined, { keys: memoryIdempotencyStore({ max: 1, ttlMs: 30 }) });
  await servePayments(payments, async ({ port, errors }) => {
    await pay(port);
    await waitUntil(async () => (await pay(port, '1', ['Idempotency-Key: two'])).status === 200, 'room');
    assert.ok(payments.count === 2 && errors.every(({ message: text }) => text.includes('Too many requests with idempotency keys')));
  });
});
memory('frees what has expired, and nothing else, also after all of it was free', async () => {
  const { now } = performance;
  const keys = memoryIdempotencyStore({ max: 2, ttlMs: 10 });
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
  const payments = new Payments(() => { throw new Error('no'); }, { keys: memoryIdempotencyStore({ max: 1 }) });
  await servePayments(payments, async ({ port, errors }) => {
    for (const name of ['one', 'two', 'three']) assert.is((await pay(port, '1', [`Idempotency-Key: ${name}`])).status, 500);
    assert.equal([payments.count, errors.length], [3, 3]);
  });
});

const quotas = suite('the quota of a caller in memoryIdempotencyStore');
for (const [max, perCaller] of [[1, 1], [3, 1], [4, 1], [5, 2], [8, 2]] as const) {
  quotas(`is ${perCaller} of ${max} keys by default`, async () => {
    const store = memoryIdempotencyStore({ max });
    const claim = (key: number): IdempotencyClaim => ({ key: `${key}`, fingerprint: '', caller: 'ann' });
    const response = { status: 200, headers: {}, body: '1' };
    for (let key = 0; key <= perCaller; key += 1) assert.is(await store.once(claim(key), async () => response), 'done');
    assert.equal(await store.once(claim(1), () => Promise.reject(new Error('ran again'))), { fingerprint: '', response });
    assert.is(await store.once(claim(0), async () => response), 'done', 'the oldest is removed');
  });
}
