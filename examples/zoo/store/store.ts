/** A store of zoos, their pets and photos. It knows nothing of HTTP, and throws errors of its own. */
import type { Pet } from '../pet.ts';
import type { Zoo } from '../zoo.ts';

export interface Store {
  readonly zoos: Zoos;
  readonly pets: Pets;
  readonly photos: Photos;
  /** May be called once. After it no other method may be called. */
  close(): void;
}

/** Each method that takes an id throws `NotFoundError` if there is no such zoo. */
export interface Zoos {
  /** Stores a zoo and returns its id, which no other zoo has had. Throws `ConflictError` if another zoo has its name. */
  insert(zoo: Zoo): number;
  find(id: number): StoredZoo;
  list(page: Page): StoredZoo[];
  /** Throws `ConflictError` if another zoo has the new name. */
  change(id: number, change: Change<Zoo>): void;
  /** Throws `ConflictError` if the zoo has pets. */
  remove(id: number): void;
}

/** Each method throws `NotFoundError` if there is no such zoo, or if that zoo has no such pet. */
export interface Pets {
  /** Stores a pet and returns its id, which no other pet of any zoo has had. */
  insert(zoo: number, pet: Pet): number;
  find(zoo: number, id: number): StoredPet;
  list(zoo: number, page: Page): StoredPet[];
  /** At most `limit` pets whose name contains a text, case-sensitively, in the order in which they were stored. */
  search(zoo: number, name: string, limit: number): StoredPet[];
  change(zoo: number, id: number, change: Change<Pet>): void;
  /** Returns the pet with all that it has eaten. */
  feed(zoo: number, id: number, grams: number): StoredPet;
  /** Removes the pet and its photo. Returns the pet. */
  remove(zoo: number, id: number): StoredPet;
}

/** Each method throws `NotFoundError` if there is no such pet, as `Pets` does. */
export interface Photos {
  /** Stores the photo of a pet, in place of the one before. */
  put(zoo: number, pet: number, photo: Photo): void;
  /** Throws `NotFoundError` also if the pet has no photo. So does `remove`. */
  find(zoo: number, pet: number): Photo;
  remove(zoo: number, pet: number): void;
}

export interface StoredZoo extends Zoo {
  readonly id: number;
}

export interface StoredPet extends Pet {
  readonly id: number;
  /** In grams. */
  readonly eaten: number;
}

export interface Photo {
  /** Its media type. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** The first `limit` items whose ids are greater than `after`, in the order of their ids. */
export interface Page {
  readonly limit: number;
  readonly after: number;
}

/** New values. A member that is `undefined` stays as it is. */
export type Change<T> = { readonly [Name in keyof T]: T[Name] | undefined };

/** What was asked for is not in the store. */
export class NotFoundError extends Error {
  override readonly name = 'NotFoundError';

  constructor(what: 'zoo' | 'pet' | 'photo of pet', id: number) {
    super(`there is no ${what} ${id}`);
  }
}

/** What is in the store already does not allow a change. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';

  static nameTaken(): ConflictError {
    return new ConflictError('another zoo has this name');
  }

  static hasPets(): ConflictError {
    return new ConflictError('the zoo has pets');
  }
}
