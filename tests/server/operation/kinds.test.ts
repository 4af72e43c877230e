/** Every kind of operation, with and without ids: its route, its arguments and those of its context, its reply, and its call by a client. */
import { integerId, type ApiServer } from '../../../src/index.ts';
import { serveWithClient } from '../../support/serve-with-client.ts';
import { BODY, Recorder, ROWS, JSON_HEADERS, type Calls } from '../../support/kinds.ts';
import { assert, facts, message, send, serve, suite } from '../../support/facts.ts';

const replies = suite('O1 O2 O3 O4: the response of each kind of operation');
for (const [method, path, body, status, type, expected, got] of ROWS) {
  replies(`${method} ${path} -> ${status} ${expected}`, async () => {
    const recorder = new Recorder();
    await serve(recorder.register, async ({ port }) => {
      const reply = await send(port, message(method, `/v1${path}`, body, JSON_HEADERS));
      assert.is(reply.status, status);
      assert.is(reply.body, expected);
      assert.is(reply.headers.get('content-type'), type);
      assert.is(reply.headers.get('content-length'), status === 204 ? undefined : String(expected.length));
      assert.is(reply.headers.get('location'), path === '/pet' && method === 'POST' ? '/v1/pet/7' : undefined);
      // The last argument is the request, which the recorder does not note.
      assert.equal(recorder.calls, [got]);
    });
  });
}
facts(replies, new Recorder().register, [['the head of its GET', 'HEAD /v1/pet', '200 length 7']]);
for (const [path, why, error] of [
  ['/pet/x/feed', 'an id that its codec rejects', 'id: expected a decimal integer from -9007199254740991 to 9007199254740991'],
  ['/pet/%ff/wake', 'an id that is not UTF-8', 'the id is not percent-encoded UTF-8'],
] as const) {
  const recorder = new Recorder();
  facts(replies, recorder.register, [[why, `POST /v1${path} ${BODY}`, `400 Bad arguments: ${error} @id`]], { after: () => assert.equal(recorder.calls, []) });
}
const fail = (): never => {
  throw Object.assign(new Error('no'), { notFound: true });
};
facts(replies, (server) => server.registerEndpoint('/pet', { id: integerId, list: fail, patch: { run: fail }, itemCustom: { feed: { run: fail } } }), [
  ['other kinds are logged only when the server failed', ['GET /v1/pet', 'PATCH /v1/pet/1'], ['404 Not found.', '404 Not found.']],
  ['a failed itemCustom is always logged', 'POST /v1/pet/1/feed', '404 Not found.', 'POST /v1/pet/:id/feed: Not found.'],
]);

const seen = suite('O11: the request of a context');
for (const [method, path, body] of [...ROWS, ['HEAD', '/pet/5', '']] as const) {
  const itemId = path.startsWith('/pet/5') ? 5 : undefined;
  seen(`of ${method} ${path}: ${itemId === undefined ? 'no id' : 'the id'}, the parameters and the query`, async () => {
    const recorder = new Recorder();
    await serve(recorder.registerInZoo, async ({ port }) => {
      assert.ok((await send(port, message(method, `/v1/zoo/a%2Fb${path}?a=1`, body, JSON_HEADERS))).status < 300);
      assert.equal(recorder.calls[0], ['context', itemId, { zoo: 'a/b' }, 'a=1']);
      assert.is(recorder.calls.length, 2);
    });
  });
}

const called = suite('the call of each kind by a client');
for (const [method, path, body, , , , got, call, result] of ROWS) {
  called(`is ${method} ${path}, and resolves to ${JSON.stringify(result) ?? 'nothing'}`, async () => {
    const recorder = new Recorder();
    await serveWithClient(recorder.register, async ({ connect, requests }) => {
      const api = connect<any>();
      const operations: unknown = path.startsWith('/pet') ? api('/pet', {}, { id: integerId }) : api.one('/settings');
      assert.equal(await call(operations as Calls), result);
      // A POST without a body says its type, too: a page of a different origin could not.
      assert.equal(requests, [`${method} /v1${path}${body === '' && method !== 'POST' ? '' : ' application/json'}`]);
      assert.equal(recorder.calls, [got]);
    });
  });
}

