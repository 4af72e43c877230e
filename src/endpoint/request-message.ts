/** What the server publishes of a request, for the code that observes it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Route } from './routes.ts';

/** The message of `restpoint.request`. It is the same object in all events of a request. */
export interface RequestMessage {
  /** Node's own request. The server reads its body. */
  readonly request: IncomingMessage;
  /** Node's own response. The server writes it. */
  readonly response: ServerResponse;
  /**
   * The route as `server.routes` lists it. A server that is mounted in another one publishes no second message: when it has found its own
   * route, that takes the place of the mount's, with the mount's path in front.
   */
  readonly route: Route;
  /** The member of the endpoint, as `get` or `custom.feed`. `undefined` for the `OPTIONS` of a path, and for a mount. */
  readonly operation: string | undefined;
  /** The reason of an error reply: the `Error` that was thrown, or else an `ApiError`. */
  readonly error?: Error;
}
