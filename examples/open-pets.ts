/** Chooses the store that this version of Node supports. */
import { MemoryPets } from './memory-pets.ts';
import type { PetStore } from './pet-store.ts';
import { SqlitePets } from './sqlite-pets.ts';

/** A store, and a description of it. */
export interface OpenPets {
  readonly pets: PetStore;
  readonly kind: string;
}

/** Opens a store in a file, or in memory if this Node has no SQLite. Throws if the file cannot be opened. */
export function openPets(file: string): OpenPets {
  const pets = SqlitePets.open(file);
  if (pets !== undefined) return { pets, kind: `SQLite in ${file}` };
  return { pets: new MemoryPets(), kind: 'in memory, this Node has no node:sqlite' };
}
