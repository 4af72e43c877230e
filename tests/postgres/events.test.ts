/** `postgresEvents`, over a table that is a list. `npm run test:postgres` has the same over PostgreSQL. */
import { getEventListeners } from 'node:events';
import { mock } from 'node:test';
import { type PostgresPool, type PostgresResult, postgresEvents, type StoredEvent } from '../../src/postgres/index.ts';
import { Feed } from '../../src/postgres/feed.ts';
import { findSlots } from '../../src/postgres/slots.ts';
import { type FakeClient, FakePool, FakeShared, pgError } from '../support/fake-pool.ts';
import { assert, delay, Gate, suite, waitUntil } from '../support/facts.ts';

interface Row { readonly xid: string; readonly id: string; readonly event: string | null; readonly data: string; is_settled: boolean }

/** A pool with a table of events. A transaction has one event, which a test settles if it `isHeld`. */
class EventPool extends FakePool {
  readonly table: Row[] = [];
  readonly clients: FakeClient[] = [];
  /** The positions after which rows were read. */
  readonly reads: string[] = [];
  findHolder: () => readonly unknown[] = () => [];
  isHeld = false;
  override mayReadLine = true;
  /** Of the server. */
  line = '';
  isBusy = false;
  /** Of the next transaction. */
  xid = 10n;
  fails: Error | undefined;
  /** Holds the responses of reads while it is closed. */
  gate: Gate | undefined;

  constructor() {
    super((text, values) => this.#run(text, values));
  }

  override async query(text: string, values?: any[]): Promise<PostgresResult> {
    const result = await super.query(text, values);
    if (text.startsWith('WITH RECURSIVE')) await this.gate?.passed;
    return result;
  }

  /** Commits all transactions. */
  settle(): void {
    for (const row of this.table) row.is_settled = true;
  }

  override async connect(): Promise<FakeClient> {
    if (this.fails !== undefined) throw this.fails;
    const client = await super.connect();
    this.clients.push(client);
    return client;
  }

  get listening(): FakeClient[] {
    return this.clients.filter((client) => this.open.has(client));
  }

  notify(payload = '"restpoint_event"/x'): void {
    for (const client of this.listening) client.emit('notification', { payload });
  }

  /** The oldest transaction that is running: a different one each time if others are `busy`. */
  #running(): bigint {
    if (this.isBusy) this.xid += 1n;
    return BigInt(this.table.find(({ is_settled }) => !is_settled)?.xid ?? this.xid);
  }

  #run(text: string, values: readonly unknown[]): readonly unknown[] {
    if (this.fails !== undefined) throw this.fails;
    if (text.startsWith('WITH added')) {
      const row = { xid: String(this.xid), id: String(this.table.length + 1), event: values[1] as string | null, data: String(values[2]), is_settled: !this.isHeld };
      this.table.push(row);
      this.xid += 1n;
      return [{ ...row, line: this.line }];
    }
    if (text.startsWith("SELECT 'the prepared")) return this.findHolder();
    const running = this.#running();
    const { line } = this;
    if (text.startsWith('SELECT pg_snapshot_xmin')) return [{ xid: String(running), id: '0', line }];
    if (!text.startsWith('WITH RECURSIVE')) return [];
    const [after, number] = [BigInt(String(values[1])), BigInt(String(values[2]))];
    this.reads.push(`${after}-${number}`);
    const isRead = ({ xid, id }: Row): boolean => BigInt(xid) < running && (BigInt(xid) > after || (BigInt(xid) === after && BigInt(id) > number));
    const rows = this.table.filter(isRead).slice(0, 100);
    return rows.length > 0 ? rows.map((row) => ({ ...row, line })) : [{ xid: String(running), id: null, line, is_pending: this.table.some(({ xid }) => BigInt(xid) >= running) }];
  }
}

const make = (pool: PostgresPool) => postgresEvents(pool, { channel: 'x' });
/** The data of the next event, or `nothing yet`. */
const readSoon = (next: Promise<IteratorResult<any>>): Promise<unknown> => {
  return Promise.race([next.then(({ value }) => (value as { readonly data: unknown }).data), delay(50).then(() => 'nothing yet')]);
};
/** With mock timers. `pass` lets time pass. */
async function withTime(use: (pass: (ms: number) => Promise<void>) => Promise<void>): Promise<void> {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    await use(async (ms) => {
      for (let passed = 0; passed <= ms; passed += 10) {
        for (let turn = 0; turn < 40; turn += 1) await Promise.resolve();
        if (passed < ms) mock.timers.tick(10);
      }
    });
  } finally {
    mock.timers.reset();
  }
}
const capture = (promise: Promise<unknown>): Promise<unknown> => promise.then(() => 'no error', (error: unknown) => error);

