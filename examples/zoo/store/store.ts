/**
 * A store of zoos, their pets and photos. It contains no HTTP code, and throws its own errors. A store that asks a different process
 * returns promises, and rejects with these errors.
 */
import type { Pet } from '../pet.ts';
import type { Zoo } from '../zoo.ts';

export type MaybePromise<T> = T | Promise<T>;

/** What can be read and changed. */
export interface Tables {
  readonly zoos: Zoos;
  readonly pets: Pets;
  readonly photos: Photos;
}

export interface Store extends Tables {
  /**
   * Makes all the changes of `run`, or none: if it rejects, or this process dies, nothing is changed. Others see none of the changes before its
   * end. While it runs, it must use what it is given and not the store itself, whose methods may wait for its end.
   */
  transaction<T>(run: (tx: Transaction) => Promise<T>): Promise<T>;
  /** May be called once. After it no other method may be called. */
  close(): MaybePromise<void>;
}

export interface Transaction extends Tables {
  readonly responses: StoredResponses;
}

/** Responses to requests that clients can repeat, as strings, for a day. */
export interface StoredResponses {
  /** Locks a key until the transaction ends. Returns `false` if a different transaction has locked it. */
  lock(key: string): MaybePromise<boolean>;
  find(key: string): MaybePromise<string | undefined>;
  put(key: string, response: string): MaybePromise<void>;
}

/**
 * Each method that takes an id throws `NotFoundError` if there is no such zoo. Each that takes revisions throws `ChangedError` if the zoo has
 * none of them, and then changes nothing.
 */
export interface Zoos {
  /** Stores a zoo and returns its id, which no other zoo has had. Throws `ConflictError` if its name is taken. */
  insert(zoo: Zoo): MaybePromise<number>;
  find(id: number): MaybePromise<StoredZoo>;
  list(page: Page): MaybePromise<StoredZoo[]>;
  /** Throws `ConflictError` if the new name is taken. */
  change(id: number, change: Change<Zoo>, revisions?: Revisions): MaybePromise<void>;
  /** Throws `ConflictError` if the zoo has pets. */
  remove(id: number, revisions?: Revisions): MaybePromise<void>;
}

/** Each method throws `NotFoundError` if there is no such zoo, or if that zoo has no such pet. Revisions are as in `Zoos`. */
export interface Pets {
  /** Stores a pet and returns its id, which no other pet of any zoo has had. */
  insert(zoo: number, pet: Pet): MaybePromise<number>;
  find(zoo: number, id: number): MaybePromise<StoredPet>;
  list(zoo: number, page: Page): MaybePromise<StoredPet[]>;
  /** At most `limit` pets with a string in their names, case-sensitively, in the order in which they were stored. */
  search(zoo: number, name: string, limit: number): MaybePromise<StoredPet[]>;
  change(zoo: number, id: number, change: Change<Pet>, revisions?: Revisions): MaybePromise<void>;
  /** Returns the pet with all that it has eaten. */
  feed(zoo: number, id: number, grams: number, revisions?: Revisions): MaybePromise<StoredPet>;
  /** Removes the pet and its photo. Returns the pet. */
  remove(zoo: number, id: number, revisions?: Revisions): MaybePromise<StoredPet>;
}

/** Each method throws `NotFoundError` if there is no such pet, as `Pets` does. */
export interface Photos {
  /** Stores the photo of a pet, instead of the one before. */
  put(zoo: number, pet: number, photo: Photo): MaybePromise<void>;
  /** Throws `NotFoundError` also if the pet has no photo. So does `remove`. */
  find(zoo: number, pet: number): MaybePromise<Photo>;
  remove(zoo: number, pet: number): MaybePromise<void>;
}

export interface StoredZoo extends Zoo {
  readonly id: number;
  /** 1 for a new zoo. Each change adds 1. */
  readonly revision: number;
}

export interface StoredPet extends Pet {
  readonly id: number;
  /** In grams. */
  readonly eaten: number;
  /** As that of a zoo. A meal is a change. */
  readonly revision: number;
}

/** The item must have one of these revisions, as strings. `'*'` and `undefined`: it may have any. */
export type Revisions = readonly string[] | '*' | undefined;

/** The listed revisions; `null` if an item may have any. */
export function listed(revisions: Revisions): readonly string[] | null {
  return typeof revisions === 'object' ? revisions : null;
}

export interface Photo {
  /** Its media type. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** The first `take` items whose ids are greater than `after`, in the order of their ids. */
export interface Page {
  readonly take: number;
  /** Default: from the beginning. */
  readonly after?: number | undefined;
}

/** New values. A property that is `undefined` does not change. */
export type Change<T> = { readonly [Name in keyof T]: T[Name] | undefined };

/** The requested item is not in the store. */
export class NotFoundError extends Error {
  override readonly name = 'NotFoundError';

  constructor(what: 'zoo' | 'pet' | 'photo of pet', id: number) {
    super(`there is no ${what} ${id}`);
  }
}

/** The data in the store does not allow a change. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';

  static nameTaken(): ConflictError {
    return new ConflictError('another zoo has this name');
  }

  static hasPets(): ConflictError {
    return new ConflictError('the zoo has pets');
  }
}

/** The item has a different revision than the caller knows. */
export class ChangedError extends Error {
  override readonly name = 'ChangedError';

  constructor(what: 'zoo' | 'pet', id: number) {
    super(`${what} ${id} has changed`);
  }
}

/** The store cannot do it now. A later attempt may succeed. */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError';

  constructor(cause: unknown) {
    super('the store is not available', { cause });
  }
}
