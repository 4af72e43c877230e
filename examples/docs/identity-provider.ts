import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { defineEndpoint, type ApiServer } from 'restpoint';
import { z } from 'zod';

let key = { id: 'key-1', ...(await generateKeyPair('ES256')) };

/** Serves an identity provider that gives a token to anyone. */
export function serveProvider(server: ApiServer, issuer: string, api: string) {
  const input = z.object({ scope: z.string().default(''), expires: z.string().default('5m'), audience: z.string().default(api) });
  server.registerEndpoints({
    '/provider/jwks.json': defineEndpoint({
      get: async () => ({ keys: [{ ...(await exportJWK(key.publicKey)), kid: key.id, alg: 'ES256', use: 'sig' }] }),
    }),
    '/provider': defineEndpoint({
      custom: {
        token: {
          input,
          run: async ({ scope, expires, audience }) => {
            const token = new SignJWT({ scope }).setProtectedHeader({ alg: 'ES256', kid: key.id }).setSubject('ann');
            return { token: await token.setIssuer(issuer).setAudience(audience).setExpirationTime(expires).sign(key.privateKey) };
          },
        },
        rotate: { output: { 204: null }, run: async () => void (key = { id: 'key-2', ...(await generateKeyPair('ES256')) }) },
      },
    }),
  });
}
