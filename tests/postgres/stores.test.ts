/** The stores of keys and of quotas, by a pool that logs their statements. `npm run test:postgres` has the same over PostgreSQL. */
import { createHash } from 'node:crypto';
import { mock } from 'node:test';
import { ApiServer, problem } from '../../src/index.ts';
import { idempotent } from '../../src/interceptors/index.ts';
import { keyset, postgresEvents, postgresIdempotencyStore, type PostgresPool, type PostgresQueries, postgresRates, postgresTables } from '../../src/postgres/index.ts';
import { runTransaction } from '../../src/postgres/run-transaction.ts';
import { Sweeper } from '../../src/postgres/sweeper.ts';
import { FakePool, FakeShared, foundTable, pgError, type Respond } from '../support/fake-pool.ts';
import { assert, delay, suite } from '../support/facts.ts';

const CLAIM = { key: 'one', fingerprint: 'a', caller: 'ann' };
const RESPONSE = { status: 200, headers: { 'X-A': 'b' }, body: '{"paid":1}' };
const ROW = { fingerprint: 'a', status: 200, headers: '{"X-A":"b"}', body: new Uint8Array([1]) };
const KEPT = { fingerprint: 'a', response: { status: 200, headers: { 'X-A': 'b' }, body: new Uint8Array([1]) } };
const capture = (promise: Promise<unknown>): Promise<unknown> => promise.then(() => 'no error', (error: unknown) => error);

/** Responds to the statements that contain a text. */
const rowsOf = (table: Readonly<Record<string, readonly unknown[]>>): Respond => (text) => {
  return Object.entries(table).find(([part]) => text.includes(part))?.[1] ?? [];
};

const together = suite('K6 J4: keys in the transaction of the operation');
const FREE = { pg_try_advisory_xact_lock: [{ is_free: true }] };
together('a new key: its response is stored before the commit', async () => {
  const pool = new FakePool(rowsOf(FREE));
  const store = postgresIdempotencyStore(pool, { isolation: 'serializable' });
  assert.is(await store.once(CLAIM, async ({ tx }) => (await tx.query('UPDATE'), RESPONSE)), 'done');
  assert.equal(pool.log, ['connect', 'BEGIN', 'SELECT', 'SELECT', 'UPDATE', 'INSERT', 'COMMIT', 'release', 'DELETE']);
  assert.equal(pool.statements[4]?.values, ['one', 'a', 'ann', 200, '{"X-A":"b"}', Buffer.from(RESPONSE.body), 86_400_000]);
});
together('a stored key, and one that runs: the operation is not called', async () => {
  for (const [row, isFree, expected] of [[ROW, true, KEPT], [{ ...ROW, body: null }, true, { ...KEPT, response: { ...KEPT.response, body: undefined } }], [{ ...ROW, status: null }, true, 'running'], [ROW, false, KEPT], [undefined, false, 'running']] as const) {
    const pool = new FakePool(rowsOf({ pg_try_advisory_xact_lock: [{ is_free: isFree }], 'SELECT fingerprint': row === undefined ? [] : [row] }));
    assert.equal(await postgresIdempotencyStore(pool).once(CLAIM, () => Promise.reject(new Error('it runs'))), expected);
    assert.equal(pool.open.size, 0);
  }
});
for (const [what, isInside, log] of [
  ['after the transaction, which may not see it', false, ['connect', 'BEGIN', 'SELECT', 'COMMIT', 'release', 'SELECT']],
  ['by the transaction that it has joined', true, ['connect', 'BEGIN', 'SELECT', 'SELECT', 'COMMIT', 'release']],
] as const) {
  together(`a stored key whose lock somebody else has is found ${what}`, async () => {
    const pool = new FakePool(rowsOf({ pg_try_advisory_xact_lock: [{ is_free: false }], 'SELECT fingerprint': [ROW] }));
    const once = (): Promise<unknown> => postgresIdempotencyStore(pool).once(CLAIM, () => Promise.reject(new Error('it runs')));
    assert.equal(await (isInside ? runTransaction(pool, { isolation: undefined }, once) : once()), KEPT);
    assert.equal(pool.log, log);
    assert.match(pool.statements.find(({ text }) => text.includes('SELECT fingerprint'))?.text ?? '', 'FROM public."restpoint_key"');
  });
}
together('documents and clients know of the 503 of a database that is away, with a transaction or without', () => {
  const pool = new FakePool();
  for (const store of [postgresIdempotencyStore(pool), postgresIdempotencyStore(pool, { transaction: false })]) assert.equal(store.errors, { 503: null });
});
together('without a key, the operation runs in a transaction', async () => {
  const pool = new FakePool();
  assert.is(await postgresIdempotencyStore(pool).once(undefined, async ({ tx }) => (await tx.query('UPDATE'), RESPONSE)), 'done');
  assert.equal(pool.log, ['connect', 'BEGIN', 'UPDATE', 'COMMIT', 'release']);
});
for (const [what, options, log] of [
  ['in a transaction is rolled back', {}, ['connect', 'BEGIN', 'SELECT', 'SELECT', 'UPDATE', 'ROLLBACK', 'release']],
  ['without one frees its key', { transaction: false }, ['INSERT', 'UPDATE', 'DELETE']],
] as const) {
  together(`a returned 503 ${what}: neither it nor what the operation has changed stays`, async () => {
    const pool = new FakePool(rowsOf({ ...FREE, 'INSERT INTO': [{ one: 1 }] }));
    const run = async (request: { readonly tx?: any }): Promise<unknown> => (await (request.tx ?? pool).query('UPDATE'), problem(503, 'Later.'));
    const server = new ApiServer('', { logger: { info: () => {}, error: () => {} } });
    server.registerEndpoint('/a', { custom: { go: { use: idempotent(postgresIdempotencyStore(pool, options as never)), run } } } as never);
    assert.is((await server.fetch('/a/go', { method: 'POST', headers: { 'Idempotency-Key': 'a' } })).status, 503);
    assert.equal(pool.log, log);
  });
}

