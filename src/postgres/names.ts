/**
 * Names in statements. They cannot be parameters, so they are checked, and quoted:
 *
 *   booking.id        ->   "booking"."id"
 *   "restpoint_key"   ->   app."restpoint_key"
 *
 * The tables of the stores are found once for a pool, before an operation can change the `search_path` of its transaction: otherwise a key
 * would be looked up in one table and stored in another.
 */
import { type Option, option } from '../util/options.ts';
import { runNamed } from './named.ts';
import type { PostgresPool, PostgresQueries } from './pool.ts';

export const KEYS_TABLE = '"restpoint_key"';
export const RATES_TABLE = '"restpoint_rate"';
export const EVENTS_TABLE = '"restpoint_event"';

// PostgreSQL cuts a name after 63 bytes.
const MAX_NAME = 63;
const NAME = /^[\p{L}_][\p{L}\p{N}_$]*$/u;
const TABLE = new RegExp([KEYS_TABLE, RATES_TABLE, EVENTS_TABLE].join('|'), 'g');
const FIND_TABLES = `SELECT format('"%s"', relname) AS name, format('%I."%s"', nspname, relname) AS qualified,
    pg_table_is_visible(pg_class.oid) AS is_visible, count(*) OVER (PARTITION BY relname) = 1 AS is_only
  FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE relname IN ('restpoint_key', 'restpoint_rate', 'restpoint_event') AND relkind IN ('r', 'p')
    AND has_schema_privilege(nspname, 'USAGE')`;

/** A row of `FIND_TABLES`. */
interface FoundTable {
  readonly name: string;
  readonly qualified: string;
  readonly is_visible: boolean;
  readonly is_only: boolean;
}

type Tables = Map<string, string>;

/** The qualified names of the tables of each pool that has a store, by their names in statements. */
const tablesOfPools = new WeakMap<PostgresPool, Tables>();

/**
 * Runs statements with the schemas of their tables. A transaction that the user has begun may have a `search_path` and a role of its own,
 * so what is found by one is not kept.
 */
export function qualified(pool: PostgresPool, queries: PostgresQueries = pool): PostgresQueries {
  const ofPool = tablesOfPools.get(pool) ?? new Map<string, string>();
  tablesOfPools.set(pool, ofPool);
  return {
    query: async (text, values) => {
      const isKnown = (text.match(TABLE) ?? []).every((name) => ofPool.has(name));
      const tables = isKnown ? ofPool : await findTables(queries, ofPool, queries === pool);
      // A table that is not there has its short name in the error of PostgreSQL.
      return runNamed(pool, queries, text.replace(TABLE, (name) => tables.get(name) ?? name), values);
    },
  };
}

/** Finds the tables of a pool that has a store, by a connection before its transaction. */
export async function findTablesOf(pool: PostgresPool, queries: PostgresQueries): Promise<void> {
  const ofPool = tablesOfPools.get(pool);
  if (ofPool?.size === 0) await findTables(queries, ofPool, true);
}

/** Finds each table in the `search_path`, or else in the only schema that has it. */
async function findTables(queries: PostgresQueries, ofPool: Tables, isOutside: boolean): Promise<Tables> {
  const rows = (await queries.query(FIND_TABLES)).rows as readonly FoundTable[];
  const found = rows.filter((row) => row.is_visible || row.is_only);
  for (const row of found) if (isOutside) ofPool.set(row.name, row.qualified);
  return new Map(found.map((row) => [row.name, row.qualified]));
}

/** The option `schema`. */
export function schemaName(): Option<string | undefined> {
  return option<string | undefined>('a name', checkSchemaName, undefined);
}

function checkSchemaName(value: unknown, path: string): string {
  if (typeof value === 'string' && isName(value) && Buffer.byteLength(value) <= MAX_NAME) return value;
  throw new TypeError(`${path} must be a name of letters, digits, "_" and "$", of up to ${MAX_NAME} bytes: ${JSON.stringify(value)}`);
}

/** Checks and quotes the name of a column, which can have its table and its schema before it. */
export function quoteColumn(column: unknown, path: string): string {
  const parts = typeof column === 'string' ? column.split('.') : [];
  if (parts.length > 0 && parts.length <= 3 && parts.every(isName)) return parts.map((part) => `"${part}"`).join('.');
  throw new TypeError(`${path} must be the name of a column, such as "room.name": ${JSON.stringify(column)}`);
}

function isName(part: string): boolean {
  return NAME.test(part);
}
