/**
 * The events of a channel, read from its table in the order in which they become visible:
 *
 *   xid   the transaction that added the event. Those that may still run are not read: an earlier event could appear behind a later one
 *   id    the number of the event, within its transaction
 *
 * An event is read when all transactions that began before its own have ended. A reader with an old position reads alone until it has found
 * nothing. Then it is at the tail, where one loop reads for all:
 *
 *   741-3         757-2               760-0
 *   reads alone   gets a kept batch   waits at the tail
 *
 * Readers wait only at the tail, once they have all events up to its end. The loop reads on from there.
 */
import { ApiError } from '../errors/api-error.ts';
import { isConflict, isTemporary } from './failures.ts';
import { LINE, queryWithLine } from './line.ts';
import { Listener, findListener } from './listener.ts';
import { EVENTS_TABLE } from './names.ts';
import type { PostgresPool, PostgresQueries } from './pool.ts';

/** A position in the events, all up to which were read: the number of a transaction, and in its lower 64 bits the one of an event. */
export type FeedPosition = bigint;

/** Makes a position of decimal numbers. */
export function makePosition(xid: string, id = '0'): FeedPosition {
  return (BigInt(xid) << 64n) + BigInt(id);
}

/** The decimal numbers of a position. */
function splitPosition(position: FeedPosition): [xid: string, id: string] {
  return [String(position >> 64n), String(BigInt.asUintN(64, position))];
}

/** An event, as statements name it. */
export interface EventKey {
  readonly xid: string;
  readonly id: string;
  readonly line: string;
}

/** Makes the id of an event. */
export function formatEventId({ xid, id, line }: EventKey): string {
  return `${xid}-${id}${line && `-${line}`}`;
}

/** Where reading begins. A position without a line counts in each. */
export interface FeedStart {
  readonly position: FeedPosition;
  readonly line: string | undefined;
}

export interface EventRow {
  readonly position: FeedPosition;
  /** Made once for all readers, and frozen. */
  readonly event: { readonly id: string; readonly event?: string; readonly data: unknown };
  /** The length of its data, as JSON. */
  readonly length: number;
}

interface Batch {
  readonly rows: readonly EventRow[];
  /** The position up to which it was read. */
  readonly end: FeedPosition;
  readonly line: string | undefined;
  /** Without rows: whether there are further ones, which cannot be read yet. */
  readonly isPending: boolean;
}

/** The last events: `kept` has all after `start`, up to `end`, where the loop reads on. */
interface Tail {
  start: FeedPosition;
  end: FeedPosition;
  readonly kept: Batch[];
}

interface ReadEvent extends EventKey {
  readonly event: string | null;
  readonly data: string;
}

/** A row of the statement. With `id: null`, it says that there is none, and which transaction is the oldest that is running. */
type ReadRow = ReadEvent | { readonly xid: string; readonly id: null; readonly line: string; readonly is_pending: boolean };

/** A batch has up to so many events. */
export const BATCH = 100;
/** A batch has up to so many bytes, or one event: a reader keeps it until its client has taken it. */
export const BATCH_BYTES: number = 64 * 1024;
// For readers that are a little slower than others.
const KEPT_BATCHES = 4;
const MIN_PAUSE_MS = 10;
const MAX_PAUSE_MS = 1000;
const HELD_MS = 60_000;
const REPLACED = 'The database was replaced after this event. Load the state again, and begin without Last-Event-ID.';
// Other roles do not see all processes.
const HOLDER = `SELECT 'the prepared transaction ' || quote_literal(gid) AS holder FROM pg_prepared_xacts WHERE transaction = $1::xid8::xid
  UNION ALL SELECT 'the transaction of process ' || pid FROM pg_stat_activity WHERE backend_xid = $1::xid8::xid`;
const RUNNING = 'pg_snapshot_xmin(pg_current_snapshot())';

const NOTHING: Batch = { rows: [], end: 0n, line: undefined, isPending: false };

export class Feed {
  readonly #pool: PostgresPool;
  readonly #listener: Listener;
  readonly #channel: string;
  /** What notifications of this channel have as their payload. */
  readonly payload: string;
  readonly #read: string;
  /** The queries of those that read alone. */
  readonly #queries = new Map<FeedPosition, Promise<Batch>>();
  /** Those that read alone, and could not: they try again when there may be new events. */
  readonly #failed = new Set<() => void>();
  /** Those that wait at the tail. */
  readonly #waiting = new Set<() => void>();
  #readers = 0;
  #tail: Tail | undefined;
  /** Of the last query, and of the tail. */
  #line: string | undefined;
  #isReading = false;
  /** Whether there may be events at the tail that the last query there has not seen. */
  #isDue = false;
  #timer: NodeJS.Timeout | undefined;
  #pauseMs = MIN_PAUSE_MS;
  /** The transaction that events wait for, and since when. */
  #held = { xid: '', since: 0, isTold: false };

