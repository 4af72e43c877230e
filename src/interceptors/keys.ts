/** The interface of stores of idempotency keys. */
import type { ResponseHeaders } from '../http/headers.ts';

/** A request with a key. All are SHA-256 digests in base64url. */
export interface Claim {
  /** Of the caller, the method, the pattern of the path, and the key that the client sent. */
  readonly key: string;
  /** Of the request: method, target, `Content-Type` and body. */
  readonly fingerprint: string;
  /** Of the caller, for quotas. `undefined` if `idempotent` has no `caller`. */
  readonly caller?: string;
}

/** A response that can be stored. */
export interface StoredResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** `undefined` for a response without a body, which is not the same as an empty one. A string is sent as UTF-8. */
  readonly body: string | Uint8Array | undefined;
}

/** What is stored under a key. */
export interface Kept {
  readonly fingerprint: string;
  readonly response: StoredResponse;
}

/**
 * A store of keys. `Adds` is what it adds to the `request` of the operation, such as the transaction in which the operation writes. `Errors` are the
 * statuses that it fails with, and `CallerErrors` those of its quotas.
 */
export interface Keys<Adds = {}, Errors = {}, CallerErrors = {}> {
  /** The statuses of the `ApiError`s that `once` throws itself, for documents and clients: `{ 503: null }` where it can be full. */
  readonly errors?: Errors;
  /** The statuses that only a claim with a `caller` fails with: `{ 429: null }` where each caller has a quota. */
  readonly callerErrors?: CallerErrors;
  /**
   * Calls `run` once for each key, and stores its response:
   * - Resolves to what is stored under the key of the claim, if anything is.
   * - Resolves to `'running'` while another call with this key has not settled. That call may be in another process. When its process dies, so
   *   does its claim.
   * - Else calls `run`, and stores its response together with what the operation has written. Then resolves to `'done'`. If `run` rejects,
   *   nothing of both is stored, and it rejects with the same.
   *
   * Without a claim, only calls `run`: the client has sent no key.
   */
  once(claim: Claim | undefined, run: (adds: Adds) => Promise<StoredResponse>): Promise<Kept | 'done' | 'running'>;
}
