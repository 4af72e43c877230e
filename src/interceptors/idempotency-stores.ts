/** Stores of idempotency keys: the interface, and a store in memory. */
import { isBytes } from '../util/stream.ts';
import type { RunConditions } from '../endpoint/checked-interceptor.ts';
import { ApiError } from '../errors/api-error.ts';
import type { ResponseHeaders } from '../util/headers.ts';
import { readClock } from './clock.ts';
import { type Checked, integer, shape, type Shape } from '../util/options.ts';

/** A request with a key. All properties are SHA-256 digests in base64url. */
export interface IdempotencyClaim {
  /** Identifies the caller, the method, the pattern of the path, and the key that the client sent. */
  readonly key: string;
  /**
   * Identifies the request: method, target, `Content-Type` and body. The boundary of a form does not count, and for JSON and forms
   * neither does `charset=utf-8`: a client that sends the request again can write them differently.
   */
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
 *   once: async (claim, run, conditions) => {
 *     const result = await store.once(claim, run, conditions);
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
   * - Otherwise calls `run`, stores its response, and resolves to `'done'`. A store with a transaction stores it together with what the
   *   operation has written, and calls `run` again after a conflict that has rolled both back. If `run` rejects, stores nothing, and
   *   rejects with the same error.
   *
   * Without a claim, only calls `run`: the client did not send a key.
   *
   * A store that holds a connection while `run` runs needs `conditions`. A stored response is sent without a comparison: it calls
   * `conditions.compare` only if it finds none, and if that rejects, looks again, since the first request can have ended meanwhile.
   */
  once(
    claim: IdempotencyClaim | undefined, run: (adds: Adds) => Promise<StoredResponse>, conditions?: RunConditions,
  ): Promise<IdempotencyRecord | 'done' | 'running'>;
}

/**
 * The limits of `memoryIdempotencyStore`.
 *
 * @example
 * ```ts
 * const options: MemoryIdempotencyStoreOptions = { max: 10_000, maxBytes: 16_000_000 };
 * idempotent(memoryIdempotencyStore(options), { caller: ({ context }: ApiRequest<User>) => context.id });
 * ```
 */
export interface MemoryIdempotencyStoreOptions {
  /**
   * Maximum keys. At the maximum, the oldest response of the caller who uses most is removed: if that request is repeated, it runs again.
   * While the requests of all keys run, further keys get 503.
   *
   * @default 100_000
   */
  readonly max?: number;
  /**
   * Maximum keys of one caller, whom the option `caller` of `idempotent` identifies. At the maximum, the caller's oldest response is
   * removed. While the requests of all keys of the caller run, its further keys get 429. Not used without `caller`.
   *
   * @default a quarter of `max`
   */
  readonly maxPerCaller?: number;
  /**
   * Maximum bytes: of the bodies in UTF-8, the headers, and 512 for each key. Responses are removed as for `max`. With a longer response,
   * it keeps no other.
   *
   * @default 67_108_864 (64 MiB)
   */
  readonly maxBytes?: number;
  /**
   * How long a response is stored, in milliseconds. The key of a request that still runs after this time is free again, too.
   *
   * @default 86_400_000 (24 hours)
   */
  readonly ttlMs?: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const MIB = 1024 * 1024;
const KIB = 1024;
/** The estimated size of a key without its response. */
const KEY_BYTES = 512;
const MAX = Number.MAX_SAFE_INTEGER;

/** `memoryIdempotencyStore(options)`: {@link MemoryIdempotencyStoreOptions}. */
export const MEMORY_IDEMPOTENCY_STORE_OPTIONS: Shape<Checked<MemoryIdempotencyStoreOptions, 'max' | 'maxBytes' | 'ttlMs'>> = shape({
  max: integer(1, MAX, 100_000),
  maxPerCaller: integer(1, MAX),
  maxBytes: integer(KEY_BYTES, MAX, 64 * MIB),
  ttlMs: integer(1, MAX, DAY_MS),
});

/**
 * Stores keys and responses in memory: for one process, until it ends.
 *
 * @example
 * ```ts
 * const store = memoryIdempotencyStore({ maxBytes: 16 * 1024 * 1024 });
 * const once = idempotent(store, { caller: ({ context }: ApiRequest<User>) => context.id });
 * ```
 * @throws `TypeError` for an invalid option.
 */
export function memoryIdempotencyStore(options: MemoryIdempotencyStoreOptions = {}): IdempotencyStore<{}, FullErrors, QuotaErrors> {
  return new MemoryIdempotencyStore(options);
}

// Not interfaces, which are not assignable to the index signature of the errors of an interceptor.
type FullErrors = { readonly 503: null };
type QuotaErrors = { readonly 429: null };

/** A key. */
class StoredKey {
  readonly key: string;
  readonly fingerprint: string;
  readonly caller: Caller;
  /** `undefined` while its request runs. */
  response: StoredResponse | undefined;
  bytes = KEY_BYTES;
  until = 0;

