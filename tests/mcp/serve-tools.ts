/** A server with tools, and messages to it. */
import { buffer } from 'node:stream/consumers';
import { bearer } from '../../src/auth/index.ts';
import { ApiError, bytes, integerId, problem, reply, stringId, type ApiServer } from '../../src/index.ts';
import { mcpHandler, type McpOptions } from '../../src/mcp/index.ts';
import { serve, type TestServer, type ServeOptions } from '../support/serve.ts';
import { makeJsonSchema } from '../support/make-document.ts';

export const INFO = { name: 'zoo', version: '1' };
const PET = { $id: 'Pet', type: 'object', required: ['name'], properties: { name: { type: 'string' } } };
export const Pet = makeJsonSchema(PET);

/** Declares an endpoint with a tool of each kind. What was called is in `calls`. */
export function declareTools(server: ApiServer, calls: unknown[] = []): void {
  const user = bearer((token) => (token === 'ann' || token === 'bob' ? token : undefined), { getScopes: (name) => (name === 'ann' ? ['pet:feed'] : []) });
  const recordCall = <T>(result: T, ...args: readonly unknown[]): T => {
    calls.push(args);
    return result;
  };
  server.registerEndpoint('/pet', {
    id: integerId,
    schema: Pet,
    list: { tool: true, query: makeJsonSchema({ type: 'object', properties: { tag: { type: 'array' }, limit: { type: 'string', description: 'How many' } } }), output: makeJsonSchema({ type: 'array', items: PET }), run: ({ query }: any) => recordCall([{ name: 'Rex' }], query) },
    get: { tool: { description: 'Reads a pet.' }, run: (id: any) => (id === 7 ? recordCall({ name: 'Rex' }, id) : undefined) },
    create: { tool: true, run: (pet: any) => recordCall(7, pet) },
    update: { tool: true, run: (id: any, pet: any) => recordCall(true, id, pet) },
    patch: { tool: true, input: Pet, run: (id: any, pet: any) => recordCall(true, id, pet) },
    delete: { run: (id: any) => recordCall(true, id) },
    custom: {
      secret: { run: () => recordCall('not a tool') },
      upload: { tool: { name: 'upload' }, input: bytes({ types: ['image/png'] }), run: async (body: any) => recordCall({ bytes: (await buffer(body)).length }) },
      photo: { tool: true, run: () => reply(200, Buffer.from('png'), { 'Content-Type': 'image/png' }) },
      text: { tool: true, run: () => reply(200, 'a string', { 'Content-Type': 'text/plain' }) },
      zip: { tool: true, run: () => reply(200, Buffer.from('zip'), { 'Content-Type': 'application/zip' }) },
      huge: { tool: true, run: () => ['x'.repeat(2 ** 21)] },
      number: { tool: true, output: makeJsonSchema({ type: 'number' }), run: () => 5 },
      unpaid: { tool: true, run: () => problem(402, 'Pay first.', { price: 3 }) },
      broken: { tool: true, run: () => { throw ApiError.status(409, 'It is asleep.'); } },
    },
    itemCustom: { feed: { tool: true, context: user, scopes: ['pet:feed'], run: (id: any, { context, raw }: any) => recordCall({ id, by: context }, raw.headers) } },
  } as never);
  server.registerEndpoint('/by', { id: stringId, get: { tool: true, run: (id: any) => recordCall({ id }, id) } } as never);
  server.registerEndpoint('/by/secret', { get: { run: () => recordCall('not a tool', 'secret') } } as never);
}

export async function serveTools(use: (served: TestServer, calls: unknown[]) => Promise<void>, options: Partial<McpOptions> = {}, serverOptions: ServeOptions = {}): Promise<void> {
  const calls: unknown[] = [];
  await serve((server) => {
    declareTools(server, calls);
    server.mount('/mcp', mcpHandler(server, { info: INFO, ...options }));
  }, (served) => use(served, calls), serverOptions);
}

export interface Replied {
  readonly status: number;
  readonly headers: Headers;
  readonly json: any;
}

/** Sends a body, or a message as JSON. */
export async function post(url: string, message: unknown, headers: Record<string, string> = {}): Promise<Replied> {
  const body = typeof message === 'string' ? message : JSON.stringify(message);
  const response = await fetch(`${url}/mcp`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });
  const text = await response.text();
  return { status: response.status, headers: response.headers, json: text === '' ? undefined : JSON.parse(text) };
}

/** Sends a request of an older client. */
export function call(url: string, method: string, params: object = {}, headers: Record<string, string> = {}): Promise<Replied> {
  return post(url, { jsonrpc: '2.0', id: 1, method, params }, headers);
}

export function callTool(url: string, name: string, given: object = {}, headers: Record<string, string> = {}): Promise<Replied> {
  return call(url, 'tools/call', { name, arguments: given }, headers);
}

/** The params and the headers of revision 2026-07-28. */
export function makeModernMessage(method: string, params: Record<string, unknown> = {}): { readonly message: object; readonly headers: Record<string, string> } {
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
  const name = typeof params['name'] === 'string' ? { 'mcp-name': params['name'] } : {};
  return {
    message: { jsonrpc: '2.0', id: 'a', method, params: { ...params, _meta: meta } },
    headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...name },
  };
}
