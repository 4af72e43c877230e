/** The API: every rule of HTTP that it needs is declared, and none of it is middleware. */
import { createRemoteJWKSet, errors, jwtVerify } from 'jose';
import type { Pool } from 'pg';
import { type ApiRequest, ApiServer, defineEndpoint, problem, stringId, uint64Id } from 'restpoint';
import { bearer } from 'restpoint/auth';
import { form } from 'restpoint/formats';
import { idempotent, pages, rateLimit } from 'restpoint/interceptors';
import { openApiHandler } from 'restpoint/openapi';
import { keyset, mapInvalidValue, mapUnavailable, postgresIdempotencyStore } from 'restpoint/postgres';
import { decodeDeclined, decodeEvidence, decodePayment, decodeUnknownPayee } from './decoders.ts';

export interface Settings {
  /** The identity provider, whose tokens are accepted. */
  readonly issuer: string;
  readonly audience: string;
  /** The origins of the pages that may call this API. */
  readonly origins: readonly string[];
}

interface Caller {
  readonly account: string;
  readonly scopes: readonly string[];
}

interface Payment {
  id: string;
  payee: string;
  cents: string;
  state: string;
}

// If the keys cannot be fetched, the token may be valid: a failure of the server, not of the caller.
const NO_KEYS = new Set(['ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID', 'ERR_JWKS_TIMEOUT']);
const CURRENCIES = new Map([['EUR', { digits: 2 }], ['JPY', { digits: 0 }]]);
const COLUMNS = 'id, payee, cents, state';

export function createApi(pool: Pool, { issuer, audience, origins }: Settings) {
  const server = new ApiServer('/v1', {
    mapError: (error) => mapUnavailable(error) ?? mapInvalidValue(error),
    cors: { origins, maxAgeSeconds: 600 },
  });
  const keys = createRemoteJWKSet(new URL('jwks.json', issuer));
  const signedIn = bearer(
    async (token): Promise<Caller> => {
      const rules = { algorithms: ['ES256'], issuer, audience, requiredClaims: ['sub', 'exp'] };
      const { payload: { sub = '', scope } } = await jwtVerify(token, keys, rules);
      return { account: sub, scopes: typeof scope === 'string' ? scope.split(' ') : [] };
    },
    {
      getScopes: ({ scopes }) => scopes,
      isInvalid: (error) => error instanceof errors.JOSEError && !NO_KEYS.has(error.code),
      openIdConnectUrl: new URL('.well-known/openid-configuration', issuer).href,
    },
  );
  const caller = ({ context }: ApiRequest<Caller>): string => context.account;

  const api = server.registerEndpoints({
    '/currency': defineEndpoint({
      id: stringId,
      list: { cache: { maxAgeSeconds: 3600, scope: 'public' }, etag: 'body', run: () => [...CURRENCIES.keys()] },
      get: { cache: { maxAgeSeconds: 3600, scope: 'public' }, run: (code) => CURRENCIES.get(code) },
    }),
    '/payment': defineEndpoint({
      id: uint64Id,
      context: signedIn,
      list: {
        use: pages({ cursor: ({ id }: Payment) => BigInt(id), codec: uint64Id }),
        run: async ({ context, page }) => {
          const { where, orderBy, values } = keyset(page, { id: 'payment.id' }, { from: 2 });
          const sql = `SELECT ${COLUMNS} FROM payment WHERE payer = $1 AND ${where} ORDER BY ${orderBy} LIMIT ${page.take}`;
          return (await pool.query<Payment>(sql, [context.account, ...values])).rows;
        },
      },
      get: async (id, { context }) => {
        const sql = `SELECT ${COLUMNS} FROM payment WHERE payer = $1 AND id = $2`;
        return (await pool.query<Payment>(sql, [context.account, id])).rows[0];
      },
      create: {
        scopes: ['payment:write'],
        input: decodePayment,
        errors: { 402: decodeDeclined, 422: decodeUnknownPayee },
        use: [rateLimit({ by: 'caller', key: caller, limit: 10, windowSeconds: 1 }), idempotent(postgresIdempotencyStore(pool), { caller, required: true })],
        run: async ({ to, cents }, { context, tx }) => {
          // Also keeps the account until the payment is made.
          const found = await tx.query('SELECT FROM account WHERE name = $1 FOR KEY SHARE', [to]);
          if (found.rowCount !== 1) return problem(422, 'No account has this name.', { code: 'unknown-payee' });
          const taken = await tx.query('UPDATE account SET cents = cents - $2 WHERE name = $1 AND cents >= $2', [context.account, cents]);
          const state = taken.rowCount === 1 ? 'paid' : 'declined';
          const insert = 'INSERT INTO payment (payer, payee, cents, state) VALUES ($1, $2, $3, $4) RETURNING id';
          const { rows: [row] } = await tx.query<{ id: string }>(insert, [context.account, to, cents, state]);
          // The payment is kept as declined: an error that is returned commits, and one that is thrown would roll back.
          if (state === 'declined' || row === undefined) return problem(402, 'The balance is too low.', { code: 'declined' });
          await tx.query('UPDATE account SET cents = cents + $2 WHERE name = $1', [to, cents]);
          return BigInt(row.id);
        },
      },
      itemCustom: {
        dispute: {
          input: form(decodeEvidence, { files: { document: { types: ['application/pdf'], maxBytes: 1_000_000 } } }),
          run: async (id, { reason, document }, { context }) => {
            const sql = `UPDATE payment SET state = 'disputed', evidence = $3 WHERE payer = $1 AND id = $2 AND state = 'paid'`;
            const changed = await pool.query(sql, [context.account, id, Buffer.from(await document.arrayBuffer())]);
            return changed.rowCount === 1 ? { state: 'disputed', reason } : problem(409, 'Only a payment that was made can be disputed.');
          },
        },
      },
    }),
  }, { use: rateLimit({ limit: 600, windowSeconds: 60 }) });

  server.mount('/openapi.json', openApiHandler(server, { info: { title: 'Payments', version: '1.0.0' } }));
  return { server, api };
}