const apart = suite('J2 J4: keys without a transaction');
const CLAIMED = { 'INSERT INTO': [{ one: 1 }], UPDATE: [{ one: 1 }] };
apart('a new key is claimed before the operation runs, and its response is stored after', async () => {
  const pool = new FakePool(rowsOf(CLAIMED));
  const store = postgresIdempotencyStore(pool, { transaction: false });
  const bytes = new Uint8Array([7]);
  const once = store.once(CLAIM, async (adds) => {
    assert.equal([adds, pool.log], [{}, ['INSERT']]);
    return { ...RESPONSE, body: bytes };
  });
  assert.is(await once, 'done');
  assert.equal(pool.log, ['INSERT', 'UPDATE', 'DELETE']);
  assert.is(pool.statements[1]?.values[4], bytes);
  assert.equal(await store.once(undefined, async () => RESPONSE), 'done');
  assert.is(pool.log.length, 3);
});
apart('a claim is renewed while the operation runs', async () => {
  mock.timers.enable({ apis: ['setInterval'] });
  try {
    let fails = true;
    const pool = new FakePool((text) => {
      if (!text.startsWith('UPDATE') || !fails) return [{ one: 1 }];
      fails = false;
      throw pgError('57P01');
    });
    await postgresIdempotencyStore(pool, { transaction: false }).once(CLAIM, async () => {
      for (let turn = 0; turn < 2; turn += 1) {
        mock.timers.tick(5000);
        await delay(1);
      }
      return RESPONSE;
    });
    assert.equal(pool.log, ['INSERT', 'UPDATE', 'UPDATE', 'UPDATE', 'DELETE']);
  } finally {
    mock.timers.reset();
  }
});
apart('a stored key, one that runs, and one whose row is removed again and again', async () => {
  for (const [rows, expected] of [[[ROW], KEPT], [[{ ...ROW, status: null }], 'running'], [[], 'running']] as const) {
    const pool = new FakePool(rowsOf({ 'SELECT fingerprint': rows }));
    assert.equal(await postgresIdempotencyStore(pool, { transaction: false }).once(CLAIM, () => Promise.reject(new Error('it runs'))), expected);
  }
});
apart('a failure frees the key, even if that fails too', async () => {
  for (const fails of [false, true]) {
    const pool = new FakePool((text) => {
      if (fails && text.startsWith('DELETE')) throw pgError('23000');
      return [{ one: 1 }];
    });
    const error = await capture(postgresIdempotencyStore(pool, { transaction: false }).once(CLAIM, () => Promise.reject(new Error('no paper'))));
    assert.match(String(error), 'no paper');
    assert.equal(pool.log, ['INSERT', 'DELETE']);
  }
});
apart('a key whose response cannot be stored is not free: the operation has succeeded', async () => {
  const pool = new FakePool((text) => {
    if (text.startsWith('UPDATE')) throw pgError('08006');
    return [{ one: 1 }];
  });
  const error = await capture(postgresIdempotencyStore(pool, { transaction: false }).once(CLAIM, async () => RESPONSE));
  assert.is((error as { readonly status?: number }).status, 503);
  assert.equal(pool.log, ['INSERT', 'UPDATE']);
});
for (const [word, run, log] of [
  ['DELETE', async (): Promise<never> => { throw new Error('no paper'); }, ['INSERT', 'DELETE', 'DELETE', 'DELETE']],
  ['UPDATE', async () => RESPONSE, ['INSERT', 'UPDATE', 'UPDATE', 'UPDATE']],
] as const) {
  apart(`while the database is lost, ${word} of a claim is repeated until it succeeds, and the client does not wait for it`, async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      let left = 2;
      const pool = new FakePool((text) => {
        if (text.startsWith(word) && (left -= 1) >= 0) throw pgError('57P03');
        return [{ one: 1 }];
      });
      await capture(postgresIdempotencyStore(pool, { transaction: false }).once(CLAIM, run));
      assert.is(pool.log.length, 2);
      for (let turn = 0; turn < 5; turn += 1) {
        mock.timers.tick(500);
        for (let task = 0; task < 9; task += 1) await Promise.resolve();
      }
      assert.equal(pool.log, log);
    } finally {
      mock.timers.reset();
    }
  });
}
for (const [what, code] of [['no longer than the claim lasts', '57P03'], ['not for a different error', '42P01']] as const) {
  apart(`a statement of a claim is repeated ${what}`, async () => {
    const now = mock.method(performance, 'now', () => 0);
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const pool = new FakePool((text) => {
        if (text.startsWith('DELETE')) throw pgError(code);
        return [{ one: 1 }];
      });
      await capture(postgresIdempotencyStore(pool, { transaction: false }).once(CLAIM, () => Promise.reject(new Error('no paper'))));
      for (let ms = 500; ms <= 20_000; ms += 500) {
        now.mock.mockImplementation(() => ms);
        mock.timers.tick(500);
        for (let task = 0; task < 9; task += 1) await Promise.resolve();
      }
      assert.is(pool.log.filter((each) => each === 'DELETE').length, code === '42P01' ? 1 : 31);
    } finally {
      mock.timers.reset();
      now.mock.restore();
    }
  });
}
apart('a claim that has ended is an error', async () => {
  const pool = new FakePool(rowsOf({ 'INSERT INTO': [{ one: 1 }] }));
  const error = await capture(postgresIdempotencyStore(pool, { transaction: false }).once(CLAIM, async () => RESPONSE));
  assert.match(String(error), 'the claim of its key has ended');
});
apart('inside a transaction of the same pool it would wait for itself', async () => {
  const pool = new FakePool();
  const store = postgresIdempotencyStore(pool, { transaction: false });
  const error = await capture(runTransaction(pool, { isolation: undefined }, () => store.once(CLAIM, async () => RESPONSE)));
  assert.match(String(error), 'must be before the transaction in use');
});
for (const [what, codes, status, statements] of [
  ['conflicts are repeated', ['40001', '40P01'], undefined, 3],
  ['the fifth is a 503', ['40001', '40001', '40001', '40001', '40001'], 503, 5],
  ['a lost connection is a 503', ['08006'], 503, 1],
  ['one that has waited too long is a 503', ['57014'], 503, 1],
  ['one that has waited too long for a lock is a 503', ['55P03'], 503, 1],
  ['nothing else is', ['42P01'], undefined, 1],
] as const) {
  apart(`of a statement: ${what}`, async () => {
    const left: string[] = [...codes];
    const pool = new FakePool(() => {
      const code = left.shift();
      if (code !== undefined) throw pgError(code);
      return [{ missing: '0', is_allowed: true }];
    });
    const error = await capture(Promise.resolve(postgresRates(pool).take('a', { limit: 1, windowSeconds: 1, cost: 0 })));
    assert.is((error as { readonly status?: number }).status, status);
    assert.is(pool.log.length, statements);
    if (status === undefined && statements === 1) assert.is((error as { readonly code: string }).code, '42P01');
  });
}
const readOnly = Object.assign(new Error('cannot execute INSERT in a read-only transaction'), { code: '25006' });
for (const [what, first, log] of [
  ['a pool that keeps the connection', Infinity, ['INSERT', 'connect', 'BEGIN', 'INSERT', 'ROLLBACK', 'SHOW', 'close']],
  ['a pool that has a different connection', 1, ['INSERT', 'connect', 'BEGIN', 'INSERT', 'COMMIT', 'release', 'DELETE']],
] as const) {
  apart(`of a statement: a server that has become a standby, by ${what}`, async () => {
    let left: number = first;
    const pool = new FakePool((text) => {
      if (text.startsWith('INSERT') && (left -= 1) >= 0) throw readOnly;
      return text.startsWith('SHOW') ? [{ transaction_read_only: 'on' }] : [{ missing: '0', is_allowed: true }];
    });
    const taken = await Promise.resolve(postgresRates(pool).take('a', { limit: 1, windowSeconds: 1, cost: 1 })).catch((error: unknown) => error);
    assert.equal(pool.log, log);
    if (first === 1) assert.equal(taken, { isAllowed: true, fullMs: 0 });
    else assert.equal([(taken as { readonly status?: number }).status, (taken as Error).cause], [503, readOnly]);
  });
}

