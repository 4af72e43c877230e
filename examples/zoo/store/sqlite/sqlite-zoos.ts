/** The table of zoos. */
import type { Zoo } from '../../zoo.ts';
import { ChangedError, ConflictError, NotFoundError, type Change, type Page, type Revisions, type StoredZoo, type Zoos } from '../store.ts';
import { HAS_REVISION, revisionsValue, withConstraint, type Changes, type Database, type Row, type Statement } from './database.ts';

const COLUMNS = 'id, name, city, revision';

export class SqliteZoos implements Zoos {
  readonly #insert: Statement;
  readonly #find: Statement;
  readonly #list: Statement;
  readonly #change: Statement;
  readonly #remove: Statement;

  constructor(database: Database) {
    this.#insert = database.prepare('INSERT INTO zoo (name, city) VALUES (?, ?)');
    this.#find = database.prepare(`SELECT ${COLUMNS} FROM zoo WHERE id = ?`);
    this.#list = database.prepare(`SELECT ${COLUMNS} FROM zoo WHERE id > ? ORDER BY id LIMIT ?`);
    this.#change = database.prepare(
      `UPDATE zoo SET name = coalesce(?, name), city = coalesce(?, city), revision = revision + 1 WHERE id = ? AND ${HAS_REVISION}`,
    );
    this.#remove = database.prepare(`DELETE FROM zoo WHERE id = ? AND ${HAS_REVISION}`);
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

  change(id: number, { name, city }: Change<Zoo>, revisions?: Revisions): void {
    const run = (): Changes => this.#change.run(name ?? null, city ?? null, id, revisionsValue(revisions));
    this.#checkChanged(id, withConstraint('unique', ConflictError.nameTaken, run));
  }

  remove(id: number, revisions?: Revisions): void {
    const run = (): Changes => this.#remove.run(id, revisionsValue(revisions));
    this.#checkChanged(id, withConstraint('foreign key', ConflictError.hasPets, run));
  }

  #checkChanged(id: number, { changes }: Changes): void {
    if (Number(changes) > 0) return;
    this.find(id);
    throw new ChangedError('zoo', id);
  }
}

function zooFrom({ id, name, city, revision }: Row): StoredZoo {
  return { id: Number(id), name: String(name), city: String(city), revision: Number(revision) };
}
