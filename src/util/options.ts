/**
 * Checks the objects that a host passes: options, and the members of a declaration. Their types are gone at run time. Each function throws
 * a `TypeError` that names the wrong member by its path, such as `endpoint.get.limits`.
 */

export type Members = Readonly<Record<string, unknown>>;

/** A function of the host's, to be called with its receiver as `this`. Binding it would cost memory for each one. */
export type HostFunction = (...args: unknown[]) => unknown;

/** The longest delay of Node's timers, in milliseconds. */
export const MAX_MS: number = 2 ** 31 - 1;
/** The length of V8's longest string, for bytes that become one. */
export const MAX_BYTES: number = 2 ** 29 - 24;

export function membersOf(value: unknown, path: string): Members {
  if (typeof value !== 'object' || value === null) throw new TypeError(`${path} must be an object: ${String(value)}`);
  return value as Members;
}

/** The members of an object. Throws `TypeError` for unknown ones, except of an instance of a class. */
export function knownMembersOf(value: unknown, path: string, known: readonly string[]): Members {
  const members = membersOf(value, path);
  if (!isPlain(members)) return members;
  const other = Object.keys(members).find((name) => !known.includes(name));
  if (other !== undefined) throw new TypeError(`unknown member ${path}.${other}: it can be one of ${known.join(', ')}`);
  return members;
}

/** Whether an object is no instance of a class. */
export function isPlain(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  return prototype === Object.prototype || prototype === null;
}

/** A value for a message: `"int"`, `function Number`, `7`. A function's text would be its source. */
export function shown(value: unknown): string {
  if (typeof value === 'function') return `function ${value.name}`.trimEnd();
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

/** A function, or `undefined`. */
export function functionFrom<F extends (...args: never) => unknown = HostFunction>(value: unknown, path: string): F | undefined {
  if (value !== undefined && typeof value !== 'function') throw new TypeError(`${path} must be a function: ${typeof value}`);
  return value as F | undefined;
}

/** A text, or `undefined`. */
export function textFrom(value: unknown, path: string): string | undefined {
  if (value !== undefined && typeof value !== 'string') throw new TypeError(`${path} must be a text: ${String(value)}`);
  return value;
}

/** A list of texts. */
export function textsFrom(value: unknown, path: string): readonly string[] {
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value as readonly string[];
  throw new TypeError(`${path} must be a list of texts: ${String(value)}`);
}

/** A whole number in a range. The range may end at `Infinity`, which then is in it. */
export function numberFrom(value: unknown, path: string, [min, max]: readonly [min: number, max: number]): number {
  if (typeof value === 'number' && value >= min && value <= max && (Number.isInteger(value) || value === Infinity)) return value;
  throw new TypeError(`${path} must be a whole number from ${min} to ${max}: ${String(value)}`);
}

/** One of a few values. */
export function oneOf<T>(value: unknown, path: string, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === value);
  if (found === undefined) throw new TypeError(`${path} must be one of ${allowed.join(', ')}: ${String(value)}`);
  return found;
}
