/** Opening a database: an empty one, its own, and others. */
import * as assert from 'uvu/assert';
import { openStore } from '../../examples/zoo/store/open-store.ts';
import { PostgresStore } from '../../examples/zoo/store/postgres/postgres-store.ts';
import { captureErrorText } from '../support/store-cases.ts';
import { SERIALIZABLE, withPool, withStore, type Case } from './case.ts';

const artis = { name: 'Artis', city: 'Amsterdam' };
const rex = { name: 'Rex', legs: 4, lethal: false };
const ALL = { take: 100 };

export const MIGRATIONS: readonly Case[] = [
  ['a URL chooses PostgreSQL, and the description has the name of the database alone', async ({ url }) => {
    for (const place of [url, url.replace('postgres:', 'postgresql:')]) {
      const { store, kind } = await openStore(place);
      await store.close();
      assert.match(kind, /^PostgreSQL, database postgres$/);
    }
  }],
  ['all is kept until the database is opened again, and ids are not used again', async ({ url }) => {
    let removed = 0;
    await withStore(url, async ({ zoos, pets, photos }) => {
      const zoo = await zoos.insert(artis);
      const pet = await pets.insert(zoo, rex);
      await photos.put(zoo, pet, { type: 'image/png', bytes: new Uint8Array([1, 2]) });
      removed = await pets.insert(zoo, rex);
      await pets.remove(zoo, removed);
    });
    await withStore(url, async ({ zoos, pets, photos }) => {
      const [{ id: zoo = 0, ...rest } = {}] = await zoos.list(ALL);
      assert.equal(rest, { ...artis, revision: 1 });
      const [{ id: pet = 0 } = {}, ...others] = await pets.list(zoo, ALL);
      assert.equal(others, []);
      assert.equal([...(await photos.find(zoo, pet)).bytes], [1, 2]);
      assert.ok(await pets.insert(zoo, rex) > removed);
    });
  }],
  ...['', SERIALIZABLE].map((options): Case => [
    `ten stores that open an empty database at the same time make its tables once${options && ', also if it is serializable'}`,
    async ({ url }) => {
      const stores = await Promise.all(Array.from({ length: 10 }, () => PostgresStore.open(url + options)));
      try {
        for (const [index, { zoos }] of stores.entries()) await zoos.insert({ name: `Zoo ${index}`, city: 'Utrecht' });
        for (const { zoos } of stores) assert.is((await zoos.list(ALL)).length, 10);
      } finally {
        for (const store of stores) await store.close();
      }
      await withPool(url, async (pool) => assert.equal((await pool.query('SELECT version FROM zoo_version')).rows, [{ version: 3 }]));
    },
  ]),
  ['a database of a later version is rejected', async ({ url }) => {
    await withStore(url, async () => {});
    await withPool(url, async (pool) => {
      await pool.query('UPDATE zoo_version SET version = 4');
      assert.is(await captureErrorText(() => PostgresStore.open(url)), 'Error: the database is of a later version of the example');
      assert.equal((await pool.query('SELECT version FROM zoo_version')).rows, [{ version: 4 }]);
    });
  }],
  ['a database with other tables is rejected, and stays as it is', ({ url }) => withPool(url, async (pool) => {
    await pool.query('CREATE TABLE photo (place text)');
    assert.is(await captureErrorText(() => PostgresStore.open(url)), 'error: relation "photo" already exists');
    const { rows } = await pool.query(`SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`);
    assert.equal(rows, [{ relname: 'photo' }]);
  })],
];