// The timers of readers keep no process alive: a server does.
const alive = setInterval(() => {}, 1000);

const reading = suite('J5: reading events');
reading('from the first, and then as they are appended; the connection is closed after the last reader', async () => {
  const pool = new EventPool();
  const changes = make(pool);
  assert.is(await changes.append(pool, { event: 'a', data: 1 }), '10-1');
  assert.is(await changes.append(pool, { event: undefined as never, data: { b: '\0' } }), '11-2');
  const readers = [changes.read({ after: '0-0' }), changes.read({ after: '10-1' }), changes.read()];
  const [one, two] = readers as [AsyncIterableIterator<unknown>, AsyncIterableIterator<unknown>];
  assert.is(one[Symbol.asyncIterator](), one);
  assert.equal(await one.next(), { done: false, value: { id: '10-1', event: 'a', data: 1 } });
  assert.equal(await one.next(), { done: false, value: { id: '11-2', data: { b: '\0' } } });
  assert.equal((await two.next()).value, { id: '11-2', data: { b: '\0' } });
  const next = readers.map((reader) => reader.next());
  await waitUntil(() => pool.log.includes('LISTEN'), 'a connection that listens');
  await delay(5);
  pool.notify('"restpoint_event"/other');
  await changes.append(pool, { event: 'a', data: 3 });
  pool.notify();
  for (const { value } of await Promise.all(next)) assert.equal(value, { id: '12-3', event: 'a', data: 3 });
  assert.equal(pool.log.filter((each) => each === 'LISTEN').length, 1);
  for (const reader of readers) assert.equal(await reader.return?.(), { done: true, value: undefined });
  await waitUntil(() => pool.open.size === 0, 'the end of the connection');
  assert.is(pool.log.at(-1), 'close');
  assert.equal(await one.next(), { done: true, value: undefined });
});
reading('an event is not read while an earlier transaction runs', async () => {
  const pool = new EventPool();
  const changes = make(pool);
  pool.isHeld = true;
  await changes.append(pool, { event: 'a', data: 1 });
  const reader = changes.read({ after: '0-0' });
  let isRead = false;
  const next = reader.next().then(({ value }) => (isRead = true, value as unknown));
  await delay(50);
  assert.is(isRead, false);
  for (const row of pool.table) row.is_settled = true;
  assert.equal(await next, { id: '10-1', event: 'a', data: 1 });
  await reader.return?.();
});
const FORGED = ['0-0', '9-7', '10-1', '10-2', '11-9223372036854775807', '12-0', '5000-1', '18446744073709551615-9223372036854775807'];
for (const isBusy of [false, true]) {
  reading(`80 readers with ids of the past and of the future read as one does, if ${isBusy ? '' : 'no '}other transactions end all the time`, async () => {
    const pool = new EventPool();
    pool.isBusy = isBusy;
    const changes = make(pool);
    await changes.append(pool, { event: 'a', data: 1 });
    const readers = Array.from({ length: 80 }, (_, at) => changes.read({ after: FORGED[at % FORGED.length] as string }));
    const read: unknown[][] = readers.map(() => []);
    for (const [at, reader] of readers.entries()) {
      void (async () => {
        for await (const { data } of reader) read[at]?.push(data);
      })();
      if (at === 0) await waitUntil(() => pool.log.includes('LISTEN'), 'a connection that listens');
      if (at === 0) await delay(5);
    }
    await delay(5);
    const perEvent: number[] = [];
    for (const data of [2, 3, 4]) {
      pool.reads.length = 0;
      await changes.append(pool, { event: 'a', data });
      pool.notify();
      await delay(5);
      perEvent.push(pool.reads.length);
    }
    // One for the event, and one that finds nothing after it.
    assert.equal(perEvent, [2, 2, 2]);
    const isBehind = ({ xid, id }: Row, after: string): boolean => {
      const [first = '', second = ''] = after.split('-');
      return BigInt(xid) > BigInt(first) || (BigInt(xid) === BigInt(first) && BigInt(id) > BigInt(second));
    };
    for (const [at, all] of read.entries()) {
      assert.equal(all, pool.table.filter((row) => isBehind(row, FORGED[at % FORGED.length] as string)).map(({ data }) => Number(data)));
    }
    for (const reader of readers) await reader.return?.();
  });
}
for (const [what, isHeld, findHolder, expected] of [
  ['that events have waited for for a minute is named', true, () => [{ holder: 'the prepared transaction \'a\'' }], ["the prepared transaction 'a'"]],
  ['that events have waited for for a minute, and that this role does not see, is named by its number', true, () => [], ['transaction 10']],
  ['that events have waited for for a minute is looked for once, even if that fails', true, () => { throw pgError('42501'); }, []],
  ['that no event waits for is not looked for', false, () => [], []],
] as const) {
  reading(`a transaction ${what}`, async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    let nowMs = 0;
    const now = mock.method(performance, 'now', () => nowMs);
    const warned = mock.method(process, 'emitWarning', () => {});
    try {
      const pool = new EventPool();
      pool.findHolder = findHolder;
      pool.isHeld = isHeld;
      const changes = make(pool);
      await changes.append(pool, { event: 'a', data: 1 });
      const reader = changes.read({ after: '0-0' });
      const next = [reader.next(), reader.next()];
      for (let second = 0; second <= 120; second += 1) {
        if (second === 60) assert.is(warned.mock.calls.length, 0);
        nowMs += 1000;
        mock.timers.tick(1000);
        pool.notify();
        for (let turn = 0; turn < 30; turn += 1) await Promise.resolve();
      }
      const messages = expected.map((holder) => `The events of the channel "x" wait for ${holder}, which has run for a minute: until it has ended, nobody gets one.`);
      assert.equal(warned.mock.calls.map((call) => (call as { readonly arguments: readonly unknown[] }).arguments[0]), messages);
      assert.is(pool.statements.filter(({ text }) => text.includes('pg_prepared_xacts')).length, isHeld ? 1 : 0);
      await reader.return?.();
      await Promise.all(next);
    } finally {
      warned.mock.restore();
      now.mock.restore();
      mock.timers.reset();
    }
  });
}
reading('ends with its signal, even while it waits, and does not begin after it', async () => {
  const pool = new EventPool();
  const left = new AbortController();
  const reader = make(pool).read({ signal: left.signal });
  const next = reader.next();
  await delay(5);
  left.abort();
  assert.equal(await next, { done: true, value: undefined });
  assert.is((await make(pool).read({ signal: left.signal }).next()).done, true);
  assert.equal(getEventListeners(left.signal, 'abort'), []);
  const unread = make(pool).read();
  await unread.return?.();
  assert.is((await unread.next()).done, true);
  await waitUntil(() => pool.open.size === 0, 'the end of the connection');
});
reading('each wait leaves no listener at the signal', async () => {
  const pool = new EventPool();
  const { signal } = new AbortController();
  const reader = new Feed(pool, 'x').read({ position: 0n, line: undefined }, signal);
  const next = reader.next();
  await waitUntil(() => pool.reads.length === 2 && pool.log.includes('LISTEN'), 'the tail');
  await delay(5);
  await make(pool).append(pool, { event: 'a', data: 1 });
  pool.notify();
  assert.is((await next).value.length, 1);
  assert.equal(getEventListeners(signal, 'abort'), []);
  await reader.return(undefined);
});
reading('an error ends a new reader, and one that reads already waits for the database', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const pool = new EventPool();
    const changes = make(pool);
    await changes.append(pool, { event: 'a', data: 1 });
    pool.fails = new Error('Connection terminated unexpectedly');
    assert.match(String(await capture(changes.read().next())), 'Connection terminated');
    const reader = changes.read({ after: '0-0' });
    const next = reader.next();
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    pool.fails = undefined;
    mock.timers.tick(1000);
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    mock.timers.tick(1000);
    assert.equal((await next).value, { id: '10-1', event: 'a', data: 1 });
    pool.fails = pgError('42P01');
    assert.is((await capture(reader.next()) as { readonly code: string }).code, '42P01');
    mock.timers.tick(1000);
  } finally {
    mock.timers.reset();
  }
});
for (const [what, lose] of [
  ['an error', (client: FakeClient) => client.emit('error', new Error('lost'))],
  ['its end', (client: FakeClient) => client.emit('end', undefined)],
] as const) {
  reading(`the connection that listens is opened again after ${what}`, async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const pool = new EventPool();
      const reader = make(pool).read();
      const next = reader.next();
      const turns = async (): Promise<void> => {
        for (let turn = 0; turn < 30; turn += 1) await Promise.resolve();
      };
      await turns();
      assert.is(pool.clients.length, 1);
      lose(pool.clients[0] as FakeClient);
      await turns();
      mock.timers.tick(1000);
      await turns();
      assert.equal([pool.clients.length, pool.log.filter((each) => each === 'close').length], [2, 1]);
      await reader.return?.();
      await next;
      await turns();
      assert.is(pool.open.size, 0);
    } finally {
      mock.timers.reset();
    }
  });
}
reading('a connection that cannot listen is closed', async () => {
  const pool = new EventPool();
  const query = pool.query.bind(pool);
  pool.query = (text, values) => (text.startsWith('LISTEN') ? Promise.reject(pgError('57P01')) : query(text, values));
  const reader = make(pool).read();
  const next = reader.next();
  await waitUntil(() => pool.log.includes('close'), 'the end of the connection');
  await reader.return?.();
  assert.is((await next).done, true);
});
reading('a reader that ends before the connection is open leaves none behind', async () => {
  const pool = new EventPool();
  const reader = make(pool).read();
  const next = reader.next();
  await reader.return?.();
  await next;
  await waitUntil(() => pool.log.includes('close'), 'the end of the connection');
  assert.is(pool.open.size, 0);
});
for (const max of [1, 2, 3]) {
  reading(`with a pool of ${max}, no connection listens: it and a transaction that reads a stream would leave none`, async () => {
    const pool = new EventPool();
    pool.options = { max };
    const reader = make(pool).read();
    const next = reader.next();
    await delay(5);
    await reader.return?.();
    await next;
    assert.equal(pool.clients, []);
  });
}
reading('the connection that listens has one of the slots of its pool, and gives it back, even if it cannot be opened', async () => {
  const pool = new EventPool();
  pool.options = { max: 4 };
  const slots = findSlots(pool);
  const held = [await slots.take(), await slots.take(), await slots.take()];
  const reader = make(pool).read();
  const next = reader.next();
  await delay(5);
  assert.equal(pool.clients, []);
  pool.connect = () => { throw pgError('57P01'); };
  held.pop()?.();
  await delay(5);
  const again = await slots.take();
  await reader.return?.();
  await next;
  again();
  Reflect.deleteProperty(pool, 'connect');
  const second = make(pool).read();
  const waiting = second.next();
  await waitUntil(() => pool.listening.length === 1, 'a connection that listens');
  let isTaken = false;
  const third = slots.take().then((release) => (isTaken = true, release));
  await delay(5);
  assert.is(isTaken, false);
  await second.return?.();
  await waiting;
  for (const release of [await third, ...held]) release();
});
reading('until a notification has arrived, readers poll each second: a proxy can accept LISTEN and pass nothing on', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    for (const arrives of [false, true]) {
      const pool = new EventPool();
      const query = pool.query.bind(pool);
      pool.query = async (text, values) => {
        if (text.includes('pg_notify') && arrives && !text.startsWith('WITH')) pool.notify('');
        return query(text, values);
      };
      const turns = async (): Promise<void> => {
        for (let turn = 0; turn < 30; turn += 1) await Promise.resolve();
      };
      const changes = make(pool);
      const reader = changes.read();
      let isRead = false;
      const next = reader.next().then(() => (isRead = true));
      await turns();
      mock.timers.tick(1000);
      await turns();
      await changes.append(pool, { event: 'a', data: 1 });
      mock.timers.tick(1000);
      await turns();
      assert.is(isRead, !arrives);
      mock.timers.tick(9000);
      await turns();
      assert.is(isRead, true);
      await reader.return?.();
      await next;
    }
  } finally {
    mock.timers.reset();
  }
});
reading('when the connection that listens is lost, readers poll each second again', () => withTime(async (pass) => {
  const pool = new EventPool();
  const changes = make(pool);
  const reader = changes.read();
  let read: unknown;
  const next = reader.next().then(({ value }) => (read = value.data));
  await pass(0);
  pool.notify('');
  await pass(1000);
  // The next connection does not come for long.
  pool.connect = () => new Promise(() => {});
  pool.clients[0]?.emit('end', undefined);
  await pass(100);
  await changes.append(pool, { event: 'a', data: 1 });
  await pass(1000);
  assert.is(read, 1);
  await reader.return?.();
  await next;
}));
reading('an error of the query at the tail is of those that wait there', () => withTime(async (pass) => {
  const pool = new EventPool();
  const next = capture(make(pool).read({ after: '0-0' }).next());
  await pass(20);
  pool.fails = pgError('42P01');
  await pass(1000);
  assert.is((await next as { readonly code: string }).code, '42P01');
}));
reading('while a transaction runs for long, or the database is away, readers try less and less often', () => withTime(async (pass) => {
  for (const fails of [undefined, pgError('57014')]) {
    const pool = new EventPool();
    pool.isHeld = true;
    const changes = make(pool);
    await changes.append(pool, { event: 'a', data: 1 });
    const reader = changes.read({ after: '0-0' });
    const next = reader.next();
    await pass(0);
    pool.fails = fails;
    const counts: number[] = [];
    for (const ms of [100, 900, 9000]) {
      const before = pool.statements.length;
      await pass(ms);
      counts.push(pool.statements.length - before);
    }
    assert.equal(counts, [3, 4, 18]);
    pool.notify();
    const before = pool.statements.length;
    await pass(100);
    assert.is(pool.statements.length - before, 3);
    pool.fails = undefined;
    pool.settle();
    pool.xid = 20n;
    await pass(1000);
    assert.is((await next).value.data, 1);
    await reader.return?.();
  }
}));
reading('a reader gets an event even if its query was begun before the commit, also if it shares that, and if others have read on', async () => {
  const pool = new EventPool();
  const changes = make(pool);
  pool.isHeld = true;
  await changes.append(pool, { event: 'a', data: 1 });
  pool.gate = new Gate();
  const { gate } = pool;
  const readers = ['5-0', '5-0', '6-0'].map((after) => changes.read({ after }));
  const early = readers[0]!.next();
  await waitUntil(() => pool.reads.length === 1, 'the first query');
  pool.settle();
  pool.gate = undefined;
  const next = [early, readers[1]!.next()];
  await delay(5);
  assert.equal(pool.reads, ['5-0']);
  assert.is((await readers[2]!.next()).value.data, 1);
  void readers[2]!.next();
  await waitUntil(() => pool.reads.length === 4, 'the tail');
  await delay(5);
  gate.open();
  for (const each of next) assert.is(await readSoon(each), 1);
  for (const reader of readers) await reader.return?.();
});
reading('a notification counts that comes while the query at the tail has not returned', async () => {
  const pool = new EventPool();
  const changes = make(pool);
  const reader = changes.read({ after: '5-0' });
  const next = reader.next();
  await waitUntil(() => pool.reads.length === 2 && pool.log.includes('LISTEN'), 'the tail');
  await delay(5);
  pool.gate = new Gate();
  pool.notify();
  await delay(5);
  await changes.append(pool, { event: 'a', data: 1 });
  pool.notify();
  await delay(5);
  assert.is(pool.reads.length, 3);
  pool.gate.open();
  assert.is(await readSoon(next), 1);
  await reader.return?.();
});
reading('a new client gets what was committed before it began, though no notification has told of it', async () => {
  const pool = new EventPool();
  const changes = make(pool);
  pool.line = 'a.1';
  const readers = [changes.read({ after: '5-0-a.1' }), changes.read({ after: '10-0-a.1' })];
  const next = [readers[0]?.next()];
  await waitUntil(() => pool.reads.length === 2, 'the tail');
  await delay(5);
  await changes.append(pool, { event: 'a', data: 1 });
  next.push(readers[1]?.next());
  for (const each of next) assert.is(await readSoon(each!), 1);
  for (const reader of readers) await reader.return?.();
});
reading('a slow reader gets all: from the batches that are kept, or else alone, while others wait', async () => {
  const pool = new EventPool();
  const changes = make(pool);
  const [fast, slow] = [changes.read({ after: '0-0' }), changes.read({ after: '0-0' })];
  await changes.append(pool, { event: 'a', data: 0 });
  for (const reader of [fast, slow]) assert.is((await reader.next()).value.data, 0);
  let waiting = fast.next();
  void slow.next();
  await waitUntil(() => pool.log.includes('LISTEN'), 'a connection that listens');
  await delay(5);
  for (const [count, alone] of [[5, []], [6, ['16-7']]] as const) {
    const { length } = pool.table;
    for (let data = length; data < length + count; data += 1) {
      await changes.append(pool, { event: 'a', data });
      pool.notify();
      assert.is((await waiting).value.data, data);
      waiting = fast.next();
      await delay(2);
    }
    pool.reads.length = 0;
    // It has got the first of them.
    for (let data = length + 1; data < length + count; data += 1) assert.is((await slow.next()).value.data, data);
    assert.equal(pool.reads, alone);
    void slow.next();
    await delay(2);
  }
  for (const reader of [fast, slow]) await reader.return?.();
  await waiting;
});
reading('a reader that begins in the middle of a batch that is kept gets what is after it', async () => {
  const pool = new EventPool();
  pool.line = 'a.1';
  const changes = make(pool);
  const reader = changes.read();
  const next = reader.next();
  await waitUntil(() => pool.log.includes('LISTEN'), 'a connection that listens');
  await delay(5);
  pool.isHeld = true;
  const [first] = [await changes.append(pool, { event: 'a', data: 1 }), await changes.append(pool, { event: 'a', data: 2 })];
  pool.settle();
  pool.notify();
  assert.is(await readSoon(next), 1);
  pool.reads.length = 0;
  const resumed = changes.read({ after: first });
  assert.is(await readSoon(resumed.next()), 2);
  assert.equal(pool.reads, []);
  for (const each of [reader, resumed]) await each.return?.();
});
reading('readers share an event, which is frozen', async () => {
  const pool = new EventPool();
  const changes = make(pool);
  await changes.append(pool, { event: 'a', data: { of: [{ b: 1 }] } });
  const readers = [changes.read({ after: '0-0' }), changes.read({ after: '0-0' })];
  const [one, two] = await Promise.all(readers.map(async (reader) => (await reader.next()).value as StoredEvent<any>));
  assert.is(one, two);
  for (const part of [one, one!.data, one!.data.of, one!.data.of[0]]) assert.ok(Object.isFrozen(part));
  for (const reader of readers) await reader.return?.();
});
reading('after a failover: 410 for an id of the other line, and for a reader that waits. Others read all', async () => {
  const pool = new EventPool();
  pool.line = 'a.1';
  const changes = make(pool);
  const old = await changes.append(pool, { event: 'a', data: 1 });
  const waiting = [changes.read(), changes.read({ after: old }), changes.read({ after: '10-1' })];
  const ended = waiting.map((reader) => capture(reader.next()));
  await waitUntil(() => pool.log.includes('LISTEN') && pool.reads.length >= 2, 'the tail');
  await delay(5);
  pool.line = 'a.2';
  const own = await changes.append(pool, { event: 'a', data: 2 });
  assert.equal([old, own, await changes.position()], ['10-1-a.1', '11-2-a.2', '12-0-a.2']);
  // Of the new line, and read before those that wait know of it.
  const reader = changes.read({ after: '10-9-a.2' });
  assert.equal((await reader.next()).value, { id: own, event: 'a', data: 2 });
  const isReplaced = (error: unknown): boolean => (error as { readonly status?: number }).status === 410;
  assert.ok((await Promise.all(ended)).every(isReplaced));
  for (const after of [old, '5000-1-a.1', '10-1-b.2']) assert.ok(isReplaced(await capture(changes.read({ after }).next())), after);
  const whole = changes.read({ after: '0-0' });
  for (const data of [1, 2]) assert.is((await whole.next()).value.data, data);
  for (const each of [whole, reader]) await each.return?.();
});
reading('a line that not all roles may read is asked for once, and ids are without it', async () => {
  const pool = new EventPool();
  pool.mayReadLine = false;
  const changes = make(pool);
  await changes.append(pool, { event: 'a', data: 1 });
  const reader = changes.read({ after: '0-0' });
  await reader.next();
  assert.ok(pool.statements.every(({ text }) => !text.includes('$line') && !text.includes('pg_control')));
  assert.is(pool.lineChecks, 1);
  await reader.return?.();
});
reading('a connection that all share listens by its own function, if it has one', async () => {
  const pool = new EventPool();
  for (const hasListen of [true, false]) {
    const shared = new FakeShared(pool);
    const calls: unknown[] = [];
    let notify: (payload: string) => void = () => {};
    if (hasListen) {
      Object.assign(shared, { listen: async (channel: string, call: (payload: string) => void) => {
        calls.push(channel);
        notify = call;
        return async () => void calls.push('end');
      } });
    }
    const changes = make(shared);
    const reader = changes.read();
    const next = reader.next();
    await delay(5);
    await changes.append(shared, { event: 'a', data: 1 });
    notify('"restpoint_event"/x');
    if (hasListen) assert.is((await next).value.data, 1);
    await reader.return?.();
    await next;
    await waitUntil(() => !hasListen || calls.length === 2, 'the end');
    assert.equal(calls, hasListen ? ['restpoint_event', 'end'] : []);
  }
});
reading('with a filter: what it leaves out moves the id, once for a hundred events or 64 KiB', async () => {
  const pool = new EventPool();
  const changes = make(pool);
  const begin = await changes.position();
  assert.is(await changes.position(pool), begin);
  for (let at = 1; at <= 250; at += 1) await changes.append(pool, { event: 'a', data: at });
  await changes.append(pool, { event: 'a', data: 'x'.repeat(65_536) });
  await changes.append(pool, { event: 'a', data: 'last' });
  const seen: unknown[] = [];
  const reader = changes.read({ after: begin, where: ({ event, data }) => (seen.push(event), data === 120 || data === 'last' || (undefined as never)) });
  const read: unknown[] = [];
  for (let at = 0; at < 5; at += 1) read.push((await reader.next()).value);
  assert.equal(read, [
    { id: '109-100' }, { id: '129-120', event: 'a', data: 120 }, { id: '229-220' }, { id: '260-251' }, { id: '261-252', event: 'a', data: 'last' },
  ]);
  assert.is(seen.length, 252);
  const next = reader.next();
  await waitUntil(() => pool.log.includes('LISTEN'), 'a connection that listens');
  await delay(5);
  await changes.append(pool, { event: 'a', data: 1 });
  pool.notify();
  assert.is(await Promise.race([next, delay(5).then(() => 'nothing yet')]), 'nothing yet');
  await reader.return?.();
  await next;
});
for (const [what, where, expected] of [
  ['throws', () => { throw new Error('no paper'); }, 'no paper'],
  ['is async', async () => true, 'where must not be async'],
] as const) {
  reading(`with a filter that ${what}: the reader ends with its error`, async () => {
    const pool = new EventPool();
    const changes = make(pool);
    await changes.append(pool, { event: 'a', data: 1 });
    const reader = changes.read({ after: '0-0', where: where as never });
    assert.match(String(await capture(reader.next())), expected);
    assert.is((await reader.next()).done, true);
    await waitUntil(() => pool.open.size === 0, 'the end of the connection');
  });
}

