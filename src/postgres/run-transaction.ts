/**
 * Runs a function in a transaction, and again if the transaction fails because of others that run at the same time:
 *
 *   40001   could not serialize access   ->   again, up to 5 times, then 503 with Retry-After
 *   40P01   deadlock detected            ->   the same
 *   57014   statement timeout            ->   503 with Retry-After at once: it is rolled back
 *   55P03   lock timeout                 ->   the same
 *
 * A function that runs in a transaction of the same pool already joins it: with a pool of one connection, it would wait for itself.
 *
 * No connection is held for ever. What waits for one ends when the signal aborts. What runs gets some time more, and is then rolled back by
 * closing its connection.
 */
import { asyncHooks } from '../node.ts';
import { MAX_MS, oneOf, type Option, optional } from '../util/options.ts';
import {
  ATTEMPTS, hasTimedOut, isConflict, isDatabaseUnavailable, makeConflict, makeTimedOut, makeUnavailable, needsPrimary,
} from './failures.ts';
import { findTablesOf } from './names.ts';
import {
  connect, type ConnectingPool, type PostgresClient, type PostgresPool, type PostgresQueries, type SharedConnection,
} from './pool.ts';
import { findSlots } from './slots.ts';

/** How much a transaction sees of the others that run at the same time. */
export type Isolation = 'read committed' | 'repeatable read' | 'serializable';

/** The option `isolation`. It is a part of a statement, so no other value may pass. */
export function isolation(): Option<Isolation | undefined> {
  return optional(oneOf<Isolation>(['read committed', 'repeatable read', 'serializable']));
}

export interface TransactionSettings<T = unknown> {
  /** `undefined` for the default of the database. */
  readonly isolation: Isolation | undefined;
  /** Whether the function reads a stream of a client. It cannot be read again, and the client says how long it takes. */
  readonly readsStream?: boolean;
  /** When it aborts, nothing is begun, waited for or repeated. */
  readonly signal?: AbortSignal | undefined;
  /** How much longer the function may run after its client has left, in milliseconds. 0 is no limit. */
  readonly operationMs?: number | undefined;
  /**
   * Called before each transaction, while nothing is held: what it calls may need a transaction of the same pool. One is begun if it
   * resolves to `undefined`.
   */
  readonly prepare?: (() => Promise<T | undefined>) | undefined;
}

type TransactionRun<T> = (tx: any) => Promise<T>;

