/** `transaction`: what it does with connections, by a pool that logs it. `npm run test:postgres` has the same over PostgreSQL. */
import { EventEmitter } from 'node:events';
import { mock } from 'node:test';
import { ndjson } from '../../src/formats/index.ts';
import { ApiError, defineEndpoint, problem } from '../../src/index.ts';
import { idempotent, type IdempotencyStore } from '../../src/interceptors/index.ts';
import { inTransaction, type PostgresQueries, transaction } from '../../src/postgres/index.ts';
import { checkOutside, runTransaction } from '../../src/postgres/run-transaction.ts';
import { type FakeClient, FakePool, FakeShared, pgError, type Respond } from '../support/fake-pool.ts';
import { assert, Gate, message, RawClient, type RawResponse, send, serve, suite, type TestServer, waitUntil } from '../support/facts.ts';

const SETTINGS = { isolation: undefined };
const insert = async (tx: PostgresQueries): Promise<string> => (await tx.query('INSERT'), 'done');

/** Calls an operation in a transaction of a pool. */
async function call(pool: FakePool | FakeShared, run: (tx: any) => unknown, use: (response: RawResponse, served: TestServer) => void, options = {}): Promise<void> {
  const operation = { use: transaction(pool, options), run: ({ tx }: { readonly tx: unknown }) => run(tx) };
  await serve((server) => server.registerEndpoint('/a', defineEndpoint({ custom: { go: operation as never } })), async (served) => {
    use(await send(served.port, message('POST', '/v1/a/go')), served);
  });
}

