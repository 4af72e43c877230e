/** N8: `onRequest` of interceptors: called before anything of a request is decoded, and heard in whatever is sent. */
import { ApiError, type ApiServer, integerId, type Interceptor, type MatchedRequest, reply, type RequestInterceptor } from '../../../src/index.ts';
import { IS_IN_MEMORY } from '../../support/transport.ts';
import { assert, facts, Gate, head, isTypeError, message, RawClient, readProblem, send, serve, suite, waitUntil } from '../../support/facts.ts';

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
for (const [why, request, response, ...logged] of [
  ['a success', 'GET /v1/pet?n=1\nX-User: a', '200 ["a"] | X-Tag: a | Cache-Control: private, no-cache'],
  ['a HEAD request', 'HEAD /v1/pet/1\nX-User: a', '200 length 3 | X-Tag: a | Cache-Control: private, no-cache'],
  ['a malformed id', 'GET /v1/pet/x\nX-User: a', '400 Bad arguments: id: expected a decimal integer from -9007199254740991 to 9007199254740991 @id | X-Tag: a'],
  ['a caller who is not known', 'GET /v1/pet/1', '401 Who? | WWW-Authenticate: Bearer | X-Tag: a | Cache-Control: private, no-cache'],
  ['a malformed query', 'GET /v1/pet?n=2\nX-User: a', '400 Bad arguments: no n @ | X-Tag: a | Cache-Control: private, no-cache'],
  ['a missing item', 'GET /v1/pet/2\nX-User: a', '404 Not found. | X-Tag: a | Cache-Control: private, no-cache'],
  ['a malformed body', 'POST /v1/pet {\nX-User: a',
    '400 Bad arguments: the body is not JSON: it ends too early, at byte 1 @# | X-Tag: a | Cache-Control: private, no-cache'],
  ['a body that is too long', `POST /v1/pet "${'a'.repeat(99)}"\nX-User: a`,
    '413 The body must not be longer than 10 bytes. | Connection: close | X-Tag: a | Cache-Control: private, no-cache'],
  ['a body of a different type', 'POST /v1/pet a\nX-User: a\nContent-Type: text/plain',
    '415 The body must be application/json in UTF-8. | Accept: application/json | Accept-Post: application/json | X-Tag: a | Cache-Control: private, no-cache'],
  ['an operation that fails', 'PUT /v1/pet/1 "a"\nX-User: a', '500 | X-Tag: a | Cache-Control: private, no-cache', 'PUT /v1/pet/:id: Internal error: disk'],
] as const) {
  for (const [kind, use] of [['', tagged], [' of a promise', { onRequest: async () => ({ 'X-Tag': 'a' }) }]] as const) {
    facts(order, strict(use), [[`its headers${kind} are sent with ${why}`, request, response, ...logged]]);
  }
}
const OWN = 'GET /v1/pet/1\nX-User: a';
facts(order, strict({ onRequest: () => ({}) }), [['responses that depend on the caller stay private', OWN, '200 "a" | Cache-Control: private, no-cache']]);
facts(order, strict({ onRequest: () => ({ 'cache-control': 'no-store' }) }), [['unless it says otherwise', OWN, '200 "a" | cache-control: no-store']]);
facts(order, strict(tagged), [['a response keeps its own header', 'DELETE /v1/pet/1\nX-User: a', '204 | X-Tag: own | Cache-Control: private, no-cache']]);
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
    const client = await RawClient.send(port, message('GET', '/v1/pet/1'));
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
  facts(order, strict({ onRequest }, { context: NEVER }), [[why, 'GET /v1/pet/1', '500', `GET /v1/pet/:id: Internal error: ${log}`]]);
}
const both: Interceptor = {
  onRequest: () => ({ 'X-Tag': 'a' }),
  around: (call, run) => {
    call.addHeaders({ 'X-Call': call.kind });
    return run();
  },
};
facts(order, strict(both), [
  ['runs beside around in one interceptor, whose call adds headers to whatever is sent', [OWN, 'PUT /v1/pet/1 "a"\nX-User: a'], ['200 "a" | X-Call: get | X-Tag: a | Cache-Control: private, no-cache', '500 | X-Call: update | X-Tag: a | Cache-Control: private, no-cache'], 'PUT /v1/pet/:id: Internal error: disk'],
]);
for (const [use, text] of [
  [{ onRequest: 1 }, 'endpoint.use.onRequest must be a function: number'],
  [{ onRequest: NEVER, query: String }, 'endpoint.use.query needs endpoint.use.around: onRequest is called before it is decoded'],
  [{ onRequest: NEVER, headers: String }, 'endpoint.use.headers needs endpoint.use.around: onRequest is called before it is decoded'],
] as const) {
  order(`TypeError: ${text}`, () => serve(() => {}, async ({ server }) => {
    assert.throws(() => strict(use)(server), isTypeError(text));
  }));
}
