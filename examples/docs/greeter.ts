import { ApiServer, defineEndpoint } from 'restpoint';
import { bearer } from 'restpoint/auth';

interface User { readonly name: string; readonly scopes: readonly string[] }
type Verify = (token: string) => User | undefined | Promise<User | undefined>;

export function makeServer(verify: Verify) {
  const signedIn = bearer(verify, { getScopes: ({ scopes }) => scopes });
  const server = new ApiServer('/v1', { logger: { info: () => {}, error: console.error } });
  const api = server.registerEndpoints({
    '/me': defineEndpoint({
      context: signedIn,
      get: ({ context }) => `Hello ${context.name}`,
      delete: { scopes: ['me:delete'], run: () => {} },
    }),
  });
  return { server, api };
}