const discovery = suite('A7 O5 O24: discovery of each kind of operation');
/** Declares a fixed list of kinds, so that one more changes no path here. */
function declareKinds(server: ApiServer): void {
  const { items: { id, schema, create, list, get, update, patch, delete: remove, custom, itemCustom }, single } = new Recorder();
  server.registerEndpoint('/pet', { id, schema, create, list, get, update, patch, delete: remove, custom, itemCustom } as never);
  server.registerEndpoint('/settings', {
    schema, create: single.create, get: single.get, update: single.update, patch: single.patch, delete: single.delete, custom: single.custom,
  } as never);
}
const PATCH = ' | Accept-Patch: application/json';
facts(discovery, declareKinds, [
  ['', 'OPTIONS /v1/pet', '200 | Allow: GET, POST, POST, POST'],
  ['', 'OPTIONS /v1/pet/5', `200 | Allow: GET, PUT, PATCH, DELETE${PATCH}`],
  ['', 'OPTIONS /v1/pet/search', `200 | Allow: GET, PUT, PATCH, DELETE, POST${PATCH}`],
  ['', 'OPTIONS /v1/pet/5/feed', '200 | Allow: POST'],
  ['', 'OPTIONS /v1/settings', `200 | Allow: GET, PUT, PATCH, DELETE, POST, POST${PATCH}`],
  ['', 'OPTIONS /v1/settings/reset', '200 | Allow: POST'],
  ['its name wins over the id `nearest` for GET alone', 'OPTIONS /v1/pet/nearest', `200 | Allow: GET, PUT, PATCH, DELETE${PATCH}`],
  ['', 'OPTIONS /v1/pet/5/visits', '200 | Allow: GET'],
  ['', 'OPTIONS /v1/settings/themes', '200 | Allow: GET'],
  ['', 'PUT /v1/pet', '405 | Allow: GET, HEAD, POST, OPTIONS'],
  ['a method of Node that no kind has', 'QUERY /v1/pet {}\nContent-Type: application/json', '501 This server has no such method.'],
  ['', 'POST /v1/pet/5', '405 | Allow: GET, HEAD, PUT, PATCH, DELETE, OPTIONS'],
  ['', 'GET /v1/pet/5/feed', '405 | Allow: POST, OPTIONS'],
  ['', 'POST /v1/pet/nearest', '405 | Allow: GET, HEAD, PUT, PATCH, DELETE, OPTIONS'],
  ['', 'POST /v1/pet/5/visits', '405 | Allow: GET, HEAD, OPTIONS'],
  ['', 'PATCH /v1/pet', '405 | Allow: GET, HEAD, POST, OPTIONS'],
]);
discovery('every path that has a route is listed and logged once, in the order of the table', () => serve(declareKinds, async ({ server, infos }) => {
  const expected = [
    'POST /v1/pet', 'GET /v1/pet', 'GET /v1/pet/:id', 'PUT /v1/pet/:id', 'PATCH /v1/pet/:id', 'DELETE /v1/pet/:id',
    'POST /v1/pet/search', 'POST /v1/pet/count', 'POST /v1/pet/:id/feed', 'POST /v1/pet/:id/wake',
    'GET /v1/pet/nearest', 'GET /v1/pet/:id/visits',
    'OPTIONS /v1/pet', 'OPTIONS /v1/pet/:id', 'OPTIONS /v1/pet/search', 'OPTIONS /v1/pet/count', 'OPTIONS /v1/pet/:id/feed', 'OPTIONS /v1/pet/:id/wake',
    'OPTIONS /v1/pet/nearest', 'OPTIONS /v1/pet/:id/visits',
    'POST /v1/settings', 'GET /v1/settings', 'PUT /v1/settings', 'PATCH /v1/settings', 'DELETE /v1/settings', 'POST /v1/settings/reset',
    'GET /v1/settings/themes', 'OPTIONS /v1/settings', 'OPTIONS /v1/settings/reset', 'OPTIONS /v1/settings/themes',
  ];
  assert.equal(server.routes.map(({ method, path }) => `${method} ${path}`), expected);
  assert.equal(infos, expected.map((route) => `route: ${route}`));
}));

const sharing = suite('O6: several endpoints at one path');
const run = (): string => 'ran';
facts(sharing, (server) => {
  server.registerEndpoint('/pet', { id: integerId, list: run, get: run });
  server.registerEndpoint('/pet', { id: integerId, schema: String, create: () => 1, delete: () => {}, itemCustom: { feed: { run } } });
  server.registerEndpoint('/pet', { id: integerId, custom: { count: { run } } });
}, [
  ['', 'OPTIONS /v1/pet', '200 | Allow: GET, POST, POST'],
  ['', 'OPTIONS /v1/pet/1', '200 | Allow: GET, DELETE'],
  ['', 'PUT /v1/pet', '405 | Allow: GET, HEAD, POST, OPTIONS'],
  ['', 'PUT /v1/pet/1', '405 | Allow: GET, HEAD, DELETE, OPTIONS'],
  ['', ['GET /v1/pet', 'POST /v1/pet 1', 'DELETE /v1/pet/1', 'POST /v1/pet/count'], ['200 "ran"', '201 text 1 | Location: /v1/pet/1', '204', '200 "ran"']],
], {
  after: ({ server, infos }) => {
    const options = server.routes.filter(({ method }) => method === 'OPTIONS').map(({ path }) => path);
    assert.equal(options, ['/v1/pet', '/v1/pet/:id', '/v1/pet/:id/feed', '/v1/pet/count']);
    assert.is(infos.filter((text) => text.includes('OPTIONS')).length, 4);
  },
});
sharing('with the same method: TypeError that names both routes, and nothing is added', async () => {
  await serve((server) => server.registerEndpoint('/pet', { id: integerId, get: run }), async ({ server, infos }) => {
    const [routes, logged] = [server.routes, [...infos]];
    assert.throws(
      () => server.registerEndpoint('/pet', { id: integerId, list: run, get: run }),
      (error: unknown) => error instanceof TypeError && error.message.startsWith('route GET /v1/pet/:id conflicts with GET /v1/pet/:id: '),
    );
    assert.equal([server.routes, infos], [routes, logged]);
  });
});
const contexts: unknown[] = [];
facts(sharing, (server) => {
  server.registerEndpoint('/pet', { id: integerId, context: () => 'anyone', get: (_id, { context }) => ({ context }) });
  server.registerEndpoint('/pet', { id: integerId, context: () => 'keeper', delete: (_id, { context }) => void contexts.push(context) });
}, [['each with its own context', ['GET /v1/pet/1', 'DELETE /v1/pet/1'], ['200 {"context":"anyone"} | Cache-Control: private, no-cache', '204 | Cache-Control: private, no-cache']]], {
  after: () => assert.equal(contexts, ['keeper']),
});
