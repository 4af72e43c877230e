/** What all contenders serve: one pet that stays, and checks and texts that are the same for all of them. */
export const BODY_BYTES = 2 ** 20;
export const ALLOW_ALL = 'POST';
export const ALLOW_ONE = 'GET, PUT, DELETE';
export const ALLOWED_ON_ONE = 'GET, HEAD, PUT, DELETE, OPTIONS';
export const NO_SUCH_PATH = 'Nothing is served at this path.';
export const BAD_ID = `Bad arguments: id: expected a decimal integer from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`;

const TITLES = { 400: 'Bad Request', 404: 'Not Found', 413: 'Content Too Large', 500: 'Internal Server Error' };

/** Pet 1 can be read and updated. What is created is counted and let go, so that no run fills the memory. */
export class Pets {
  // So far from zero, the ids of a run are all of one length, and so are the answers.
  #lastId = 1_000_000;
  #first = { name: 'Rex', legs: 4, lethal: false };

  /** Gives the new pet's id. */
  create(_pet) {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** Gives a pet, or `undefined`. */
  find(id) {
    return id === 1 ? this.#first : undefined;
  }

  /** Says whether there was such a pet. */
  update(id, { name, legs }) {
    if (id !== 1) return false;
    this.#first = { name, legs, lethal: false };
    return true;
  }

  /** Says whether there was such a pet. It stays, for the next request. */
  delete(id) {
    return id === 1;
  }

  feed(meal) {
    return { fed: meal.grams };
  }
}

/** Says what is wrong with a value that should be a pet, or gives `undefined`. */
export function flawOfPet(json) {
  if (typeof json !== 'object' || json === null) return 'expected an object';
  if (typeof json.name !== 'string') return 'name: expected a string';
  return typeof json.legs === 'number' ? undefined : 'legs: expected a number';
}

/** Says what is wrong with a value that should be a meal, or gives `undefined`. */
export function flawOfMeal(json) {
  if (typeof json !== 'object' || json === null) return 'expected an object';
  return typeof json.grams === 'number' ? undefined : 'grams: expected a number';
}

const DECIMAL = /^(?:0|-?[1-9]\d*)$/;

/** Reads an id strictly: one spelling for each number, and only numbers that are held exactly. `undefined` is none. */
export function idOf(text) {
  const id = DECIMAL.test(text) ? Number(text) : NaN;
  return Number.isSafeInteger(id) ? id : undefined;
}

/** A problem body (RFC 9457) as JSON text. */
export function problemOf(status, detail) {
  return JSON.stringify({ type: 'about:blank', title: TITLES[status], status, detail });
}
