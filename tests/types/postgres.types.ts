/** The names of `restpoint/postgres` in declarations. Compiling this file is the test. */
import { events, type LastEventId } from '../../src/formats/index.ts';
import { ApiError, type ApiRequest, ApiServer, defineEndpoint, integerId } from '../../src/index.ts';
import { idempotent, pages, rateLimit } from '../../src/interceptors/index.ts';
import {
  type FilterEventsOptions, inTransaction, type InTransactionOptions, isDatabaseUnavailable, keyset, mapUnavailable, postgresEvents, postgresIdempotencyStore,
  type PostgresPool, type PostgresQueries, postgresRates, postgresTables, type StoredEvent, transaction, type TransactionOf,
} from '../../src/postgres/index.ts';
import { decodePet, same, type Pet } from './schemas.ts';

/** As `@types/pg` has them. */
interface Result<Row> {
  rows: Row[];
  rowCount: number | null;
  command: string;
}
declare class PoolClient {
  query<Row = any, Values extends any[] = any[]>(config: { text: string }, values?: Values): Promise<Result<Row>>;
  query<Row = any, Values extends any[] = any[]>(text: string | { text: string }, values?: Values): Promise<Result<Row>>;
  query(text: string, callback: (error: Error, result: Result<any>) => void): void;
  release(error?: Error | boolean): void;
  on(event: 'drain', listener: () => void): this;
  on(event: 'error', listener: (error: Error) => void): this;
  on(event: 'notification', listener: (message: { channel: string; payload?: string | undefined }) => void): this;
  off(event: string | symbol, listener: (...args: any[]) => void): this;
}
declare class Pool {
  connect(): Promise<PoolClient>;
  connect(callback: (error: Error | undefined, client: PoolClient | undefined, done: (release?: any) => void) => void): void;
  query<Row = any, Values extends any[] = any[]>(config: { text: string }, values?: Values): Promise<Result<Row>>;
  query<Row = any, Values extends any[] = any[]>(text: string | { text: string }, values?: Values): Promise<Result<Row>>;
  query(text: string, callback: (error: Error, result: Result<any>) => void): void;
}
/** As PGlite has them. */
interface Tx {
  query<Row>(query: string, params?: any[], options?: object): Promise<{ rows: Row[]; affectedRows?: number }>;
  rollback(): Promise<void>;
}
declare class PGlite {
  query<Row>(query: string, params?: any[], options?: object): Promise<{ rows: Row[]; affectedRows?: number }>;
  transaction<T>(callback: (tx: Tx) => Promise<T>): Promise<T>;
  listen(channel: string, callback: (payload: string) => void, tx?: Tx): Promise<(tx?: Tx) => Promise<void>>;
}
declare const pool: Pool;
declare const lite: PGlite;
declare const any: PostgresPool;

same<TransactionOf<Pool>, PoolClient>(true);
same<TransactionOf<PGlite>, Tx>(true);
same<TransactionOf<{ query: PostgresQueries['query']; connect(): Promise<PoolClient> }>, PoolClient>(true);

// ---- The transaction is the driver's own.
const tx = transaction(pool, { isolation: 'serializable' });
const once = idempotent(postgresIdempotencyStore(pool), { caller: ({ context }: ApiRequest<string>) => context, required: true });
const apart = idempotent(postgresIdempotencyStore(pool, { transaction: false }));
defineEndpoint({
  custom: {
    pay: { use: tx, input: decodePet, run: (_, { tx }) => same<typeof tx, PoolClient>(true) },
    lite: { use: transaction(lite), run: ({ tx }) => same<typeof tx, Tx>(true) },
    key: { use: idempotent(postgresIdempotencyStore(lite)), run: ({ tx }) => same<typeof tx, Tx>(true) },
    limited: { use: [rateLimit({ limit: 1, windowSeconds: 1, store: postgresRates(any) }), tx], run: async ({ tx }) => (await tx.query<Pet>(postgresTables())).rowCount },
    // @ts-expect-error there is no transaction
    apart: { use: apart, run: ({ tx }) => tx },
  },
});
defineEndpoint({ context: () => 'ann', custom: { pay: { use: once, input: decodePet, run: (_, { tx }) => same<typeof tx, PoolClient>(true) } } });
// @ts-expect-error not an isolation
transaction(pool, { isolation: 'snapshot' });

