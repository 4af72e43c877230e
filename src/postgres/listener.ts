/**
 * Tells the readers of a process when there may be new events. One connection of a pool listens to the notifications of its database, for
 * all readers. It is opened for the first reader, opened again when it is lost, and closed after the last. Readers also poll, above all
 * while nothing arrives: with a pool of three connections, this one and one that reads a stream would leave none, and a proxy that shares
 * connections between transactions, such as PgBouncer, accepts `LISTEN` and passes nothing on.
 */
import { connect, type ConnectingPool, type PostgresPool } from './pool.ts';
import { findSlots } from './slots.ts';

type Notified = (payload: string | undefined) => void;

/** The channel of PostgreSQL. The payload tells which events there are. */
export const NOTIFICATIONS = 'restpoint_event';
const RETRY_MS = 1000;
const POLL_MS = 1000;
// Even then, notifications can be lost on their way.
const LISTENING_POLL_MS = 10_000;

const listeners = new WeakMap<PostgresPool, Listener>();

/** The listener of a pool. */
export function findListener(pool: PostgresPool): Listener {
  const listener = listeners.get(pool) ?? new Listener(pool);
  listeners.set(pool, listener);
  return listener;
}

export class Listener {
  readonly #pool: PostgresPool;
  readonly #readers = new Set<Notified>();
  #isOpening = false;
  /** Whether notifications arrive. */
  isListening = false;
  #timer: NodeJS.Timeout | undefined;
  #close: (() => void) | undefined;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  /** Calls `notified` with the payload of each notification, and with `undefined` now and then, when some may have been missed. */
  add(notified: Notified): void {
    this.#readers.add(notified);
    if (this.#readers.size === 1) this.#poll();
    if (!this.#isOpening) void this.#keepOpen();
  }

  delete(notified: Notified): void {
    this.#readers.delete(notified);
    if (this.#readers.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#close?.();
  }

  /** Never rejects. */
  async #keepOpen(): Promise<void> {
    const open = findOpen(this.#pool);
    if (open === undefined) return;
    this.#isOpening = true;
    while (this.#readers.size > 0) {
      const isLost = await this.#listen(open).catch(() => true);
      this.isListening = false;
      this.#poll();
      if (isLost) await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
    }
    this.#isOpening = false;
  }

  /** Resolves to whether the connection was lost, and not closed after the last reader. */
  async #listen(open: Open): Promise<boolean> {
    let end!: (isLost: boolean) => void;
    const ended = new Promise<boolean>((resolve) => { end = resolve; });
    this.#close = () => end(false);
    const notify = (payload: string): void => {
      this.isListening = true;
      for (const notified of this.#readers) notified(payload);
    };
    const close = await open(notify, () => end(true));
    // From a different connection. What arrives shows that notifications do.
    this.#pool.query(`SELECT pg_notify('${NOTIFICATIONS}', '')`).catch(() => {});
    // Some events may have come while there was no connection.
    this.#poll();
    try {
      return this.#readers.size > 0 && await ended;
    } finally {
      await close();
    }
  }

  /** Lets readers read now, and again after a while. */
  #poll(): void {
    if (this.#readers.size === 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#poll(), this.isListening ? LISTENING_POLL_MS : POLL_MS).unref();
    for (const notified of this.#readers) notified(undefined);
  }
}

/** Opens a connection that listens. Resolves to a function that closes it. */
type Open = (notify: (payload: string) => void, lose: () => void) => Promise<() => unknown>;

/** Returns `undefined` for a pool that cannot listen. */
function findOpen(pool: PostgresPool): Open | undefined {
  if (!('connect' in pool)) {
    const listen = pool.listen?.bind(pool);
    return listen === undefined ? undefined : (notify) => listen(NOTIFICATIONS, notify);
  }
  return findSlots(pool).count < 3 ? undefined : (notify, lose) => listenConnected(pool, notify, lose);
}

async function listenConnected(pool: ConnectingPool, notify: (payload: string) => void, lose: () => void): Promise<() => unknown> {
  const release = await findSlots(pool).take();
  const client = await connect(pool).catch((error: unknown) => {
    release();
    throw error;
  });
  const notified = ({ payload = '' }: { readonly payload?: string }): void => notify(payload);
  const close = (): void => {
    client.off?.('notification', notified);
    client.off?.('end', lose);
    // A connection that listens is not given to others. It can emit further errors until it is closed.
    client.release(true);
    release();
  };
  client.on?.('notification', notified);
  client.on?.('error', lose);
  client.on?.('end', lose);
  try {
    await client.query(`LISTEN ${NOTIFICATIONS}`);
    return close;
  } catch (error) {
    close();
    throw error;
  }
}
