/**
 * Requests that a handler makes of its own server, within the request that it serves. They belong to their operation alone: the outer
 * request has passed the middleware, has a place in flight, and is waited for by `stop`.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface NestedRequest {
  readonly method: string;
  /** The path with the query. */
  readonly target: string;
  /** Header fields, without the length of the body. Names and values alternate. */
  readonly headers: readonly string[];
  readonly body: Uint8Array | undefined;
}

export interface NestedResponse {
  readonly status: number;
  /** The value of a header field, by its name in lower case. Of one that comes twice, the first. */
  readonly getHeader: (name: string) => string | undefined;
  readonly body: Buffer;
}

/** The request in which another one is made, and its response. */
export interface OuterRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * The nested request has the address of the outer one, and ends with it. Resolves with the answer, or with `undefined` if that has more
 * than `maxBytes` with its head. Rejects if there is no whole answer.
 */
export interface NestedCall {
  (nested: NestedRequest, outer: OuterRequest, maxBytes: number): Promise<NestedResponse | undefined>;
  /** The length of a head that is too long: `limits.headerBytes`. No parser checks that of a nested request. */
  readonly headBytes: number;
}
