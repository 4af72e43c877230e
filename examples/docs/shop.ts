/** Cards charged through a payment provider, and refunds: each once, whatever fails. docs/idempotency.md explains it. The table is there. */
import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Pool } from 'pg';
import { ApiError, type ApiRequest, ApiServer, defineEndpoint, integerId, problem } from 'restpoint';
import { bearer } from 'restpoint/auth';
import { idempotent } from 'restpoint/interceptors';
import { mapInvalidValue, mapUnavailable, postgresIdempotencyStore, postgresTables } from 'restpoint/postgres';
import { z } from 'zod';

const { PROVIDER_URL = 'http://127.0.0.1:8081' } = process.env;
const RESPONSE_MS = 10_000;
// Longer than an operation takes, so that it is not asked for what is on its way.
const CHECK_SECONDS = 30;
// The provider keeps a key for 24 hours. A charge that is sent again later would be a second one.
const SEND_HOURS = 12;
// An hour after the last attempt, none is on its way.
const GIVE_UP_HOURS = 13;
const UNIQUE_VIOLATION = '23505';

const Outcome = z.union([z.object({ id: z.string() }), z.object({ code: z.string() })]);
const Rejected = z.object({ code: z.string() });

interface Payment {
  readonly id: number;
  readonly key: string;
  readonly refund_of: number | null;
  readonly cents: number;
  readonly card: string | null;
  readonly state: 'pending' | 'done' | 'rejected';
  readonly code: string | null;
  /** Of a refund: the provider's id of its charge. */
  readonly charge: string | null;
  /** Its age. */
  readonly hours: number;
}

const pool = new Pool({
  connectionString: process.env['DATABASE_URL'],
  connectionTimeoutMillis: 5_000, statement_timeout: 10_000, query_timeout: 15_000,
});
pool.on('error', () => {}); // Otherwise an idle connection that is lost ends the process.
await pool.query(postgresTables());

const customers = new Map([['token-of-ann', 'ann'], ['token-of-bob', 'bob']]);
const signedIn = bearer((token) => customers.get(token));
const once = idempotent(postgresIdempotencyStore(pool, { transaction: false }), {
  caller: ({ context }: ApiRequest<string>) => context,
  required: true,
});

/** The key at the provider. Customers can choose the same keys, and a refund can have the key of its payment. */
function makeKey(kind: 'charge' | 'refund', customer: string, idempotencyKey: string): string {
  return createHash('sha256').update(JSON.stringify([kind, customer, idempotencyKey])).digest('base64url');
}

async function findPayment(column: 'id' | 'key', value: number | string): Promise<Payment | undefined> {
  const { rows: [payment] } = await pool.query<Payment>(`
    SELECT payment.*, charge.provider_id AS charge, extract(epoch FROM now() - payment.created)::float8 / 3600 AS hours
    FROM payment LEFT JOIN payment AS charge ON charge.id = payment.refund_of
    WHERE payment.${column} = $1`, [value]);
  return payment;
}

