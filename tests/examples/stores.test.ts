/** Both stores behave in the same way. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MemoryStore } from '../../examples/zoo/store/memory-store.ts';
import { SqliteStore } from '../../examples/zoo/store/sqlite-store.ts';
import type { Store } from '../../examples/zoo/store/store.ts';

const hasSqlite = process.getBuiltinModule('node:sqlite') !== undefined;
const artis = { name: 'Artis', city: 'Amsterdam' };
const blijdorp = { name: 'Blijdorp', city: 'Rotterdam' };
const rex = { name: 'Rex', legs: 4, lethal: false };
const asp = { name: 'Asp', legs: 0, lethal: true };
const photo = { type: 'image/png', bytes: new Uint8Array([0, 255, 128]) };
const ALL = { limit: 100, after: 0 };

type Case = readonly [fact: string, show: (store: Store) => void];

const ZOOS: readonly Case[] = [
  ['zoos that were inserted are found and listed, with their ids', ({ zoos }) => {
    assert.equal([zoos.insert(artis), zoos.insert(blijdorp)], [1, 2]);
    assert.equal([zoos.find(1), zoos.find(2)], [{ id: 1, ...artis }, { id: 2, ...blijdorp }]);
    assert.equal(zoos.list(ALL), [{ id: 1, ...artis }, { id: 2, ...blijdorp }]);
  }],
  ['a page has the first items after an id', ({ zoos }) => {
    for (const name of ['a', 'b', 'c', 'd']) zoos.insert({ name, city: 'Utrecht' });
    const namesOn = (limit: number, after: number): string[] => zoos.list({ limit, after }).map(({ name }) => name);
    assert.equal([namesOn(2, 0), namesOn(2, 2), namesOn(2, 3), namesOn(2, 4)], [['a', 'b'], ['c', 'd'], ['d'], []]);
    assert.equal(namesOn(100, Number.MAX_SAFE_INTEGER), []);
  }],
  ['a name that another zoo has is a conflict, and nothing is changed', ({ zoos }) => {
    zoos.insert(artis);
    zoos.insert(blijdorp);
    assert.is(errorOf(() => zoos.insert({ ...blijdorp, name: 'Artis' })), 'ConflictError: another zoo has this name');
    assert.is(errorOf(() => zoos.change(2, { name: 'Artis', city: 'Utrecht' })), 'ConflictError: another zoo has this name');
    assert.equal(zoos.list(ALL), [{ id: 1, ...artis }, { id: 2, ...blijdorp }]);
    assert.is(zoos.insert({ ...artis, name: 'artis' }), 3);
  }],
  ['a change gives a zoo what it names, also the name that it has', ({ zoos }) => {
    zoos.insert(artis);
    zoos.insert(blijdorp);
    zoos.change(1, { name: undefined, city: 'Utrecht' });
    zoos.change(2, { name: 'Blijdorp', city: undefined });
    assert.equal(zoos.list(ALL), [{ id: 1, ...artis, city: 'Utrecht' }, { id: 2, ...blijdorp }]);
  }],
  ['a removed zoo is not found, its id is not used again, and its name may be', ({ zoos }) => {
    zoos.insert(artis);
    zoos.remove(1);
    assert.is(errorOf(() => zoos.find(1)), 'NotFoundError: there is no zoo 1');
    assert.is(zoos.insert(artis), 2);
  }],
  ['a zoo with pets cannot be removed', ({ zoos, pets }) => {
    zoos.insert(artis);
    pets.insert(1, rex);
    assert.is(errorOf(() => zoos.remove(1)), 'ConflictError: the zoo has pets');
    assert.equal(zoos.find(1), { id: 1, ...artis });
    pets.remove(1, 1);
    zoos.remove(1);
    assert.equal(zoos.list(ALL), []);
  }],
];

const PETS: readonly Case[] = [
  ['pets that were inserted are found in their zoo, and have eaten nothing', ({ zoos, pets }) => {
    for (const zoo of [artis, blijdorp]) zoos.insert(zoo);
    assert.equal([pets.insert(1, rex), pets.insert(2, rex), pets.insert(1, asp)], [1, 2, 3]);
    assert.equal(pets.find(1, 1), { id: 1, ...rex, eaten: 0 });
    assert.equal(pets.list(1, ALL), [{ id: 1, ...rex, eaten: 0 }, { id: 3, ...asp, eaten: 0 }]);
    assert.equal(pets.list(1, { limit: 1, after: 0 }), [{ id: 1, ...rex, eaten: 0 }]);
    assert.equal(pets.list(1, { limit: 1, after: 1 }), [{ id: 3, ...asp, eaten: 0 }]);
  }],
  ['the greatest count of legs, and text that SQL could take for its own, are kept', ({ zoos, pets }) => {
    const odd = { name: `'); DROP TABLE pet; -- % _ \u{1f40d}`, legs: 4294967295, lethal: true };
    zoos.insert({ name: odd.name, city: odd.name });
    assert.equal(pets.find(1, pets.insert(1, odd)), { id: 1, ...odd, eaten: 0 });
    assert.equal(zoos.find(1), { id: 1, name: odd.name, city: odd.name });
  }],
  ['a change gives a pet what it names, and no other pet', ({ zoos, pets }) => {
    zoos.insert(artis);
    for (const pet of [rex, rex]) pets.insert(1, pet);
    pets.feed(1, 1, 250);
    pets.change(1, 1, asp);
    pets.change(1, 2, { name: undefined, legs: 3, lethal: undefined });
    assert.equal(pets.list(1, ALL), [{ id: 1, ...asp, eaten: 250 }, { id: 2, ...rex, legs: 3, eaten: 0 }]);
  }],
  ['the food of each pet adds up', ({ zoos, pets }) => {
    zoos.insert(artis);
    for (const pet of [rex, asp]) pets.insert(1, pet);
    assert.equal(pets.feed(1, 1, 250), { id: 1, ...rex, eaten: 250 });
    assert.equal(pets.feed(1, 1, 50), { id: 1, ...rex, eaten: 300 });
    assert.equal(pets.feed(1, 2, 1), { id: 2, ...asp, eaten: 1 });
  }],
  ['a removed pet is returned, and its id is not used again', ({ zoos, pets }) => {
    for (const zoo of [artis, blijdorp]) zoos.insert(zoo);
    for (const pet of [rex, asp]) pets.insert(1, pet);
    assert.equal(pets.remove(1, 2), { id: 2, ...asp, eaten: 0 });
    assert.is(errorOf(() => pets.find(1, 2)), 'NotFoundError: there is no pet 2');
    assert.is(pets.insert(2, rex), 3);
  }],
  ['a search finds the pets of its zoo whose name contains the text, in order, up to the limit', ({ zoos, pets }) => {
    for (const zoo of [artis, blijdorp]) zoos.insert(zoo);
    for (const name of ['Rex', 'Asp', 'T. Rex', 'rex', 'Rex 2']) pets.insert(1, { ...rex, name });
    const idsOf = (zoo: number, name: string, limit: number): number[] => pets.search(zoo, name, limit).map(({ id }) => id);
    assert.equal([idsOf(1, 'Rex', 9), idsOf(1, 'Rex', 2), idsOf(1, '%', 9), idsOf(2, 'Rex', 9)], [[1, 3, 5], [1, 3], [], []]);
    assert.equal(pets.search(1, 'sp', 9), [{ id: 2, ...rex, name: 'Asp', eaten: 0 }]);
  }],
];

const PHOTOS: readonly Case[] = [
  ['a photo is found until there is another, or none', ({ zoos, pets, photos }) => {
    zoos.insert(artis);
    for (const pet of [rex, asp]) pets.insert(1, pet);
    photos.put(1, 1, photo);
    assert.equal(shown(photos.find(1, 1)), shown(photo));
    photos.put(1, 1, { type: 'image/jpeg', bytes: new Uint8Array(100_000) });
    assert.equal(shown(photos.find(1, 1)), ['image/jpeg', ...new Uint8Array(100_000)]);
    assert.is(errorOf(() => photos.find(1, 2)), 'NotFoundError: there is no photo of pet 2');
    photos.remove(1, 1);
    assert.is(errorOf(() => photos.find(1, 1)), 'NotFoundError: there is no photo of pet 1');
    assert.is(errorOf(() => photos.remove(1, 1)), 'NotFoundError: there is no photo of pet 1');
  }],
  ['a pet leaves with its photo', ({ zoos, pets, photos }) => {
    zoos.insert(artis);
    pets.insert(1, rex);
    photos.put(1, 1, photo);
    pets.remove(1, 1);
    zoos.remove(1);
    assert.is(errorOf(() => photos.find(1, 1)), 'NotFoundError: there is no zoo 1');
  }],
];

const CHANGE = { name: undefined, legs: 3, lethal: undefined };
const UNKNOWN: readonly Case[] = [
  ['an unknown zoo -> NotFoundError, from every method that takes one', (store) => {
    store.zoos.insert(artis);
    for (const zoo of [0, -1, 2, Number.MAX_SAFE_INTEGER]) {
      for (const call of [
        () => store.zoos.find(zoo), () => store.zoos.change(zoo, artis), () => store.zoos.remove(zoo),
        () => store.pets.insert(zoo, rex), () => store.pets.list(zoo, ALL), () => store.pets.search(zoo, 'R', 9),
        ...petCalls(store, zoo, 1),
      ]) assert.is(errorOf(call), `NotFoundError: there is no zoo ${zoo}`);
    }
  }],
  ['an unknown pet, and a pet of another zoo -> NotFoundError, from every method that takes one, and nothing is changed', (store) => {
    for (const zoo of [artis, blijdorp]) store.zoos.insert(zoo);
    store.pets.insert(2, rex);
    store.photos.put(2, 1, photo);
    for (const pet of [0, -1, 1, 2, Number.MAX_SAFE_INTEGER]) {
      for (const call of petCalls(store, 1, pet)) assert.is(errorOf(call), `NotFoundError: there is no pet ${pet}`);
    }
    assert.equal(store.pets.list(2, ALL), [{ id: 1, ...rex, eaten: 0 }]);
    assert.equal(shown(store.photos.find(2, 1)), shown(photo));
  }],
];

function petCalls({ pets, photos }: Store, zoo: number, pet: number): (() => unknown)[] {
  return [
    () => pets.find(zoo, pet), () => pets.change(zoo, pet, CHANGE), () => pets.feed(zoo, pet, 1), () => pets.remove(zoo, pet),
    () => photos.put(zoo, pet, { type: 'image/jpeg', bytes: new Uint8Array(1) }), () => photos.find(zoo, pet),
    () => photos.remove(zoo, pet),
  ];
}

/** A photo as a list, since SQLite gives bytes of its own class. */
function shown({ type, bytes }: { type: string; bytes: Uint8Array }): unknown[] {
  return [type, ...bytes];
}

/** The name and the text of what a call throws. */
function errorOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    return String(error);
  }
  return 'nothing is thrown';
}

const stores = suite('a store of zoos');
for (const [kind, open] of [
  ['memory', () => new MemoryStore()],
  ['SQLite', () => SqliteStore.open(':memory:')],
] as const) {
  if (kind === 'SQLite' && !hasSqlite) continue;
  for (const [fact, show] of [...ZOOS, ...PETS, ...PHOTOS, ...UNKNOWN]) {
    stores(`${kind}: ${fact}`, () => {
      const store = open();
      assert.ok(store);
      try {
        show(store);
      } finally {
        store.close();
      }
    });
  }
}
stores.run();
