/**
 * Keys and responses in a table of PostgreSQL.
 *
 *   one transaction:   lock the key, run the operation with the transaction, store its response, commit
 *   without:           claim the key, run the operation, store its response
 *
 * With one transaction, the response is stored if and only if the operation's own changes are. Without, no transaction is open while the
 * operation runs, such as for a call of a payment provider: a process that dies leaves a claim, which ends after a while.
 */
import type { InterceptorInternals, RunConditions } from '../endpoint/checked-interceptor.ts';
import type { ResponseHeaders } from '../util/headers.ts';
import type { IdempotencyClaim, IdempotencyRecord, IdempotencyStore, StoredResponse } from '../interceptors/idempotency-stores.ts';
import { cryptoModule } from '../node.ts';
import { boolean, type Checked, integer, type Shape, shape } from '../util/options.ts';
import { isTemporary } from './failures.ts';
import { KEYS_TABLE, qualified } from './names.ts';
import { checkPool, type PostgresPool, type PostgresQueries, type TransactionOf } from './pool.ts';
import { checkOutside, findTransaction, type Isolation, isolation, runTransaction } from './run-transaction.ts';
import { repeatStatements } from './statement.ts';
import { Sweeper } from './sweeper.ts';

/**
 * The options of `postgresIdempotencyStore`.
 *
 * @example
 * ```ts
 * const options: PostgresIdempotencyStoreOptions = { ttlMs: 3_600_000 };
 * idempotent(postgresIdempotencyStore(db, options), { caller: ({ context }: ApiRequest<User>) => context.id });
 * ```
 */
