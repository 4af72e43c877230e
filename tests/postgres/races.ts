/** The rules between rows, while others change them: each case has a transaction of another client that the store must wait for. */
import * as assert from 'uvu/assert';
import type { PostgresStore } from '../../examples/zoo/store/postgres/postgres-store.ts';
import { captureErrorText } from '../support/store-cases.ts';
import { othersWait, SERIALIZABLE, withPool, withStore, withTransaction, type Case, type Setting } from './case.ts';

const artis = { name: 'Artis', city: 'Amsterdam' };
const rex = { name: 'Rex', legs: 4, lethal: false };

interface Race {
  readonly store: PostgresStore;
  readonly zoo: number;
  readonly pet: number;
}

/**
 * Runs a statement of another client, then a call of the store, which waits for it. Ends the transaction of the other client. Returns the
 * result of the call.
 */
async function runRace(
  { url }: Setting, other: (race: Race) => string, end: 'COMMIT' | 'ROLLBACK', call: (race: Race) => Promise<unknown>,
): Promise<{ readonly error: string; readonly race: Race }> {
  let error = '';
  const race: { current?: Race } = {};
  await withStore(url, async (store) => {
    const zoo = await store.zoos.insert(artis);
    const ready = race.current = { store, zoo, pet: await store.pets.insert(zoo, rex) };
    await withTransaction(url, (client) => withPool(url, async (pool) => {
      await client.query(other(ready));
      const calling = captureErrorText(() => call(ready));
      await othersWait(pool);
      await client.query(end);
      error = await calling;
    }));
  });
  assert.ok(race.current);
  return { error, race: race.current };
}

export const RACES: readonly Case[] = [
  ['a zoo is not removed if a pet arrives at the same time', async (setting) => {
    const { error } = await runRace(
      setting,
      ({ zoo, pet }) => `DELETE FROM pet WHERE id = ${pet}; INSERT INTO pet (zoo, name, legs, lethal) VALUES (${zoo}, 'Asp', 0, true)`,
      'COMMIT',
      ({ store, zoo }) => store.zoos.remove(zoo),
    );
    assert.is(error, 'ConflictError: the zoo has pets');
  }],
  ['a zoo is removed if its last pet leaves at the same time', async (setting) => {
    const { error } = await runRace(setting, ({ pet }) => `DELETE FROM pet WHERE id = ${pet}`, 'COMMIT', ({ store, zoo }) => store.zoos.remove(zoo));
    assert.is(error, 'nothing is thrown');
  }],
  ['a pet is not inserted into a zoo that is removed at the same time', async (setting) => {
    const { error, race } = await runRace(
      setting,
      ({ zoo }) => `DELETE FROM pet WHERE zoo = ${zoo}; DELETE FROM zoo WHERE id = ${zoo}`,
      'COMMIT',
      ({ store, zoo }) => store.pets.insert(zoo, rex),
    );
    assert.is(error, `NotFoundError: there is no zoo ${race.zoo}`);
  }],
  ['a photo is not stored for a pet that leaves at the same time', async (setting) => {
    const { error, race } = await runRace(
      setting,
      ({ pet }) => `DELETE FROM pet WHERE id = ${pet}`,
      'COMMIT',
      ({ store, zoo, pet }) => store.photos.put(zoo, pet, { type: 'image/png', bytes: new Uint8Array(1) }),
    );
    assert.is(error, `NotFoundError: there is no pet ${race.pet}`);
  }],
  ['a name that another zoo takes at the same time is a conflict, if that zoo stays', async (setting) => {
    for (const [end, expected] of [['COMMIT', 'ConflictError: another zoo has this name'], ['ROLLBACK', 'nothing is thrown']] as const) {
      const url = await setting.cluster.database();
      const { error } = await runRace(
        { ...setting, url },
        () => `INSERT INTO zoo (name, city) VALUES ('Blijdorp', 'Rotterdam')`,
        end,
        ({ store }) => store.zoos.insert({ name: 'Blijdorp', city: 'Utrecht' }),
      );
      assert.is(error, expected);
    }
  }],
  ['a zoo and a pet of the revision that another client changes at the same time are not changed, unless it rolls back', async (setting) => {
    for (const [end, zooTold, petTold] of [['COMMIT', /^ChangedError: zoo/, /^ChangedError: pet/], ['ROLLBACK', /^nothing/, /^nothing/]] as const) {
      const url = await setting.cluster.database();
      const zoo = await runRace(
        { ...setting, url },
        (race) => `UPDATE zoo SET revision = revision + 1 WHERE id = ${race.zoo}`,
        end,
        ({ store, zoo: id }) => store.zoos.change(id, { name: undefined, city: 'Utrecht' }, ['1']),
      );
      assert.match(zoo.error, zooTold);
      const pet = await runRace(
        { ...setting, url: await setting.cluster.database() },
        (race) => `UPDATE pet SET revision = revision + 1 WHERE id = ${race.pet}`,
        end,
        ({ store, zoo: id, pet: petId }) => store.pets.remove(id, petId, ['1']),
      );
      assert.match(pet.error, petTold);
    }
  }],
  ...['', SERIALIZABLE].map((options): Case => [
    `a meal is added to what was eaten at the same time${options && ', also if the database is serializable'}`,
    async (setting) => {
      const { error, race } = await runRace(
        { ...setting, url: setting.url + options },
        ({ pet }) => `UPDATE pet SET eaten = eaten + 1000 WHERE id = ${pet}`,
        'COMMIT',
        ({ store, zoo, pet }) => store.pets.feed(zoo, pet, 1),
      );
      assert.is(error, 'nothing is thrown');
      await withStore(setting.url, async ({ pets }) => assert.is((await pets.find(race.zoo, race.pet)).eaten, 1001));
    },
  ]),
];
