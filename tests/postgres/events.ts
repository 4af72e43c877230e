/** J5: `postgresEvents` of `restpoint/postgres`: all readers get all events in the same order, whatever is lost in between. */
import { mock } from 'node:test';
import type { Client, Pool } from '../../examples/zoo/store/postgres/pg.ts';
import { events } from '../../src/formats/index.ts';
import { defineEndpoint } from '../../src/index.ts';
import { type PostgresEvents, postgresEvents, type StoredEvent, transaction } from '../../src/postgres/index.ts';
import { assert, delay, message, readProblem, send, serve, waitUntil, withTimeout } from '../support/facts.ts';
import { withPool, type Case } from './case.ts';
import { withTwoPools } from './keys.ts';

type Read = StoredEvent<any>;

/** Reads so many events. */
async function take(reader: AsyncIterableIterator<Read>, count: number): Promise<Read[]> {
  const taken: Read[] = [];
  while (taken.length < count) {
    const { done, value } = await withTimeout(reader.next(), `event ${taken.length + 1} of ${count}`);
    if (done === true) break;
    taken.push(value);
  }
  return taken;
}

/** Reads, and closes all readers: a pool does not end while one of its connections listens. */
async function withReaders(readers: readonly AsyncIterableIterator<Read>[], use: () => Promise<void>): Promise<void> {
  try {
    await use();
  } finally {
    await Promise.all(readers.map((reader) => reader.return?.()));
  }
}

/** Lists the bytes of each event in each batch that a pool reads. */
function spyReads(pool: Pool): number[][] {
  const batches: number[][] = [];
  const query = pool.query.bind(pool);
  pool.query = async (text, values) => {
    const result = await query(text, values);
    if (text.startsWith('WITH RECURSIVE')) batches.push(result.rows.flatMap(({ data }) => (typeof data === 'string' ? [data.length] : [])));
    return result;
  };
  return batches;
}

const dataOf = (read: readonly Read[]): unknown[] => read.map(({ data }) => data);

async function listeners(pool: Pool): Promise<number[]> {
  const { rows } = await pool.query(`SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN %'`);
  return rows.map(({ pid }) => Number(pid));
}

/** A transaction that has appended an event and is still open. */
async function openAppend(pool: Pool, changes: PostgresEvents, data: unknown): Promise<Client> {
  const tx = await pool.connect();
  await tx.query('BEGIN');
  await changes.append(tx, { event: 'a', data });
  return tx;
}

async function end(tx: Client, how: 'COMMIT' | 'ROLLBACK'): Promise<void> {
  await tx.query(how);
  tx.release();
}

/** Reads what is rejected. */
async function statusOf(promise: Promise<unknown>): Promise<unknown> {
  return withTimeout(promise).then(() => 'no error', (error: unknown) => (error as { readonly status?: number }).status ?? error);
}

