/** Which connections of a pool are held, and until when: nothing waits for one that is held by what waits for it, and none is held for ever. */
import { getEventListeners } from 'node:events';
import { ndjson } from '../../src/formats/index.ts';
import { ApiServer, bytes, defineEndpoint, integerId, type Interceptor } from '../../src/index.ts';
import { idempotent, type IdempotencyStore } from '../../src/interceptors/index.ts';
import { inTransaction, postgresEvents, postgresIdempotencyStore, transaction } from '../../src/postgres/index.ts';
import { runTransaction, type TransactionSettings } from '../../src/postgres/run-transaction.ts';
import { BoundedPool } from '../support/bounded-pool.ts';
import { FakeClock, settle } from '../support/fake-clock.ts';
import { FakePool, FakeShared, pgError, QueuedShared, type Respond } from '../support/fake-pool.ts';
import { assert, Gate, message, RawClient, send, serve, suite, waitUntil } from '../support/facts.ts';

const SETTINGS = { isolation: undefined };
const capture = (promise: Promise<unknown>): Promise<unknown> => promise.then(() => 'no error', (error: unknown) => error);

interface Declared {
  readonly use: Interceptor<any> | Interceptor<any>[];
  readonly get: () => Promise<unknown>;
  readonly more?: object;
  readonly run?: (tx: FakePool) => Promise<unknown>;
}

/** Serves an item whose `patch` runs in interceptors. Resolves to a function that sends it. */
function servePet({ use, get, more = {}, run = (tx) => tx.query('UPDATE') }: Declared): (headers: Record<string, string>) => Promise<number> {
  const server = new ApiServer('', { logger: { info: () => {}, error: () => {} } });
  server.registerEndpoints({
    '/pet': defineEndpoint({
      id: integerId, get, version: ({ revision }: { readonly revision: number }) => revision,
      patch: { use, input: (json: unknown) => json, run: async (_id: number, _pet: unknown, { tx }: { readonly tx: FakePool }) => void await run(tx) },
      ...more,
    } as never),
  });
  return async (headers) => {
    const init = { method: 'PATCH', body: '{}', headers: { 'Content-Type': 'application/json', ...headers } };
    return (await server.fetch('http://localhost/pet/1', init)).status;
  };
}

