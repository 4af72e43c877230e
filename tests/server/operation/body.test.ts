/** Which bodies are read, by their headers, however they are framed and split. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bytes, defineEndpoint, stringId } from '../../../src/index.ts';
import { testDeliveries } from '../../support/deliveries.ts';
import { message, readProblem } from '../../support/messages.ts';
import { send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';
import { Zoo } from '../../support/zoo.ts';

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
types.run();

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
encodings('415 says that the body must have none', async () => {
  await serve((server) => server.registerEndpoint('/item', { schema: String, update: () => {} }), async ({ port }) => {
    const response = await send(port, message('PUT', '/v1/item', '{}', ['Content-Type: application/json', 'Content-Encoding: gzip']));
    assert.equal([response.status, readProblem(response).detail], [415, 'The body must have no Content-Encoding.']);
  });
});
encodings('415 says which coding is accepted (RFC 9110 section 12.5.3); of a different type it does not', async () => {
  await serve((server) => server.registerEndpoint('/item', defineEndpoint({
    id: stringId,
    schema: String,
    create: (name) => name,
    custom: { take: { input: bytes(), run: () => 'taken' } },
  })), async ({ port }) => {
    for (const [path, field, accepted] of [
      ['/v1/item', 'Content-Encoding: gzip', 'identity'],
      ['/v1/item/take', 'Content-Encoding: gzip', 'identity'],
      ['/v1/item', 'Content-Type: text/html', undefined],
    ] as const) {
      const { status, headers } = await send(port, message('POST', path, '"a"', [field]));
      assert.equal([status, headers.get('accept-encoding')], [415, accepted]);
    }
  });
});
encodings.run();

const partial = suite('B14: Content-Range');
for (const [method, path, body, field, status] of [
  ['PUT', '/v1/item/1', '"a"', 'bytes 0-2/10', 400],
  ['PUT', '/v1/item/1', '"a"', 'bytes */10', 400],
  ['PUT', '/v1/item/1', '"a"', '', 400],
  ['PUT', '/v1/file', 'abc', 'bytes 0-2/10', 400],
  ['PUT', '/v1/touch/1', '', 'bytes 0-2/10', 400],
  ['POST', '/v1/item', '"a"', 'bytes 0-2/10', 201],
  ['GET', '/v1/item/1', '', 'bytes 0-2/10', 200],
] as const) {
  partial(`"${field}", ${method} ${path} -> ${status}${status === 400 ? ', and the operation is not invoked' : ''}`, async () => {
    let updates = 0;
    await serve((server) => {
      server.registerEndpoint('/item', defineEndpoint({ id: stringId, schema: String, create: (name) => name, get: (id) => id, update: () => void (updates += 1) }));
      server.registerEndpoint('/file', { update: { input: bytes(), run: () => void (updates += 1) } });
      server.registerEndpoint('/touch', { id: stringId, update: { run: () => void (updates += 1) } });
    }, async ({ port }) => {
      const response = await send(port, message(method, path, body, [`Content-Range: ${field}`]));
      assert.is(response.status, status);
      if (status === 400) assert.is(readProblem(response).detail, 'A PUT replaces the whole item, and must not have a Content-Range.');
      assert.is(updates, 0);
    });
  });
}
partial.run();
