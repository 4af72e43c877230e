/** What an interceptor gets of its call: the encoded response, its end, the body, and its own part of the query and the header. */
import { type ApiServer, bytes, created, integerId, type InterceptedCall, type Interceptor, type OperationResponse, reply, stringId } from '../../../src/index.ts';
import { ndjson, ranges } from '../../../src/formats/index.ts';
import { type Around, decodeLimit, LIST, declareList, makeStrictSchema } from '../../support/intercepted-list.ts';
import { BODY, Recorder, ROWS, JSON_HEADERS } from '../../support/kinds.ts';
import { assert, check, facts, Gate, message, send, serve, suite, waitUntil } from '../../support/facts.ts';

const encoded = suite('N4: call.encode');
const encodeResult: Around = async (call, run) => call.encode(await run());
/** What is sent with an interceptor that encodes the result is what is sent without it. */
async function compareEncoded(declare: (use: readonly Interceptor[]) => (server: ApiServer) => void, bytes: string): Promise<void> {
  const [encoded, plain] = await Promise.all([[{ around: encodeResult }], []].map(async (use) => {
    let response: unknown;
    await serve(declare(use), async ({ port }) => {
      const { status, headers, body } = await send(port, bytes);
      response = [status, [...headers].filter(([name]) => name !== 'date').sort(), body];
    });
    return response;
  }));
  assert.equal(encoded, plain);
}
for (const [method, path, body] of ROWS) {
  encoded(`of ${method} ${path}: the same bytes as without it`, () => compareEncoded((use) => (server) => {
    const recorder = new Recorder();
    server.registerEndpoint('/pet', { ...recorder.items, use } as never);
    server.registerEndpoint('/settings', { ...recorder.single, use } as never);
  }, message(method, `/v1${path}`, body, JSON_HEADERS)));
}
for (const [what, run, properties] of [
  ['a reply', () => reply(202, { a: 1 }, { ETag: '"1"', Link: ['<a>', '<b>'] }), {}],
  ['a reply without a body', () => reply(204), {}],
  ['a reply of text', () => reply(200, 'a,b', { 'Content-Type': 'text/csv' }), {}],
  ['a reply of bytes', () => reply(200, Buffer.from('\xff', 'latin1')), {}],
  ['a stream with its length', () => reply(200, (async function* () { yield 'abc'; })(), { 'Content-Length': '3' }), {}],
  ['a part', () => reply(200, ranges({ size: 3, read: (from, to) => Buffer.from('abc').subarray(from, to + 1) })), {}],
  ['a format', () => [1, 2], { output: ndjson(Number) }],
  ['a reply in a format', () => reply(200, [1, 2], { 'X-A': 'b' }), { output: ndjson(Number) }],
  ['output', () => ({ a: 1 }), { output: async (value: object) => ({ ...value, b: 2 }) }],
  ['a reply through output', () => reply(200, { a: 1 }), { output: (value: object) => ({ ...value, b: 2 }) }],
  ['a reply whose output is bytes', () => reply(200, { a: 1 }), { output: () => Buffer.from('a') }],
] as const) {
  encoded(`of ${what}: the same bytes as without it`, () => compareEncoded((use) => declareList(use, run, properties), message('GET', '/v1/pet', '', ['Range: bytes=1-1'])));
}
const use = { around: encodeResult };
const output = { '~standard': { version: 1 as const, vendor: 'tests', validate: () => ({ issues: [{ message: 'a secret' }] }) } };
facts(encoded, (server) => server.registerEndpoint('/pet', { id: stringId, list: { use, output, run: () => 'plain' }, get: { use, run: () => undefined } } as never), [
  ['of an item that is missing rejects', 'GET /v1/pet/1', '404 Not found.'],
  ['of what output rejects rejects', 'GET /v1/pet', '500', /the result does not match output/],
]);
for (const [what, target, properties, text] of [
  ['created() of a Custom', '/v1/pet/buy', { custom: { buy: { use, run: () => created(7) } } }, /only create of an endpoint with ids can return created\(\)/],
  ['created() of a Create without ids', '/v1/pet', { id: undefined, create: { use, run: () => created(7) } },
    /only create of an endpoint with ids can return created\(\)/],
  ['a Create that returns nothing', '/v1/pet', { create: { use, run: () => {} } },
    /create must return the id of the new item, or created\(id, body\): it returned undefined/],
  ['a Create that returns null', '/v1/pet', { create: { use, run: () => null } },
    /create must return the id of the new item, or created\(id, body\): it returned null/],
] as const) {
  facts(encoded, (server) => server.registerEndpoint('/pet', { id: integerId, schema: Number, ...properties } as never),
    [[`of ${what} rejects`, `POST ${target} 1`, '500', text]]);
}
encoded('decodes after a timeout too, since the response may be kept', async () => {
  const gate = new Gate();
  let kept: Promise<OperationResponse> | undefined;
  const around: Around = async (call) => {
    await gate.passed;
    return (kept = call.encode({ secret: 1 }));
  };
  await serve(declareList({ around }, undefined, { output: () => ({ a: 1 }) }), async ({ port, errors }) => {
    assert.is((await send(port, LIST)).status, 503);
    gate.open();
    await waitUntil(() => kept !== undefined, 'the response');
    assert.is((await kept)?.body, '{"a":1}');
    assert.is(errors.length, 1);
  }, { limits: { operationMs: 20 } });
});
encoded('gives a response that can be stored, and sent again', async () => {
  let stored = '';
  const around: Around = async (call, run) => {
    if (stored === '') stored = JSON.stringify(await call.encode(await run()));
    return call.response(JSON.parse(stored) as OperationResponse);
  };
  let invoked = 0;
  const create = { use: { around }, run: () => (invoked += 1) };
  const responses = Array(3).fill('201 text 1 | Location: /v1/pet/1');
  await check((server) => server.registerEndpoint('/pet', { id: integerId, schema: Number, create }), Array(3).fill('POST /v1/pet 1'), responses);
  assert.equal([invoked, JSON.parse(stored)], [1, { status: 201, headers: { 'Content-Type': 'text/plain; charset=utf-8', Location: '/v1/pet/1' }, body: '1' }]);
});
facts(encoded, declareList([use, use], () => ({ a: 1 })), [['of what an inner interceptor has encoded is the same', 'GET /v1/pet', '200 {"a":1}']]);
encoded('of JSON is a string, and of bytes is bytes', async () => {
  const bodies: unknown[] = [];
  const around: Around = async (call, run) => {
    const response = await call.encode(await run());
    bodies.push(response.body);
    return response;
  };
  for (const run of [() => ({ a: 1 }), () => reply(200, { a: 1 }), () => reply(200, Buffer.from('a')), () => reply(204)]) {
    await serve(declareList({ around }, run), async ({ port }) => void await send(port, LIST));
  }
  assert.equal(bodies, ['{"a":1}', '{"a":1}', Buffer.from('a'), undefined]);
});
for (const [response, text] of [
  [{ status: 199, headers: {}, body: 'a' }, /the status of a response must be a whole number from 200 to 599: 199/],
  [{ status: 600, headers: {}, body: 'a' }, /the status of a response must be a whole number from 200 to 599: 600/],
  [{ status: 200, headers: { 'A\n': 'b' }, body: 'a' }, /header name is not valid/],
  [{ status: 200, headers: { Connection: 'close' }, body: 'a' }, /header Connection cannot be set/],
] as const) {
  facts(encoded, declareList({ around: (call: InterceptedCall) => call.response(response) }),
    [[`of ${JSON.stringify(response)}, stored`, 'GET /v1/pet', '500', text]]);
}
facts(encoded, declareList(use, () => reply(200, 1, { ETag: '"1"' })), [
  ['an ETag of an encoded response is compared', 'GET /v1/pet\nIf-None-Match: "1"', '304 | ETag: "1"'],
]);

