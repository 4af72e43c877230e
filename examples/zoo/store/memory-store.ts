/** Keeps zoos in memory, until the process ends. */
import type { Pet } from '../pet.ts';
import type { Zoo } from '../zoo.ts';
import {
  ChangedError, ConflictError, listed, NotFoundError,
  type StoredResponses, type Change, type Page, type Pets, type Photo, type Photos, type Revisions, type Store, type StoredPet, type StoredZoo, type Transaction,
  type Zoos,
} from './store.ts';
import { Turns } from './turns.ts';

interface ZooRecord {
  stored: StoredZoo;
  readonly pets: Map<number, PetRecord>;
}

interface PetRecord {
  stored: StoredPet;
  photo: Photo | undefined;
}

interface ResponseRecord {
  readonly response: string;
  /** By `performance.now()`, which does not go back. */
  readonly until: number;
}

export class MemoryStore implements Store {
  readonly #records = new Map<number, ZooRecord>();
  readonly #responses = new Map<string, ResponseRecord>();
  readonly #turns = new Turns();
  readonly #tx: Transaction = {
    zoos: new MemoryZoos(this.#records),
    pets: new MemoryPets(this.#records),
    photos: new MemoryPhotos(this.#records),
    responses: new MemoryResponses(this.#responses),
  };
  readonly zoos: Zoos = this.#turns.outside(this.#tx.zoos);
  readonly pets: Pets = this.#turns.outside(this.#tx.pets);
  readonly photos: Photos = this.#turns.outside(this.#tx.photos);

  transaction<T>(run: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#turns.take(async () => {
      const [records, responses] = [structuredClone(this.#records), new Map(this.#responses)];
      try {
        return await run(this.#tx);
      } catch (thrown) {
        restore(this.#records, records);
        restore(this.#responses, responses);
        throw thrown;
      }
    });
  }

  close(): void {
    this.#records.clear();
  }
}

class MemoryZoos implements Zoos {
  readonly #records: Map<number, ZooRecord>;
  #lastId = 0;

  constructor(records: Map<number, ZooRecord>) {
    this.#records = records;
  }

  insert(zoo: Zoo): number {
    this.#checkName(zoo.name);
    const id = (this.#lastId += 1);
    this.#records.set(id, { stored: { id, ...zoo, revision: 1 }, pets: new Map() });
    return id;
  }

  find(id: number): StoredZoo {
    return zooOf(this.#records, id).stored;
  }

  list(page: Page): StoredZoo[] {
    return pageOf(page, this.#records);
  }

  change(id: number, change: Change<Zoo>, revisions?: Revisions): void {
    const record = this.#changeable(id, revisions);
    const { name = record.stored.name, city = record.stored.city } = change;
    this.#checkName(name, id);
    record.stored = { id, name, city, revision: record.stored.revision + 1 };
  }

  remove(id: number, revisions?: Revisions): void {
    if (this.#changeable(id, revisions).pets.size > 0) throw ConflictError.hasPets();
    this.#records.delete(id);
  }

  #changeable(id: number, revisions: Revisions): ZooRecord {
    const record = zooOf(this.#records, id);
    if (!isOneOf(revisions, record)) throw new ChangedError('zoo', id);
    return record;
  }

  #checkName(name: string, ownId?: number): void {
    for (const [id, { stored }] of this.#records) {
      if (stored.name === name && id !== ownId) throw ConflictError.nameTaken();
    }
  }
}

class MemoryPets implements Pets {
  readonly #records: ReadonlyMap<number, ZooRecord>;
  #lastId = 0;

  constructor(records: ReadonlyMap<number, ZooRecord>) {
    this.#records = records;
  }

  insert(zoo: number, pet: Pet): number {
    const { pets } = zooOf(this.#records, zoo);
    const id = (this.#lastId += 1);
    pets.set(id, { stored: { id, ...pet, eaten: 0, revision: 1 }, photo: undefined });
    return id;
  }

  find(zoo: number, id: number): StoredPet {
    return petOf(this.#records, zoo, id).stored;
  }

  list(zoo: number, page: Page): StoredPet[] {
    return pageOf(page, zooOf(this.#records, zoo).pets);
  }

  search(zoo: number, text: string, limit: number): StoredPet[] {
    const pets = [...zooOf(this.#records, zoo).pets.values()].map(({ stored }) => stored);
    return pets.filter(({ name }) => name.includes(text)).slice(0, limit);
  }

  change(zoo: number, id: number, change: Change<Pet>, revisions?: Revisions): void {
    const record = this.#changeable(zoo, id, revisions);
    const { name = record.stored.name, legs = record.stored.legs, lethal = record.stored.lethal } = change;
    record.stored = { ...record.stored, name, legs, lethal, revision: record.stored.revision + 1 };
  }

  feed(zoo: number, id: number, grams: number, revisions?: Revisions): StoredPet {
    const record = this.#changeable(zoo, id, revisions);
    record.stored = { ...record.stored, eaten: record.stored.eaten + grams, revision: record.stored.revision + 1 };
    return record.stored;
  }

  remove(zoo: number, id: number, revisions?: Revisions): StoredPet {
    const { stored } = this.#changeable(zoo, id, revisions);
    zooOf(this.#records, zoo).pets.delete(id);
    return stored;
  }

  #changeable(zoo: number, id: number, revisions: Revisions): PetRecord {
    const record = petOf(this.#records, zoo, id);
    if (!isOneOf(revisions, record)) throw new ChangedError('pet', id);
    return record;
  }
}

class MemoryPhotos implements Photos {
  readonly #records: ReadonlyMap<number, ZooRecord>;

  constructor(records: ReadonlyMap<number, ZooRecord>) {
    this.#records = records;
  }

  put(zoo: number, pet: number, photo: Photo): void {
    petOf(this.#records, zoo, pet).photo = photo;
  }

  find(zoo: number, pet: number): Photo {
    const { photo } = petOf(this.#records, zoo, pet);
    if (photo === undefined) throw new NotFoundError('photo of pet', pet);
    return photo;
  }

  remove(zoo: number, pet: number): void {
    this.find(zoo, pet);
    petOf(this.#records, zoo, pet).photo = undefined;
  }
}

class MemoryResponses implements StoredResponses {
  readonly #responses: Map<string, ResponseRecord>;

  constructor(responses: Map<string, ResponseRecord>) {
    this.#responses = responses;
  }

  // There is one transaction at a time.
  lock(): boolean {
    return true;
  }

  find(key: string): string | undefined {
    const { response, until = 0 } = this.#responses.get(key) ?? {};
    return until < performance.now() ? undefined : response;
  }

  put(key: string, response: string): void {
    const now = performance.now();
    for (const [old, { until }] of this.#responses) {
      if (until < now) this.#responses.delete(old);
    }
    this.#responses.set(key, { response, until: now + DAY_MS });
  }
}

const DAY_MS = 24 * 60 * 60 * 1000;

function restore<K, V>(map: Map<K, V>, before: ReadonlyMap<K, V>): void {
  map.clear();
  for (const [key, value] of before) map.set(key, value);
}

function zooOf(records: ReadonlyMap<number, ZooRecord>, id: number): ZooRecord {
  const record = records.get(id);
  if (record === undefined) throw new NotFoundError('zoo', id);
  return record;
}

function petOf(records: ReadonlyMap<number, ZooRecord>, zoo: number, id: number): PetRecord {
  const record = zooOf(records, zoo).pets.get(id);
  if (record === undefined) throw new NotFoundError('pet', id);
  return record;
}

function isOneOf(revisions: Revisions, { stored: { revision } }: ZooRecord | PetRecord): boolean {
  return listed(revisions)?.includes(String(revision)) ?? true;
}

// A map has its entries in the order in which they were stored, which is that of their ids.
function pageOf<T>({ take, after = 0 }: Page, records: ReadonlyMap<number, { readonly stored: T }>): T[] {
  return [...records].filter(([id]) => id > after).slice(0, take).map(([, { stored }]) => stored);
}
