/**
 * The events of a channel, read from its table in the order in which they become visible:
 *
 *   xid   the transaction that added the event. Those that may still be running are not read: an earlier event could appear behind a later one
 *   id    the number of the event, within its transaction
 *
 * An event is read when all transactions that began before its own have ended. Readers at the same position share a query, and all that wait
 * are at the same position, whatever ids their clients have sent.
 */
import { Listener, findListener } from './listener.ts';
import { EVENTS_TABLE, qualified } from './names.ts';
import type { PostgresPool, PostgresQueries } from './pool.ts';

/** A position in the events, all up to which were read: the number of a transaction, and in its lower 64 bits the one of an event. */
export type FeedPosition = bigint;

/** Makes a position of decimal numbers. */
export function makePosition(xid: string, id = '0'): FeedPosition {
  return (BigInt(xid) << 64n) + BigInt(id);
}

/** The decimal numbers of a position, as they are in the id of an event. */
export function splitPosition(position: FeedPosition): [xid: string, id: string] {
  return [String(position >> 64n), String(BigInt.asUintN(64, position))];
}

export interface EventRow {
  readonly position: FeedPosition;
  readonly event: string | null;
  readonly data: string;
}

export interface EventRows {
  readonly rows: readonly EventRow[];
  /** Without rows: whether there are further ones, which cannot be read yet. */
  readonly isPending: boolean;
  /** Where the next read begins. */
  readonly end: FeedPosition;
}

/** A row of the statement. With `id: null`, it says that there is none, and which transaction is the oldest that is running. */
interface ReadRow {
  readonly xid: string;
  readonly id: string | null;
  readonly event: string | null;
  readonly data: string;
  readonly is_pending: boolean;
}

/** A batch has up to so many events. */
export const BATCH = 100;
/** A batch has up to so many bytes, or one event: a reader keeps it until its client has taken it. */
export const BATCH_BYTES: number = 64 * 1024;
const POLL_MS = 1000;
// Notifications can be lost on their way, such as by a proxy.
const LISTENING_POLL_MS = 10_000;
const MIN_PENDING_MS = 10;
const HELD_MS = 60_000;
// Other roles do not see all processes.
const HOLDER = `SELECT 'the prepared transaction ' || quote_literal(gid) AS holder FROM pg_prepared_xacts WHERE transaction = $1::xid8::xid
  UNION ALL SELECT 'the transaction of process ' || pid FROM pg_stat_activity WHERE backend_xid = $1::xid8::xid`;
const RUNNING = 'pg_snapshot_xmin(pg_current_snapshot())';

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
  /** Where those that wait read on. */
  #end: FeedPosition | undefined;
  /** Changes when there may be new events. */
  version = 0;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Infinity;
  #pendingMs = MIN_PENDING_MS;
  /** The transaction that events wait for, and since when. */
  #held = { xid: '', since: 0, isTold: false };

  constructor(pool: PostgresPool, channel: string) {
    this.#pool = qualified(pool);
    this.#listener = findListener(pool);
    this.#channel = channel;
    this.payload = `${EVENTS_TABLE}/${channel}`;
    // Without the name of the table, it would sort by the text.
    const next = (after: string): string => `SELECT kept.xid, kept.id, kept.event, kept.data::text AS data FROM ${EVENTS_TABLE} AS kept
      WHERE channel = $1::text AND (kept.xid, kept.id) > ${after} AND kept.xid < ${RUNNING} ORDER BY kept.xid, kept.id LIMIT 1`;
    // Row by row, since the data of each further row of a scan would be read to add up its bytes.
    this.#read = `WITH RECURSIVE batch AS (
        SELECT 1 AS count, octet_length(first.data) AS bytes, first.* FROM (${next('($2::xid8, $3::bigint)')}) AS first
        UNION ALL
        SELECT count + 1, bytes + octet_length(further.data), further.* FROM batch, LATERAL (${next('(batch.xid, batch.id)')}) AS further
        WHERE count < ${BATCH} AND bytes < ${BATCH_BYTES} AND bytes + octet_length(further.data) <= ${BATCH_BYTES}
      )
      (SELECT xid::text AS xid, id::text AS id, event, data, false AS is_pending FROM batch ORDER BY count)
      UNION ALL
      SELECT running::text, NULL, NULL, NULL, EXISTS (SELECT FROM ${EVENTS_TABLE} AS kept WHERE channel = $1::text AND kept.xid >= running)
      FROM (SELECT ${RUNNING} AS running) AS snapshot WHERE NOT EXISTS (SELECT FROM batch)`;
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
  async findEnd(tx: PostgresQueries = this.#pool): Promise<FeedPosition> {
    const { rows: [row] } = await tx.query(`SELECT ${RUNNING}::text AS xid`);
    return makePosition((row as ReadRow).xid);
  }

  /** Reads the events after a position. */
  readAfter(position: FeedPosition): Promise<EventRows> {
    // A query that was begun before the last change may not see it.
    const key = `${this.version}/${position}`;
    const query = this.#queries.get(key) ?? this.#query(position).finally(() => this.#queries.delete(key));
    this.#queries.set(key, query);
    return query;
  }

  async #query(position: FeedPosition): Promise<EventRows> {
    const { rows: read } = await this.#pool.query(this.#read, [this.#channel, ...splitPosition(position)]);
    const [{ xid, id, is_pending: isPending }] = read as [ReadRow];
    if (id === null) {
      this.#watch(isPending ? xid : '');
      return { rows: [], isPending, end: this.#moveEnd(position, makePosition(xid)) };
    }
    const rows = read.map(({ xid, id, event, data }): EventRow => ({ position: makePosition(xid, id), event, data }));
    return { rows, isPending, end: (rows.at(-1) as EventRow).position };
  }

  /**
   * Returns where a reader goes on after it has found nothing up to the oldest transaction that is running: where the others wait. There is
   * nothing between, or the reader skips what it has.
   */
  #moveEnd(position: FeedPosition, running: FeedPosition): FeedPosition {
    const end = this.#end;
    const isShared = end !== undefined && end <= running && (position <= end || this.#waiting.size > 0);
    return (this.#end = isShared ? end : running);
  }

  /** Warns of a transaction that events wait for, if it goes on: nothing ends one that was prepared, not even a restart of the database. */
  #watch(xid: string): void {
    const now = performance.now();
    if (xid !== this.#held.xid) this.#held = { xid, since: now, isTold: false };
    if (xid === '' || this.#held.isTold || now - this.#held.since < HELD_MS) return;
    this.#held.isTold = true;
    this.#pool.query(HOLDER, [xid]).then(({ rows: [row] }) => {
      const { holder = `transaction ${xid}` } = Object(row) as { readonly holder?: string };
      process.emitWarning(`The events of the channel "${this.#channel}" wait for ${holder}, which has run for a minute: until it has ended, nobody gets one.`);
    }).catch(() => {});
  }

  /** Waits until there may be events that were not there in a version, or until the signal aborts. */
  async wait(version: number, isPending: boolean, signal: AbortSignal): Promise<void> {
    if (version !== this.version || signal.aborted) return;
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
    this.version += 1;
    this.#stopTimer();
    for (const wake of [...this.#waiting]) wake();
  }
}
