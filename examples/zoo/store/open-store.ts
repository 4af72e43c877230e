/** Chooses the store that this version of Node supports. */
import { MemoryStore } from './memory-store.ts';
import { SqliteStore } from './sqlite-store.ts';
import type { Store } from './store.ts';

/** A store, and a description of it. */
export interface OpenStore {
  readonly store: Store;
  readonly kind: string;
}

/** Opens a store in a file, or in memory if this Node has no SQLite. Throws if the file cannot be opened. */
export function openStore(file: string): OpenStore {
  const store = SqliteStore.open(file);
  if (store !== undefined) return { store, kind: `SQLite in ${file}` };
  return { store: new MemoryStore(), kind: 'in memory, this Node has no node:sqlite' };
}
