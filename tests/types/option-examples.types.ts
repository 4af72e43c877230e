/** The examples of docs/options.md. Compiling this file is their test: the page prints what follows each `// ---- call`. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { checks } from '../../src/checks/index.ts';
import { apiKey, basic, bearer, cookie, type ScopedAuthentication } from '../../src/auth/index.ts';
import { bytes, defineEndpoint, defineFormat, endpointWith, ApiError, ApiServer, integerId, problem, reply, stringId } from '../../src/index.ts';
import type { Interceptor } from '../../src/index.ts';
import { events, form, ndjson, ranges } from '../../src/formats/index.ts';
import { idempotent, memoryIdempotencyStore, memoryRates, pages, rateLimit } from '../../src/interceptors/index.ts';
import { mcpHandler } from '../../src/mcp/index.ts';
import { openApi, swaggerUiHandler } from '../../src/openapi/index.ts';
import { decodePet, type Pet } from './schemas.ts';

interface User {
  readonly id: string;
  readonly scopes: readonly ('pet:write' | 'pet:read')[];
}
interface Row extends Pet {
  readonly id: number;
  readonly revision: number;
}
declare const pets: {
  insert(pet: Pet): Promise<number>; find(id: number): Promise<Row | undefined>; list(after: number, take: number): Promise<Row[]>;
  replace(id: number, pet: Pet, versions: readonly string[] | '*' | undefined): Promise<boolean>; remove(id: number): Promise<boolean>;
  revision(id: number): Promise<number | undefined>; photo(id: number): { size: number; read(start: number, end: number): AsyncIterable<Uint8Array>; close(): void };
};
declare const users: { find(token: string): Promise<User | undefined>; check(name: string, password: string): Promise<User | undefined> };
declare class NameTaken extends Error {}
declare class TokenExpired extends Error {}
declare const log: { info(text: string): void; error(error: Error): void };
declare const signedIn: ScopedAuthentication<User, 'pet:write' | 'pet:read'>;
declare const audited: Interceptor;
declare function decodeCount(text: unknown): number;
declare function upgradeChat(): void;
declare function toCsv(rows: unknown): AsyncIterable<string>;
declare function toJsonSchema(decoder: unknown): object | undefined;
const server = new ApiServer('/v1');

// ---- new ApiServer(root, options)
new ApiServer('/v1', {
  logger: log,
  limits: {
    bodyBytes: 100_000, headersMs: 5_000, requestMs: 20_000, operationMs: 10_000, sendMs: 20_000, keepAliveMs: 60_000, headerBytes: 8_192,
    connections: 10_000, inFlight: 1_000, streams: 500, unsentBytes: 64 * 1024 * 1024,
  },
  tls: { cert: readFileSync('cert.pem'), key: readFileSync('key.pem') },
  stopGraceMs: 20_000,
  stopLingerMs: 100,
  allowedHosts: ['api.example.com', 'localhost'],
  cors: { origins: ['https://app.example.com'] },
  uniqueKeys: true,
  requireContext: true,
  exposeInternalErrors: process.env['NODE_ENV'] === 'test',
  validationStatus: 422,
  isNotFound: (error) => (error as NodeJS.ErrnoException).code === 'ENOENT',
  mapError: (error) => error instanceof NameTaken ? ApiError.status(409, 'The name is taken.') : undefined,
  formatProblem: ({ status, title, detail }) => ({ body: { error: { code: status, message: detail ?? title } } }),
  stringify: (value) => JSON.stringify(value, null, 2),
});
new ApiServer('/v1', { createServer: (listener, options) => createServer(options, listener) });

// ---- cors: options
new ApiServer('/v1', {
  cors: {
    origins: ['https://app.example.com'], credentials: true, maxAgeSeconds: 3_600, allowHeaders: ['X-Trace'], exposeHeaders: ['X-Total'],
  },
});

// ---- formatProblem: options
new ApiServer('/v1', {
  formatProblem: {
    type: 'application/json',
    schema: { type: 'object', required: ['error'], properties: { error: { type: 'object' } } },
    extensionsAt: '/error',
    format: ({ type, title, status, detail, ...extensions }) => ({ body: { error: { code: status, message: detail ?? title, ...extensions } } }),
  },
});

// ---- server.registerEndpoints(endpoints, options)
server.registerEndpoints({ '/pet': defineEndpoint({ id: integerId, context: signedIn, get: (id) => pets.find(id) }) }, { use: audited, scopes: ['pet:read'] });

// ---- defineEndpoint(options)
defineEndpoint({
  name: 'pet',
  id: integerId,
  params: { zoo: stringId },
  context: signedIn,
  scopes: ['pet:read'],
  use: [audited],
  schema: decodePet,
  create: (pet) => pets.insert(pet),
  list: () => pets.list(0, 100),
  search: { input: decodePet, run: () => pets.list(0, 100) },
  get: (id) => pets.find(id),
  update: (id, pet, { ifMatch }) => pets.replace(id, pet, ifMatch),
  patch: { input: decodePet, run: (id, pet, { ifMatch }) => pets.replace(id, pet, ifMatch) },
  delete: (id) => pets.remove(id),
  custom: { count: () => ({ pets: 7 }) },
  itemCustom: { feed: (id) => ({ fed: id }) },
  isNotFound: (error) => error instanceof RangeError,
  mapError: (error) => error instanceof NameTaken ? ApiError.status(409, 'The name is taken.') : undefined,
});

defineEndpoint({
  id: integerId,
  get: (id) => pets.find(id),
  version: ({ revision }) => revision,
  currentVersion: (id) => pets.revision(id),
  requireIfMatch: true,
  update: { input: decodePet, run: (id, pet, { ifMatch }) => pets.replace(id, pet, ifMatch) },
});

// ---- endpointWith(options)
const define = endpointWith({
  params: { zoo: stringId },
  context: signedIn,
  use: [audited],
  mapError: (error) => error instanceof NameTaken ? ApiError.status(409, 'The name is taken.') : undefined,
});
define({ id: integerId, get: (id) => pets.find(id) });

// ---- an operation
defineEndpoint({
  id: integerId,
  create: {
    input: decodePet,
    optional: false,
    query: (query: unknown) => ({ dryRun: Object(query).dryRun === 'true' }),
    lists: ['tag'],
    headers: (headers: unknown) => ({ trace: String(Object(headers)['x-trace']) }),
    context: signedIn,
    scopes: ['pet:write'],
    use: [audited],
    limits: { bodyBytes: 10_000 },
    run: async (pet, { context, query }) => reply(201, await pets.insert(pet), { 'X-Total': query.dryRun ? 0 : context.id.length }),
    output: { 201: decodeCount },
    errors: { 409: null },
    responseHeaders: { 'X-Total': decodeCount },
    stringify: (value) => JSON.stringify(value),
    summary: 'Adds a pet',
    description: 'The name must be new.',
    tags: ['pets'],
    deprecated: true,
    operationId: 'addPet',
    tool: { name: 'add_pet', description: 'Adds a pet.' },
  },
  list: { cache: { maxAgeSeconds: 60 }, etag: 'body', context: signedIn, run: () => pets.list(0, 100) },
  custom: { count: { status: 200, run: () => ({ pets: 7 }) } },
});

// ---- cache: of an operation
defineEndpoint({
  id: integerId,
  get: { cache: { maxAgeSeconds: 60, scope: 'public', staleWhileRevalidateSeconds: 600, vary: ['X-Region'] }, run: (id) => pets.find(id) },
});

// ---- limits: of an operation
defineEndpoint({ custom: { import: { input: bytes(), limits: { bodyBytes: 1e9, requestMs: 600_000, operationMs: 0 }, run: () => ({ done: true }) } } });

// ---- deprecated: dates
defineEndpoint({ custom: { count: { deprecated: { since: '2026-01-01', sunset: '2027-01-01', link: 'https://example.com/v2' }, run: () => 7 } } });

// ---- an interceptor
const timed: Interceptor = {
  around: async (call, run) => {
    const start = performance.now();
    try {
      return await run();
    } finally {
      log.info(`${call.route.path}: ${performance.now() - start} ms`);
    }
  },
  onRequest: ({ headers }) => {
    if (headers['x-blocked'] !== undefined) throw ApiError.status(429, 'Too many requests.');
    return { 'X-Served-By': 'one' };
  },
  query: (query: unknown) => query,
  headers: (headers: unknown) => headers,
  errors: { 429: null },
  addedHeaders: { 'X-Served-By': 'The instance' },
  describeResult: (schema) => ({ type: 'object', properties: { items: schema } }),
  scopes: ['pet:read'],
  readsBody: false,
  check: ({ path, kind }) => {
    if (kind === 'search') throw new TypeError(`${path} cannot be timed`);
  },
};
defineEndpoint({ id: integerId, context: signedIn, use: timed, get: (id) => pets.find(id) });

// ---- defineFormat(parts)
const csv = defineFormat({
  types: ['text/csv'],
  encode: (rows: unknown) => toCsv(rows),
  headers: { 'Content-Disposition': 'attachment' },
  jsonSchema: () => ({ type: 'string' }),
  isSequence: false,
});
const lines = defineFormat({ types: ['text/plain'], decode: (body: AsyncIterable<Uint8Array>) => body });
defineEndpoint({ custom: { report: { output: csv, run: () => pets.list(0, 100) }, import: { input: lines, run: () => ({ done: true }) } } });

// ---- server.mount(route, handler, options)
server.mount('/alive', (_request, response) => response.end('yes'), { inFlight: false, cors: false });

// ---- server.registerUpgrade(route, handler, options)
server.registerUpgrade('/chat', upgradeChat, { protocol: 'websocket' });

// ---- ApiError.status(status, detail, options)
ApiError.status(402, 'You have 30.', {
  type: '/problems/credit', title: 'No credit', instance: '/payments/7', extensions: { balance: 30 }, headers: { Link: '</pay>' }, cause: new Error('declined'),
});

// ---- problem(status, detail, extensions, options)
problem(402, 'You have 30.', { balance: 30 }, { type: '/problems/credit', title: 'No credit', instance: '/payments/7', headers: { Link: '</pay>' } });

// ---- run(adds, options)
const measured: Interceptor<{ readonly started: number }> = {
  around: (call, run) => run({ started: Date.now() }, { input: call.input as AsyncIterable<Uint8Array> }),
};
defineEndpoint({ custom: { upload: { input: bytes(), use: measured, run: (_body, { started }) => ({ started }) } } });

// ---- bytes(options)
bytes({ types: ['image/png', 'image/jpeg'] });

// ---- ndjson(item, options)
ndjson(decodePet, { lineBytes: 1_000_000 });

// ---- form(schema, options)
form(decodePet, { files: { photo: {} }, lists: ['tag'], maxParts: 20, maxFiles: 1, fileBytes: 5_000_000 });

// ---- files: a file
form(decodePet, { files: { photo: { types: ['image/png'], maxBytes: 1_000_000 } } });

// ---- events(data, options)
events(decodePet, { heartbeatMs: 30_000, flush: true });

// ---- ranges(options)
const { size, read, close } = pets.photo(7);
reply(200, ranges({ size, read, close }), { 'Content-Type': 'image/png', ETag: '"1"' });

// ---- bearer(verify, options)
bearer((token) => users.find(token), {
  realm: 'pets',
  optional: true,
  getScopes: (user) => user.scopes,
  isInvalid: (error) => error instanceof TokenExpired,
  schemes: ['Token', 'Bearer'],
});
bearer((token) => users.find(token), { openIdConnectUrl: 'https://id.example.com/.well-known/openid-configuration' });
bearer((token) => users.find(token), { oauth2: { clientCredentials: { tokenUrl: 'https://id.example.com/token', scopes: {} } } });
bearer((token) => users.find(token), { resource: { authorizationServers: ['https://id.example.com'] } });

// ---- oauth2: options
const at = 'https://id.example.com';
const scopes = { 'pet:write': 'Changes pets' };
bearer((token) => users.find(token), {
  oauth2: {
    authorizationCode: { authorizationUrl: `${at}/authorize`, tokenUrl: `${at}/token`, scopes },
    clientCredentials: { tokenUrl: `${at}/token`, scopes },
    // Documents of older servers have these too.
    implicit: { authorizationUrl: `${at}/authorize`, scopes },
    password: { tokenUrl: `${at}/token`, scopes },
  },
});

// ---- authorizationCode: options
bearer((token) => users.find(token), {
  oauth2: { authorizationCode: { authorizationUrl: `${at}/authorize`, tokenUrl: `${at}/token`, refreshUrl: `${at}/refresh`, scopes } },
});

// ---- resource: options
bearer((token) => users.find(token), {
  resource: { url: 'https://api.example.com', authorizationServers: ['https://id.example.com'], scopes: ['pet:read'] },
});

// ---- basic(verify, options), apiKey(header, verify, options), cookie(name, verify, options)
const options = { realm: 'pets', optional: true, getScopes: (user: User) => user.scopes, isInvalid: (error: unknown) => error instanceof TokenExpired } as const;
basic((name, password) => users.check(name, password), options);
apiKey('X-API-Key', (key) => users.find(key), options);
cookie('session', (value) => users.find(value), options);

// ---- pages(options)
pages({ cursor: (pet: Row) => pet.id, codec: integerId, max: 500, default: 50, limit: 'count', after: 'from' });
pages({ cursor: (pet: Row) => pet.id, codec: integerId, sort: ['name'], prev: true, before: 'until', envelope: true });

// ---- idempotent(keys, options)
idempotent(memoryIdempotencyStore(), { required: true, caller: ({ context }: { readonly context: User }) => context.id });

// ---- memoryIdempotencyStore(options)
memoryIdempotencyStore({ max: 10_000, maxPerCaller: 100, maxBytes: 16 * 1024 * 1024, ttlMs: 3_600_000 });

// ---- rateLimit(options)
rateLimit({
  limit: 100, windowSeconds: 60, by: 'address', name: 'pets', key: ({ address }) => address ?? 'unknown', cost: 1, trustedProxies: 1, proxyHeader: 'forwarded',
  store: memoryRates(), onStoreError: 'allow',
});

// ---- memoryRates(options)
memoryRates({ max: 10_000 });

// ---- openApi(server, options)
openApi(server, {
  info: { title: 'Pets', version: '1.0.0' },
  servers: [{ url: 'https://api.example.com' }],
  tags: [{ name: 'pets', description: 'All about pets' }],
  version: '3.2',
  pathPrefix: '/v1',
  jsonSchema: (decoder) => toJsonSchema(decoder),
  self: 'https://api.example.com/openapi.json',
  webhooks: { 'pet.created': { schema: decodePet } },
  transform: (document) => ({ ...document, 'x-team': 'pets' }),
  onWarning: (message) => console.warn(message),
});

// ---- webhooks: a webhook
openApi(server, {
  info: { title: 'Pets', version: '1.0.0' },
  webhooks: {
    'pet.created': {
      schema: decodePet,
      summary: 'A pet was created',
      description: 'Sent once for each pet.',
      tags: ['pets'],
      operationId: 'petCreated',
      deprecated: false,
    },
  },
});

// ---- swaggerUiHandler(options)
server.mount('/docs', swaggerUiHandler({ url: '/openapi.json', assets: import.meta.resolve('swagger-ui-dist/package.json') }));

// ---- mcpHandler(server, options)
server.mount('/mcp', mcpHandler(server, {
  info: { name: 'pets', version: '1.0.0' },
  allowedOrigins: ['https://app.example.com'],
  jsonSchema: (decoder) => toJsonSchema(decoder),
  context: signedIn,
  bodyBytes: 100_000,
}));

// ---- checks(server, options)
checks(server, {
  samples: { petCreate: { body: { name: 'Rex', legs: 4 } } },
  headers: { authorization: 'Bearer secret' },
  unscoped: { authorization: 'Bearer other' },
  jsonSchema: (decoder) => toJsonSchema(decoder),
  timeoutMs: 5_000,
});

// ---- samples: sample
checks(server, {
  samples: { petPhoto: { body: new Uint8Array(8), type: 'image/png', query: { size: 2 }, headers: { 'X-Trace': '1' }, params: { id: 7 }, varies: true } },
});
