/** Keeps zoos in a SQLite file. */
import type { Store } from '../store.ts';
import { openDatabase, type Database } from './database.ts';
import { SqlitePets } from './sqlite-pets.ts';
import { SqlitePhotos } from './sqlite-photos.ts';
import { SqliteZoos } from './sqlite-zoos.ts';

export class SqliteStore implements Store {
  readonly zoos: SqliteZoos;
  readonly pets: SqlitePets;
  readonly photos: SqlitePhotos;
  readonly #database: Database;

  private constructor(database: Database) {
    this.#database = database;
    this.zoos = new SqliteZoos(database);
    this.pets = new SqlitePets(database, this.zoos);
    this.photos = new SqlitePhotos(database, this.pets);
  }

  /** Opens a file. Returns `undefined` if this Node has no SQLite. Errors of `openDatabase` are thrown. */
  static open(file: string): SqliteStore | undefined {
    const database = openDatabase(file);
    return database && new SqliteStore(database);
  }

  close(): void {
    this.#database.close();
  }
}
