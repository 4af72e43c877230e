/** Keeps zoos in a SQLite file. */
import { openDatabase, type Database } from './database.ts';
import { SqlitePets } from './sqlite-pets.ts';
import { SqlitePhotos } from './sqlite-photos.ts';
import { SqliteZoos } from './sqlite-zoos.ts';
import type { Pets, Photos, Store, Zoos } from './store.ts';

export class SqliteStore implements Store {
  readonly zoos: Zoos;
  readonly pets: Pets;
  readonly photos: Photos;
  readonly #database: Database;

  private constructor(database: Database) {
    this.#database = database;
    this.zoos = new SqliteZoos(database);
    this.pets = new SqlitePets(database, this.zoos);
    this.photos = new SqlitePhotos(database, this.pets);
  }

  /** Opens a file. Returns `undefined` if this Node has no SQLite. Throws what `openDatabase` throws. */
  static open(file: string): SqliteStore | undefined {
    const database = openDatabase(file);
    return database && new SqliteStore(database);
  }

  close(): void {
    this.#database.close();
  }
}
