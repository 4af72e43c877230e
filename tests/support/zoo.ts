/** An endpoint with every operation over a map, and a count of its invocations. */
import { ApiError, defineEndpoint, integerId, type ApiServer } from '../../src/index.ts';

export interface Pet {
  readonly name: string;
  readonly legs: number;
}

export class Zoo {
  readonly pets = new Map<number, Pet>();
  invoked = 0;
  #lastId = 0;

  /** Forgets all pets, and counts from the beginning. */
  clear(): void {
    this.pets.clear();
    this.invoked = this.#lastId = 0;
  }

  /** `/pet` with every operation: Custom `feed` takes a number and returns text, `count` takes nothing. */
  readonly register = (server: ApiServer): void => {
    server.registerEndpoint('/pet', defineEndpoint({
      id: integerId,
      schema: decodePet,
      create: (pet) => this.#invoke(() => {
        this.pets.set(++this.#lastId, pet);
        return this.#lastId;
      }),
      get: (id) => this.#invoke(() => this.#find(id)),
      update: (id, pet) => this.#invoke(() => {
        this.#find(id);
        this.pets.set(id, pet);
      }),
      delete: (id) => this.#invoke(() => {
        this.#find(id);
        this.pets.delete(id);
      }),
      custom: {
        feed: { input: decodeGrams, run: (grams) => this.#invoke(() => ({ ate: `${grams} g` })) },
        count: { run: () => this.#invoke(() => this.pets.size) },
      },
    }));
  };

  #find(id: number): Pet {
    const pet = this.pets.get(id);
    if (pet === undefined) throw ApiError.notFound();
    return pet;
  }

  #invoke<T>(operation: () => T): T {
    this.invoked += 1;
    return operation();
  }
}

export function decodePet(json: unknown): Pet {
  const { name, legs } = Object(json) as Partial<Record<keyof Pet, unknown>>;
  if (typeof name !== 'string') throw new Error('name: expected a string');
  if (typeof legs !== 'number') throw new Error('legs: expected a number');
  return { name, legs };
}

function decodeGrams(json: unknown): number {
  if (typeof json !== 'number') throw new Error('expected a number of grams');
  return json;
}
