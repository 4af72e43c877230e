/** The message about a request that the server publishes for observers. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Route } from './routes.ts';

/**
 * The message of `restpoint.request`. It is the same object in all events of a request.
 *
 * @example
 * ```ts
 * import { subscribe } from 'node:diagnostics_channel';
 *
 * subscribe('tracing:restpoint.request:asyncEnd', (message) => {
 *   const { route, response } = message as RequestMessage;
 *   console.log(route.method, route.path, response.statusCode);
 * });
 * ```
 */
export interface RequestMessage {
  /** Node's own request. The server reads its body. */
  readonly request: IncomingMessage;
  /** Node's own response. The server writes it. */
  readonly response: ServerResponse;
  /**
   * The route as `server.routes` lists it. A mounted server publishes no message of its own: its route, with the path of the mount before
   * it, replaces the route of the mount.
   */
  readonly route: Route;
  /** The operation of the endpoint, such as `get` or `custom.feed`. `undefined` for the `OPTIONS` of a path, and for a mount. */
  readonly operation: string | undefined;
  /** The reason of an error response: the `Error` that was thrown, or else an `ApiError`. */
  readonly error?: Error;
}
