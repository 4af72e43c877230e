/** A server with every kind of operation, whose callers have a token or a cookie, for pages of one other origin. */
import { bearer, cookie, firstOf } from '../../dist/auth/index.js';
import { events, ranges } from '../../dist/formats/index.js';
import { ApiServer, integerId, reply } from '../../dist/index.js';
import { idempotent, memoryIdempotencyStore, pages } from '../../dist/interceptors/index.js';
import { mcpHandler } from '../../dist/mcp/index.js';
import { modules } from './client-api.js';

const SILENT = { info: () => {}, error: () => {} };
const any = (json) => json;

/** With the JSON Schema of headers, as a schema library has it. */
const TENANT = {
  '~standard': {
    version: 1, vendor: 'test', validate: (value) => ({ value }),
    jsonSchema: { input: () => ({ type: 'object', properties: { 'x-tenant': { type: 'string' } } }), output: () => ({}) },
  },
};

/** Starts the server. `origin` is that of the pages. */
export async function startCorsApi(origin) {
  /** `changes`: how many changes with a cookie were not rejected by their origin. */
  const api = { changes: 0, kept: 0, asked: 0, unmodified: 0 };
  const server = new ApiServer('/v1', { logger: SILENT, cors: { origins: [origin], credentials: true, maxAgeSeconds: 0 }, limits: { bodyBytes: 100_000 } });
  server.use((request, response, next) => {
    response.once('finish', () => (api.unmodified += request.url === '/v1/asked' && response.statusCode === 304 ? 1 : 0));
    next();
  });
  const items = new Map();
  let version = 0;
  let lastId = 0;
  const context = firstOf(bearer((token) => token === 'secret' && 'ann'), cookie('session', (value, { raw }) => {
    if (raw.method !== 'GET') api.changes += 1;
    return value === 'secret' && 'ann';
  }));
  const store = (id, item) => {
    version += 1;
    items.set(id, item);
  };
  server.registerEndpoint('/pet', {
    id: integerId, context, version: () => version,
    schema: (json) => (json.name === undefined ? Promise.reject(new Error('name: expected a string')) : json),
    create: (pet) => {
      lastId += 1;
      store(lastId, pet);
      return lastId;
    },
    list: { use: pages({ cursor: Number }), run: ({ page }) => [1, 2].filter((id) => id > (page.after ?? 0)) },
    get: (id) => items.get(id),
    update: (id, pet) => store(id, pet),
    patch: { input: any, headers: TENANT, run: (id, change) => store(id, { ...items.get(id), ...change }) },
    delete: (id) => items.delete(id),
    custom: {
      count: () => items.size,
      pay: { use: idempotent(memoryIdempotencyStore(), { caller: () => 'ann' }), input: any, run: () => 1 },
      fail: () => { throw new Error('the disk is on fire'); },
    },
    itemCustom: { feed: { input: any, run: (id, food) => [id, food] } },
  });
  server.registerEndpoint('/photo', {
    get: () => reply(200, ranges({ size: 4, read: (from, to) => Buffer.from('abcd').subarray(from, to + 1) }), { 'Content-Type': 'text/plain', ETag: '"p"' }),
  });
  server.registerEndpoint('/news', {
    context, get: { output: events(any), run: ({ lastEventId = 'nothing' }) => [{ id: '7', data: `after ${lastEventId}`, retry: 1 }] },
  });
  // Without `cache`, a browser asks each time, with the tag.
  server.registerEndpoint('/kept', { context, get: { cache: { maxAgeSeconds: 600 }, etag: 'body', run: () => (api.kept += 1) } });
  server.registerEndpoint('/asked', { context, get: { etag: 'body', run: () => ((api.asked += 1), 'the same') } });
  server.registerEndpoint('/told', { get: { output: events(any), run: () => [{ data: 'open' }] } });
  server.mount('/files', (_request, response) => void response.end('file'));
  server.mount('/mcp', mcpHandler(server, { info: { name: 'pets', version: '1' } }));
  server.mount('/modules', modules);
  server.mount('/sign-in', (_request, response) => void response.writeHead(204, { 'Set-Cookie': 'session=secret; Path=/; HttpOnly' }).end());
  const started = await server.start('127.0.0.1:0');
  if (!started.ok) throw new Error(started.error);
  return Object.assign(api, { url: started.url, stop: () => server.stop() });
}
