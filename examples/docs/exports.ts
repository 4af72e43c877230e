/** An export to download, made by a worker. docs/long-running-jobs.md explains it. The tables are there. */
import { Pool } from 'pg';
import { PgBoss } from 'pg-boss';
import { ApiServer, bytes, defineEndpoint, problem, reply, uuidId } from 'restpoint';
import { attachment } from 'restpoint/formats';
import { mapInvalidValue, transaction } from 'restpoint/postgres';
import { z } from 'zod';

const connectionString = process.env['DATABASE_URL'] ?? '';

const pool = new Pool({ connectionString, connectionTimeoutMillis: 5_000, statement_timeout: 10_000, query_timeout: 15_000 });
pool.on('error', () => {}); // Otherwise an idle connection that is lost ends the process.

const boss = new PgBoss({ connectionString, superviseIntervalSeconds: 15, monitorIntervalSeconds: 15 });
boss.on('error', (error) => console.error(error));
await boss.start();
await boss.createQueue('export', { retryLimit: 4, retryDelay: 1, retryBackoff: true, heartbeatSeconds: 15 });

const toLine = (values: readonly unknown[]): string => `${values.map((value) => `"${String(value).replaceAll('"', '""')}"`).join(',')}\r\n`;

async function* readPieces(id: string): AsyncGenerator<string> {
  for (let number = 0; ; number += 1) {
    const sql = 'SELECT csv FROM export_piece WHERE export = $1 AND number = $2';
    const { rows: [piece] } = await pool.query<{ csv: string }>(sql, [id, number]);
    if (piece === undefined) return;
    yield piece.csv;
  }
}

const server = new ApiServer('/v1', { mapError: mapInvalidValue });
server.registerEndpoints({
  '/export': defineEndpoint({
    id: uuidId,
    create: {
      use: transaction(pool),
      output: { 202: null },
      responseHeaders: { Location: z.string() },
      run: async ({ tx }) => {
        const id = await boss.send('export', {}, { db: { executeSql: (text, values) => tx.query(text, values) } });
        return reply(202, undefined, { Location: `/v1/export/${id}` });
      },
    },
    get: {
      output: { 200: bytes({ types: ['text/csv'] }), 202: null },
      errors: { 500: null },
      run: async (id) => {
        const job = await boss.getJobById('export', id);
        if (job === null) return undefined;
        if (job.state === 'failed') return problem(500, 'The export could not be made.');
        if (job.state !== 'completed') return reply(202, undefined, { 'Retry-After': '1' });
        return reply(200, readPieces(id), { 'Content-Type': 'text/csv; charset=utf-8', ...attachment('pets.csv') });
      },
    },
  }),
});

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
await boss.work('export', { transactional: true, pollingIntervalSeconds: 0.5 }, async ([job], tx) => {
  // A cursor has the rows of the moment at which it was opened.
  await tx.executeSql('DECLARE pets NO SCROLL CURSOR FOR SELECT id, name, legs FROM pet ORDER BY id');
  for (let number = 0; job !== undefined; number += 1) {
    const { rows } = await tx.executeSql('FETCH 1000 FROM pets');
    if (rows.length === 0) break;
    const lines = rows.map(({ id, name, legs }) => toLine([id, name, legs]));
    const csv = (number === 0 ? [toLine(['id', 'name', 'legs']), ...lines] : lines).join('');
    await tx.executeSql('INSERT INTO export_piece (export, number, csv) VALUES ($1, $2, $3)', [job.id, number, csv]);
  }
});
process.once('SIGTERM', async () => {
  await server.stop();
  await boss.stop();
  await pool.end();
});
