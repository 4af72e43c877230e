/** E2: The server's own messages repeat no part of a request. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { defineEndpoint, integerId, stringId, uint64Id, uuidId, type ApiServer } from '../../../src/index.ts';
import { chunkedMessage, head, message } from '../../support/messages.ts';
import { send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';

const MARKER = 'xqzMarkerzqx';
// No message contains these digits. A number can have no other marker.
const DIGITS = '73190517391';

/** One endpoint for each codec, and one that accepts any JSON. */
function register(server: ApiServer): void {
  for (const [subpath, id] of [['/integer', integerId], ['/uint64', uint64Id], ['/uuid', uuidId]] as const) {
    server.registerEndpoint(subpath, { id: { parse: id.parse, format: String }, get: () => 'found' });
  }
  server.registerEndpoint('/thing', defineEndpoint({
    id: stringId,
    schema: (json: unknown) => json,
    create: () => 'made',
    list: { query: (query) => query, run: () => [] },
    get: () => 'found',
    update: () => {},
    custom: { count: { run: () => 0 } },
  }));
}

const HEADERS = [`X-${MARKER}: ${MARKER}`];
const post = (target: string, body: string, headers: readonly string[] = []): string => message('POST', target, body, [...HEADERS, ...headers]);
const get = (target: string, headers: readonly string[] = []): string => head('GET', target, [...HEADERS, ...headers]);

const strings = suite('a problem of the server\'s own');
for (const [why, sent, status] of [
  ['a path', get(`/v1/${MARKER}?${MARKER}`), 404],
  ['an id that is not an integer', get(`/v1/integer/${MARKER}`), 400],
  ['an id that is an integer too large', get(`/v1/integer/${DIGITS.repeat(3)}`), 400],
  ['an id that is not an integer of 64 bits', get(`/v1/uint64/${MARKER}`), 400],
  ['an id over 64 bits', get(`/v1/uint64/${DIGITS.repeat(3)}`), 400],
  ['an id that is not a UUID', get(`/v1/uuid/${MARKER}`), 400],
  ['a malformed id', get(`/v1/thing/${MARKER}%zz`), 400],
  ['a body that is not JSON', post('/v1/thing', MARKER), 400],
  ['an incomplete body', post('/v1/thing', `{"${MARKER}":"${MARKER}`), 400],
  ['a body that is not UTF-8', post('/v1/thing', `"${MARKER}\xff"`), 400],
  ['a body with text after it', post('/v1/thing', `"${MARKER}"${MARKER}`), 400],
  ['a number that is not exact', post('/v1/thing', `{"${MARKER}":${DIGITS.repeat(3)}}`), 400],
  ['a number beyond the range', post('/v1/thing', `{"${MARKER}":${DIGITS}e999}`), 400],
  ['a key named __proto__', post('/v1/thing', `{"${MARKER}":{"__proto__":"${MARKER}"}}`), 400],
  ['a query that is not encoded', get(`/v1/thing?${MARKER}=%ff`), 400],
  ['a Content-Type', post('/v1/thing', '1', [`Content-Type: text/${MARKER}`]), 415],
  ['a Content-Encoding', post('/v1/thing', '1', [`Content-Encoding: ${MARKER}`]), 415],
  ['a body that is too long', post('/v1/thing', `"${MARKER.repeat(10)}"`), 413],
  ['a chunked body that is too long', chunkedMessage('POST', '/v1/thing', `"${MARKER.repeat(10)}"`, HEADERS), 413],
  ['an expectation', get('/v1/thing/1', [`Expect: ${MARKER}`]), 417],
  ['a host', get('/v1/thing/1').replace('Host: a', `Host: ${MARKER}`), 421],
  ['an invalid host', get('/v1/thing/1').replace('Host: a', `Host: ${MARKER}@`), 400],
  ['a second host', get('/v1/thing/1', [`Host: ${MARKER}`]), 400],
  ['the authority of a target', get(`http://${MARKER}/v1/thing/1`), 421],
  ['the fragment of a target', get(`/v1/thing/1#${MARKER}`), 400],
  ['a target of a different form', get(MARKER), 400],
  ['a length', get('/v1/thing/1', [`Content-Length: ${MARKER}`]), 400],
  ['a transfer coding', get('/v1/thing/1', [`Transfer-Encoding: ${MARKER}`]), 501],
  ['a transfer coding before chunked', get('/v1/thing/1', [`Transfer-Encoding: ${MARKER}, chunked`]), 501],
  ['a method', get('/v1/thing/1').replace('GET', MARKER), 501],
  ['a version', get('/v1/thing/1').replace('HTTP/1.1', `HTTP/${MARKER}`), 400],
  ['a header line without a colon', get('/v1/thing/1', [MARKER]), 400],
  ['a head that is too long', get('/v1/thing/1', [`X-Long: ${MARKER.repeat(2000)}`]), 431],
  ['a chunk without a size', `${head('POST', '/v1/thing', ['Transfer-Encoding: chunked'])}${MARKER}\r\n`, 400],
] as const) {
  strings(`about ${why} -> ${status}, and does not repeat any of it`, async () => {
    await serve(register, async ({ port, errors }) => {
      const response = await send(port, sent);
      assert.is(response.status, status, response.body);
      assert.is(errors.length, status === 421 ? 1 : 0);
      assert.is(response.headers.get('content-type'), 'application/problem+json');
      assert.match(response.body, /"detail":"[^"]/);
      // A pointer has the names that lead to a value, and never the value.
      const body = response.body.replaceAll(/,"pointer":"[^"]*"/g, '');
      assert.not.match(response.head + body, new RegExp(`xqz|${DIGITS}`, 'i'));
      assert.not.match(response.body, new RegExp(DIGITS));
    }, { limits: { bodyBytes: 100 }, allowedHosts: ['a'] });
  });
}
strings.run();
