/**
 * Runs a function in a transaction, and again if the transaction fails because of others that run at the same time:
 *
 *   40001   could not serialize access   ->   again, up to 5 times, then 503 with Retry-After
 *   40P01   deadlock detected            ->   the same
 *
 * A function that runs in a transaction of the same pool already joins it: with a pool of one connection, it would wait for itself.
 */
import { asyncHooks } from '../node.ts';
import { oneOf, type Option, optional } from '../util/options.ts';
import { ATTEMPTS, isConflict, isDatabaseUnavailable, makeConflict, makeUnavailable, needsPrimary } from './failures.ts';
import type { ConnectingPool, PostgresClient, PostgresPool, PostgresQueries, SharedConnection } from './pool.ts';

/** How much a transaction sees of the others that run at the same time. */
export type Isolation = 'read committed' | 'repeatable read' | 'serializable';

/** The option `isolation`. It is a part of a statement, so no other value may pass. */
export function isolation(): Option<Isolation | undefined> {
  return optional(oneOf<Isolation>(['read committed', 'repeatable read', 'serializable']));
}

export interface TransactionSettings {
  /** `undefined` for the default of the database. */
  readonly isolation: Isolation | undefined;
  /** Whether the function can run again. */
  readonly canRepeat: boolean;
  /** When it aborts, nothing is begun or repeated. */
  readonly signal?: AbortSignal | undefined;
}

type TransactionRun<T> = (tx: any) => Promise<T>;

const MIN_DELAY_MS = 5;

/** The transactions in which the current function runs, innermost first. */
interface Running {
  readonly pool: PostgresPool;
  readonly tx: PostgresQueries;
  readonly outer: Running | undefined;
  /** What was begun in a transaction, and not awaited, may still run when it has ended. */
  isOver: boolean;
}

const running = new asyncHooks.AsyncLocalStorage<Running>();

/** Runs `run` in a transaction. Commits if it resolves, and rolls back if it rejects. */
export async function runTransaction<T>(pool: PostgresPool, { isolation, canRepeat, signal }: TransactionSettings, run: TransactionRun<T>): Promise<T> {
  const outer = findTransaction(pool);
  if (outer !== undefined) return run(outer);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ('connect' in pool ? runConnected(pool, isolation, signal, run) : runShared(pool, isolation, signal, run));
    } catch (error) {
      if (!isConflict(error) || signal?.aborted === true) throw error;
      if (!canRepeat || attempt === ATTEMPTS) throw makeConflict(error);
    }
    // Two that have met would meet again after the same delay.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * MIN_DELAY_MS * 2 ** attempt));
  }
}

/** Throws `TypeError` if the current function runs in a transaction of this pool. `what` is what must not. */
export function checkOutside(pool: PostgresPool, what: string): void {
  if (findTransaction(pool) === undefined) return;
  throw new TypeError(`${what} must be before the transaction in use: it needs a connection of its own, and could wait for itself`);
}

function findTransaction(pool: PostgresPool): PostgresQueries | undefined {
  for (let each = running.getStore(); each !== undefined; each = each.outer) {
    if (each.pool === pool && !each.isOver) return each.tx;
  }
  return undefined;
}

async function runIn<T>(pool: PostgresPool, tx: PostgresQueries, run: TransactionRun<T>): Promise<T> {
  const own: Running = { pool, tx, outer: running.getStore(), isOver: false };
  try {
    return await running.run(own, run, tx);
  } finally {
    own.isOver = true;
  }
}

async function runConnected<T>(
  pool: ConnectingPool, isolation: Isolation | undefined, signal: AbortSignal | undefined, run: TransactionRun<T>,
): Promise<T> {
  const client = await connect(pool);
  // The caller may have left while this waited for a connection.
  if (signal?.aborted === true) {
    client.release();
    throw signal.reason;
  }
  // Without a listener, a connection that is lost between two statements ends the process.
  client.on?.('error', ignoreLoss);
  let isUsable = false;
  try {
    await begin(client, isolation);
    const result = await runIn(pool, client, run);
    const { command } = await client.query('COMMIT');
    isUsable = true;
    // After a statement that failed, COMMIT rolls back, and succeeds.
    if (command === 'ROLLBACK') throw Object.assign(new Error('The transaction was rolled back.'), { code: '25P02' });
    return result;
  } catch (error) {
    // If this fails too, PostgreSQL rolls back when the connection closes.
    isUsable ||= await client.query('ROLLBACK').then(() => true, () => false);
    if (!isUsable || !needsPrimary(error) || await canWrite(client)) throw error;
    isUsable = false;
    throw makeUnavailable(error);
  } finally {
    client.off?.('error', ignoreLoss);
    client.release(!isUsable);
  }
}

async function connect(pool: ConnectingPool): Promise<PostgresClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw makeUnavailable(error);
  }
}

/** A pool can lend a connection that is lost. */
async function begin(client: PostgresClient, isolation: Isolation | undefined): Promise<void> {
  try {
    await client.query(isolation === undefined ? 'BEGIN' : `BEGIN ISOLATION LEVEL ${isolation}`);
  } catch (error) {
    throw isDatabaseUnavailable(error) ? makeUnavailable(error) : error;
  }
}

/** Whether a connection can write, outside of a transaction: an operation's own `SET TRANSACTION READ ONLY` has ended with it. */
async function canWrite(client: PostgresClient): Promise<boolean> {
  const { rows: [row] } = await client.query('SHOW transaction_read_only').catch(() => ({ rows: [] }));
  return (row as { readonly transaction_read_only: string } | undefined)?.transaction_read_only === 'off';
}

function runShared<T>(
  pool: SharedConnection, isolation: Isolation | undefined, signal: AbortSignal | undefined, run: TransactionRun<T>,
): Promise<T> {
  return pool.transaction(async (tx: PostgresQueries) => {
    signal?.throwIfAborted();
    if (isolation !== undefined) await tx.query(`SET TRANSACTION ISOLATION LEVEL ${isolation}`);
    const result = await runIn(pool, tx, run);
    // After a statement that failed, this one fails too. COMMIT would succeed.
    await tx.query('SELECT 1');
    return result;
  });
}

function ignoreLoss(): void {}