const together = suite('J6: as many changes with conditions at the same time as the pool has connections, and more');
/** A database in which every key is free. */
const FREE: Respond = (text) => {
  if (text.startsWith('SELECT revision')) return [{ revision: 1 }];
  if (text.includes('pg_try_advisory_xact_lock')) return [{ is_free: true }];
  return text.startsWith('SELECT') ? [] : [{ one: 1 }];
};
/** A database in which a channel has no events. */
const NO_EVENTS: Respond = (text) => {
  if (text.startsWith('SELECT pg_snapshot_xmin')) return [{ xid: '1', id: '0', line: '' }];
  return text.startsWith('WITH RECURSIVE') ? [{ xid: '1', id: null, line: '', is_pending: false }] : [];
};
const caller = (): string => 'ann';
const USES = {
  transaction: (pool: FakePool) => transaction(pool),
  keys: (pool: FakePool) => idempotent(postgresIdempotencyStore(pool), { caller }) as Interceptor<any>,
  'claims and transaction': (pool: FakePool) => [idempotent(postgresIdempotencyStore(pool, { transaction: false }), { caller }), transaction(pool)] as Interceptor<any>[],
};
const CONDITIONS: Readonly<Record<string, Record<string, string>>> = {
  'no condition': {}, 'If-Match: *': { 'If-Match': '*' }, 'the version': { 'If-Match': '"1"' },
  'a date': { 'If-Unmodified-Since': 'Sun, 06 Nov 1994 08:49:37 GMT' },
};
for (const max of [1, 2, 3, 10]) {
  for (const [what, makeUse] of Object.entries(USES)) {
    for (const [condition, headers] of Object.entries(CONDITIONS)) {
      together(`${max + 2} and ${condition}, ${what}, a pool of ${max}`, async () => {
        const pool = new BoundedPool(max, FREE);
        const patch = servePet({ use: makeUse(pool), get: async () => (await pool.query('SELECT revision')).rows[0] });
        const statuses = await Promise.all(Array.from({ length: max + 2 }, (_, at) => patch({ 'Idempotency-Key': `"${at}"`, ...headers })));
        assert.equal([...new Set(statuses)], [204]);
        assert.is(pool.open.size, 0);
      });
    }
  }
}
const SHARED = 'one connection for all';
for (const max of [1, 2, 5, SHARED] as const) {
  for (const [what, makeUse] of Object.entries(USES)) {
    together(`6 whose context, get or currentVersion, and interceptors read in transactions of their own, ${what}, a pool of ${max}`, async () => {
      const pool = max === SHARED ? new QueuedShared(new FakePool(FREE)) : new BoundedPool(max, FREE);
      const read = (): Promise<{ readonly revision: number }> => inTransaction(pool, async (tx) => (await tx.query('SELECT name'), await tx.query('SELECT revision')).rows[0]);
      const reader: Interceptor = { around: async (_call, run) => (await read(), run()) };
      const inner = makeUse(pool as FakePool);
      const use = [reader, ...Array.isArray(inner) ? inner : [inner], reader];
      for (const more of [{}, { currentVersion: async () => (await read()).revision }]) {
        const patch = servePet({ use, get: read, more: { context: async () => (await read(), 'ann'), ...more } });
        const statuses = await Promise.all(Array.from({ length: 6 }, (_, at) => patch({ 'Idempotency-Key': `"${at}"`, 'If-Match': '"1"' })));
        assert.equal([...new Set(statuses)], [204]);
      }
    });
  }
}
for (const max of [2, 3, 10]) {
  together(`${max + 2} that use the pool within their transaction, a pool of ${max}`, async () => {
    const pool = new BoundedPool(max);
    const results = await Promise.all(Array.from({ length: max + 2 }, () => runTransaction(pool, SETTINGS, async () => (await pool.query('SELECT 1'), 'done'))));
    assert.equal([...new Set(results)], ['done']);
  });
}
together('12 in the transactions of two pools of one', async () => {
  const [one, two] = [new BoundedPool(1, FREE), new BoundedPool(1, FREE)];
  const named = (pool: FakePool): Interceptor => ({ around: (call, run) => transaction(pool).around(call, ({ tx }) => run({ [pool === one ? 'tx' : 'other']: tx })) });
  const patch = servePet({ use: [named(one), named(two)], get: async () => (await one.query('SELECT revision')).rows[0] });
  const statuses = await Promise.all(Array.from({ length: 12 }, () => patch({ 'If-Match': '"1"' })));
  assert.equal([...new Set(statuses)], [204]);
});
for (const [what, max, isRead, streams, input, type] of [
  ['lines', 5, false, 2, ndjson((json: unknown) => json), 'application/x-ndjson'], ['bytes', 5, false, 2, bytes(), 'application/octet-stream'],
  ['bytes', 3, false, 1, bytes(), 'application/octet-stream'], ['bytes', 3, true, 1, bytes(), 'application/octet-stream'],
  ['bytes', 4, true, 1, bytes(), 'application/octet-stream'], ['bytes', 2, false, 0, bytes(), 'application/octet-stream'],
] as const) {
  together(`5 clients that send ${what} slowly, a pool of ${max}, events are ${isRead ? '' : 'not '}read: ${streams} connections are held, and transactions go on`, async () => {
    const pool = new BoundedPool(max, NO_EVENTS);
    const reader = postgresEvents(pool, { channel: 'a' }).read();
    const reading = isRead ? reader.next() : undefined;
    const listens = isRead && max > 3;
    if (listens) await waitUntil(() => pool.log.includes('LISTEN'), 'a connection that listens');
    const read = async (body: AsyncIterable<unknown>, { tx }: { readonly tx: FakePool }): Promise<string> => {
      for await (const _ of body) await tx.query('INSERT');
      return 'read';
    };
    await serve((server) => {
      server.registerEndpoint('/body', defineEndpoint({ custom: { send: { use: transaction(pool), input: input as never, run: read as never } } }));
      server.registerEndpoint('/a', defineEndpoint({ custom: { go: { use: transaction(pool), run: () => 1 } } }));
    }, async ({ port, errors }) => {
      const slow = await Promise.all(Array.from({ length: 5 }, () => RawClient.connect(port)));
      for (const client of slow) client.send(`POST /v1/body/send HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n1\n\r\n`);
      await waitUntil(() => pool.log.filter((each) => each === 'INSERT').length === streams, 'the first lines');
      assert.equal(await Promise.all([1, 2, 3].map(async () => (await send(port, message('POST', '/v1/a/go'))).status)), [200, 200, 200]);
      assert.is(pool.open.size, streams + Number(listens));
      for (const client of slow) client.send('0\r\n\r\n');
      await waitUntil(() => pool.log.filter((each) => each === 'COMMIT').length === (streams === 0 ? 3 : 8), 'the end of all');
      await waitUntil(() => errors.length === (streams === 0 ? 5 : 0), 'the errors');
      for (const client of slow) client.destroy();
    });
    await reader.return?.();
    await reading;
  });
}
together('a stream in the transaction of a pool of 2 is a 503 that says what it needs, and in that of one connection for all it is read', async () => {
  const [pool, settings] = [new BoundedPool(2), { ...SETTINGS, readsStream: true }];
  const { status, cause } = await capture(runTransaction(pool, settings, async () => 'done')) as Error & { readonly status: number };
  assert.equal([status, String(cause)], [503, 'Error: The pool has no connection for an operation that reads a stream: it needs a max of at least 3.']);
  assert.is(await runTransaction(new FakeShared(pool), settings, async () => 'done'), 'done');
});
for (const [what, fail] of [['rejects', () => Promise.reject(new Error('none'))], ['throws', () => { throw new Error('none'); }]] as const) {
  together(`a pool that ${what} instead of connecting: 503, and no slot is lost, by a reader of events either`, async () => {
    const pool = new FakePool(NO_EVENTS);
    pool.options = { max: 4 };
    const connect = pool.connect.bind(pool);
    pool.connect = fail as never;
    const failure = await capture(runTransaction(pool, SETTINGS, async () => 'done')) as { readonly status?: number };
    assert.is(failure.status, 503);
    await FakeClock.during(async (clock) => {
      const reader = postgresEvents(pool, { channel: 'a' }).read();
      const reading = reader.next();
      for (let second = 0; second < 5; second += 1) await clock.advance(1000);
      await reader.return?.();
      await reading;
    });
    pool.connect = connect;
    const gate = new Gate();
    const all = Array.from({ length: 3 }, () => runTransaction(pool, SETTINGS, () => gate.passed));
    await settle();
    assert.is(pool.open.size, 3);
    gate.open();
    await Promise.all(all);
  });
}

