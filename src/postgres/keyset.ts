/**
 * The condition and the order of a page of a list, for a statement that reads it by one scan of an index:
 *
 *   ?sort=-name&after=…   ->   WHERE ("room"."name", "booking"."id") < ($1, $2::bigint)
 *                              ORDER BY "room"."name" DESC, "booking"."id" DESC
 */
import { ApiError } from '../errors/api-error.ts';
import { checkObject, integer, type Shape, shape } from '../util/options.ts';
import { checkAwaited, isInstance } from '../util/promises.ts';
import { quoteColumn } from './names.ts';

/** A page of a list: `request.page` of `pages`. */
export interface KeysetPage {
  /** What the list is sorted by. */
  readonly by?: PropertyKey | undefined;
  /** Whether the rows are wanted in descending order. */
  readonly descending?: boolean;
  /** The cursor of the row after which the page begins, or its id and its key. */
  readonly after?: unknown;
}

/**
 * The columns of a list: of the `id`, which is the cursor, and of each name that clients can sort by.
 *
 * @example
 * ```ts
 * const columns: KeysetColumns<SortedPage<{ name: string }>> = { id: 'booking.id', name: 'room.name' };
 * ```
 */
export type KeysetColumns<Page extends KeysetPage> = {
  readonly [Name in 'id' | Extract<NonNullable<Page['by']>, string>]: string;
};

/**
 * The options of `keyset`.
 *
 * @example
 * ```ts
 * const options: KeysetOptions = { from: 2 };
 * const { where, orderBy, values } = keyset({ after: 7 }, { id: 'pet.id' }, options);
 * ```
 */
export interface KeysetOptions {
  /** The number of the first parameter: one more than the statement has besides. @default 1 */
  readonly from?: number;
}

/** The parts of a statement. */
export interface Keyset {
  /** A condition: `TRUE` for the first page. */
  readonly where: string;
  /** What follows `ORDER BY`. */
  readonly orderBy: string;
  /** The values of its parameters. */
  readonly values: unknown[];
}

/** `keyset(page, columns, options)`: {@link KeysetOptions}. */
export const KEYSET_OPTIONS: Shape<{ readonly from: number }> = shape({ from: integer(1, 65_000, 1) });

const MAX_BIGINT = 2n ** 63n - 1n;

/**
 * Makes the condition and the order of a page from `request.page` of `pages`, in both directions. With an index on the columns, each page
 * is one scan of as many rows as it has. Columns of a sort must not be `NULL`, and have one index each with the id. Names are quoted, so
 * they are as the table has them, and values are parameters.
 *
 * A column `timestamptz` has microseconds, which a `Date` loses: pages would repeat rows, or leave some out. Use `timestamptz(3)`, or
 * select
 * `pet.created::text AS created`, whose keys are strings: `sort: ['created']`, and `'pet.created'` here.
 *
 * @example
 * ```ts
 * const listPets = ({ take, ...page }: SortedPage<{ name: string }, number>, legs: number) => {
 *   const { where, orderBy, values } = keyset(page, { id: 'pet.id', name: 'pet.name' }, { from: 2 });
 *   return db.query(`SELECT * FROM pet WHERE legs = $1 AND ${where} ORDER BY ${orderBy} LIMIT ${take}`, [legs, ...values]);
 * };
 * ```
 * @throws `TypeError` for a column that is not a name and for a promise, and `ApiError` with the status 400 for a cursor that no row can
 * have.
 */
export function keyset<Page extends KeysetPage>(page: Page, columns: KeysetColumns<Page>, options: KeysetOptions = {}): Keyset {
  const { from } = KEYSET_OPTIONS.check(options, 'options');
  const given = checkObject(columns, 'columns');
  const { by, descending = false, after } = page;
  const quote = (name: string): string => quoteColumn(Object.hasOwn(given, name) ? given[name] : undefined, `columns.${name}`);
  const names = by === undefined ? [quote('id')] : [quote(String(by)), quote('id')];
  const orderBy = names.map((name) => `${name} ${descending ? 'DESC' : 'ASC'}`).join(', ');
  if (after === undefined) return { where: 'TRUE', orderBy, values: [] };
  const values: unknown[] = [];
  const add = (value: unknown): string => {
    values.push(checkColumnValue(checkAwaited(value, 'a cursor for keyset')));
    return `$${from + values.length - 1}${formatCast(value)}`;
  };
  const operator = descending ? '<' : '>';
  const { id, key } = findPosition(checkAwaited(after, 'page.after'));
  if (by !== undefined) return { where: `(${names.join(', ')}) ${operator} (${add(key)}, ${add(id)})`, orderBy, values };
  const where = `${names.join('')} ${operator} ${add(id)}`;
  const nearest = nearestBigint(id);
  // A bigint is compared with a larger number without its index, so the largest one finds the rows, of which there may be one.
  return { where: nearest === undefined ? where : `(${where} AND ${names.join('')} ${operator}= ${add(nearest)})`, orderBy, values };
}

interface KeysetPosition {
  readonly id: unknown;
  readonly key?: unknown;
}

/** A list that clients can sort has an object with the id. A cursor that is a date is an object, too. */
function findPosition(after: unknown): KeysetPosition {
  return typeof after === 'object' && after !== null && Object.hasOwn(after, 'id') ? after as KeysetPosition : { id: after };
}

/** Clients can change a cursor. */
function checkColumnValue(value: unknown): unknown {
  // PostgreSQL cannot store it, and a driver sends a different character for half a surrogate pair.
  if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) {
    throw ApiError.argument('the cursor has a character that no item has');
  }
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'string' || typeof value === 'number' || isInstance(value, Date)) return value;
  throw new TypeError(`a cursor for keyset must be a string, a number or a Date: ${value === null ? 'null' : typeof value}`);
}

/**
 * Numbers have a type of their own: one that is too large for an `integer` then finds no row, and does not fail. Strings and dates get the
 * type of their column.
 */
function formatCast(value: unknown): string {
  if (typeof value !== 'number' && typeof value !== 'bigint') return '';
  return Number.isSafeInteger(value) || (typeof value === 'bigint' && nearestBigint(value) === undefined) ? '::bigint' : '::numeric';
}

/** Returns `undefined` for a number that a bigint of PostgreSQL can be. */
function nearestBigint(value: unknown): bigint | undefined {
  if (typeof value !== 'bigint') return undefined;
  return value > MAX_BIGINT ? MAX_BIGINT : value < -MAX_BIGINT ? -MAX_BIGINT : undefined;
}
