/**
 * What the decoders have in common. A decoder takes the JSON of a body, or the object that is made of a query, and returns the value.
 * If it throws, the client gets the message: `legs: expected an integer from 0 to 4294967295`. Unknown members are dropped.
 */

/** The members of an object. */
export function members(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('expected an object');
  return { ...value };
}

// Half of a surrogate pair has no UTF-8, and some versions of Node read text from SQLite only up to a NUL.
const TEXT = /^[^\p{Cc}\p{Cs}]{1,100}$/u;

export function text(name: string, value: unknown): string {
  if (typeof value === 'string' && TEXT.test(value)) return value;
  throw new TypeError(`${name}: expected a text of 1 to 100 characters, none of them a control character`);
}

export function integer(name: string, value: unknown, min: number, max: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw new TypeError(`${name}: expected an integer from ${min} to ${max}`);
}

/** An integer in a query, where every value is text. */
export function integerText(name: string, value: unknown, min: number, max: number): number {
  return integer(name, typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : undefined, min, max);
}

export function boolean(name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new TypeError(`${name}: expected true or false`);
}

/** A member that can be left out. */
export function optional<T>(value: unknown, decode: (value: unknown) => T): T | undefined {
  return value === undefined ? undefined : decode(value);
}
