/** The table of pets. */
import type { Pet } from '../../pet.ts';
import { NotFoundError, type Change, type Page, type Pets, type StoredPet } from '../store.ts';
import type { Database, Row, Statement } from './database.ts';
import type { SqliteZoos } from './sqlite-zoos.ts';

const COLUMNS = 'id, name, legs, lethal, eaten';

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
      'UPDATE pet SET name = coalesce(?, name), legs = coalesce(?, legs), lethal = coalesce(?, lethal) WHERE id = ?',
    );
    this.#feed = database.prepare(`UPDATE pet SET eaten = eaten + ? WHERE id = ? AND zoo = ? RETURNING ${COLUMNS}`);
    this.#remove = database.prepare(`DELETE FROM pet WHERE id = ? AND zoo = ? RETURNING ${COLUMNS}`);
  }

  insert(zoo: number, { name, legs, lethal }: Pet): number {
    this.#zoos.find(zoo);
    return Number(this.#insert.run(zoo, name, legs, Number(lethal)).lastInsertRowid);
  }

  find(zoo: number, id: number): StoredPet {
    return this.#found(zoo, id, this.#find.get(id, zoo));
  }

  list(zoo: number, { take, after = 0 }: Page): StoredPet[] {
    this.#zoos.find(zoo);
    return this.#list.all(zoo, after, take).map(petFrom);
  }

  search(zoo: number, name: string, limit: number): StoredPet[] {
    this.#zoos.find(zoo);
    return this.#search.all(zoo, name, limit).map(petFrom);
  }

  change(zoo: number, id: number, { name, legs, lethal }: Change<Pet>): void {
    this.find(zoo, id);
    this.#change.run(name ?? null, legs ?? null, lethal === undefined ? null : Number(lethal), id);
  }

  feed(zoo: number, id: number, grams: number): StoredPet {
    return this.#found(zoo, id, this.#feed.get(grams, id, zoo));
  }

  remove(zoo: number, id: number): StoredPet {
    return this.#found(zoo, id, this.#remove.get(id, zoo));
  }

  #found(zoo: number, id: number, row: Row | undefined): StoredPet {
    if (row !== undefined) return petFrom(row);
    this.#zoos.find(zoo);
    throw new NotFoundError('pet', id);
  }
}

function petFrom({ id, name, legs, lethal, eaten }: Row): StoredPet {
  return { id: Number(id), name: String(name), legs: Number(legs), lethal: lethal === 1, eaten: Number(eaten) };
}
