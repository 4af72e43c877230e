/** The package `pg`, as far as it is used here. The example does not depend on it: whoever wants PostgreSQL installs it. */
import { createRequire } from 'node:module';
import { join } from 'node:path';

export interface Pg {
  readonly Pool: new (options: PoolOptions) => Pool;
}

/** Times are in milliseconds. Parameters in the URL take precedence. */
interface PoolOptions {
  readonly connectionString: string;
  readonly connectionTimeoutMillis: number;
  readonly statement_timeout: number;
  readonly query_timeout: number;
}

interface Queryable {
  /** `$1` in the statement stands for the first value. */
  query(text: string, values?: readonly Value[]): Promise<Result>;
}

export interface Pool extends Queryable {
  connect(): Promise<Client>;
  end(): Promise<void>;
  /** An idle connection was lost. Without a listener, this ends the process. */
  on(event: 'error', listener: (error: Error) => void): unknown;
}

export interface Client extends Queryable {
  /** Returns the connection to the pool, or closes it. */
  release(close?: boolean): void;
  /** The connection was lost while no statement ran. Without a listener, this ends the process. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  off(event: 'error', listener: (error: Error) => void): unknown;
}

export interface Result {
  readonly rows: readonly Row[];
  readonly rowCount: number | null;
  /** The first word of the statement that was done. */
  readonly command: string;
}

export type Value = string | number | boolean | Uint8Array | readonly string[] | null;
/** A `bigint` of the database is a string here. */
export type Row = Readonly<Record<string, unknown>>;

/** Loads `pg` from the folder in which the process runs. If it is not installed, throws an `Error` with instructions. */
export function loadPg(): Pg {
  const require = createRequire(join(process.cwd(), 'zoo.js'));
  try {
    return require('pg');
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'MODULE_NOT_FOUND')) throw thrown;
    throw new Error(`PostgreSQL needs the package pg in ${process.cwd()}: npm install --no-save pg`, { cause: thrown });
  }
}
