/** Runs statements outside of a transaction of the operation. */
import { ATTEMPTS, isConflict, isUnavailable, makeConflict, makeUnavailable } from './failures.ts';
import type { PostgresPool, PostgresQueries, PostgresResult } from './pool.ts';

/**
 * Repeats a statement that fails because of others, which happens where transactions are serializable by default. If it goes on, and while
 * there is no connection, the error is a 503.
 */
export function repeatStatements(pool: PostgresPool): PostgresQueries {
  return { query: (text, values = []) => runStatement(pool, text, values) };
}

async function runStatement(pool: PostgresPool, text: string, values: any[], attempt = 1): Promise<PostgresResult> {
  try {
    return await pool.query(text, values);
  } catch (error) {
    if (!isConflict(error)) throw isUnavailable(error) ? makeUnavailable(error) : error;
    if (attempt === ATTEMPTS) throw makeConflict(error);
    return runStatement(pool, text, values, attempt + 1);
  }
}
