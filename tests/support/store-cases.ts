/** The behaviour of each store of the example: one table for all of them. A store is empty at the beginning of a case. */
import * as assert from 'uvu/assert';
import type { Store, Transaction } from '../../examples/zoo/store/store.ts';

const artis = { name: 'Artis', city: 'Amsterdam' };
const blijdorp = { name: 'Blijdorp', city: 'Rotterdam' };
const rex = { name: 'Rex', legs: 4, lethal: false };
const asp = { name: 'Asp', legs: 0, lethal: true };
const photo = { type: 'image/png', bytes: new Uint8Array([0, 255, 128]) };
const ALL = { take: 100 };
const UNUSED_IDS = [0, -1, 1_000_000, Number.MAX_SAFE_INTEGER];

export type StoreCase = readonly [fact: string, show: (store: Store) => Promise<void>];

const ZOOS: readonly StoreCase[] = [
  ['zoos that were inserted are found and listed, with ids that ascend', async ({ zoos }) => {
    const [one, two] = [await zoos.insert(artis), await zoos.insert(blijdorp)];
    assert.ok(0 < one && one < two && Number.isSafeInteger(two));
    assert.equal([await zoos.find(one), await zoos.find(two)], [{ id: one, ...artis, revision: 1 }, { id: two, ...blijdorp, revision: 1 }]);
    assert.equal(await zoos.list(ALL), [{ id: one, ...artis, revision: 1 }, { id: two, ...blijdorp, revision: 1 }]);
  }],
  ['a page has the first items after an id', async ({ zoos }) => {
    const ids: number[] = [];
    for (const name of ['a', 'b', 'c', 'd']) ids.push(await zoos.insert({ name, city: 'Utrecht' }));
    const namesOn = async (limit: number, after = 0): Promise<string> => (
      (await zoos.list({ take: limit, after })).map(({ name }) => name).join('')
    );
    assert.is(await namesOn(2), 'ab');
    assert.is(await namesOn(2, ids[1]), 'cd');
    assert.is(await namesOn(2, ids[2]), 'd');
    assert.is(await namesOn(2, ids[3]), '');
    assert.is(await namesOn(100, Number.MAX_SAFE_INTEGER), '');
  }],
  ['a name that another zoo has is a conflict, and nothing is changed', async ({ zoos }) => {
    const [one, two] = [await zoos.insert(artis), await zoos.insert(blijdorp)];
    assert.is(await captureErrorText(() => zoos.insert({ ...blijdorp, name: 'Artis' })), 'ConflictError: another zoo has this name');
    assert.is(await captureErrorText(() => zoos.change(two, { name: 'Artis', city: 'Utrecht' })), 'ConflictError: another zoo has this name');
    assert.equal(await zoos.list(ALL), [{ id: one, ...artis, revision: 1 }, { id: two, ...blijdorp, revision: 1 }]);
    const three = await zoos.insert({ ...artis, name: 'artis' });
    assert.equal(await zoos.find(three), { id: three, ...artis, name: 'artis', revision: 1 });
  }],
  ['a change gives a zoo what it names, also the name that it has', async ({ zoos }) => {
    const [one, two] = [await zoos.insert(artis), await zoos.insert(blijdorp)];
    await zoos.change(one, { name: undefined, city: 'Utrecht' });
    await zoos.change(two, { name: 'Blijdorp', city: undefined });
    assert.equal(await zoos.list(ALL), [{ id: one, ...artis, city: 'Utrecht', revision: 2 }, { id: two, ...blijdorp, revision: 2 }]);
  }],
  ['a removed zoo is not found, its id is not used again, and its name may be', async ({ zoos }) => {
    const id = await zoos.insert(artis);
    await zoos.remove(id);
    assert.is(await captureErrorText(() => zoos.find(id)), `NotFoundError: there is no zoo ${id}`);
    assert.ok(await zoos.insert(artis) > id);
  }],
  ['a zoo with pets cannot be removed', async ({ zoos, pets }) => {
    const id = await zoos.insert(artis);
    const pet = await pets.insert(id, rex);
    assert.is(await captureErrorText(() => zoos.remove(id)), 'ConflictError: the zoo has pets');
    assert.equal(await zoos.find(id), { id, ...artis, revision: 1 });
    await pets.remove(id, pet);
    await zoos.remove(id);
    assert.equal(await zoos.list(ALL), []);
  }],
  ['of many zoos with one name, inserted at the same time, there is one', async ({ zoos }) => {
    const strings = await Promise.all(Array.from({ length: 20 }, () => captureErrorText(() => zoos.insert(artis))));
    assert.equal(strings.filter((text) => text !== 'ConflictError: another zoo has this name'), ['nothing is thrown']);
    assert.is((await zoos.list(ALL)).length, 1);
  }],
];

