/**
 * Tables of options. A table has the check and the default of each option, so that nothing else lists them:
 *
 *   const OPTIONS = shape({ max: integer(1, 1000, 100), cursor: required(functionOr<Cursor>()) });
 *
 *   OPTIONS.check({ cursor }, 'options')           ->   { max: 100, cursor }
 *   OPTIONS.check({ max: 0, cursor }, 'options')   ->   options.max must be a whole number from 1 to 1000: 0
 *   OPTIONS.check({ mx: 5, cursor }, 'options')    ->   unknown option options.mx: did you mean max? It can be one of max, cursor
 *
 * The types of a user's options are gone at run time. Each check throws a `TypeError` that names the wrong option by its path.
 */
import { checkAwaited, disownAll } from './promises.ts';
import { findSimilarName } from './similar-name.ts';

/** The properties of a user's object. */
export type Properties = Readonly<Record<string, unknown>>;

/** A function from the user. Call it with its receiver as `this`. */
export type UserFunction = (...args: unknown[]) => unknown;

type AnyFunction = (...args: never) => unknown;

/** The longest delay of Node's timers, in milliseconds. */
export const MAX_MS: number = 2 ** 31 - 1;
/** The length of V8's longest string, for bytes that become one. */
export const MAX_BYTES: number = 2 ** 29 - 24;

/** The values that an option can have, and its default. */
export interface Option<T> {
  /** Returns the value if it is valid. `path` is the option in messages, such as `options.max`. */
  readonly check: (value: unknown, path: string) => T;
  readonly byDefault: T;
  /** The values that it can have, in the words of the reference. */
  readonly values: string;
  readonly isRequired?: boolean;
}

type Table<T> = { readonly [Name in keyof T]-?: Option<T[Name]> };

/** A table of options, which can be an option of a different table. `check` returns all of them, with their defaults. */
export interface Shape<T> extends Option<T> {
  readonly table: Table<T>;
}

/** The user's options after their check. `Defaulted` names the ones with a default. */
export type Checked<Options, Defaulted extends keyof Options = never> = {
  // `-?` would also remove `undefined` from the type, in a program without `exactOptionalPropertyTypes`.
  readonly [Name in keyof Required<Options>]: Name extends Defaulted ? Exclude<Options[Name], undefined> : Given<Options, Name>;
};

type Given<Options, Name extends keyof Options> = {} extends Pick<Options, Name> ? Options[Name] | undefined : Options[Name];

/** Makes a table. `example` is what to write in place of a value that is not an object: `such as { max: 1 }`. */
export function shape<T>(table: Table<T>, example?: string): Shape<T> {
  const entries = Object.entries(table) as [string, Option<unknown>][];
  const names = entries.map(([name]) => name);
  const defaults = Object.fromEntries(entries.map(([name, { byDefault }]) => [name, byDefault]));
  const check = (value: unknown, path: string): T => {
    try {
      const given = checkNames(value, path, names, example && ` ${example}`);
      const checked = { ...defaults };
      for (const [name, { isRequired, check: checkOption }] of entries) {
        const value = given[name];
        if (value !== undefined || isRequired === true) checked[name] = checkOption(value, path === '' ? name : `${path}.${name}`);
      }
      return checked as T;
    } catch (thrown) {
      disownAll(value);
      throw thrown;
    }
  };
  return { table, check, values: 'an object', get byDefault() { return check({}, ''); } };
}

/** An option that must be given. `example` is what to write, for the message. */
export function required<T>({ check, values }: Option<T | undefined>, example?: string): Option<T> {
  return {
    isRequired: true,
    // Never read, since a missing option is rejected.
    byDefault: undefined as T,
    values,
    check: (value, path) => {
      if (value === undefined) throw new TypeError(`${path} is required${example === undefined ? '' : `: ${example}`}`);
      return check(value, path) as T;
    },
  };
}

/** The same option without its default. */
export function optional<T>({ check, values }: Option<T>): Option<T | undefined> {
  return { check, values, byDefault: undefined };
}

/** An option with a check of its own. */
export function option<T>(values: string, check: (value: unknown, path: string) => T, byDefault: T): Option<T> {
  return { check, byDefault, values };
}

/** An option that is checked elsewhere. */
export function anything<T = unknown>(values: string): Option<T> {
  return option(values, (value) => value as T, undefined as T);
}

/** A whole number in a range. `max` may be `Infinity`, and then `Infinity` is valid too. */
export function integer<Default extends number | undefined = undefined>(
  min: number, max: number, byDefault?: Default,
): Option<number | Default> {
  return option<number | Default>(`${min} to ${max}`, (value, path) => checkInteger(value, path, min, max), byDefault as Default);
}

