/**
 * Who may hold a connection of a pool, first come, first served: transactions, and the connection that listens. One of the pool is left, so
 * that a short query beside them always finds one: `get` for the conditions of a change, or the pool within an operation's own transaction.
 * Without it, as many as the pool has could wait for each other for ever.
 */
import type { PostgresClient, PostgresPool } from './pool.ts';

/** Ends a hold. */
export type Release = () => void;

const pools = new WeakMap<PostgresPool, { readonly all: Slots; readonly streams: Slots }>();

/**
 * The slots of a pool. Those of streams are at most half of all, and so none of one: their clients say how long they are held. A shared
 * connection is one for streams, too.
 */
export function findSlots(pool: PostgresPool, ofStreams = false): Slots {
  let slots = pools.get(pool);
  if (slots === undefined) {
    const all = new Slots(() => countSlots(pool));
    slots = { all, streams: 'connect' in pool ? new Slots(() => Math.floor(all.count / 2), all) : all };
    pools.set(pool, slots);
    // The pool of `pg` tells of the connections that it lends.
    (pool as { on?(event: 'acquire', listener: (client: PostgresClient) => void): unknown }).on?.('acquire', ignoreErrorsOfNow);
  }
  return ofStreams ? slots.streams : slots.all;
}

/** Without a listener, an error that comes in one read with the end of the handshake ends the process before `connect()` has resolved. */
function ignoreErrorsOfNow(client: PostgresClient): void {
  const ignoreError = (): void => {};
  client.on?.('error', ignoreError);
  setImmediate(() => client.off?.('error', ignoreError));
}

/** How many connections of a pool can be held. One that does not tell its `max`, as the pool of `pg` does, has no limit. */
function countSlots(pool: PostgresPool): number {
  if (!('connect' in pool)) return 1;
  const { options } = pool as { readonly options?: { readonly max?: unknown } };
  return typeof options?.max === 'number' ? Math.max(1, options.max - 1) : Infinity;
}

export class Slots {
  readonly #count: () => number;
  readonly #outer: Slots | undefined;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  /** Each slot is also one of `outer`. */
  constructor(count: () => number, outer?: Slots) {
    this.#count = count;
    this.#outer = outer;
  }

  /** How many can be held at the same time. */
  get count(): number {
    return this.#count();
  }

  /** Waits for a slot, and resolves to its release. Rejects with the reason of the signal if that aborts first. */
  async take(signal?: AbortSignal): Promise<Release> {
    signal?.throwIfAborted();
    if (this.#taken < this.count) this.#taken += 1;
    else await this.#wait(signal);
    try {
      const release = await this.#outer?.take(signal);
      return () => {
        release?.();
        this.#release();
      };
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(enter);
        reject(signal?.reason);
      };
      const enter = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      this.#waiting.add(enter);
      signal?.addEventListener('abort', leave);
    });
  }

  /** The next that waits takes the slot. */
  #release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#taken -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
