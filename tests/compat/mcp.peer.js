/** Clients of the Model Context Protocol: the official SDK for the revisions before 2026-07-28, and the one since. */
import * as modern from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import assert from 'node:assert/strict';
import { checking } from './checks.js';
import { INFO, mcpZoo, TOOLS } from './mcp-zoo.js';

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

/** Checks a client that reaches a server in one of these ways. */
async function checkClient(checkAny, [name, makeClient, makeTransport], [way, reach]) {
  const check = (what, holds) => checkAny(`${name}, ${way}: ${what}`, holds);
  const methods = new Set();
  const server = mcpZoo(({ headers }) => methods.add(headers['mcp-method']));
  const [url, options] = await reach(server);
  const client = makeClient();
  try {
    await client.connect(makeTransport(new URL(`${url}/mcp`), { ...options, requestInit: { headers: { authorization: 'Bearer secret' } } }));
    await check('finds the server', () => assert.deepEqual(client.getServerVersion(), INFO));
    await check('speaks its revision', () => assert.equal(methods.has('server/discover'), name.endsWith('of 2026-07-28')));
    await check('lists the tools', async () => {
      const { tools } = await client.listTools();
      assert.deepEqual(tools.map((tool) => tool.name), TOOLS);
    });
    const call = (tool, given = {}) => client.callTool({ name: tool, arguments: given });
    await check('calls them, and accepts their output', async () => {
      assert.deepEqual((await call('petGet', { id: 1 })).structuredContent, { name: 'Rex' });
      assert.deepEqual((await call('petList')).structuredContent, { items: [{ name: 'Rex' }] });
      assert.deepEqual((await call('petSearch', { body: { name: 'Rex' } })).structuredContent, { items: [{ name: 'Rex' }] });
    });
    await check('passes the id of a new item on to other tools, whose schemas accept it', async () => {
      const { structuredContent: created } = await call('petCreate', { body: { name: 'Asp' } });
      assert.deepEqual(created, { id: 2 });
      const { tools } = await client.listTools();
      for (const name of ['petGet', 'petDelete']) {
        const { inputSchema } = tools.find((tool) => tool.name === name);
        assert.equal(new AjvJsonSchemaValidator().getValidator(inputSchema)(created).errorMessage, undefined);
      }
      assert.deepEqual((await call('petGet', created)).structuredContent, { name: 'Asp' });
      assert.equal((await call('petDelete', created)).isError, false);
    });
    await check('gets problems as results', async () => {
      for (const [tool, given, status] of [['petGet', { id: 9 }, 404], ['petItemWake', { id: 1 }, 409], ['petCreate', { body: {} }, 400]]) {
        const { isError, structuredContent } = await call(tool, given);
        assert.deepEqual([isError, structuredContent.status], [true, status]);
      }
    });
  } finally {
    await client.close();
    await server.stop();
  }
}

await checking('clients', async (check) => {
  for (const client of CLIENTS) for (const way of WAYS) await checkClient(check, client, way);
});
