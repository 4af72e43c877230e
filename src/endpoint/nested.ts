/**
 * Requests that a handler makes to its own server, within the request that it serves. They do not pass middleware, do not count as in
 * flight, and `stop` does not wait for them, since the outer request has done all of this.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface NestedRequest {
  readonly method: string;
  /** The path with the query. */
  readonly target: string;
  /** The headers, without `Content-Length`. Names and values alternate. */
  readonly headers: readonly string[];
  readonly body: Uint8Array | undefined;
}

export interface NestedResponse {
  readonly status: number;
  /** Returns the first value of a header, by its name in lower case. */
  readonly getHeader: (name: string) => string | undefined;
  readonly body: Buffer;
}

/** The request within which the nested request is made, and its response. */
export interface OuterRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Makes a nested request. It has the remote address of the outer request, and ends with it. Resolves with the response, or with `undefined`
 * if the response, with its head, is longer than `maxBytes`. Rejects if the response is incomplete.
 */
export interface NestedCall {
  (nested: NestedRequest, outer: OuterRequest, maxBytes: number): Promise<NestedResponse | undefined>;
  /** The maximum length of a head: `limits.headerBytes`. No parser checks the head of a nested request. */
  readonly headBytes: number;
}
