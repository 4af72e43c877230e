/**
 * The logger gets a line for each route and an `Error` for each failure. The error of a request names the route, and the id of the request
 * if it has one:
 *
 *   GET /v1/animal/:id (request 7f3c): Internal error: disk is full
 */
import type { IncomingMessage } from 'node:http';
import { disown, formatError } from '../util/promises.ts';
import { findHeader } from '../http/head.ts';
import { makeLoggedError } from './logged-error.ts';

/**
 * The two methods that the server calls. `console`, pino and winston have them.
 *
 * @example
 * ```ts
 * const logger: Logger = {
 *   info: () => {},
 *   error: ({ message, cause }) => console.error(new Date().toISOString(), message, cause),
 * };
 * new ApiServer('/v1', { logger });
 * ```
 */
export interface Logger {
  /** Logs a route at its registration: `route: GET /v1/animal/:id`. */
  readonly info: (message: string) => unknown;
  /**
   * Logs a failure. Its `message` names the route, the failure, and the `X-Request-Id` of the request. Its `cause` is the value that was
   * thrown. Its `stack` is printed by `console`: one line for a 4xx of a Custom operation, and at most twelve for a 500, from the first
   * frame of your code on. Control characters of `message` and `stack` are escaped, but not in `cause`.
   */
  readonly error: (error: Error) => unknown;
}

/** Wraps a user's logger: when it throws or rejects, neither the request nor the server fails. */
export function guardLogger(logger: Logger): Logger {
  return {
    info: (message) => attempt(() => logger.info(message)),
    error: (error) => attempt(() => logger.error(error)),
  };
}

async function attempt(log: () => unknown): Promise<void> {
  try {
    await log();
  } catch (thrown) {
    // The logger itself has failed, so this cannot be logged.
    disown(thrown);
  }
}

/** The failure of a request, for `Logger.error`. `source` is the route, or the code that failed. `isBrief`: its stack is one line. */
export function makeRequestError(request: IncomingMessage, source: string, message: string, cause: unknown, isBrief = false): Error {
  const id = findRequestId(request);
  return makeLoggedError(`${source}${id === undefined ? '' : ` (request ${id})`}: ${message}`, cause, isBrief);
}

/** Logs an error of the user's code for a request. `source` is as for `makeRequestError`. */
export function logRequestError(logger: Logger, request: IncomingMessage, source: string, thrown: unknown): void {
  logger.error(makeRequestError(request, source, formatError(thrown), thrown));
}

// Clients choose the id. These characters are harmless in a terminal, in a log and in a page.
const REQUEST_ID = /^[\w.:+/=@|~-]{1,200}$/;

/**
 * Returns the `X-Request-Id` of a request: from the client, or else from middleware, which sets it in `headers`. `undefined` if it is too
 * long or has other characters.
 */
function findRequestId({ rawHeaders, headers }: Partial<IncomingMessage>): string | undefined {
  // The user's code may have changed the headers.
  const sent = Array.isArray(rawHeaders) ? findHeader(rawHeaders.map(String), 'x-request-id') : undefined;
  const id = sent ?? headers?.['x-request-id'];
  return typeof id === 'string' && REQUEST_ID.test(id) ? id : undefined;
}
