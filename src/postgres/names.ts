/**
 * Names in statements. They cannot be parameters, so they are checked, and quoted:
 *
 *   { schema: 'app', table: 'kept' }   ->   "app"."kept"
 *   booking.id                         ->   "booking"."id"
 */
import { type Option, option } from '../util/options.ts';

// PostgreSQL cuts a name after 63 bytes. The names of indexes are longer than the ones of their tables.
const MAX_TABLE = 48;
const MAX_NAME = 63;
const NAME = /^[\p{L}_][\p{L}\p{N}_$]*$/u;

/** An option that names a table. */
export function tableName(byDefault: string): Option<string> {
  return option('a name', (value, path) => checkIdentifier(value, path, MAX_TABLE), byDefault);
}

/** The option `schema`. */
export function schemaName(): Option<string | undefined> {
  return option<string | undefined>('a name', (value, path) => checkIdentifier(value, path, MAX_NAME), undefined);
}

/** Quotes the name of a table. */
export function quoteTable(schema: string | undefined, table: string): string {
  return schema === undefined ? `"${table}"` : `"${schema}"."${table}"`;
}

/** Checks and quotes the name of a column, which can have its table and its schema before it. */
export function quoteColumn(column: unknown, path: string): string {
  const parts = typeof column === 'string' ? column.split('.') : [];
  if (parts.length > 0 && parts.length <= 3 && parts.every(isName)) return parts.map((part) => `"${part}"`).join('.');
  throw new TypeError(`${path} must be the name of a column, such as "room.name": ${JSON.stringify(column)}`);
}

function checkIdentifier(value: unknown, path: string, maxBytes: number): string {
  if (typeof value === 'string' && isName(value) && Buffer.byteLength(value) <= maxBytes) return value;
  throw new TypeError(`${path} must be a name of letters, digits, "_" and "$", of up to ${maxBytes} bytes: ${JSON.stringify(value)}`);
}

function isName(part: string): boolean {
  return NAME.test(part);
}
