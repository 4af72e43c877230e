/** The headers that operations declare: what is sent, what is rejected, and what documents and clients have of them. */
import { Readable } from 'node:stream';
import { client } from '../../../src/client/index.ts';
import { ApiServer, created, integerId, problem, reply, type Interceptor, type StandardSchemaV1 } from '../../../src/index.ts';
import { ndjson } from '../../../src/formats/index.ts';
import { openApi } from '../../../src/openapi/index.ts';
import { makeJsonSchema } from '../../support/make-document.ts';
import { ask, assert, type Declare, facts, rejections, serve, suite } from '../../support/facts.ts';

/** A schema of one type, which may promise. */
function schema(type: string, { isOptional = false, isLate = false, change = (value: unknown): unknown => value } = {}): StandardSchemaV1<any> {
  const validate = (value: unknown): any => {
    const isRight = typeof value === type || (isOptional && value === undefined);
    const result = isRight ? { value: change(value) } : { issues: [{ message: `must be a ${type}` }] };
    return isLate ? Promise.resolve(result) : result;
  };
  return { '~standard': { version: 1, vendor: 'test', validate } };
}
const LIST = 'GET /v1/pet';
/** Serves one list. */
const declareList = (run: () => unknown, options: object = {}): Declare => (server) => {
  server.registerEndpoint('/pet', { id: integerId, list: { responseHeaders: { 'X-Total': schema('number') }, run, ...options } } as never);
};

const sent = suite('R13: declared response headers');
for (const [what, run, options, response] of [
  ['a number', () => reply(200, [1], { 'X-Total': 3 }), {}, '200 [1] | X-Total: 3'],
  ['a number, later', async () => reply(200, [1], { 'X-Total': 0 }), {}, '200 [1] | X-Total: 0'],
  ['a schema that promises', () => reply(200, [1], { 'X-Total': 3 }),
    { responseHeaders: { 'X-Total': schema('number', { isLate: true }) } }, '200 [1] | X-Total: 3'],
  ['a boolean', () => reply(200, [1], { 'X-Total': false }), { responseHeaders: { 'X-Total': schema('boolean') } }, '200 [1] | X-Total: false'],
  ['a string', () => reply(200, [1], { 'X-Total': 'a' }), { responseHeaders: { 'X-Total': schema('string') } }, '200 [1] | X-Total: a'],
  ['what the schema makes of it', () => reply(200, [1], { 'X-Total': 3 }),
    { responseHeaders: { 'X-Total': schema('number', { change: (value) => `n${String(value)}` }) } }, '200 [1] | X-Total: n3'],
  ['what a function makes of it', () => reply(200, [1], { 'X-Total': 3 }),
    { responseHeaders: { 'X-Total': (value: number) => value + 1 } }, '200 [1] | X-Total: 4'],
  ['a name in a different case', () => reply(200, [1], { 'x-total': 3 }), {}, '200 [1] | X-Total: 3'],
  ['one that may be missing', () => [1], { responseHeaders: { 'X-Total': schema('number', { isOptional: true }) } }, '200 [1]'],
  ['a default, of a plain result', () => [1],
    { responseHeaders: { 'X-Total': schema('number', { isOptional: true, change: () => 9 }) } }, '200 [1] | X-Total: 9'],
  ['with output', () => reply(200, [1], { 'X-Total': 3 }), { output: (value: unknown) => value }, '200 [1] | X-Total: 3'],
  ['with output that promises', () => reply(200, [1], { 'X-Total': 3 }), { output: async (value: unknown) => value }, '200 [1] | X-Total: 3'],
  ['with a format', () => reply(200, [1], { 'X-Total': 3 }), { output: ndjson((value: unknown) => value) },
    '200 application/x-ndjson 1\n | X-Total: 3 | Transfer-Encoding: chunked'],
  ['with a stream', () => reply(200, Readable.from(['a']), { 'X-Total': 3 }), {}, '200 application/octet-stream a | X-Total: 3 | Transfer-Encoding: chunked'],
] as const) {
  facts(sent, declareList(run, options), [[what, LIST, response]]);
}
const create = { input: (value: unknown) => value, responseHeaders: { 'X-Total': schema('number') }, run: () => created(7, undefined, { 'X-Total': 3 }) };
facts(sent, (server) => server.registerEndpoint('/pet', { id: integerId, create } as never),
  [['of created, beside its Location', 'POST /v1/pet 1', '201 | Location: /v1/pet/7 | X-Total: 3']]);