const order = suite('J1 J3: what a transaction does with a connection');
for (const [what, run, status, log, errors] of [
  ['a result', insert, 200, ['connect', 'BEGIN', 'INSERT', 'COMMIT', 'release'], 0],
  ['a returned problem', async (tx: FakePool) => (await insert(tx), problem(409, 'It is taken.')), 409, ['connect', 'BEGIN', 'INSERT', 'COMMIT', 'release'], 0],
  ['a thrown error', async (tx: FakePool) => {
    await insert(tx);
    throw ApiError.status(422, 'Not today.');
  }, 422, ['connect', 'BEGIN', 'INSERT', 'ROLLBACK', 'release'], 1],
  ['a result that is not JSON', async (tx: FakePool) => (await insert(tx), 1n), 500, ['connect', 'BEGIN', 'INSERT', 'ROLLBACK', 'release'], 1],
] as const) {
  order(`${what} -> ${log.join(', ')}`, async () => {
    const pool = new FakePool();
    await call(pool, run, (response, served) => {
      assert.is(response.status, status);
      assert.equal([pool.log, served.errors.length], [log, errors]);
    });
  });
}
order('the isolation is a part of BEGIN', async () => {
  const pool = new FakePool();
  await call(pool, insert, ({ status }) => assert.is(status, 200), { isolation: 'repeatable read' });
  assert.is(pool.statements[0]?.text, 'BEGIN ISOLATION LEVEL repeatable read');
});
order('a COMMIT that rolls back, since a statement has failed, is an error', async () => {
  const pool = new FakePool((text) => (text === 'COMMIT' ? { rows: [], command: 'ROLLBACK' } : [{ transaction_read_only: 'off' }]));
  let thrown: unknown;
  await runTransaction(pool, SETTINGS, insert).catch((error: unknown) => { thrown = error; });
  assert.match(String(thrown), 'The transaction was rolled back.');
  assert.equal(pool.log, ['connect', 'BEGIN', 'INSERT', 'COMMIT', 'SHOW', 'release']);
});
const readOnly = (text: string, word: string, isOn: boolean, code = '25006'): readonly unknown[] => {
  if (text.startsWith(word)) throw pgError(code);
  if (text === 'SHOW transaction_read_only') return [{ transaction_read_only: isOn ? 'on' : 'off' }];
  return [];
};
for (const [what, respond, log] of [
  ['a write', (text) => readOnly(text, 'INSERT', true), ['connect', 'BEGIN', 'INSERT', 'ROLLBACK', 'SHOW', 'close']],
  ['BEGIN, if it is serializable', (text) => readOnly(text, 'BEGIN', true, '0A000'), ['connect', 'BEGIN', 'ROLLBACK', 'SHOW', 'close']],
  ['a write that the operation hides', (text) => (text === 'COMMIT' ? { rows: [], command: 'ROLLBACK' } : readOnly(text, 'none', true)),
    ['connect', 'BEGIN', 'INSERT', 'COMMIT', 'SHOW', 'close']],
  ['a write, and the connection is lost after it', (text) => readOnly(text, text === 'SHOW transaction_read_only' ? 'SHOW' : 'INSERT', true),
    ['connect', 'BEGIN', 'INSERT', 'ROLLBACK', 'SHOW', 'close']],
] as const satisfies readonly (readonly [string, Respond, readonly string[]])[]) {
  order(`a server that has become a standby rejects ${what} -> 503 with Retry-After, and the connection is closed`, async () => {
    const pool = new FakePool(respond);
    await call(pool, insert, ({ status, headers }, { errors }) => assert.equal([status, headers.get('retry-after'), errors.length], [503, '1', 1]));
    assert.equal(pool.log, log);
  });
}
order('an operation that has made its transaction read-only itself -> 500, and the connection is given back', async () => {
  const pool = new FakePool((text) => readOnly(text, 'INSERT', false));
  await call(pool, insert, ({ status }, { errors }) => assert.equal([status, errors.length], [500, 1]));
  assert.equal(pool.log, ['connect', 'BEGIN', 'INSERT', 'ROLLBACK', 'SHOW', 'release']);
});
order('a connection that cannot roll back is closed', async () => {
  const pool = new FakePool((text) => {
    if (text !== 'BEGIN') throw pgError('57P01');
  });
  let thrown: unknown;
  await runTransaction(pool, SETTINGS, insert).catch((error: unknown) => { thrown = error; });
  assert.is((thrown as { readonly code: string }).code, '57P01');
  assert.equal(pool.log, ['connect', 'BEGIN', 'INSERT', 'ROLLBACK', 'close']);
});
order('a connection that is lost between two statements does not end the process', async () => {
  const pool = new FakePool();
  await runTransaction(pool, SETTINGS, async (tx) => {
    tx.emit('error', new Error('lost'));
    await insert(tx);
    tx.release = () => assert.is(tx.count('error'), 0);
  });
  assert.equal(pool.log, ['connect', 'BEGIN', 'INSERT', 'COMMIT']);
});
order('a connection that is lost before the pool has resolved to it does not end the process, and keeps no listener', async () => {
  const emitter = new EventEmitter();
  const pool = Object.assign(new FakePool(() => { throw pgError('57P01'); }), {
    on: (event: string, listener: (client: FakeClient) => void) => emitter.on(event, listener),
  });
  const connect = pool.connect.bind(pool);
  pool.connect = async () => {
    const client = await connect();
    emitter.emit('acquire', client);
    client.emit('error', new Error('lost'));
    setImmediate(() => setImmediate(() => pool.log.push(`${client.count('error')} left`)));
    return client;
  };
  await call(pool, insert, ({ status }, { errors }) => assert.equal([status, errors.length], [503, 1]));
  assert.equal(pool.log, ['connect', 'BEGIN', 'ROLLBACK', 'close', '0 left']);
});
for (const [what, error, expected] of [
  ['that is lost', pgError('08006'), 503],
  ['that is lost, without a code', new Error('Connection terminated unexpectedly'), 503],
  ['whose error names a connection, and has a different reason', pgError('42P01', 'relation "connection" does not exist'), 500],
] as const) {
  order(`a pool that lends a connection ${what} -> ${expected}`, async () => {
    const pool = new FakePool((text) => {
      if (text === 'BEGIN') throw error;
      return [];
    });
    await call(pool, () => 'not reached', ({ status }, { errors }) => assert.equal([status, errors.length], [expected, 1]));
    assert.equal(pool.log, ['connect', 'BEGIN', 'ROLLBACK', 'release']);
  });
}
for (const word of ['INSERT', 'COMMIT']) {
  order(`a connection that is lost at ${word}, which may have committed -> 500 without Retry-After`, async () => {
    const pool = new FakePool((text) => {
      if (text.startsWith(word) || text === 'ROLLBACK') throw pgError('08006');
    });
    await call(pool, insert, ({ status, headers }, { errors }) => assert.equal([status, headers.get('retry-after'), errors.length], [500, undefined, 1]));
    assert.is(pool.log.at(-1), 'close');
  });
}
order('without a connection, the response is a 503 with Retry-After', async () => {
  const pool = new FakePool();
  pool.connect = () => Promise.reject(new Error('timeout exceeded when trying to connect'));
  await call(pool, insert, ({ status, headers }, { errors }) => {
    assert.equal([status, headers.get('retry-after')], [503, '1']);
    assert.is(errors.length, 1);
  });
});
order('a client that leaves while it waits for a connection: nothing is begun, and the connection is given back', async () => {
  const pool = new FakePool();
  const gate = new Gate();
  const connect = pool.connect.bind(pool);
  pool.connect = async () => {
    pool.log.push('wait');
    await gate.passed;
    return connect();
  };
  const signals: AbortSignal[] = [];
  const seen = { around: (call: { readonly request: { readonly signal: AbortSignal } }, run: () => Promise<unknown>) => (signals.push(call.request.signal), run()) };
  await serve((server) => server.registerEndpoint('/a', defineEndpoint({ custom: { go: { use: [seen, transaction(pool)], run: ({ tx }) => insert(tx as never) } } })), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(message('POST', '/v1/a/go'));
    await waitUntil(() => pool.log.length > 0, 'the call');
    client.destroy();
    await waitUntil(() => signals[0]?.aborted === true, 'the end of the client');
    gate.open();
    await waitUntil(() => pool.log.length > 2, 'the end of the call');
  });
  assert.equal(pool.log, ['wait', 'connect', 'release']);
});

