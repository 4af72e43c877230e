/** The stores that need no other process behave in the same way. `npm run test:postgres` has the same table for PostgreSQL. */
import { join } from 'node:path';
import { StoreKeys } from '../../examples/zoo/keys.ts';
import { MemoryStore } from '../../examples/zoo/store/memory-store.ts';
import { openDatabase } from '../../examples/zoo/store/sqlite/database.ts';
import { SqliteStore } from '../../examples/zoo/store/sqlite/sqlite-store.ts';
import { STORE_CASES } from '../support/store-cases.ts';
import { withTemporaryFolder } from '../support/temporary-folder.ts';
import { assert, suite } from '../support/facts.ts';

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
if (hasSqlite) {
  stores('SQLite: a response is kept for a day, by the clock of the machine, which may go back', () => withTemporaryFolder(async (folder) => {
    const file = join(folder, 'zoo.db');
    const [store, other] = [SqliteStore.open(file), openDatabase(file)];
    assert.ok(store && other);
    try {
      const keys = new StoreKeys(store);
      const once = (key: string): Promise<unknown> => keys.once({ key, fingerprint: 'a' }, async () => ({ status: 204, headers: {}, body: undefined }));
      const kept = { fingerprint: 'a', response: { status: 204, headers: {}, body: undefined } };
      assert.is(await once('one'), 'done');
      for (const at of [`unixepoch('now', '+1 year')`, `unixepoch('now', '-23 hours')`]) {
        other.exec(`UPDATE response SET at = ${at}`);
        assert.equal(await once('one'), kept);
      }
      other.exec(`UPDATE response SET at = unixepoch('now', '-25 hours')`);
      assert.is(await once('two'), 'done');
      assert.equal(other.prepare('SELECT key FROM response').all().map(({ key }) => key), ['two']);
      assert.is(await once('one'), 'done');
      assert.equal(await once('one'), kept);
    } finally {
      store.close();
      other.close();
    }
  }));
}
