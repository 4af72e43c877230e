/** Bookings over PostgreSQL: transactions, idempotency keys, rate limits, events and pages. docs/postgres.md explains it, and has the table. */
import { Pool } from 'pg';
import { ApiServer, defineEndpoint, integerId } from 'restpoint';
import { events } from 'restpoint/formats';
import { idempotent, pages, rateLimit } from 'restpoint/interceptors';
import { keyset, mapInvalidValue, mapUnavailable, postgresEvents, postgresIdempotencyStore, postgresRates, postgresTables, transaction } from 'restpoint/postgres';
import { z } from 'zod';

const Booking = z.object({ room: z.string().min(1).max(100), nights: z.int32().min(1) });
const Change = z.object({ id: z.int() });
type Row = z.output<typeof Booking> & { id: number };

const pool = new Pool({
  connectionString: process.env['DATABASE_URL'],
  connectionTimeoutMillis: 5_000, statement_timeout: 10_000, query_timeout: 15_000,
});
pool.on('error', () => {}); // Otherwise an idle connection that is lost ends the process.
await pool.query(postgresTables());

const inTransaction = transaction(pool, { isolation: 'serializable' });
const once = idempotent(postgresIdempotencyStore(pool));
const limit = rateLimit({ limit: 100, windowSeconds: 60, store: postgresRates(pool) });
const changes = postgresEvents<{ booked: z.input<typeof Change>; cancelled: z.input<typeof Change> }>(pool, { channel: 'booking' });

const server = new ApiServer('/v1', { mapError: (error) => mapUnavailable(error) ?? mapInvalidValue(error) });
server.registerEndpoints({
  '/booking': defineEndpoint({
    id: integerId,
    schema: Booking,
    use: limit,
    create: {
      use: once,
      run: async ({ room, nights }, { tx }) => {
        const { rows: [row] } = await tx.query<Row>('INSERT INTO booking (room, nights) VALUES ($1, $2) RETURNING id', [room, nights]);
        if (row === undefined) throw new Error('no row was returned');
        await changes.append(tx, { event: 'booked', data: { id: row.id } });
        return row.id;
      },
    },
    list: {
      use: pages({ cursor: (row: Row) => row.id, codec: integerId, sort: ['room'], prev: true }),
      run: async ({ page }) => {
        const { where, orderBy, values } = keyset(page, { id: 'booking.id', room: 'booking.room' });
        return (await pool.query<Row>(`SELECT * FROM booking WHERE ${where} ORDER BY ${orderBy} LIMIT ${page.take}`, values)).rows;
      },
    },
    get: {
      output: z.object({ id: z.int(), ...Booking.shape }),
      run: async (id) => (await pool.query<Row>('SELECT * FROM booking WHERE id = $1::bigint', [id])).rows[0],
    },
    delete: {
      use: inTransaction,
      run: async (id, { tx }) => {
        if ((await tx.query('DELETE FROM booking WHERE id = $1::bigint', [id])).rowCount === 0) return false;
        await changes.append(tx, { event: 'cancelled', data: { id } });
        return true;
      },
    },
  }),
  '/event': defineEndpoint({
    get: {
      output: events({ booked: Change, cancelled: Change }),
      run: ({ lastEventId, signal }) => changes.read({ after: lastEventId, signal }),
    },
  }),
});

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
process.once('SIGTERM', async () => {
  await server.stop();
  await pool.end();
});
