/** The request of a logged failure, as the logger gets it. */
import type { IncomingMessage } from 'node:http';

/**
 * The second argument of `error` of a logger that is a function with two parameters. It is empty for a failure that is not a request's.
 * With the option `requestId`, other functions get it too, but not `console`, since the id is in the message, and not a logger of pino,
 * which has the id in the field `requestId`.
 *
 * @example
 * ```ts
 * const logger: Logger = {
 *   info: () => {},
 *   error: ({ message }, { id, status = 500 }: LoggedRequest) => console.error(status < 500 ? 'warning' : 'error', id, message),
 * };
 * new ApiServer('/v1', { logger, requestId: true });
 * ```
 */
export interface LoggedRequest {
  /** The id of the request, by the option `requestId`. */
  readonly id?: string;
  /** The status of the response, if it is this error of an operation: a 5xx, or a 4xx of a Custom operation. */
  readonly status?: number;
  /** Node's own request. Not enumerable: a logger that writes all properties as JSON would write its socket. */
  readonly request?: IncomingMessage;
  /** The address of the client, as the option `proxy` of the server says. Not enumerable: a log keeps it only if it is asked for. */
  readonly client?: string;
}
