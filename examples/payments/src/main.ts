import { createApi } from './api.ts';
import { openDatabase } from './database.ts';

const { DATABASE_URL = 'postgres://localhost/payments', ISSUER = '', AUDIENCE = 'payments', ORIGINS = '', PORT = '8080' } = process.env;

const pool = await openDatabase(DATABASE_URL);
const { server } = createApi(pool, { issuer: ISSUER, audience: AUDIENCE, origins: ORIGINS.split(',').filter(Boolean) });
const started = await server.start(`127.0.0.1:${PORT}`);
if (started.ok) console.log(`listening on ${started.url}`);
else process.exitCode = 1;

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await server.stop();
    await pool.end();
  });
}
