/** Keeps zoos in a SQLite file. */
import type { Pets, Photos, Store, Transaction, Zoos } from '../store.ts';
import { Turns } from '../turns.ts';
import { openDatabase, type Database } from './database.ts';
import { SqliteResponses } from './sqlite-responses.ts';
import { SqlitePets } from './sqlite-pets.ts';
import { SqlitePhotos } from './sqlite-photos.ts';
import { SqliteZoos } from './sqlite-zoos.ts';

export class SqliteStore implements Store {
  readonly zoos: Zoos;
  readonly pets: Pets;
  readonly photos: Photos;
  readonly #database: Database;
  readonly #tx: Transaction;
  // A connection has one transaction at a time. Anything else that it did meanwhile would be a part of that.
  readonly #turns = new Turns();

  private constructor(database: Database) {
    this.#database = database;
    const zoos = new SqliteZoos(database);
    const pets = new SqlitePets(database, zoos);
    this.#tx = { zoos, pets, photos: new SqlitePhotos(database, pets), responses: new SqliteResponses(database) };
    this.zoos = this.#turns.outside(this.#tx.zoos);
    this.pets = this.#turns.outside(this.#tx.pets);
    this.photos = this.#turns.outside(this.#tx.photos);
  }

  /** Opens a file. Returns `undefined` if this Node has no SQLite. Errors of `openDatabase` are thrown. */
  static open(file: string): SqliteStore | undefined {
    const database = openDatabase(file);
    return database && new SqliteStore(database);
  }

  transaction<T>(run: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#turns.take(async () => {
      this.#database.exec('BEGIN IMMEDIATE');
      try {
        const result = await run(this.#tx);
        this.#database.exec('COMMIT');
        return result;
      } catch (thrown) {
        this.#database.exec('ROLLBACK');
        throw thrown;
      }
    });
  }

  close(): void {
    this.#database.close();
  }
}
