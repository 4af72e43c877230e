/** N8: `onRequest` of interceptors: called before anything of a request is decoded, and heard in whatever is sent. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, type ApiServer, integerId, type Interceptor, type MatchedRequest, reply, type RequestInterceptor } from '../../../src/index.ts';
import { Gate, waitUntil } from '../../support/wait.ts';
import { head, message, readProblem } from '../../support/messages.ts';
import { RawClient, send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';
import { IS_IN_MEMORY } from '../../support/transport.ts';

const JSON_TYPE = ['Content-Type: application/json'];
const NEVER = (): never => {
  throw new Error('must not be called');
};
const tagged: RequestInterceptor = { onRequest: () => ({ 'X-Tag': 'a' }) };

/** An endpoint whose every step can reject. */
const strict = (use: unknown, others: object = {}) => (server: ApiServer): void => server.registerEndpoint('/pet', {
  id: integerId,
  use,
  schema: String,
  context: ({ raw }: { raw: { headers: Record<string, unknown> } }) => {
    if (raw.headers['x-user'] === undefined) throw ApiError.status(401, 'Who?', { headers: { 'WWW-Authenticate': 'Bearer' } });
    return 'anyone';
  },
  list: { query: ({ n }: any) => { if (n !== '1') throw new Error('no n'); return { n }; }, run: () => ['a'] },
  create: { limits: { bodyBytes: 10 }, run: () => 1 },
  get: (id: number) => (id === 1 ? 'a' : undefined),
  update: () => { throw new Error('disk'); },
  delete: () => reply(204, undefined, { 'X-Tag': 'own' }),
  ...others,
} as never);

