/** `transaction` of `restpoint/postgres`: it commits or rolls back, and holds nothing afterwards. */
import type { EventEmitter } from 'node:events';
import type { Client, Pool } from '../../examples/zoo/store/postgres/pg.ts';
import { ApiError, defineEndpoint } from '../../src/index.ts';
import { transaction } from '../../src/postgres/index.ts';
import { assert, message, RawClient, type RawResponse, readProblem, send, serve, type TestServer, waitUntil } from '../support/facts.ts';
import { othersWait, withPool, withTransaction, type Case, type Setting } from './case.ts';
import { checkCommands } from './shown-program.ts';

/** The operation that runs in the transaction. */
type Operation = (tx: Client, signal: AbortSignal) => Promise<unknown>;

interface World {
  readonly served: TestServer;
  /** Connections that are not the server's. */
  readonly others: Pool;
  call(): Promise<RawResponse>;
  /** Sends a request, and leaves after `meanwhile`. */
  leave(meanwhile: () => Promise<void>): Promise<void>;
  /** Waits until no transaction of the server is open and no row is locked. Resolves to the cents of the account. */
  settled(): Promise<number>;
}

const REQUEST = message('POST', '/v1/account/change');
const ADD = 'UPDATE account SET cents = cents + 10';
const DEADLINE_MS = 300;
// Shorter than the pool keeps an idle connection, whose end would end its transaction.
const SETTLE_MS = 5000;
// The default of `pg`, without the one that is left for statements.
const MAX_CONNECTIONS = 9;

/** Serves an operation over an account with 100 cents. A failed check of its table is a 409. Its result must be a number. */
async function runTransaction(
  { url }: Setting, operation: Operation, use: (world: World) => Promise<void>, operationMs = 60_000,
): Promise<void> {
  await withPool(url, (others) => withPool(url, async (pool) => {
    await others.query('CREATE TABLE account (id integer PRIMARY KEY, cents integer NOT NULL CHECK (cents <= 110))');
    await others.query('INSERT INTO account VALUES (1, 100)');
    await serve((server) => server.registerEndpoint('/account', defineEndpoint({
      mapError: (error) => ((error as { code?: unknown }).code === '23514' ? ApiError.status(409, 'It is too much.') : undefined),
      custom: {
        change: {
          use: transaction(pool),
          limits: { operationMs },
          output: (result: unknown) => {
            if (typeof result !== 'number') throw new Error('expected a number');
            return result;
          },
          run: ({ tx, signal }) => operation(tx, signal),
        },
      },
    })), (served) => use(worldOf(served, others)));
  }));
}

function worldOf(served: TestServer, others: Pool): World {
  const { port } = served;
  return {
    served,
    others,
    call: () => send(port, REQUEST),
    leave: async (meanwhile) => {
      const client = await RawClient.connect(port);
      client.send(REQUEST);
      await meanwhile();
      client.destroy();
    },
    settled: async () => {
      await waitUntil(async () => (await openTransactions(others)) === 0, 'the end of all transactions', SETTLE_MS);
      const { rows: [row] } = await others.query('SELECT cents FROM account FOR UPDATE NOWAIT');
      return Number(row?.['cents']);
    },
  };
}

async function openTransactions(pool: Pool): Promise<number> {
  const { rows } = await pool.query(`SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND xact_start IS NOT NULL`);
  return rows.length;
}

async function add(tx: Client): Promise<number> {
  const { rows: [row] } = await tx.query(`${ADD} RETURNING cents`);
  return Number(row?.['cents']);
}

/** Rejects when the client has left, or at the deadline. */
async function waitForAbort(signal: AbortSignal): Promise<never> {
  signal.throwIfAborted();
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}

