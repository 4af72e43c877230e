import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ApiError, ApiServer, defineEndpoint, type Interceptor } from 'restpoint';
import { secretsEqual } from 'restpoint/auth';
import { z } from 'zod';

const { WEBHOOK_SECRET = '' } = process.env;
const KEY = Buffer.from(WEBHOOK_SECRET.replace(/^whsec_/, ''), 'base64');
// Everybody can sign with an empty key.
if (KEY.length < 24) throw new Error('WEBHOOK_SECRET must be whsec_ and at least 24 bytes in Base64');
const WINDOW_SECONDS = 300;
const MAX_SIGNATURES = 8;

// A sender can have events that you do not know: ignore these.
const Event = z.object({ type: z.string(), data: z.object({ name: z.string() }).loose() });

/** Returns the id of a webhook. Throws if the signature is wrong, or too old. */
function verifiedId({ headers }: IncomingMessage, body: Uint8Array) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  const digest = createHmac('sha256', KEY).update(`${id}.${timestamp}.`).update(body).digest('base64');
  // There are two signatures while the sender replaces its secret.
  const isSigned = String(signatures).split(' ', MAX_SIGNATURES).some((signature) => secretsEqual(signature, `v1,${digest}`));
  if (id === undefined || !isSigned) throw ApiError.status(403, 'The signature is not valid.');
  // Not `>`, which would accept a time that is not a number.
  const isFresh = Math.abs(Date.now() / 1000 - Number(timestamp)) <= WINDOW_SECONDS;
  if (!isFresh) throw ApiError.status(403, 'The webhook is too old.');
  return String(id);
}

function signedOnce(): Interceptor {
  const results = new Map<string, Promise<unknown>>();
  return {
    errors: { 403: null },
    around: (call, run) => {
      const id = verifiedId(call.request.raw, call.body ?? new Uint8Array());
      const known = results.get(id);
      if (known !== undefined) return known;
      const result = run();
      results.set(id, result);
      // Its time may be as far in the future.
      const timer = setTimeout(() => results.delete(id), 2 * WINDOW_SECONDS * 1000).unref();
      result.catch(() => {
        clearTimeout(timer);
        results.delete(id);
      });
      return result;
    },
  };
}

const names: string[] = [];
const server = new ApiServer('/v1');
server.registerEndpoints({
  '/webhook': defineEndpoint({
    get: () => names,
    create: {
      use: signedOnce(),
      input: Event,
      output: { 204: null },
      run: ({ type, data }) => {
        if (type === 'pet.created') names.push(data.name);
      },
    },
  }),
});

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
