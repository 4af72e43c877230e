/**
 * The result of `JSON.stringify` and then `JSON.parse`, as a type:
 *
 *   { born: Date; tag?: string | undefined; feed: () => void }   ->   { born: string; tag?: string }
 */

/** A `T` after its way through JSON. `never`: JSON has nothing for it. */
export type Json<T> = T extends string | number | boolean | null
  ? T
  : unknown extends T
    ? T
    : T extends Special ? Written<T> : T extends object ? Members<T> : never;

/** Values that are more than their members. One check for all of them: most objects have no such type. */
type Special = { toJSON(...args: never): unknown } | Absent | bigint | readonly unknown[] | ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>;

type Written<T> = T extends { toJSON(...args: never): infer Given }
  ? Json<Given>
  : T extends Absent | bigint
    ? never
    : T extends readonly unknown[]
      ? number extends T['length'] ? List<T[number]> : { -readonly [Index in keyof T]: Item<T[Index]> }
      : {};

/** Values that `JSON.stringify` leaves out of an object, and writes as `null` in a list. */
type Absent = undefined | symbol | ((...args: never) => unknown);

type Item<T> = unknown extends T ? T : T extends Absent ? null : Json<T>;

// A separate alias is resolved late, so that a type can have lists of itself.
type List<T> = Item<T>[];

// Most objects have no such members, and are checked at once.
type Members<T> = [HasAbsent<T[keyof T]>, keyof T & symbol] extends [never, never]
  ? { -readonly [Name in keyof T]: Json<T[Name]> }
  : PresentMembers<T>;

type HasAbsent<Value> = Value extends Absent ? true : never;

type PresentMembers<T> = Flat<
  & { -readonly [Name in keyof T as PresentName<Name, T[Name]>]: Json<T[Name]> }
  & { -readonly [Name in keyof T as MissingName<Name, T[Name]>]?: Json<Exclude<T[Name], Absent>> }
>;

/** The name of a member that is always there. */
type PresentName<Name, Value> = Name extends symbol
  ? never
  : unknown extends Value ? Name : [Extract<Value, Absent>] extends [never] ? Name : never;

/** The name of a member that may be missing. */
type MissingName<Name, Value> = Name extends symbol
  ? never
  : unknown extends Value
    ? never
    : [Extract<Value, Absent>] extends [never] ? never : [Exclude<Value, Absent>] extends [never] ? never : Name;

type Flat<T> = { [Name in keyof T]: T[Name] };