const rates = suite('quotas');
rates('take one statement, and the result says what is missing', async () => {
  const pool = new FakePool(() => [{ missing: '3000', is_allowed: false }]);
  const store = postgresRates(pool);
  assert.equal(await store.take('k', { limit: 3, windowSeconds: 2, cost: 2 }), { isAllowed: false, fullMs: 1000 });
  assert.equal(pool.statements[0]?.values, ['k', 4000, 6000, 2000, 3]);
  assert.match(pool.statements[0]?.text ?? '', 'INSERT INTO public."restpoint_rate" AS kept');
  assert.equal(pool.log, ['INSERT', 'DELETE']);
});
rates('a cost of 0 only reads, and a key without a row is whole', async () => {
  const pool = new FakePool();
  assert.equal(await postgresRates(pool).take('k', { limit: 3, windowSeconds: 2, cost: 0 }), { isAllowed: true, fullMs: 0 });
  assert.equal(pool.log, ['SELECT']);
});

/** A pool as of `pg`. Behind a pooler that shares connections, a statement with a name fails with this code. */
class NamingPool extends FakePool {
  readonly Client = Object;
  readonly code: string | undefined;
  named = 0;

  constructor(code?: string) {
    super(rowsOf({ ...FREE, 'INSERT INTO': [{ missing: '0', is_allowed: true }] }));
    this.code = code;
  }

