/** J4: `postgresIdempotencyStore` of `restpoint/postgres`: a key runs once, in any process, and no caller fills the table. */
import type { IncomingMessage } from 'node:http';
import type { Pool } from '../../examples/zoo/store/postgres/pg.ts';
import { type ApiRequest, ApiError, defineEndpoint } from '../../src/index.ts';
import { ndjson } from '../../src/formats/index.ts';
import { type IdempotencyClaim, idempotent } from '../../src/interceptors/index.ts';
import { postgresEvents, postgresIdempotencyStore, type PostgresQueries, postgresTables, transaction } from '../../src/postgres/index.ts';
import { captureErrorText } from '../support/store-cases.ts';
import { assert, Gate, message, readProblem, send, serve, waitUntil } from '../support/facts.ts';
import { SERIALIZABLE, withPool, type Case } from './case.ts';

const CLAIM: IdempotencyClaim = { key: 'one', fingerprint: 'a' };
const RESPONSE = { status: 201, headers: { 'X-A': ['b', 'c'], 'X-B': '"\\' }, body: '{"paid":"ä\\u0000"}' };
const KEPT = { fingerprint: 'a', response: { ...RESPONSE, body: Buffer.from(RESPONSE.body) } };
const failAgain = async (): Promise<never> => {
  throw new Error('it runs again');
};
const callerOf = ({ raw }: { readonly raw: IncomingMessage }): { readonly id: string } => ({ id: String(raw.headers['x-caller']) });
const KEY = ['Idempotency-Key: "a"'];

/** Two pools over one database with the tables, as two processes have them. */
export function withTwoPools(url: string, use: (one: Pool, two: Pool) => Promise<void>): Promise<void> {
  return withPool(url, (one) => withPool(url, async (two) => {
    await Promise.all([one, two, one, two].map((pool) => pool.query(postgresTables())));
    await one.query('CREATE TABLE item (name text UNIQUE NOT NULL)');
    await use(one, two);
  }));
}

async function openTransactions(pool: Pool): Promise<number> {
  const { rows } = await pool.query(`SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND xact_start IS NOT NULL`);
  return rows.length;
}

const names = async (pool: Pool, column = 'name', table = 'item'): Promise<unknown[]> => {
  return (await pool.query(`SELECT ${column} AS name FROM ${table} ORDER BY 1`)).rows.map(({ name }) => name);
};

