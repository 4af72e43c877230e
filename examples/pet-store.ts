/** Where pets are kept. It knows nothing of HTTP: what it throws is its own. */
import type { Pet } from './pet.ts';

/** A pet and the id that the store gave it. */
export interface StoredPet extends Pet {
  readonly id: number;
}

/** How much a pet has eaten since it came. */
export interface Fed {
  readonly name: string;
  readonly eaten: number;
}

export interface PetStore {
  /** Stores a pet and gives its id, one that no other pet has had. */
  insert(pet: Pet): number;
  /** Throws `NotFoundError` where there is no such pet, as do `replace`, `remove` and `feed`. */
  find(id: number): Pet;
  replace(id: number, pet: Pet): void;
  remove(id: number): void;
  feed(id: number, grams: number): Fed;
  /** The pets whose name contains a text, upper and lower case told apart, in the order in which they came. */
  search(name: string): StoredPet[];
  /** To be called once; nothing else may be called after it. */
  close(): void;
}

/** The server knows it by its name, and answers 404; whatever else a store throws is answered 500. */
export class NotFoundError extends Error {
  override readonly name = 'NotFoundError';

  constructor(id: number) {
    super(`there is no pet ${id}`);
  }
}