const MIN_DELAY_MS = 5;
/** How long a function may run after its signal has aborted. */
const GRACE_MS = 5000;
const NO_SLOT = 'The pool has no connection for an operation that reads a stream: it needs a max of at least 3.';
const GIVEN_UP = 'The transaction was given up: what runs in it went on after its signal had aborted.';

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
export async function runTransaction<T>(pool: PostgresPool, settings: TransactionSettings<T>, run: TransactionRun<T>): Promise<T> {
  const outer = findTransaction(pool);
  if (outer !== undefined) return run(outer);
  const { prepare, readsStream, signal } = settings;
  for (let attempt = 1; ; attempt += 1) {
    try {
      signal?.throwIfAborted();
      const prepared = prepare && await untilAborted(prepare(), signal);
      return prepared ?? await runOnce(pool, settings, run);
    } catch (error) {
      if (signal?.aborted === true) throw error;
      if (hasTimedOut(error)) throw makeTimedOut(error);
      if (!isConflict(error)) throw error;
      if (readsStream === true || attempt === ATTEMPTS) throw makeConflict(error);
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

/** Finds the transaction of a pool in which the current function runs. */
export function findTransaction(pool: PostgresPool): PostgresQueries | undefined {
  for (let each = running.getStore(); each !== undefined; each = each.outer) {
    if (each.pool === pool && !each.isOver) return each.tx;
  }
  return undefined;
}

async function runOnce<T>(pool: PostgresPool, settings: TransactionSettings, run: TransactionRun<T>): Promise<T> {
  const { readsStream, signal } = settings;
  const slots = findSlots(pool, readsStream);
  if (slots.count === 0) throw makeUnavailable(new Error(NO_SLOT));
  const release = await slots.take(signal);
  let isHeld = true;
  try {
    if (!('connect' in pool)) return await runShared(pool, settings, run);
    const connecting = connect(pool);
    const client = await untilAborted(connecting, signal).catch((error: unknown) => {
      if (signal?.aborted !== true) throw makeUnavailable(error);
      // It still waits for a connection, and gives it back.
      isHeld = false;
      void connecting.then((late) => late.release(), () => {}).finally(release);
      throw error;
    });
    return await runConnected(pool, client, settings, run);
  } finally {
    if (isHeld) release();
  }
}

/** Settles as the promise does, or rejects at once with the reason of a signal that aborts. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal?.reason);
    if (signal?.aborted === true) leave();
    else signal?.addEventListener('abort', leave, { once: true });
    promise.then(resolve, reject).finally(() => signal?.removeEventListener('abort', leave));
  });
}

async function runIn<T>(pool: PostgresPool, tx: PostgresQueries, run: TransactionRun<T>, { passed }: Overtime): Promise<T> {
  const own: Running = { pool, tx, outer: running.getStore(), isOver: false };
  try {
    return await Promise.race([running.run(own, run, tx), passed]);
  } finally {
    own.isOver = true;
  }
}

/** Ends a transaction whose function goes on after its signal has aborted. */
function limitOvertime({ signal, operationMs }: Pick<TransactionSettings, 'signal' | 'operationMs'>): Overtime {
  let reject!: (error: unknown) => void;
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<never>((_, rejectPassed) => { reject = rejectPassed; });
  passed.catch(() => {});
  const begin = (): void => {
    if (operationMs === 0) return;
    const cause: unknown = signal?.reason;
    const isDeadline = operationMs === undefined || (Object(cause) as Error).name === 'TimeoutError';
    const ms = Math.min(MAX_MS, GRACE_MS + (isDeadline ? 0 : operationMs));
    timer = setTimeout(() => reject(new Error(GIVEN_UP, { cause })), ms).unref();
  };
  if (signal?.aborted === true) begin();
  else signal?.addEventListener('abort', begin);
  const clear = (): void => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', begin);
  };
  return { passed, clear };
}

interface Overtime {
  /** Rejects when the time is over. */
  readonly passed: Promise<never>;
  clear(): void;
}

async function runConnected<T>(
  pool: ConnectingPool, client: PostgresClient, settings: TransactionSettings, run: TransactionRun<T>,
): Promise<T> {
  // Without a listener, a connection that is lost between two statements ends the process.
  client.on?.('error', ignoreLoss);
  const overtime = limitOvertime(settings);
  let isUsable = false;
  try {
    await Promise.race([begin(pool, client, settings.isolation), overtime.passed]);
    const result = await runIn(pool, client, run, overtime);
    // A COMMIT that is interrupted may have succeeded.
    const { command } = await client.query('COMMIT');
    isUsable = true;
    // After a statement that failed, COMMIT rolls back, and succeeds.
    if (command === 'ROLLBACK') throw Object.assign(new Error('The transaction was rolled back.'), { code: '25P02' });
    return result;
  } catch (error) {
    // If this fails too, or a statement still runs, PostgreSQL rolls back when the connection closes.
    isUsable ||= await Promise.race([client.query('ROLLBACK'), overtime.passed]).then(() => true, () => false);
    if (!isUsable || !needsPrimary(error) || await Promise.race([canWrite(client), overtime.passed]).catch(() => false)) throw error;
    isUsable = false;
    throw makeUnavailable(error);
  } finally {
    overtime.clear();
    client.off?.('error', ignoreLoss);
    client.release(!isUsable);
  }
}

/** A pool can lend a connection that is lost. */
async function begin(pool: ConnectingPool, client: PostgresClient, isolation: Isolation | undefined): Promise<void> {
  try {
    await findTablesOf(pool, client);
    await client.query(isolation === undefined ? 'BEGIN' : `BEGIN ISOLATION LEVEL ${isolation}`);
  } catch (error) {
    throw isDatabaseUnavailable(error) ? makeUnavailable(error) : error;
  }
}

/** Whether a connection can write, outside of a transaction: an operation's own `SET TRANSACTION READ ONLY` has ended with it. */
async function canWrite(client: PostgresClient): Promise<boolean> {
  const { rows: [row] } = await client.query('SHOW transaction_read_only');
  return (row as { readonly transaction_read_only: string } | undefined)?.transaction_read_only === 'off';
}

async function runShared<T>(pool: SharedConnection, settings: TransactionSettings, run: TransactionRun<T>): Promise<T> {
  const { isolation, signal } = settings;
  await findTablesOf(pool, pool);
  return pool.transaction(async (tx: PostgresQueries) => {
    signal?.throwIfAborted();
    if (isolation !== undefined) await tx.query(`SET TRANSACTION ISOLATION LEVEL ${isolation}`);
    const overtime = limitOvertime(settings);
    const result = await runIn(pool, tx, run, overtime).finally(() => overtime.clear());
    // After a statement that failed, this one fails too. COMMIT would succeed.
    await tx.query('SELECT 1');
    return result;
  });
}

function ignoreLoss(): void {}
