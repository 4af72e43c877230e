/** The table of responses to requests that clients can repeat. It is used only in transactions. */
import type { StoredResponses } from '../store.ts';
import type { Queries } from './database.ts';

const EXPIRED = `at < now() - interval '1 day'`;

export class PostgresResponses implements StoredResponses {
  readonly #database: Queries;

  constructor(database: Queries) {
    this.#database = database;
  }

  async lock(key: string): Promise<boolean> {
    // It ends with the transaction, which ends with the connection, and this with the process.
    const { rows } = await this.#database.query('SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS locked', [key]);
    return rows[0]?.['locked'] === true;
  }

  async find(key: string): Promise<string | undefined> {
    const { rows: [row] } = await this.#database.query(`SELECT text FROM response WHERE key = $1 AND NOT ${EXPIRED}`, [key]);
    return row === undefined ? undefined : String(row['text']);
  }

  async put(key: string, response: string): Promise<void> {
    // Other transactions remove some too, and do not wait for this one.
    const some = `SELECT key FROM response WHERE ${EXPIRED} LIMIT 10 FOR UPDATE SKIP LOCKED`;
    await this.#database.query(`DELETE FROM response WHERE key IN (${some})`, []);
    await this.#database.query(
      'INSERT INTO response (key, text) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET text = excluded.text, at = excluded.at',
      [key, response],
    );
  }
}
