import { setTimeout } from 'node:timers/promises';
import { Pool } from 'pg';
import { ApiServer, defineEndpoint } from 'restpoint';
import { inTransaction, mapUnavailable, transaction } from 'restpoint/postgres';

const pool = new Pool({
  connectionString: process.env['DATABASE_URL'],
  connectionTimeoutMillis: 5_000, statement_timeout: 10_000, query_timeout: 15_000,
});
pool.on('error', () => {}); // Otherwise an idle connection that is lost ends the process.

/** A job: keeps the attic free for a night of repairs, once, although each process runs it. No mail here: it would be sent with each attempt. */
function bookRepairs(signal: AbortSignal) {
  return inTransaction(pool, async (tx) => {
    const { rowCount } = await tx.query("SELECT FROM booking WHERE room = 'Attic'");
    if (rowCount === 0) await tx.query("INSERT INTO booking (room, nights) VALUES ('Attic', 1)");
  }, { isolation: 'serializable', signal });
}

const server = new ApiServer('/v1', { mapError: mapUnavailable });
server.registerEndpoints({
  '/room': defineEndpoint({
    get: {
      use: transaction(pool),
      limits: { operationMs: 2_000 },
      run: async ({ tx }) => {
        await tx.query('SET LOCAL statement_timeout = 1500'); // less than operationMs
        return (await tx.query<{ room: string }>('SELECT room, sum(nights)::int AS nights FROM booking GROUP BY room ORDER BY room')).rows;
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

const { stopping } = server;
while (!stopping.aborted) {
  await bookRepairs(stopping).catch(console.error);
  await setTimeout(60_000, undefined, { signal: stopping }).catch(() => {});
}
