import { ApiServer, defineEndpoint, integerId } from 'restpoint';
import { bearer } from 'restpoint/auth';
import { mcpHandler } from 'restpoint/mcp';

// Verify tokens as in jwt.ts. Their audience is https://api.example/mcp, or https://api.example/v1.
const signedIn = bearer((token) => token === 'token-of-ann' && { name: 'Ann', scopes: ['pet:read'] }, {
  getScopes: ({ scopes }) => scopes,
  resource: { url: 'https://api.example', authorizationServers: ['https://login.example'], scopes: ['pet:read'] },
});

const server = new ApiServer('/v1');
server.registerEndpoints({
  '/pet': defineEndpoint({
    id: integerId,
    context: signedIn,
    get: { tool: true, scopes: ['pet:read'], run: (id) => ({ id }) },
    delete: { tool: true, scopes: ['pet:write'], run: () => {} },
  }),
});
server.mount('/mcp', mcpHandler(server, { info: { name: 'pets', version: '1.0.0' }, context: signedIn }));

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