export function boolean(byDefault = false): Option<boolean> {
  return option('a boolean', checkBoolean, byDefault);
}

/** One of a few values: the first by default. */
export function oneOf<const T>(allowed: readonly [T, ...T[]]): Option<T> {
  return option(allowed.map(formatValue).join(', '), (value, path) => checkOneOf(value, path, allowed), allowed[0]);
}

export function functionOr<F extends AnyFunction = UserFunction>(): Option<F | undefined>;
export function functionOr<F extends AnyFunction>(byDefault: F): Option<F>;
export function functionOr<F extends AnyFunction>(byDefault?: F): Option<F | undefined> {
  return option<F | undefined>('a function', checkFunction, byDefault);
}

export function string<Default extends string | undefined = undefined>(byDefault?: Default): Option<string | Default> {
  return option<string | Default>('a string', checkString, byDefault as Default);
}

export function strings<Default extends readonly string[] | undefined = undefined>(
  byDefault?: Default,
): Option<readonly string[] | Default> {
  return option<readonly string[] | Default>('a list of strings', checkStrings, byDefault as Default);
}

export function checkObject(value: unknown, path: string, example = ''): Properties {
  if (typeof value !== 'object' || value === null) throw new TypeError(`${path} must be an object${example}: ${String(value)}`);
  return checkAwaited(value as Properties, path);
}

/**
 * Throws for unknown options. An instance of a class may have any, since it has properties of its own. A name that begins with a space is
 * the package's own.
 */
function checkNames(value: unknown, path: string, known: readonly string[], example?: string): Properties {
  const given = checkObject(value, path === '' ? 'options' : path, example);
  if (!isPlainObject(given)) return given;
  const unknown = Object.keys(given).find((name) => !known.includes(name) && !name.startsWith(' '));
  if (unknown === undefined) return given;
  const similar = findSimilarName(unknown, known);
  const hint = similar === undefined ? 'it' : `did you mean ${similar}? It`;
  throw new TypeError(`unknown option ${path === '' ? '' : `${path}.`}${unknown}: ${hint} can be one of ${known.join(', ')}`);
}

/** Whether an object is not an instance of a class. */
export function isPlainObject(object: object): boolean {
  const prototype = Object.getPrototypeOf(object) as object | null;
  // The `Object` of a different realm, such as a test runner's, is not the one of here.
  return prototype === Object.prototype || prototype === null || Object.hasOwn(prototype, 'isPrototypeOf');
}

/** Formats a value for a message: `"int"`, `function Number`, `7`. `String` of a function would be its source. */
export function formatValue(value: unknown): string {
  if (typeof value === 'function') return `function ${value.name}`.trimEnd();
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

/** Checks a name that becomes a part of keys and headers. */
export function checkShortName(value: unknown, path: string): string {
  if (typeof value === 'string' && /^[\w.-]{1,64}$/.test(value)) return value;
  throw new TypeError(`${path} must be up to 64 letters, digits, ".", "_" and "-": ${formatValue(value)}`);
}

export function checkFunction<F extends AnyFunction = UserFunction>(value: unknown, path: string): F {
  if (typeof value !== 'function') throw new TypeError(`${path} must be a function: ${typeof value}`);
  return value as unknown as F;
}

export function checkString(value: unknown, path: string): string {
  if (typeof value !== 'string') throw new TypeError(`${path} must be a string: ${String(value)}`);
  return value;
}

export function checkStrings(value: unknown, path: string): readonly string[] {
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value as readonly string[];
  throw new TypeError(`${path} must be a list of strings: ${String(value)}`);
}

export function checkInteger(value: unknown, path: string, min: number, max: number): number {
  if (typeof value === 'number' && value >= min && value <= max && (Number.isInteger(value) || value === Infinity)) return value;
  throw new TypeError(`${path} must be a whole number from ${min} to ${max}: ${String(value)}`);
}

function checkOneOf<T>(value: unknown, path: string, allowed: readonly T[]): T {
  if ((allowed as readonly unknown[]).includes(value)) return value as T;
  throw new TypeError(`${path} must be ${allowed.length === 1 ? '' : 'one of '}${allowed.join(', ')}: ${String(value)}`);
}

export function checkBoolean(value: unknown, path: string): boolean {
  if (typeof value !== 'boolean') throw new TypeError(`${path} must be a boolean: ${String(value)}`);
  return value;
}
