/** Which bodies are read, by their headers, however they are framed and split. */
import { readAll } from '../../../src/formats/index.ts';
import { ApiServer, bytes, defineEndpoint, type Interceptor, type StandardSchemaV1, stringId } from '../../../src/index.ts';
import { testDeliveries } from '../../support/deliveries.ts';
import { findOperation, makeDocument, makeJsonSchema } from '../../support/make-document.ts';
import { Zoo } from '../../support/zoo.ts';
import { assert, type Declare, facts, message, readProblem, send, serve, suite } from '../../support/facts.ts';

const types = suite('B1 B2: Content-Type');
for (const type of [
  'application/json',
  'APPLICATION/Json',
  'application/json; charset=utf-8',
  'application/json;charset=UTF-8',
  'application/json ; charset="utf-8"',
  'application/json; Charset="Utf-8"',
  'application/json;',
  'application/json; version=1',
  'application/merge-patch+json',
  'application/vnd.zoo.pet+json; charset=utf-8',
]) {
  testDeliveries(types, `${type} is read as JSON`, { headers: [`Content-Type: ${type}`] }, 201);
}
testDeliveries(types, 'none is read as JSON', {}, 201);
const UNREAD_TYPES = [
  'text/plain',
  'text/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=json',
  'application/jsonp',
  'application/json; charset=latin1',
  'application/json; charset=utf-16',
  'application/json; charset=',
  'application/json; charset=utf-8; charset=latin1',
  'application/json charset=utf-8',
  'application/json, text/plain',
  'application',
  'json',
  '+json',
  '/json',
  '*/*',
  '',
];
for (const type of UNREAD_TYPES) {
  testDeliveries(types, `"${type}" is not read`, { headers: [`Content-Type: ${type}`] }, 415, (response) => {
    assert.is(readProblem(response).title, 'Unsupported Media Type');
  });
}
types('text/plain without a body -> 415', async () => {
  const zoo = new Zoo();
  await serve(zoo.register, async ({ port }) => {
    readProblem(await send(port, message('POST', '/v1/pet', '', ['Content-Type: text/plain'])));
    assert.is(zoo.invoked, 0);
  });
});

const encodings = suite('B3: Content-Encoding');
for (const [encoding, status] of [
  ['identity', 201],
  ['Identity', 201],
  ['gzip', 415],
  ['br', 415],
  ['gzip, identity', 415],
  ['x-zoo', 415],
] as const) {
  testDeliveries(encodings, encoding, { headers: [`Content-Encoding: ${encoding}`] }, status);
}
facts(encodings, (server) => server.registerEndpoint('/item', defineEndpoint({
  id: stringId,
  schema: String,
  create: (name) => name,
  update: () => {},
  custom: { take: { input: bytes(), run: () => 'taken' } },
})), [
  ['415 says that the body must have none', 'PUT /v1/item/a {}\nContent-Encoding: gzip',
    '415 The body must have no Content-Encoding. | Accept-Encoding: identity'],
  ['415 says which coding is accepted (RFC 9110 section 12.5.3)', 'POST /v1/item "a"\nContent-Encoding: gzip',
    '415 The body must have no Content-Encoding. | Accept-Encoding: identity'],
  ['415 says which coding is accepted (RFC 9110 section 12.5.3)', 'POST /v1/item/take "a"\nContent-Encoding: gzip',
    '415 The body must have no Content-Encoding. | Accept-Encoding: identity'],
  ['415 of a different type does not', 'POST /v1/item "a"\nContent-Type: text/html',
    '415 The body must be application/json in UTF-8. | Accept: application/json | Accept-Post: application/json'],
]);

