/** The headers that operations declare: what is sent, what is rejected, and what documents and clients have of them. */
import { Readable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { client } from '../../../src/client/index.ts';
import { ApiServer, created, integerId, problem, reply, type Interceptor, type StandardSchemaV1 } from '../../../src/index.ts';
import { ndjson } from '../../../src/formats/index.ts';
import { openApi } from '../../../src/openapi/index.ts';
import { makeJsonSchema } from '../../support/make-document.ts';
import { message, readProblem } from '../../support/messages.ts';
import { send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';

/** A schema of one type, which may promise. */
function schema(type: string, { isOptional = false, isLate = false, change = (value: unknown): unknown => value } = {}): StandardSchemaV1<any> {
  const validate = (value: unknown): any => {
    const isRight = typeof value === type || (isOptional && value === undefined);
    const result = isRight ? { value: change(value) } : { issues: [{ message: `must be a ${type}` }] };
    return isLate ? Promise.resolve(result) : result;
  };
  return { '~standard': { version: 1, vendor: 'test', validate } };
}
const LIST = message('GET', '/v1/pet');
/** Serves one list. */
const declareList = (run: () => unknown, options: object = {}) => (server: ApiServer): void => {
  server.registerEndpoint('/pet', { id: integerId, list: { responseHeaders: { 'X-Total': schema('number') }, run, ...options } } as never);
};

const sent = suite('R13: declared response headers');
for (const [what, run, options, expected] of [
  ['a number', () => reply(200, [1], { 'X-Total': 3 }), {}, '3'],
  ['a number, later', async () => reply(200, [1], { 'X-Total': 0 }), {}, '0'],
  ['a schema that promises', () => reply(200, [1], { 'X-Total': 3 }), { responseHeaders: { 'X-Total': schema('number', { isLate: true }) } }, '3'],
  ['a boolean', () => reply(200, [1], { 'X-Total': false }), { responseHeaders: { 'X-Total': schema('boolean') } }, 'false'],
  ['a string', () => reply(200, [1], { 'X-Total': 'a' }), { responseHeaders: { 'X-Total': schema('string') } }, 'a'],
  ['what the schema makes of it', () => reply(200, [1], { 'X-Total': 3 }), { responseHeaders: { 'X-Total': schema('number', { change: (value) => `n${String(value)}` }) } }, 'n3'],
  ['what a function makes of it', () => reply(200, [1], { 'X-Total': 3 }), { responseHeaders: { 'X-Total': (value: number) => value + 1 } }, '4'],
  ['a name in a different case', () => reply(200, [1], { 'x-total': 3 }), {}, '3'],
  ['one that may be missing', () => [1], { responseHeaders: { 'X-Total': schema('number', { isOptional: true }) } }, undefined],
  ['a default, of a plain result', () => [1], { responseHeaders: { 'X-Total': schema('number', { isOptional: true, change: () => 9 }) } }, '9'],
  ['with output', () => reply(200, [1], { 'X-Total': 3 }), { output: (value: unknown) => value }, '3'],
  ['with output that promises', () => reply(200, [1], { 'X-Total': 3 }), { output: async (value: unknown) => value }, '3'],
  ['with a format', () => reply(200, [1], { 'X-Total': 3 }), { output: ndjson((value: unknown) => value) }, '3'],
  ['with a stream', () => reply(200, Readable.from(['a']), { 'X-Total': 3 }), {}, '3'],
] as const) {
  sent(what, async () => {
    await serve(declareList(run, options), async ({ port }) => {
      const { status, headers } = await send(port, LIST);
      assert.equal([status, headers.get('x-total')], [200, expected]);
    });
  });
}
sent('of created, beside its Location', async () => {
  const create = { input: (value: unknown) => value, responseHeaders: { 'X-Total': schema('number') }, run: () => created(7, undefined, { 'X-Total': 3 }) };
  await serve((server) => server.registerEndpoint('/pet', { id: integerId, create } as never), async ({ port }) => {
    const { status, headers } = await send(port, message('POST', '/v1/pet', '1', ['Content-Type: application/json']));
    assert.equal([status, headers.get('x-total'), headers.get('location')], [201, '3', '/v1/pet/7']);
  });
});
for (const [what, run, status] of [
  ['a redirect', () => reply(303, undefined, { Location: '/' }), 303],
  ['a problem', () => problem(409, 'no'), 409],
] as const) {
  sent(`${what} needs none`, async () => {
    await serve(declareList(run), async ({ port }) => assert.is((await send(port, LIST)).status, status));
  });
}
sent('a list of strings has several lines, and interceptors can add headers', async () => {
  const use: Interceptor = {
    around: async (call, run) => {
      const response = await call.encode(await run());
      return { ...response, headers: { ...response.headers, 'X-More': '1' } };
    },
  };
  const run = (): unknown => reply(200, [1], { 'X-Tag': ['a', 'b'], 'X-Total': 3 });
  await serve(declareList(run, { use, responseHeaders: { 'X-Tag': schema('object') } }), async ({ port }) => {
    const { head, headers } = await send(port, LIST);
    assert.match(head, /X-Tag: a\r\nX-Tag: b\r\n/);
    assert.equal([headers.get('x-more'), headers.get('x-total')], ['1', '3']);
  });
});
sent('a 304 has them', async () => {
  await serve(declareList(() => reply(200, [1], { 'X-Total': 3, ETag: '"1"' })), async ({ port }) => {
    const { status, headers } = await send(port, message('GET', '/v1/pet', '', ['If-None-Match: "1"']));
    assert.equal([status, headers.get('x-total')], [304, '3']);
  });
});
sent('a 412 for a condition has none', async () => {
  await serve(declareList(() => reply(200, [1], { 'X-Total': 3, ETag: '"1"' })), async ({ port }) => {
    const { status, headers } = await send(port, message('GET', '/v1/pet', '', ['If-Match: "2"']));
    assert.equal([status, headers.get('x-total')], [412, undefined]);
  });
});
sent('CORS exposes them', async () => {
  await serve(declareList(() => reply(200, [1], { 'X-Total': 3 })), async ({ port }) => {
    const { headers } = await send(port, message('GET', '/v1/pet', '', ['Origin: https://app.example']));
    assert.match(headers.get('access-control-expose-headers') ?? '', /\bX-Total\b/);
  }, { cors: { origins: ['https://app.example'] } });
});
sent.run();

const wrong = suite('R13: a declared response header that is missing or wrong');
const MISSING = "the result has no header X-Total, but responseHeaders declares it: reply(200, body, { 'X-Total': … })";
const WRONG = 'the header X-Total does not match responseHeaders';
const late = { responseHeaders: { 'X-Total': schema('number', { isLate: true }) } };
for (const [what, run, options, text] of [
  ['a plain result', () => [1], {}, MISSING],
  ['a reply without it', () => reply(200, [1], { 'X-Other': 3 }), {}, MISSING],
  ['a reply without it, later', () => reply(200, [1]), late, MISSING],
  ['a function, which always needs a value', () => [1], { responseHeaders: { 'X-Total': (value: unknown) => value } }, MISSING],
  ['a string as a number', () => reply(200, [1], { 'X-Total': '3' }), {}, `${WRONG}: Bad arguments: must be a number`],
  ['a string as a number, later', () => reply(200, [1], { 'X-Total': '3' }), late, WRONG],
  ['a value that no header can have', () => reply(200, [1], { 'X-Total': 3 }), { responseHeaders: { 'X-Total': () => ({}) } }, 'header X-Total must be a string: object'],
  ['a line break', () => reply(200, [1], { 'X-Total': 3 }), { responseHeaders: { 'X-Total': () => 'a\r\nX-Injected: b' } }, 'header X-Total must have only printable ASCII'],
] as const) {
  wrong(`${what}: 500, logged`, async () => {
    await serve(declareList(run, options), async ({ port, errors }) => {
      const response = await send(port, LIST);
      assert.equal(readProblem(response), { type: 'about:blank', title: 'Internal Server Error', status: 500 });
      assert.not.match(response.head, /injected/i);
      assert.ok(errors[0]?.message.includes(text), errors[0]?.message);
    });
  });
}
for (const [when, options] of [['at once', {}], ['later', late]] as const) {
  wrong(`a stream as the body is closed, ${when}`, async () => {
    const stream = Readable.from(['a']);
    await serve(declareList(() => reply(200, stream), options), async ({ port, errors }) => {
      assert.is((await send(port, LIST)).status, 500);
      assert.is(errors.length, 1);
    });
    assert.ok(stream.destroyed);
  });
}
wrong.run();

const rejected = suite('R13: responseHeaders that are rejected');
for (const [responseHeaders, text] of [
  [7, 'endpoint.list.responseHeaders must be an object: 7'],
  [{ 'X-Total': 7 }, "endpoint.list.responseHeaders.X-Total must be a Standard Schema such as Zod's, or a function: number"],
  [{ 'a b': String }, 'header name is not valid: "a b"'],
  [{ 'X-A': String, 'x-a': String }, 'header x-a occurs twice'],
  [{ 'Content-Type': String }, 'header Content-Type cannot be set: the server sets it'],
  [{ Connection: String }, 'header Connection cannot be set: the server sets it'],
] as const) {
  rejected(`${JSON.stringify(responseHeaders)}: TypeError`, () => {
    const declare = (): unknown => new ApiServer('').registerEndpoint('/pet', { id: integerId, list: { responseHeaders, run: () => 1 } } as never);
    assert.throws(declare, (thrown: unknown) => thrown instanceof TypeError && thrown.message.includes(text));
  });
}
rejected.run();

const described = suite('R13: declared response headers in a document and a client');
described('each success of the document has them, and no other response', () => {
  const server = new ApiServer('/v1');
  const total = makeJsonSchema({ type: 'integer' });
  declareList(() => 1, { output: { 200: makeJsonSchema({ type: 'array' }), 206: null, 303: null }, responseHeaders: { 'X-Total': schema('number'), 'X-All': total } })(server);
  const { paths } = openApi(server, { info: { title: 'a', version: '1' }, onWarning: () => {} } as never) as any;
  const { responses } = paths['/pet']?.get ?? paths['/v1/pet'].get;
  assert.equal(responses[200].headers['X-Total'].required, true);
  assert.equal(responses[200].headers['X-All'].schema, { type: 'integer' });
  assert.equal(Object.keys(responses[206].headers), ['X-Total', 'X-All']);
  assert.equal(Object.keys(responses[303].headers), ['Location']);
});
described('a header that may be missing is not required', () => {
  const server = new ApiServer('/v1');
  declareList(() => 1, { output: makeJsonSchema({ type: 'array' }), responseHeaders: {
    'X-A': schema('number', { isOptional: true }), 'X-B': schema('number', { isLate: true }), 'X-C': (value: unknown) => value,
  } })(server);
  const { paths } = openApi(server, { info: { title: 'a', version: '1' }, onWarning: () => {} } as never) as any;
  const { headers } = (paths['/pet'] ?? paths['/v1/pet']).get.responses[200];
  assert.equal(Object.values(headers).map(({ required }: any) => required), [undefined, true, true]);
});
described('the result of a call with safe has headers, as they are on the wire', async () => {
  await serve(declareList(() => reply(200, [1], { 'X-Total': 3 })), async ({ url }) => {
    const result = await client<any>(`${url}/v1`)('/pet').list({ safe: true });
    assert.equal([result.ok, result.headers.get('X-Total'), result.headers.get('x-none')], [true, '3', null]);
  });
});
described.run();
