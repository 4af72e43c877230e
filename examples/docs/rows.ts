import { Pool } from 'pg';
import { ApiServer, defineEndpoint, reply } from 'restpoint';
import { attachment } from 'restpoint/formats';

const pool = new Pool({
  connectionString: process.env['DATABASE_URL'],
  connectionTimeoutMillis: 5_000, statement_timeout: 10_000, query_timeout: 15_000,
});
pool.on('error', () => {}); // Otherwise an idle connection that is lost ends the process.

const toLine = (values: readonly unknown[]) => `${values.map((value) => `"${String(value).replaceAll('"', '""')}"`).join()}\n`;

/** The rows of one moment. The connection is held until the client has read them, or has left. */
async function* readPets() {
  const connection = await pool.connect();
  try {
    await connection.query('BEGIN READ ONLY');
    await connection.query('DECLARE pets NO SCROLL CURSOR FOR SELECT id, name FROM pet ORDER BY id');
    for (let isLast = false; !isLast;) {
      const { rows } = await connection.query<{ id: number; name: string }>('FETCH 1000 FROM pets');
      yield rows.map(({ id, name }) => toLine([id, name])).join('');
      isLast = rows.length === 0;
    }
  } finally {
    await connection.query('ROLLBACK').finally(() => connection.release());
  }
}

const server = new ApiServer('/v1');
server.registerEndpoints({
  '/pet': defineEndpoint({
    custom: {
      csv: {
        method: 'GET',
        run: () => reply(200, readPets(), { 'Content-Type': 'text/csv; charset=utf-8', ...attachment('Übersicht "Tiere".csv') }),
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
