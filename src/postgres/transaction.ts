/**
 * A transaction around an operation:
 *
 *   pay: { use: transaction(pool), input: Payment, run: (payment, { tx }) => tx.query(…) }
 */
import type { Interceptor } from '../declaration/interceptor.ts';
import type { InterceptorInternals, RunConditions } from '../endpoint/checked-interceptor.ts';
import { findInternals } from '../util/internals.ts';
import { isStream } from '../util/stream.ts';
import { anything, type Checked, type Shape, shape } from '../util/options.ts';
import { checkPool, type PostgresPool, type TransactionOf } from './pool.ts';
import { type Isolation, isolation, runTransaction } from './run-transaction.ts';

/**
 * The options of `transaction`.
 *
 * @example
 * ```ts
 * const options: TransactionOptions = { isolation: 'serializable' };
 * const inTransaction = (pool: PostgresPool) => transaction(pool, options);
 * ```
 */
export interface TransactionOptions {
  /** How much a transaction sees of the others that run at the same time. @default the default of the database, `read committed` */
  readonly isolation?: Isolation;
}

/** The interceptor that `transaction` makes. */
export interface Transaction<Tx> extends Interceptor<{ readonly tx: Tx }> {
  /** The status that it fails with: 503 with `Retry-After` if the conflicts with others go on, and if there is no connection. */
  readonly errors: { readonly 503: null };
}

/** `transaction(pool, options)`: {@link TransactionOptions}. */
export const TRANSACTION_OPTIONS: Shape<Checked<TransactionOptions>> = shape({ isolation: isolation() });

/**
 * Makes an interceptor that runs an operation in a transaction, which is `request.tx`. The response is encoded before the commit. A result
 * is committed, and so is a returned `problem`. If the operation throws, or `output` rejects its result, all is rolled back.
 *
 * A serialization failure and a deadlock (40001, 40P01) are repeated up to 5 times, so the operation may run again. If they go on, or the
 * input is a stream, which cannot be read again, the response is a 503 with `Retry-After`. When the client leaves, the transaction ends
 * when the operation has: pass `request.signal` to what takes long.
 *
 * An operation that is in a transaction of this pool already joins it, with its isolation. If it throws, the outer operation decides
 * whether its changes are committed.
 *
 * @example
 * ```ts
 * const addPets = (pool: PostgresPool) => defineEndpoint({
 *   id: integerId,
 *   create: {
 *     use: transaction(pool, { isolation: 'serializable' }),
 *     input: Pet,
 *     run: async ({ name }, { tx }) => Number((await tx.query('INSERT INTO pet (name) VALUES ($1) RETURNING id', [name])).rows[0].id),
 *   },
 *   get: (id) => db.find(id),
 * });
 * ```
 * @throws `TypeError` for an invalid option, and at registration for an `output` that is a stream, such as `events` or `ndjson`: it would
 * be read after the commit.
 */
export function transaction<Pool extends PostgresPool>(pool: Pool, options: TransactionOptions = {}): Transaction<TransactionOf<Pool>> {
  checkPool(pool, 'transaction');
  const settings = TRANSACTION_OPTIONS.check(options, 'options');
  const interceptor: Transaction<TransactionOf<Pool>> & { readonly ' internal': InterceptorInternals } = {
    ' internal': {
      properties: ['tx'],
      check: ({ path, sendsStream }) => {
        if (!sendsStream) return;
        throw new TypeError(`${path} must not use transaction(…): its output is a stream, which is read after the commit`);
      },
    },
    errors: { 503: null },
    around: (call, run) => {
      const { signal } = call.request as { readonly signal: AbortSignal };
      const { operationMs, compare } = findInternals<RunConditions>(call) ?? {};
      const limits = { readsStream: isStream(call.input), signal, operationMs, prepare: compare };
      return runTransaction<unknown>(pool, { ...settings, ...limits }, async (tx) => call.encode(await run({ tx })));
    },
  };
  return interceptor;
}

/**
 * The options of `inTransaction`.
 *
 * @example
 * ```ts
 * const remove = (pool: PostgresPool, id: number, signal: AbortSignal) => {
 *   const options: InTransactionOptions = { isolation: 'serializable', signal };
 *   return inTransaction(pool, async (tx) => void (await tx.query('DELETE FROM pet WHERE id = $1', [id])), options);
 * };
 * ```
 */
export interface InTransactionOptions extends TransactionOptions {
  /** How much the transaction sees of the others that run at the same time. @default the default of the database, `read committed` */
  readonly isolation?: Isolation;
  /**
   * When it aborts, nothing is begun, waited for or repeated. A function that goes on for 5 seconds after that is rolled back, and its
   * connection closed.
   */
  readonly signal?: AbortSignal;
}

/** `inTransaction(pool, work, options)`: {@link InTransactionOptions}, {@link TransactionOptions}. */
export const IN_TRANSACTION_OPTIONS: Shape<Checked<InTransactionOptions>> = shape({
  isolation: isolation(), signal: anything('an AbortSignal'),
});

/**
 * Runs a function in a transaction, outside of an operation, or for a part of one: commits if it resolves, and rolls back if it rejects. A
 * serialization failure and a deadlock are repeated up to 5 times. In a transaction of this pool, it joins that.
 *
 * @example
 * ```ts
 * const settle = (pool: PostgresPool, id: number) => inTransaction(pool, async (tx) => {
 *   await tx.query("UPDATE payment SET state = 'settled' WHERE id = $1", [id]);
 * });
 * ```
 * @throws `TypeError` for an invalid option, and an `ApiError` with the status 503 if conflicts go on, or there is no connection.
 */
export async function inTransaction<Pool extends PostgresPool, T = any>(
  pool: Pool, work: (tx: TransactionOf<Pool>) => Promise<T>, options: InTransactionOptions = {},
): Promise<T> {
  checkPool(pool, 'inTransaction');
  return runTransaction(pool, IN_TRANSACTION_OPTIONS.check(options, 'options'), work);
}