const PETS: readonly StoreCase[] = [
  ['pets that were inserted are found in their zoo, and have eaten nothing', async (store) => {
    const { one, two } = await insertTwoZoos(store);
    const { pets } = store;
    const [a, b, c] = [await pets.insert(one, rex), await pets.insert(two, rex), await pets.insert(one, asp)];
    assert.ok(a < b && b < c);
    assert.equal(await pets.find(one, a), { id: a, ...rex, eaten: 0, revision: 1 });
    assert.equal(await pets.list(one, ALL), [{ id: a, ...rex, eaten: 0, revision: 1 }, { id: c, ...asp, eaten: 0, revision: 1 }]);
    assert.equal(await pets.list(one, { take: 1 }), [{ id: a, ...rex, eaten: 0, revision: 1 }]);
    assert.equal(await pets.list(one, { take: 1, after: a }), [{ id: c, ...asp, eaten: 0, revision: 1 }]);
  }],
  ['the greatest count of legs, and text that SQL could take for its own, are kept', async ({ zoos, pets }) => {
    const odd = { name: `'); DROP TABLE pet; -- % _ $1 \u{1f40d}`, legs: 4294967295, lethal: true };
    const zoo = await zoos.insert({ name: odd.name, city: odd.name });
    const id = await pets.insert(zoo, odd);
    assert.equal(await pets.find(zoo, id), { id, ...odd, eaten: 0, revision: 1 });
    assert.equal(await zoos.find(zoo), { id: zoo, name: odd.name, city: odd.name, revision: 1 });
  }],
  ['a change gives a pet what it names, and no other pet', async ({ zoos, pets }) => {
    const zoo = await zoos.insert(artis);
    const [a, b] = [await pets.insert(zoo, rex), await pets.insert(zoo, rex)];
    await pets.feed(zoo, a, 250);
    await pets.change(zoo, a, asp);
    await pets.change(zoo, b, { name: undefined, legs: 3, lethal: undefined });
    assert.equal(await pets.list(zoo, ALL), [{ id: a, ...asp, eaten: 250, revision: 3 }, { id: b, ...rex, legs: 3, eaten: 0, revision: 2 }]);
  }],
  ['the food of each pet adds up', async ({ zoos, pets }) => {
    const zoo = await zoos.insert(artis);
    const [a, b] = [await pets.insert(zoo, rex), await pets.insert(zoo, asp)];
    assert.equal(await pets.feed(zoo, a, 250), { id: a, ...rex, eaten: 250, revision: 2 });
    assert.equal(await pets.feed(zoo, a, 50), { id: a, ...rex, eaten: 300, revision: 3 });
    assert.equal(await pets.feed(zoo, b, 1), { id: b, ...asp, eaten: 1, revision: 2 });
  }],
  ['meals at the same time add up', async ({ zoos, pets }) => {
    const zoo = await zoos.insert(artis);
    const id = await pets.insert(zoo, rex);
    await Promise.all(Array.from({ length: 50 }, () => pets.feed(zoo, id, 10)));
    assert.equal(await pets.find(zoo, id), { id, ...rex, eaten: 500, revision: 51 });
  }],
  ['a removed pet is returned, and its id is not used again', async (store) => {
    const { one, two } = await insertTwoZoos(store);
    const { pets } = store;
    await pets.insert(one, rex);
    const id = await pets.insert(one, asp);
    assert.equal(await pets.remove(one, id), { id, ...asp, eaten: 0, revision: 1 });
    assert.is(await captureErrorText(() => pets.find(one, id)), `NotFoundError: there is no pet ${id}`);
    assert.ok(await pets.insert(two, rex) > id);
  }],
  ['a search finds the pets of its zoo whose name contains the text, in order, up to the limit', async (store) => {
    const { one, two } = await insertTwoZoos(store);
    const { pets } = store;
    for (const name of ['Rex', 'Asp', 'T. Rex', 'rex', 'Rex 2']) await pets.insert(one, { ...rex, name });
    const found = async (zoo: number, text: string, limit: number): Promise<string[]> => (
      (await pets.search(zoo, text, limit)).map(({ name }) => name)
    );
    assert.equal(await found(one, 'Rex', 9), ['Rex', 'T. Rex', 'Rex 2']);
    assert.equal(await found(one, 'Rex', 2), ['Rex', 'T. Rex']);
    assert.equal([await found(one, '%', 9), await found(two, 'Rex', 9)], [[], []]);
    const [{ id = 0 } = {}] = await pets.search(one, 'sp', 9);
    assert.equal(await pets.search(one, 'sp', 9), [{ id, ...rex, name: 'Asp', eaten: 0, revision: 1 }]);
  }],
];

