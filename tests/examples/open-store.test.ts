/** The store that this Node supports, and the files that it opens: new ones, its own, those of the first version, and others. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../../examples/zoo/store/open-store.ts';
import { captureErrorText } from '../support/store-cases.ts';
import { withTemporaryFolder } from '../support/temporary-folder.ts';
import { assert, suite } from '../support/facts.ts';

const artis = { name: 'Artis', city: 'Amsterdam' };
const rex = { name: 'Rex', legs: 4, lethal: false };
const asp = { name: 'Asp', legs: 0, lethal: true };
const ALL = { take: 100 };

// The database of the example's first version, which had no zoos.
const FIRST_VERSION = `CREATE TABLE IF NOT EXISTS pet (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  legs INTEGER NOT NULL,
  lethal INTEGER NOT NULL,
  eaten INTEGER NOT NULL DEFAULT 0
) STRICT`;

interface Sqlite {
  readonly DatabaseSync: new (file: string) => { exec(sql: string): void; close(): void };
}

const sqlite = process.getBuiltinModule('node:sqlite') as unknown as Sqlite | undefined;

/** Makes a SQLite file. */
function makeFile({ DatabaseSync }: Sqlite, file: string, ...statements: string[]): string {
  const database = new DatabaseSync(file);
  for (const sql of statements) database.exec(sql);
  database.close();
  return file;
}

const opening = suite('the store that this Node supports');
if (sqlite === undefined) {
  opening('without SQLite, zoos are in memory, and each store has its own', async () => {
    const [first, second] = [await openStore('zoo.db'), await openStore('zoo.db')];
    assert.is(first.kind, 'in memory, this Node has no node:sqlite');
    await first.store.zoos.insert(artis);
    assert.equal(await second.store.zoos.list(ALL), []);
  });
} else {
  opening('in a file, all is kept until it is opened again, and ids are not used again', () => withTemporaryFolder(async (folder) => {
    const file = join(folder, 'zoo.db');
    const { store: first, kind } = await openStore(file);
    assert.is(kind, `SQLite in ${file}`);
    await first.zoos.insert(artis);
    await first.pets.insert(1, rex);
    await first.pets.remove(1, await first.pets.insert(1, asp));
    await first.photos.put(1, 1, { type: 'image/png', bytes: new Uint8Array([1, 2]) });
    await first.close();
    const { store } = await openStore(file);
    assert.equal(await store.zoos.list(ALL), [{ id: 1, ...artis, revision: 1 }]);
    assert.equal(await store.pets.list(1, ALL), [{ id: 1, ...rex, eaten: 0, revision: 1 }]);
    assert.equal([...(await store.photos.find(1, 1)).bytes], [1, 2]);
    assert.is(await store.pets.insert(1, asp), 3);
    await store.close();
  }));
  opening('the pets of a file of the first version are in a zoo, as they were', () => withTemporaryFolder(async (folder) => {
    const file = makeFile(sqlite, join(folder, 'zoo.db'), FIRST_VERSION, `
      INSERT INTO pet (name, legs, lethal, eaten) VALUES ('Rex', 4, 0, 0), ('Asp', 0, 1, 250), ('Ant', 6, 0, 0);
      DELETE FROM pet WHERE id IN (1, 3)`);
    // The id 3 was used. Each time it is opened, one more pet arrives.
    for (const id of [4, 5]) {
      const { store } = await openStore(file);
      assert.equal(await store.zoos.list(ALL), [{ id: 1, name: 'The old zoo', city: 'unknown', revision: 1 }]);
      assert.equal(await store.pets.find(1, 2), { id: 2, ...asp, eaten: 250, revision: 1 });
      assert.is(await store.pets.insert(1, rex), id);
      await store.close();
    }
  }));
  opening('an empty file of the first version, and a new file, have no zoo', () => withTemporaryFolder(async (folder) => {
    for (const file of [makeFile(sqlite, join(folder, 'old.db'), FIRST_VERSION), join(folder, 'new.db')]) {
      const { store } = await openStore(file);
      assert.equal(await store.zoos.list(ALL), []);
      await store.close();
    }
  }));
  opening('a file of a later version is rejected', () => withTemporaryFolder(async (folder) => {
    const file = makeFile(sqlite, join(folder, 'zoo.db'), 'PRAGMA user_version = 5');
    assert.is(await captureErrorText(() => openStore(file)), 'Error: the file is of a later version of the example');
  }));
  opening('a file with other tables is rejected, and stays as it is', () => withTemporaryFolder(async (folder) => {
    const file = makeFile(sqlite, join(folder, 'zoo.db'), 'CREATE TABLE zoo (animals TEXT)');
    assert.match(await captureErrorText(() => openStore(file)), /^Error: table zoo already exists/);
    // The first migration made a table of this name, and was undone.
    makeFile(sqlite, file, 'CREATE TABLE pet (animals TEXT)');
  }));
  opening('a file that is not a database is rejected', () => withTemporaryFolder(async (folder) => {
    writeFileSync(join(folder, 'zoo.db'), 'a string, longer than nothing');
    assert.is(await captureErrorText(() => openStore(join(folder, 'zoo.db'))), 'Error: file is not a database');
  }));
  opening('a closed store fails with an error of the database', async () => {
    const { store } = await openStore(':memory:');
    await store.close();
    assert.match(await captureErrorText(() => store.zoos.insert(artis)), /^Error: /);
  });
}
