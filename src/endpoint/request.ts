/** The `request` argument of operations. */
import type { IncomingMessage } from 'node:http';

/** The last argument of every operation. */
export interface ApiRequest {
  /** Node's own request. The server reads its body. */
  readonly raw: IncomingMessage;
  /** The query of the request target; empty without one. */
  readonly query: URLSearchParams;
  /** Aborts when the client leaves before the reply, and when the operation takes too long. */
  readonly signal: AbortSignal;
}
