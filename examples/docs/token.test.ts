/** Calls at once renew an expired token once. docs/react.md explains it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiServer, defineEndpoint } from 'restpoint';
import { bearer } from 'restpoint/auth';
import { client } from 'restpoint/client';
import { headers } from './token.ts';

let renewals = 0;
const server = new ApiServer('/v1', { logger: { info: () => {}, error: console.error } });
const api = server.registerEndpoints({
  '/session': defineEndpoint({ custom: { refresh: () => ({ token: `token-${(renewals += 1)}`, seconds: 60 }) } }),
  '/me': defineEndpoint({ context: bearer((token) => ({ token })), get: ({ context }) => context.token }),
});
globalThis.fetch = server.fetch as typeof fetch;

test('calls at once renew an expired token once', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  const me = client<typeof api>('/v1', { headers }).one('/me');
  assert.deepEqual(await Promise.all([me.get(), me.get(), me.get()]), ['token-1', 'token-1', 'token-1']);
  assert.equal(await me.get(), 'token-1');
  t.mock.timers.tick(31_000);
  assert.deepEqual(await Promise.all([me.get(), me.get()]), ['token-2', 'token-2']);
  await server.stop();
});
