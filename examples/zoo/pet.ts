/** A pet, and the bodies that clients send about pets. */
import { boolean, integer, members, optional, text } from './decode.ts';
import type { Change } from './store/store.ts';

export interface Pet {
  readonly name: string;
  readonly legs: number;
  readonly lethal: boolean;
}

/** What a pet is fed. */
export interface Meal {
  readonly grams: number;
}

/** What a pet's name contains. */
export interface Search {
  readonly name: string;
}

const MAX_LEGS = 2 ** 32 - 1;
const MAX_GRAMS = 1_000_000;

export function decodePet(json: unknown): Pet {
  const { name, legs, lethal } = members(json);
  return {
    name: text('name', name),
    legs: integer('legs', legs, 0, MAX_LEGS),
    lethal: boolean('lethal', lethal),
  };
}

export function decodePetChange(json: unknown): Change<Pet> {
  const { name, legs, lethal } = members(json);
  return {
    name: optional(name, (value) => text('name', value)),
    legs: optional(legs, (value) => integer('legs', value, 0, MAX_LEGS)),
    lethal: optional(lethal, (value) => boolean('lethal', value)),
  };
}

export function decodeMeal(json: unknown): Meal {
  const { grams } = members(json);
  return { grams: integer('grams', grams, 1, MAX_GRAMS) };
}

export function decodeSearch(json: unknown): Search {
  const { name } = members(json);
  return { name: text('name', name) };
}
