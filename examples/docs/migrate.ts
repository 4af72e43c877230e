import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { Pool } from 'pg';
import { ApiServer, defineEndpoint, integerId } from 'restpoint';
import { inTransaction, mapUnavailable } from 'restpoint/postgres';
import { z } from 'zod';

const MIGRATIONS = [
  'CREATE TABLE toy (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL)',
  'ALTER TABLE toy ADD COLUMN cents integer NOT NULL DEFAULT 0', // Processes of the release before do not know it.
];

const pool = new Pool({
  connectionString: process.env['DATABASE_URL'],
  connectionTimeoutMillis: 5_000, statement_timeout: 10_000, query_timeout: 15_000,
});
pool.on('error', () => {}); // Otherwise an idle connection that is lost ends the process.

/** Applies the migrations that are missing. Of several processes, one does it, and the others wait. */
function migrate() {
  return inTransaction(pool, async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock(1)');
    // Requests wait behind a migration that waits for a lock: it gives up, and is tried again.
    await tx.query("SET LOCAL lock_timeout = '2s'");
    await tx.query('CREATE TABLE IF NOT EXISTS migration (number integer PRIMARY KEY)');
    const { rows: [row] } = await tx.query<{ done: number }>('SELECT count(*)::int AS done FROM migration');
    for (const [number, sql] of MIGRATIONS.entries()) {
      if (number < (row?.done ?? 0)) continue;
      await tx.query(sql);
      await tx.query('INSERT INTO migration VALUES ($1)', [number]);
    }
  });
}

let isMigrated = false;
let isClosed = false; // for maintenance
const server = new ApiServer('/v1', { mapError: mapUnavailable });
const probe = (isWell: () => boolean | Promise<boolean>) => async (_request: IncomingMessage, response: ServerResponse) => {
  response.writeHead(await isWell() ? 200 : 503).end();
};
server.mount('/alive', probe(() => true), { inFlight: false });
server.mount('/ready', probe(() => isMigrated && !isClosed && pool.query('SELECT 1').then(() => true, () => false)), { inFlight: false });
server.use(({ url = '' }, response, next) => {
  if ((isMigrated && !isClosed) || /^\/(?:alive|ready)(?:\?|$)/.test(url)) return next();
  // An ApiError that is passed to next() would be logged with each request.
  response.writeHead(503, { 'Retry-After': '30', 'Content-Type': 'application/problem+json' }).end('{"status":503,"title":"Closed for a while"}');
});
server.registerEndpoints({
  '/toy': defineEndpoint({
    id: integerId,
    create: {
      input: z.object({ name: z.string().min(1) }),
      run: async ({ name }) => {
        const { rows: [row] } = await pool.query<{ id: number }>('INSERT INTO toy (name) VALUES ($1) RETURNING id', [name]);
        if (row === undefined) throw new Error('no row was returned');
        return row.id;
      },
    },
  }),
});

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
process.on('SIGUSR2', () => (isClosed = !isClosed));
process.once('SIGTERM', async () => {
  await server.stop();
  await pool.end();
});
while (!isMigrated && !server.stopping.aborted) {
  await migrate().then(() => (isMigrated = true), (error) => {
    if (Object(error).status !== 503) throw error;
    console.error(error); // The database is away, or in use: once more.
    return setTimeout(1000);
  });
}
