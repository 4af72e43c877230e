/** Both stores behave in the same way, and the store in a file keeps pets for the next process. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MemoryPets } from '../../examples/memory-pets.ts';
import { openPets } from '../../examples/open-pets.ts';
import type { PetStore } from '../../examples/pet-store.ts';
import { SqlitePets } from '../../examples/sqlite-pets.ts';
import { inTemporaryFolder } from '../support/temporary.ts';

const hasSqlite = process.getBuiltinModule('node:sqlite') !== undefined;
const rex = { name: 'Rex', legs: 4, lethal: false };
const asp = { name: 'Asp', legs: 0, lethal: true };

const CASES: readonly (readonly [fact: string, show: (pets: PetStore) => void])[] = [
  ['a pet that was inserted is found', (pets) => {
    assert.equal([pets.insert(rex), pets.insert(asp)], [1, 2]);
    assert.equal([pets.find(1), pets.find(2)], [rex, asp]);
  }],
  ['the greatest count of legs, and text that SQL could take for its own, are kept', (pets) => {
    const odd = { name: `'); DROP TABLE pet; -- % _ \u{1f40d}`, legs: 4294967295, lethal: true };
    assert.equal(pets.find(pets.insert(odd)), odd);
  }],
  ['a pet that was replaced is the new one, and no other is', (pets) => {
    pets.insert(rex);
    pets.insert(rex);
    pets.replace(1, asp);
    assert.equal([pets.find(1), pets.find(2)], [asp, rex]);
  }],
  ['a removed pet is not found, and its id is not used again', (pets) => {
    pets.insert(rex);
    pets.insert(asp);
    pets.remove(2);
    assert.is(notFound(() => pets.find(2)), true);
    assert.is(pets.insert(rex), 3);
    assert.equal(pets.find(1), rex);
  }],
  ['the food of each pet adds up', (pets) => {
    pets.insert(rex);
    pets.insert(asp);
    assert.equal(pets.feed(1, 250), { name: 'Rex', eaten: 250 });
    assert.equal(pets.feed(1, 50), { name: 'Rex', eaten: 300 });
    assert.equal(pets.feed(2, 1), { name: 'Asp', eaten: 1 });
  }],
  ['a pet that was replaced has eaten what it ate', (pets) => {
    pets.insert(rex);
    pets.feed(1, 250);
    pets.replace(1, asp);
    assert.equal(pets.feed(1, 1), { name: 'Asp', eaten: 251 });
  }],
  ['a search finds the pets whose name contains the text, with their ids, in order', (pets) => {
    for (const pet of [rex, asp, { ...rex, name: 'T. Rex' }, { ...rex, name: 'rex' }]) pets.insert(pet);
    assert.equal(pets.search('Rex'), [{ id: 1, ...rex }, { id: 3, ...rex, name: 'T. Rex' }]);
    assert.equal(pets.search('%'), []);
  }],
  ['an unknown id -> NotFoundError, from every method that takes an id', (pets) => {
    pets.insert(rex);
    for (const id of [0, -1, 2, Number.MAX_SAFE_INTEGER]) {
      assert.ok(notFound(() => pets.find(id)));
      assert.ok(notFound(() => pets.replace(id, asp)));
      assert.ok(notFound(() => pets.remove(id)));
      assert.ok(notFound(() => pets.feed(id, 1)));
    }
    assert.equal(pets.search('s'), []);
  }],
];

/** Whether a call throws the stores' own error. */
function notFound(call: () => unknown): boolean {
  try {
    call();
  } catch (error) {
    return error instanceof Error && error.name === 'NotFoundError';
  }
  return false;
}

const stores = suite('a store of pets');
for (const [kind, open] of [
  ['memory', () => new MemoryPets()],
  ['SQLite', () => SqlitePets.open(':memory:')],
] as const) {
  if (kind === 'SQLite' && !hasSqlite) continue;
  for (const [fact, show] of CASES) {
    stores(`${kind}: ${fact}`, () => {
      const pets = open();
      assert.ok(pets);
      try {
        show(pets);
      } finally {
        pets.close();
      }
    });
  }
}
stores.run();

const opening = suite('the store that this Node supports');
if (hasSqlite) {
  opening('in a file, pets and the last id are kept until it is opened again', () => inTemporaryFolder(async (folder) => {
    const first = openPets(join(folder, 'pets.db'));
    assert.is(first.kind, `SQLite in ${join(folder, 'pets.db')}`);
    first.pets.insert(rex);
    first.pets.remove(first.pets.insert(asp));
    first.pets.close();
    const { pets } = openPets(join(folder, 'pets.db'));
    assert.equal(pets.find(1), rex);
    assert.is(pets.insert(asp), 3);
    pets.close();
  }));
  opening('a closed database fails with an error other than NotFoundError', () => {
    const { pets } = openPets(':memory:');
    pets.close();
    assert.throws(() => pets.insert(rex), (error: Error) => error.name !== 'NotFoundError');
  });
  opening('a file that is not a database is refused', () => inTemporaryFolder(async (folder) => {
    writeFileSync(join(folder, 'pets.db'), 'a text, longer than nothing');
    assert.throws(() => openPets(join(folder, 'pets.db')), 'file is not a database');
  }));
} else {
  opening('without SQLite, pets are in memory, and each store has its own pets', () => {
    const [first, second] = [openPets('pets.db'), openPets('pets.db')];
    assert.is(first.kind, 'in memory, this Node has no node:sqlite');
    first.pets.insert(rex);
    assert.ok(notFound(() => second.pets.find(1)));
  });
}
opening.run();
