/** The stores that need no other process behave in the same way. `npm run test:postgres` has the same table for PostgreSQL. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MemoryStore } from '../../examples/zoo/store/memory-store.ts';
import { SqliteStore } from '../../examples/zoo/store/sqlite/sqlite-store.ts';
import { STORE_CASES } from '../support/store-cases.ts';

const hasSqlite = process.getBuiltinModule('node:sqlite') !== undefined;

const stores = suite('a store of zoos');
for (const [kind, open] of [
  ['memory', () => new MemoryStore()],
  ['SQLite', () => SqliteStore.open(':memory:')],
] as const) {
  if (kind === 'SQLite' && !hasSqlite) continue;
  for (const [fact, show] of STORE_CASES) {
    stores(`${kind}: ${fact}`, async () => {
      const store = open();
      assert.ok(store);
      try {
        await show(store);
      } finally {
        store.close();
      }
    });
  }
}
stores.run();
