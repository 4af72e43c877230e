/**
 * Server-sent events that are kept in a table of PostgreSQL, so that a client that was away for a while gets all that it has missed, from
 * any process:
 *
 *   append(tx, { event: 'paid', data })   ->   added with the other changes of the transaction, or not at all
 *   read({ after, signal })               ->   { id: '751-3-…', event: 'paid', data }, … and new ones when they are committed
 */
import { ApiError } from '../errors/api-error.ts';
import type { LastEventId } from '../formats/events.ts';
import { type Checked, checkObject, checkShortName, integer, option, required, type Shape, shape } from '../util/options.ts';
import { checkSync } from '../util/promises.ts';
import { BATCH, BATCH_BYTES, type EventKey, Feed, type FeedStart, formatEventId, makePosition } from './feed.ts';
import { LINE, queryWithLine } from './line.ts';
import { NOTIFICATIONS } from './listener.ts';
import { EVENTS_TABLE } from './names.ts';
import { checkPool, type PostgresPool, type PostgresQueries } from './pool.ts';
import { Sweeper } from './sweeper.ts';

/**
 * The options of `postgresEvents`.
 *
 * @example
 * ```ts
 * const options: PostgresEventsOptions = { channel: 'booking', ttlMs: 3_600_000 };
 * const changes = postgresEvents(db, options);
 * ```
 */
