/** Runs statements outside of a transaction of the operation. */
import { ATTEMPTS, isConflict, isTemporary, makeConflict, makeUnavailable, needsPrimary } from './failures.ts';
import { qualified } from './names.ts';
import type { PostgresPool, PostgresQueries, PostgresResult } from './pool.ts';
import { runTransaction } from './run-transaction.ts';

/**
 * Repeats a statement that fails because of others, which happens where transactions are serializable by default. If it goes on, and while
 * the database is not available, the error is a 503.
 */
export function repeatStatements(pool: PostgresPool): PostgresQueries {
  const queries = qualified(pool);
  return { query: (text, values = []) => runStatement(pool, queries, text, values) };
}

async function runStatement(
  pool: PostgresPool, queries: PostgresQueries, text: string, values: any[], attempt = 1,
): Promise<PostgresResult> {
  try {
    return await queries.query(text, values);
  } catch (error) {
    // Only a transaction can close the connection. That of the next attempt can be as old.
    if (needsPrimary(error)) return runTransaction(pool, { isolation: undefined }, (tx) => qualified(pool, tx).query(text, values));
    if (!isConflict(error)) throw isTemporary(error) ? makeUnavailable(error) : error;
    if (attempt === ATTEMPTS) throw makeConflict(error);
    return runStatement(pool, queries, text, values, attempt + 1);
  }
}