const repeated = suite('J2: conflicts with other transactions');
/** Fails so often with a code, at the statements that begin with a word. */
function failing(word: string, code: string, times: number, wrap: (error: Error) => Error = (error) => error): Respond {
  let left = times;
  return (text) => {
    if (!text.startsWith(word) || left === 0) return;
    left -= 1;
    throw wrap(pgError(code));
  };
}
for (const [what, respond, log] of [
  ['a serialization failure', failing('INSERT', '40001', 1), ['connect', 'BEGIN', 'INSERT', 'ROLLBACK', 'release']],
  ['a deadlock', failing('INSERT', '40P01', 1), ['connect', 'BEGIN', 'INSERT', 'ROLLBACK', 'release']],
  ['one that is the cause of an error of a library', failing('INSERT', '40001', 1, (cause) => new Error('Failed query', { cause })),
    ['connect', 'BEGIN', 'INSERT', 'ROLLBACK', 'release']],
  ['one at COMMIT', failing('COMMIT', '40001', 1), ['connect', 'BEGIN', 'INSERT', 'COMMIT', 'ROLLBACK', 'release']],
] as const) {
  repeated(`${what} is repeated`, async () => {
    const pool = new FakePool(respond);
    assert.is(await runTransaction(pool, SETTINGS, insert), 'done');
    assert.equal(pool.log, [...log, 'connect', 'BEGIN', 'INSERT', 'COMMIT', 'release']);
  });
}
repeated('the fifth is a logged 503 with Retry-After', async () => {
  const pool = new FakePool(failing('INSERT', '40001', Infinity));
  await call(pool, insert, ({ status, headers }, { errors }) => {
    assert.equal([status, headers.get('retry-after')], [503, '1']);
    assert.is(errors.length, 1);
  });
  assert.equal([pool.log.filter((each) => each === 'BEGIN').length, pool.open.size], [5, 0]);
});
for (const [code, text, expected] of [
  ['57014', 'canceling statement due to statement timeout', 503], ['57014', 'storniere Anfrage wegen Zeitüberschreitung der Anfrage', 503],
  ['55P03', 'canceling statement due to lock timeout', 503], ['25P03', 'terminating connection due to idle-in-transaction timeout', 503],
  ['25P04', 'terminating connection due to transaction timeout', 503],
  ['57014', 'canceling statement due to user request', 500], ['55P03', 'could not obtain lock on row in relation "pet"', 500],
] as const) {
  repeated(`${text} -> ${expected}, and is not repeated`, async () => {
    const pool = new FakePool((statement) => {
      if (statement === 'INSERT') throw new Error('Failed query', { cause: pgError(code, text) });
    });
    await call(pool, insert, ({ status, headers }, { errors }) => {
      assert.equal([status, headers.get('retry-after'), errors.length], [expected, expected === 503 ? '1' : undefined, 1]);
    });
    assert.equal(pool.log, ['connect', 'BEGIN', 'INSERT', 'ROLLBACK', 'release']);
  });
}
repeated('the pauses before the repetitions grow', async () => {
  const random = mock.method(Math, 'random', () => 1);
  const timers = mock.method(globalThis, 'setTimeout', ((resume: () => void) => void setImmediate(resume)) as never);
  try {
    await runTransaction(new FakePool(failing('INSERT', '40001', 4)), SETTINGS, insert);
    assert.equal(timers.mock.calls.map((each) => (each as { readonly arguments: readonly unknown[] }).arguments[1]), [10, 20, 40, 80]);
  } finally {
    for (const mocked of [random, timers]) mocked.mock.restore();
  }
});
repeated('nothing else is repeated', async () => {
  const pool = new FakePool(failing('INSERT', '23505', 1));
  await call(pool, insert, ({ status }, { errors }) => assert.equal([status, errors.length], [500, 1]));
  assert.is(pool.log.filter((each) => each === 'BEGIN').length, 1);
});
repeated('nothing is repeated for a client that has left', async () => {
  const pool = new FakePool(failing('INSERT', '40001', 1));
  let thrown: unknown;
  const client = new AbortController();
  await runTransaction(pool, { ...SETTINGS, signal: client.signal }, async (tx) => {
    client.abort();
    return insert(tx);
  }).catch((error: unknown) => { thrown = error; });
  assert.is((thrown as { readonly code: string }).code, '40001');
});
repeated('an input that is a stream cannot be read again: a 503, by a store of idempotency keys too', async () => {
  const pool = new FakePool();
  const again: IdempotencyStore = { once: async (_claim, run) => run({}).catch(() => run({})).then(() => 'done' as const) };
  const run = async (lines: AsyncIterable<unknown>): Promise<never> => {
    for await (const _ of lines) ;
    throw pgError('40001');
  };
  const input = ndjson((json: unknown) => json);
  await serve((server) => server.registerEndpoint('/a', defineEndpoint({
    custom: { tx: { use: transaction(pool), input, run }, key: { use: idempotent(again), input, run } },
  })), async (served) => {
    for (const name of ['tx', 'key']) {
      const response = await send(served.port, message('POST', `/v1/a/${name}`, '1\n', ['Content-Type: application/x-ndjson', 'Idempotency-Key: "a"']));
      assert.equal([response.status, response.headers.get('retry-after')], [503, '1'], name);
    }
    assert.is(served.errors.length, 2);
  });
  assert.is(pool.log.filter((each) => each === 'BEGIN').length, 1);
});
repeated('a store that runs an operation twice gets the response of the second', async () => {
  let runs = 0;
  const again: IdempotencyStore = { once: async (_claim, run) => run({}).then(() => run({})).then(() => 'done' as const) };
  await serve((server) => server.registerEndpoint('/a', defineEndpoint({ custom: { go: { use: idempotent(again), run: () => (runs += 1) } } })), async ({ port }) => {
    assert.is((await send(port, message('POST', '/v1/a/go'))).body, '2');
  });
});