  constructor({ key, fingerprint }: IdempotencyClaim, caller: Caller) {
    this.key = key;
    this.fingerprint = fingerprint;
    this.caller = caller;
  }

  /** In whole KiB, at least one, so that few long responses weigh as much as many short ones. */
  get weight(): number {
    return Math.ceil(this.bytes / KIB);
  }
}

/** The keys of one caller, oldest first. */
class Caller {
  readonly name: string | undefined;
  readonly running = new Set<StoredKey>();
  readonly finished = new Set<StoredKey>();
  /** The total weight of its responses. */
  weight = 0;

  constructor(name: string | undefined) {
    this.name = name;
  }

  get size(): number {
    return this.running.size + this.finished.size;
  }
}

/** Callers by weight, so that the heaviest is found at once. Among callers with the same weight, the one that reached it first. */
class Ranking {
  readonly #byWeight = new Map<number, Set<Caller>>();
  #top = 0;

  add(caller: Caller, weight: number): void {
    const before = this.#byWeight.get(caller.weight);
    before?.delete(caller);
    if (before?.size === 0) this.#byWeight.delete(caller.weight);
    caller.weight += weight;
    if (caller.weight === 0) return;
    this.#byWeight.set(caller.weight, (this.#byWeight.get(caller.weight) ?? new Set()).add(caller));
    this.#top = Math.max(this.#top, caller.weight);
  }