  override async query(given: any, values?: any[]): Promise<any> {
    if (typeof given === 'string') return super.query(given, values);
    const { name, text } = given;
    if (text.startsWith('INSERT')) this.named += 1;
    assert.is(name, `restpoint_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`);
    if (this.code !== undefined) throw pgError(this.code);
    return super.query(text, given.values);
  }

  override async connect(): Promise<any> {
    return Object.assign(await super.connect(), { connectionParameters: {} });
  }
}
const prepared = suite('names of statements');
const takeTwice = async (pool: PostgresPool): Promise<unknown> => {
  const store = postgresRates(pool);
  await store.take('a', { limit: 1, windowSeconds: 1, cost: 1 });
  return store.take('a', { limit: 1, windowSeconds: 1, cost: 1 });
};
for (const [what, code, named] of [['known', undefined, 2], ['unknown to a pooler', '26000', 1], ['of a different process behind a pooler', '42P05', 1]] as const) {
  prepared(`${what}: each of two statements runs, ${named} with a name`, async () => {
    const pool = new NamingPool(code);
    assert.equal(await takeTwice(pool), { isAllowed: true, fullMs: 0 });
    assert.equal([pool.named, pool.log.filter((word) => word === 'INSERT').length], [named, 2]);
  });
}
prepared('of a transaction that a pooler does not know: it runs once more, without names', async () => {
  const pool = new NamingPool('26000');
  const store = postgresIdempotencyStore(pool);
  assert.is(await store.once(CLAIM, async ({ tx }) => (await tx.query('UPDATE'), RESPONSE)), 'done');
  assert.equal(pool.log.filter((word) => ['BEGIN', 'ROLLBACK', 'UPDATE', 'COMMIT'].includes(word)), ['BEGIN', 'ROLLBACK', 'BEGIN', 'UPDATE', 'COMMIT']);
});
prepared('other errors stay as they are, and a pool whose query was replaced gets strings', async () => {
  assert.match(String(await capture(takeTwice(new NamingPool('42703')))), '42703');
  const pool = new NamingPool('26000');
  Object.assign(pool, { query: pool.query.bind(pool) });
  await takeTwice(pool);
  assert.is(pool.named, 0);
});