const body = suite('N7: call.body');
for (const [what, properties, readsBody, path, expected] of [
  ['of JSON', { input: Number }, false, 'put', '[ 1]'],
  ['without an input', {}, false, 'put', 'none'],
  ['of a format', { input: bytes() }, false, 'put', 'none'],
  ['of a format, if it reads the body', { input: bytes() }, true, 'put', '[ 1]'],
] as const) {
  body(`${what}: ${expected}`, async () => {
    const around: Around = async (call, run) => [call.body === undefined ? 'none' : `[${Buffer.from(call.body)}]`, await run()];
    const run = async (input: any): Promise<string> => {
      if (!Object.hasOwn(properties, 'input') || typeof input === 'number') return String(typeof input);
      let text = '';
      for await (const chunk of input) text += chunk;
      return text;
    };
    const declared = { ...properties, use: [{ around, ' internal': { readsBody } }, { around: (_call: unknown, next: () => unknown) => next() }], run };
    await serve((server) => server.registerEndpoint('/pet', { custom: { [path]: declared } } as never), async ({ port }) => {
      const response = await send(port, message('POST', '/v1/pet/put', ' 1', JSON_HEADERS));
      assert.is(JSON.parse(response.body)[0], expected);
      if ('input' in properties && properties.input !== Number) assert.is(JSON.parse(response.body)[1], ' 1');
    });
  });
}

