/** The tables of the stores, as a statement that a migration can hold. */
import { type Checked, type Shape, shape } from '../util/options.ts';
import { quoteTable, schemaName, tableName } from './names.ts';

/**
 * The options of `postgresTables`.
 *
 * @example
 * ```ts
 * const options: PostgresTablesOptions = { schema: 'app', keys: 'response' };
 * await db.query(postgresTables(options));
 * const keys = postgresIdempotencyStore(db, { schema: 'app', table: 'response' });
 * ```
 */
export interface PostgresTablesOptions {
  /** The schema of the tables, which must exist. @default the first of the `search_path` of the connection */
  readonly schema?: string;
  /** The name of the table of `postgresIdempotencyStore`. @default "restpoint_key" */
  readonly keys?: string;
  /** The name of the table of `postgresRates`. @default "restpoint_rate" */
  readonly rates?: string;
  /** The name of the table of `postgresEvents`. @default "restpoint_event" */
  readonly events?: string;
}

export const KEYS_TABLE = 'restpoint_key';
export const RATES_TABLE = 'restpoint_rate';
export const EVENTS_TABLE = 'restpoint_event';

/** `postgresTables(options)`: {@link PostgresTablesOptions}. */
export const POSTGRES_TABLES_OPTIONS: Shape<Checked<PostgresTablesOptions, 'keys' | 'rates' | 'events'>> = shape({
  schema: schemaName(),
  keys: tableName(KEYS_TABLE),
  rates: tableName(RATES_TABLE),
  events: tableName(EVENTS_TABLE),
});

/**
 * Makes the statement that creates the tables of the stores and their indexes where they are missing. Processes that start at the same time
 * can all run it; where nothing is missing, so can a role that may not create tables, and a standby. It is text that a migration can hold,
 * too. PostgreSQL 13 or later.
 *
 * @example
 * ```ts
 * await db.query(postgresTables());
 * ```
 * @throws `TypeError` for a name that is not made of letters, digits, `_` and `$`.
 */
export function postgresTables(options: PostgresTablesOptions = {}): string {
  const { schema, keys, rates, events } = POSTGRES_TABLES_OPTIONS.check(options, 'options');
  const key = quoteTable(schema, keys);
  const rate = quoteTable(schema, rates);
  const event = quoteTable(schema, events);
  // Two that create a table at the same time would fail, so the second waits for the first.
  const body = `BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('restpoint tables', 0));

  ${createTable(schema, keys, `TABLE IF NOT EXISTS ${key} (
    key text PRIMARY KEY, fingerprint text NOT NULL, caller text, owner text,
    status integer, headers text, body bytea, expires timestamptz NOT NULL
  )`)}
  ${createIndex(key, `${keys}_expires`, '(expires)')}
  ${createIndex(key, `${keys}_caller`, '(caller, expires) WHERE caller IS NOT NULL')}

  -- Not logged: after a crash of the database, all quotas are whole.
  ${createTable(schema, rates, `UNLOGGED TABLE IF NOT EXISTS ${rate} (
    key text PRIMARY KEY, missing bigint NOT NULL, at bigint NOT NULL, is_allowed boolean NOT NULL, expires bigint NOT NULL
  )`)}
  ${createIndex(rate, `${rates}_expires`, '(expires)')}

  ${createTable(schema, events, `TABLE IF NOT EXISTS ${event} (
    channel text NOT NULL, xid xid8 NOT NULL DEFAULT pg_current_xact_id(), id bigint GENERATED ALWAYS AS IDENTITY,
    event text, data json NOT NULL, created timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (channel, xid, id)
  )`)}
  ${createIndex(event, `${events}_created`, '(channel, created)')}
END`;
  let quote = '$tables$';
  // A name can have dollar signs.
  while (body.includes(quote)) quote = quote.replace('$', '$_');
  // One statement: PGlite runs only one in a query.
  return `DO ${quote} ${body} ${quote};\n`;
}

// IF NOT EXISTS alone checks the rights of the role, and that the database is not read-only, before it looks.
function createTable(schema: string | undefined, name: string, table: string): string {
  const path = schema === undefined ? 'quote_ident(current_schema())' : `'"${schema}"'`;
  return `IF to_regclass(${path} || '."${name}"') IS NULL THEN CREATE ${table}; END IF;`;
}

// In the same way, it locks the table before it looks, so it would wait for open transactions, and all that write would wait for it. It is
// there for a serializable transaction, which does not see what was created while it waited.
function createIndex(table: string, name: string, columns: string): string {
  return `IF NOT EXISTS (SELECT FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid WHERE indrelid = '${table}'::regclass AND relname = '${name}') THEN
    CREATE INDEX IF NOT EXISTS "${name}" ON ${table} ${columns};
  END IF;`;
}