const PHOTOS: readonly StoreCase[] = [
  ['a photo is found until there is another, or none', async ({ zoos, pets, photos }) => {
    const zoo = await zoos.insert(artis);
    const [a, b] = [await pets.insert(zoo, rex), await pets.insert(zoo, asp)];
    await photos.put(zoo, a, photo);
    assert.equal(describePhoto(await photos.find(zoo, a)), describePhoto(photo));
    await photos.put(zoo, a, { type: 'image/jpeg', bytes: new Uint8Array(100_000) });
    assert.equal(describePhoto(await photos.find(zoo, a)), ['image/jpeg', ...new Uint8Array(100_000)]);
    assert.is(await captureErrorText(() => photos.find(zoo, b)), `NotFoundError: there is no photo of pet ${b}`);
    await photos.remove(zoo, a);
    assert.is(await captureErrorText(() => photos.find(zoo, a)), `NotFoundError: there is no photo of pet ${a}`);
    assert.is(await captureErrorText(() => photos.remove(zoo, a)), `NotFoundError: there is no photo of pet ${a}`);
  }],
  ['a pet leaves with its photo', async ({ zoos, pets, photos }) => {
    const zoo = await zoos.insert(artis);
    const pet = await pets.insert(zoo, rex);
    await photos.put(zoo, pet, photo);
    await pets.remove(zoo, pet);
    await zoos.remove(zoo);
    assert.is(await captureErrorText(() => photos.find(zoo, pet)), `NotFoundError: there is no zoo ${zoo}`);
  }],
];

