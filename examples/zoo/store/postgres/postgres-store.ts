/** Keeps zoos in a PostgreSQL database, which other processes may use at the same time. */
import type { Store } from '../store.ts';
import { Database } from './database.ts';
import { PostgresPets } from './postgres-pets.ts';
import { PostgresPhotos } from './postgres-photos.ts';
import { PostgresZoos } from './postgres-zoos.ts';

export class PostgresStore implements Store {
  /** The name of the database. */
  readonly name: string;
  readonly zoos: PostgresZoos;
  readonly pets: PostgresPets;
  readonly photos: PostgresPhotos;
  readonly #database: Database;

  private constructor(database: Database, name: string) {
    this.name = name;
    this.#database = database;
    this.zoos = new PostgresZoos(database);
    this.pets = new PostgresPets(database, this.zoos);
    this.photos = new PostgresPhotos(database, this.pets);
  }

  /** Opens the database at a URL. Rejects as `Database.open` does. */
  static async open(url: string): Promise<PostgresStore> {
    const database = await Database.open(url);
    const { rows } = await database.query('SELECT current_database() AS name', []);
    return new PostgresStore(database, String(rows[0]?.['name']));
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}
