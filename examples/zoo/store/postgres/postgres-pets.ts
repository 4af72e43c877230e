/** The table of pets. */
import type { Pet } from '../../pet.ts';
import { NotFoundError, type Change, type Page, type Pets, type StoredPet } from '../store.ts';
import type { Queries } from './database.ts';
import type { Row, Value } from './pg.ts';
import type { PostgresZoos } from './postgres-zoos.ts';

const COLUMNS = 'id, name, legs, lethal, eaten';

export class PostgresPets implements Pets {
  readonly #database: Queries;
  readonly #zoos: PostgresZoos;

  constructor(database: Queries, zoos: PostgresZoos) {
    this.#database = database;
    this.#zoos = zoos;
  }

  async insert(zoo: number, { name, legs, lethal }: Pet): Promise<number> {
    const { rows } = await this.#database.query(
      'INSERT INTO pet (zoo, name, legs, lethal) VALUES ($1, $2, $3, $4) RETURNING id',
      [zoo, name, legs, lethal],
      { 'foreign key': () => new NotFoundError('zoo', zoo) },
    );
    return Number(rows[0]?.['id']);
  }

  find(zoo: number, id: number): Promise<StoredPet> {
    return this.#one(zoo, id, `SELECT ${COLUMNS} FROM pet WHERE zoo = $1 AND id = $2`);
  }

  list(zoo: number, { take, after = 0 }: Page): Promise<StoredPet[]> {
    return this.#all(zoo, `SELECT ${COLUMNS} FROM pet WHERE zoo = $1 AND id > $2 ORDER BY id LIMIT $3`, after, take);
  }

  search(zoo: number, name: string, limit: number): Promise<StoredPet[]> {
    return this.#all(zoo, `SELECT ${COLUMNS} FROM pet WHERE zoo = $1 AND strpos(name, $2) > 0 ORDER BY id LIMIT $3`, name, limit);
  }

  async change(zoo: number, id: number, { name, legs, lethal }: Change<Pet>): Promise<void> {
    const sql = `UPDATE pet SET name = coalesce($3, name), legs = coalesce($4, legs), lethal = coalesce($5, lethal)
      WHERE zoo = $1 AND id = $2 RETURNING ${COLUMNS}`;
    await this.#one(zoo, id, sql, name ?? null, legs ?? null, lethal ?? null);
  }

  feed(zoo: number, id: number, grams: number): Promise<StoredPet> {
    // The row is locked and read again before it changes, so that two meals at the same time add up.
    return this.#one(zoo, id, `UPDATE pet SET eaten = eaten + $3 WHERE zoo = $1 AND id = $2 RETURNING ${COLUMNS}`, grams);
  }

  remove(zoo: number, id: number): Promise<StoredPet> {
    return this.#one(zoo, id, `DELETE FROM pet WHERE zoo = $1 AND id = $2 RETURNING ${COLUMNS}`);
  }

  async #one(zoo: number, id: number, sql: string, ...values: readonly Value[]): Promise<StoredPet> {
    const { rows: [row] } = await this.#database.query(sql, [zoo, id, ...values]);
    if (row !== undefined) return petFrom(row);
    await this.#zoos.find(zoo);
    throw new NotFoundError('pet', id);
  }

  async #all(zoo: number, sql: string, ...values: readonly Value[]): Promise<StoredPet[]> {
    const { rows } = await this.#database.query(sql, [zoo, ...values]);
    if (rows.length === 0) await this.#zoos.find(zoo);
    return rows.map(petFrom);
  }
}

function petFrom({ id, name, legs, lethal, eaten }: Row): StoredPet {
  return { id: Number(id), name: String(name), legs: Number(legs), lethal: lethal === true, eaten: Number(eaten) };
}
