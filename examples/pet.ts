/**
 * A pet, and the bodies that clients send. Each decoder takes the JSON of a body and returns the value. If it throws, the client
 * gets the message: `legs: expected an integer from 0 to 4294967295`. Unknown members are dropped.
 */

export interface Pet {
  readonly name: string;
  readonly legs: number;
  readonly lethal: boolean;
}

/** The input of the Custom operation `feed`. */
export interface Meal {
  readonly pet: number;
  readonly grams: number;
}

/** The input of the Custom operation `search`. */
export interface Search {
  readonly name: string;
}

export function decodePet(json: unknown): Pet {
  const { name, legs, lethal } = members(json);
  return {
    name: text('name', name),
    legs: integer('legs', legs, 0, 2 ** 32 - 1),
    lethal: boolean('lethal', lethal),
  };
}

export function decodeMeal(json: unknown): Meal {
  const { pet, grams } = members(json);
  return {
    pet: integer('pet', pet, 1, Number.MAX_SAFE_INTEGER),
    grams: integer('grams', grams, 1, 1_000_000),
  };
}

export function decodeSearch(json: unknown): Search {
  const { name } = members(json);
  return { name: text('name', name) };
}

function members(json: unknown): Readonly<Record<string, unknown>> {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw new TypeError('expected an object');
  return { ...json };
}

// Half of a surrogate pair has no UTF-8, and some versions of Node read text from SQLite only up to a NUL.
const TEXT = /^[^\p{Cc}\p{Cs}]{1,100}$/u;

function text(name: string, value: unknown): string {
  if (typeof value === 'string' && TEXT.test(value)) return value;
  throw new TypeError(`${name}: expected a text of 1 to 100 characters, none of them a control character`);
}

function integer(name: string, value: unknown, min: number, max: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw new TypeError(`${name}: expected an integer from ${min} to ${max}`);
}

function boolean(name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new TypeError(`${name}: expected true or false`);
}
