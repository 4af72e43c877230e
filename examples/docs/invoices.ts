import { Pool } from 'pg';
import { ApiServer, created, defineEndpoint, uint64Id } from 'restpoint';
import { dateKey, pages } from 'restpoint/interceptors';
import { keyset, mapInvalidValue } from 'restpoint/postgres';
import { z } from 'zod';

/** A moment, with a time zone: `2026-03-01T09:30:00Z`, or with `+01:00`. */
const Moment = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const Money = z.string().regex(/^\d{1,10}\.\d{2}$/, 'expected an amount such as 12.50');
const Invoice = z.object({ amount: Money, due: z.iso.date(), sent: Moment });
const StoredInvoice = z.object({ id: z.string(), amount: z.string(), due: z.string(), sent: z.date() });
type Row = z.input<typeof StoredInvoice>;

const pool = new Pool({
  connectionString: process.env['DATABASE_URL'],
  connectionTimeoutMillis: 5_000, statement_timeout: 10_000, query_timeout: 15_000,
});
pool.on('error', () => {}); // Otherwise an idle connection that is lost ends the process.

const COLUMNS = 'id, amount, due::text AS due, sent';
const server = new ApiServer('/v1', { mapError: mapInvalidValue });
server.registerEndpoints({
  '/invoice': defineEndpoint({
    id: uint64Id,
    create: {
      input: Invoice,
      output: z.object({ id: z.string() }),
      run: async ({ amount, due, sent }) => {
        const insert = 'INSERT INTO invoice (amount, due, sent) VALUES ($1, $2, $3) RETURNING id';
        const { rows: [row] } = await pool.query<{ id: string }>(insert, [amount, due, sent]);
        if (row === undefined) throw new Error('no row was returned');
        return created(BigInt(row.id), row);
      },
    },
    get: {
      output: StoredInvoice,
      run: async (id) => (await pool.query<Row>(`SELECT ${COLUMNS} FROM invoice WHERE id = $1::numeric`, [id])).rows[0],
    },
    list: {
      use: pages({ cursor: (row: Row) => BigInt(row.id), codec: uint64Id, sort: { sent: dateKey } }),
      query: z.object({ from: Moment.optional(), to: Moment.optional() }),
      output: z.array(StoredInvoice),
      run: async ({ page, query: { from, to } }) => {
        const { where, orderBy, values } = keyset(page, { id: 'invoice.id', sent: 'invoice.sent' }, { from: 3 });
        const text = `SELECT ${COLUMNS} FROM invoice
          WHERE ($1::timestamptz IS NULL OR sent >= $1) AND ($2::timestamptz IS NULL OR sent < $2) AND ${where} ORDER BY ${orderBy} LIMIT ${page.take}`;
        return (await pool.query<Row>(text, [from, to, ...values])).rows;
      },
    },
  }),
});

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
process.once('SIGTERM', async () => {
  await server.stop();
  await pool.end();
});