  get heaviest(): Caller | undefined {
    while (this.#top > 0 && !this.#byWeight.has(this.#top)) this.#top -= 1;
    return findOldest(this.#byWeight.get(this.#top) ?? []);
  }
}

/** Finds the first of a `Map` or a `Set`: they are in the order in which they were filled. */
function findOldest<T>(items: Iterable<T>): T | undefined {
  for (const item of items) return item;
  return undefined;
}

/**
 * A store in memory. No caller can fill it at the expense of the others:
 *
 *   a caller has its maximum of keys         ->   removes its oldest response
 *   the store is full, by keys or by bytes   ->   removes the oldest response of the caller who uses most
 *   all of these requests still run          ->   429, or 503
 */
class MemoryIdempotencyStore implements IdempotencyStore<{}, FullErrors, QuotaErrors> {
  readonly errors: FullErrors = { 503: null };
  readonly callerErrors: QuotaErrors = { 429: null };
  readonly #max: number;
  readonly #maxPerCaller: number;
  readonly #maxBytes: number;
  readonly #ttlMs: number;
  /** In the order in which they expire. */
  readonly #entries = new Map<string, StoredKey>();
  readonly #callers = new Map<string | undefined, Caller>();
  readonly #ranking = new Ranking();
  #bytes = 0;
  /** No key expires before. */
  #nextExpiry = 0;

  constructor(options: MemoryIdempotencyStoreOptions) {
    const { max, maxPerCaller, maxBytes, ttlMs } = MEMORY_IDEMPOTENCY_STORE_OPTIONS.check(options, 'options');
    this.#max = max;
    this.#maxPerCaller = maxPerCaller ?? Math.ceil(max / 4);
    this.#maxBytes = maxBytes;
    this.#ttlMs = ttlMs;
  }

  async once(
    claim: IdempotencyClaim | undefined, run: (adds: {}) => Promise<StoredResponse>,
  ): Promise<IdempotencyRecord | 'done' | 'running'> {
    if (claim === undefined) {
      await run({});
      return 'done';
    }
    this.#expire();
    const earlier = this.#entries.get(claim.key);
    if (earlier !== undefined) {
      const { fingerprint, response } = earlier;
      return response === undefined ? 'running' : { fingerprint, response };
    }
    const entry = this.#claim(claim);
    try {
      const response = await run({});
      // The key may have expired while the operation ran, and belong to a different request now.
      if (this.#entries.get(entry.key) === entry) this.#keep(entry, response);
    } catch (thrown) {
      if (this.#entries.get(entry.key) === entry) this.#remove(entry);
      throw thrown;
    }
    return 'done';
  }

  /** Throws an `ApiError` if there is no room, and no response that can be removed. */
  #claim(claim: IdempotencyClaim): StoredKey {
    const caller = this.#callers.get(claim.caller) ?? new Caller(claim.caller);
    if (claim.caller !== undefined && caller.size >= this.#maxPerCaller && !this.#removeOldestResponse(caller)) {
      throw makeFullError(findOldest(caller.running), 429, 'Too many requests of this caller with idempotency keys are running.');
    }
    if (!this.#makeRoom(1, KEY_BYTES)) {
      throw makeFullError(findOldest(this.#entries.values()), 503, 'Too many requests with idempotency keys are running.');
    }
    const entry = new StoredKey(claim, caller);
    this.#callers.set(caller.name, caller);
    caller.running.add(entry);
    this.#bytes += entry.bytes;
    this.#renew(entry);
    return entry;
  }

  #keep(entry: StoredKey, response: StoredResponse): void {
    const bytes = countBytes(response);
    this.#makeRoom(0, bytes);
    const { caller } = entry;
    caller.running.delete(entry);
    entry.response = copyBytes(response);
    entry.bytes += bytes;
    this.#bytes += bytes;
    caller.finished.add(entry);
    this.#ranking.add(caller, entry.weight);
    this.#renew(entry);
  }

  /** Makes an entry the one that expires last. */
  #renew(entry: StoredKey): void {
    entry.until = readClock() + this.#ttlMs;
    this.#entries.delete(entry.key);
    this.#entries.set(entry.key, entry);
  }

  #expire(): void {
    const now = readClock();
    if (now < this.#nextExpiry) return;
    for (const entry of this.#entries.values()) {
      this.#nextExpiry = entry.until;
      if (entry.until > now) return;
      this.#remove(entry);
    }
  }

  /** Removes responses until there is room. Returns whether there is room. */
  #makeRoom(keys: number, bytes: number): boolean {
    while (this.#entries.size + keys > this.#max || this.#bytes + bytes > this.#maxBytes) {
      const { heaviest } = this.#ranking;
      if (heaviest === undefined) return false;
      this.#removeOldestResponse(heaviest);
    }
    return true;
  }

  /** Returns whether there was a response to remove. */
  #removeOldestResponse({ finished }: Caller): boolean {
    const oldest = findOldest(finished);
    if (oldest !== undefined) this.#remove(oldest);
    return oldest !== undefined;
  }

  #remove(entry: StoredKey): void {
    const { key, caller } = entry;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
    caller.running.delete(entry);
    if (caller.finished.delete(entry)) this.#ranking.add(caller, -entry.weight);
    if (caller.size === 0) this.#callers.delete(caller.name);
  }
}

/** Makes the error for a full store. `Retry-After` is when the first running request expires: its key is free then at the latest. */
function makeFullError(entry: StoredKey | undefined, status: 429 | 503, detail: string): ApiError {
  const waitMs = (entry?.until ?? 0) - readClock();
  return ApiError.status(status, detail, { headers: { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))) } });
}

function countBytes({ headers, body }: StoredResponse): number {
  const strings = Object.entries(headers).flatMap(([name, value]) => [name, ...[value].flat()]);
  return strings.reduce((sum, { length }) => sum + length, body === undefined ? 0 : Buffer.byteLength(body));
}

/** Copies bytes, since the operation may reuse its buffer after they have been sent. */
function copyBytes(response: StoredResponse): StoredResponse {
  return isBytes(response.body) ? { ...response, body: Uint8Array.from(response.body) } : response;
}