const order = suite('V18: the conditions of a change in a transaction');
for (const [what, headers, status, log] of [
  ['are compared before it takes a connection', { 'If-Match': '"1"' }, 204, ['get', 'connect', 'BEGIN', 'UPDATE', 'COMMIT', 'release']],
  ['are not met: nothing is begun', { 'If-Match': '"2"' }, 412, ['get']],
  ['are none', {}, 204, ['connect', 'BEGIN', 'UPDATE', 'COMMIT', 'release']],
] as const) {
  order(what, async () => {
    const pool = new FakePool();
    const patch = servePet({ use: transaction(pool), get: async () => (pool.log.push('get'), { revision: 1 }) });
    assert.is(await patch(headers as Record<string, string>), status);
    assert.equal(pool.log, log);
  });
}
order('currentVersion is called within it', async () => {
  const pool = new FakePool((text) => (text.startsWith('SELECT') ? [{ revision: 1 }] : []));
  const currentVersion = async (_id: number, { tx }: { readonly tx: FakePool }): Promise<number> => (await tx.query('SELECT')).rows[0].revision;
  const patch = servePet({ use: transaction(pool), get: async () => assert.unreachable(), more: { currentVersion } });
  assert.is(await patch({ 'If-Match': '"1"' }), 204);
  assert.equal(pool.log, ['connect', 'BEGIN', 'SELECT', 'UPDATE', 'COMMIT', 'release']);
});
for (const [what, makeUse] of Object.entries({ transaction: USES.transaction, keys: USES.keys })) {
  order(`are compared again after a serialization failure, ${what}: the item has changed meanwhile -> 412`, async () => {
    let revision = 1;
    let runs = 0;
    const pool = new FakePool(FREE);
    const patch = servePet({
      use: makeUse(pool), get: async () => ({ revision }),
      run: async () => {
        runs += 1;
        revision = 2;
        throw pgError('40001');
      },
    });
    assert.is(await patch({ 'If-Match': '"1"', 'Idempotency-Key': '"a"' }), 412);
    assert.equal([runs, pool.open.size], [1, 0]);
  });
}
order('the inner of two transactions is repeated: they are compared again', async () => {
  let revision = 1;
  const [outer, inner] = [new FakePool(), new FakePool()];
  const wrapped: Interceptor = { around: (call, run) => transaction(inner).around(call, () => run({})) };
  const patch = servePet({
    use: [transaction(outer), wrapped], get: async () => ({ revision }),
    run: async () => {
      revision = 2;
      throw pgError('40001');
    },
  });
  assert.is(await patch({ 'If-Match': '"1"' }), 412);
  assert.is(inner.log.filter((each) => each === 'BEGIN').length, 2);
});

