/** Chooses the store. */
import { MemoryStore } from './memory-store.ts';
import { PostgresStore } from './postgres/postgres-store.ts';
import { SqliteStore } from './sqlite/sqlite-store.ts';
import type { Store } from './store.ts';

/** A store, and a description of it. */
export interface OpenStore {
  readonly store: Store;
  readonly kind: string;
}

/**
 * Opens a store: in PostgreSQL if `place` is a URL such as `postgres://zoo@db.example/zoo`, else in a file of this name, or in memory if
 * this Node has no SQLite. Rejects if the store cannot be opened.
 */
export async function openStore(place: string): Promise<OpenStore> {
  if (/^postgres(ql)?:/.test(place)) {
    const store = await PostgresStore.open(place);
    return { store, kind: `PostgreSQL, database ${store.name}` };
  }
  const store = SqliteStore.open(place);
  if (store !== undefined) return { store, kind: `SQLite in ${place}` };
  return { store: new MemoryStore(), kind: 'in memory, this Node has no node:sqlite' };
}