const allHeaders = suite('N5: query and headers');
facts(allHeaders, declareList({ query: decodeLimit, around: async (call: InterceptedCall, run: () => Promise<unknown>) => [call.query, await run()] }, ({ query }) => query, { query: makeStrictSchema(['tag']) }), [
  ['an interceptor takes its names out of the query before the operation decodes it',
    ['GET /v1/pet?limit=3&tag=a', 'GET /v1/pet'], ['200 [{"limit":3},{"tag":"a"}]', '200 [{"limit":7},{}]']],
  ['the operation rejects others', 'GET /v1/pet?other=1', '400 Bad arguments: no other @other'],
  ['the interceptor rejects its own', 'GET /v1/pet?limit=x', '400 Bad arguments: no limit @'],
]);
facts(allHeaders, declareList({ query: decodeLimit, around: (_call: unknown, run: () => unknown) => run() }, ({ query }) => String(query)), [
  ['without query, the operation has the whole query', 'GET /v1/pet?limit=3&tag=a', '200 "limit=3&tag=a"'],
]);
const own = (name: string, isAsync: boolean): Interceptor => ({
  query: (query: any) => (isAsync ? Promise.resolve({ [name]: query[name] }) : { [name]: query[name] }),
  headers: (headers: any) => ({ [`x-${name}`]: headers[`x-${name}`] ?? 'none' }),
  around: async (call: InterceptedCall, run: () => Promise<unknown>) => [call.query, call.headers, await run()],
});
facts(allHeaders, declareList([own('limit', true), own('tag', false)], () => 1), [
  ['two interceptors, one of them asynchronous, each have their own', 'GET /v1/pet?limit=3&tag=a\nX-Tag: b',
    '200 [{"limit":"3"},{"x-limit":"none"},[{"tag":"a"},{"x-tag":"b"},1]]'],
]);
const validate = ({ 'x-tenant': tenant }: any) => (tenant === undefined ? { issues: [{ message: 'no tenant', path: ['x-tenant'] }] } : { value: { 'x-tenant': tenant } });
facts(allHeaders, declareList([], (request) => request.headers, { headers: { '~standard': { version: 1 as const, vendor: 'tests', validate } } }), [
  ['headers of an operation', 'GET /v1/pet\nX-Tenant: a', '200 {"x-tenant":"a"}'],
  ['headers of an operation', 'GET /v1/pet\nx-TENANT: a\nX-Tenant: b', '200 {"x-tenant":"a, b"}'],
  ['headers of an operation', 'GET /v1/pet\nX-Tenant: a\n__proto__: b', '200 {"x-tenant":"a"}'],
  ['headers of an operation', 'GET /v1/pet', '400 Bad arguments: no tenant @x-tenant'],
]);
const feed = { input: String, headers: () => { throw new Error('no tenant'); }, run: (): unknown => assert.unreachable() };
facts(allHeaders, (server) => server.registerEndpoint('/pet', { id: stringId, custom: { feed } }), [
  ['are rejected before the body is read', `POST /v1/pet/feed ${BODY}\nContent-Type: text/csv`, '400 Bad arguments: no tenant @'],
]);