const ROW = { fingerprint: '', status: 204, headers: '{}', body: null };
const replayed = suite('K1: a stored response, and conditions');
/** A pool with a table of one key. */
function makeKeys(): { readonly pool: FakePool; countStored(): number } {
  let stored: readonly object[] = [];
  const pool = new FakePool((text, values) => {
    if (text.startsWith('SELECT fingerprint')) return stored;
    if (text.startsWith('INSERT')) stored = [{ ...ROW, fingerprint: values[1] }];
    return FREE(text, values);
  });
  return { pool, countStored: () => stored.length };
}
const KEYED = { 'If-Match': '"1"', 'Idempotency-Key': '"a"' };
replayed('is found first: its condition is not compared again, and no transaction is begun', async () => {
  const { pool } = makeKeys();
  let revision = 1;
  const patch = servePet({ use: idempotent(postgresIdempotencyStore(pool)) as Interceptor<any>, get: async () => ({ revision }), run: async () => { revision = 2; } });
  assert.is(await patch(KEYED), 204);
  const before = pool.log.length;
  assert.is(await patch(KEYED), 204);
  assert.equal(pool.log.slice(before).filter((each) => each !== 'DELETE'), ['SELECT']);
});
replayed('is found after a 412: the first request ended while get was called', async () => {
  const { pool } = makeKeys();
  let revision = 1;
  let gate: Gate | undefined;
  let isAsked = false;
  const get = async (): Promise<object> => {
    isAsked = true;
    await gate?.passed;
    return { revision };
  };
  const patch = servePet({ use: idempotent(postgresIdempotencyStore(pool)) as Interceptor<any>, get, run: async () => { revision = 2; } });
  // The second request finds no response, and waits in `get`.
  const waiting = (gate = new Gate());
  const second = patch(KEYED);
  while (!isAsked) await settle();
  gate = undefined;
  assert.is(await patch(KEYED), 204);
  waiting.open();
  assert.is(await second, 204);
  assert.is(pool.log.filter((each) => each === 'COMMIT').length, 1);
});
replayed('is not there: 412, and the key is free', async () => {
  const { pool, countStored } = makeKeys();
  const patch = servePet({ use: idempotent(postgresIdempotencyStore(pool)) as Interceptor<any>, get: async () => ({ revision: 2 }) });
  assert.is(await patch(KEYED), 412);
  assert.equal([countStored(), pool.log], [0, ['SELECT', 'SELECT']]);
});
replayed('without a key: 412, and the table is not read', async () => {
  const { pool } = makeKeys();
  const patch = servePet({ use: idempotent(postgresIdempotencyStore(pool)) as Interceptor<any>, get: async () => ({ revision: 2 }) });
  assert.is(await patch({ 'If-Match': '"1"' }), 412);
  assert.equal(pool.log, []);
});
for (const [what, wrap, log] of [
  ['passes the conditions on', (store): IdempotencyStore => ({ once: (claim, run, conditions) => store.once(claim, run, conditions) }),
    ['SELECT', 'get', 'connect']],
  ['does not: they are compared within the transaction',
    (store): IdempotencyStore => ({ once: (claim, run) => store.once(claim, run) }), ['connect', 'BEGIN', 'SELECT', 'SELECT', 'get']],
] as readonly (readonly [string, (store: IdempotencyStore<any, any>) => IdempotencyStore, string[]])[]) {
  replayed(`a store of the user around it ${what}`, async () => {
    const { pool } = makeKeys();
    const store = wrap(postgresIdempotencyStore(pool));
    const patch = servePet({ use: idempotent(store) as Interceptor<any>, get: async () => (pool.log.push('get'), { revision: 1 }) });
    assert.is(await patch(KEYED), 204);
    assert.equal(pool.log.slice(0, log.length), log);
  });
}

