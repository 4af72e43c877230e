/**
 * A PostgreSQL database, behind a pool of connections.
 *
 * Any number of processes may use it at the same time. A method of the store changes something in one statement at most, and a statement
 * is a separate transaction, unless it is part of a longer one. Rules between rows are constraints: names of zoos are unique, and a pet has a
 * zoo. So the default isolation level is enough. A stricter one works too:
 * `postgres://…?options=-c%20default_transaction_isolation%3Dserializable`.
 */
import { UnavailableError } from '../store.ts';
import { classifyFailure, type Failure } from './failure.ts';
import { migrate } from './migrate.ts';
import { type Client, loadPg, type Pool, type Result, type Value } from './pg.ts';

/** The error of the store that a broken constraint means. */
export type Rejections = Readonly<Partial<Record<Failure & ('unique' | 'foreign key'), () => Error>>>;

/** Runs statements. Throws an error of `rejections` for one that breaks that constraint, and `UnavailableError` if the database cannot do it now. */
export interface Queries {
  query(text: string, values: readonly Value[], rejections?: Rejections): Promise<Result>;
}

const ATTEMPTS = 3;
// Together they are well below the 60 s of the server's operation timeout.
const TIMEOUTS = { connectionTimeoutMillis: 5_000, statement_timeout: 10_000, query_timeout: 15_000 };

export class Database implements Queries {
  readonly #pool: Pool;

  private constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Opens the database, and brings its tables up to date. Rejects if that fails, or if `pg` is not installed. */
  static async open(url: string): Promise<Database> {
    const pool = new (loadPg().Pool)({ connectionString: url, ...TIMEOUTS });
    pool.on('error', ({ message }) => console.error(`PostgreSQL: an idle connection was lost: ${message}`));
    try {
      await migrate(pool);
      return new Database(pool);
    } catch (thrown) {
      await pool.end();
      throw thrown;
    }
  }

  /**
   * Runs a statement as a separate transaction. If others are in its way, it is rolled back and runs again: three times at most. Throws
   * `UnavailableError` after that, and at once if the connection is lost, since the statement may have been completed.
   */
  async query(text: string, values: readonly Value[], rejections: Rejections = {}): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#pool.query(text, values);
      } catch (thrown) {
        const failure = classifyFailure(thrown);
        if (failure === 'rolled back' && attempt < ATTEMPTS) continue;
        throw translateFailure(failure, thrown, rejections);
      }
    }
  }

  /** Runs statements that are done together, or not at all. If `run` rejects, all of them are rolled back. */
  async transaction<T>(run: (queries: Queries) => Promise<T>): Promise<T> {
    const client = await meant(this.#pool.connect());
    client.on('error', ignore);
    try {
      // At a stricter level, a statement would not see what others have committed since the first.
      await meant(client.query('BEGIN ISOLATION LEVEL READ COMMITTED'));
      const result = await run({ query: (text, values, rejections) => meant(client.query(text, values), rejections) });
      const { command } = await meant(client.query('COMMIT'));
      // PostgreSQL says so after a statement that failed, whoever has caught its error.
      if (command !== 'COMMIT') throw new Error('the transaction was rolled back: one of its statements has failed');
      giveBack(client);
      return result;
    } catch (thrown) {
      await client.query('ROLLBACK').then(() => giveBack(client), () => client.release(true));
      throw thrown;
    }
  }

  /** Waits for the statements that are running. */
  close(): Promise<void> {
    return this.#pool.end();
  }
}

// The next statement fails, which is enough.
function ignore(): void {}

function giveBack(client: Client): void {
  client.off('error', ignore);
  client.release();
}

function meant<T>(promise: Promise<T>, rejections: Rejections = {}): Promise<T> {
  return promise.catch((thrown: unknown) => {
    throw translateFailure(classifyFailure(thrown), thrown, rejections);
  });
}

function translateFailure(failure: Failure, thrown: unknown, rejections: Rejections): unknown {
  switch (failure) {
    case 'unique':
    case 'foreign key':
      return rejections[failure]?.() ?? thrown;
    case 'rolled back':
    case 'unavailable':
      return new UnavailableError(thrown);
    case 'mistake':
      return thrown;
  }
}
