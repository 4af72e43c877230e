import { createRemoteJWKSet, errors, jwtVerify } from 'jose';
import { ApiServer, defineEndpoint, integerId } from 'restpoint';
import { bearer } from 'restpoint/auth';
import { serveProvider } from './identity-provider.ts';

const ISSUER = 'http://127.0.0.1:8080/provider';
const AUDIENCE = 'pets';

// A token with an unknown key makes it fetch the keys again, at most once a second.
const keys = createRemoteJWKSet(new URL(`${ISSUER}/jwks.json`), { cooldownDuration: 1000 });
// If the keys cannot be fetched, the token may be valid: a failure of the server, not of the caller.
const NO_KEYS = new Set(['ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID', 'ERR_JWKS_TIMEOUT']);

const signedIn = bearer(
  async (token) => {
    const rules = { algorithms: ['ES256'], issuer: ISSUER, audience: AUDIENCE, requiredClaims: ['sub', 'exp'] };
    const { payload: { sub, scope } } = await jwtVerify(token, keys, rules);
    return { user: String(sub), scopes: String(scope ?? '').split(' ') };
  },
  {
    getScopes: ({ scopes }) => scopes,
    isInvalid: (error) => error instanceof errors.JOSEError && !NO_KEYS.has(error.code),
    openIdConnectUrl: `${ISSUER}/.well-known/openid-configuration`, // for OpenAPI documents
  },
);

const server = new ApiServer('');
server.registerEndpoints({
  '/v1/pet': defineEndpoint({
    id: integerId,
    context: signedIn,
    get: (id, { context }) => ({ id, reader: context.user }),
    delete: { scopes: ['pet:write'], run: () => {} },
  }),
});
serveProvider(server, ISSUER, AUDIENCE);

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
