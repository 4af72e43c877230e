/** The meaning of an error of PostgreSQL, or of the connection to it. */

/**
 * - `unique`, `foreign key`: the statement broke a constraint.
 * - `rolled back`: other transactions were in the way. The statement has changed nothing, so it may run again.
 * - `unavailable`: there was no connection, or the statement was not completed. It may have changed something.
 * - `mistake`: anything else, which is our own.
 */
export type Failure = 'unique' | 'foreign key' | 'rolled back' | 'unavailable' | 'mistake';

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const FAILURES: ReadonlyMap<unknown, Failure> = new Map([
  ['23505', 'unique'],
  ['23503', 'foreign key'],
  // A serialization failure, and a deadlock.
  ['40001', 'rolled back'],
  ['40P01', 'rolled back'],
  // The database is read-only, as one that was promoted or demoted a moment ago.
  ['25006', 'unavailable'],
  // `statement_timeout` is over.
  ['57014', 'unavailable'],
]);
// The connection failed, resources are used up, and the server is stopped or starts.
const UNAVAILABLE = /^(?:08|53|57P)/;

export function classifyFailure(thrown: unknown): Failure {
  if (!(thrown instanceof Error) || thrown instanceof TypeError) return 'mistake';
  // Only errors that the server reports have a severity. Codes are ambiguous: EPIPE looks like a code of the server.
  if (!('severity' in thrown && 'code' in thrown)) return 'unavailable';
  return FAILURES.get(thrown.code) ?? (UNAVAILABLE.test(String(thrown.code)) ? 'unavailable' : 'mistake');
}