const ended = suite('J7: a transaction whose signal aborts');
const DEADLINE = new DOMException('too long', 'TimeoutError');
const LEFT = new DOMException('the client left', 'AbortError');
const never = (): Promise<never> => new Promise(() => {});
const limits = (signal: AbortSignal, operationMs = 1000): TransactionSettings<any> => ({ ...SETTINGS, signal, operationMs });

for (const [what, begin] of [
  ['before it begins', (pool, signal) => runTransaction(pool, limits(signal), never)],
  ['while `get` is called for its conditions', (pool, signal) => runTransaction(pool, { ...limits(signal), prepare: never }, never)],
  ['while it waits for a connection', (pool, signal) => (pool.connect = never, runTransaction(pool, limits(signal), never))],
] as readonly (readonly [string, (pool: FakePool, signal: AbortSignal) => Promise<unknown>])[]) {
  ended(`${what} ends at once`, () => FakeClock.during(async (clock) => {
    const pool = new FakePool();
    pool.options = { max: 2 };
    const client = new AbortController();
    if (what === 'before it begins') client.abort(LEFT);
    const waiting = capture(begin(pool, client.signal));
    await settle();
    client.abort(LEFT);
    assert.is(await waiting, LEFT);
    assert.equal([clock.pending, pool.open.size, getEventListeners(client.signal, 'abort').length], [0, 0, 0]);
    assert.not.ok(pool.log.includes('BEGIN'));
  }));
}
ended('while it waits for a connection, which then comes: it goes back, and only then the next takes its place', async () => {
  const pool = new FakePool();
  pool.options = { max: 2 };
  const gate = new Gate();
  const connect = pool.connect.bind(pool);
  pool.connect = async () => (pool.log.push('wait'), await gate.passed, connect());
  const client = new AbortController();
  const waiting = capture(runTransaction(pool, limits(client.signal), never));
  const next = runTransaction(pool, SETTINGS, async () => 'done');
  await settle();
  client.abort(LEFT);
  assert.is(await waiting, LEFT);
  await settle();
  assert.equal(pool.log, ['wait']);
  gate.open();
  assert.is(await next, 'done');
  assert.equal(pool.log, ['wait', 'connect', 'release', 'wait', 'connect', 'BEGIN', 'COMMIT', 'release']);
});
ended('while it waits for a connection, and none comes: the next takes its place', async () => {
  const pool = new FakePool();
  pool.options = { max: 2 };
  const gate = new Gate();
  const connect = pool.connect.bind(pool);
  pool.connect = async () => (await gate.passed, Promise.reject(new Error('timeout exceeded')));
  const client = new AbortController();
  const waiting = capture(runTransaction(pool, limits(client.signal), never));
  const next = runTransaction(pool, SETTINGS, async () => 'done');
  await settle();
  client.abort(LEFT);
  assert.is(await waiting, LEFT);
  pool.connect = connect;
  gate.open();
  assert.is(await next, 'done');
});
ended('when its conditions are compared: nothing is begun', async () => {
  const pool = new FakePool();
  const client = new AbortController();
  const prepare = async (): Promise<undefined> => client.abort(LEFT) as undefined;
  assert.is(await capture(runTransaction(pool, { ...limits(client.signal), prepare }, never)), LEFT);
  assert.equal(pool.log, []);
});
for (const [what, respond, run] of [
  ['its function never ends', () => [], never],
  ['a statement never ends', (text) => (text === 'SELECT' ? never() : []), (tx) => tx.query('SELECT')],
  ['its BEGIN never ends', (text) => (text === 'BEGIN' ? never() : []), async () => 'done'],
  ['its ROLLBACK never ends', (text) => (text === 'ROLLBACK' ? never() : []), () => Promise.reject(new Error('no'))],
] as readonly (readonly [string, Respond, (tx: FakePool) => Promise<unknown>])[]) {
  for (const [why, reason, ms] of [['the deadline', DEADLINE, 5000], ['its client has left', LEFT, 6000]] as const) {
    ended(`${what}: its connection is closed ${ms} ms after ${why}`, () => FakeClock.during(async (clock) => {
      const pool = new FakePool(respond);
      const client = new AbortController();
      const running = capture(runTransaction(pool, limits(client.signal), run));
      await settle();
      client.abort(reason);
      await clock.advance(ms - 1);
      assert.is(pool.open.size, 1);
      await clock.advance(1);
      const error = await running as Error;
      if (what !== 'its ROLLBACK never ends') {
        assert.match(error.message, 'The transaction was given up: what runs in it went on after its signal had aborted.');
        assert.is(error.cause, reason);
      }
      assert.equal([pool.open.size, pool.log.at(-1), clock.pending, getEventListeners(client.signal, 'abort').length], [0, 'close', 0, 0]);
    }));
  }
}
for (const [what, operationMs, reason, ms] of [
  ['the longest limit', 2 ** 31 - 1, LEFT, 2 ** 31 - 1],
  ['no operation, but a signal of its own', undefined, LEFT, 5000],
] as const) {
  ended(`its function never ends, ${what}: closed after ${ms} ms`, () => FakeClock.during(async (clock) => {
    const pool = new FakePool();
    const client = new AbortController();
    const running = capture(runTransaction(pool, { ...SETTINGS, signal: client.signal, operationMs }, never));
    await settle();
    client.abort(reason);
    await clock.advance(ms - 1);
    assert.is(pool.open.size, 1);
    await clock.advance(1);
    assert.instance(await running, Error);
    assert.is(pool.open.size, 0);
  }));
}
ended('its function ends in time: it is committed, and no timer is left', () => FakeClock.during(async (clock) => {
  const pool = new FakePool();
  const client = new AbortController();
  const gate = new Gate();
  const running = runTransaction(pool, limits(client.signal), async () => (await gate.passed, 'done'));
  await settle();
  client.abort(DEADLINE);
  await clock.advance(4999);
  assert.is(clock.pending, 1);
  gate.open();
  assert.is(await running, 'done');
  assert.equal([pool.log, clock.pending, getEventListeners(client.signal, 'abort').length], [['connect', 'BEGIN', 'COMMIT', 'release'], 0, 0]);
}));
ended('without a limit of its operation, it may go on after its client has left', () => FakeClock.during(async (clock) => {
  const pool = new FakePool();
  const client = new AbortController();
  const gate = new Gate();
  const running = runTransaction(pool, limits(client.signal, 0), async () => (await gate.passed, 'done'));
  await settle();
  client.abort(LEFT);
  assert.is(clock.pending, 0);
  gate.open();
  assert.is(await running, 'done');
}));
ended('a COMMIT is never interrupted', () => FakeClock.during(async (clock) => {
  const gate = new Gate();
  const pool = new FakePool((text) => (text === 'COMMIT' ? gate.passed.then(() => []) : []));
  const client = new AbortController();
  const running = runTransaction(pool, limits(client.signal), async () => 'done');
  await settle();
  client.abort(DEADLINE);
  await clock.advance(60_000);
  assert.is(pool.open.size, 1);
  gate.open();
  assert.is(await running, 'done');
  assert.is(pool.log.at(-1), 'release');
}));
ended('the one connection of all rolls back', () => FakeClock.during(async (clock) => {
  const pool = new FakePool();
  const client = new AbortController();
  const running = capture(runTransaction(new FakeShared(pool), limits(client.signal), never));
  await settle();
  client.abort(DEADLINE);
  await clock.advance(5000);
  assert.match((await running as Error).message, 'The transaction was given up');
  assert.equal([pool.log.at(-1), clock.pending, getEventListeners(client.signal, 'abort').length], ['rollback', 0, 0]);
}));
for (const [what, use] of [['transaction', USES.transaction], ['keys', USES.keys]] as const) {
  ended(`of an operation, ${what}: a client that leaves while it waits for a slot`, async () => {
    const pool = new FakePool(FREE);
    pool.options = { max: 1 };
    const gate = new Gate();
    const server = new ApiServer('', { logger: { info: () => {}, error: () => {} } });
    server.registerEndpoints({ '/a': defineEndpoint({ custom: { go: { use: use(pool) as Interceptor<any>, run: async () => (await gate.passed, 1) } } }) });
    const go = (signal?: AbortSignal): Promise<unknown> => capture(server.fetch('http://localhost/a/go', { method: 'POST', ...(signal && { signal }) }));
    const first = go();
    while (!pool.log.includes('BEGIN')) await settle();
    const client = new AbortController();
    const left = go(client.signal);
    await settle();
    client.abort(LEFT);
    assert.is(await left, LEFT);
    gate.open();
    assert.is(await first, 'no error');
    assert.is(await go(), 'no error');
    assert.is(pool.log.filter((each) => each === 'BEGIN').length, 2);
  });
}
for (const [what, use] of [['transaction', USES.transaction], ['keys', USES.keys]] as const) {
  for (const [why, leaves, ms] of [['the deadline', false, 5000], ['its client has left', true, 6000]] as const) {
    ended(`of an operation, ${what}, after ${why}: its connection is closed, and an error logged`, () => FakeClock.during(async (clock) => {
      const errors: string[] = [];
      const server = new ApiServer('', { logger: { info: () => {}, error: ({ message }) => void errors.push(message) }, limits: { operationMs: 1000 } });
      const pool = new FakePool(FREE);
      server.registerEndpoints({ '/a': defineEndpoint({ custom: { go: { use: use(pool) as Interceptor<any>, run: never } } }) });
      const client = new AbortController();
      const response = capture(server.fetch('http://localhost/a/go', { method: 'POST', signal: client.signal }));
      while (!pool.log.includes('BEGIN')) await settle();
      if (leaves) client.abort(LEFT);
      else await clock.advance(1000);
      await response;
      await clock.advance(ms - 1);
      assert.is(pool.open.size, 1);
      await clock.advance(1);
      assert.equal([pool.open.size, pool.log.at(-1), clock.pending], [0, 'close', 0]);
      assert.equal(errors, [
        ...(leaves ? [] : ['POST /a/go: the operation took longer than 1000 ms']),
        'POST /a/go: Internal error: The transaction was given up: what runs in it went on after its signal had aborted.',
      ]);
    }));
  }
}
