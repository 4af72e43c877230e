/** A payment between two accounts, in a transaction. docs/database.md explains it, and has the table. */
import { Pool } from 'pg';
import { ApiError, ApiServer, defineEndpoint, integerId, problem } from 'restpoint';
import { mapInvalidValue, transaction } from 'restpoint/postgres';
import { z } from 'zod';

const pool = new Pool({
  connectionString: process.env['DATABASE_URL'],
  connectionTimeoutMillis: 5_000, statement_timeout: 10_000, query_timeout: 15_000,
});
pool.on('error', () => {}); // Otherwise an idle connection that is lost ends the process.
const inTransaction = transaction(pool);

const CHECK_VIOLATION = '23514';
const LOCK = 'SELECT id FROM account WHERE id IN ($1::bigint, $2::bigint) ORDER BY id FOR UPDATE';
const CHANGE = 'UPDATE account SET cents = cents + $2 WHERE id = $1::bigint RETURNING cents';

const server = new ApiServer('/v1', { mapError: mapInvalidValue });
server.registerEndpoints({
  '/account': defineEndpoint({
    id: integerId,
    mapError: (error) => (Object(error).code === CHECK_VIOLATION ? ApiError.status(409, 'There is too little money.') : undefined),
    get: async (id) => (await pool.query<{ id: number; cents: number }>('SELECT * FROM account WHERE id = $1::bigint', [id])).rows[0],
    itemCustom: {
      pay: {
        use: inTransaction,
        input: z.object({ to: z.int(), cents: z.int().min(1).max(1_000_000) }),
        run: async (id, { to, cents }, { tx }) => {
          if ((await tx.query(LOCK, [id, to])).rowCount !== 2) return problem(404, 'Not found.');
          const { rows: [from] } = await tx.query<{ cents: number }>(CHANGE, [id, -cents]);
          await tx.query(CHANGE, [to, cents]);
          return { left: from?.cents };
        },
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