export interface PostgresEventsOptions {
  /** The name of this sequence of events: letters, digits, `.`, `_` and `-`. A table has many. */
  readonly channel: string;
  /** How long an event is stored, in milliseconds. @default 604_800_000 (7 days) */
  readonly ttlMs?: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** `postgresEvents(pool, options)`: {@link PostgresEventsOptions}. */
export const POSTGRES_EVENTS_OPTIONS: Shape<Checked<PostgresEventsOptions, 'ttlMs'>> = shape({
  channel: required(option<string>('letters, digits, `.`, `_` and `-`', checkShortName, ''), '"booking"'),
  ttlMs: integer(1, 100 * 366 * DAY_MS, 7 * DAY_MS),
});

/** The data of events by their names. */
type NamedData = { readonly [name: string]: unknown };

/** An event that is appended: one of `Data`, which has the types of the data by the names of the events. */
export type AppendedEvent<Data> = 0 extends 1 & Data ? { readonly event: any; readonly data: any }
  : { readonly [Name in keyof Data]: { readonly event: Name; readonly data: Data[Name] } }[keyof Data];

/** An event that was read, as `events` sends it. */
export type StoredEvent<Data> = AppendedEvent<Data> & { readonly id: string };

/**
 * Where to begin, and when to end.
 *
 * @example
 * ```ts
 * const readPets = (changes: PostgresEvents, options: ReadEventsOptions) => changes.read(options);
 * ```
 */
export interface ReadEventsOptions {
  /**
   * The id of the last event that the client has: `request.lastEventId`. `'0-0'` is before all events that are stored.
   *
   * @default only new events
   */
  readonly after?: string | undefined;
  /** Ends the events when it aborts: `request.signal`. */
  readonly signal?: AbortSignal;
}

/**
 * Which events to read, for a client that may not see all of them.
 *
 * @example
 * ```ts
 * const readBookings = (changes: PostgresEvents<{ booked: { room: string } }>, room: string, after: string | undefined) => {
 *   const options: FilterEventsOptions<{ booked: { room: string } }> = { after, where: ({ data }) => data.room === room };
 *   return changes.read(options);
 * };
 * ```
 */
export interface FilterEventsOptions<Data = any> extends WhereOptions<Filter<Data>> {
  /** Returns whether an event is read. */
  readonly where: Filter<Data>;
}

type Filter<Data> = (event: StoredEvent<Data>) => boolean;

interface WhereOptions<Where> extends ReadEventsOptions {
  /** Returns whether an event is read. */
  readonly where?: Where;
}

/** Events in a table. */
export interface PostgresEvents<Data = any> {
  /**
   * Adds an event in a transaction. Readers get it after the commit. Resolves to its id.
   *
   * Two events of one item can come in a different order than its changes, since a transaction can begin first and change last. Send the
   * version of the item with each, and skip one that is older than what you have.
   *
   * @throws `TypeError` for data that JSON does not have.
   */
  append(tx: PostgresQueries, event: AppendedEvent<Data>): Promise<string>;
  /**
   * Resolves to the position of the events now, for `after`. To show a state and then its changes, ask for it before the state is read, or
   * by the same `repeatable read` transaction.
   */
  position(tx?: PostgresQueries): Promise<string>;
  /**
   * Reads the events after one, then waits for new ones. They come in the same order for all readers, and none is left out. Readers share
   * them: they are frozen.
   *
   * With `where`, only the events for which it returns `true`. Between them come ids without an event, at least one for a hundred events or
   * 64 KiB that are left out, so that a client that reconnects does not have them read again.
   *
   * @throws `ApiError` with the status 400 for an `after` that is not an id of an event. Rejects with one of the status 410 if the database
   * is a different one than the event's, after a failover or a restore: load the state, and begin without `after`.
   */
  read<Where = unknown>(
    options?: WhereOptions<Where extends Filter<Data> ? Where : Filter<Data>>,
  ): AsyncIterableIterator<StoredEvent<Data> | (unknown extends Where ? never : LastEventId)>;
}

/**
 * Keeps server-sent events in a table of PostgreSQL. `append` adds an event in a transaction, and `read` returns what an operation with the
 * output `events` returns. A client that reconnects, even to a different process, goes on after its last event.
 *
 * Events are read in the order of their transactions, when all transactions that began earlier have ended: a transaction that runs for
 * long, anywhere in the database server, delays them. Writers wait for each other only while they commit, since PostgreSQL commits
 * transactions with notifications one after the other. One connection of the pool listens while there are readers.
 *
 * @example
 * ```ts
 * const petEvents = (pool: PostgresPool) => {
 *   const changes = postgresEvents<{ arrived: Pet }>(pool, { channel: 'pet' });
 *   return defineEndpoint({
 *     get: { output: events({ arrived: Pet }), run: ({ lastEventId, signal }) => changes.read({ after: lastEventId, signal }) },
 *     custom: {
 *       arrive: { use: transaction(pool), input: Pet, run: (pet, { tx }) => changes.append(tx, { event: 'arrived', data: pet }) },
 *     },
 *   });
 * };
 * ```
 * @throws `TypeError` for an invalid option.
 */
export function postgresEvents<Data extends NamedData = any>(pool: PostgresPool, options: PostgresEventsOptions): PostgresEvents<Data> {
  checkPool(pool, 'postgresEvents');
  const { channel, ttlMs } = POSTGRES_EVENTS_OPTIONS.check(options ?? {}, 'options');
  const feed = new Feed(pool, channel);
  const appendRow = `WITH added AS (INSERT INTO ${EVENTS_TABLE} (channel, event, data)
      VALUES ($1::text, $2::text, $3::text::json) RETURNING xid, id)
    SELECT xid::text AS xid, id::text AS id, ${LINE} AS line, pg_notify('${NOTIFICATIONS}', $4::text) FROM added`;
  const sweeper = new Sweeper(pool, `DELETE FROM ${EVENTS_TABLE} WHERE ctid IN (SELECT ctid FROM ${EVENTS_TABLE}
    WHERE channel = $3::text AND created < now() - $2::bigint * interval '1 ms' ORDER BY created LIMIT $1::integer FOR UPDATE SKIP LOCKED)
    RETURNING 1 AS one`, () => [ttlMs, channel]);
  return {
    append: async (tx, given) => {
      const { event, data } = checkObject(given, 'an event');
      if (event !== undefined && (typeof event !== 'string' || /[\r\n\0]/.test(event))) {
        throw new TypeError(`the name of an event must be a string without line ends and NUL: ${JSON.stringify(event)}`);
      }
      const json = JSON.stringify(data) as string | undefined;
      if (json === undefined) throw new TypeError(`the data of an event must be JSON: ${typeof data}`);
      const { rows: [row] } = await queryWithLine(pool, tx, appendRow, [channel, event ?? null, json, feed.payload]);
      sweeper.added();
      return formatEventId(row as EventKey);
    },
    position: async (tx) => formatEventId(await feed.findEnd(tx)),
    read: (given: WhereOptions<Filter<any> | undefined> = {}): AsyncIterableIterator<any> => {
      return filterEvents(feed, given.after === undefined ? undefined : parseEventId(given.after), given);
    },
  };
}

// The largest numbers of `xid8` and `bigint`.
const MAX_XID = 2n ** 64n - 1n;
const MAX_ID = 2n ** 63n - 1n;
const ID = /^(\d{1,20})-(\d{1,19})(?:-([\da-f]{1,16}\.\d{1,10}))?$/;

function parseEventId(id: string): FeedStart {
  const [, xid = '', number = '', line] = ID.exec(id) ?? [];
  if (xid !== '' && BigInt(xid) <= MAX_XID && BigInt(number) <= MAX_ID) return { position: makePosition(xid, number), line };
  throw ApiError.argument('Last-Event-ID: expected the id of an event');
}

/** Reads events. Ends at once, even while it waits. */
function filterEvents(
  feed: Feed, start: FeedStart | undefined, { signal, where }: WhereOptions<Filter<any> | undefined>,
): AsyncIterableIterator<any> {
  const ended = new AbortController();
  async function* read(): AsyncGenerator<any, undefined> {
    if (signal?.aborted === true) return;
    signal?.addEventListener('abort', end);
    try {
      // How much was left out since the last id, as a part of a batch.
      let skipped = 0;
      for await (const rows of feed.read(start, ended.signal)) {
        for (const { event, length } of rows) {
          if (ended.signal.aborted) return;
          const isWanted = where === undefined || checkSync(where(event as StoredEvent<any>), 'where');
          skipped += 1 / BATCH + length / BATCH_BYTES;
          if (!isWanted && skipped < 1) continue;
          skipped = 0;
          yield isWanted ? event : { id: event.id };
        }
      }
    } finally {
      signal?.removeEventListener('abort', end);
    }
  }
  const reading = read();
  const end = (): void => {
    ended.abort();
    void reading.return(undefined);
  };
  return {
    [Symbol.asyncIterator]() { return this; },
    next: () => reading.next(),
    return: async () => {
      end();
      return { done: true, value: undefined };
    },
  };
}