const TRANSACTIONS: readonly StoreCase[] = [
  ['a transaction makes all of its changes, and returns what it is to', async (store) => {
    const [zoo, pet] = await store.transaction(async ({ zoos, pets, photos }) => {
      const id = await zoos.insert(artis);
      const petId = await pets.insert(id, rex);
      await photos.put(id, petId, photo);
      return [id, petId];
    });
    assert.equal([await store.pets.find(zoo, pet), describePhoto(await store.photos.find(zoo, pet))],
      [{ id: pet, ...rex, eaten: 0, revision: 1 }, describePhoto(photo)]);
  }],
  ['a transaction that fails makes none of its changes', async (store) => {
    const zoo = await store.zoos.insert(artis);
    const pet = await store.pets.insert(zoo, rex);
    for (const fail of [async () => { throw new Error('no'); }, async (tx: Transaction) => { await tx.pets.find(zoo, pet + 9); }]) {
      const error = await captureErrorText(() => store.transaction(async (tx) => {
        await tx.pets.feed(zoo, pet, 1);
        await tx.zoos.insert(blijdorp);
        await tx.responses.put('key', 'response');
        return fail(tx);
      }));
      assert.match(error, /^Error: no$|^NotFoundError: there is no pet/);
    }
    assert.equal([await store.pets.find(zoo, pet), (await store.zoos.list(ALL)).length], [{ id: pet, ...rex, eaten: 0, revision: 1 }, 1]);
    assert.is(await store.transaction(async ({ responses }) => responses.find('key')), undefined);
  }],
  ['others see no change of a transaction before its end, and change nothing in it', async (store) => {
    const zoo = await store.zoos.insert(artis);
    const pet = await store.pets.insert(zoo, rex);
    const other: unknown[] = [];
    const transaction = store.transaction(async ({ pets }) => {
      await pets.feed(zoo, pet, 1);
      other.push((async () => (await store.pets.list(zoo, ALL))[0]?.eaten)(), store.zoos.insert(blijdorp));
      await new Promise((resolve) => setTimeout(resolve, 20));
      throw new Error('no');
    });
    assert.is(await captureErrorText(() => transaction), 'Error: no');
    assert.is(await other[0], 0);
    await other[1];
    assert.is((await store.zoos.list(ALL)).length, 2);
  }],
  ['transactions at the same time add up', async (store) => {
    const zoo = await store.zoos.insert(artis);
    const pet = await store.pets.insert(zoo, rex);
    await Promise.all(Array.from({ length: 20 }, () => store.transaction(async ({ pets }) => {
      await null;
      return pets.feed(zoo, pet, 10);
    })));
    assert.equal((await store.pets.find(zoo, pet)).eaten, 200);
  }],
  ['responses are found by the keys under which they were put', async (store) => {
    await store.transaction(async ({ responses }) => {
      assert.is(await responses.lock('one'), true);
      assert.is(await responses.find('one'), undefined);
      await responses.put('one', '{"é":1}');
    });
    assert.equal(await store.transaction(async ({ responses }) => [await responses.lock('one'), await responses.find('one'), await responses.find('two')]),
      [true, '{"é":1}', undefined]);
  }],
];

const CHANGE = { name: undefined, legs: 3, lethal: undefined };
const REVISIONS: readonly StoreCase[] = [
  ['a change of an item that has none of the revisions -> ChangedError, and nothing is changed', async ({ zoos, pets }) => {
    const zoo = await zoos.insert(artis);
    const pet = await pets.insert(zoo, rex);
    for (const revisions of [[], ['0'], ['2', '01', '1.0', 'one', '"1"', '']]) {
      for (const call of [() => zoos.change(zoo, blijdorp, revisions), () => zoos.remove(zoo, revisions)]) {
        assert.is(await captureErrorText(call), `ChangedError: zoo ${zoo} has changed`);
      }
      for (const call of [
        () => pets.change(zoo, pet, asp, revisions), () => pets.feed(zoo, pet, 1, revisions), () => pets.remove(zoo, pet, revisions),
      ]) {
        assert.is(await captureErrorText(call), `ChangedError: pet ${pet} has changed`);
      }
    }
    assert.equal(await zoos.find(zoo), { id: zoo, ...artis, revision: 1 });
    assert.equal(await pets.find(zoo, pet), { id: pet, ...rex, eaten: 0, revision: 1 });
  }],
  ['an item that has one of the revisions is changed, and so is any for *', async ({ zoos, pets }) => {
    const zoo = await zoos.insert(artis);
    const pet = await pets.insert(zoo, rex);
    await zoos.change(zoo, blijdorp, ['7', '1']);
    await zoos.change(zoo, { ...artis, name: undefined }, '*');
    assert.equal(await zoos.find(zoo), { id: zoo, name: 'Blijdorp', city: 'Amsterdam', revision: 3 });
    await pets.change(zoo, pet, asp, ['1']);
    assert.equal(await pets.feed(zoo, pet, 5, ['2', '"']), { id: pet, ...asp, eaten: 5, revision: 3 });
    assert.is((await pets.remove(zoo, pet, ['3'])).revision, 3);
    await zoos.remove(zoo, ['3']);
    assert.equal(await zoos.list(ALL), []);
  }],
  ['of changes of one revision at the same time, one is made', async ({ zoos, pets }) => {
    const zoo = await zoos.insert(artis);
    const pet = await pets.insert(zoo, rex);
    for (const change of [() => zoos.change(zoo, blijdorp, ['1']), () => pets.change(zoo, pet, asp, ['1']), () => pets.feed(zoo, pet, 1, ['2'])]) {
      const strings = await Promise.all(Array.from({ length: 20 }, () => captureErrorText(change)));
      assert.equal(strings.filter((text) => !/^ChangedError: \w+ \d+ has changed$/.test(text)), ['nothing is thrown']);
    }
    assert.equal([(await zoos.find(zoo)).revision, (await pets.find(zoo, pet)).revision], [2, 3]);
  }],
  ['an unknown item -> NotFoundError, whatever the revisions', async ({ zoos, pets }) => {
    const zoo = await zoos.insert(artis);
    assert.is(await captureErrorText(() => zoos.change(zoo + 9, blijdorp, ['1'])), `NotFoundError: there is no zoo ${zoo + 9}`);
    assert.is(await captureErrorText(() => zoos.remove(zoo + 9, ['1'])), `NotFoundError: there is no zoo ${zoo + 9}`);
    assert.is(await captureErrorText(() => pets.feed(zoo, 9, 1, ['1'])), 'NotFoundError: there is no pet 9');
    assert.is(await captureErrorText(() => pets.remove(zoo + 9, 9, ['1'])), `NotFoundError: there is no zoo ${zoo + 9}`);
  }],
];

