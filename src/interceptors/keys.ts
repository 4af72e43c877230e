/** Stores of idempotency keys: their interface, and one in memory. */
import { isBytes } from '../endpoint/stream.ts';
import { ApiError } from '../errors/api-error.ts';
import type { ResponseHeaders } from '../errors/headers.ts';
import { knownMembersOf, numberFrom } from '../errors/members.ts';

/** A request with a key. Both are SHA-256 digests in base64url. */
export interface Claim {
  /** Of the caller, the method, the pattern of the path, and the key that the client sent. */
  readonly key: string;
  /** Of the request: method, target, `Content-Type` and body. */
  readonly fingerprint: string;
}

/** An answer that can be stored. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** `undefined` for an answer without a body, which is not the same as an empty one. A text is sent as UTF-8. */
  readonly body: string | Uint8Array | undefined;
}

/** What is stored under a key. */
export interface Kept {
  readonly fingerprint: string;
  readonly answer: KeptAnswer;
}

/** A store of keys. `Adds` is what it adds to the `request` of the operation, such as the transaction in which the operation writes. */
export interface Keys<Adds = {}> {
  /**
   * Calls `run` once for each key, and stores its answer:
   * - Resolves to what is stored under the key of the claim, if anything is.
   * - Resolves to `'running'` while another call with this key has not settled. That call may be in another process. When its process dies, so
   *   does its claim.
   * - Else calls `run`, and stores its answer together with what the operation has written. Then resolves to `'done'`. If `run` rejects,
   *   nothing of both is stored, and it rejects with the same.
   *
   * Without a claim, only calls `run`: the client has sent no key.
   */
  once(claim: Claim | undefined, run: (adds: Adds) => Promise<KeptAnswer>): Promise<Kept | 'done' | 'running'>;
}

/** The limits of `memoryKeys`. */
export interface MemoryKeysOptions {
  /** How many keys it holds at most. Further ones are refused with 503 until the oldest expires, since without it a retry would run again. Default 100,000. */
  readonly max?: number;
  /** How long it keeps an answer, in milliseconds. Default 24 hours. */
  readonly ttlMs?: number;
}

/** A link of the list of what is stored, the oldest first. A `Map` has that order too, but passes over all deleted keys to find its first. */
interface Expiring extends Kept {
  readonly key: string;
  readonly until: number;
  next: Expiring | undefined;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Keeps keys in memory: for one process, until it ends. Throws `TypeError` for an invalid option. */
export function memoryKeys(options: MemoryKeysOptions = {}): Keys {
  return new MemoryKeys(options);
}

/** The host may change its bytes when they are sent. */
function detached(answer: KeptAnswer): KeptAnswer {
  return isBytes(answer.body) ? { ...answer, body: Uint8Array.from(answer.body) } : answer;
}

class MemoryKeys implements Keys {
  readonly #max: number;
  readonly #ttlMs: number;
  readonly #claimed = new Map<string, Kept | 'running'>();
  #oldest: Expiring | undefined;
  #newest: Expiring | undefined;

  constructor(options: MemoryKeysOptions) {
    const { max = 100_000, ttlMs = DAY_MS } = knownMembersOf(options, 'options', ['max', 'ttlMs']);
    this.#max = numberFrom(max, 'options.max', [1, Number.MAX_SAFE_INTEGER]);
    this.#ttlMs = numberFrom(ttlMs, 'options.ttlMs', [1, Number.MAX_SAFE_INTEGER]);
  }

  async once(claim: Claim | undefined, run: (adds: {}) => Promise<KeptAnswer>): Promise<Kept | 'done' | 'running'> {
    if (claim === undefined) {
      await run({});
      return 'done';
    }
    const { key, fingerprint } = claim;
    this.#expire();
    const earlier = this.#claimed.get(key);
    if (earlier !== undefined) return earlier;
    this.#refuseIfFull();
    this.#claimed.set(key, 'running');
    try {
      this.#keep(key, fingerprint, detached(await run({})));
    } catch (thrown) {
      this.#claimed.delete(key);
      throw thrown;
    }
    return 'done';
  }

  #keep(key: string, fingerprint: string, answer: KeptAnswer): void {
    // The time of `performance` does not go back.
    const kept = { fingerprint, answer, key, until: performance.now() + this.#ttlMs, next: undefined };
    this.#claimed.set(key, kept);
    if (this.#newest === undefined) this.#oldest = kept;
    else this.#newest.next = kept;
    this.#newest = kept;
  }

  #expire(): void {
    const now = performance.now();
    while (this.#oldest !== undefined && this.#oldest.until <= now) {
      this.#claimed.delete(this.#oldest.key);
      this.#oldest = this.#oldest.next;
    }
    if (this.#oldest === undefined) this.#newest = undefined;
  }

  #refuseIfFull(): void {
    if (this.#claimed.size < this.#max) return;
    const waitMs = this.#oldest === undefined ? 0 : this.#oldest.until - performance.now();
    throw ApiError.status(503, 'There are too many idempotency keys.', { headers: { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))) } });
  }
}