export interface PostgresIdempotencyStoreOptions<InTransaction extends boolean = true> {
  /**
   * Whether the operation runs in a transaction, `request.tx`, in which its response is stored. With `false`, no transaction is open and no
   * connection is used while the operation runs. If its process dies, or the database is lost for more than 15 seconds, the key is free
   * after these, and a client that sends the request again runs the operation again: let the operation find out how far it has come.
   *
   * @default true
   */
  readonly transaction?: InTransaction;
  /** How much the transaction sees of others that run at the same time. @default the default of the database, `read committed` */
  readonly isolation?: Isolation;
  /** How long a response is stored, in milliseconds. @default 86_400_000 (24 hours) */
  readonly ttlMs?: number;
  /**
   * Maximum keys of one caller, whom the option `caller` of `idempotent` identifies. The oldest are removed soon after there are more, so
   * that no caller fills the table.
   *
   * @default 10_000
   */
  readonly maxPerCaller?: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const LEASE_MS = 15_000;
const RETRY_MS = 500;
const CLAIM_ATTEMPTS = 3;
const MAX = Number.MAX_SAFE_INTEGER;
const { randomUUID } = cryptoModule();

/** `postgresIdempotencyStore(pool, options)`: {@link PostgresIdempotencyStoreOptions}. */
export const POSTGRES_IDEMPOTENCY_STORE_OPTIONS: Shape<
  Checked<PostgresIdempotencyStoreOptions<boolean>, 'transaction' | 'ttlMs' | 'maxPerCaller'>
> = shape({
  transaction: boolean(true),
  isolation: isolation(),
  // A hundred years: PostgreSQL cannot store any time.
  ttlMs: integer(1, 100 * 366 * DAY_MS, DAY_MS),
  maxPerCaller: integer(1, MAX, 10_000),
});

// Not an interface, which is not assignable to the index signature of the errors of an interceptor.
type UnavailableErrors = { readonly 503: null };

/**
 * Stores keys and responses of `idempotent` in a table of PostgreSQL. By default the operation runs in a transaction, which is
 * `request.tx`, and its response is committed with what the operation has written. Serialization failures and deadlocks are repeated as by
 * `transaction`.
 *
 * @example
 * ```ts
 * const addPets = (pool: PostgresPool) => defineEndpoint({
 *   id: integerId,
 *   create: {
 *     use: idempotent(postgresIdempotencyStore(pool), { required: true }),
 *     input: Pet,
 *     run: async ({ name }, { tx }) => Number((await tx.query('INSERT INTO pet (name) VALUES ($1) RETURNING id', [name])).rows[0].id),
 *   },
 *   get: (id) => db.find(id),
 * });
 * ```
 * @throws `TypeError` for an invalid option.
 */
export function postgresIdempotencyStore<Pool extends PostgresPool, InTransaction extends boolean = true>(
  pool: Pool, options?: PostgresIdempotencyStoreOptions<boolean extends InTransaction ? true : InTransaction>,
): IdempotencyStore<[InTransaction] extends [false] ? {} : { readonly tx: TransactionOf<Pool> }, UnavailableErrors>;
export function postgresIdempotencyStore(
  pool: PostgresPool, options: PostgresIdempotencyStoreOptions<boolean> = {},
): IdempotencyStore<any, UnavailableErrors> {
  checkPool(pool, 'postgresIdempotencyStore');
  const settings = POSTGRES_IDEMPOTENCY_STORE_OPTIONS.check(options, 'options');
  const table = new KeysTable(pool, settings);
  if (settings.transaction) return makeTransactionStore(pool, settings.isolation, table);
  if (settings.isolation !== undefined) throw new TypeError('options.isolation needs options.transaction: true');
  return makeClaimStore(pool, table);
}

type Outcome = IdempotencyRecord | 'done' | 'running';

/** Makes a store that runs the operation in the transaction in which its response is stored. */
function makeTransactionStore(
  pool: PostgresPool, isolation: Isolation | undefined, table: KeysTable,
): IdempotencyStore<{ readonly tx: unknown }, UnavailableErrors> & { readonly ' internal': InterceptorInternals } {
  const statements = repeatStatements(pool);
  /** Resolves to what is stored for the key, which is sent without a comparison. */
  const findOrCompare = async (claim: IdempotencyClaim | undefined, compare: () => Promise<void>): Promise<Outcome | undefined> => {
    const find = async (): Promise<Outcome | undefined> => claim && table.find(statements, claim);
    const found = await find();
    if (found !== undefined) return found;
    try {
      await compare();
      return undefined;
    } catch (unmet) {
      // The first request with the key may have changed the item meanwhile. Then its response is stored.
      const late = await find();
      if (late === undefined) throw unmet;
      return late;
    }
  };
  return {
    ' internal': { properties: ['tx'] },
    errors: { 503: null },
    once: async (claim, run, { signal, operationMs, compare }: Partial<RunConditions> = {}) => {
      const prepare = compare && (() => findOrCompare(claim, compare));
      const outcome = await runTransaction(pool, { isolation, signal, operationMs, prepare }, async (tx): Promise<Outcome> => {
        if (claim === undefined) {
          await run({ tx });
          return 'done';
        }
        // The lock ends with the transaction, and so with the connection of a process that dies.
        const inTransaction = qualified(pool, tx);
        if (!await table.lock(inTransaction, claim)) return 'running';
        const found = await table.find(inTransaction, claim);
        if (found !== undefined) return found;
        await table.insert(inTransaction, claim, await run({ tx }));
        return 'done';
      });
      if (claim === undefined) return outcome;
      if (outcome === 'done') table.sweep(claim);
      if (outcome !== 'running') return outcome;
      // A repeated request holds the lock, too, and the snapshot of this transaction can be older than what is stored.
      const tx = findTransaction(pool);
      return await table.find(tx === undefined ? statements : qualified(pool, tx), claim) ?? 'running';
    },
  };
}

/** Makes a store that claims the key before the operation runs, and stores its response afterwards. */
function makeClaimStore(pool: PostgresPool, table: KeysTable): IdempotencyStore<{}, UnavailableErrors> {
  const statements = repeatStatements(pool);
  /** Resolves to `undefined` if the key is claimed now. */
  const claimKey = async (claim: IdempotencyClaim, owner: string): Promise<Outcome | undefined> => {
    // The row that prevents a claim can be removed before it is read.
    for (let attempt = 0; attempt < CLAIM_ATTEMPTS; attempt += 1) {
      if (await table.claim(statements, claim, owner)) return undefined;
      const found = await table.find(statements, claim);
      if (found !== undefined) return found;
    }
    return 'running';
  };
  return {
    errors: { 503: null },
    once: async (claim, run) => {
      if (claim === undefined) {
        await run({});
        return 'done';
      }
      checkOutside(pool, 'idempotent with a store without a transaction');
      const owner = randomUUID();
      const found = await claimKey(claim, owner);
      if (found !== undefined) return found;
      const renewal = setInterval(() => void table.renew(statements, claim, owner).catch(() => {}), LEASE_MS / 3).unref();
      try {
        const response = await run({}).catch(async (error: unknown) => {
          await untilExpired(() => table.free(statements, claim, owner)).catch(() => {});
          throw error;
        });
        // If this fails, the operation has succeeded: its key must not be free at once.
        const isStored = await untilExpired(() => table.store(statements, claim, owner, response));
        if (!isStored) throw new Error('The response was not stored: the claim of its key has ended while the operation ran.');
      } finally {
        clearInterval(renewal);
      }
      table.sweep(claim);
      return 'done';
    },
  };
}

/**
 * Runs a statement for a claim. If it fails, repeats it after a while until the claim ends by itself, so that a key is not in use for long
 * after the database was lost. Nothing waits for that.
 */
async function untilExpired<T>(statement: () => Promise<T>, end: number = performance.now() + LEASE_MS): Promise<T> {
  try {
    return await statement();
  } catch (error) {
    const retry = (): void => void untilExpired(statement, end).catch(() => {});
    if (isTemporary(error) && performance.now() < end) setTimeout(retry, RETRY_MS).unref();
    throw error;
  }
}

interface ResponseRow {
  readonly fingerprint: string;
  readonly status: number | null;
  readonly headers: string;
  readonly body: Uint8Array | null;
}

/** The statements. */
class KeysTable {
  readonly #ttlMs: number;
  readonly #sweeper: Sweeper;

