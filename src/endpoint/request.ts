/** What an operation is told of its request, beside its id and its body. */
import type { IncomingMessage } from 'node:http';

/** The last argument of every operation. */
export interface ApiRequest {
  /** Node's own request. Its body is read by the server. */
  readonly raw: IncomingMessage;
  /** The query of the request's target; empty when it has none. */
  readonly query: URLSearchParams;
  /** Aborts when the client leaves before it was answered, and when the operation takes too long. */
  readonly signal: AbortSignal;
}
