/** A server with tools, and messages to it. */
import { buffer } from 'node:stream/consumers';
import { bearer } from '../../src/auth/index.ts';
import { ApiError, bytes, integerId, problem, reply, stringId, type ApiServer } from '../../src/index.ts';
import { mcpHandler, type McpOptions } from '../../src/mcp/index.ts';
import { serving, type Served, type ServingOptions } from '../support/serving.ts';
import { jsonSchemaOf } from '../support/describing.ts';

export const INFO = { name: 'zoo', version: '1' };
const PET = { $id: 'Pet', type: 'object', required: ['name'], properties: { name: { type: 'string' } } };
export const Pet = jsonSchemaOf(PET);

/** Declares an endpoint with a tool of each kind. What was called is in `calls`. */
export function declareTools(server: ApiServer, calls: unknown[] = []): void {
  const user = bearer((token) => (token === 'ann' || token === 'bob' ? token : undefined), { getScopes: (name) => (name === 'ann' ? ['pet:feed'] : []) });
  const called = <T>(result: T, ...args: readonly unknown[]): T => {
    calls.push(args);
    return result;
  };
  server.registerEndpoint('/pet', {
    id: integerId,
    schema: Pet,
    list: { tool: true, query: jsonSchemaOf({ type: 'object', properties: { tag: { type: 'array' }, limit: { type: 'string', description: 'How many' } } }), output: jsonSchemaOf({ type: 'array', items: PET }), run: ({ query }: any) => called([{ name: 'Rex' }], query) },
    get: { tool: { description: 'Reads a pet.' }, run: (id: any) => (id === 7 ? called({ name: 'Rex' }, id) : undefined) },
    create: { tool: true, run: (pet: any) => called(7, pet) },
    update: { tool: true, run: (id: any, pet: any) => called(true, id, pet) },
    patch: { tool: true, input: Pet, run: (id: any, pet: any) => called(true, id, pet) },
    delete: { run: (id: any) => called(true, id) },
    custom: {
      secret: { run: () => called('not a tool') },
      upload: { tool: { name: 'upload' }, input: bytes({ types: ['image/png'] }), run: async (body: any) => called({ bytes: (await buffer(body)).length }) },
      photo: { tool: true, run: () => reply(200, Buffer.from('png'), { 'Content-Type': 'image/png' }) },
      text: { tool: true, run: () => reply(200, 'a string', { 'Content-Type': 'text/plain' }) },
      zip: { tool: true, run: () => reply(200, Buffer.from('zip'), { 'Content-Type': 'application/zip' }) },
      huge: { tool: true, run: () => ['x'.repeat(2 ** 21)] },
      number: { tool: true, output: jsonSchemaOf({ type: 'number' }), run: () => 5 },
      unpaid: { tool: true, run: () => problem(402, 'Pay first.', { price: 3 }) },
      broken: { tool: true, run: () => { throw ApiError.status(409, 'It is asleep.'); } },
    },
    itemCustom: { feed: { tool: true, context: user, scopes: ['pet:feed'], run: (id: any, { context, raw }: any) => called({ id, by: context }, raw.headers) } },
  } as never);
  server.registerEndpoint('/by', { id: stringId, get: { tool: true, run: (id: any) => called({ id }, id) } } as never);
  server.registerEndpoint('/by/secret', { get: { run: () => called('not a tool', 'secret') } } as never);
}

export async function servingTools(use: (served: Served, calls: unknown[]) => Promise<void>, options: Partial<McpOptions> = {}, serverOptions: ServingOptions = {}): Promise<void> {
  const calls: unknown[] = [];
  await serving((server) => {
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
export function modern(method: string, params: Record<string, unknown> = {}): { readonly message: object; readonly headers: Record<string, string> } {
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
  const name = typeof params['name'] === 'string' ? { 'mcp-name': params['name'] } : {};
  return {
    message: { jsonrpc: '2.0', id: 'a', method, params: { ...params, _meta: meta } },
    headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...name },
  };
}
