/** Formats of a user: their parts, their types, and what is sent. */
import { acceptsType, chooseContentType, findFormat } from '../../src/declaration/format.ts';
import { bytes, defineFormat, reply, stringId, type ApiRequest, type ApiServer, type Decoding, type FormatParts } from '../../src/index.ts';
import { assert, isTypeError, message, readProblem, rejections, send, serve, suite } from '../support/facts.ts';

const encode = (value: unknown): string => String(value);

const parts = suite('F4: the parts of a format');
for (const [given, text] of [
  [{}, 'format must have decode or encode'],
  [{ types: ['image/png'] }, 'format must have decode or encode'],
  [{ encode: 1 }, 'format.encode must be a function: number'],
  [{ decode: 1 }, 'format.decode must be a function: number'],
  [{ encode, jsonSchema: {} }, 'format.jsonSchema must be a function: object'],
  [{ encode, types: 'text/csv' }, 'format.types must be a list of strings: text/csv'],
  [{ encode, types: ['csv'] }, 'a type must be a media type, such as image/png or image/*: "csv"'],
  [{ encode, headers: { 'A\n': 'b' } }, 'header name is not valid: "A\\n"'],
  [{ encode, headers: { Connection: 'close' } }, 'header Connection cannot be set: the server sets it'],
  [{ encode, type: 'text/csv' }, 'unknown option format.type: did you mean types? It can be one of types, decode, encode, headers, jsonSchema, isSequence'],
] as const) rejections(parts, [['', () => defineFormat(given as never), text]]);
parts('can be methods of an object', async () => {
  class Shout implements FormatParts<string, string> {
    readonly #end = '!';
    encode(value: string): string {
      return value + this.#end;
    }
  }
  assert.is(await defineFormat(new Shout()).encode?.('a', { stopping: new AbortController().signal }), 'a!');
});
parts('validate no JSON', () => {
  const { '~standard': { validate } } = defineFormat({ encode });
  assert.equal(validate(1), { issues: [{ message: 'a format can only be the input or the output of an operation' }] });
});
for (const [value, isOne] of [[defineFormat({ encode }), true], [bytes(), true], [String, false], [undefined, false], [null, false], [{}, false]] as const) {
  parts(`${String(value)} is ${isOne ? 'a' : 'no'} format`, () => assert.is(findFormat(value) !== undefined, isOne));
}

const types = suite('F1: the types of a format');
for (const [given, contentType, isAccepted] of [
  [['application/vnd.a+json'], 'application/vnd.a+json', true],
  [['application/vnd.a+json'], 'application/vnd.a+json; charset=utf-8', true],
  [['application/vnd.a+json'], 'application/vnd.a+json; charset=latin1', false],
  [['text/csv'], 'text/csv; charset=latin1', true],
  [['text/csv'], 'TEXT/CSV', true],
  [['text/csv'], 'text/csvx', false],
] as const) {
  types(`${given.join()}: ${contentType} is ${isAccepted ? 'accepted' : 'rejected'}`, () => assert.is(acceptsType({ types: given }, contentType), isAccepted));
}
for (const [given, type] of [
  [undefined, 'application/octet-stream'],
  [['image/*'], 'application/octet-stream'],
  [['image/*', 'image/png'], 'image/png'],
  [['text/csv', 'text/plain'], 'text/csv'],
] as const) {
  types(`${given?.join() ?? 'any'}: ${type} is sent`, () => assert.is(chooseContentType({ types: given }), type));
}

// The types of formats are the compile-only tests' matter.
const declareList = (properties: object) => (server: ApiServer): void => server.registerEndpoint('/pet', { id: stringId, list: properties } as never);
const stream = async function* (): AsyncGenerator<string> { yield* ['a', 'b']; };

