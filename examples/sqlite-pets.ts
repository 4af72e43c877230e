/** Keeps pets in a SQLite file. Uses `node:sqlite`, which needs no flag since Node 22.13. */
import type { Pet } from './pet.ts';
import { NotFoundError, type Fed, type PetStore, type StoredPet } from './pet-store.ts';

// The parts of `node:sqlite` that are used here. The types of Node 20 lack them.
interface SqliteModule {
  readonly DatabaseSync: new (file: string) => Database;
}
interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}
interface Statement {
  run(...values: readonly Value[]): { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint };
  get(...values: readonly Value[]): Row | undefined;
  all(...values: readonly Value[]): Row[];
}
type Value = string | number;
type Row = Readonly<Record<string, unknown>>;

// AUTOINCREMENT: the id of a removed pet is not used again.
const TABLE = `CREATE TABLE IF NOT EXISTS pet (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  legs INTEGER NOT NULL,
  lethal INTEGER NOT NULL,
  eaten INTEGER NOT NULL DEFAULT 0
) STRICT`;

export class SqlitePets implements PetStore {
  readonly #database: Database;
  readonly #insert: Statement;
  readonly #find: Statement;
  readonly #replace: Statement;
  readonly #remove: Statement;
  readonly #feed: Statement;
  readonly #search: Statement;

  private constructor(database: Database) {
    database.exec(TABLE);
    this.#database = database;
    this.#insert = database.prepare('INSERT INTO pet (name, legs, lethal) VALUES (?, ?, ?)');
    this.#find = database.prepare('SELECT name, legs, lethal FROM pet WHERE id = ?');
    this.#replace = database.prepare('UPDATE pet SET name = ?, legs = ?, lethal = ? WHERE id = ?');
    this.#remove = database.prepare('DELETE FROM pet WHERE id = ?');
    this.#feed = database.prepare('UPDATE pet SET eaten = eaten + ? WHERE id = ? RETURNING name, eaten');
    this.#search = database.prepare('SELECT id, name, legs, lethal FROM pet WHERE instr(name, ?) > 0 ORDER BY id');
  }

  /**
   * Opens a file, and creates it if it does not exist. Returns `undefined` if this Node has no `node:sqlite`. Throws SQLite's error
   * if the file cannot be opened or is not a database.
   */
  static open(file: string): SqlitePets | undefined {
    const module = process.getBuiltinModule('node:sqlite');
    return isSqliteModule(module) ? new SqlitePets(new module.DatabaseSync(file)) : undefined;
  }

  insert({ name, legs, lethal }: Pet): number {
    return Number(this.#insert.run(name, legs, Number(lethal)).lastInsertRowid);
  }

  find(id: number): Pet {
    return petFrom(found(id, this.#find.get(id)));
  }

  replace(id: number, { name, legs, lethal }: Pet): void {
    const { changes } = this.#replace.run(name, legs, Number(lethal), id);
    if (Number(changes) === 0) throw new NotFoundError(id);
  }

  remove(id: number): void {
    const { changes } = this.#remove.run(id);
    if (Number(changes) === 0) throw new NotFoundError(id);
  }

  feed(id: number, grams: number): Fed {
    const { name, eaten } = found(id, this.#feed.get(grams, id));
    return { name: String(name), eaten: Number(eaten) };
  }

  search(name: string): StoredPet[] {
    return this.#search.all(name).map((row) => ({ id: Number(row['id']), ...petFrom(row) }));
  }

  close(): void {
    this.#database.close();
  }
}

function isSqliteModule(module: object | undefined): module is SqliteModule {
  return module !== undefined && 'DatabaseSync' in module;
}

function found(id: number, row: Row | undefined): Row {
  if (row === undefined) throw new NotFoundError(id);
  return row;
}

function petFrom({ name, legs, lethal }: Row): Pet {
  return { name: String(name), legs: Number(legs), lethal: lethal === 1 };
}
