import { createHash } from 'node:crypto';
import { ApiServer, defineEndpoint } from 'restpoint';
import { apiKey, bearer, firstOf } from 'restpoint/auth';

interface Caller { readonly name: string; readonly scopes: readonly string[]; readonly until?: string }

const digest = (key: string) => createHash('sha256').update(key).digest('hex');
// A table in your database. A caller who replaces a key has two for a while.
const keys = new Map<string, Caller>([
  [digest('key-of-turnstile'), { name: 'the turnstile', scopes: ['gate:open'] }],
  [digest('old-key-of-turnstile'), { name: 'the turnstile', scopes: ['gate:open'], until: '2026-01-31' }],
  [digest('key-of-camera'), { name: 'the camera', scopes: ['gate:watch'] }],
]);

const getScopes = ({ scopes }: Caller) => scopes;
const byKey = apiKey('X-Api-Key', (key) => {
  const caller = keys.get(digest(key));
  return caller && Date.now() < Date.parse(caller.until ?? '9999-12-31') ? caller : undefined;
}, { getScopes });
const signedIn = bearer((token): Caller | undefined => (token === 'token-of-bob' ? { name: 'Bob', scopes: ['gate:open'] } : undefined), { getScopes });

const server = new ApiServer('/v1');
server.registerEndpoints({
  '/gate': defineEndpoint({
    context: firstOf(signedIn, byKey),
    custom: { open: { scopes: ['gate:open'], run: ({ context }) => ({ by: context.name }) } },
  }),
});
const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