const partial = suite('B14: Content-Range');
const withHeader = (name: string): StandardSchemaV1<any, any> => makeJsonSchema({ type: 'object', properties: { [name]: { type: 'string' } } });
const declareParts: Declare = (server) => {
  const run = async (_id: unknown, body: any, { headers }: any): Promise<string> => {
    return `${headers['content-range']} ${Buffer.isBuffer(body) || typeof body === 'string' ? body.length : (await readAll(body)).length}`;
  };
  const headers = withHeader('content-range');
  const output = (range: unknown): unknown => range;
  server.registerEndpoint('/upload', { id: stringId, update: { input: bytes(), headers, output, limits: { bodyBytes: 5 }, run } } as never);
  server.registerEndpoint('/json', { id: stringId, update: { input: String, headers, output, run } } as never);
  server.registerEndpoint('/touch', { update: { headers, output, run: ({ headers: { 'content-range': range } }: any) => range } } as never);
  server.registerEndpoint('/other', { id: stringId, update: { input: bytes(), headers: withHeader('content-type'), run: assert.unreachable } } as never);
  server.registerEndpoint('/spelt', { id: stringId, update: { input: bytes(), headers: withHeader('Content-Range'), run: assert.unreachable } } as never);
  server.registerEndpoint('/unknown', { id: stringId, update: { input: bytes(), headers: Object, run: assert.unreachable } } as never);
  const use: Interceptor = { headers, around: (_call, next) => next() };
  server.registerEndpoint('/use', { id: stringId, update: { input: bytes(), use, run: assert.unreachable } } as never);
};
const PART = 'PUT /v1/upload/1 abc\nContent-Range:';
facts(partial, declareParts, [
  ['an operation with this header takes a part', `${PART} bytes 0-2/10`, '200 "bytes 0-2/10 3"'],
  ['as it is', `${PART} 0-2`, '200 "0-2 3"'],
  ['even several', `${PART} bytes 0-2/10\ncontent-range: bytes 3-5/10`, '200 "bytes 0-2/10, bytes 3-5/10 3"'],
  ['even an empty one', `${PART}`, '200 " 3"'],
  ['none of the bytes', 'PUT /v1/upload/1\nContent-Range: bytes */10', '200 "bytes */10 0"'],
  ['the whole', 'PUT /v1/upload/1 abc', '200 "undefined 3"'],
  ['not too much', 'PUT /v1/upload/1 abcdef\nContent-Range: bytes 0-5/10', '413 The body must not be longer than 5 bytes. | Connection: close'],
  ['JSON', 'PUT /v1/json/1 "abc"\nContent-Range: bytes 0-2/10', '200 "bytes 0-2/10 3"'],
  ['without a body', 'PUT /v1/touch abc\nContent-Range: bytes 0-2/10', '200 "bytes 0-2/10"'],
  ...['other', 'spelt', 'unknown', 'use'].map((path) => [
    'not one that does not decode it', `PUT /v1/${path}/1 abc\nContent-Range: bytes 0-2/10`,
    '400 A PUT replaces the whole item, and must not have a Content-Range.',
  ] as const),
]);
partial('a document has it', () => {
  const { parameters = [] } = findOperation(makeDocument(declareParts), 'uploadUpdate');
  assert.equal(parameters.map((each) => each.name), ['id', 'content-range']);

});
partial('by fetch', async () => {
  const server = new ApiServer('/v1');
  declareParts(server);
  const response = await server.fetch(new Request('http://a/v1/upload/1', { method: 'PUT', body: 'abc', headers: { 'Content-Range': 'bytes 0-2/10' } }));
  assert.is(await response.text(), '"bytes 0-2/10 3"');
});
const PARTIAL = '400 A PUT replaces the whole item, and must not have a Content-Range.';
facts(partial, (server) => {
  const update = (): never => assert.unreachable() as never;
  server.registerEndpoint('/item', defineEndpoint({ id: stringId, schema: String, create: (name) => name, get: (id) => id, update }));
  server.registerEndpoint('/file', { update: { input: bytes(), run: update } });
  server.registerEndpoint('/touch', { id: stringId, update: { run: update } });
}, [
  ['the operation is not invoked', 'PUT /v1/item/1 "a"\nContent-Range: bytes 0-2/10', PARTIAL],
  ['the operation is not invoked', 'PUT /v1/item/1 "a"\nContent-Range: bytes */10', PARTIAL],
  ['the operation is not invoked', 'PUT /v1/item/1 "a"\nContent-Range: ', PARTIAL],
  ['the operation is not invoked', 'PUT /v1/file abc\nContent-Range: bytes 0-2/10', PARTIAL],
  ['the operation is not invoked', 'PUT /v1/touch/1\nContent-Range: bytes 0-2/10', PARTIAL],
  ['ignored', 'POST /v1/item "a"\nContent-Range: bytes 0-2/10', '201 text a | Location: /v1/item/a'],
  ['ignored', 'GET /v1/item/1\nContent-Range: bytes 0-2/10', '200 "1"'],
]);
