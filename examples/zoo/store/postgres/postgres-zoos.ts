/** The table of zoos. */
import type { Zoo } from '../../zoo.ts';
import { ConflictError, NotFoundError, type Change, type Page, type StoredZoo, type Zoos } from '../store.ts';
import type { Queries } from './database.ts';
import type { Row } from './pg.ts';

const NAME_TAKEN = { unique: ConflictError.nameTaken };
const HAS_PETS = { 'foreign key': ConflictError.hasPets };

export class PostgresZoos implements Zoos {
  readonly #database: Queries;

  constructor(database: Queries) {
    this.#database = database;
  }

  async insert({ name, city }: Zoo): Promise<number> {
    const { rows } = await this.#database.query('INSERT INTO zoo (name, city) VALUES ($1, $2) RETURNING id', [name, city], NAME_TAKEN);
    return Number(rows[0]?.['id']);
  }

  async find(id: number): Promise<StoredZoo> {
    const { rows: [row] } = await this.#database.query('SELECT id, name, city FROM zoo WHERE id = $1', [id]);
    if (row === undefined) throw new NotFoundError('zoo', id);
    return zooFrom(row);
  }

  async list({ take, after = 0 }: Page): Promise<StoredZoo[]> {
    const { rows } = await this.#database.query('SELECT id, name, city FROM zoo WHERE id > $1 ORDER BY id LIMIT $2', [after, take]);
    return rows.map(zooFrom);
  }

  async change(id: number, { name, city }: Change<Zoo>): Promise<void> {
    const { rowCount } = await this.#database.query(
      'UPDATE zoo SET name = coalesce($2, name), city = coalesce($3, city) WHERE id = $1',
      [id, name ?? null, city ?? null],
      NAME_TAKEN,
    );
    if (rowCount === 0) throw new NotFoundError('zoo', id);
  }

  async remove(id: number): Promise<void> {
    const { rowCount } = await this.#database.query('DELETE FROM zoo WHERE id = $1', [id], HAS_PETS);
    if (rowCount === 0) throw new NotFoundError('zoo', id);
  }
}

function zooFrom({ id, name, city }: Row): StoredZoo {
  return { id: Number(id), name: String(name), city: String(city) };
}
