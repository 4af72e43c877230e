/** A store of pets. It knows nothing of HTTP, and throws errors of its own. */
import type { Pet } from './pet.ts';

/** A pet and its id in the store. */
export interface StoredPet extends Pet {
  readonly id: number;
}

/** How much a pet has eaten so far. */
export interface Fed {
  readonly name: string;
  readonly eaten: number;
}

export interface PetStore {
  /** Stores a pet and returns its id, which no other pet has had. */
  insert(pet: Pet): number;
  /** Throws `NotFoundError` if there is no such pet. So do `replace`, `remove` and `feed`. */
  find(id: number): Pet;
  replace(id: number, pet: Pet): void;
  remove(id: number): void;
  feed(id: number, grams: number): Fed;
  /** The pets whose name contains a text, case-sensitively, in the order in which they were stored. */
  search(name: string): StoredPet[];
  /** May be called once. After it no other method may be called. */
  close(): void;
}

/** The server recognises it by its name, and answers 404. Any other error of a store is answered 500. */
export class NotFoundError extends Error {
  override readonly name = 'NotFoundError';

  constructor(id: number) {
    super(`there is no pet ${id}`);
  }
}
