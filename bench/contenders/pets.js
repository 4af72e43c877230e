/** The data that all contenders serve, and their common checks and strings. */
export const BODY_BYTES = 2 ** 20;
export const ALLOW_ONE = 'GET, PUT, DELETE';
export const ALLOWED_ON_ONE = 'GET, HEAD, PUT, DELETE, OPTIONS';
export const NO_SUCH_PATH = 'Nothing is served at this path.';
export const BAD_PAGE = { detail: 'expected limit, after and name' };
export const NOT_JSON = makeBodyIssue('the body is not JSON');
export const BAD_ID = { detail: 'id: expected a decimal integer from -9007199254740991 to 9007199254740991', parameter: 'id' };
/** The `Cache-Control` of a pet that depends on the caller. */
export const PRIVATE = 'private, no-cache';
/** The caller of a Get with a context. All contenders identify it synchronously. */
export const KEEPER = { name: 'Kim' };
const TITLES = { 400: 'Bad Request', 404: 'Not Found', 413: 'Content Too Large', 500: 'Internal Server Error' };

/** Holds pet 1 and the pet that was created last; all of them would fill the memory. */
export class Pets {
  #first = { name: 'Rex', legs: 4, lethal: false };
  #last;
  // Starting this high, all ids of a run have the same length, and so have the responses.
  #lastId = 1_000_000;
  #door = Promise.resolve();

  create(pet) {
    this.#last = pet;
    this.#lastId += 1;
    return this.#lastId;
  }

  find(id) {
    if (id === 1) return this.#first;
    return id === this.#lastId ? this.#last : undefined;
  }

  /** A pet of a keeper. */
  findOwn(keeper, id) {
    return keeper === KEEPER ? this.find(id) : undefined;
  }

  list({ limit, after, name }) {
    const pets = [];
    for (let id = after + 1; pets.length < limit; id += 1) pets.push({ id, name: `${name}x`, legs: 4 });
    return pets;
  }

  /** Returns whether there was such a pet, as `delete` does. */
  update(id, { name, legs }) {
    if (id === 1) this.#first = { name, legs, lethal: false };
    return id === 1;
  }

  /** The pet stays, for the next request. */
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

  /** Keeps requests for rooms in flight until the function that it returns is called. */
  shutRooms() {
    let open;
    this.#door = new Promise((resolve) => (open = resolve));
    return open;
  }
}

/** Options of `node:http`: idle connections last as long as restpoint's; `timeMs` limits a head and a whole request. */
export function serverOptions(timeMs) {
  return { keepAliveTimeout: 72_000, ...(timeMs !== undefined && { headersTimeout: timeMs, requestTimeout: timeMs }) };
}

/** Describes the flaw of a value that should be a pet, or returns `undefined`, as `findMealFlaw` does. */
export function findPetFlaw(json) {
  if (typeof json !== 'object' || json === null) return 'expected an object';
  if (typeof json.name !== 'string') return 'name: expected a string';
  return typeof json.legs === 'number' ? undefined : 'legs: expected a number';
}

export function findMealFlaw(json) {
  if (typeof json !== 'object' || json === null) return 'expected an object';
  return typeof json.grams === 'number' ? undefined : 'grams: expected a number';
}

/** Reads the strings of a query for a list. Returns `undefined` if one is wrong. */
export function parsePage({ limit: limitText, after: afterText, name }) {
  const limit = parseId(limitText);
  const after = parseId(afterText);
  return limit > 0 && limit <= 100 && after >= 0 && typeof name === 'string' ? { limit, after, name } : undefined;
}

/** Reads an id strictly: one spelling for each number, and only exact numbers. Returns `undefined` for other text. */
export function parseId(text) {
  const id = /^(?:0|-?[1-9]\d*)$/.test(text) ? Number(text) : NaN;
  return Number.isSafeInteger(id) ? id : undefined;
}

/** A problem body (RFC 9457) as JSON text. */
export function makeProblem(status, detail, errors) {
  return JSON.stringify({ type: 'about:blank', title: TITLES[status], status, detail, errors });
}

/** The body of a 400 with one error. */
export function makeBadRequest(issue) {
  return makeProblem(400, `Bad arguments: ${issue.detail}`, [issue]);
}

export function makeBodyIssue(detail) {
  return { detail, pointer: '#' };
}