facts(sent, declareList(() => reply(303, undefined, { Location: '/' })), [['a redirect needs none', LIST, '303 | Location: /']]);
facts(sent, declareList(() => problem(409, 'no')), [['a problem needs none', LIST, '409 no']]);
const more: Interceptor = {
  around: async (call, run) => {
    const response = await call.encode(await run());
    return { ...response, headers: { ...response.headers, 'X-More': '1' } };
  },
};
facts(sent, declareList(() => reply(200, [1], { 'X-Tag': ['a', 'b'], 'X-Total': 3 }), { use: more, responseHeaders: { 'X-Tag': schema('object') } }), [
  ['a list of strings has several lines, and interceptors can add headers', LIST, '200 [1] | X-Total: 3 | X-Tag: a | X-Tag: b | X-More: 1'],
]);
facts(sent, declareList(() => reply(200, [1], { 'X-Total': 3, ETag: '"1"' })), [
  ['a 304 has them', `${LIST}\nIf-None-Match: "1"`, '304 | ETag: "1" | X-Total: 3'],
  ['a 412 for a condition has none', `${LIST}\nIf-Match: "2"`, '412 A condition of the request is not met.'],
]);
facts(sent, declareList(() => reply(200, [1], { 'X-Total': 3 })), [['CORS exposes them', `${LIST}\nOrigin: https://app.example`, '200 [1] | Access-Control-Allow-Origin: https://app.example | Access-Control-Expose-Headers: Location, ETag, Link, Retry-After, WWW-Authenticate, Allow, Accept-Ranges, Content-Range, X-Total | Vary: Origin | X-Total: 3']], { cors: { origins: ['https://app.example'] } });

const wrong = suite('R13: a declared response header that is missing or wrong');
const MISSING = "the result has no header X-Total, but responseHeaders declares it: reply(200, body, { 'X-Total': … })";
const NO_NUMBER = ': Bad arguments: must be a number';
const WRONG = 'the header X-Total does not match responseHeaders';
const late = { responseHeaders: { 'X-Total': schema('number', { isLate: true }) } };
for (const [what, run, options, text] of [
  ['a plain result', () => [1], {}, `${MISSING}${NO_NUMBER}`],
  ['a reply without it', () => reply(200, [1], { 'X-Other': 3 }), {}, `${MISSING}${NO_NUMBER}`],
  ['a reply without it, later', () => reply(200, [1]), late, `${MISSING}${NO_NUMBER}`],
  ['a function, which always needs a value', () => [1], { responseHeaders: { 'X-Total': (value: unknown) => value } }, MISSING],
  ['a string as a number', () => reply(200, [1], { 'X-Total': '3' }), {}, `${WRONG}${NO_NUMBER}`],
  ['a string as a number, later', () => reply(200, [1], { 'X-Total': '3' }), late, `${WRONG}${NO_NUMBER}`],
  ['a value that no header can have', () => reply(200, [1], { 'X-Total': 3 }),
    { responseHeaders: { 'X-Total': () => ({}) } }, 'header X-Total must be a string: object'],
  ['a line break', () => reply(200, [1], { 'X-Total': 3 }),
    { responseHeaders: { 'X-Total': () => 'a\r\nX-Injected: b' } }, 'header X-Total must have only printable ASCII'],
] as const) {
  facts(wrong, declareList(run, options), [[what, LIST, '500', `GET /v1/pet: Internal error: ${text}`]]);
}
for (const [when, options] of [['at once', {}], ['later', late]] as const) {
  wrong(`a stream as the body is closed, ${when}`, async () => {
    const stream = Readable.from(['a']);
    await serve(declareList(() => reply(200, stream), options), async ({ port, errors }) => {
      assert.equal(await ask(port, [LIST]), ['500']);
      assert.is(errors.length, 1);
    });
    assert.ok(stream.destroyed);
  });
}

const rejected = suite('R13: responseHeaders that are rejected');
for (const [responseHeaders, text] of [
  [7, 'endpoint.list.responseHeaders must be an object: 7'],
  [{ 'X-Total': 7 }, "endpoint.list.responseHeaders.X-Total must be a Standard Schema such as Zod's, or a function: number"],
  [{ 'a b': String }, 'header name is not valid: "a b"'],
  [{ 'X-A': String, 'x-a': String }, 'header x-a occurs twice'],
  [{ 'Content-Type': String }, 'header Content-Type cannot be set: the server sets it'],
  [{ Connection: String }, 'header Connection cannot be set: the server sets it'],
] as const) {
  rejections(rejected, [['', () => new ApiServer('').registerEndpoint('/pet', { id: integerId, list: { responseHeaders, run: () => 1 } } as never), text]]);
}

const described = suite('R13: declared response headers in a document and a client');
described('each success of the document has them, and no other response', () => {
  const server = new ApiServer('/v1');
  const total = makeJsonSchema({ type: 'integer' });
  declareList(() => 1, { output: { 200: makeJsonSchema({ type: 'array' }), 206: null, 303: null }, responseHeaders: { 'X-Total': schema('number'), 'X-All': total } })(server);
  const { paths } = openApi(server, { info: { title: 'a', version: '1' } }) as any;
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
  const { paths } = openApi(server, { info: { title: 'a', version: '1' } }) as any;
  const { headers } = (paths['/pet'] ?? paths['/v1/pet']).get.responses[200];
  assert.equal(Object.values(headers).map(({ required }: any) => required), [undefined, true, true]);
});
described('the result of a call with safe has headers, as they are on the wire', () => serve(declareList(() => reply(200, [1], { 'X-Total': 3 })), async ({ url }) => {
  const result = await client<any>(`${url}/v1`)('/pet').list({ safe: true });
  assert.equal([result.ok, result.headers.get('X-Total'), result.headers.get('x-none')], [true, '3', null]);
}));