export const KEYS: readonly Case[] = [
  ['postgresTables locks no table that is there, while others write to it', ({ url }) => withTwoPools(url, async (one, two) => {
    const [tx, other] = [await one.connect(), await two.connect()];
    try {
      await tx.query('BEGIN');
      for (const table of ['restpoint_key', 'restpoint_rate', 'restpoint_event']) await tx.query(`LOCK TABLE ${table} IN ROW EXCLUSIVE MODE`);
      await other.query("SET lock_timeout = '100ms'");
      await other.query(postgresTables());
      await tx.query('COMMIT');
      await other.query('DROP INDEX restpoint_key_caller');
      await other.query(postgresTables());
      assert.equal((await other.query("SELECT indexname FROM pg_indexes WHERE indexname LIKE 'restpoint%' ORDER BY 1")).rows.map(({ indexname }) => indexname), [
        'restpoint_event_created', 'restpoint_event_pkey', 'restpoint_key_caller', 'restpoint_key_expires', 'restpoint_key_pkey', 'restpoint_rate_expires',
        'restpoint_rate_pkey',
      ]);
    } finally {
      for (const client of [tx, other]) client.release();
    }
  })],
  ['postgresTables makes the tables once, where many run it at once in serializable transactions', ({ url }) => withPool(url, async (pool) => {
    const clients = await Promise.all(Array.from({ length: 4 }, () => pool.connect()));
    try {
      for (const client of clients) await client.query('SET default_transaction_isolation = serializable');
      for (let turn = 0; turn < 10; turn += 1) {
        await pool.query('DROP TABLE IF EXISTS restpoint_key, restpoint_rate, restpoint_event');
        await Promise.all(clients.map((client) => client.query(postgresTables())));
      }
    } finally {
      for (const client of clients) client.release();
    }
  })],
  ['where all tables are there, postgresTables runs for a role that may create nothing, in a read-only session, and on a standby', ({ cluster, url }) => withTwoPools(url, async (one) => {
    await one.query('CREATE SCHEMA "a$tables$b"; CREATE SCHEMA empty');
    const options = { schema: 'a$tables$b' };
    for (const text of [postgresTables(), postgresTables(options)]) {
      await one.query(text);
      const { rows: [role] } = await one.query("SELECT 1 FROM pg_roles WHERE rolname = 'restpoint_reader'");
      if (role === undefined) await one.query('CREATE ROLE restpoint_reader');
      await one.query('GRANT USAGE ON SCHEMA public, "a$tables$b", empty TO restpoint_reader');
      const client = await one.connect();
      try {
        await client.query('SET ROLE restpoint_reader');
        await client.query(text);
        assert.match(await captureErrorText(() => client.query(postgresTables({ schema: 'empty' }))), 'permission denied');
        await client.query('RESET ROLE');
        await client.query('SET default_transaction_read_only = on');
        await client.query(text);
      } finally {
        client.release(true);
      }
    }
    await cluster.withStandby((standby) => withPool(standby, async (pool) => {
      assert.is((await pool.query('SELECT pg_is_in_recovery() AS is_standby')).rows[0]?.['is_standby'], true);
      for (const text of [postgresTables(), postgresTables(options)]) await pool.query(text);
    }));
    const tables = await one.query("SELECT oid::regclass::text AS name FROM pg_class WHERE relkind = 'r' AND relname LIKE 'restpoint%' ORDER BY 1");
    const names = ['restpoint_event', 'restpoint_key', 'restpoint_rate'];
    assert.equal(tables.rows.map(({ name }) => name), [...names.map((name) => `"a$tables$b".${name}`), ...names]);
    await one.query('DROP SCHEMA "a$tables$b", empty CASCADE');
  })],
  ['in each schema of a search_path, postgresTables creates tables of its own', ({ url }) => withTwoPools(url, async (one) => {
    const client = await one.connect();
    try {
      await client.query('CREATE SCHEMA "Tenant"');
      await client.query('SET search_path = "Tenant", public');
      await client.query(postgresTables());
      await client.query(postgresTables({ schema: 'Tenant' }));
      const { rows } = await client.query("SELECT relnamespace::regnamespace::text AS name FROM pg_class WHERE relname = 'restpoint_key' ORDER BY 1");
      assert.equal(rows.map(({ name }) => name), ['"Tenant"', 'public']);
    } finally {
      await client.query('DROP SCHEMA "Tenant" CASCADE');
      client.release(true);
    }
  })],
  ['where an operation changes its search_path, a key and an event stay in the tables of the pool, even if each tenant has some', ({ url }) => {
    return withTwoPools(url, async (one) => {
      await one.query(`CREATE SCHEMA acme; CREATE TABLE acme.item (name text NOT NULL); ${postgresTables({ schema: 'acme' })}`);
      const changes = postgresEvents(one, { channel: 'item' });
      const pay = async (tx: PostgresQueries, isLocal = true): Promise<typeof RESPONSE> => {
        await tx.query(`SET ${isLocal ? 'LOCAL' : ''} search_path = acme`);
        await tx.query("INSERT INTO item VALUES ('a')");
        await changes.append(tx, { event: 'paid', data: 1 });
        return RESPONSE;
      };
      const store = postgresIdempotencyStore(one);
      assert.is(await store.once(CLAIM, ({ tx }) => pay(tx)), 'done');
      assert.equal(await store.once(CLAIM, failAgain), KEPT);
      // One that stays has no effect either, as for all that the connection does later.
      await store.once({ ...CLAIM, key: 'two' }, ({ tx }) => pay(tx, false));
      assert.equal(await store.once({ ...CLAIM, key: 'two' }, failAgain), KEPT);
      const counts = ['acme.item', 'acme.restpoint_key', 'acme.restpoint_event', 'public.restpoint_key', 'public.restpoint_event'];
      assert.equal(await Promise.all(counts.map(async (table) => (await one.query(`SELECT FROM ${table}`)).rows.length)), [2, 0, 0, 2, 2]);
      await one.query('DROP SCHEMA acme CASCADE');
    });
  }],
  ['a transaction that the user has begun, with a role that sees one schema only, does not say where the others have their events', ({ url }) => {
    return withTwoPools(url, async (one) => {
      await one.query(`CREATE SCHEMA acme; ${postgresTables({ schema: 'acme' })}; CREATE ROLE acme`);
      await one.query('GRANT USAGE ON SCHEMA acme TO acme; GRANT ALL ON acme.restpoint_event TO acme');
      const client = await one.connect();
      try {
        const changes = postgresEvents(one, { channel: 'item' });
        await client.query('BEGIN');
        await client.query('SET LOCAL ROLE acme');
        await changes.append(client, { event: 'paid', data: 1 });
        await client.query('COMMIT');
        await changes.append(one, { event: 'paid', data: 2 });
        for (const table of ['acme.restpoint_event', 'public.restpoint_event']) assert.is((await one.query(`SELECT FROM ${table}`)).rows.length, 1);
      } finally {
        await client.query('ROLLBACK');
        client.release();
        await one.query('DROP SCHEMA acme CASCADE; DROP ROLE acme');
      }
    });
  }],
  ['a key that one process runs is running for another, until its transaction ends', ({ url }) => withTwoPools(url, async (one, two) => {
    const [gate, begun] = [new Gate(), new Gate()];
    const first = postgresIdempotencyStore(one).once(CLAIM, async ({ tx }) => {
      await tx.query("INSERT INTO item VALUES ('a')");
      begun.open();
      await gate.passed;
      return RESPONSE;
    });
    await begun.passed;
    assert.is(await postgresIdempotencyStore(two).once(CLAIM, failAgain), 'running');
    assert.is(await postgresIdempotencyStore(two).once({ ...CLAIM, key: 'two' }, async () => RESPONSE), 'done');
    gate.open();
    assert.is(await first, 'done');
    assert.equal(await postgresIdempotencyStore(two).once(CLAIM, failAgain), KEPT);
    assert.equal(await names(two), ['a']);
  })],
  ['a claim ends with the connection of its holder, and so does what it has written', ({ url }) => withTwoPools(url, async (one, two) => {
    const error = await captureErrorText(() => postgresIdempotencyStore(one).once(CLAIM, async ({ tx }) => {
      await tx.query("INSERT INTO item VALUES ('a')");
      await two.query(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE state = 'idle in transaction'`);
      return RESPONSE;
    }));
    assert.match(error, /onnection|terminat/);
    assert.is(await postgresIdempotencyStore(two).once(CLAIM, async ({ tx }) => (await tx.query("INSERT INTO item VALUES ('a')"), RESPONSE)), 'done');
  })],
  ['an operation that fails stores nothing, and its key is free', ({ url }) => withTwoPools(url, async (one) => {
    for (const store of [postgresIdempotencyStore(one), postgresIdempotencyStore(one, { transaction: false })]) {
      assert.match(await captureErrorText(() => store.once(CLAIM, () => Promise.reject(new Error('no paper')))), 'no paper');
    }
    assert.match(await captureErrorText(() => postgresIdempotencyStore(one).once(CLAIM, async ({ tx }) => {
      await tx.query("INSERT INTO item VALUES ('a')");
      await tx.query('SELECT nothing').catch(() => {});
      return RESPONSE;
    })), /current transaction is aborted/);
    assert.equal([await names(one), await names(one, 'key', 'restpoint_key')], [[], []]);
  })],
  ['any key is a value, and a response without a body has none', ({ url }) => withTwoPools(url, async (one) => {
    for (const transaction of [true, false] as const) {
      const store = transaction ? postgresIdempotencyStore(one) : postgresIdempotencyStore(one, { transaction });
      const claim = { key: `'; DROP TABLE restpoint_key; --${transaction}`, fingerprint: '$1', caller: "\\'" };
      for (const body of [undefined, '', new Uint8Array([0, 255])]) {
        const own = { ...claim, key: `${claim.key}${body?.length}` };
        assert.is(await store.once(own, async () => ({ status: 204, headers: {}, body })), 'done');
        const found = await store.once(own, failAgain);
        assert.equal(found, { fingerprint: '$1', response: { status: 204, headers: {}, body: body === undefined ? undefined : Buffer.from(body) } });
      }
    }
  })],
  ['conflicts of serializable transactions are repeated: all are done, each once', ({ url }) => withTwoPools(`${url}${SERIALIZABLE}`, async (one, two) => {
    const stores = [one, two].map((pool) => postgresIdempotencyStore(pool, { isolation: 'serializable' }));
    let runs = 0;
    const outcomes = await Promise.all(Array.from({ length: 12 }, async (_, at) => {
      for (;;) {
        const outcome = await stores[at % 2]?.once({ key: `${at}`, fingerprint: 'a' }, async ({ tx }) => {
          runs += 1;
          const { rows: [row] } = await tx.query('SELECT count(*)::integer AS count FROM item');
          await tx.query('INSERT INTO item VALUES ($1)', [String(row?.['count'])]);
          return RESPONSE;
        }).catch((error: ApiError) => error);
        if (!(outcome instanceof ApiError)) return outcome;
        assert.is(outcome.status, 503);
      }
    }));
    assert.equal(new Set(outcomes), new Set(['done']));
    assert.equal((await names(one)).map(Number).sort((a, b) => a - b), Array.from({ length: 12 }, (_, at) => at));
    assert.ok(runs > 12, 'there was no conflict');
  })],
  ['one key that comes at the same time many times runs once, in each isolation, with a transaction and without', ({ url }) => withTwoPools(url, async (one, two) => {
    for (const isolation of ['read committed', 'repeatable read', 'serializable', undefined] as const) {
      const stores = [one, two].map((pool) => (isolation === undefined
        ? postgresIdempotencyStore(pool, { transaction: false }) : postgresIdempotencyStore(pool, { isolation })));
      const claim = { key: String(isolation), fingerprint: 'a' };
      let runs = 0;
      const outcomes = await Promise.all(Array.from({ length: 30 }, (_, at) => stores[at % 2]?.once(claim, async () => {
        if (isolation !== undefined) return RESPONSE;
        runs += 1;
        return RESPONSE;
      })));
      assert.is(outcomes.filter((outcome) => outcome === 'done').length, 1, String(isolation));
      assert.is(runs, isolation === undefined ? 1 : 0);
      // A key that is done is never running, even if many ask for it.
      const again = await Promise.all(Array.from({ length: 16 }, (_, at) => stores[at % 2]?.once(claim, failAgain)));
      assert.equal(again, again.map(() => KEPT));
    }
  })],
  ['a timeout of the server rolls back, and is a 503; a cancel and NOWAIT are not', ({ url }) => withTwoPools(url, async (one, two) => {
    await one.query("INSERT INTO item VALUES ('locked')");
    const holder = await two.connect();
    await holder.query("BEGIN; UPDATE item SET name = 'held' WHERE name = 'locked'");
    const locked = "SELECT FROM item WHERE name = 'locked' FOR UPDATE";
    for (const [statements, expected] of [
      [["SET LOCAL statement_timeout = '20ms'", 'SELECT pg_sleep(10)'], 503], [["SET LOCAL lock_timeout = '20ms'", locked], 503],
      [['SELECT pg_cancel_backend(pg_backend_pid()), pg_sleep(10)'], undefined], [[`${locked} NOWAIT`], undefined],
    ] as const) {
      const error = await postgresIdempotencyStore(one).once(CLAIM, async ({ tx }) => {
        await tx.query("INSERT INTO item VALUES ('new')");
        for (const statement of statements) await tx.query(statement);
        return RESPONSE;
      }).catch((thrown: unknown) => thrown);
      assert.is((error as { readonly status?: number }).status, expected, statements.join('; '));
    }
    await holder.query('ROLLBACK');
    holder.release();
    assert.equal([await names(one), await names(one, 'key', 'restpoint_key')], [['locked'], []]);
  })],
  ['without a transaction, none is open while the operation runs, and no connection is used', ({ url }) => withTwoPools(url, async (one, two) => {
    const store = postgresIdempotencyStore(one, { transaction: false });
    const outcome = await store.once(CLAIM, async (adds) => {
      assert.equal(adds, {});
      assert.is(await openTransactions(two), 0);
      assert.is(await postgresIdempotencyStore(two, { transaction: false }).once(CLAIM, failAgain), 'running');
      assert.is(await postgresIdempotencyStore(two).once(CLAIM, failAgain), 'running');
      return RESPONSE;
    });
    assert.is(outcome, 'done');
    assert.equal(await postgresIdempotencyStore(two).once(CLAIM, failAgain), KEPT);
  })],
  ['a claim whose process has died ends, and a process that lives too long for its claim stores nothing', ({ url }) => withTwoPools(url, async (one, two) => {
    const store = postgresIdempotencyStore(one, { transaction: false });
    const error = await captureErrorText(() => store.once(CLAIM, async () => {
      await two.query(`UPDATE restpoint_key SET expires = now() - interval '1 second'`);
      const other = { ...RESPONSE, status: 202 };
      assert.is(await postgresIdempotencyStore(two, { transaction: false }).once(CLAIM, async () => other), 'done');
      return RESPONSE;
    }));
    assert.match(error, 'the claim of its key has ended');
    assert.equal(await store.once(CLAIM, failAgain), { ...KEPT, response: { ...KEPT.response, status: 202 } });
  })],
  ['what has expired is removed, and its key runs again', ({ url }) => withTwoPools(url, async (one) => {
    await one.query(`INSERT INTO restpoint_key (key, fingerprint, status, headers, expires)
      SELECT 'old' || n, '', 200, '{}', now() - interval '1 second' FROM generate_series(1, 250) AS n`);
    const store = postgresIdempotencyStore(one);
    await store.once({ key: 'old1', fingerprint: 'b' }, async () => RESPONSE);
    const count = async (): Promise<number> => (await names(one, 'key', 'restpoint_key')).length;
    await waitUntil(async () => (await count()) === 1, 'the removal');
  })],
  ['a caller has a maximum of keys: its oldest are removed, and nobody else\'s', ({ url }) => withTwoPools(url, async (one) => {
    await one.query(`INSERT INTO restpoint_key (key, fingerprint, caller, status, headers, expires)
      SELECT 'k' || n, '', CASE WHEN n > 90 THEN 'bob' ELSE 'ann' END, 200, '{}', now() + n * interval '1 minute' FROM generate_series(1, 100) AS n`);
    const store = postgresIdempotencyStore(one, { maxPerCaller: 20 });
    assert.is(await store.once({ key: 'new', fingerprint: 'b', caller: 'ann' }, async () => RESPONSE), 'done');
    const count = async (caller: string): Promise<number> => (await one.query('SELECT 1 FROM restpoint_key WHERE caller = $1', [caller])).rows.length;
    await waitUntil(async () => (await count('ann')) < 91, 'the removal');
    assert.equal([await count('ann'), await count('bob')], [20, 10]);
    assert.equal(await store.once({ key: 'k90', fingerprint: '' }, failAgain), { fingerprint: '', response: { status: 200, headers: {}, body: undefined } });
  })],
  ['the maximum holds for each of the callers at once, and after a burst of one that then sends nothing', ({ url }) => withTwoPools(url, async (one) => {
    const callers = ['ann', 'bob', 'cat'];
    await one.query(`INSERT INTO restpoint_key (key, fingerprint, caller, status, headers, expires)
      SELECT c || n, '', c, 200, '{}', now() + n * interval '1 minute' FROM generate_series(1, 500) AS n, unnest($1::text[]) AS c`, [callers]);
    const store = postgresIdempotencyStore(one, { maxPerCaller: 20 });
    await Promise.all(callers.map((caller) => store.once({ key: `new ${caller}`, fingerprint: 'b', caller }, async () => RESPONSE)));
    await store.once({ key: 'new', fingerprint: 'b', caller: 'dan' }, async () => RESPONSE);
    const counts = async (): Promise<string> => {
      const { rows } = await one.query('SELECT caller, count(*) AS count FROM restpoint_key GROUP BY caller ORDER BY caller');
      return rows.map(({ caller, count }) => `${String(caller)} ${String(count)}`).join();
    };
    await waitUntil(async () => (await counts()) === 'ann 20,bob 20,cat 20,dan 1', 'the removal');
  })],
  ['with a pool of one connection, a call in a transaction is a part of it, and nothing waits for itself', ({ url }) => withTwoPools(url, async (_, two) => {
    await withPoolOfOne(url, async (pool) => {
      const use = transaction(pool, { isolation: 'serializable' });
      const once = idempotent(postgresIdempotencyStore(pool));
      await serve((server) => server.registerEndpoint('/item', defineEndpoint({
        custom: {
          add: {
            use: once,
            run: async ({ tx }) => {
              const { rows: [row] } = await tx.query('INSERT INTO item SELECT count(*)::text FROM item RETURNING name');
              return row?.['name'];
            },
          },
          pair: {
            use,
            run: async ({ tx }) => {
              const add = async (key: string): Promise<unknown> => (await server.fetch('/v1/item/add', { method: 'POST', headers: { 'Idempotency-Key': `"${key}"` } })).json();
              return [await add('a'), await add('b'), await add('a'), (await tx.query('SELECT count(*)::integer AS count FROM item')).rows[0]?.['count']];
            },
          },
        },
      })), async (served) => {
        assert.equal(JSON.parse((await send(served.port, message('POST', '/v1/item/pair'))).body), ['0', '1', '0', 2]);
      });
      assert.equal(await names(two), ['0', '1']);
    });
  })],
  ['a stream as the input cannot be read again, so a conflict is a 503', ({ url }) => withTwoPools(url, async (one) => {
    const once = idempotent(postgresIdempotencyStore(one));
    let runs = 0;
    const run = async (lines: AsyncIterable<unknown>): Promise<number> => {
      runs += 1;
      for await (const _ of lines) ;
      throw Object.assign(new Error('a conflict'), { code: '40001' });
    };
    await serve((server) => server.registerEndpoint('/item', defineEndpoint({
      custom: {
        once: { use: once, input: ndjson((json: unknown) => json), run },
        tx: { use: transaction(one), input: ndjson((json: unknown) => json), run },
      },
    })), async (served) => {
      for (const name of ['once', 'tx']) {
        const response = await send(served.port, message('POST', `/v1/item/${name}`, '1\n2\n', ['Idempotency-Key: "a"', 'Content-Type: application/x-ndjson']));
        assert.equal([readProblem(response).status, response.headers.get('retry-after')], [503, '1']);
      }
      assert.is(served.errors.length, 2);
    });
    assert.is(runs, 2);
  })],
  ['of two callers, each has its own keys', ({ url }) => withTwoPools(url, async (one) => {
    const once = idempotent(postgresIdempotencyStore(one), { caller: ({ context }: ApiRequest<{ readonly id: string }>) => context.id });
    await serve((server) => server.registerEndpoint('/item', defineEndpoint({
      context: callerOf,
      custom: { whoami: { use: once, run: ({ context }) => context.id } },
    })), async ({ port }) => {
      const ask = async (caller: string): Promise<unknown[]> => {
        const { headers, body } = await send(port, message('POST', '/v1/item/whoami', '', [...KEY, `X-Caller: ${caller}`]));
        return [headers.get('idempotent-replayed'), JSON.parse(body)];
      };
      assert.equal(await ask('ann'), [undefined, 'ann']);
      assert.equal(await ask('bob'), [undefined, 'bob']);
      assert.equal(await ask('ann'), ['true', 'ann']);
    });
  })],
];

/** A pool of one connection. */
export async function withPoolOfOne(url: string, use: (pool: Pool) => Promise<void>): Promise<void> {
  await withPool(url, async (pool) => {
    (pool as unknown as { options: { max: number } }).options.max = 1;
    await use(pool);
  });
}