// ---- So is that of a function, whose result it resolves to.
const stopping: InTransactionOptions = { isolation: 'serializable', signal: AbortSignal.timeout(1000) };
const counted = inTransaction(pool, async (tx) => (same<typeof tx, TransactionOf<typeof pool>>(true), (await tx.query('SELECT 1')).rows.length), stopping);
same<typeof counted, Promise<number>>(true);
inTransaction(lite, async (tx) => same<typeof tx, Tx>(true));
// @ts-expect-error it does not wait for the function
inTransaction(pool, () => 1);
// @ts-expect-error an unknown option
inTransaction(pool, async () => 1, { canRepeat: false });
// @ts-expect-error not a pool
transaction({ query: pool.query });

// ---- Events have the types of their names.
const changes = postgresEvents<{ paid: number; left: Pet }>(pool, { channel: 'a' });
void changes.append(pool, { event: 'paid', data: 1 });
// @ts-expect-error the data of another event
void changes.append(pool, { event: 'left', data: 1 });
// @ts-expect-error no such event
void changes.append(pool, { event: 'gone', data: 1 });
defineEndpoint({
  get: { output: events({ paid: Number, left: decodePet }), run: ({ lastEventId, signal }) => changes.read({ after: lastEventId, signal }) },
});
defineEndpoint({ get: { output: events({ paid: Number }), run: ({ signal }) => postgresEvents(lite, { channel: 'a' }).read({ signal }) } });
const where = ({ event, data }: StoredEvent<{ paid: number; left: Pet }>): boolean => (event === 'paid' ? data > 1 : data.legs > 1);
defineEndpoint({
  get: { output: events({ paid: Number, left: decodePet }), run: async ({ signal }) => changes.read({ after: await changes.position(), signal, where }) },
});
const filtered = changes.read({ where });
const whole = changes.read();
type Changes = StoredEvent<{ paid: number; left: Pet }>;
same<typeof filtered, AsyncIterableIterator<Changes | LastEventId>>(true);
same<typeof whole, AsyncIterableIterator<Changes>>(true);
const options: FilterEventsOptions<{ paid: number; left: Pet }> = { where, after: '1-1' };
changes.read(options);
// @ts-expect-error a promise
changes.read({ where: async () => true });
// @ts-expect-error the channel is missing
postgresEvents(pool, {});

// ---- Errors of a database that is lost.
new ApiServer('', { mapError: mapUnavailable });
defineEndpoint({ mapError: (error) => mapUnavailable(error) ?? (isDatabaseUnavailable(error) ? ApiError.notFound() : undefined), get: () => ({}) });
same<ReturnType<typeof mapUnavailable>, ApiError | undefined>(true);

// ---- A column for each sort.
defineEndpoint({
  id: integerId,
  list: {
    use: pages({ cursor: (pet: Pet & { readonly id: number }) => pet.id, codec: integerId, sort: ['name'] }),
    run: async ({ page }) => {
      const { where, orderBy, values } = keyset(page, { id: 'pet.id', name: 'pet.name' });
      // @ts-expect-error the column of a sort is missing
      keyset(page, { id: 'pet.id' });
      // @ts-expect-error the column of the id is missing
      keyset(page, { name: 'pet.name' });
      return (await pool.query<Pet & { readonly id: number }>(`SELECT * FROM pet WHERE ${where} ORDER BY ${orderBy} LIMIT ${page.take}`, values)).rows;
    },
  },
  get: (id) => ({ id }),
});
keyset({ after: 1 }, { id: 'id' }, { from: 2 });
