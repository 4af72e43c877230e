/** QUERY (RFC 10008): the operation `search`. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, bytes, integerId, type AnyDecoder, type ApiServer, reply } from '../../../src/index.ts';
import { message, readProblem } from '../../support/messages.ts';
import { send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';

const JSON_TYPE = 'Content-Type: application/json';

/** Declares a search that notes what it gets. */
function declareSearch(got: unknown[], properties: { readonly input?: AnyDecoder; readonly run?: (criteria: any) => unknown } = {}): (server: ApiServer) => void {
  const input = (json: unknown): unknown => {
    if (json === 'bad') throw new Error('no criteria');
    return json;
  };
  const search = { input, run: (criteria: unknown) => (got.push(criteria), { found: criteria }), ...properties };
  return (server) => server.registerEndpoint('/pet', { id: integerId, search });
}

async function readAll(body: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of body) text += Buffer.from(chunk).toString();
  return text;
}

const bodies = suite('the body of a QUERY');
for (const [body, headers, status, expected] of [
  ['{"legs":4}', [JSON_TYPE], 200, '{"found":{"legs":4}}'],
  ['{"legs":4}', ['Content-Type: application/vnd.pet+json'], 200, '{"found":{"legs":4}}'],
  ['{"legs":4}', [], 400, 'A QUERY must have a Content-Type.'],
  ['', [], 400, 'A QUERY must have a Content-Type.'],
  ['{"legs":4}', ['Content-Type: text/plain'], 415, 'The body must be application/json in UTF-8.'],
  ['', [JSON_TYPE], 400, 'Bad arguments: the body is empty'],
  ['"bad"', [JSON_TYPE], 400, 'Bad arguments: no criteria'],
  // A page of a different origin needs a preflight for QUERY.
  ['1', [JSON_TYPE, 'Sec-Fetch-Site: cross-site'], 200, '{"found":1}'],
] as const) {
  bodies(`${body || 'none'}, ${headers.join(', ') || 'no type'} -> ${status} ${expected}`, async () => {
    const got: unknown[] = [];
    await serve(declareSearch(got), async ({ port }) => {
      const response = await send(port, message('QUERY', '/v1/pet', body, headers));
      assert.is(response.status, status);
      assert.is(status === 200 ? response.body : readProblem(response).detail, expected);
      assert.is(got.length, status === 200 ? 1 : 0);
      assert.is(response.headers.get('accept-query'), status === 415 ? 'application/json' : undefined);
    });
  });
}
bodies('without input: ignored, and needs no type', async () => {
  await serve((server) => server.registerEndpoint('/pet', { id: integerId, search: { run: () => 'all' } }), async ({ port }) => {
    const response = await send(port, message('QUERY', '/v1/pet'));
    assert.equal([response.status, response.body], [200, '"all"']);
  });
});
bodies('of a format: its types are accepted, and a missing type is 400', async () => {
  const input = bytes({ types: ['application/sql', 'text/*'] });
  await serve(declareSearch([], { input, run: readAll }), async ({ port }) => {
    assert.is((await send(port, message('QUERY', '/v1/pet', 'select', ['Content-Type: application/sql']))).body, '"select"');
    assert.is((await send(port, message('QUERY', '/v1/pet', 'select'))).status, 400);
    const rejected = await send(port, message('QUERY', '/v1/pet', '1', [JSON_TYPE]));
    assert.equal([rejected.status, rejected.headers.get('accept-query'), rejected.headers.get('accept')], [415, 'application/sql, text/*', 'application/sql, text/*']);
    assert.is(readProblem(rejected).detail, 'The body must be application/sql or text/*.');
  });
});
bodies.run();

