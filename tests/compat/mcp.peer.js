/** Clients of the Model Context Protocol: the official SDK for the revisions before 2026-07-28, and the one since. */
import * as modern from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import assert from 'node:assert/strict';
import { ApiError, ApiServer, integerId } from '../../dist/index.js';
import { bearer } from '../../dist/auth/index.js';
import { mcpHandler } from '../../dist/mcp/index.js';
import { z } from 'zod';
import { checking } from './checks.js';

const Pet = z.object({ name: z.string() });
const INFO = { name: 'zoo', version: '1' };

/** `methods` gets those that clients of 2026-07-28 name in a header field. */
function zoo(methods) {
  const server = new ApiServer('/v1', { logger: { info: () => {}, error: () => {} } });
  server.use((request, response, next) => {
    methods.add(request.headers['mcp-method']);
    next();
  });
  server.registerEndpoint('/pet', {
    id: integerId,
    schema: Pet,
    get: { tool: true, run: (id) => (id === 1 ? { name: 'Rex' } : undefined) },
    list: { tool: true, output: z.array(Pet), run: () => [{ name: 'Rex' }] },
    create: { tool: { description: 'Adds a pet.' }, context: bearer((token) => token === 'secret' || undefined), run: () => 7 },
    update: { run: () => {} },
    itemCustom: { wake: { tool: true, output: z.object({}), run: () => { throw ApiError.status(409, 'It is asleep.'); } } },
  });
  server.registerHandler('/mcp', mcpHandler(server, { info: INFO }));
  return server;
}

/** The two clients, each as a list of what is asked of them. */
const CLIENTS = [
  ['@modelcontextprotocol/sdk', () => new Client(INFO), (url, options) => new StreamableHTTPClientTransport(url, options)],
  ['@modelcontextprotocol/client, before 2026-07-28', () => new modern.Client(INFO), (url, options) => new modern.StreamableHTTPClientTransport(url, options)],
  [
    '@modelcontextprotocol/client, of 2026-07-28',
    () => new modern.Client(INFO, { versionNegotiation: { mode: 'auto' } }), (url, options) => new modern.StreamableHTTPClientTransport(url, options),
  ],
];

/** How they reach a server: its URL, and options of their transport. */
const WAYS = [
  ['over loopback', async (server) => [(await server.start('127.0.0.1:0')).url, {}]],
  ['by server.fetch', async (server) => ['http://localhost', { fetch: server.fetch }]],
];

for (const [name, way, reach, makeClient, makeTransport] of CLIENTS.flatMap(([name, ...client]) => WAYS.map((way) => [name, ...way, ...client]))) {
  await checking(`${name}, ${way}`, async (check) => {
    const methods = new Set();
    const server = zoo(methods);
    const [url, options] = await reach(server);
    const client = makeClient();
    try {
      await client.connect(makeTransport(new URL(`${url}/mcp`), { ...options, requestInit: { headers: { authorization: 'Bearer secret' } } }));
      await check('finds the server', () => assert.deepEqual(client.getServerVersion(), INFO));
      await check('speaks its revision', () => assert.equal(methods.has('server/discover'), name.endsWith('of 2026-07-28')));
      await check('lists the tools', async () => {
        const { tools } = await client.listTools();
        assert.deepEqual(tools.map((tool) => tool.name), ['petCreate', 'petGet', 'petItemWake', 'petList']);
      });
      await check('calls them, and accepts their output', async () => {
        const call = (tool, given = {}) => client.callTool({ name: tool, arguments: given });
        assert.deepEqual((await call('petGet', { id: 1 })).structuredContent, { name: 'Rex' });
        assert.deepEqual((await call('petList')).structuredContent, { items: [{ name: 'Rex' }] });
        assert.deepEqual((await call('petCreate', { body: { name: 'Asp' } })).structuredContent, { id: '7' });
      });
      await check('gets problems as results', async () => {
        for (const [tool, given, status] of [['petGet', { id: 2 }, 404], ['petItemWake', { id: 1 }, 409], ['petCreate', { body: {} }, 400]]) {
          const { isError, structuredContent } = await client.callTool({ name: tool, arguments: given });
          assert.deepEqual([isError, structuredContent.status], [true, status]);
        }
      });
    } finally {
      await client.close();
      await server.stop();
    }
  });
}
