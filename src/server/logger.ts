/**
 * The logger: it gets a line for each route and an `Error` for each failure. That of a request names the route, and the request if that has
 * an id:
 *
 *   GET /v1/animal/:id (request 7f3c): Internal error: disk is full
 */
import type { IncomingMessage } from 'node:http';
import { disown } from '../util/promises.ts';
import { findHeader } from '../http/head.ts';
import { makeLoggedError } from './logged-error.ts';

/** The two methods that the server calls. `console`, pino and winston have them. */
export interface Logger {
  /** Logs a route at its registration: `route: GET /v1/animal/:id`. */
  readonly info: (message: string) => unknown;
  /**
   * Logs a failure. Its `message` names the route and the failure, and the request if that has an `X-Request-Id`. Its `cause` is what
   * was thrown. Its `stack` is what `console` prints: one line for a 4xx of a Custom operation, and at most twelve for a 500, from the first frame
   * of your code on. Control characters of both are escaped; those of the cause are not.
   */
  readonly error: (error: Error) => unknown;
}

/** Wraps a host's logger: when it throws or rejects, neither the request nor the server fails. */
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
    // The logger failed, so the failure cannot be logged.
    disown(thrown);
  }
}

/** The failure of a request, for `Logger.error`. `source` is the route, or who has failed. `isBrief`: its stack is one line. */
export function makeRequestError(request: IncomingMessage, source: string, text: string, cause: unknown, isBrief = false): Error {
  const id = findRequestId(request);
  return makeLoggedError(`${source}${id === undefined ? '' : ` (request ${id})`}: ${text}`, cause, isBrief);
}

// Clients choose it. These characters mean nothing to a terminal, to a log's own format, or to a page that shows it.
const REQUEST_ID = /^[\w.:+/=@|~-]{1,200}$/;

/**
 * The `X-Request-Id` of a request: the client's, or else that of middleware, which sets it in `headers`. An id that is too long, or has
 * other characters, is not shown at all.
 */
function findRequestId({ rawHeaders, headers }: Partial<IncomingMessage>): string | undefined {
  // The host may have changed them.
  const sent = Array.isArray(rawHeaders) ? findHeader(rawHeaders.map(String), 'x-request-id') : undefined;
  const id = sent ?? headers?.['x-request-id'];
  return typeof id === 'string' && REQUEST_ID.test(id) ? id : undefined;
}