export const EVENTS: readonly Case[] = [
  ['after a failover to a standby that has not got the last events, a client with an id of before gets 410, and misses nothing that is new', ({ cluster, url }) => (
    withTwoPools(url, (primary) => cluster.withStandby((standbyUrl) => withPool(standbyUrl, async (standby) => {
      let current: Pool = primary;
      const pool = { query: (text: string, values?: any[]) => current.query(text, values), connect: () => current.connect() };
      const changes = postgresEvents(pool, { channel: 'x' });
      const append = async (data: number): Promise<string> => changes.append(pool, { event: 'a', data });
      const replicated = await append(1);
      await waitUntil(async () => (await standby.query('SELECT 1 FROM restpoint_event')).rows.length === 1, 'the standby');
      await standby.query("ALTER SYSTEM SET primary_conninfo = ''");
      await standby.query('SELECT pg_reload_conf()');
      await waitUntil(async () => (await primary.query('SELECT 1 FROM pg_stat_replication')).rows.length === 0, 'the end of the replication');
      const lost = [await append(2), await append(3), await append(4)];
      const [reader, waiting] = [changes.read({ after: '0-0' }), changes.read()];
      const ended = statusOf(waiting.next());
      assert.equal(dataOf(await take(reader, 4)), [1, 2, 3, 4]);
      const next = statusOf(reader.next());
      await waitUntil(async () => (await listeners(primary)).length === 1, 'a connection that listens');
      await standby.query('SELECT pg_promote()');
      current = standby;
      await primary.query('SELECT pg_terminate_backend(pid) FROM unnest($1::integer[]) AS pid', [`{${(await listeners(primary)).join()}}`]);
      const added = [await append(5), await append(6)];
      const xidOf = (id: string): number => Number(id.split('-')[0]);
      assert.ok(xidOf(added[0] ?? '') <= xidOf(lost[2] ?? ''), `${added} after ${lost}`);
      assert.equal([await next, await ended], [410, 410]);
      for (const after of [replicated, ...lost]) assert.is(await statusOf(changes.read({ after }).next()), 410, after);
      for (const [after, expected] of [['0-0', [1, 5, 6]], [added[0] ?? '', [6]]] as const) {
        const again = changes.read({ after });
        assert.equal(dataOf(await take(again, expected.length)), expected);
        await again.return?.();
      }
    })))
  )],
  ['a timeline that not all roles may read is in no id: a transaction can have a role of its own', ({ url }) => withTwoPools(url, async (owner) => {
    const line = 'FUNCTION pg_control_checkpoint()';
    await owner.query('DROP ROLE IF EXISTS app; CREATE ROLE app LOGIN; GRANT USAGE ON SCHEMA public TO app; GRANT ALL ON restpoint_event TO app');
    await owner.query(`REVOKE EXECUTE ON ${line} FROM PUBLIC; GRANT EXECUTE ON ${line} TO app`);
    try {
      for (const [isAllowed, id] of [[false, /^\d+-\d+$/], [true, /^\d+-\d+-[\da-f]+\.\d+$/]] as const) {
        if (isAllowed) await owner.query(`GRANT EXECUTE ON ${line} TO PUBLIC`);
        await withPool(url.replace('//postgres:', '//app:'), async (pool) => {
          const changes = postgresEvents(pool, { channel: 'x' });
          assert.match(await changes.append(pool, { event: 'a', data: 1 }), id);
          const reader = changes.read({ after: '0-0' });
          assert.match((await take(reader, 1))[0]?.id ?? '', id);
          await reader.return?.();
        });
      }
    } finally {
      await owner.query(`GRANT EXECUTE ON ${line} TO PUBLIC; DROP OWNED BY app; DROP ROLE app`);
    }
  })],
  ['events come in the order of their transactions: none is missed that is committed late, and writers do not wait', ({ url }) => withTwoPools(url, async (one, two) => {
    const changes = postgresEvents(one, { channel: 'booking' });
    const early = await openAppend(one, changes, 'early');
    const rolledBack = await openAppend(one, changes, 'never');
    // It does not wait for the other two.
    const late = await changes.append(two, { event: 'a', data: 'late' });
    const reader = changes.read({ after: '0-0' });
    const first = reader.next();
    assert.is(await Promise.race([first, delay(300).then(() => 'nothing yet')]), 'nothing yet');
    await end(rolledBack, 'ROLLBACK');
    await end(early, 'COMMIT');
    const [{ value: read }, rest] = [await withTimeout(first), await take(reader, 1)];
    assert.equal([read, ...rest].map(({ event, data }) => [event, data]), [['a', 'early'], ['a', 'late']]);
    assert.is(rest[0]?.id, late);
    await reader.return?.();
  })],
  ['eight writers and four readers in two processes: all readers get all events once, in the same order', ({ url }) => withTwoPools(url, async (one, two) => {
    const stores = [one, two].map((pool) => postgresEvents(pool, { channel: 'x' }));
    const others = postgresEvents(one, { channel: 'other' });
    const readers = [0, 1, 2, 3].map((at) => stores[at % 2]?.read({ after: '0-0' }) as AsyncIterableIterator<Read>);
    await withReaders(readers, async () => {
      const reading = readers.map((reader) => take(reader, 400));
      await Promise.all(Array.from({ length: 8 }, async (_, writer) => {
        const pool = writer % 2 === 0 ? one : two;
        for (let turn = 0; turn < 25; turn += 1) {
          const tx = await pool.connect();
          await tx.query('BEGIN');
          await stores[writer % 2]?.append(tx, { event: 'a', data: [writer, turn, 0] });
          if (turn % 3 === 0) await delay(Math.random() * 10);
          await others.append(tx, { event: 'a', data: 1 });
          await stores[writer % 2]?.append(tx, { event: 'a', data: [writer, turn, 1] });
          await end(tx, 'COMMIT');
        }
      }));
      const [first = [], ...rest] = await Promise.all(reading);
      for (const read of rest) assert.equal(read, first);
      const expected = Array.from({ length: 8 }, (_, writer) => Array.from({ length: 25 }, (_, turn) => [[writer, turn, 0], [writer, turn, 1]]).flat()).flat();
      assert.equal(dataOf(first).map(String).sort(), expected.map(String).sort());
      // Whoever goes on after any event gets the others.
      for (const at of [0, 100, 398]) {
        const reader = stores[0]?.read({ after: first[at]?.id }) as AsyncIterableIterator<Read>;
        assert.equal(await take(reader, 399 - at), first.slice(at + 1));
        await reader.return?.();
      }
    });
  })],
  ['readers with ids of the past, of open transactions and of the future get each event behind their id once, while others write', ({ url }) => withTwoPools(url, async (one, two) => {
    const changes = postgresEvents(one, { channel: 'x' });
    const first = await changes.append(two, { event: 'a', data: 'first' });
    const open = await openAppend(two, changes, 'open');
    const [xid = ''] = first.split('-');
    const beyond = [0, 1, 2, 3, 5, 20, 60, 100, 150, 200, 399, 100_000].map((more) => `${BigInt(xid) + BigInt(more)}-${more % 2 === 0 ? 0 : 9_000_000 + more}`);
    const forged = [first, '0-0', '1-9223372036854775807', ...beyond, '18446744073709551615-9223372036854775807'];
    const readers = forged.map((after) => changes.read({ after }));
    await withReaders(readers, async () => {
      const read: Read[][] = readers.map(() => []);
      const ended = readers.map(async (reader, at) => {
        for await (const event of reader) read[at]?.push(event);
      });
      await Promise.all([0, 1, 2, 3].map(async (writer) => {
        for (let turn = 0; turn < 50; turn += 1) {
          const tx = await openAppend(two, changes, [writer, turn]);
          // Transactions that end all the time, and have no events.
          await one.query('INSERT INTO item VALUES (pg_current_xact_id()::text) ON CONFLICT DO NOTHING');
          if (writer === 0 && turn === 10) await end(open, 'COMMIT');
          await end(tx, turn % 7 === 3 ? 'ROLLBACK' : 'COMMIT');
        }
      }));
      const { rows } = await two.query('SELECT xid::text AS xid, id::text AS id FROM restpoint_event AS kept ORDER BY kept.xid, kept.id');
      const all = rows.map(({ xid: own, id }) => [BigInt(String(own)), BigInt(String(id)), `${String(own)}-${String(id)}`] as const);
      const expected = forged.map((after) => {
        const [own = 0n, id = 0n] = after.split('-').slice(0, 2).map(BigInt);
        return all.filter((each) => each[0] > own || (each[0] === own && each[1] > id)).map((each) => each[2]);
      });
      assert.is(expected[1]?.length, 2 + 4 * 43);
      await waitUntil(() => read.every((each, at) => each.length >= (expected[at]?.length ?? 0)), 'all events');
      await Promise.all(readers.map((reader) => reader.return?.()));
      await Promise.all(ended);
      for (const [at, each] of read.entries()) assert.equal(each.map(({ id }) => id.split('-', 2).join('-')), expected[at], forged[at]);
    });
  })],
  ['a batch has 64 KiB, or one event, and of events that wait for a transaction, nothing is read', ({ url }) => withTwoPools(url, async (one, two) => {
    const changes = postgresEvents(one, { channel: 'x' });
    const sizes = [10, 30_000, 30_000, 30_000, 40_000, 70_000, 2, 500_000, ...Array.from({ length: 210 }, () => 200)];
    for (const size of sizes) await changes.append(two, { event: 'a', data: 'x'.repeat(size - 2) });
    const batches = spyReads(one);
    const readers = [changes.read({ after: '0-0' })];
    await withReaders(readers, async () => {
      assert.equal((await take(readers[0] as AsyncIterableIterator<Read>, sizes.length)).map(({ data }) => (data as string).length + 2), sizes);
      assert.equal(batches.map((batch) => [batch.length, batch.reduce((sum, size) => sum + size, 0)]), [
        [3, 60_010], [1, 30_000], [1, 40_000], [1, 70_000], [1, 2], [1, 500_000], [100, 20_000], [100, 20_000], [10, 2000],
      ]);
      const tx = await openAppend(two, changes, 1);
      for (let at = 0; at < 5; at += 1) await changes.append(two, { event: 'a', data: 'x'.repeat(10_000) });
      batches.length = 0;
      const next = take(readers[0] as AsyncIterableIterator<Read>, 6);
      await waitUntil(() => batches.length >= 5, 'reads while a transaction is open');
      assert.equal(batches.flat(), []);
      await end(tx, 'COMMIT');
      assert.is((await next).length, 6);
    });
  })],
  ['a transaction that events wait for is named in one warning after a minute: above all a prepared one, which nobody may end', ({ url }) => withTwoPools(url, async (one, two) => {
    const changes = postgresEvents(one, { channel: 'x' });
    const warned: string[] = [];
    const note = ({ message: text }: Error): void => void (text.startsWith('The events') && warned.push(text));
    process.on('warning', note);
    const clock = performance.now.bind(performance);
    let aheadMs = 0;
    const now = mock.method(performance, 'now', () => clock() + aheadMs);
    const reads = spyReads(one);
    const reader = changes.read({ after: '0-0' });
    const untilRead = async (): Promise<void> => {
      const begun = reads.length;
      await waitUntil(() => reads.length > begun + 1, 'a read');
    };
    try {
      for (const isPrepared of [true, false]) {
        const tx = await two.connect();
        await tx.query('BEGIN');
        const { rows: [own] } = await tx.query('SELECT pg_current_xact_id(), pg_backend_pid() AS pid');
        await changes.append(one, { event: 'a', data: 1 });
        if (isPrepared) await tx.query(`PREPARE TRANSACTION 'it''s lost'`);
        const next = reader.next();
        await untilRead();
        assert.equal(warned, []);
        aheadMs += 60_000;
        await waitUntil(() => warned.length === 1, 'a warning');
        aheadMs += 60_000;
        await untilRead();
        const holder = isPrepared ? `the prepared transaction 'it''s lost'` : `the transaction of process ${String(own?.['pid'])}`;
        assert.equal(warned.splice(0), [`The events of the channel "x" wait for ${holder}, which has run for a minute: until it has ended, nobody gets one.`]);
        if (isPrepared) await two.query(`COMMIT PREPARED 'it''s lost'`);
        await end(tx, 'COMMIT');
        await withTimeout(next, 'the event');
      }
    } finally {
      await reader.return?.();
      now.mock.restore();
      process.off('warning', note);
    }
  })],
  ['one connection listens for all readers of a process, and is opened again when it is lost', ({ url }) => withTwoPools(url, async (one, two) => {
    const changes = postgresEvents(one, { channel: 'x' });
    const other = postgresEvents(one, { channel: 'y' });
    assert.equal(await listeners(two), []);
    // From the beginning: without `after`, where a reader begins depends on when the database gets its first query.
    const readers = [changes.read({ after: '0-0' }), changes.read({ after: '0-0' }), other.read({ after: '0-0' })];
    await withReaders(readers, async () => {
      const first = readers.map((reader) => reader.next());
      await waitUntil(async () => (await listeners(two)).length === 1, 'a connection that listens');
      const [pid = 0] = await listeners(two);
      await two.query('SELECT pg_terminate_backend($1, 5000)', [pid]);
      await changes.append(two, { event: 'a', data: 'while it is lost' });
      await other.append(two, { event: 'a', data: 'other' });
      assert.equal((await withTimeout(Promise.all(first))).map(({ value }) => (value as Read).data), ['while it is lost', 'while it is lost', 'other']);
      const second = readers.map((reader) => reader.next());
      await waitUntil(async () => (await listeners(two)).some((each) => each !== pid), 'another connection that listens');
      await changes.append(two, { event: 'a', data: 2 });
      await Promise.all(second.slice(0, 2));
      await readers[2]?.return?.();
      assert.is((await second[2])?.done, true);
    });
    await waitUntil(async () => (await listeners(two)).length === 0, 'the end of the connection');
  })],
  ['after the position that is read before a state, or with it, a reader gets each change that the state does not have', ({ url }) => {
    return withTwoPools(url, async (one, two) => {
      const changes = postgresEvents(one, { channel: 'x' });
      await changes.append(two, { event: 'a', data: 'in the state' });
      const early = await openAppend(two, changes, 'early');
      await changes.append(two, { event: 'a', data: 'perhaps' });
      const position = await changes.position();
      const tx = await one.connect();
      await tx.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
      const state = await tx.query('SELECT data FROM restpoint_event');
      await changes.append(two, { event: 'a', data: 'late' });
      await end(early, 'COMMIT');
      const together = await changes.position(tx);
      await end(tx, 'COMMIT');
      assert.equal([state.rows.map(({ data }) => data), together], [['in the state', 'perhaps'], position]);
      const readers = [changes.read({ after: position })];
      await withReaders(readers, async () => {
        assert.equal(dataOf(await take(readers[0] as AsyncIterableIterator<Read>, 3)), ['early', 'perhaps', 'late']);
      });
    });
  }],
  ['any JSON is kept, even with U+0000, and hostile names are values', ({ url }) => withTwoPools(url, async (one) => {
    const changes = postgresEvents(one, { channel: 'x' });
    const reader = changes.read({ after: '0-0' });
    for (const data of ['\0', "'); DROP TABLE restpoint_event; --", { a: [null, 1e300, '\ud800'] }, 'x'.repeat(1_000_000)]) {
      await changes.append(one, { event: `'"$1\\ä`, data });
      assert.equal(dataOf(await take(reader, 1)), [JSON.parse(JSON.stringify(data))]);
    }
    await reader.return?.();
  })],
  ['over HTTP: a client that reconnects gets what it has missed, a foreign id is a 400, and a stop ends the stream and the connection', async ({ url }) => {
    await withTwoPools(url, (one) => withPool(url, async (pool) => {
      const changes = postgresEvents<{ paid: number }>(pool, { channel: 'booking' });
      await serve((server) => server.registerEndpoint('/event', defineEndpoint({
        get: { output: events({ paid: Number }), run: ({ lastEventId, signal }) => changes.read({ after: lastEventId, signal }) },
        custom: {
          pay: { use: transaction(pool), input: Number, run: (cents, { tx }) => changes.append(tx, { event: 'paid', data: cents }) },
          fail: {
            use: transaction(pool),
            run: async ({ tx }) => {
              await changes.append(tx, { event: 'paid', data: 13 });
              throw new Error('no paper');
            },
          },
        },
      })), async (served) => {
        const pay = (path: string, body: string) => send(served.port, message('POST', `/v1/event/${path}`, body, ['Content-Type: application/json']));
        for (const cents of ['1', '2']) assert.is((await pay('pay', cents)).status, 200);
        assert.is((await send(served.port, message('POST', '/v1/event/fail'))).status, 500);
        assert.is((await pay('pay', '3')).status, 200);
        const read = async (after: string, count: number): Promise<string[]> => {
          const left = new AbortController();
          const response = await fetch(`${served.url}/v1/event`, { headers: { 'Last-Event-ID': after }, signal: left.signal });
          const ids: string[] = [];
          let text = '';
          for await (const chunk of response.body ?? []) {
            text += Buffer.from(chunk).toString();
            ids.splice(0, ids.length, ...[...text.matchAll(/id: (.*)\nevent: paid\ndata: (.*)\n\n/g)].map(([, id, data]) => `${id} ${data}`));
            if (ids.length >= count) break;
          }
          left.abort();
          return ids;
        };
        const all = await read('0-0', 3);
        assert.equal(all.map((each) => each.split(' ')[1]), ['1', '2', '3']);
        assert.equal(await read(all[0]?.split(' ')[0] ?? '', 2), all.slice(1));
        assert.is((await send(served.port, message('GET', '/v1/event', '', ['Last-Event-ID: 1-1-a.1']))).status, 410);
        for (const id of ['7', 'x-1', '99999999999999999999-1', '1-9999999999999999999', "1-1'; --"]) {
          const response = await send(served.port, message('GET', '/v1/event', '', [`Last-Event-ID: ${id}`]));
          assert.equal([response.status, readProblem(response).status], [400, 400], id);
        }
        const open = await fetch(`${served.url}/v1/event`, { headers: { 'Last-Event-ID': '0-0' } });
        await waitUntil(async () => (await listeners(one)).length === 1, 'a connection that listens');
        await served.server.stop();
        await open.text();
        assert.is(served.errors.length, 1);
      });
      await waitUntil(async () => (await listeners(one)).length === 0, 'the end of the connection');
    }));
  }],
  ['what has expired is removed', ({ url }) => withTwoPools(url, async (one) => {
    const changes = postgresEvents(one, { channel: 'x', ttlMs: 60_000 });
    await one.query(`INSERT INTO restpoint_event (channel, data, created) SELECT 'x', '1', now() - interval '61 seconds' FROM generate_series(1, 250) AS n`);
    const count = async (): Promise<number> => (await one.query('SELECT 1 FROM restpoint_event')).rows.length;
    await changes.append(one, { event: 'a', data: 1 });
    await waitUntil(async () => (await count()) === 1, 'the removal');
  })],
  ['a channel does not remove the events of others, which may be stored for longer', ({ url }) => withTwoPools(url, async (one) => {
    await one.query(`INSERT INTO restpoint_event (channel, data, created) SELECT c, '1', now() - interval '61 seconds' FROM unnest(ARRAY['short', 'long']) AS c`);
    await postgresEvents(one, { channel: 'short', ttlMs: 60_000 }).append(one, { event: 'a', data: 1 });
    const channels = async (): Promise<unknown[]> => {
      return (await one.query('SELECT channel FROM restpoint_event ORDER BY channel')).rows.map(({ channel }) => channel);
    };
    await waitUntil(async () => (await channels()).length === 2, 'the removal');
    assert.equal(await channels(), ['long', 'short']);
  })],
];
