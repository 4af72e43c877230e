/** Named operations with `method: 'GET'`. All that other reads have follows from the method. */
import { wildcardId } from '../../../src/index.ts';
import { checks } from '../../../src/checks/index.ts';
import { ApiError, ApiServer, type ApiServerOptions, integerId } from '../../../src/index.ts';
import { idempotent, memoryIdempotencyStore, pages } from '../../../src/interceptors/index.ts';
import { mcpHandler } from '../../../src/mcp/index.ts';
import { openApi } from '../../../src/openapi/index.ts';
import { makeJsonSchema } from '../../support/make-document.ts';
import { assertRejected } from '../../support/rejected-endpoint.ts';
import { assert, suite } from '../../support/facts.ts';

const any = (value: unknown): unknown => value;
const run = (): string => 'done';
const Place = makeJsonSchema({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] });
const PETS = [1, 2, 3, 4, 5].map((id) => ({ id, name: `pet ${id}` }));

const PET = {
  id: integerId,
  get: (id: number) => PETS[id - 1],
  update: { input: any, run: () => true },
  custom: {
    nearest: { method: 'GET', query: Place, etag: 'body', cache: { maxAgeSeconds: 60 }, tool: true, run: ({ query }: any) => ({ near: query }) },
    oldest: { method: 'GET', use: pages({ cursor: ({ id }: any) => id }), run: ({ page }: any) => PETS.slice(page.after ?? 0).slice(0, page.take) },
    broken: { method: 'GET', run: () => { throw ApiError.status(409, 'Not now.'); } },
    feed: { tool: true, run },
  },
  itemCustom: {
    visits: { method: 'GET', use: pages({ cursor: String, envelope: true }), run: (id: number) => [id] },
  },
};

interface Made {
  readonly server: ApiServer;
  readonly errors: unknown[];
  readonly call: (method: string, path: string, headers?: Readonly<Record<string, string>>, body?: string) => Promise<Response>;
}

function makeServer(endpoint: object = PET, options: ApiServerOptions = {}): Made {
  const errors: unknown[] = [];
  const server = new ApiServer('/v1', { logger: { info: () => {}, error: (error) => errors.push(error) }, ...options });
  server.registerEndpoint('/pet', endpoint as never);
  return {
    server, errors,
    call: async (method, path, headers = {}, body) => server.fetch(`http://localhost/v1${path}`, { method, headers, ...(body !== undefined && { body }) }),
  };
}

