/** The store that this Node can have. */
import { MemoryPets } from './memory-pets.ts';
import type { PetStore } from './pet-store.ts';
import { SqlitePets } from './sqlite-pets.ts';

/** A store, and for people what kind it is. */
export interface OpenPets {
  readonly pets: PetStore;
  readonly kind: string;
}

/** Opens the pets in a file; where this Node has no SQLite, in memory. Throws where the file can not be opened. */
export function openPets(file: string): OpenPets {
  const pets = SqlitePets.open(file);
  if (pets !== undefined) return { pets, kind: `SQLite in ${file}` };
  return { pets: new MemoryPets(), kind: 'in memory, this Node has no node:sqlite' };
}
