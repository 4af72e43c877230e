/** Which bodies are read, by their headers, however they are framed and split. */
import { bytes, defineEndpoint, stringId } from '../../../src/index.ts';
import { testDeliveries } from '../../support/deliveries.ts';
import { Zoo } from '../../support/zoo.ts';
import { assert, facts, message, readProblem, send, serve, suite } from '../../support/facts.ts';

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
