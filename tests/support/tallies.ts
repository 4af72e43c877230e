/**
 * Stores of one item that eight writers change: a tally, with a count for each writer. A count grows by one with each change, so a lost change shows in the
 * counts for ever. A store compares the version as it writes, in the same statement.
 */
import { loadPg } from '../../examples/zoo/store/postgres/pg.ts';

export interface Tally {
  readonly counts: readonly number[];
  readonly revision: number;
}

/** `request.ifMatch` of an operation. */
type IfMatch = readonly string[] | '*' | undefined;

export interface Tallies {
  find(): Promise<Tally>;
  /** Replaces the counts. Resolves to `false` if `ifMatch` does not name the version. */
  replace(counts: readonly number[], ifMatch: IfMatch): Promise<boolean>;
  close(): Promise<void>;
}

const EMPTY = JSON.stringify(Array.from({ length: 8 }, () => 0));

/** The versions that are compared; `null` for any. */
const listTags = (ifMatch: IfMatch): readonly string[] | null => (ifMatch === undefined || ifMatch === '*' ? null : ifMatch);

export class MemoryTallies implements Tallies {
  #tally: Tally = { counts: JSON.parse(EMPTY), revision: 0 };

  async find(): Promise<Tally> {
    return this.#tally;
  }

  async replace(counts: readonly number[], ifMatch: IfMatch): Promise<boolean> {
    const { revision } = this.#tally;
    if (listTags(ifMatch)?.includes(String(revision)) === false) return false;
    this.#tally = { counts, revision: revision + 1 };
    return true;
  }

  async close(): Promise<void> {}
}

/** `pg` takes lists as values, which the example does not need. */
interface Pool {
  query(text: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[]; readonly rowCount: number | null }>;
  end(): Promise<void>;
}

class PostgresTallies implements Tallies {
  readonly #pool: Pool;

  constructor(url: string) {
    const pool = new (loadPg().Pool)({ connectionString: url, connectionTimeoutMillis: 5000, statement_timeout: 10_000, query_timeout: 15_000 });
    pool.on('error', () => {});
    this.#pool = pool;
  }

  async create(): Promise<void> {
    await this.#pool.query('CREATE TABLE tally (counts text NOT NULL, revision bigint NOT NULL)');
    await this.#pool.query('INSERT INTO tally VALUES ($1, 0)', [EMPTY]);
  }

  async find(): Promise<Tally> {
    return tallyFrom((await this.#pool.query('SELECT * FROM tally')).rows[0]);
  }

  // As text: a client can name versions that are not numbers.
  async replace(counts: readonly number[], ifMatch: IfMatch): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      'UPDATE tally SET counts = $1, revision = revision + 1 WHERE $2::text[] IS NULL OR revision::text = ANY($2)',
      [JSON.stringify(counts), listTags(ifMatch)],
    );
    return rowCount === 1;
  }

  close(): Promise<void> {
    return this.#pool.end();
  }
}

/** Opens the store of a database. */
export function openTallies(database: string): Tallies {
  return new PostgresTallies(database);
}

/** Creates the store of a database, and closes it. */
export async function createTallies(database: string): Promise<void> {
  const store = new PostgresTallies(database);
  try {
    await store.create();
  } finally {
    await store.close();
  }
}

function tallyFrom(row: Readonly<Record<string, unknown>> = {}): Tally {
  return { counts: JSON.parse(String(row['counts'])), revision: Number(row['revision']) };
}