const sweeper = suite('what has expired');
interface Sweep {
  readonly sweep: Sweeper;
  readonly pool: FakePool;
  /** Lets time pass. */
  readonly tick: (ms: number) => Promise<void>;
}

/** Uses a sweeper at a time that stands still. `respond` gets the maximum of rows of each statement. */
async function withSweeper(respond: (max: number) => readonly unknown[], use: (setting: Sweep) => Promise<void>): Promise<void> {
  let nowMs = 5000;
  const now = mock.method(performance, 'now', () => nowMs);
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const pool = new FakePool((_, values) => respond(Number(values[0])));
    const tick = async (ms: number): Promise<void> => {
      nowMs += ms;
      mock.timers.tick(ms);
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    };
    await use({ sweep: new Sweeper(pool, 'DELETE', (callers) => [callers]), pool, tick });
  } finally {
    mock.timers.reset();
    now.mock.restore();
  }
}

sweeper('is removed once in a second at most, twice as much as was added, and after the last that was added too', () => {
  return withSweeper(() => [], async ({ sweep, pool, tick }) => {
    sweep.added('ann');
    for (let at = 0; at < 300; at += 1) sweep.added(at % 2 === 0 ? 'ann' : 'bob');
    sweep.added();
    await tick(999);
    assert.equal(pool.statements.map(({ values }) => values), [[100, ['ann']]]);
    await tick(1);
    for (let at = 0; at < 3000; at += 1) sweep.added();
    await tick(1000);
    await tick(5000);
    sweep.added('cat');
    assert.equal(pool.statements.map(({ values }) => values), [[100, ['ann']], [602, ['ann', 'bob']], [1000, []], [100, ['cat']]]);
  });
});
sweeper('goes on at once while as much is removed as a statement can', async () => {
  let left = 1650;
  await withSweeper((max) => Array.from({ length: Math.min(max, left) }, () => ((left -= 1), { one: 1 })), async ({ sweep, pool, tick }) => {
    sweep.added('ann');
    for (let turn = 0; turn < 10; turn += 1) await tick(0);
    assert.equal(pool.statements.map(({ values }) => values), [100, 200, 400, 800, 1000].map((max) => [max, ['ann']]));
    assert.is(left, 0);
  });
});
sweeper('of many callers, twenty have their turn in each second, and ten thousand wait', () => {
  return withSweeper(() => [], async ({ sweep, pool, tick }) => {
    for (let at = 0; at < 10_500; at += 1) sweep.added(`caller ${at}`);
    for (let second = 0; second < 600; second += 1) await tick(1000);
    const swept = pool.statements.map(({ values }) => values[1] as readonly string[]);
    assert.equal([swept.length, swept[0], swept[1]?.length, swept[1]?.[0]], [501, ['caller 0'], 20, 'caller 1']);
    assert.is(new Set(swept.flat()).size, 10_001);
  });
});
for (const [what, error, ending, expected] of [
  ['a right that is missing is told once', pgError('42501', 'permission denied for table x'), false, 1],
  ['a database that is away is not told', pgError('57P01'), false, 0],
  ['a conflict is not told', pgError('40001'), false, 0],
  ['a pool that has ended is not told', new Error('Cannot use a pool after calling end on the pool'), true, 0],
] as const) {
  sweeper(`a failure fails no request: ${what}`, () => withSweeper(() => { throw error; }, async ({ sweep, pool, tick }) => {
    const warned = mock.method(process, 'emitWarning', () => {});
    try {
      Object.assign(pool, { ending });
      for (let at = 0; at < 3; at += 1) {
        sweep.added('ann');
        await tick(1000);
      }
      assert.is(pool.statements.length, 3);
      const messages = Array.from({ length: expected }, () => `restpoint/postgres cannot remove what has expired: ${error.message}`);
      assert.equal(warned.mock.calls.map((call) => (call as { readonly arguments: readonly unknown[] }).arguments[0]), messages);
    } finally {
      warned.mock.restore();
    }
  }));
}
sweeper('is not removed on one shared connection, which may be closed meanwhile', () => {
  const statements: string[] = [];
  const query = async (text: string): Promise<{ rows: never[] }> => {
    statements.push(text);
    return { rows: [] };
  };
  const sweep = new Sweeper({ query, transaction: async (run) => run({ query }) }, 'DELETE');
  sweep.added('ann');
  assert.equal(statements, []);
});

