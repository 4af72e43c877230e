/** Keys in a header that the user names: which are accepted, and the challenges for the others. */
import { apiKey } from '../../src/auth/index.ts';
import { defineEndpoint, stringId } from '../../src/index.ts';
import { describeRejection, makeRequest } from '../support/auth-requests.ts';
import { assert, isTypeError, message, readProblem, send, serve, suite } from '../support/facts.ts';

const NEEDED = [401, 'ApiKey realm="api"', 'The request needs an API key.'] as const;
const INVALID = [401, 'ApiKey realm="api"', 'The API key is not valid.'] as const;

const keys = suite('U3 U5: an API key');
for (const name of ['X-API-Key', 'x-api-key', 'X-API-KEY']) {
  keys(`is read from ${name}, in any case, and the result of verify is the context`, async () => {
    const request = makeRequest('Host', 'a', name, 'k1 +/"');
    const seen: unknown[] = [];
    assert.is(apiKey('X-Api-Key', (...values) => (seen.push(...values), 'ann'))(request), 'ann');
    assert.is(await apiKey('x-api-key', async () => 'ann')(request), 'ann');
    assert.equal(seen, ['k1 +/"', request]);
  });
}
for (const [why, headers] of [
  ['no header', []],
  ['an empty one', ['X-API-Key', '']],
  ['another one', ['Authorization', 'ApiKey k1']],
] as const) {
  keys(`${why} -> 401; verify is not asked`, async () => {
    assert.equal(await describeRejection(() => apiKey('X-API-Key', () => { throw new Error('asked'); })(makeRequest(...headers))), NEEDED);
  });
}
for (const value of [undefined, null, false]) {
  keys(`verify returns or resolves to ${String(value)} -> 401`, async () => {
    assert.equal(await describeRejection(() => apiKey('X-API-Key', () => value)(makeRequest('X-API-Key', 'k1'))), INVALID);
    assert.equal(await describeRejection(() => apiKey('X-API-Key', async () => value)(makeRequest('X-API-Key', 'k1'))), INVALID);
  });
}
keys('two header lines: 400, since proxies differ on which of them counts', async () => {
  const both = makeRequest('X-API-Key', 'k1', 'x-api-key', 'k2');
  const expected = [400, 'ApiKey realm="api"', 'The request has more than one API key.'];
  assert.equal(await describeRejection(() => apiKey('X-API-Key', (key) => key)(both)), expected);
});
keys('optional: without the header the context is undefined, an empty one is rejected', async () => {
  const optional = apiKey('X-API-Key', () => 1, { optional: true });
  assert.is(optional(makeRequest()), undefined);
  assert.is((await describeRejection(() => optional(makeRequest('X-API-Key', ''))))[1], 'ApiKey realm="api"');
});
for (const [header, name] of [['X-API-Key', 'apiKey-X-API-Key'], ["x.!#'y", 'apiKey-x.___y']] as const) {
  keys(`security names ${header}, as OpenAPI has it`, () => {
    assert.equal(apiKey(header, () => 1).security, { name, scheme: { type: 'apiKey', in: 'header', name: header } });
  });
}
for (const [header, text] of [
  ['', 'header name is not valid: ""'],
  ['X Key', 'header name is not valid: "X Key"'],
  ['Connection', 'header Connection cannot be set: the server sets it'],
] as const) {
  keys(`${text} -> TypeError`, () => assert.throws(() => apiKey(header, () => 1), isTypeError(text)));
}

const wire = suite('U3: API keys on the wire');
wire('401 with a challenge, then the result of the operation; no response has the key', async () => {
  const key = apiKey('X-API-Key', (given) => given === 'secret');
  const whoAmI = defineEndpoint({ id: stringId, get: (_id, request) => key(request) });
  await serve((server) => server.registerEndpoint('/me', whoAmI), async ({ port }) => {
    for (const [headers, status] of [[[], 401], [['X-API-Key: other-secret'], 401], [['x-api-key: secret'], 200]] as const) {
      const response = await send(port, message('GET', '/v1/me/1', '', headers));
      assert.is(response.status, status);
      assert.not.match(response.head + response.body, /secret/);
      if (status === 200) continue;
      assert.is(readProblem(response).status, 401);
      assert.is(response.headers.get('www-authenticate'), 'ApiKey realm="api"');
    }
  });
});
