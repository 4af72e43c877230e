/** Reports that are made after the response. docs/long-running-jobs.md explains it, and has the table. */
import { setTimeout } from 'node:timers/promises';
import { Pool } from 'pg';
import { type Job, PgBoss } from 'pg-boss';
import { ApiServer, defineEndpoint, problem, reply, uuidId } from 'restpoint';
import { idempotent } from 'restpoint/interceptors';
import { mapInvalidValue, postgresIdempotencyStore, postgresTables } from 'restpoint/postgres';
import { z } from 'zod';

const connectionString = process.env['DATABASE_URL'] ?? '';
const MAX_ATTEMPTS = 5;
const HEARTBEAT_SECONDS = 15;
const CHECK_SECONDS = 15;

const ReportInput = z.object({ year: z.int().min(2000).max(2100) });
type ReportInput = z.output<typeof ReportInput>;
const Report = z.object({ year: z.int(), total: z.int() });
const Progress = z.object({ attempts: z.int() });

const pool = new Pool({ connectionString, connectionTimeoutMillis: 5_000, statement_timeout: 10_000, query_timeout: 15_000 });
pool.on('error', () => {}); // Otherwise an idle connection that is lost ends the process.
await pool.query(postgresTables());

const boss = new PgBoss({ connectionString, superviseIntervalSeconds: CHECK_SECONDS, monitorIntervalSeconds: CHECK_SECONDS });
boss.on('error', (error) => console.error(error));
await boss.start();
await boss.createQueue('report', { retryLimit: MAX_ATTEMPTS - 1, retryDelay: 1, retryBackoff: true, heartbeatSeconds: HEARTBEAT_SECONDS });

/** The work, which ends when `signal` aborts. It can run twice, so it changes nothing by itself. */
async function makeReport({ year }: ReportInput, signal: AbortSignal) {
  let total = 0;
  for (let month = 1; month <= 12; month += 1) {
    await setTimeout(50, undefined, { signal });
    total += month;
  }
  return { year, total };
}

async function runJob(job: Job<ReportInput>): Promise<void> {
  try {
    const { year, total } = await makeReport(job.data, job.signal);
    // If a different worker has done the job meanwhile, its report stays.
    await pool.query('INSERT INTO report (id, year, total) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING', [job.id, year, total]);
  } catch (error) {
    console.error(`job ${job.id}, attempt ${job.retryCount + 1}:`, error);
    throw error;
  }
}

const server = new ApiServer('/v1', { mapError: mapInvalidValue });
const api = server.registerEndpoints({
  '/report': defineEndpoint({
    id: uuidId,
    create: {
      use: idempotent(postgresIdempotencyStore(pool)),
      input: ReportInput,
      output: { 202: null },
      responseHeaders: { Location: z.string() },
      run: async (input, { tx }) => {
        // In the transaction of the request: the job is there if and only if it commits.
        const id = await boss.send('report', input, { db: { executeSql: (text, values) => tx.query(text, values) } });
        return reply(202, undefined, { Location: `/v1/job/${id}` });
      },
    },
    get: {
      output: Report,
      run: async (id) => (await pool.query<z.input<typeof Report>>('SELECT year, total FROM report WHERE id = $1', [id])).rows[0],
    },
  }),
  '/job': defineEndpoint({
    id: uuidId,
    get: {
      output: { 202: Progress, 303: null },
      errors: { 500: null },
      run: async (id) => {
        const job = await boss.getJobById('report', id);
        if (job === null) return undefined;
        if (job.state === 'completed') return reply(303, undefined, { Location: `/v1/report/${id}` });
        if (job.state === 'failed') return problem(500, `The report could not be made in ${MAX_ATTEMPTS} attempts.`);
        return reply(202, { attempts: job.state === 'created' ? 0 : job.retryCount + 1 }, { 'Retry-After': '1' });
      },
    },
  }),
});
export type Api = typeof api;

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
await boss.work<ReportInput>('report', { pollingIntervalSeconds: 0.5 }, ([job]) => (job ? runJob(job) : Promise.resolve()));
process.once('SIGTERM', async () => {
  await server.stop();
  await boss.stop();
  await pool.end();
});
