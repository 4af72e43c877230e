/** What `OPTIONS` says of a path, and what a path or a method gets that is not there. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stringId, type ApiEndpoint } from '../../src/index.ts';
import { message, problemIn } from '../support/messages.ts';
import { rawRequest } from '../support/raw-client.ts';
import { serving } from '../support/serving.ts';
import { Zoo } from '../support/zoo.ts';

const get = (): string => '';
const create = (): string => '';
const run = (): string => '';

type Endpoint = ApiEndpoint<string, StringConstructor, Readonly<Record<string, undefined>>>;

const DECLARATIONS: readonly (readonly [declares: string, endpoint: Endpoint, onCollection: string, onItem: string])[] = [
  ['Get', { id: stringId, get }, '', 'GET'],
  ['Create', { id: stringId, schema: String, create }, 'POST', ''],
  ['Create and two Customs', { id: stringId, schema: String, create, custom: { feed: { run }, wash: { run } } }, 'POST, POST, POST', ''],
  ['a Custom', { id: stringId, custom: { feed: { run } } }, 'POST', ''],
  ['Delete, Update and Get, in this order', { id: stringId, schema: String, delete: run, update: run, get }, '', 'GET, PUT, DELETE'],
  ['Update and Delete', { id: stringId, schema: String, update: run, delete: run }, '', 'PUT, DELETE'],
];

const discovery = suite('discovery, and methods that a path lacks');
for (const [declares, endpoint, onCollection, onItem] of DECLARATIONS) {
  for (const [target, allow] of [['/v1/pet', onCollection], ['/v1/pet/1', onItem], ['/v1/pet/feed', onItem]] as const) {
    discovery(`OPTIONS ${target} of an endpoint that declares ${declares} -> 200, Allow: ${allow}`, async () => {
      await serving((server) => server.registerEndpoint('/pet', endpoint), async ({ port }) => {
        const answer = await rawRequest(port, message('OPTIONS', target));
        assert.is(answer.status, 200);
        assert.is(answer.headers.get('allow'), allow);
        assert.is(answer.headers.get('content-length'), '0');
        assert.not.ok(answer.headers.has('content-type'));
      });
    });
  }
}
for (const [method, target, allow] of [
  ['PATCH', '/v1/pet/1', 'GET, HEAD, PUT, DELETE, OPTIONS'],
  ['POST', '/v1/pet/1', 'GET, HEAD, PUT, DELETE, OPTIONS'],
  ['PATCH', '/v1/pet/feed', 'GET, HEAD, POST, PUT, DELETE, OPTIONS'],
  ['GET', '/v1/pet', 'POST, OPTIONS'],
  ['HEAD', '/v1/pet', 'POST, OPTIONS'],
  ['DELETE', '/v1/pet', 'POST, OPTIONS'],
] as const) {
  discovery(`${method} ${target} -> 405 with an empty body, Allow: ${allow}`, async () => {
    await serving(new Zoo().register, async ({ port }) => {
      const answer = await rawRequest(port, message(method, target));
      assert.is(answer.status, 405);
      assert.is(answer.headers.get('allow'), allow);
      assert.is(answer.headers.get('content-length'), '0');
      assert.not.ok(answer.headers.has('content-type'));
    });
  });
}
for (const target of ['/', '/v1', '/v1/pets', '/v1/pet/', '/v1/pet/1/2', '/v1/pet/feed/', '/pet/1']) {
  discovery(`GET ${target}, which is no path of ours -> 404 with a problem`, async () => {
    await serving(new Zoo().register, async ({ port }) => {
      const problem = problemIn(await rawRequest(port, message('GET', target)));
      assert.equal(problem, { type: 'about:blank', title: 'Not Found', status: 404, detail: 'Nothing is served at this path.' });
    });
  });
}
discovery.run();