const joined = suite('a transaction in a transaction');
joined('of the same pool is a part of it', async () => {
  const pool = new FakePool();
  await runTransaction(pool, SETTINGS, (outer) => runTransaction(new FakePool(), SETTINGS, () => runTransaction(pool, SETTINGS, async (inner) => {
    assert.is(inner, outer);
    assert.throws(() => checkOutside(pool, 'a store'), 'a store must be before the transaction in use');
    checkOutside(new FakePool(), 'a store');
  })));
  assert.equal(pool.log, ['connect', 'BEGIN', 'COMMIT', 'release']);
});
joined('what was begun in one, and runs when it has ended, is not', async () => {
  const pool = new FakePool();
  const gate = new Gate();
  let later: Promise<unknown> | undefined;
  await runTransaction(pool, SETTINGS, async () => {
    later = gate.passed.then(() => runTransaction(pool, SETTINGS, insert));
  });
  gate.open();
  await later;
  assert.equal(pool.log, ['connect', 'BEGIN', 'COMMIT', 'release', 'connect', 'BEGIN', 'INSERT', 'COMMIT', 'release']);
});

const shared = suite('a connection that all share');
shared('a result is committed, after a statement that fails if another has failed', async () => {
  const pool = new FakePool();
  assert.is(await runTransaction(new FakeShared(pool), { ...SETTINGS, isolation: 'serializable' }, insert), 'done');
  assert.equal(pool.log, ['begin', 'SET', 'INSERT', 'SELECT', 'commit']);
  assert.is(pool.statements[0]?.text, 'SET TRANSACTION ISOLATION LEVEL serializable');
});
shared('conflicts are repeated, and errors roll back', async () => {
  const pool = new FakePool(failing('INSERT', '40001', 1));
  assert.is(await runTransaction(new FakeShared(pool), SETTINGS, insert), 'done');
  assert.equal(pool.log, ['begin', 'INSERT', 'rollback', 'begin', 'INSERT', 'SELECT', 'commit']);
});