const names = suite('names');
names('postgresTables quotes the name of a schema', () => {
  for (const part of ['to_regclass(\'"App".\' ||', '"App".restpoint_key (', 'restpoint_key_expires ON "App".restpoint_key', 'INDEX IF NOT EXISTS restpoint_event_created']) {
    assert.match(postgresTables({ schema: 'App' }), part);
  }
  assert.match(postgresTables(), 'CREATE TABLE IF NOT EXISTS restpoint_key (');
  assert.match(postgresTables({ schema: 'a$tables$_tables$' }), /^DO \$__tables\$ [^]* \$__tables\$;\n$/);
});
for (const name of ['', 'a"b', 'a.b', '1a', "a'; DROP TABLE pet; --", 'a\0', 'a b', 'ä'.repeat(32), 7]) {
  names(`${JSON.stringify(name)} is not a name of a schema -> TypeError`, () => {
    const isWrong = (error: unknown): boolean => error instanceof TypeError && error.message.includes('options.schema must be a name of letters');
    assert.throws(() => postgresTables({ schema: name as string }), isWrong);
  });
}
names('of 63 bytes is a name of a schema', () => assert.match(postgresTables({ schema: `${'ä'.repeat(31)}a` }), `"${'ä'.repeat(31)}a".restpoint_key`));
const pool = new FakePool();
for (const [what, make, expected] of [
  ['isolation without a transaction', () => postgresIdempotencyStore(pool, { transaction: false, isolation: 'serializable' }),
    'options.isolation needs options.transaction: true'],
  ['a maximum', () => postgresIdempotencyStore(pool, { maxPerCaller: 0 }), 'options.maxPerCaller must be a whole number from 1'],
  ['a time of a key', () => postgresIdempotencyStore(pool, { ttlMs: 0 }), 'options.ttlMs must be a whole number from 1'],
  ['a time of an event', () => postgresEvents(pool, { channel: 'a', ttlMs: 0 }), 'options.ttlMs must be a whole number from 1'],
  ['no channel', () => postgresEvents(pool, undefined as never), 'options.channel is required: "booking"'],
  ['a channel', () => postgresEvents(pool, { channel: "a'" }), 'options.channel must be up to 64 letters'],
  ['an expression as a column', () => keyset({}, { id: 'lower(name)' }), 'columns.id must be the name of a column, such as "room.name": "lower(name)"'],
  ['four parts of a column', () => keyset({}, { id: 'a.b.c.d' }), 'columns.id must be the name of a column'],
  ['a sort without a column', () => keyset({ by: 'toString' }, { id: 'a' } as never), 'columns.toString must be the name of a column'],
  ['no columns', () => keyset({}, undefined as never), 'columns must be an object'],
  ['a parameter 0', () => keyset({}, { id: 'a' }, { from: 0 }), 'options.from must be a whole number from 1'],
  ['a cursor that is an object', () => keyset({ after: {} }, { id: 'a' }), 'a cursor for keyset must be a string, a number or a Date: object'],
  ['a cursor that is a promise', () => keyset({ after: Promise.reject(new Error('no cursor')) }, { id: 'a' }), 'page.after must not be a promise: await it'],
  ['an id that is a promise', () => keyset({ after: { id: Promise.resolve(1) } }, { id: 'a' }), 'a cursor for keyset must not be a promise: await it'],
  ['a key that is null', () => keyset({ by: 'b', after: { id: 1, key: null } }, { id: 'a', b: 'b' }),
    'a cursor for keyset must be a string, a number or a Date: null'],
] as const) {
  names(`${what} -> TypeError: ${expected}`, () => assert.throws(make, (error: unknown) => error instanceof TypeError && error.message.includes(expected)));
}

