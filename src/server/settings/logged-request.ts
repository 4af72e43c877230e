/** The request of a logged failure, as the logger gets it. */
import type { IncomingMessage } from 'node:http';

/**
 * The second argument of `error` of a logger, if the server has the option `requestId`. `console` does not get it, since the id is in the
 * message. A logger of pino does not either: it has the id in the field `requestId`. A function with two parameters always gets one, which
 * is empty for a failure that is not a request's.
 *
 * @example
 * ```ts
 * const logger: Logger = {
 *   info: () => {},
 *   error: (error, { id }: LoggedRequest) => console.error(JSON.stringify({ id, message: error.message })),
 * };
 * new ApiServer('/v1', { logger, requestId: true });
 * ```
 */
export interface LoggedRequest {
  /** The id of the request. */
  readonly id?: string;
  /** Node's own request. Not enumerable: a logger that writes all properties as JSON would write its socket. */
  readonly request?: IncomingMessage;
}
