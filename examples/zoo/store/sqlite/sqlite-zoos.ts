/** The table of zoos. */
import type { Zoo } from '../../zoo.ts';
import { ConflictError, NotFoundError, type Change, type Page, type StoredZoo, type Zoos } from '../store.ts';
import { withConstraint, type Database, type Row, type Statement } from './database.ts';

export class SqliteZoos implements Zoos {
  readonly #insert: Statement;
  readonly #find: Statement;
  readonly #list: Statement;
  readonly #change: Statement;
  readonly #remove: Statement;

  constructor(database: Database) {
    this.#insert = database.prepare('INSERT INTO zoo (name, city) VALUES (?, ?)');
    this.#find = database.prepare('SELECT id, name, city FROM zoo WHERE id = ?');
    this.#list = database.prepare('SELECT id, name, city FROM zoo WHERE id > ? ORDER BY id LIMIT ?');
    this.#change = database.prepare('UPDATE zoo SET name = coalesce(?, name), city = coalesce(?, city) WHERE id = ?');
    this.#remove = database.prepare('DELETE FROM zoo WHERE id = ?');
  }

  insert({ name, city }: Zoo): number {
    const { lastInsertRowid } = withConstraint('unique', ConflictError.nameTaken, () => this.#insert.run(name, city));
    return Number(lastInsertRowid);
  }

  find(id: number): StoredZoo {
    const row = this.#find.get(id);
    if (row === undefined) throw new NotFoundError('zoo', id);
    return zooFrom(row);
  }

  list({ take, after = 0 }: Page): StoredZoo[] {
    return this.#list.all(after, take).map(zooFrom);
  }

  change(id: number, { name, city }: Change<Zoo>): void {
    const { changes } = withConstraint('unique', ConflictError.nameTaken, () => this.#change.run(name ?? null, city ?? null, id));
    if (Number(changes) === 0) throw new NotFoundError('zoo', id);
  }

  remove(id: number): void {
    const { changes } = withConstraint('foreign key', ConflictError.hasPets, () => this.#remove.run(id));
    if (Number(changes) === 0) throw new NotFoundError('zoo', id);
  }
}

function zooFrom({ id, name, city }: Row): StoredZoo {
  return { id: Number(id), name: String(name), city: String(city) };
}