const tables = suite('J8: the tables of a pool');
const RATES = '"restpoint_rate"';
for (const [what, found, expected, finds] of [
  ['that has one', [foundTable('rate', 'app')], `app.${RATES}`, 1],
  ['whose search_path has one of several', [foundTable('rate', 'app', true, false), foundTable('rate', 'acme', false, false)], `app.${RATES}`, 1],
  ['whose search_path has none, and one schema has it', [foundTable('rate', '"App"', false, true)], `"App".${RATES}`, 1],
  ['whose search_path has none, and several schemas have it', [foundTable('rate', 'app', false, false), foundTable('rate', 'acme', false, false)], RATES, 2],
  ['that has none yet', [foundTable('key', 'app')], RATES, 2],
] as const) {
  tables(`${what}: ${expected}, found ${finds} times for two statements`, async () => {
    const db = new FakePool();
    db.tables = found;
    for (let turn = 0; turn < 2; turn += 1) await postgresRates(db).take('k', { limit: 3, windowSeconds: 2, cost: 0 });
    assert.equal([db.statements.map(({ text }) => / FROM (\S+) AS kept/.exec(text.replace(/\s+/g, ' '))?.[1]), db.finds], [[expected, expected], finds]);
  });
}
/** Sets a different `search_path`, in which all have tables of the same names. */
const enterTenant = (db: FakePool): void => {
  db.tables = ['key', 'event'].flatMap((name) => [foundTable(name, 'acme', true, false), foundTable(name, 'app', false, false)]);
};
const schemasOf = (db: FakePool): unknown[] => db.statements.flatMap(({ text }) => /(\w+)\."restpoint/.exec(text)?.[1] ?? []);
for (const [what, wrap] of [['a connection of its own', (db) => db], ['the one of all', (db) => new FakeShared(db)]] as readonly (readonly [string, (db: FakePool) => PostgresPool])[]) {
  tables(`a transaction of ${what} finds them before it begins: its operation has a different search_path`, async () => {
    const db = new FakePool(rowsOf({ ...FREE, 'WITH added': [{ xid: '1', id: '1' }] }));
    db.tables = [foundTable('key', 'app', true, false), foundTable('event', 'app', true, false)];
    const wrapped = wrap(db);
    const [store, changes] = [postgresIdempotencyStore(wrapped), postgresEvents(wrapped, { channel: 'a' })];
    for (let turn = 0; turn < 2; turn += 1) {
      await store.once(CLAIM, async ({ tx }) => {
        enterTenant(db);
        await changes.append(tx, { event: 'a', data: 1 });
        return RESPONSE;
      });
    }
    assert.equal(new Set(schemasOf(db)), new Set(['app']));
  });
}
tables('a transaction of a pool without a store finds none', async () => {
  const db = new FakePool();
  await runTransaction(db, { isolation: undefined }, async () => {});
  assert.is(db.finds, 0);
});
tables('a transaction that the user has begun does not say where the others have them', async () => {
  const db = new FakePool(rowsOf({ 'WITH added': [{ xid: '1', id: '1' }] }));
  const shared = new FakeShared(db);
  const changes = postgresEvents(shared, { channel: 'a' });
  const append = (tx: PostgresQueries): Promise<string> => changes.append(tx, { event: 'a', data: 1 });
  const [only] = [db.tables, enterTenant(db)];
  await append(db);
  db.tables = [foundTable('event', 'acme')];
  await append(db);
  db.tables = only;
  for (const tx of [shared, db]) await append(tx);
  assert.equal([schemasOf(db), db.finds], [['acme', 'acme', 'public', 'public'], 3]);
});
tables('a statement of the pool itself finds them for all', async () => {
  const db = new FakeShared(new FakePool(rowsOf({ 'WITH added': [{ xid: '1', id: '1' }] })));
  const changes = postgresEvents(db, { channel: 'a' });
  enterTenant(db.pool);
  for (const tx of [db, db.pool, db]) await changes.append(tx, { event: 'a', data: 1 });
  assert.is(db.pool.finds, 1);
});

const pages = suite('keyset');
const COLUMNS = { id: 'booking.id', name: 'app.room.Name' };
const DATE = new Date(0);
for (const [page, from, where, orderBy, values] of [
  [{ after: undefined }, 1, 'TRUE', '"booking"."id" ASC', []],
  [{ after: undefined, descending: true, by: undefined }, 1, 'TRUE', '"booking"."id" DESC', []],
  [{ after: 7 }, 1, '"booking"."id" > $1::bigint', '"booking"."id" ASC', [7]],
  [{ after: 7n, descending: true }, 3, '"booking"."id" < $3::bigint', '"booking"."id" DESC', ['7']],
  [{ after: 'x' }, 1, '"booking"."id" > $1', '"booking"."id" ASC', ['x']],
  [{ after: DATE }, 1, '"booking"."id" > $1', '"booking"."id" ASC', [DATE]],
  [{ after: 1.5 }, 1, '"booking"."id" > $1::numeric', '"booking"."id" ASC', [1.5]],
  [{ after: 2n ** 63n }, 2, '("booking"."id" > $2::numeric AND "booking"."id" >= $3::bigint)',
    '"booking"."id" ASC', ['9223372036854775808', '9223372036854775807']],
  [{ after: -(2n ** 64n) }, 1, '("booking"."id" > $1::numeric AND "booking"."id" >= $2::bigint)',
    '"booking"."id" ASC', ['-18446744073709551616', '-9223372036854775807']],
  [{ after: { id: 7, key: undefined }, by: undefined }, 1, '"booking"."id" > $1::bigint', '"booking"."id" ASC', [7]],
  [{ after: { id: 7, key: 'x' }, by: 'name', descending: true }, 2,
    '("app"."room"."Name", "booking"."id") < ($2, $3::bigint)', '"app"."room"."Name" DESC, "booking"."id" DESC', ['x', 7]],
] as const) {
  const options = from === 1 ? [] : [{ from }];
  pages(`${where} ORDER BY ${orderBy}`, () => assert.equal(keyset(page as never, COLUMNS, ...options), { where, orderBy, values }));
}
pages('a cursor with U+0000 or half a surrogate pair is a 400: no string of PostgreSQL has it', () => {
  for (const page of [{ after: 'a\0' }, { by: 'name', after: { id: 1, key: '\0' } }, { by: 'name', after: { id: 1, key: 'a\ud800' } }]) {
    assert.throws(() => keyset(page as never, COLUMNS), (error: { readonly status?: number }) => error.status === 400);
  }
});
