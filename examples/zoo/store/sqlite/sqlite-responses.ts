/** The table of responses to requests that clients can repeat. */
import type { StoredResponses } from '../store.ts';
import type { Database, Statement } from './database.ts';

const EXPIRED = `at < unixepoch('now', '-1 day')`;

export class SqliteResponses implements StoredResponses {
  readonly #find: Statement;
  readonly #put: Statement;
  readonly #expire: Statement;

  constructor(database: Database) {
    this.#find = database.prepare(`SELECT text FROM response WHERE key = ? AND NOT ${EXPIRED}`);
    this.#put = database.prepare('INSERT INTO response (key, text) VALUES (?, ?)');
    this.#expire = database.prepare(`DELETE FROM response WHERE ${EXPIRED}`);
  }

  // The transaction has locked the whole file.
  lock(): boolean {
    return true;
  }

  find(key: string): string | undefined {
    const text = this.#find.get(key)?.['text'];
    return text === undefined ? undefined : String(text);
  }

  put(key: string, response: string): void {
    this.#expire.run();
    this.#put.run(key, response);
  }
}
