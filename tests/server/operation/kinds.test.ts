/** Every kind of operation, with and without ids: its route, its arguments and those of its context, its reply, and its call by a client. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { integerId, type ApiServer } from '../../../src/index.ts';
import { serveWithClient } from '../../support/serve-with-client.ts';
import { BODY, Recorder, ROWS, JSON_HEADERS, type Calls } from '../../support/kinds.ts';
import { message } from '../../support/messages.ts';
import { send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';
import { requestFor } from '../../support/statuses.ts';

const replies = suite('O1 O2 O3 O4 O21: the response of each kind of operation');
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
replies('HEAD of a list is the head of its GET', async () => {
  await serve(new Recorder().register, async ({ port }) => {
    const { status, headers } = await send(port, requestFor('HEAD', '/v1/pet'));
    assert.equal([status, headers.get('content-length')], [200, '7']);
  });
});
for (const [path, why] of [['/pet/x/feed', 'an id that its codec rejects'], ['/pet/%ff/wake', 'an id that is not UTF-8']] as const) {
  replies(`POST ${path}: ${why} -> 400`, async () => {
    const recorder = new Recorder();
    await serve(recorder.register, async ({ port }) => {
      assert.is((await send(port, message('POST', `/v1${path}`, BODY))).status, 400);
      assert.equal(recorder.calls, []);
    });
  });
}
replies('a failed itemCustom is always logged, and other kinds only when the server failed', async () => {
  const fail = (): never => {
    throw Object.assign(new Error('no'), { notFound: true });
  };
  const endpoint = { id: integerId, list: fail, patch: { run: fail }, itemCustom: { feed: { run: fail } } };
  await serve((server) => server.registerEndpoint('/pet', endpoint), async ({ port, errors }) => {
    for (const [method, path] of [['GET', '/v1/pet'], ['PATCH', '/v1/pet/1'], ['POST', '/v1/pet/1/feed']] as const) {
      assert.is((await send(port, message(method, path))).status, 404);
    }
    assert.equal(errors.map(({ message: text }) => text), ['POST /v1/pet/:id/feed: Not found.']);
  });
});
replies.run();

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
seen.run();

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
called.run();

const discovery = suite('A7 O5 O24: discovery of each kind of operation');
/** Declares a fixed list of kinds, so that one more changes no path here. */
function declareKinds(server: ApiServer): void {
  const { items: { id, schema, create, list, search, get, update, patch, delete: remove, custom, itemCustom }, single } = new Recorder();
  server.registerEndpoint('/pet', { id, schema, create, list, search, get, update, patch, delete: remove, custom, itemCustom } as never);
  server.registerEndpoint('/settings', {
    schema, create: single.create, search: single.search, get: single.get, update: single.update, patch: single.patch, delete: single.delete, custom: single.custom,
  } as never);
}
for (const [path, allow] of [
  ['/pet', 'GET, QUERY, POST, POST, POST'],
  ['/pet/5', 'GET, PUT, PATCH, DELETE'],
  ['/pet/search', 'GET, PUT, PATCH, DELETE, POST'],
  ['/pet/5/feed', 'POST'],
  ['/settings', 'GET, QUERY, PUT, PATCH, DELETE, POST, POST'],
  ['/settings/reset', 'POST'],
  // Its name wins over the id `nearest` for GET alone.
  ['/pet/nearest', 'GET, PUT, PATCH, DELETE'],
  ['/pet/within', 'GET, QUERY, PUT, PATCH, DELETE'],
  ['/pet/5/visits', 'GET'],
  ['/pet/5/meals', 'QUERY'],
  ['/settings/themes', 'GET'],
] as const) {
  discovery(`OPTIONS ${path} -> 200, Allow: ${allow}`, async () => {
    await serve(declareKinds, async ({ port }) => {
      const { status, headers, body } = await send(port, message('OPTIONS', `/v1${path}`));
      assert.equal([status, headers.get('allow'), body], [200, allow, '']);
      for (const [method, name] of [['PATCH', 'accept-patch'], ['QUERY', 'accept-query']] as const) {
        assert.is(headers.get(name), allow.includes(method) ? 'application/json' : undefined);
      }
    });
  });
}
for (const [method, path, allow] of [
  ['PUT', '/pet', 'GET, HEAD, QUERY, POST, OPTIONS'],
  ['POST', '/pet/5', 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS'],
  ['GET', '/pet/5/feed', 'POST, OPTIONS'],
  ['POST', '/pet/nearest', 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS'],
  ['POST', '/pet/5/visits', 'GET, HEAD, OPTIONS'],
  ['GET', '/pet/5/meals', 'QUERY, OPTIONS'],
  ['PATCH', '/pet', 'GET, HEAD, QUERY, POST, OPTIONS'],
] as const) {
  discovery(`${method} ${path} -> 405, Allow: ${allow}`, async () => {
    await serve(declareKinds, async ({ port }) => {
      const { status, headers, body } = await send(port, message(method, `/v1${path}`));
      assert.equal([status, headers.get('allow'), body], [405, allow, '']);
    });
  });
}
discovery('every path that has a route is listed and logged once, in the order of the table', async () => {
  await serve(declareKinds, async ({ server, infos }) => {
    const expected = [
      'POST /v1/pet', 'GET /v1/pet', 'QUERY /v1/pet', 'GET /v1/pet/:id', 'PUT /v1/pet/:id', 'PATCH /v1/pet/:id', 'DELETE /v1/pet/:id',
      'POST /v1/pet/search', 'POST /v1/pet/count', 'POST /v1/pet/:id/feed', 'POST /v1/pet/:id/wake',
      'GET /v1/pet/nearest', 'QUERY /v1/pet/within', 'GET /v1/pet/:id/visits', 'QUERY /v1/pet/:id/meals',
      'OPTIONS /v1/pet', 'OPTIONS /v1/pet/:id', 'OPTIONS /v1/pet/search', 'OPTIONS /v1/pet/count', 'OPTIONS /v1/pet/:id/feed', 'OPTIONS /v1/pet/:id/wake',
      'OPTIONS /v1/pet/nearest', 'OPTIONS /v1/pet/within', 'OPTIONS /v1/pet/:id/visits', 'OPTIONS /v1/pet/:id/meals',
      'POST /v1/settings', 'QUERY /v1/settings', 'GET /v1/settings', 'PUT /v1/settings', 'PATCH /v1/settings', 'DELETE /v1/settings', 'POST /v1/settings/reset',
      'GET /v1/settings/themes', 'OPTIONS /v1/settings', 'OPTIONS /v1/settings/reset', 'OPTIONS /v1/settings/themes',
    ];
    assert.equal(server.routes.map(({ method, path }) => `${method} ${path}`), expected);
    assert.equal(infos, expected.map((route) => `route: ${route}`));
  });
});
discovery.run();

const sharing = suite('O6: several endpoints at one path');
const run = (): string => 'ran';
sharing('have all of their operations, and are discovered together', async () => {
  await serve((server) => {
    server.registerEndpoint('/pet', { id: integerId, list: run, get: run });
    server.registerEndpoint('/pet', { id: integerId, schema: String, create: () => 1, delete: () => {}, itemCustom: { feed: { run } } });
    server.registerEndpoint('/pet', { id: integerId, custom: { count: { run } } });
  }, async ({ port, server, infos }) => {
    const allowed = async (method: string, path: string): Promise<string | undefined> => {
      return (await send(port, message(method, path))).headers.get('allow');
    };
    assert.is(await allowed('OPTIONS', '/v1/pet'), 'GET, POST, POST');
    assert.is(await allowed('OPTIONS', '/v1/pet/1'), 'GET, DELETE');
    assert.is(await allowed('PUT', '/v1/pet'), 'GET, HEAD, POST, OPTIONS');
    assert.is(await allowed('PUT', '/v1/pet/1'), 'GET, HEAD, DELETE, OPTIONS');
    for (const [method, path, status] of [['GET', '/v1/pet', 200], ['POST', '/v1/pet', 201], ['DELETE', '/v1/pet/1', 204], ['POST', '/v1/pet/count', 200]] as const) {
      assert.is((await send(port, message(method, path, method === 'POST' && path === '/v1/pet' ? '1' : ''))).status, status, path);
    }
    const options = server.routes.filter(({ method }) => method === 'OPTIONS').map(({ path }) => path);
    assert.equal(options, ['/v1/pet', '/v1/pet/:id', '/v1/pet/:id/feed', '/v1/pet/count']);
    assert.is(infos.filter((text) => text.includes('OPTIONS')).length, 4);
  });
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
sharing('each with its own context: that of the operation is called', async () => {
  const get = (_id: number, { context }: { readonly context: unknown }): unknown => ({ context });
  const remove = (_id: number, { context }: { readonly context: unknown }): void => void seen.push(context);
  const seen: unknown[] = [];
  await serve((server) => {
    server.registerEndpoint('/pet', { id: integerId, context: () => 'anyone', get });
    server.registerEndpoint('/pet', { id: integerId, context: () => 'keeper', delete: remove });
  }, async ({ port }) => {
    assert.is((await send(port, message('GET', '/v1/pet/1'))).body, '{"context":"anyone"}');
    assert.is((await send(port, message('DELETE', '/v1/pet/1'))).status, 204);
    assert.equal(seen, ['keeper']);
  });
});
sharing.run();
