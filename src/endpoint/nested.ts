/**
 * Requests that a handler makes of its own server, within the request that it serves. They belong to their operation alone: the outer
 * request has passed the middleware, has a place in flight, and is waited for by `stop`.
 */
import type { IncomingMessage } from 'node:http';

export interface NestedRequest {
  readonly method: string;
  /** The path with the query. */
  readonly target: string;
  /** Header fields, without the length of the body. Names and values alternate. */
  readonly fields: readonly string[];
  readonly body: Uint8Array | undefined;
}

export interface NestedAnswer {
  readonly status: number;
  /** By names in lower case. Of those that come twice, the last. */
  readonly fields: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** What the outer request decides about a nested one. */
export interface NestedLimits {
  /** The outer request, whose address the nested one has. */
  readonly outer: IncomingMessage;
  /** Of an answer with its head. */
  readonly maxBytes: number;
  /** Aborts when nobody waits for the answer. */
  readonly signal: AbortSignal;
}

/** Resolves with the answer, or with `undefined` if that is too long. Rejects if there is no whole answer. */
export type NestedCall = (request: NestedRequest, limits: NestedLimits) => Promise<NestedAnswer | undefined>;
