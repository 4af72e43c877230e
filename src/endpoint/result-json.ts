/**
 * Writes results as JSON. `JSON.stringify` does not name the property that it cannot write, so a search after a failure does:
 *
 *   { pet: { balance: 1n } }   ->   the result cannot be written as JSON: pet.balance is a bigint
 */
import { disown, describeType } from '../util/promises.ts';

/** Writes a value, with the user's `stringify` if there is one. Throws `TypeError` if it cannot be written, or the user's error. */
export function writeJson(value: unknown, stringify?: (value: unknown) => unknown): string {
  if (value instanceof Error) throw new TypeError('the result is an error: throw it, or return problem(status)', { cause: value });
  if (stringify !== undefined) return checkString(stringify(value));
  let json: unknown;
  try {
    json = JSON.stringify(value);
  } catch (thrown) {
    const issue = findIssue(value);
    // A getter or a `toJSON` of the user has thrown.
    if (issue === undefined) throw thrown;
    throw new TypeError(`the result cannot be written as JSON: ${issue}`, { cause: thrown });
  }
  if (json === '{}') rejectItems(value);
  if (typeof json === 'string') return json;
  if (value === undefined) throw new TypeError('the result is undefined: return a value, or reply(204)');
  throw new TypeError(`the result cannot be written as JSON: it is of type ${typeof value}`);
}

/**
 * Throws `TypeError` for a Map, a Set, an iterator and the like, whose items JSON leaves out. Does not search within a result: that takes 7
 * to 23 % of the time of `JSON.stringify`, and the compiler finds most of these.
 */
function rejectItems(value: unknown): void {
  const items = Object(value) as Partial<Iterable<unknown>> & { readonly toJSON?: unknown };
  if (typeof items[Symbol.iterator] !== 'function' || items.toJSON !== undefined) return;
  const type = Object.prototype.toString.call(value).slice('[object '.length, -1);
  if (type === 'Map') throw new TypeError('the result cannot be written as JSON: it is a Map. Return Object.fromEntries(map)');
  throw new TypeError(`the result cannot be written as JSON: it is of type ${type}, and JSON leaves out its items. Return [...items]`);
}

/** Throws `TypeError` if a user's `stringify` did not return a string. */
function checkString(json: unknown): string {
  if (typeof json === 'string') return json;
  disown(json);
  throw new TypeError(`stringify must return a string: it returned ${describeType(json)}`);
}

/** Returns the first property that cannot be written as JSON, and why; `undefined` if the search finds none, or fails too. */
function findIssue(value: unknown): string | undefined {
  try {
    return findIssueAt([], value, []);
  } catch {
    return undefined;
  }
}

function findIssueAt(path: readonly string[], value: unknown, around: readonly unknown[]): string | undefined {
  const name = path.length === 0 ? 'it' : path.join('.');
  if (typeof value === 'bigint') return `${name} is a bigint: return a string or a number, or set stringify`;
  if (typeof value !== 'object' || value === null) return undefined;
  if (around.includes(value)) return `${name} refers to an object that contains it`;
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === 'function') return findIssueAt(path, toJSON.call(value, path.at(-1) ?? ''), [...around, value]);
  for (const [key, member] of Object.entries(value)) {
    const issue = findIssueAt([...path, key], member, [...around, value]);
    if (issue !== undefined) return issue;
  }
  return undefined;
}
