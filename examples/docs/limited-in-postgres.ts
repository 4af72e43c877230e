/** A rate limit of several processes, in PostgreSQL. docs/interceptors.md explains it. */
import { Pool } from 'pg';
import { ApiServer, defineEndpoint, integerId } from 'restpoint';
import { rateLimit } from 'restpoint/interceptors';
import { mapInvalidValue, postgresRates, postgresTables } from 'restpoint/postgres';

const pool = new Pool({
  connectionString: process.env['DATABASE_URL'],
  connectionTimeoutMillis: 5_000, statement_timeout: 10_000, query_timeout: 15_000,
});
pool.on('error', () => {}); // Otherwise an idle connection that is lost ends the process.
await pool.query(postgresTables());
const store = postgresRates(pool);

const server = new ApiServer('/v1', { mapError: mapInvalidValue });
server.registerEndpoints({
  '/pet': defineEndpoint({
    id: integerId,
    use: rateLimit({ limit: 100, windowSeconds: 3600, store, onStoreError: 'allow' }),
    get: (id) => ({ id }),
  }),
});

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
