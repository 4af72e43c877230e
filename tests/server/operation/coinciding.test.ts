/** O5 O6: Endpoints whose patterns coincide, though their sub-paths differ. */
import { bytes, integerId, type ApiServer } from '../../../src/index.ts';
import { assert, facts, serve, suite } from '../../support/facts.ts';

const run = (): string => 'ran';

const DECLARED: readonly ((server: ApiServer) => void)[] = [
  (server) => server.registerEndpoint('/pet', { id: integerId, get: run, custom: { count: { run } }, itemCustom: { feed: { run } } }),
  (server) => server.registerEndpoint('/pet/count', { get: run, delete: () => {} }),
  (server) => server.registerEndpoint('/pet/:pet', { params: { pet: integerId }, delete: () => {} }),
  (server) => server.registerEndpoint('/pet/:pet/feed', { id: integerId, params: { pet: integerId }, list: run }),
];

const declareAll = (declared: typeof DECLARED) => (server: ApiServer): void => declared.forEach((declare) => declare(server));

const coinciding = suite('endpoints whose patterns coincide');
for (const [order, declared] of [['one order', DECLARED], ['the other order', DECLARED.toReversed()]] as const) {
  for (const [path, allow, allAllowed] of [
    ['/pet', 'POST', 'OPTIONS'],
    // The Custom operation of the first, and the singleton.
    ['/pet/count', 'GET, DELETE, POST', 'GET, HEAD, POST, DELETE, OPTIONS'],
    ['/pet/7', 'GET, DELETE', 'GET, HEAD, DELETE, OPTIONS'],
    ['/pet/7/feed', 'GET, POST', 'GET, HEAD, POST, OPTIONS'],
  ] as const) {
    facts(coinciding, declareAll(declared), [
      [`in ${order}: discovery and 405 list the methods of all`, [`OPTIONS /v1${path}`, `PATCH /v1${path}`],
        [`200 | Allow: ${allow}`, `405 | Allow: ${allAllowed}`]],
    ]);
  }
  coinciding(`each path with a discovery is listed and logged once, in ${order}`, () => serve(declareAll(declared), async ({ server, infos }) => {
    const listed = server.routes.filter(({ method }) => method === 'OPTIONS').map(({ path }) => path.replaceAll(/:\w+/g, ':'));
    assert.equal(listed.toSorted(), ['/v1/pet', '/v1/pet/:', '/v1/pet/:/feed', '/v1/pet/:/feed/:', '/v1/pet/count']);
    assert.equal(infos.filter((text) => text.startsWith('route: OPTIONS')),
      server.routes.filter(({ method }) => method === 'OPTIONS').map(({ path }) => `route: OPTIONS ${path}`));
  }));
}
const BESIDE: readonly ((server: ApiServer) => void)[] = [
  (server) => server.registerEndpoint('/pet', { id: integerId, get: run, patch: { input: bytes({ types: ['text/csv'] }), run: () => {} } }),
  (server) => server.registerEndpoint('/pet', { id: integerId, custom: { count: { run } } }),
  (server) => server.registerEndpoint('/pet/:pet', { params: { pet: integerId }, delete: () => {} }),
];
for (const [order, declared] of [['one order', BESIDE], ['the other order', BESIDE.toReversed()]] as const) {
  facts(coinciding, declareAll(declared), [[
    `OPTIONS of a Custom operation beside items names POST and the methods of an item, in ${order}`, ['OPTIONS /v1/pet/count', 'OPTIONS /v1/pet/7', 'OPTIONS /v1/pet'], ['200 | Allow: GET, PATCH, DELETE, POST | Accept-Patch: text/csv', '200 | Allow: GET, PATCH, DELETE | Accept-Patch: text/csv', '200 | Allow: POST'],
  ]]);
}
