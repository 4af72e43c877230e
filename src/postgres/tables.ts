/** The tables of the stores, as a statement that a migration can hold. */
import { type Checked, type Shape, shape } from '../util/options.ts';
import { schemaName } from './names.ts';

/**
 * The options of `postgresTables`.
 *
 * @example
 * ```ts
 * const options: PostgresTablesOptions = { schema: 'app' };
 * await db.query(postgresTables(options));
 * ```
 */
export interface PostgresTablesOptions {
  /** The schema of the tables, which must exist. @default the first of the `search_path` of the connection */
  readonly schema?: string;
}

/** `postgresTables(options)`: {@link PostgresTablesOptions}. */
export const POSTGRES_TABLES_OPTIONS: Shape<Checked<PostgresTablesOptions>> = shape({ schema: schemaName() });

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
  const { schema } = POSTGRES_TABLES_OPTIONS.check(options, 'options');
  const path = schema === undefined ? '' : `"${schema}".`;
  // Two that create a table at the same time would fail, so the second waits for the first.
  const body = `BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('restpoint tables', 0));

  ${createTable(path, 'restpoint_key', 'TABLE', `
    key text PRIMARY KEY, fingerprint text NOT NULL, caller text, owner text,
    status integer, headers text, body bytea, expires timestamptz NOT NULL`)}
  ${createIndex(path, 'restpoint_key', 'expires', '(expires)')}
  ${createIndex(path, 'restpoint_key', 'caller', '(caller, expires) WHERE caller IS NOT NULL')}

  -- Not logged: after a crash of the database, all quotas are whole.
  ${createTable(path, 'restpoint_rate', 'UNLOGGED TABLE', `
    key text PRIMARY KEY, missing bigint NOT NULL, at bigint NOT NULL, is_allowed boolean NOT NULL, expires bigint NOT NULL`)}
  ${createIndex(path, 'restpoint_rate', 'expires', '(expires)')}

  ${createTable(path, 'restpoint_event', 'TABLE', `
    channel text NOT NULL, xid xid8 NOT NULL DEFAULT pg_current_xact_id(), id bigint GENERATED ALWAYS AS IDENTITY,
    event text, data json NOT NULL, created timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (channel, xid, id)`)}
  ${createIndex(path, 'restpoint_event', 'created', '(channel, created)')}
END`;
  let quote = '$tables$';
  // The name of a schema can have dollar signs.
  while (body.includes(quote)) quote = quote.replace('$', '$_');
  // One statement: PGlite runs only one in a query.
  return `DO ${quote} ${body} ${quote};\n`;
}

// IF NOT EXISTS alone checks the rights of the role, and that the database is not read-only, before it looks.
function createTable(path: string, name: string, kind: string, columns: string): string {
  const schema = path === '' ? "quote_ident(current_schema()) || '.'" : `'${path}'`;
  return `IF to_regclass(${schema} || '${name}') IS NULL THEN CREATE ${kind} IF NOT EXISTS ${path}${name} (${columns}
  ); END IF;`;
}

// In the same way, it locks the table before it looks, so it would wait for open transactions, and all that write would wait for it. It is
// there for a serializable transaction, which does not see what was created while it waited.
function createIndex(path: string, name: string, suffix: string, columns: string): string {
  const index = `${name}_${suffix}`;
  return `IF NOT EXISTS (SELECT FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
    WHERE indrelid = '${path}${name}'::regclass AND relname = '${index}') THEN
    CREATE INDEX IF NOT EXISTS ${index} ON ${path}${name} ${columns};
  END IF;`;
}
