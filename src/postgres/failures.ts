/** What the errors of a driver say. They can be the cause of an error of a library, such as Drizzle's. */
import { ApiError } from '../errors/api-error.ts';

const MAX_CAUSES = 8;
// Serialization failure, deadlock.
const CONFLICT = /^(?:40001|40P01)$/;
// The classes of PostgreSQL's codes for connections, transactions that were ended, resources and shutdown; the codes of Node.
const UNAVAILABLE = /^(?:08|40|53|57)...$|^E(?!RR_)[A-Z_]+$/;

/** How often something is tried that fails because of others. */
export const ATTEMPTS = 5;

/** Whether an error says that the transaction can succeed if it is repeated. */
export function isConflict(error: unknown): boolean {
  return hasCode(error, CONFLICT);
}

/** Whether an error says that a connection is lost, or that there is none now. */
export function isUnavailable(error: unknown): boolean {
  const { code, message } = Object(error) as { readonly code?: unknown; readonly message?: unknown };
  // `pg` has errors without a code: "Connection terminated unexpectedly", "timeout exceeded when trying to connect".
  return hasCode(error, UNAVAILABLE) || (code === undefined && /connection|timeout/i.test(String(message)));
}

function hasCode(error: unknown, codes: RegExp): boolean {
  let each = error;
  for (let causes = 0; causes < MAX_CAUSES && each !== undefined; causes += 1) {
    const { code, cause } = Object(each) as { readonly code?: unknown; readonly cause?: unknown };
    if (typeof code === 'string' && codes.test(code)) return true;
    each = cause;
  }
  return false;
}

/** Makes the 503 of a conflict that goes on. */
export function makeConflict(cause: unknown): ApiError {
  return makeRepeatable('Too many requests change the same data.', cause);
}

/** Makes the 503 of a database that cannot be reached. */
export function makeUnavailable(cause: unknown): ApiError {
  return makeRepeatable('The database is not available.', cause);
}

/** Makes a 503 that asks the client to try again. */
function makeRepeatable(detail: string, cause: unknown): ApiError {
  return ApiError.status(503, detail, { cause, headers: { 'Retry-After': '1' } });
}
