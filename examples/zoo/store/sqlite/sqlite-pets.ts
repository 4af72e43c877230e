/** The table of pets. */
import type { Pet } from '../../pet.ts';
import { ChangedError, NotFoundError, type Change, type Page, type Pets, type Revisions, type StoredPet } from '../store.ts';
import { HAS_REVISION, revisionsValue, type Database, type Row, type Statement } from './database.ts';
import type { SqliteZoos } from './sqlite-zoos.ts';

const COLUMNS = 'id, name, legs, lethal, eaten, revision';
const IS_CHANGEABLE = `id = ? AND zoo = ? AND ${HAS_REVISION}`;

export class SqlitePets implements Pets {
  readonly #zoos: SqliteZoos;
  readonly #insert: Statement;
  readonly #find: Statement;
  readonly #list: Statement;
  readonly #search: Statement;
  readonly #change: Statement;
  readonly #feed: Statement;
  readonly #remove: Statement;

  constructor(database: Database, zoos: SqliteZoos) {
    this.#zoos = zoos;
    this.#insert = database.prepare('INSERT INTO pet (zoo, name, legs, lethal) VALUES (?, ?, ?, ?)');
    this.#find = database.prepare(`SELECT ${COLUMNS} FROM pet WHERE id = ? AND zoo = ?`);
    this.#list = database.prepare(`SELECT ${COLUMNS} FROM pet WHERE zoo = ? AND id > ? ORDER BY id LIMIT ?`);
    this.#search = database.prepare(`SELECT ${COLUMNS} FROM pet WHERE zoo = ? AND instr(name, ?) > 0 ORDER BY id LIMIT ?`);
    this.#change = database.prepare(
      `UPDATE pet SET name = coalesce(?, name), legs = coalesce(?, legs), lethal = coalesce(?, lethal), revision = revision + 1
        WHERE ${IS_CHANGEABLE} RETURNING ${COLUMNS}`,
    );
    this.#feed = database.prepare(
      `UPDATE pet SET eaten = eaten + ?, revision = revision + 1 WHERE ${IS_CHANGEABLE} RETURNING ${COLUMNS}`,
    );
    this.#remove = database.prepare(`DELETE FROM pet WHERE ${IS_CHANGEABLE} RETURNING ${COLUMNS}`);
  }

  insert(zoo: number, { name, legs, lethal }: Pet): number {
    this.#zoos.find(zoo);
    return Number(this.#insert.run(zoo, name, legs, Number(lethal)).lastInsertRowid);
  }

  find(zoo: number, id: number): StoredPet {
    const row = this.#find.get(id, zoo);
    if (row !== undefined) return petFrom(row);
    this.#zoos.find(zoo);
    throw new NotFoundError('pet', id);
  }

  list(zoo: number, { take, after = 0 }: Page): StoredPet[] {
    this.#zoos.find(zoo);
    return this.#list.all(zoo, after, take).map(petFrom);
  }

  search(zoo: number, name: string, limit: number): StoredPet[] {
    this.#zoos.find(zoo);
    return this.#search.all(zoo, name, limit).map(petFrom);
  }

  change(zoo: number, id: number, { name, legs, lethal }: Change<Pet>, revisions?: Revisions): void {
    const values = [name ?? null, legs ?? null, lethal === undefined ? null : Number(lethal)];
    this.#changed(zoo, id, this.#change.get(...values, id, zoo, revisionsValue(revisions)));
  }

  feed(zoo: number, id: number, grams: number, revisions?: Revisions): StoredPet {
    return this.#changed(zoo, id, this.#feed.get(grams, id, zoo, revisionsValue(revisions)));
  }

  remove(zoo: number, id: number, revisions?: Revisions): StoredPet {
    return this.#changed(zoo, id, this.#remove.get(id, zoo, revisionsValue(revisions)));
  }

  #changed(zoo: number, id: number, row: Row | undefined): StoredPet {
    if (row !== undefined) return petFrom(row);
    this.find(zoo, id);
    throw new ChangedError('pet', id);
  }
}

function petFrom({ id, name, legs, lethal, eaten, revision }: Row): StoredPet {
  return { id: Number(id), name: String(name), legs: Number(legs), lethal: lethal === 1, eaten: Number(eaten), revision: Number(revision) };
}
