/** Keeps pets in memory, until the process ends. */
import type { Pet } from './pet.ts';
import { NotFoundError, type Fed, type PetStore, type StoredPet } from './pet-store.ts';

export class MemoryPets implements PetStore {
  readonly #pets = new Map<number, { pet: Pet; eaten: number }>();
  #lastId = 0;

  insert(pet: Pet): number {
    this.#lastId += 1;
    this.#pets.set(this.#lastId, { pet, eaten: 0 });
    return this.#lastId;
  }

  find(id: number): Pet {
    return this.#entry(id).pet;
  }

  replace(id: number, pet: Pet): void {
    this.#entry(id).pet = pet;
  }

  remove(id: number): void {
    if (!this.#pets.delete(id)) throw new NotFoundError(id);
  }

  feed(id: number, grams: number): Fed {
    const entry = this.#entry(id);
    entry.eaten += grams;
    return { name: entry.pet.name, eaten: entry.eaten };
  }

  search(name: string): StoredPet[] {
    return [...this.#pets].filter(([, { pet }]) => pet.name.includes(name)).map(([id, { pet }]) => ({ id, ...pet }));
  }

  close(): void {
    this.#pets.clear();
  }

  #entry(id: number): { pet: Pet; eaten: number } {
    const entry = this.#pets.get(id);
    if (entry === undefined) throw new NotFoundError(id);
    return entry;
  }
}