const alone = suite('a transaction without an operation');
alone('its function gets the connection: its result is committed, and an error rolls back', async () => {
  const pool = new FakePool();
  assert.is(await inTransaction(pool, insert, { isolation: 'serializable' }), 'done');
  assert.equal([pool.log, pool.statements[0]?.text], [['connect', 'BEGIN', 'INSERT', 'COMMIT', 'release'], 'BEGIN ISOLATION LEVEL serializable']);
  const error = new Error('no');
  assert.is(await inTransaction(pool, () => Promise.reject(error)).catch((thrown: unknown) => thrown), error);
  assert.equal(pool.log.slice(5), ['connect', 'BEGIN', 'ROLLBACK', 'release']);
});
alone('is repeated, as one of an operation, and joins that', async () => {
  const pool = new FakePool(failing('INSERT', '40001', 1));
  await call(pool, () => inTransaction(pool, insert), ({ status }) => assert.is(status, 200));
  assert.equal(pool.log, ['connect', 'BEGIN', 'INSERT', 'ROLLBACK', 'release', 'connect', 'BEGIN', 'INSERT', 'COMMIT', 'release']);
});
alone('is not begun when its signal has aborted', async () => {
  const pool = new FakePool();
  const reason = new Error('stop');
  assert.is(await inTransaction(pool, insert, { signal: AbortSignal.abort(reason) }).catch((thrown: unknown) => thrown), reason);
  assert.equal(pool.log, []);
});

const wrong = suite('a wrong transaction');
for (const [what, make, expected] of [
  ['no pool', () => transaction(undefined as never), 'transaction needs a pool with query() and connect(), such as new Pool() of pg'],
  ['half a pool', () => transaction({ query: () => {} } as never), 'transaction needs a pool'],
  ['an isolation', () => transaction(new FakePool(), { isolation: 'serializable; DROP TABLE pet' as never }),
    'options.isolation must be one of read committed, repeatable read, serializable'],
  ['an option', () => transaction(new FakePool(), { level: 1 } as never), 'unknown option options.level'],
  ['no pool for a function', () => inTransaction(undefined as never, insert as never), 'inTransaction needs a pool with query() and connect()'],
  ['an option for a function', () => inTransaction(new FakePool(), insert, { level: 1 } as never), 'unknown option options.level'],
  ['an output that is a stream', () => serve((server) => server.registerEndpoint('/a', defineEndpoint({
    custom: { go: { use: transaction(new FakePool()), output: ndjson((json: unknown) => json), run: () => [] } },
  })), async () => {}), 'must not use transaction(…): its output is a stream, which is read after the commit'],
] as const) {
  wrong(`${what} -> TypeError: ${expected}`, async () => {
    const thrown: unknown = await Promise.resolve().then(make as () => unknown).catch((error: unknown) => error);
    assert.instance(thrown, TypeError);
    assert.match((thrown as Error).message, expected);
  });
}
