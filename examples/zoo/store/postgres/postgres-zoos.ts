/** The table of zoos. */
import type { Zoo } from '../../zoo.ts';
import { ChangedError, ConflictError, listed, NotFoundError, type Change, type Page, type Revisions, type StoredZoo, type Zoos } from '../store.ts';
import type { Queries } from './database.ts';
import type { Result, Row } from './pg.ts';

const COLUMNS = 'id, name, city, revision';
const NAME_TAKEN = { unique: ConflictError.nameTaken };
// A statement that waits for a different one reads the row again.
const IS_CHANGEABLE = 'id = $1 AND ($2::text[] IS NULL OR revision::text = ANY ($2))';
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
    const { rows: [row] } = await this.#database.query(`SELECT ${COLUMNS} FROM zoo WHERE id = $1`, [id]);
    if (row === undefined) throw new NotFoundError('zoo', id);
    return zooFrom(row);
  }

  async list({ take, after = 0 }: Page): Promise<StoredZoo[]> {
    const { rows } = await this.#database.query(`SELECT ${COLUMNS} FROM zoo WHERE id > $1 ORDER BY id LIMIT $2`, [after, take]);
    return rows.map(zooFrom);
  }

  async change(id: number, { name, city }: Change<Zoo>, revisions?: Revisions): Promise<void> {
    const sql = `UPDATE zoo SET name = coalesce($3, name), city = coalesce($4, city), revision = revision + 1 WHERE ${IS_CHANGEABLE}`;
    await this.#checkChanged(id, await this.#database.query(sql, [id, listed(revisions), name ?? null, city ?? null], NAME_TAKEN));
  }

  async remove(id: number, revisions?: Revisions): Promise<void> {
    await this.#checkChanged(id, await this.#database.query(`DELETE FROM zoo WHERE ${IS_CHANGEABLE}`, [id, listed(revisions)], HAS_PETS));
  }

  async #checkChanged(id: number, { rowCount }: Result): Promise<void> {
    if (rowCount !== 0) return;
    await this.find(id);
    throw new ChangedError('zoo', id);
  }
}

function zooFrom({ id, name, city, revision }: Row): StoredZoo {
  return { id: Number(id), name: String(name), city: String(city), revision: Number(revision) };
}