const routes = suite('O21: the route of search');
routes('OPTIONS says what a QUERY can have', async () => {
  await serve(declareSearch([]), async ({ port }) => {
    const { headers } = await send(port, message('OPTIONS', '/v1/pet'));
    assert.equal([headers.get('allow'), headers.get('accept-query')], ['QUERY', 'application/json']);
  });
});
routes('an item has none', async () => {
  await serve(declareSearch([]), async ({ port }) => {
    const { status, headers } = await send(port, message('QUERY', '/v1/pet/1', '1', [JSON_TYPE]));
    assert.equal([status, headers.get('allow')], [405, 'OPTIONS']);
    assert.is((await send(port, message('GET', '/v1/pet'))).headers.get('allow'), 'QUERY, OPTIONS');
  });
});
routes('what it throws becomes its response, and is not logged unless the server failed', async () => {
  const run = (): never => {
    throw ApiError.status(409, 'busy');
  };
  await serve(declareSearch([], { run }), async ({ port, errors }) => {
    assert.is(readProblem(await send(port, message('QUERY', '/v1/pet', '1', [JSON_TYPE]))).status, 409);
    assert.equal(errors, []);
  });
});
routes('a function alone cannot be one: it needs input', async () => {
  await serve(() => {}, async ({ server }) => {
    assert.throws(() => server.registerEndpoint('/pet', { id: integerId, search: () => 1 } as never), /endpoint\.search must be an object, not a function/);
  });
});
routes.run();

const OLD = 'Sun, 06 Nov 1994 08:49:37 GMT';
const conditional = suite('R9: a QUERY with conditions');
for (const [headers, condition, status] of [
  [{ ETag: '"a"' }, 'If-None-Match: "a"', 304],
  [{ ETag: '"a"' }, 'If-None-Match: "b"', 200],
  [{ ETag: '"a"' }, 'If-Match: "b"', 412],
  [{ ETag: '"a"' }, 'If-Match: "a"', 200],
  [{ 'Last-Modified': OLD }, `If-Modified-Since: ${OLD}`, 304],
  [{ 'Last-Modified': OLD }, 'If-Unmodified-Since: Sun, 06 Nov 1994 08:49:36 GMT', 412],
  [{}, 'If-None-Match: *', 304],
  [{}, 'If-Match: "a"', 412],
] as const) {
  conditional(`${condition} of ${JSON.stringify(headers)} -> ${status}`, async () => {
    await serve(declareSearch([], { run: () => reply(200, [1], headers) }), async ({ port }) => {
      const response = await send(port, message('QUERY', '/v1/pet', '1', [JSON_TYPE, condition]));
      assert.equal([response.status, response.body], [status, status === 200 ? '[1]' : status === 304 ? '' : response.body]);
      assert.is((await send(port, message('QUERY', '/v1/pet', '{', [JSON_TYPE, condition]))).status, 400);
    });
  });
}
conditional.run();

const others = suite('F1: a body of a different type: 415 names the types that are accepted');
for (const [method, path, property, field] of [
  ['POST', '/v1/pet', { create: { input: String, run: () => 1 } }, 'accept-post'],
  ['POST', '/v1/pet/find', { custom: { find: { input: String, run: () => 1 } } }, 'accept-post'],
  ['POST', '/v1/pet/1/feed', { itemCustom: { feed: { input: String, run: () => 1 } } }, 'accept-post'],
  ['PATCH', '/v1/pet/1', { patch: { input: String, run: () => {} } }, 'accept-patch'],
  ['PUT', '/v1/pet/1', { update: { input: String, run: () => {} } }, undefined],
] as const) {
  others(`${method} ${path}: Accept, ${field ?? 'no other header'}`, async () => {
    await serve((server) => server.registerEndpoint('/pet', { id: integerId, ...property }), async ({ port }) => {
      const response = await send(port, message(method, path, 'a', ['Content-Type: text/csv']));
      const { status, headers } = response;
      assert.equal([headers.get('accept'), readProblem(response).detail], ['application/json', 'The body must be application/json in UTF-8.']);
      const found = ['accept-post', 'accept-patch', 'accept-query'].filter((name) => headers.get(name) === 'application/json');
      assert.equal([status, found], [415, field === undefined ? [] : [field]]);
    });
  });
}
for (const [type, status] of [
  ['application/json', 204],
  ['application/json; charset=utf-8', 204],
  ['Application/JSON;charset="UTF-8"', 204],
  ['application/json-patch+json', 415],
  ['application/merge-patch+json', 415],
  ['application/vnd.pet+json', 415],
] as const) {
  others(`a plain patch of ${type} -> ${status}`, async () => {
    await serve((server) => server.registerEndpoint('/pet', { id: integerId, patch: { input: String, run: () => {} } }), async ({ port }) => {
      assert.is((await send(port, message('PATCH', '/v1/pet/1', '1', [`Content-Type: ${type}`]))).status, status);
    });
  });
}
others.run();
