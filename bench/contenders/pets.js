/** What all contenders serve, and the checks and texts that they share. */
export const BODY_BYTES = 2 ** 20;
export const ALLOW_ALL = 'POST';
export const ALLOW_ONE = 'GET, PUT, DELETE';
export const ALLOWED_ON_ONE = 'GET, HEAD, PUT, DELETE, OPTIONS';
export const NO_SUCH_PATH = 'Nothing is served at this path.';
export const BAD_ID = `Bad arguments: id: expected a decimal integer from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`;

const TITLES = { 400: 'Bad Request', 404: 'Not Found', 413: 'Content Too Large', 500: 'Internal Server Error' };

/** Pet 1 is always there. Rooms have a door that can be shut, so that requests stay in flight. */
export class Pets {
  #kept;
  // Starting this high, all ids of a run have the same length, and so have the answers.
  #lastId = 1_000_000;
  #first = { name: 'Rex', legs: 4, lethal: false };
  #door = Promise.resolve();
  #openDoor = () => {};

  /** Created pets are kept only where `keeps` is set: a long run would fill the memory. */
  constructor(keeps = false) {
    this.#kept = keeps ? new Map() : undefined;
  }

  /** Returns the new pet's id. */
  create(pet) {
    this.#lastId += 1;
    this.#kept?.set(this.#lastId, pet);
    return this.#lastId;
  }

  /** Returns a pet, or `undefined`. */
  find(id) {
    return id === 1 ? this.#first : this.#kept?.get(id);
  }

  /** Returns whether there was such a pet. */
  update(id, { name, legs }) {
    if (id !== 1) return false;
    this.#first = { name, legs, lethal: false };
    return true;
  }

  /** Returns whether there was such a pet. It stays, for the next request. */
  delete(id) {
    return id === 1;
  }

  feed(meal) {
    return { fed: meal.grams };
  }

  async room(id) {
    await this.#door;
    return { id };
  }

  shut() {
    this.#door = new Promise((resolve) => (this.#openDoor = resolve));
  }

  open() {
    this.#openDoor();
  }
}

/** Options for a server of `node:http`: kept connections last as long as restpoint's; `timeMs` limits a head and a whole request. */
export function serverOptions(timeMs) {
  return { keepAliveTimeout: 72_000, ...(timeMs !== undefined && { headersTimeout: timeMs, requestTimeout: timeMs }) };
}

/** Says what is wrong with a value that should be a pet, or returns `undefined`. */
export function flawOfPet(json) {
  if (typeof json !== 'object' || json === null) return 'expected an object';
  if (typeof json.name !== 'string') return 'name: expected a string';
  return typeof json.legs === 'number' ? undefined : 'legs: expected a number';
}

/** Says what is wrong with a value that should be a meal, or returns `undefined`. */
export function flawOfMeal(json) {
  if (typeof json !== 'object' || json === null) return 'expected an object';
  return typeof json.grams === 'number' ? undefined : 'grams: expected a number';
}

const DECIMAL = /^(?:0|-?[1-9]\d*)$/;

/** Reads an id strictly: one spelling for each number, and only exact numbers. Returns `undefined` for other text. */
export function idOf(text) {
  const id = DECIMAL.test(text) ? Number(text) : NaN;
  return Number.isSafeInteger(id) ? id : undefined;
}

/** A problem body (RFC 9457) as JSON text. */
export function problemOf(status, detail) {
  return JSON.stringify({ type: 'about:blank', title: TITLES[status], status, detail });
}