export const TRANSACTIONS: readonly Case[] = [
  ['the program of the page: its commands print what the page shows, and payments in both directions at once are made', ({ url }) => {
    return checkCommands({ page: 'database.md', name: 'accounts.ts', url }, async (port) => {
      const pay = async (from: number, to: number): Promise<number> => {
        const headers = { 'Content-Type': 'application/json' };
        return (await fetch(`http://127.0.0.1:${port}/v1/account/${from}/pay`, { method: 'POST', headers, body: JSON.stringify({ to, cents: 1 }) })).status;
      };
      const statuses = await Promise.all(Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? pay(1, 2) : pay(2, 1))));
      assert.equal(new Set(statuses), new Set([200]));
    });
  }],
  ['transactions of a dozen operations leave no listener on the pool and its connections', ({ url }) => withPool(url, async (pool) => {
    const { rows: [row] } = await pool.query('SELECT 1 AS one');
    assert.is(row?.['one'], 1);
    const listenersOf = (emitter: unknown, event: string): number => (emitter as EventEmitter).listenerCount(event);
    const idle = async (): Promise<number[]> => {
      const client = await pool.connect();
      // A connection that is just lent has a listener, for an error in the same turn.
      await new Promise(setImmediate);
      const counts = [listenersOf(pool, 'connect'), listenersOf(client, 'error')];
      client.release();
      return counts;
    };
    const before = await idle();
    const custom = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`change${at}`, { use: transaction(pool), run: () => at }]));
    await serve((server) => server.registerEndpoint('/account', defineEndpoint({ custom })), async ({ port }) => {
      for (const name of Object.keys(custom)) assert.is((await send(port, message('POST', `/v1/account/${name}`))).status, 200);
    });
    assert.equal(await idle(), before);
  })],
  ['a response: its change is committed before', (setting) => runTransaction(setting, add, async ({ call, settled }) => {
    const { status, body } = await call();
    assert.equal([status, body, await settled()], [200, '110', 110]);
  })],
  ['an operation that throws -> its response, and nothing is changed', (setting) => runTransaction(setting, async (tx) => {
    await add(tx);
    throw ApiError.status(422, 'Not today.');
  }, async ({ call, settled, served }) => {
    assert.is(readProblem(await call()).detail, 'Not today.');
    assert.is(await settled(), 100);
    assert.match(served.errors[0]?.message ?? '', 'Not today.');
  })],
  ['a statement that fails -> the response of mapError, and nothing is changed', (setting) => runTransaction(setting, async (tx) => {
    await add(tx);
    return add(tx);
  }, async ({ call, settled, served }) => {
    assert.is(readProblem(await call()).status, 409);
    assert.is(await settled(), 100);
    assert.match(served.errors[0]?.message ?? '', 'It is too much.');
  })],
  ['a result that output rejects -> 500, and nothing is changed', (setting) => runTransaction(setting, async (tx) => {
    await add(tx);
    return 'a string';
  }, async ({ call, settled, served }) => {
    assert.is((await call()).status, 500);
    assert.is(await settled(), 100);
    assert.match(served.errors[0]?.message ?? '', 'expected a number');
  })],
  ['a statement that fails, which the operation hides -> 500, and nothing is changed', (setting) => runTransaction(setting, async (tx) => {
    await add(tx);
    return tx.query('SELECT nothing').catch(() => 1);
  }, async ({ call, settled, served }) => {
    assert.is((await call()).status, 500);
    assert.is(await settled(), 100);
    assert.match(served.errors[0]?.message ?? '', 'The transaction was rolled back.');
  })],
  ['a client that leaves, which the operation looks for: nothing is changed', (setting) => runTransaction(setting, async (tx, signal) => {
    await add(tx);
    return waitForAbort(signal);
  }, async ({ leave, settled, others, served }) => {
    await leave(() => waitUntil(async () => (await openTransactions(others)) === 1, 'the transaction'));
    assert.is(await settled(), 100);
    assert.equal(served.errors.map(({ message }) => message), []);
  })],
  ['a client that leaves during a statement, which is completed', (setting) => runTransaction(setting, add, async ({ leave, settled, others }) => {
    await withTransaction(setting.url, async (client) => {
      await client.query('SELECT 1 FROM account FOR UPDATE');
      await leave(() => othersWait(others));
      await client.query('COMMIT');
    });
    assert.is(await settled(), 110);
  })],
  ['more clients that leave than there are connections: all of them are given back', (setting) => {
    let isLeaving = true;
    return runTransaction(setting, async (tx, signal) => {
      await tx.query('SELECT 1');
      return isLeaving || signal.aborted ? waitForAbort(signal) : add(tx);
    }, async ({ leave, call, settled, others, served }) => {
      const open = waitUntil(async () => (await openTransactions(others)) === MAX_CONNECTIONS, 'a transaction of each connection');
      const clients = 2 * MAX_CONNECTIONS;
      const all = waitUntil(() => served.received() === clients, 'all requests');
      await Promise.all(Array.from({ length: clients }, () => leave(async () => void (await Promise.all([open, all])))));
      assert.is(await settled(), 100);
      isLeaving = false;
      assert.is((await call()).body, '110');
      assert.equal(served.errors.map(({ message }) => message), []);
    });
  }],
  ['a deadline that the operation looks for -> 503, and nothing is changed', (setting) => runTransaction(setting, async (tx, signal) => {
    await add(tx);
    return waitForAbort(signal);
  }, async ({ call, settled, served }) => {
    assert.is((await call()).status, 503);
    assert.is(await settled(), 100);
    assert.match(served.errors[0]?.message ?? '', `the operation took longer than ${DEADLINE_MS} ms`);
  }, DEADLINE_MS)],
  ['a connection that is lost between two statements -> 500, and the next call has another', (setting) => {
    let isLost = false;
    return runTransaction(setting, async (tx) => {
      const { rows: [row] } = await tx.query('SELECT pg_backend_pid() AS pid');
      if (!isLost) {
        isLost = true;
        await withPool(setting.url, (pool) => pool.query('SELECT pg_terminate_backend($1, 5000)', [Number(row?.['pid'])]).then(() => {}));
      }
      return add(tx);
    }, async ({ call, settled, served }) => {
      assert.is((await call()).status, 500);
      assert.is(await settled(), 100);
      assert.is(served.errors.length, 1);
      assert.equal([(await call()).body, await settled()], ['110', 110]);
    });
  }],
];
