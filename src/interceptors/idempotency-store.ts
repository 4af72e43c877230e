/** The interface of stores of idempotency keys. */
import type { ResponseHeaders } from '../http/headers.ts';

/** A request with a key. All properties are SHA-256 digests in base64url. */
export interface IdempotencyClaim {
  /** Identifies the caller, the method, the pattern of the path, and the key that the client sent. */
  readonly key: string;
  /** Identifies the request: method, target, `Content-Type` and body. */
  readonly fingerprint: string;
  /** Identifies the caller, for quotas. `undefined` if `idempotent` has no option `caller`. */
  readonly caller?: string;
}

/** A response that can be stored. */
export interface StoredResponse {
  /** The status. */
  readonly status: number;
  /** The headers. */
  readonly headers: ResponseHeaders;
  /** `undefined` for a response without a body. An empty string is an empty body. A string is sent as UTF-8. */
  readonly body: string | Uint8Array | undefined;
}

/** The value that a store keeps for a key. */
export interface IdempotencyRecord {
  /** A hash of the request. A different request with the same key is rejected. */
  readonly fingerprint: string;
  /** The response that is replayed. */
  readonly response: StoredResponse;
}

/**
 * A store of idempotency keys. `Adds` are the properties that it adds to the `request` of the operation, such as the transaction in which
 * the operation writes. `Errors` are the statuses that it fails with, and `CallerErrors` the statuses for a caller with too many keys.
 *
 * @example
 * ```ts
 * const logged = (store: IdempotencyStore): IdempotencyStore => ({
 *   once: async (claim, run) => {
 *     const result = await store.once(claim, run);
 *     if (typeof result === 'object') console.log('replayed', result.response.status);
 *     return result;
 *   },
 * });
 * idempotent(logged(memoryIdempotencyStore()), { caller: ({ context }: ApiRequest<User>) => context.id });
 * ```
 */
export interface IdempotencyStore<Adds = {}, Errors = {}, CallerErrors = {}> {
  /** The statuses of the `ApiError`s that `once` throws itself, for documents and clients: `{ 503: null }` where it can be full. */
  readonly errors?: Errors;
  /** The statuses that only a claim with a `caller` fails with: `{ 429: null }` where each caller has a maximum of keys. */
  readonly callerErrors?: CallerErrors;
  /**
   * Calls `run` once for each key, and stores its response:
   * - Resolves to the record of the key of the claim, if one is stored.
   * - Resolves to `'running'` while an earlier call with this key has not settled. That call may be in a different process. When that
   *   process dies, the claim ends.
   * - Otherwise calls `run`, stores its response in the transaction in which the operation has written, and resolves to `'done'`. If `run`
   *   rejects, stores neither, and rejects with the same error.
   *
   * Without a claim, only calls `run`: the client did not send a key.
   */
  once(claim: IdempotencyClaim | undefined, run: (adds: Adds) => Promise<StoredResponse>): Promise<IdempotencyRecord | 'done' | 'running'>;
}
