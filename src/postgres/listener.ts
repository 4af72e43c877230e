/**
 * Listens to the notifications of a database, by one connection of its pool for all readers of the process. It is opened for the first reader,
 * opened again when it is lost, and closed after the last. Readers poll while nothing arrives: with a pool of three connections, this one and
 * one that reads a stream would leave none, and a proxy that shares connections between transactions, such as PgBouncer, accepts `LISTEN` and
 * passes nothing on.
 */
import { connect, type ConnectingPool, type PostgresPool } from './pool.ts';
import { findSlots } from './slots.ts';

type Notified = (payload: string | undefined) => void;

/** The channel of PostgreSQL. The payload tells which events there are. */
export const NOTIFICATIONS = 'restpoint_event';
const RETRY_MS = 1000;

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
  #close: () => void = () => {};
  #lose: ((error: unknown) => void) | undefined;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  /** Calls `notified` with the payload of each notification, and with `undefined` when some may have been missed. */
  add(notified: Notified): void {
    this.#readers.add(notified);
    if (!this.#isOpening) void this.#keepOpen();
  }

  delete(notified: Notified): void {
    this.#readers.delete(notified);
    if (this.#readers.size === 0) this.#close();
  }

  /** Never rejects. */
  async #keepOpen(): Promise<void> {
    const open = findOpen(this.#pool);
    if (open === undefined) return;
    this.#isOpening = true;
    while (this.#readers.size > 0) {
      const isLost = await this.#listen(open).then(() => false, () => true);
      this.isListening = false;
      this.#notify(undefined);
      if (isLost) await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
    }
    this.#isOpening = false;
  }

  /** Resolves after the last reader. Rejects if the connection is lost. */
  async #listen(open: Open): Promise<void> {
    const ended = new Promise<void>((resolve, reject) => {
      this.#close = resolve;
      this.#lose = reject;
    });
    // It may be lost before this waits for it.
    ended.catch(() => {});
    const notify = (payload: string): void => {
      this.isListening = true;
      this.#notify(payload);
    };
    const close = await open(notify, (error) => this.#lose?.(error));
    // From a different connection. What arrives shows that notifications do.
    this.#pool.query(`SELECT pg_notify('${NOTIFICATIONS}', '')`).catch(() => {});
    // Some events may have come while there was no connection.
    this.#notify(undefined);
    try {
      if (this.#readers.size > 0) await ended;
    } finally {
      await close();
    }
  }

  #notify(payload: string | undefined): void {
    for (const notified of this.#readers) notified(payload);
  }
}

/** Opens a connection that listens. Resolves to a function that closes it. */
type Open = (notify: (payload: string) => void, lose: (error: unknown) => void) => Promise<() => unknown>;

/** Returns `undefined` for a pool that cannot listen. */
function findOpen(pool: PostgresPool): Open | undefined {
  if (!('connect' in pool)) {
    const listen = pool.listen?.bind(pool);
    return listen === undefined ? undefined : (notify) => listen(NOTIFICATIONS, notify);
  }
  return findSlots(pool).count < 3 ? undefined : (notify, lose) => listenConnected(pool, notify, lose);
}

async function listenConnected(pool: ConnectingPool, notify: (payload: string) => void, lose: (error: unknown) => void): Promise<() => unknown> {
  const release = await findSlots(pool).take();
  const client = await connect(pool).catch((error: unknown) => {
    release();
    throw error;
  });
  const notified = ({ payload = '' }: { readonly payload?: string }): void => notify(payload);
  const ended = (): void => lose(new Error('The connection has ended.'));
  const close = (): void => {
    client.off?.('notification', notified);
    client.off?.('end', ended);
    // A connection that listens is not given to others. It can emit further errors until it is closed.
    client.release(true);
    release();
  };
  client.on?.('notification', notified);
  client.on?.('error', lose);
  client.on?.('end', ended);
  try {
    await client.query(`LISTEN ${NOTIFICATIONS}`);
    return close;
  } catch (error) {
    close();
    throw error;
  }
}