  constructor(pool: PostgresPool, channel: string) {
    this.#pool = pool;
    this.#listener = findListener(pool);
    this.#channel = channel;
    this.payload = `${EVENTS_TABLE}/${channel}`;
    const next = (after: string): string => `SELECT kept.xid, kept.id, kept.event, kept.data::text AS data FROM ${EVENTS_TABLE} AS kept
      WHERE channel = $1::text AND (kept.xid, kept.id) > ${after} AND kept.xid < ${RUNNING} ORDER BY kept.xid, kept.id LIMIT 1`;
    // Row by row, since the data of each further row of a scan would be read to add up its bytes.
    this.#read = `WITH RECURSIVE batch AS (
        SELECT 1 AS count, octet_length(first.data) AS bytes, first.* FROM (${next('($2::xid8, $3::bigint)')}) AS first
        UNION ALL
        SELECT count + 1, bytes + octet_length(further.data), further.* FROM batch, LATERAL (${next('(batch.xid, batch.id)')}) AS further
        WHERE count < ${BATCH} AND bytes < ${BATCH_BYTES} AND bytes + octet_length(further.data) <= ${BATCH_BYTES}
      )
      (SELECT xid::text AS xid, id::text AS id, event, data, false AS is_pending, ${LINE} AS line FROM batch ORDER BY count)
      UNION ALL
      SELECT running::text, NULL, NULL, NULL,
        EXISTS (SELECT FROM ${EVENTS_TABLE} AS kept WHERE channel = $1::text AND kept.xid >= running), ${LINE}
      FROM (SELECT ${RUNNING} AS running) AS snapshot WHERE NOT EXISTS (SELECT FROM batch)`;
  }

  /** The position after all events that can be read now. */
  async findEnd(queries: PostgresQueries = this.#pool): Promise<EventKey> {
    const { rows: [row] } = await queryWithLine(this.#pool, queries, `SELECT ${RUNNING}::text AS xid, '0' AS id, ${LINE} AS line`);
    return row as EventKey;
  }

  /**
   * Reads the events after a position, or only new ones, in batches.
   *
   * @throws `ApiError` with the status 410 if the database is of a different line.
   */
  async *read(from: FeedStart | undefined, signal: AbortSignal): AsyncGenerator<readonly EventRow[]> {
    this.#readers += 1;
    if (this.#readers === 1) this.#listener.add(this.#notified);
    try {
      let { position: after, line } = from ?? toStart(await this.findEnd());
      // A client may know of an event that no notification has told of.
      this.#isDue = true;
      while (!signal.aborted) {
        const tail = this.#tail;
        const isAtTail = tail !== undefined && line === this.#line && after >= tail.start;
        const kept = isAtTail ? tail.kept.find(({ end }) => end > after) : undefined;
        const batch = kept ?? await (isAtTail ? this.#wait(signal) : this.#readAlone(after, signal));
        line ??= batch.line;
        if (batch.line !== undefined && batch.line !== line) throw ApiError.status(410, REPLACED);
        const rows = batch.rows.filter(({ position }) => position > after);
        // A client can have sent a position of the future: it gets what is after that.
        if (batch.end > after) after = batch.end;
        if (rows.length > 0) yield rows;
      }
    } finally {
      this.#readers -= 1;
      if (this.#readers === 0) this.#listener.delete(this.#notified);
      if (this.#waiting.size === 0) this.#tail = undefined;
    }
  }

  /** Readers at the same position share a query. One that finds nothing has found the tail. */
  async #readAlone(position: FeedPosition, signal: AbortSignal): Promise<Batch> {
    try {
      const query = this.#queries.get(position) ?? this.#query(position).finally(() => this.#queries.delete(position));
      this.#queries.set(position, query);
      const batch = await query;
      const { rows, end } = batch;
      // A tail where others wait is replaced only if this reader would be before its start.
      if (rows.length === 0 && (this.#tail === undefined || this.#waiting.size === 0 || end < this.#tail.start)) {
        this.#tail = { start: end, end, kept: [] };
        this.#isDue = true;
      }
      return batch;
    } catch (error) {
      if (!isAway(error)) throw error;
      this.#readLater();
      await waitIn(this.#failed, signal);
      return NOTHING;
    }
  }

  /** Waits at the tail, until there may be a batch there. */
  async #wait(signal: AbortSignal): Promise<Batch> {
    const woken = waitIn(this.#waiting, signal);
    if (this.#isDue) void this.#readTail();
    await woken;
    return NOTHING;
  }

  /** Reads for all that wait at the tail, while there may be new events. Never rejects. */
  async #readTail(): Promise<void> {
    this.#isDue = true;
    if (this.#isReading) return;
    this.#isReading = true;
    while (this.#isDue && this.#tail !== undefined && this.#waiting.size > 0) {
      this.#isDue = false;
      await this.#readAfter(this.#tail);
    }
    this.#isReading = false;
  }

  async #readAfter(tail: Tail): Promise<void> {
    try {
      const batch = await this.#query(tail.end);
      // A reader may have come that is before this one.
      if (tail !== this.#tail) return;
      tail.end = batch.end;
      if (batch.rows.length > 0) {
        tail.kept.push(batch);
        if (tail.kept.length > KEPT_BATCHES) tail.start = (tail.kept.shift() as Batch).end;
        this.#isDue = true;
        wakeAll(this.#waiting);
      } else if (batch.isPending) this.#readLater();
    } catch (error) {
      if (isAway(error)) return this.#readLater();
      this.#leaveTail();
    }
  }

  /** All read alone now, and get the error. */
  #leaveTail(): void {
    this.#tail = undefined;
    wakeAll(this.#waiting);
  }

  /** Reads again after a pause, which grows: a transaction may still run, and a database may be away, for long. */
  #readLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#notified(undefined), this.#pauseMs).unref();
    this.#pauseMs = Math.min(MAX_PAUSE_MS, 2 * this.#pauseMs);
  }

  async #query(position: FeedPosition): Promise<Batch> {
    const { rows: read } = await queryWithLine(this.#pool, this.#pool, this.#read, [this.#channel, ...splitPosition(position)]);
    const [first] = read as [ReadRow];
    const { line } = first;
    if (line !== this.#line) this.#leaveTail();
    this.#line = line;
    if (first.id === null) {
      const { xid, is_pending: isPending } = first;
      this.#watch(isPending ? xid : '');
      return { rows: [], end: makePosition(xid), line, isPending };
    }
    const rows = (read as readonly ReadEvent[]).map(toEventRow);
    return { rows, end: (rows.at(-1) as EventRow).position, line, isPending: false };
  }

  /** Warns of a transaction that events wait for, if it goes on: nothing ends one that was prepared, not even a restart of the database. */
  #watch(xid: string): void {
    const now = performance.now();
    if (xid !== this.#held.xid) this.#held = { xid, since: now, isTold: false };
    if (xid === '' || this.#held.isTold || now - this.#held.since < HELD_MS) return;
    this.#held.isTold = true;
    this.#pool.query(HOLDER, [xid]).then(({ rows: [row] }) => {
      const { holder = `transaction ${xid}` } = Object(row) as { readonly holder?: string };
      const what = `The events of the channel "${this.#channel}" wait for ${holder}, which has run for a minute`;
      process.emitWarning(`${what}: until it has ended, nobody gets one.`);
    }).catch(() => {});
  }

  readonly #notified = (payload: string | undefined): void => {
    if (payload !== undefined && payload !== this.payload) return;
    if (payload !== undefined) this.#pauseMs = MIN_PAUSE_MS;
    wakeAll(this.#failed);
    void this.#readTail();
  };
}

function toStart({ xid, id, line }: EventKey): FeedStart {
  return { position: makePosition(xid, id), line };
}

function toEventRow({ xid, id, line, event, data }: ReadEvent): EventRow {
  const made = { id: formatEventId({ xid, id, line }), ...(event !== null && { event }), data: JSON.parse(data) as unknown };
  return { position: makePosition(xid, id), event: freeze(made), length: data.length };
}

function freeze<T>(value: T): T {
  for (const each of Object.values(Object(value))) if (typeof each === 'object') freeze(each);
  return Object.freeze(value);
}

/** Whether a query can succeed later. */
function isAway(error: unknown): boolean {
  return isTemporary(error) || isConflict(error);
}

/** Waits until all are woken, or the signal aborts. */
function waitIn(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      waiting.delete(wake);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    waiting.add(wake);
    signal.addEventListener('abort', wake);
    if (signal.aborted) wake();
  });
}

function wakeAll(waiting: ReadonlySet<() => void>): void {
  for (const wake of [...waiting]) wake();
}
