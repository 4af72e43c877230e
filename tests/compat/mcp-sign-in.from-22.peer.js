/** A client of the Model Context Protocol, which knows only the URL of a server, finds out where its user signs in, and calls a tool. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { createRemoteJWKSet, errors, jwtVerify } from 'jose';
import assert from 'node:assert/strict';
import { ApiServer, integerId } from '../../dist/index.js';
import { bearer } from '../../dist/auth/index.js';
import { mcpHandler } from '../../dist/mcp/index.js';
import { checking } from './checks.js';
import { findFreePort } from './free-port.js';
import { INFO } from './mcp-zoo.js';
import { signIn, startProvider } from './oidc-provider.js';

const REDIRECT = 'http://127.0.0.1:1/callback';

function makeServer(issuer, url) {
  const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`));
  const signedIn = bearer(
    async (token) => {
      const { payload } = await jwtVerify(token, keys, { issuer, audience: [`${url}/mcp`, `${url}/v1`], requiredClaims: ['sub', 'exp'] });
      return { user: payload.sub, scopes: String(payload.scope ?? '').split(' ') };
    },
    {
      getScopes: ({ scopes }) => scopes,
      isInvalid: (error) => error instanceof errors.JOSEError,
      openIdConnectUrl: `${issuer}/.well-known/openid-configuration`,
      resource: { authorizationServers: [issuer], scopes: ['pet:read'] },
    },
  );
  const server = new ApiServer('/v1', { logger: { info: () => {}, error: console.error } });
  const pets = new Map([[1, { name: 'Rex' }]]);
  server.registerEndpoint('/pet', {
    id: integerId,
    context: signedIn,
    list: { tool: true, scopes: ['pet:read'], run: ({ context }) => [...pets.values()].map((pet) => ({ ...pet, reader: context.user })) },
    delete: { tool: true, scopes: ['pet:write'], run: (id) => pets.delete(id) },
  });
  server.mount('/mcp', mcpHandler(server, { info: INFO, context: signedIn }));
  return server;
}

/** What the client keeps for its user. `asked` are the URLs that it would open in a browser. */
class UserOfClient {
  redirectUrl = REDIRECT;
  clientMetadata = { client_name: 'test', redirect_uris: [REDIRECT], grant_types: ['authorization_code'], token_endpoint_auth_method: 'none' };
  asked = [];
  #client;
  #tokens;
  #verifier;

  clientInformation() { return this.#client; }
  saveClientInformation(client) { this.#client = client; }
  tokens() { return this.#tokens; }
  saveTokens(tokens) { this.#tokens = tokens; }
  redirectToAuthorization(url) { this.asked.push(url); }
  saveCodeVerifier(verifier) { this.#verifier = verifier; }
  codeVerifier() { return this.#verifier; }
  /** The provider lets a client ask only for the scopes that it has registered. */
  forgetClient() { this.#client = undefined; }
}

await checking('sign-in', async (check) => {
  const { issuer, stop } = await startProvider();
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const server = makeServer(issuer, url);
  const started = await server.start({ host: '127.0.0.1', port });
  assert.ok(started.ok);
  const user = new UserOfClient();
  const connect = async () => {
    const client = new Client(INFO);
    const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { authProvider: user });
    return { client, transport, connected: await client.connect(transport).then(() => true, (error) => error) };
  };
  /** Signs the user in at the URL that the client has asked for last. */
  const finish = async (transport) => transport.finishAuth((await signIn(user.asked.at(-1), REDIRECT)).searchParams.get('code'));
  try {
    await check('the first request leads to the sign-in, for the scopes of the metadata', async () => {
      const { transport, connected } = await connect();
      assert.ok(connected instanceof UnauthorizedError, String(connected));
      const { origin, searchParams } = user.asked[0];
      assert.deepEqual([origin, searchParams.get('scope'), searchParams.get('resource')], [issuer, 'pet:read', `${url}/mcp`]);
      assert.equal(searchParams.get('code_challenge_method'), 'S256');
      await finish(transport);
    });
    const { client, transport, connected } = await connect();
    await check('with the token, it calls a tool', async () => {
      assert.equal(connected, true);
      assert.deepEqual((await client.callTool({ name: 'petList' })).structuredContent, { items: [{ name: 'Rex', reader: 'ann' }] });
    });
    await check('a tool that needs a further scope leads to a sign-in for it', async () => {
      user.forgetClient();
      await assert.rejects(client.callTool({ name: 'petDelete', arguments: { id: 1 } }), UnauthorizedError);
      assert.equal(user.asked.length, 2);
      assert.equal(user.asked[1].searchParams.get('scope'), 'pet:read pet:write');
      await finish(transport);
      assert.equal((await client.callTool({ name: 'petDelete', arguments: { id: 1 } })).isError, false);
      assert.deepEqual((await client.callTool({ name: 'petList' })).structuredContent, { items: [] });
    });
    await check('operations take the token too, and no other', async () => {
      const { access_token: token } = user.tokens();
      const send = (authorization) => fetch(`${url}/v1/pet`, { headers: { authorization } });
      assert.equal((await send(`Bearer ${token}`)).status, 200);
      const other = await send(`Bearer ${token.replace(/[^.]*$/, 'AAAA')}`);
      const metadata = `resource_metadata="${url}/.well-known/oauth-protected-resource/v1"`;
      assert.deepEqual([other.status, other.headers.get('www-authenticate')], [401, `Bearer realm="api", error="invalid_token", ${metadata}`]);
    });
    await client.close();
  } finally {
    await server.stop();
    stop();
  }
});
