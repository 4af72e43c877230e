/** O5 O6: Endpoints whose patterns coincide, though their sub-paths differ. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bytes, integerId, type ApiServer } from '../../../src/index.ts';
import { message } from '../../support/messages.ts';
import { send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';

const run = (): string => 'ran';

const DECLARED: readonly ((server: ApiServer) => void)[] = [
  (server) => server.registerEndpoint('/pet', { id: integerId, get: run, custom: { count: { run } }, itemCustom: { feed: { run } } }),
  (server) => server.registerEndpoint('/pet/count', { get: run, delete: () => {} }),
  (server) => server.registerEndpoint('/pet/:pet', { params: { pet: integerId }, delete: () => {} }),
  (server) => server.registerEndpoint('/pet/:pet/feed', { id: integerId, params: { pet: integerId }, list: run }),
];

const coinciding = suite('endpoints whose patterns coincide');
for (const [order, declared] of [['one order', DECLARED], ['the other order', DECLARED.toReversed()]] as const) {
  for (const [path, allow, allAllowed] of [
    ['/pet', 'POST', 'OPTIONS'],
    // The Custom operation of the first, and the singleton.
    ['/pet/count', 'GET, DELETE, POST', 'GET, HEAD, POST, DELETE, OPTIONS'],
    ['/pet/7', 'GET, DELETE', 'GET, HEAD, DELETE, OPTIONS'],
    ['/pet/7/feed', 'GET, POST', 'GET, HEAD, POST, OPTIONS'],
  ] as const) {
    coinciding(`${path}, in ${order}: discovery and 405 list the methods of all`, async () => {
      await serve((server) => declared.forEach((declare) => declare(server)), async ({ port }) => {
        const discovery = await send(port, message('OPTIONS', `/v1${path}`));
        assert.equal([discovery.status, discovery.headers.get('allow')], [200, allow]);
        const rejection = await send(port, message('PATCH', `/v1${path}`));
        assert.equal([rejection.status, rejection.headers.get('allow')], [405, allAllowed]);
      });
    });
  }
  coinciding(`each path with a discovery is listed and logged once, in ${order}`, async () => {
    await serve((server) => declared.forEach((declare) => declare(server)), async ({ server, infos }) => {
      const listed = server.routes.filter(({ method }) => method === 'OPTIONS').map(({ path }) => path.replaceAll(/:\w+/g, ':'));
      assert.equal(listed.toSorted(), ['/v1/pet', '/v1/pet/:', '/v1/pet/:/feed', '/v1/pet/:/feed/:', '/v1/pet/count']);
      assert.equal(infos.filter((text) => text.startsWith('route: OPTIONS')), server.routes.filter(({ method }) => method === 'OPTIONS').map(({ path }) => `route: OPTIONS ${path}`));
    });
  });
}
const BESIDE: readonly ((server: ApiServer) => void)[] = [
  (server) => server.registerEndpoint('/pet', { id: integerId, get: run, patch: { input: bytes({ types: ['text/csv'] }), run: () => {} } }),
  (server) => server.registerEndpoint('/pet', { id: integerId, custom: { count: { run } } }),
  (server) => server.registerEndpoint('/pet/:pet', { params: { pet: integerId }, delete: () => {} }),
];
for (const [order, declared] of [['one order', BESIDE], ['the other order', BESIDE.toReversed()]] as const) {
  coinciding(`OPTIONS of a Custom operation beside items names POST and the methods of an item, in ${order}`, async () => {
    await serve((server) => declared.forEach((declare) => declare(server)), async ({ port }) => {
      for (const [path, allow] of [['/pet/count', 'GET, PATCH, DELETE, POST'], ['/pet/7', 'GET, PATCH, DELETE'], ['/pet', 'POST']] as const) {
        const { headers } = await send(port, message('OPTIONS', `/v1${path}`));
        assert.equal([headers.get('allow'), headers.get('accept-patch')], [allow, path === '/pet' ? undefined : 'text/csv'], path);
      }
    });
  });
}
coinciding.run();