  constructor(pool: PostgresPool, { ttlMs, maxPerCaller }: { readonly ttlMs: number; readonly maxPerCaller: number }) {
    this.#ttlMs = ttlMs;
    this.#sweeper = new Sweeper(pool, `DELETE FROM ${KEYS_TABLE} WHERE key IN (
      SELECT key FROM (
        SELECT key FROM ${KEYS_TABLE} WHERE expires < now() ORDER BY expires LIMIT $1::integer FOR UPDATE SKIP LOCKED
      ) AS expired
      UNION ALL
      SELECT key FROM unnest($2::text[]) AS swept (name), LATERAL (
        SELECT key FROM ${KEYS_TABLE} WHERE caller = name AND status IS NOT NULL AND expires <= (
          SELECT expires FROM ${KEYS_TABLE} WHERE caller = name ORDER BY expires DESC OFFSET $3::bigint LIMIT 1
        ) ORDER BY expires LIMIT $1::integer FOR UPDATE SKIP LOCKED
      ) AS too_many)
      RETURNING 1 AS one`, (callers) => [callers, maxPerCaller]);
  }

  sweep({ caller }: IdempotencyClaim): void {
    this.#sweeper.added(caller);
  }

  /** Whether no other transaction has the key. */
  async lock(tx: PostgresQueries, { key }: IdempotencyClaim): Promise<boolean> {
    const hash = `hashtextextended($1::text, $table$${KEYS_TABLE}$table$::regclass::oid::bigint)`;
    const lock = `SELECT pg_try_advisory_xact_lock(${hash}) AS is_free`;
    const { rows: [row] } = await tx.query(lock, [key]);
    return (row as { readonly is_free: boolean }).is_free;
  }

  async find(tx: PostgresQueries, { key }: IdempotencyClaim): Promise<IdempotencyRecord | 'running' | undefined> {
    const select = `SELECT fingerprint, status, headers, body FROM ${KEYS_TABLE} WHERE key = $1::text AND expires > now()`;
    const { rows: [row] } = await tx.query(select, [key]);
    if (row === undefined) return undefined;
    const { fingerprint, status, headers, body } = row as ResponseRow;
    if (status === null) return 'running';
    return { fingerprint, response: { status, headers: JSON.parse(headers) as ResponseHeaders, body: body ?? undefined } };
  }

  /** A row with this key has expired. */
  async insert(tx: PostgresQueries, { key, fingerprint, caller }: IdempotencyClaim, response: StoredResponse): Promise<void> {
    await tx.query(`INSERT INTO ${KEYS_TABLE} (key, fingerprint, caller, status, headers, body, expires)
      VALUES ($1::text, $2::text, $3::text, $4::integer, $5::text, $6::bytea, clock_timestamp() + $7::bigint * interval '1 ms')
      ON CONFLICT (key) DO UPDATE SET fingerprint = excluded.fingerprint, caller = excluded.caller, owner = NULL,
        status = excluded.status, headers = excluded.headers, body = excluded.body, expires = excluded.expires`,
    [key, fingerprint, caller ?? null, ...toColumns(response), this.#ttlMs]);
  }

  /** Returns whether the key was free. */
  async claim(tx: PostgresQueries, { key, fingerprint, caller }: IdempotencyClaim, owner: string): Promise<boolean> {
    const { rows } = await tx.query(`INSERT INTO ${KEYS_TABLE} AS kept (key, fingerprint, caller, owner, expires)
      VALUES ($1::text, $2::text, $3::text, $4::text, now() + ${LEASE_MS} * interval '1 ms')
      ON CONFLICT (key) DO UPDATE SET fingerprint = excluded.fingerprint, caller = excluded.caller, owner = excluded.owner,
        status = NULL, headers = NULL, body = NULL, expires = excluded.expires WHERE kept.expires <= now()
      RETURNING 1 AS one`, [key, fingerprint, caller ?? null, owner]);
    return rows.length === 1;
  }

  async renew(tx: PostgresQueries, { key }: IdempotencyClaim, owner: string): Promise<void> {
    const update = `UPDATE ${KEYS_TABLE} SET expires = now() + ${LEASE_MS} * interval '1 ms' WHERE key = $1::text AND owner = $2::text`;
    await tx.query(update, [key, owner]);
  }

  /** Returns whether the claim was still there. */
  async store(tx: PostgresQueries, { key }: IdempotencyClaim, owner: string, response: StoredResponse): Promise<boolean> {
    const { rows } = await tx.query(`UPDATE ${KEYS_TABLE} SET owner = NULL, status = $3::integer, headers = $4::text, body = $5::bytea,
      expires = now() + $6::bigint * interval '1 ms' WHERE key = $1::text AND owner = $2::text RETURNING 1 AS one`,
    [key, owner, ...toColumns(response), this.#ttlMs]);
    return rows.length === 1;
  }

  async free(tx: PostgresQueries, { key }: IdempotencyClaim, owner: string): Promise<void> {
    await tx.query(`DELETE FROM ${KEYS_TABLE} WHERE key = $1::text AND owner = $2::text`, [key, owner]);
  }
}

function toColumns({ status, headers, body }: StoredResponse): readonly unknown[] {
  return [status, JSON.stringify(headers), typeof body === 'string' ? Buffer.from(body) : body ?? null];
}