const order = suite('onRequest');
for (const [why, request, status] of [
  ['a success', message('GET', '/v1/pet?n=1', '', ['X-User: a']), 200],
  ['a HEAD request', message('HEAD', '/v1/pet/1', '', ['X-User: a']), 200],
  ['a malformed id', message('GET', '/v1/pet/x', '', ['X-User: a']), 400],
  ['a caller who is not known', message('GET', '/v1/pet/1'), 401],
  ['a malformed query', message('GET', '/v1/pet?n=2', '', ['X-User: a']), 400],
  ['a missing item', message('GET', '/v1/pet/2', '', ['X-User: a']), 404],
  ['a malformed body', message('POST', '/v1/pet', '{', ['X-User: a', ...JSON_TYPE]), 400],
  ['a body that is too long', message('POST', '/v1/pet', `"${'a'.repeat(99)}"`, ['X-User: a', ...JSON_TYPE]), 413],
  ['a body of a different type', message('POST', '/v1/pet', 'a', ['X-User: a', 'Content-Type: text/plain']), 415],
  ['an operation that fails', message('PUT', '/v1/pet/1', '"a"', ['X-User: a', ...JSON_TYPE]), 500],
] as const) {
  for (const [kind, use] of [['', tagged], [' of a promise', { onRequest: async () => ({ 'X-Tag': 'a' }) }]] as const) {
    order(`its headers${kind} are sent with ${why}`, async () => {
      await serve(strict(use), async (served) => {
        const response = await send(served.port, request);
        assert.equal([response.status, response.headers.get('x-tag'), response.headers.get('x-content-type-options')], [status, 'a', 'nosniff']);
        assert.is(served.errors.length, status === 500 ? 1 : 0);
      });
    });
  }
}
order('responses that depend on the caller stay private, unless it says otherwise', async () => {
  for (const [headers, expected] of [[{}, 'private, no-cache'], [{ 'cache-control': 'no-store' }, 'no-store']] as const) {
    await serve(strict({ onRequest: () => headers }), async ({ port }) => {
      assert.is((await send(port, message('GET', '/v1/pet/1', '', ['X-User: a']))).headers.get('cache-control'), expected);
    });
  }
});
order('a response keeps its own header', async () => {
  await serve(strict(tagged), async ({ port }) => {
    assert.is((await send(port, message('DELETE', '/v1/pet/1', '', ['X-User: a']))).headers.get('x-tag'), 'own');
  });
});
order('is called before authentication, and for no path or method without an operation', async () => {
  const seen: string[] = [];
  const note = (name: string, add = {}): RequestInterceptor => ({ onRequest: ({ route }) => void seen.push(`${name} ${route.method} ${route.path}`), ...add });
  await serve((server) => {
    server.registerEndpoints({ '/pet': { use: [note('outer'), note('inner')], id: integerId, get: { use: note('own'), run: () => 'a' } } as never }, { use: note('all') });
  }, async ({ port }) => {
    for (const [method, path, status] of [['GET', '/v1/no', 404], ['PUT', '/v1/pet/1', 405], ['OPTIONS', '/v1/pet/1', 200]] as const) {
      assert.is((await send(port, message(method, path))).status, status);
    }
    assert.equal(seen, []);
    await send(port, message('HEAD', '/v1/pet/x'));
    assert.equal(seen, ['all', 'outer', 'inner', 'own'].map((name) => `${name} GET /v1/pet/:id`));
  });
});
order('rejects before anything else is called or read, with the headers of outer ones', async () => {
  const closed: RequestInterceptor = { onRequest: () => { throw ApiError.status(503, 'Closed.', { headers: { 'Retry-After': '60' } }); } };
  for (const outer of [tagged, { onRequest: async () => ({ 'X-Tag': 'a' }) }]) {
    await serve(strict([outer, closed, { onRequest: NEVER, around: NEVER }], { context: NEVER }), async (served) => {
      const client = await RawClient.connect(served.port);
      // The body does not come.
      client.send(head('POST', '/v1/pet', ['Content-Length: 9', ...JSON_TYPE]));
      const response = await client.response();
      assert.equal([readProblem(response).detail, response.headers.get('retry-after'), response.headers.get('x-tag')], ['Closed.', '60', 'a']);
      assert.is(served.errors.length, 1);
      client.destroy();
    });
  }
});
order('sees the request', async () => {
  const seen: unknown[] = [];
  const use = { onRequest({ raw, headers, address, route, signal }: MatchedRequest) { seen.push(raw.method, headers['x-user'], address, route.path, signal.aborted, this === use); } };
  await serve(strict(use), async ({ port, server }) => {
    await send(port, message('GET', '/v1/pet/1', '', ['X-User: a']));
    assert.equal(seen.splice(0), ['GET', 'a', IS_IN_MEMORY ? undefined : '127.0.0.1', '/v1/pet/:id', false, true]);
    await server.fetch('http://a/v1/pet/1', { headers: { 'x-user': 'b' } });
    assert.equal(seen, ['GET', 'b', undefined, '/v1/pet/:id', false, true]);
  });
});
order('takes the time of the operation: a 503 after it, and nothing else is called', async () => {
  const gate = new Gate();
  await serve(strict([tagged, { onRequest: () => gate.passed }, { onRequest: NEVER }], { context: NEVER, get: { limits: { operationMs: 20 }, run: NEVER } }), async (served) => {
    const response = await send(served.port, message('GET', '/v1/pet/1'));
    assert.equal([response.status, response.headers.get('x-tag')], [503, 'a']);
    gate.open();
    await gate.passed;
    assert.is(served.errors.length, 1);
  });
});
order('a client that leaves aborts its signal', async () => {
  let signal: AbortSignal | undefined;
  const gate = new Gate();
  await serve(strict({ onRequest: (request: MatchedRequest) => { ({ signal } = request); return gate.passed; } }, { context: NEVER }), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(message('GET', '/v1/pet/1'));
    await waitUntil(() => signal !== undefined, 'the request');
    client.destroy();
    await waitUntil(() => signal?.aborted === true, 'the abort');
    gate.open();
    await gate.passed;
  });
});
for (const [why, onRequest, log] of [
  ['a header that is not valid', () => ({ 'X Tag': 'a' }), 'header name is not valid: "X Tag"'],
  ['a header of the body', () => ({ 'Content-Type': 'text/html' }), 'header Content-Type cannot be set: the server sets it'],
  ['a value that is not headers', async () => 7, 'headers must be a plain object of names and values'],
  ['an error', () => { throw new Error('disk'); }, 'disk'],
  ['a rejected promise', () => Promise.reject(new Error('disk')), 'disk'],
] as const) {
  order(`${why} is a logged 500`, async () => {
    await serve(strict({ onRequest }, { context: NEVER }), async (served) => {
      assert.is((await send(served.port, message('GET', '/v1/pet/1'))).status, 500);
      assert.equal(served.errors.map((error) => error.message), [`GET /v1/pet/:id: Internal error: ${log}`]);
    });
  });
}
order('runs beside around in one interceptor, whose call adds headers to whatever is sent', async () => {
  const both: Interceptor = {
    onRequest: () => ({ 'X-Tag': 'a' }),
    around: (call, run) => {
      call.addHeaders({ 'X-Call': call.kind });
      return run();
    },
  };
  await serve(strict(both), async (served) => {
    for (const request of [message('GET', '/v1/pet/1', '', ['X-User: a']), message('PUT', '/v1/pet/1', '"a"', ['X-User: a', ...JSON_TYPE])]) {
      const { headers } = await send(served.port, request);
      assert.equal([headers.get('x-tag'), headers.get('x-call')], ['a', request.startsWith('GET') ? 'get' : 'update']);
    }
    assert.is(served.errors.length, 1);
  });
});
for (const [use, text] of [
  [{ onRequest: 1 }, 'endpoint.use.onRequest must be a function: number'],
  [{ onRequest: NEVER, query: String }, 'endpoint.use.query needs endpoint.use.around: onRequest is called before it is decoded'],
  [{ onRequest: NEVER, headers: String }, 'endpoint.use.headers needs endpoint.use.around: onRequest is called before it is decoded'],
  [{ onRequest: NEVER, readsBody: true }, 'endpoint.use.readsBody needs endpoint.use.around: onRequest is called before it is decoded'],
] as const) {
  order(`TypeError: ${text}`, async () => {
    await serve(() => {}, async ({ server }) => {
      assert.throws(() => strict(use)(server), (thrown: unknown) => thrown instanceof TypeError && thrown.message === text);
    });
  });
}
order.run();
