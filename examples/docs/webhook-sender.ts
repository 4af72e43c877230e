/** Webhooks to others, each sent until its receiver has it. docs/webhooks.md explains it. The tables are there. */
import { createHmac } from 'node:crypto';
import { Pool } from 'pg';
import { type Job, PgBoss } from 'pg-boss';
import { ApiServer, defineEndpoint, integerId } from 'restpoint';
import { openApiHandler } from 'restpoint/openapi';
import { mapInvalidValue, transaction } from 'restpoint/postgres';
import { z } from 'zod';

const connectionString = process.env['DATABASE_URL'] ?? '';
const MAX_ATTEMPTS = 14;
const FIRST_DELAY_SECONDS = 10;
const RESPONSE_MS = 10_000;
const LEASE_SECONDS = 30; // then others have the webhook of a killed process: longer than an attempt takes
const CHECK_SECONDS = 15;

const Pet = z.object({ name: z.string().min(1) });
const PetCreated = z.object({
  type: z.literal('pet.created'),
  timestamp: z.iso.datetime(),
  data: Pet.extend({ id: z.int() }),
});

interface Webhook { receiver: number; body: string }
interface Receiver { id: number; url: string; secrets: readonly string[] }

const pool = new Pool({ connectionString, connectionTimeoutMillis: 5_000, statement_timeout: 10_000, query_timeout: 15_000 });
pool.on('error', () => {}); // Otherwise an idle connection that is lost ends the process.

const boss = new PgBoss({ connectionString, superviseIntervalSeconds: CHECK_SECONDS, monitorIntervalSeconds: CHECK_SECONDS });
boss.on('error', (error) => console.error(error));
await boss.start();
await boss.createQueue('webhook', {
  retryLimit: MAX_ATTEMPTS - 1,
  retryDelay: FIRST_DELAY_SECONDS,
  retryBackoff: true,
  expireInSeconds: LEASE_SECONDS,
});

/** One signature for each secret, so that a receiver can know either. */
function sign(id: string, timestamp: number, body: string, secrets: readonly string[]): string {
  return secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  }).join(' ');
}

async function deliver(id: string, body: string, { url, secrets }: Receiver): Promise<void> {
  const timestamp = Math.floor(Date.now() / 1000);
  const headers = {
    'Content-Type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': sign(id, timestamp, body, secrets),
  };
  // A redirect is not followed: it could lead into your network.
  const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: AbortSignal.timeout(RESPONSE_MS) });
  await response.body?.cancel().catch(() => {});
  if (!response.ok) throw new Error(`the receiver has responded with ${response.status}`);
}

async function sendWebhook({ id, data: { receiver, body }, retryCount }: Job<Webhook>): Promise<void> {
  try {
    const { rows: [row] } = await pool.query<Receiver>('SELECT id, url, secrets FROM receiver WHERE id = $1', [receiver]);
    if (row !== undefined) await deliver(id, body, row); // Otherwise the receiver was removed.
  } catch (error) {
    if (retryCount + 1 >= MAX_ATTEMPTS) console.error(`webhook ${id} is not delivered after ${MAX_ATTEMPTS} attempts`);
    throw error; // pg-boss runs the job again later
  }
}

const server = new ApiServer('/v1', { mapError: mapInvalidValue });
server.registerEndpoints({
  '/pet': defineEndpoint({
    id: integerId,
    schema: Pet,
    create: {
      use: transaction(pool),
      run: async (pet, { tx }) => {
        const { rows: [row] } = await tx.query<{ id: number }>('INSERT INTO pet (name) VALUES ($1) RETURNING id', [pet.name]);
        if (row === undefined) throw new Error('no row was returned');
        const { id } = row;
        const body = JSON.stringify({ type: 'pet.created', timestamp: new Date().toISOString(), data: { id, ...pet } } satisfies z.input<typeof PetCreated>);
        const { rows: receivers } = await tx.query<Receiver>('SELECT id FROM receiver');
        const webhooks = receivers.map((receiver) => ({ data: { receiver: receiver.id, body }, group: { id: String(receiver.id) } }));
        await boss.insert('webhook', webhooks, { db: { executeSql: (text, values) => tx.query(text, values) } });
        return id;
      },
    },
    get: async (id) => (await pool.query<{ name: string }>('SELECT name FROM pet WHERE id = $1::bigint', [id])).rows[0],
  }),
});
server.mount('/openapi.json', openApiHandler(server, {
  info: { title: 'Pets', version: '1' },
  webhooks: { 'pet.created': { schema: PetCreated, summary: 'A pet was created' } },
}));

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
const workers = { localConcurrency: 4, localGroupConcurrency: 2, pollingIntervalSeconds: 0.5 };
await boss.work<Webhook>('webhook', workers, async ([job]) => {
  if (job) await sendWebhook(job);
});
process.once('SIGTERM', async () => {
  await server.stop();
  await boss.stop();
  await pool.end();
});
