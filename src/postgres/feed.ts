/**
 * The events of a channel, read from its table in the order in which they become visible:
 *
 *   xid   the transaction that added the event. Those that may still be running are not read: an earlier event could appear behind a later one
 *   id    the number of the event, within its transaction
 *
 * An event is read when all transactions that began before its own have ended. Readers at the same position share a query.
 */
import { Listener, findListener } from './listener.ts';
import type { PostgresPool, PostgresQueries } from './pool.ts';

/** A position in the events: all up to it were read. */
export interface FeedPosition {
  readonly xid: string;
  readonly id: string;
}

export interface EventRow extends FeedPosition {
  readonly event: string | null;
  readonly data: string;
}

export interface EventRows {
  readonly rows: readonly EventRow[];
  /** Whether there are further rows, which cannot be read yet. */
  readonly isPending: boolean;
}

const BATCH = 100;
const POLL_MS = 1000;
// Notifications can be lost on their way, such as by a proxy.
const LISTENING_POLL_MS = 10_000;
const MIN_PENDING_MS = 10;

export class Feed {
  readonly #pool: PostgresQueries;
  readonly #listener: Listener;
  readonly #channel: string;
  /** What notifications of this channel have as their payload. */
  readonly payload: string;
  readonly #read: string;
  readonly #queries = new Map<string, Promise<EventRows>>();
  readonly #waiting = new Set<() => void>();
  #readers = 0;
  #version = 0;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Infinity;
  #pendingMs = MIN_PENDING_MS;

  constructor(pool: PostgresPool, table: string, channel: string) {
    this.#pool = pool;
    this.#listener = findListener(pool);
    this.#channel = channel;
    this.payload = `${table}/${channel}`;
    // Without the name of the table, it would sort by the text.
    this.#read = `SELECT xid::text AS xid, id::text AS id, event, data::text AS data, xid < pg_snapshot_xmin(pg_current_snapshot()) AS is_settled
      FROM ${table} AS kept WHERE channel = $1::text AND (xid, id) > ($2::xid8, $3::bigint) ORDER BY kept.xid, kept.id LIMIT ${BATCH}`;
  }

  /** Changes when there may be new events. */
  get version(): number {
    return this.#version;
  }

  /** Called when a reader begins. */
  open(): void {
    this.#readers += 1;
    if (this.#readers === 1) this.#listener.add(this.#notified);
  }

  /** Called when a reader has ended. */
  close(): void {
    this.#readers -= 1;
    if (this.#readers === 0) this.#listener.delete(this.#notified);
  }

  /** The position after all events that can be read now. */
  async findEnd(): Promise<FeedPosition> {
    const { rows: [row] } = await this.#pool.query('SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS xid');
    return { xid: (row as FeedPosition).xid, id: '0' };
  }

  /** Reads the events after a position. */
  readAfter({ xid, id }: FeedPosition): Promise<EventRows> {
    // A query that was begun before the last change may not see it.
    const key = `${this.#version}/${xid}/${id}`;
    const query = this.#queries.get(key) ?? this.#query(xid, id).finally(() => this.#queries.delete(key));
    this.#queries.set(key, query);
    return query;
  }

  async #query(xid: string, id: string): Promise<EventRows> {
    const { rows } = await this.#pool.query(this.#read, [this.#channel, xid, id]);
    const isSettled = rows.map((row: { readonly is_settled: boolean }) => row.is_settled);
    const count = isSettled.includes(false) ? isSettled.indexOf(false) : rows.length;
    return { rows: rows.slice(0, count) as EventRow[], isPending: count < rows.length };
  }

  /** Waits until there may be events that were not there in a version, or until the signal aborts. */
  async wait(version: number, isPending: boolean, signal: AbortSignal): Promise<void> {
    if (version !== this.#version || signal.aborted) return;
    this.#wakeIn(isPending ? this.#pendingMs : this.#listener.isListening ? LISTENING_POLL_MS : POLL_MS);
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
    if (this.#waiting.size === 0) this.#stopTimer();
  }

  /** One timer for all readers, so that those at the same position read at the same time. */
  #wakeIn(ms: number): void {
    const dueAt = performance.now() + ms;
    if (dueAt >= this.#dueAt) return;
    this.#stopTimer();
    this.#dueAt = dueAt;
    this.#timer = setTimeout(() => {
      // A transaction that is still running may run for long.
      this.#pendingMs = Math.min(POLL_MS, 2 * this.#pendingMs);
      this.#wake();
    }, ms).unref();
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#dueAt = Infinity;
  }

  readonly #notified = (payload: string | undefined): void => {
    if (payload !== undefined && payload !== this.payload) return;
    this.#pendingMs = MIN_PENDING_MS;
    this.#wake();
  };

  #wake(): void {
    this.#version += 1;
    this.#stopTimer();
    for (const wake of [...this.#waiting]) wake();
  }
}
