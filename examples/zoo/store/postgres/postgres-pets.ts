/** The table of pets. */
import type { Pet } from '../../pet.ts';
import { ChangedError, listed, NotFoundError, type Change, type Page, type Pets, type Revisions, type StoredPet } from '../store.ts';
import type { Queries } from './database.ts';
import type { Row, Value } from './pg.ts';
import type { PostgresZoos } from './postgres-zoos.ts';

const COLUMNS = 'id, name, legs, lethal, eaten, revision';
const IS_CHANGEABLE = 'zoo = $1 AND id = $2 AND ($3::text[] IS NULL OR revision::text = ANY ($3))';

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

  async find(zoo: number, id: number): Promise<StoredPet> {
    const { rows: [row] } = await this.#database.query(`SELECT ${COLUMNS} FROM pet WHERE zoo = $1 AND id = $2`, [zoo, id]);
    if (row !== undefined) return petFrom(row);
    await this.#zoos.find(zoo);
    throw new NotFoundError('pet', id);
  }

  list(zoo: number, { take, after = 0 }: Page): Promise<StoredPet[]> {
    return this.#all(zoo, `SELECT ${COLUMNS} FROM pet WHERE zoo = $1 AND id > $2 ORDER BY id LIMIT $3`, after, take);
  }

  search(zoo: number, name: string, limit: number): Promise<StoredPet[]> {
    return this.#all(zoo, `SELECT ${COLUMNS} FROM pet WHERE zoo = $1 AND strpos(name, $2) > 0 ORDER BY id LIMIT $3`, name, limit);
  }

  async change(zoo: number, id: number, { name, legs, lethal }: Change<Pet>, revisions?: Revisions): Promise<void> {
    const sql = 'UPDATE pet SET name = coalesce($4, name), legs = coalesce($5, legs), lethal = coalesce($6, lethal), revision = revision + 1';
    await this.#changed(zoo, id, revisions, sql, name ?? null, legs ?? null, lethal ?? null);
  }

  feed(zoo: number, id: number, grams: number, revisions?: Revisions): Promise<StoredPet> {
    // The row is locked and read again before it changes, so that two meals at the same time add up.
    return this.#changed(zoo, id, revisions, 'UPDATE pet SET eaten = eaten + $4, revision = revision + 1', grams);
  }

  remove(zoo: number, id: number, revisions?: Revisions): Promise<StoredPet> {
    return this.#changed(zoo, id, revisions, 'DELETE FROM pet');
  }

  async #changed(zoo: number, id: number, revisions: Revisions, sql: string, ...values: readonly Value[]): Promise<StoredPet> {
    const text = `${sql} WHERE ${IS_CHANGEABLE} RETURNING ${COLUMNS}`;
    const { rows: [row] } = await this.#database.query(text, [zoo, id, listed(revisions), ...values]);
    if (row !== undefined) return petFrom(row);
    await this.find(zoo, id);
    throw new ChangedError('pet', id);
  }

  async #all(zoo: number, sql: string, ...values: readonly Value[]): Promise<StoredPet[]> {
    const { rows } = await this.#database.query(sql, [zoo, ...values]);
    if (rows.length === 0) await this.#zoos.find(zoo);
    return rows.map(petFrom);
  }
}

function petFrom({ id, name, legs, lethal, eaten, revision }: Row): StoredPet {
  return { id: Number(id), name: String(name), legs: Number(legs), lethal: lethal === true, eaten: Number(eaten), revision: Number(revision) };
}