const sent = suite('F3: what a format encodes');
for (const [what, format, result, contentType, body] of [
  ['text', { types: ['text/csv'], encode }, 1, 'text/csv', '1'],
  ['text of a JSON type, as it is', { types: ['application/vnd.a+json'], encode: () => '{ }' }, 1, 'application/vnd.a+json', '{ }'],
  ['bytes', { types: ['text/csv'], encode: () => Buffer.from('b') }, 1, 'text/csv', 'b'],
  ['a promise', { types: ['text/csv'], encode: async () => 'c' }, 1, 'text/csv', 'c'],
  ['a stream', { types: ['text/csv'], encode: () => stream() }, 1, 'text/csv', 'ab'],
  ['the body of a reply', { types: ['text/csv'], encode }, reply(200, 1), 'text/csv', '1'],
  ['a type of the reply', { types: ['text/csv'], encode }, reply(200, Buffer.from('b'), { 'Content-Type': 'text/plain' }), 'text/plain', 'b'],
] as const) {
  sent(`${what} -> ${contentType} ${body}`, () => serve(declareList({ output: defineFormat(format as FormatParts), run: () => result }), async ({ port }) => {
    const response = await send(port, message('GET', '/v1/pet'));
    assert.equal([response.status, response.headers.get('content-type'), response.body], [200, contentType, body]);
  }));
}
for (const [what, result, body] of [['a plain stream', () => stream(), 'ab'], ['bytes of a reply', () => reply(200, Buffer.from('c')), 'c'], ['a stream of a reply', () => reply(200, stream(), { 'Content-Length': '2' }), 'ab']] as const) {
  sent(`${what}, as bytes() says`, () => serve(declareList({ output: bytes({ types: ['text/csv'] }), run: result }), async ({ port }) => {
    const response = await send(port, message('GET', '/v1/pet'));
    assert.equal([response.status, response.body], [200, body]);
    assert.is(response.headers.get('content-type'), what === 'a plain stream' ? 'text/csv' : 'application/octet-stream');
  }));
}
sent('headers, of which those of a reply come first', async () => {
  const output = defineFormat({ encode, headers: { 'Cache-Control': 'no-store', 'X-A': 'b' } });
  await serve(declareList({ output, run: () => reply(200, 1, { 'cache-control': 'public' }) }), async ({ port }) => {
    const { headers } = await send(port, message('GET', '/v1/pet'));
    assert.equal([headers.get('cache-control'), headers.get('x-a')], ['public', 'b']);
  });
});
for (const [what, failing, text] of [
  ['throws', () => { throw new Error('no pack'); }, /no pack/],
  ['rejects', async () => { throw new Error('no pack'); }, /no pack/],
  ['gives a number', () => 1, /encode of a format must return bytes, a string, a stream or ranges: it returned number/],
  ['gives nothing', () => undefined, /encode of a format must return bytes, a string, a stream or ranges: it returned undefined/],
] as const) {
  sent(`by an encoder that ${what}: 500, logged`, async () => {
    await serve(declareList({ output: defineFormat({ encode: failing as never }), run: () => 1 }), async ({ port, errors }) => {
      assert.is((await send(port, message('GET', '/v1/pet'))).status, 500);
      assert.match(errors[0]?.message ?? '', text);
    });
  });
}

const read = suite('F2: what a format decodes');
const declareReader = (decode: (body: AsyncIterable<Uint8Array>, request: ApiRequest, decoding: Decoding) => unknown) => (server: ApiServer): void => {
  const input = defineFormat({ types: ['text/csv'], decode });
  server.registerEndpoint('/pet', { id: stringId, custom: { put: { input, run: (value: unknown) => value } } } as never);
};
for (const [what, decode, status, expected] of [
  ['gives a value', () => 7, 200, '7'],
  ['promises a value', async () => 7, 200, '7'],
  ['reads the request', (_body: unknown, { raw, route }: ApiRequest) => `${raw.headers['content-type']} ${route.path}`, 200, '"text/csv /v1/pet/put"'],
  ['throws', () => { throw new Error('no csv'); }, 400, 'Bad arguments: no csv'],
  ['rejects', async () => { throw new Error('no csv'); }, 400, 'Bad arguments: no csv'],
  ['gives nothing', () => undefined, 500, undefined],
] as const) {
  read(`by a decoder that ${what} -> ${status}`, () => serve(declareReader(decode), async ({ port, errors }) => {
    const response = await send(port, message('POST', '/v1/pet/put', 'a,b', ['Content-Type: text/csv']));
    assert.is(response.status, status);
    assert.is(status === 200 ? response.body : readProblem(response).detail, expected);
    assert.is(errors.length, status === 500 ? 1 : 0);
  }));
}
read('by a decoder that reads the options of the server', async () => {
  const decode = (_body: unknown, _request: unknown, decoding: Decoding): unknown => decoding;
  for (const options of [{ validationStatus: 400, uniqueKeys: false }, { validationStatus: 422, uniqueKeys: true }] as const) {
    await serve(declareReader(decode), async ({ port }) => {
      assert.equal(JSON.parse((await send(port, message('POST', '/v1/pet/put', 'a', ['Content-Type: text/csv']))).body), options);
    }, options);
  }
});
read('by a decoder that never settles: 503 by the deadline of the operation', async () => {
  const input = defineFormat({ decode: () => new Promise(() => {}) });
  const put = { input, run: () => 1, limits: { operationMs: 30 } };
  await serve((server) => server.registerEndpoint('/pet', { id: stringId, custom: { put } } as never), async ({ port, errors }) => {
    assert.is(readProblem(await send(port, message('POST', '/v1/pet/put', 'a'))).status, 503);
    assert.is(errors.length, 1);
  });
});

const places = suite('F4: a format where it is not allowed: TypeError');
for (const [endpoint, text] of [
  [{ custom: { put: { input: defineFormat({ encode }), run: encode } } }, 'endpoint.custom.put.input must be a format with decode: this one only encodes'],
  [{ list: { output: defineFormat({ decode: () => 1 }), run: encode } }, 'endpoint.list.output must be a format with encode: this one only decodes'],
  [{ list: { query: bytes(), run: encode } }, 'endpoint.list.query must be a schema or a function, not a format'],
  [{ list: { errors: { 409: bytes() }, run: encode } }, 'endpoint.list.errors.409 must be a schema or a function, not a format'],
] as const) {
  places(text, () => serve(() => {}, async ({ server }) => {
    const register = (): void => server.registerEndpoint('/pet', { id: stringId, ...endpoint } as never);
    assert.throws(register, isTypeError(text));
  }));
}
