/**
 * Writes results as JSON. `JSON.stringify` does not name the property that it cannot write, so a search after a failure does:
 *
 *   { pet: { balance: 1n } }   ->   the result cannot be written as JSON: pet.balance is a bigint
 */
import { isError, isInstance, isThenable } from '../util/promises.ts';

/** Writes a value. Throws `TypeError` if it cannot be written. */
export function writeJson(value: unknown): string {
  if (value instanceof Error) checkResult(value);
  const json = stringifyValue(value, 'the result cannot be written as JSON');
  if (json === '{}') rejectLost(value);
  // A promise in JSON is `{}`.
  else if (json?.startsWith('[{}') === true) rejectPromises(value);
  if (json !== undefined) return json;
  if (value === undefined) throw new TypeError('the result is undefined: return a value, or reply(204)');
  throw new TypeError(`the result cannot be written as JSON: it is of type ${typeof value}`);
}

/**
 * Throws `TypeError` for an object that no result can be: an error, which must not be sent as a success, a web `Response`, or a list of
 * promises.
 */
export function checkResult(value: object): void {
  if (isError(value)) throw new TypeError('the result is an error: throw it, or return problem(status)', { cause: value });
  if (isWebBody(value)) throw new TypeError(`the result is a ${describeTag(value)}: return reply(status, body, headers)`);
  rejectPromises(value);
}

/** Whether a value is a web `Response`, `Request` or `Blob`. Not by `instanceof`: that would load Node's `fetch`. */
export function isWebBody(value: unknown): value is object {
  return typeof value === 'object' && value !== null && typeof (value as { readonly arrayBuffer?: unknown }).arrayBuffer === 'function';
}

function describeTag(value: unknown): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1);
}

/** Throws `TypeError` for a list of promises: a forgotten `Promise.all`. */
function rejectPromises(value: unknown): void {
  if (!Array.isArray(value) || !isThenable(value[0])) return;
  throw new TypeError('the result must not be a list of promises: return Promise.all(list)');
}

/**
 * Throws `TypeError` for a web `Response`, and for a Map, a Set, an iterator and the like, whose items JSON leaves out. Does not search
 * within a result: that takes 7 to 23 % of the time of `JSON.stringify`, and the compiler finds most of these.
 */
function rejectLost(value: unknown): void {
  checkResult(Object(value) as object);
  const items = Object(value) as Partial<Iterable<unknown>> & { readonly toJSON?: unknown };
  if (typeof items[Symbol.iterator] !== 'function' || items.toJSON !== undefined) return;
  const type = describeTag(value);
  if (type === 'Map') throw new TypeError('the result cannot be written as JSON: it is a Map. Return Object.fromEntries(map)');
  throw new TypeError(`the result cannot be written as JSON: it is of type ${type}, and JSON leaves out its items. Return [...items]`);
}

/**
 * `JSON.stringify`, with a `TypeError` that names the property that it cannot write. `undefined` for a value that JSON does not have, such
 * as a function.
 */
export function stringifyValue(value: unknown, message: string): string | undefined {
  try {
    return JSON.stringify(value) as string | undefined;
  } catch (thrown) {
    const issue = findIssue(value, isInstance(thrown, RangeError));
    // A getter or a `toJSON` of the user has thrown.
    if (issue === undefined) throw thrown;
    throw new TypeError(`${message}: ${issue}`, { cause: thrown });
  }
}

/** Returns the first property that cannot be written as JSON, and why; `undefined` if the search finds none, or fails too. */
function findIssue(value: unknown, isOverflow: boolean): string | undefined {
  try {
    return new IssueSearch(isOverflow).find(value, '');
  } catch {
    return undefined;
  }
}

// `JSON.stringify` writes a few thousand levels. So a value with more than this is what its stack was too small for.
const MAX_DEPTH = 1000;
// Names that a client has sent can be long.
const MAX_NAME = 200;

/** Looks for a value that JSON cannot represent. Takes about as long as `JSON.stringify`, however deep the value is. */
class IssueSearch {
  readonly #isOverflow: boolean;
  readonly #path: string[] = [];
  // The objects that contain the value.
  readonly #around = new Set<object>();

  constructor(isOverflow: boolean) {
    this.#isOverflow = isOverflow;
  }

  find(value: unknown, key: string): string | undefined {
    const { toJSON } = Object(value) as { readonly toJSON?: unknown };
    if (typeof toJSON !== 'function') return this.#findIn(value);
    // Within its own JSON, the object is one that contains it.
    if (this.#around.has(value as object)) return `${this.#name} refers to an object that contains it`;
    const json: unknown = toJSON.call(value, key);
    if (json === value) return this.#findIn(json);
    this.#around.add(value as object);
    const issue = this.#findIn(json);
    this.#around.delete(value as object);
    return issue;
  }

  #findIn(value: unknown): string | undefined {
    if (typeof value === 'bigint') return `${this.#name} is a bigint: return a string or a number`;
    if (typeof value !== 'object' || value === null) return undefined;
    if (this.#around.has(value)) return `${this.#name} refers to an object that contains it`;
    if (this.#isOverflow && this.#path.length > MAX_DEPTH) return `${this.#name} is nested too deeply`;
    this.#around.add(value);
    for (const [key, property] of Object.entries(value)) {
      if (typeof property === 'object' ? property === null : typeof property !== 'bigint') continue;
      this.#path.push(key);
      const issue = this.find(property, key);
      if (issue !== undefined) return issue;
      this.#path.pop();
    }
    this.#around.delete(value);
    return undefined;
  }

  get #name(): string {
    const name = this.#path.join('.');
    if (name.length <= MAX_NAME) return name === '' ? 'it' : name;
    return `${name.slice(0, MAX_NAME / 2)}…${name.slice(-MAX_NAME / 2)}`;
  }
}
