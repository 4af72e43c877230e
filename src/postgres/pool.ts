/**
 * What the entry needs of a database driver. A pool of `pg` has `connect`. PGlite is one connection, which it lends for the
 * time of a function.
 */

/** The result of a statement. */
export interface PostgresResult {
  /** The rows, as the driver parses them. */
  readonly rows: readonly any[];
  /** The statement that was run, such as `COMMIT`. */
  readonly command?: string;
}

/**
 * Runs statements: a pool, or the transaction of an operation, `request.tx`.
 *
 * @example
 * ```ts
 * const countPets = async (tx: PostgresQueries): Promise<number> => {
 *   const { rows } = await tx.query('SELECT count(*)::integer AS count FROM pet');
 *   return rows[0].count;
 * };
 * ```
 */
export interface PostgresQueries {
  /** Runs a statement. Its parameters are `$1`, `$2`, … */
  query(text: string, values?: any[]): Promise<PostgresResult>;
}

/** A connection of a pool. */
export interface PostgresClient extends PostgresQueries {
  /** Gives the connection back. With `true`, it is closed. */
  release(close?: boolean): void;
  /** The pool of `pg` tells here that the connection is lost, and that a notification has come. */
  on?(event: string, listener: (...args: any[]) => void): unknown;
  /** Removes a listener. */
  off?(event: string, listener: (...args: any[]) => void): unknown;
}

/** A pool of connections, such as a `Pool` of `pg`. */
export interface ConnectingPool extends PostgresQueries {
  /** Resolves to a connection that nothing else uses until its `release`. */
  connect(): Promise<PostgresClient>;
}

/** One connection that all share, such as a `PGlite`. */
export interface SharedConnection extends PostgresQueries {
  /** Runs a function in a transaction. Nothing else uses the connection until it has ended. */
  transaction(run: (tx: any) => Promise<any>): Promise<any>;
  /** Listens to a channel. Resolves to a function that ends this. */
  listen?(channel: string, call: (payload: string) => void): Promise<() => Promise<void>>;
}

/**
 * A database: a `Pool` of `pg`, or any other with its methods, such as Neon's; or a `PGlite`.
 *
 * @example
 * ```ts
 * const makeDatabase = (pool: PostgresPool) => ({
 *   keys: postgresIdempotencyStore(pool),
 *   rates: postgresRates(pool),
 * });
 * ```
 */
export type PostgresPool = ConnectingPool | SharedConnection;

/** The transaction of a pool: the type of its connections. */
export type TransactionOf<Pool> =
  Pool extends { transaction(run: (tx: infer Tx) => any): any } ? Tx
  // The pool of `pg` has a second signature of `connect`, with a callback. The compiler infers from the last one.
  : Pool extends { connect: { (): Promise<infer Tx>; (callback: never): any } } ? Connected<Pool, Tx>
  : Pool extends { connect(): Promise<infer Tx> } ? Tx
  : never;
type Connected<Pool, Tx> = unknown extends Tx ? Pool extends { connect(): Promise<infer Other> } ? Other : never : Tx;

/** Takes a connection. A pool that throws at once rejects, as others do. */
export async function connect(pool: ConnectingPool): Promise<PostgresClient> {
  return pool.connect();
}

/** Throws `TypeError` for a value that is not a pool. */
export function checkPool(pool: PostgresPool, name: string): void {
  const given = Object(pool) as Partial<Record<'query' | 'connect' | 'transaction', unknown>>;
  if (typeof given.query === 'function' && (typeof given.connect === 'function' || typeof given.transaction === 'function')) return;
  throw new TypeError(`${name} needs a pool with query() and connect(), such as new Pool() of pg`);
}
