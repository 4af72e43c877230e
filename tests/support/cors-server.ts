/** A server with the option `cors`, and what its responses say of CORS. */
import { Readable } from 'node:stream';
import { apiKey, basic, bearer } from '../../src/auth/index.ts';
import { events, ndjson, ranges } from '../../src/formats/index.ts';
import { ApiError, ApiServer, type ApiServerOptions, bytes, type CorsOptions, defineFormat, integerId, reply } from '../../src/index.ts';
import { idempotent, memoryIdempotencyStore } from '../../src/interceptors/index.ts';
import { parameterSchema } from '../../src/interceptors/schemas.ts';
import { mcpHandler } from '../../src/mcp/index.ts';
import { openApiHandler } from '../../src/openapi/index.ts';
import { head, type RawResponse, send, serve, type TestServer } from './facts.ts';

export const APP_ORIGIN = 'https://app.example';
export const OTHER_ORIGIN = 'https://other.example';
export const FROM_APP = `Origin: ${APP_ORIGIN}`;
export const LISTED_ORIGINS: CorsOptions = { origins: [APP_ORIGIN, 'https://second.example'] };
const info = { title: 'Pets', name: 'pets', version: '1' };
const acceptAny = (json: unknown): unknown => json;
const REQUEST_ID = { type: 'object', properties: { 'x-request-id': { type: 'string' } }, required: ['x-tenant'] };
export const EXPOSED = 'Location, ETag, Link, Retry-After, WWW-Authenticate, Allow, Accept-Ranges, Content-Range, Idempotent-Replayed, X-Rows';

export function declareCorsEndpoints(server: ApiServer): void {
  server.registerEndpoint('/pet', {
    id: integerId, schema: acceptAny, version: () => 'v1', context: bearer((token) => token === 'secret' || undefined),
    create: () => 7, list: () => [], get: (id) => (id === 7 ? { id } : null), update: () => true, delete: () => true,
    patch: { input: acceptAny, run: () => true },
    custom: {
      fail: { run: () => { throw new Error('disk'); } },
      pay: { use: idempotent(memoryIdempotencyStore(), { caller: () => 'ann' }), input: acceptAny, run: () => ({ paid: true }) },
    },
    itemCustom: { feed: { input: acceptAny, run: () => null } },
  });
  server.registerEndpoint('/plain', {
    id: integerId, schema: acceptAny, create: () => 1, get: () => ({}), update: () => true,
    custom: {
      count: { run: () => 7 },
      reject: { run: () => { throw ApiError.status(409, 'no'); } },
      stream: { run: () => reply(200, Readable.from(['a', 'b'])) },
      own: { run: () => reply(200, 1, { Vary: 'Accept', 'Access-Control-Allow-Origin': 'https://own.example' }) },
      lines: { output: ndjson(acceptAny), run: () => [1, 2] },
      moved: { run: () => reply(303, undefined, { Location: '/v1/plain/1' }) },
      tenant: { headers: parameterSchema<{}>(REQUEST_ID, () => ({ value: {} })), run: () => 1 },
      known: { context: apiKey('X-Key', () => 'ann'), run: () => 1 },
      bytes: { input: bytes(), run: () => 1 },
    },
  });
  server.registerEndpoint('/action', { custom: { count: () => 7 } });
  server.registerEndpoint('/events', { get: { output: events(acceptAny), run: () => [{ data: 1 }] } });
  server.registerEndpoint('/film', { get: () => reply(200, ranges({ size: 3, read: (from, to) => Buffer.from('abc').subarray(from, to + 1) }), { 'Content-Type': 'video/mp4' }) });
  server.registerEndpoint('/session', { context: basic(() => 'ann'), get: () => 1 });
  server.registerEndpoint('/cookie', { context: ({ raw }) => raw.headers.cookie, get: () => 1 });
  server.registerEndpoint('/format', { get: { output: defineFormat({ types: ['text/csv'], encode: String, headers: { 'X-Rows': '7', 'Cache-Control': 'no-cache' } }), run: () => 'a' } });
  server.mount('/files', (_request, response) => void response.end('file'));
  server.mount('/thrown', (_request, response) => {
    response.setHeader('X-Mine', '1');
    throw new Error('mount');
  });
  server.mount('/next', (_request, _response, next) => next());
  server.mount('/own', (_request, response) => void response.end('own'), { cors: false });
  server.mount('/openapi.json', openApiHandler(server, { info }));
  server.mount('/mcp', mcpHandler(server, { info: { name: 'pets', version: '1' } }));
}

/** The headers of CORS in a response, by their names without `access-control-`. */
export function readCorsHeaders({ headers }: RawResponse): Record<string, string> {
  const own = [...headers].filter(([name]) => name.startsWith('access-control-')).map(([name, value]) => [name.slice('access-control-'.length), value]);
  return Object.fromEntries(own) as Record<string, string>;
}

export function findHeaders({ head: text }: RawResponse, name: string): string[] {
  return text.split('\r\n').filter((line) => line.toLowerCase().startsWith(`${name}: `)).map((line) => line.slice(name.length + 2));
}

export function sendPreflight(port: number, path: string, method: string, origin = APP_ORIGIN, headers: readonly string[] = []): Promise<RawResponse> {
  return send(port, head('OPTIONS', path, [`Origin: ${origin}`, `Access-Control-Request-Method: ${method}`, ...headers]));
}

export const serveWithCors = (cors: CorsOptions, use: (served: TestServer) => Promise<void>, options: ApiServerOptions = {}): Promise<void> => serve(declareCorsEndpoints, use, { cors, ...options });
