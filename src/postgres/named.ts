/**
 * Statements with names, which PostgreSQL parses once for each connection: a rate took 633 us of its CPU without, and 133 with one.
 *
 * A pooler that shares the connections of PostgreSQL, such as PgBouncer before 1.21, does not know them. Its first error shows that.
 */
import { cryptoModule } from '../node.ts';
import type { PostgresPool, PostgresQueries, PostgresResult } from './pool.ts';

const { createHash } = cryptoModule();

/** The names of statements. A shared connection knows the names of other processes, too, so the same name must be the same statement. */
const names = new Map<string, string>();
/** The pools behind a pooler that shares connections. */
const sharing = new WeakSet<PostgresPool>();
// "Prepared statement does not exist", and "already exists".
const UNKNOWN = /^(?:26000|42P05)$/;

/** What `pg` takes in place of a string. */
interface NamingQueries {
  query(statement: { readonly name: string; readonly text: string; readonly values: any[] | undefined }): Promise<PostgresResult>;
}

/** Runs a statement of a pool, which can be a part of a transaction. */
export async function runNamed(
  pool: PostgresPool, queries: PostgresQueries, text: string, values: any[] | undefined,
): Promise<PostgresResult> {
  if (sharing.has(pool) || !takesNames(queries)) return queries.query(text, values);
  const name = names.get(text) ?? `restpoint_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
  names.set(text, name);
  try {
    return await (queries as PostgresQueries & NamingQueries).query({ name, text, values });
  } catch (error) {
    if (!UNKNOWN.test(String(Object(error).code))) throw error;
    sharing.add(pool);
    // The statement has not run. A transaction has failed with it, and is repeated as after a conflict.
    if (queries === pool) return queries.query(text, values);
    throw Object.assign(new Error('A pooler does not know the names of statements.', { cause: error }), { code: '40001' });
  }
}

/** Whether it is a pool or a client of `pg`. If somebody has replaced its `query`, that may take only strings. */
function takesNames(queries: PostgresQueries): boolean {
  return !Object.hasOwn(queries, 'query') && ('connectionParameters' in queries || 'Client' in queries);
}