/** Asks the provider to charge a card, or to return money. */
async function send({ key, cents, card, charge }: Payment): Promise<z.output<typeof Outcome> | undefined> {
  const response = await fetch(`${PROVIDER_URL}/${charge === null ? 'charge' : 'refund'}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body: JSON.stringify(charge === null ? { cents, card } : { cents, charge }),
    signal: AbortSignal.timeout(RESPONSE_MS),
  });
  // With any other status, the card can be charged or not.
  return response.ok || response.status === 402 ? Outcome.parse(await response.json()) : undefined;
}

/** Asks the provider what it has done for the key. */
async function findOutcome({ key, charge, hours }: Payment): Promise<z.output<typeof Outcome> | undefined> {
  const url = `${PROVIDER_URL}/${charge === null ? 'charge' : 'refund'}?key=${key}`;
  const response = await fetch(url, { signal: AbortSignal.timeout(RESPONSE_MS) });
  if (!response.ok) return undefined;
  const [found] = z.array(Outcome).parse(await response.json());
  return found ?? (hours < GIVE_UP_HOURS ? undefined : { code: 'expired' });
}

/** Finds out what became of a payment, and stores it. Can run several times at once: the provider and the row decide. */
async function settle(payment: Payment): Promise<Payment> {
  if (payment.state !== 'pending') return payment;
  const sent = payment.hours < SEND_HOURS ? await send(payment).catch(() => undefined) : undefined;
  const outcome = sent ?? await findOutcome(payment).catch(() => undefined);
  if (outcome === undefined) return payment;
  const { id, code } = { id: null, code: null, ...outcome };
  await pool.query(`
    WITH settled AS (
      UPDATE payment SET provider_id = $2, code = $3, state = CASE WHEN $3::text IS NULL THEN 'done' ELSE 'rejected' END
      WHERE id = $1 AND state = 'pending' RETURNING refund_of, cents, state
    )
    UPDATE payment SET refunded = refunded - settled.cents FROM settled
    WHERE payment.id = settled.refund_of AND settled.state = 'rejected'`, [payment.id, id, code]);
  return await findPayment('id', payment.id) ?? payment;
}

/** Settles the payment of a key, for its customer. */
async function respond(key: string, asked: Pick<Payment, 'cents' | 'card' | 'refund_of'>) {
  const payment = await findPayment('key', key);
  if (payment === undefined) throw new Error('the payment was not stored');
  // The response of the first request may not be stored, and then nobody has compared the two.
  if (payment.cents !== asked.cents || payment.card !== asked.card || payment.refund_of !== asked.refund_of) {
    throw ApiError.status(422, 'The idempotency key was used for a different payment.');
  }
  const { id, state, code } = await settle(payment);
  if (state === 'pending') throw ApiError.status(503, 'It is not known yet.', { headers: { 'Retry-After': '1' } });
  return state === 'done' ? id : problem(402, 'The payment was not made.', { code: code ?? 'rejected' });
}

/** Settles what is pending, when the program starts and then regularly. */
async function reconcile(stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    try {
      const { rows: [due] } = await pool.query<{ id: number }>(`
        UPDATE payment SET checked = now() WHERE id = (
          SELECT id FROM payment WHERE state = 'pending' AND checked < now() - $1 * interval '1 second'
          ORDER BY checked LIMIT 1 FOR UPDATE SKIP LOCKED
        ) RETURNING id`, [CHECK_SECONDS]);
      const payment = due && await findPayment('id', due.id);
      if (payment) await settle(payment);
      else await setTimeout(CHECK_SECONDS * 1000, undefined, { signal: stopping });
    } catch (error) {
      if (!stopping.aborted) console.error('payments:', error);
      await setTimeout(1000, undefined, { signal: stopping }).catch(() => {});
    }
  }
}

const server = new ApiServer('/v1', { mapError: mapInvalidValue });
const api = server.registerEndpoints({
  '/payment': defineEndpoint({
    id: integerId,
    context: signedIn,
    mapError: (error) => {
      if (Object(error).code !== UNIQUE_VIOLATION) return mapUnavailable(error);
      return ApiError.status(503, 'A refund with this key is being made.', { headers: { 'Retry-After': '1' } });
    },
    create: {
      use: once,
      input: z.object({ cents: z.int().min(1).max(10_000_000), card: z.string().min(1).max(100) }),
      errors: { 402: Rejected },
      run: async ({ cents, card }, { context, idempotencyKey }) => {
        const key = makeKey('charge', context, idempotencyKey);
        const insert = 'INSERT INTO payment (key, customer, cents, card) VALUES ($1, $2, $3, $4) ON CONFLICT (key) DO NOTHING';
        await pool.query(insert, [key, context, cents, card]);
        return respond(key, { cents, card, refund_of: null });
      },
    },
    get: async (id, { context }) => {
      const sql = 'SELECT id, refund_of, cents, refunded, state, code FROM payment WHERE id = $1::bigint AND customer = $2';
      return (await pool.query<Payment & { readonly refunded: number }>(sql, [id, context])).rows[0];
    },
    itemCustom: {
      refund: {
        use: once,
        input: z.object({ cents: z.int().min(1).max(10_000_000) }),
        errors: { 402: Rejected, 409: null },
        run: async (id, { cents }, { context, idempotencyKey }) => {
          const key = makeKey('refund', context, idempotencyKey);
          if (await findPayment('key', key) === undefined) {
            const { rowCount } = await pool.query(`
              WITH charge AS (
                UPDATE payment SET refunded = refunded + $3
                WHERE id = $2::bigint AND customer = $4 AND state = 'done' AND refund_of IS NULL AND refunded + $3 <= cents
                RETURNING id, customer
              )
              INSERT INTO payment (key, refund_of, cents, customer) SELECT $1, id, $3, customer FROM charge`, [key, id, cents, context]);
            if (rowCount === 0) return problem(409, 'Less than that is left to refund.');
          }
          return respond(key, { cents, card: null, refund_of: id });
        },
      },
    },
  }),
});
export type Api = typeof api;

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
const stopping = new AbortController();
const reconciling = reconcile(stopping.signal);
process.once('SIGTERM', async () => {
  stopping.abort();
  await Promise.all([server.stop(), reconciling]);
  await pool.end();
});
