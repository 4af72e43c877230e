/**
 * Writes results as JSON. `JSON.stringify` does not name the member that it cannot write, so after a failure it is searched for:
 *
 *   { pet: { balance: 1n } }   ->   the result cannot be JSON: pet.balance is a bigint
 */
import { disown, describeType } from '../util/promises.ts';

/** Writes a value, with the host's `stringify` if there is one. Throws `TypeError` if it cannot be written, or the host's error. */
export function resultToJson(value: unknown, stringify?: (value: unknown) => unknown): string {
  if (value instanceof Error) throw new TypeError('the result is an error: throw it', { cause: value });
  if (stringify !== undefined) return checkedText(stringify(value));
  let text: unknown;
  try {
    text = JSON.stringify(value);
  } catch (thrown) {
    const fault = faultOf(value);
    // A getter or a `toJSON` of the host has thrown.
    if (fault === undefined) throw thrown;
    throw new TypeError(`the result cannot be JSON: ${fault}`, { cause: thrown });
  }
  if (text === '{}') refuseItems(value);
  if (typeof text === 'string') return text;
  if (value === undefined) throw new TypeError('the result is undefined, which JSON has not: return a value, or reply(204)');
  throw new TypeError(`the result cannot be JSON: it is of type ${typeof value}`);
}

/**
 * Throws `TypeError` for a Map, a Set, an iterator and the like, whose items JSON leaves out. Those within a result are not looked for: that takes 7 to
 * 23 % of the time of `JSON.stringify`, with a replacer 90 % to seven times of it, and the compiler finds them.
 */
function refuseItems(value: unknown): void {
  const items = Object(value) as Partial<Iterable<unknown>> & { readonly toJSON?: unknown };
  if (typeof items[Symbol.iterator] !== 'function' || items.toJSON !== undefined) return;
  const type = Object.prototype.toString.call(value).slice('[object '.length, -1);
  const fault = type === 'Map' ? 'it is a Map: return Object.fromEntries(map)' : `it is of type ${type}, whose items JSON leaves out: return [...items]`;
  throw new TypeError(`the result cannot be JSON: ${fault}`);
}

/** A text that a host's `stringify` returned. Throws `TypeError` if it is none. */
function checkedText(text: unknown): string {
  if (typeof text === 'string') return text;
  disown(text);
  throw new TypeError(`a result was written as ${describeType(text)}`);
}

/** The first member that cannot be JSON, and why. `undefined` if the search finds none, or fails as well. */
function faultOf(value: unknown): string | undefined {
  try {
    return faultAt([], value, []);
  } catch {
    return undefined;
  }
}

function faultAt(path: readonly string[], value: unknown, around: readonly unknown[]): string | undefined {
  const place = path.length === 0 ? 'it' : path.join('.');
  if (typeof value === 'bigint') return `${place} is a bigint: return a string or a number, or set stringify`;
  if (typeof value !== 'object' || value === null) return undefined;
  if (around.includes(value)) return `${place} refers to an object that contains it`;
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === 'function') return faultAt(path, toJSON.call(value, path.at(-1) ?? ''), [...around, value]);
  for (const [key, member] of Object.entries(value)) {
    const fault = faultAt([...path, key], member, [...around, value]);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
