/** A SQLite file, opened with `node:sqlite`, which needs no flag since Node 22.13. */
import { listed, type Revisions } from '../store.ts';
import { migrate } from './migrate.ts';

// The parts of `node:sqlite` that are used here. The types of Node 20 lack them.
interface SqliteModule {
  readonly DatabaseSync: new (file: string) => Database;
}
export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}
export interface Statement {
  run(...values: readonly Value[]): Changes;
  get(...values: readonly Value[]): Row | undefined;
  all(...values: readonly Value[]): Row[];
}
export interface Changes {
  readonly changes: number | bigint;
  readonly lastInsertRowid: number | bigint;
}
type Value = string | number | Uint8Array | null;
export type Row = Readonly<Record<string, unknown>>;

/**
 * Opens a file, creates it if it does not exist, and brings its tables up to date. Returns `undefined` if this Node has no
 * `node:sqlite`. Throws if the file cannot be opened, is not a database, or is of a later version of the example.
 */
export function openDatabase(file: string): Database | undefined {
  const module = process.getBuiltinModule('node:sqlite');
  if (!isSqliteModule(module)) return undefined;
  const database = new module.DatabaseSync(file);
  try {
    migrate(database);
    return database;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

function isSqliteModule(module: object | undefined): module is SqliteModule {
  return module !== undefined && 'DatabaseSync' in module;
}

/** The condition that a row has one of some revisions, whose value is `revisionsValue(…)`. */
export const HAS_REVISION = 'CAST(revision AS TEXT) IN (SELECT value FROM json_each(coalesce(?, json_array(CAST(revision AS TEXT)))))';

export function revisionsValue(revisions: Revisions): string | null {
  const list = listed(revisions);
  return list && JSON.stringify(list);
}

// https://www.sqlite.org/rescode.html
const CONSTRAINTS = { 'unique': 2067, 'foreign key': 787 } as const;

/** Runs a statement. If it breaks a constraint of the table, throws the error of the store that this means. */
export function withConstraint<T>(constraint: keyof typeof CONSTRAINTS, meaning: () => Error, run: () => T): T {
  try {
    return run();
  } catch (thrown) {
    const isBroken = thrown instanceof Error && 'errcode' in thrown && thrown.errcode === CONSTRAINTS[constraint];
    throw isBroken ? meaning() : thrown;
  }
}
