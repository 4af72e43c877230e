import { ApiError, ApiServer, defineEndpoint, integerId, stringId, type ContextRequest } from 'restpoint';
import { bearer } from 'restpoint/auth';
import { z } from 'zod';

const tenants = new Map([['acme', new Map<number, string>()], ['zoo', new Map<number, string>()]]);
const users = new Map([
  ['token-of-ann', { name: 'Ann', tenant: 'acme' }],
  ['token-of-bob', { name: 'Bob', tenant: 'zoo' }],
]);
const signedIn = bearer((token) => users.get(token));

/** The notes of the tenant in the path, to which the caller must belong. */
async function findNotes(request: ContextRequest<{ tenant: string }>) {
  const { tenant } = await signedIn(request);
  const notes = request.params.tenant === tenant ? tenants.get(tenant) : undefined;
  if (notes === undefined) throw ApiError.notFound();
  return notes;
}

const server = new ApiServer('/v1', { requireContext: true });
server.registerEndpoints({
  '/tenant/:tenant/note': defineEndpoint({
    id: integerId,
    params: { tenant: stringId },
    context: Object.assign(findNotes, { security: signedIn.security }),
    create: { input: z.string(), run: (text, { context }) => context.set(context.size + 1, text).size },
    get: (id, { context }) => context.get(id),
  }),
});
const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