const served = suite('O24: a named read');
served('a GET gets its query, and HEAD the same head without a body', async () => {
  const { call } = makeServer();
  const [get, head] = await Promise.all(['GET', 'HEAD'].map((method) => call(method, '/pet/nearest?city=Utrecht')));
  assert.equal([get!.status, await get!.text()], [200, '{"near":{"city":"Utrecht"}}']);
  assert.equal([head!.status, head!.headers.get('etag'), await head!.text()], [200, get!.headers.get('etag'), '']);
});
served('its name wins over an id for its method alone', async () => {
  const names = { ...PET, id: wildcardId, get: (id: string) => id, update: { input: any, run: (id: string) => assert.is(id, 'nearest') }, itemCustom: undefined };
  const { call } = makeServer(names);
  assert.is(await (await call('GET', '/pet/nearest?city=Breda')).text(), '{"near":{"city":"Breda"}}');
  assert.is((await call('PUT', '/pet/nearest', { 'Content-Type': 'application/json' }, '{}')).status, 204);
  assert.is(await (await call('GET', '/pet/feed')).text(), '"feed"');
});
served('a different method gets 405, and an endpoint without other routes has none at its own path', async () => {
  const { call } = makeServer({ custom: { nearest: { method: 'GET', run } } });
  const wrong = await call('POST', '/pet/nearest', { 'Content-Type': 'application/json' }, '{}');
  assert.equal([wrong.status, wrong.headers.get('allow')], [405, 'GET, HEAD, OPTIONS']);
  assert.is((await call('OPTIONS', '/pet')).headers.get('allow'), '');
});
served('cache and etag: a client that has the body gets 304', async () => {
  const { call } = makeServer();
  const first = await call('GET', '/pet/nearest?city=Utrecht');
  assert.is(first.headers.get('cache-control'), 'max-age=60');
  const again = await call('GET', '/pet/nearest?city=Utrecht', { 'If-None-Match': first.headers.get('etag')! });
  assert.equal([again.status, again.headers.get('cache-control'), await again.text()], [304, 'max-age=60', '']);
});
served('with requireIfMatch, it needs none', async () => {
  const { call } = makeServer({ ...PET, currentVersion: () => 1, requireIfMatch: true });
  assert.is((await call('GET', '/pet/7/visits')).status, 200);
});
served('pages follow each other, even of an item', async () => {
  const { call } = makeServer();
  const page = await call('GET', '/pet/oldest?limit=2');
  assert.is(await page.text(), JSON.stringify(PETS.slice(0, 2)));
  const next = /<([^>]*)>; rel="next"/.exec(page.headers.get('link')!)![1]!;
  assert.is(new URL(next, 'http://localhost/v1/pet/oldest').pathname, '/v1/pet/oldest');
  const { search } = new URL(next, 'http://localhost/v1/pet/oldest');
  assert.is(await (await call('GET', `/pet/oldest${search}`)).text(), JSON.stringify(PETS.slice(2, 4)));
  assert.equal(await (await call('GET', '/pet/7/visits')).json(), { items: [7] });
});
served('a page of a different origin needs no preflight', async () => {
  const { call } = makeServer(PET, { cors: { origins: ['https://app.example'] } });
  const origin = { Origin: 'https://app.example' };
  assert.is((await call('GET', '/pet/nearest?city=Breda', { ...origin, 'Sec-Fetch-Site': 'cross-site' })).headers.get('access-control-allow-origin'),
    'https://app.example');
});
served('an error that is not a 500 is not logged, unlike the error of a POST', async () => {
  const { call, errors } = makeServer();
  assert.is((await call('GET', '/pet/broken')).status, 409);
  assert.equal(errors, []);
});
served('is documented with its method and its query', () => {
  const { paths } = openApi(makeServer().server, { info: { title: 'Pets', version: '1' } }) as any;
  const { get } = paths['/v1/pet/nearest'];
  assert.equal(get.parameters.map(({ name, in: where }: any) => [name, where]), [['city', 'query'], ['If-None-Match', 'header']]);
  assert.equal([get.operationId, get.requestBody, '304' in get.responses], ['petNearest', undefined, true]);
  assert.is(paths['/v1/pet/{id}/visits'].get.operationId, 'petItemVisits');
});
served('is a tool that only reads', async () => {
  const { server } = makeServer();
  server.mount('/mcp', mcpHandler(server, { info: { name: 'pets', version: '1' } }));
  const response = await server.fetch('http://localhost/mcp', {
    method: 'POST', headers: { 'Content-Type': 'application/json', 'Accept': 'application/json, text/event-stream' },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}',
  });
  const { result } = await response.json() as any;
  assert.equal(result.tools.map(({ name, annotations }: any) => [name, annotations.readOnlyHint]), [['petFeed', false], ['petNearest', true]]);
});
served('is checked, and needs no sample', async () => {
  const { server } = makeServer({ custom: { nearest: { method: 'GET', etag: 'body', run } } });
  const found = checks(server);
  for (const { run: check } of found) await check();
  assert.ok(found.some(({ name }) => name.startsWith('GET /v1/pet/nearest')));
});

const rejected = suite('O24: a rejected named read');
for (const [operation, text] of [
  [{ method: 'GET', use: idempotent(memoryIdempotencyStore()), run },
    'endpoint.custom.nearest must not use idempotent(…): only create, custom (POST), itemCustom (POST) and patch can'],
  [{ method: 'POST', etag: 'body', run }, 'endpoint.custom.nearest.etag is not allowed: only custom (GET), get, itemCustom (GET) and list can have it'],
] as const) {
  rejected(`${text}: TypeError`, () => assertRejected({ custom: { nearest: operation } }, text));
}
