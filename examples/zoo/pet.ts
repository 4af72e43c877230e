/** A pet, and the bodies that clients send about pets. */
import { boolean, integer, object, optional, text, type ValueOf, withRevision } from './schema.ts';

const id = integer(1, Number.MAX_SAFE_INTEGER);
const legs = integer(0, 2 ** 32 - 1);
const eaten = integer(0, Number.MAX_SAFE_INTEGER);

export type Pet = ValueOf<typeof Pet>;
export const Pet = object('Pet', { name: text, legs, lethal: boolean });

/** A pet as the store has it. Clients get its revision as `ETag`. */
export const StoredPet = withRevision(object('StoredPet', { id, name: text, legs, lethal: boolean, eaten }));

/** New values. Properties that are left out do not change. */
export const PetChange = object('PetChange', { name: optional(text), legs: optional(legs), lethal: optional(boolean) });

/** The food of a pet. */
export const Meal = object('Meal', { grams: integer(1, 1_000_000) });

/** The food that a pet still eats, in grams. */
export const Appetite = object('Appetite', { grams: integer(0, Number.MAX_SAFE_INTEGER) });

/** A pet that was fed, with all that it has eaten, in grams. */
export const FedPet = object('FedPet', { name: text, eaten });

/** The search for a part of a pet's name. */
export const PetSearch = object('PetSearch', { name: text });