reading('with a filter that aborts the signal: the reader ends, and the filter is not called again', async () => {
  const pool = new EventPool();
  const changes = make(pool);
  for (const data of [1, 2]) await changes.append(pool, { event: 'a', data });
  const [left, seen]: [AbortController, unknown[]] = [new AbortController(), []];
  const where = ({ data }: { readonly data: unknown }): boolean => (left.abort(), seen.push(data), false);
  assert.is((await changes.read({ after: '0-0', signal: left.signal, where }).next()).done, true);
  assert.equal(seen, [1]);
});

const wrong = suite('wrong events');
for (const [what, event, expected] of [
  ['data that JSON does not have', { event: 'a', data: undefined }, 'the data of an event must be JSON: undefined'],
  ['a name with a line end', { event: 'a\nb', data: 1 }, 'the name of an event must be a string without line ends and NUL'],
  ['a name with NUL', { event: '\0', data: 1 }, 'the name of an event must be a string'],
  ['a name that is a number', { event: 7, data: 1 }, 'the name of an event must be a string'],
  ['no event', undefined, 'an event must be an object'],
] as const) {
  wrong(`${what} -> TypeError: ${expected}`, async () => {
    const pool = new EventPool();
    const error = await capture(make(pool).append(pool, event as never));
    assert.instance(error, TypeError);
    assert.match((error as Error).message, expected);
    assert.equal(pool.log, []);
  });
}
for (const after of ['', '7', 'a-1', '1-', '18446744073709551616-1', '1-9223372036854775808', "1-1'", '1-1-1', '1-1-x.1', '1-1-a.', '1-1-a.1-1']) {
  wrong(`after ${JSON.stringify(after)} -> 400`, () => {
    assert.throws(() => make(new EventPool()).read({ after }), (error: { readonly status?: number }) => error.status === 400);
  });
}
wrong.after(() => clearInterval(alive));
