/** Keeps zoos in a PostgreSQL database, which other processes may use at the same time. */
import type { Store, Tables, Transaction } from '../store.ts';
import { Database, type Queries } from './database.ts';
import { PostgresResponses } from './postgres-responses.ts';
import { PostgresPets } from './postgres-pets.ts';
import { PostgresPhotos } from './postgres-photos.ts';
import { PostgresZoos } from './postgres-zoos.ts';

interface PostgresTables extends Tables {
  readonly zoos: PostgresZoos;
  readonly pets: PostgresPets;
  readonly photos: PostgresPhotos;
}

export class PostgresStore implements Store, PostgresTables {
  /** The name of the database. */
  readonly name: string;
  readonly zoos: PostgresZoos;
  readonly pets: PostgresPets;
  readonly photos: PostgresPhotos;
  readonly #database: Database;

  private constructor(database: Database, name: string) {
    this.name = name;
    this.#database = database;
    ({ zoos: this.zoos, pets: this.pets, photos: this.photos } = tablesIn(database));
  }

  /** Opens the database at a URL. Rejects as `Database.open` does. */
  static async open(url: string): Promise<PostgresStore> {
    const database = await Database.open(url);
    const { rows } = await database.query('SELECT current_database() AS name', []);
    return new PostgresStore(database, String(rows[0]?.['name']));
  }

  transaction<T>(run: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#database.transaction((queries) => run({ ...tablesIn(queries), responses: new PostgresResponses(queries) }));
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}

function tablesIn(queries: Queries): PostgresTables {
  const zoos = new PostgresZoos(queries);
  const pets = new PostgresPets(queries, zoos);
  return { zoos, pets, photos: new PostgresPhotos(queries, pets) };
}