const UNKNOWN: readonly StoreCase[] = [
  ['an unknown zoo -> NotFoundError, from every method that takes one', async (store) => {
    const pet = await store.pets.insert(await store.zoos.insert(artis), rex);
    for (const zoo of UNUSED_IDS) {
      for (const call of [
        () => store.zoos.find(zoo), () => store.zoos.change(zoo, blijdorp), () => store.zoos.remove(zoo),
        () => store.pets.insert(zoo, rex), () => store.pets.list(zoo, ALL), () => store.pets.search(zoo, 'R', 9),
        ...petCalls(store, zoo, pet),
      ]) assert.is(await captureErrorText(call), `NotFoundError: there is no zoo ${zoo}`);
    }
  }],
  ['an unknown pet, and a pet of another zoo -> NotFoundError, from every method that takes one, and nothing is changed', async (store) => {
    const { one, two } = await insertTwoZoos(store);
    const id = await store.pets.insert(two, rex);
    await store.photos.put(two, id, photo);
    for (const pet of [id, ...UNUSED_IDS]) {
      for (const call of petCalls(store, one, pet)) assert.is(await captureErrorText(call), `NotFoundError: there is no pet ${pet}`);
    }
    assert.equal(await store.pets.list(two, ALL), [{ id, ...rex, eaten: 0, revision: 1 }]);
    assert.equal(describePhoto(await store.photos.find(two, id)), describePhoto(photo));
  }],
];

export const STORE_CASES: readonly StoreCase[] = [...ZOOS, ...PETS, ...PHOTOS, ...TRANSACTIONS, ...REVISIONS, ...UNKNOWN];

async function insertTwoZoos({ zoos }: Store): Promise<{ readonly one: number; readonly two: number }> {
  return { one: await zoos.insert(artis), two: await zoos.insert(blijdorp) };
}

function petCalls({ pets, photos }: Store, zoo: number, pet: number): (() => unknown)[] {
  return [
    () => pets.find(zoo, pet), () => pets.change(zoo, pet, CHANGE), () => pets.feed(zoo, pet, 1), () => pets.remove(zoo, pet),
    () => photos.put(zoo, pet, { type: 'image/jpeg', bytes: new Uint8Array(1) }), () => photos.find(zoo, pet),
    () => photos.remove(zoo, pet),
  ];
}

/** A photo as a list, since each store returns bytes of a different class. */
function describePhoto({ type, bytes }: { type: string; bytes: Uint8Array }): unknown[] {
  return [type, ...bytes];
}

/** The name and the text of the error that a call throws, or rejects with. */
export async function captureErrorText(call: () => unknown): Promise<string> {
  try {
    await call();
  } catch (error) {
    return String(error);
  }
  return 'nothing is thrown';
}
