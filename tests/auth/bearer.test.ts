/** Bearer tokens: which are verified, and the challenge of each rejection (RFC 6750 section 3). */
import { bearer } from '../../src/auth/index.ts';
import { ApiError, defineEndpoint, stringId } from '../../src/index.ts';
import { describeRejection, makeRequest } from '../support/auth-requests.ts';
import { assert, isTypeError, message, readProblem, send, serve, suite } from '../support/facts.ts';

const NEEDED = [401, 'Bearer realm="api"', 'The request needs a bearer token.'] as const;
const MALFORMED = [400, 'Bearer realm="api", error="invalid_request"', 'The Authorization header is malformed.'] as const;
const INVALID = [401, 'Bearer realm="api", error="invalid_token"', 'The token is not valid.'] as const;

const accepted = suite('U1: a bearer token that is verified');
for (const [header, token] of [
  ['Bearer abc', 'abc'],
  ['bearer abc', 'abc'],
  ['BEARER   abc', 'abc'],
  ['Bearer a.b-c_d~e+f/g==', 'a.b-c_d~e+f/g=='],
  ['Bearer eyJh.eyJz.c2ln', 'eyJh.eyJz.c2ln'],
] as const) {
  for (const name of ['Authorization', 'authorization', 'AUTHORIZATION']) {
    accepted(`${name}: ${header} -> ${token}, and the result of verify is the context`, async () => {
      const request = makeRequest('Host', 'a', name, header);
      const seen: unknown[] = [];
      const user = { name: 'ann' };
      assert.is(bearer((...values) => (seen.push(...values), user))(request), user);
      assert.is(await bearer(async () => user)(request), user);
      assert.equal(seen, [token, request]);
    });
  }
}
for (const value of [0, '', true, NaN, [], {}]) {
  accepted(`the context can be ${JSON.stringify(value)}`, async () => {
    assert.equal(bearer(() => value)(makeRequest('Authorization', 'Bearer a')), value);
    assert.equal(await bearer(async () => value)(makeRequest('Authorization', 'Bearer a')), value);
  });
}
accepted('an error of verify is rethrown', async () => {
  const thrown = ApiError.status(403, 'Not you.');
  const request = makeRequest('Authorization', 'Bearer a');
  assert.is(await captureRejection(() => bearer(() => { throw thrown; })(request)), thrown);
  assert.is(await captureRejection(() => bearer(async () => { throw thrown; })(request)), thrown);
});

const rejections = suite('U1 U4: a request without a valid bearer token');
for (const [why, headers, expected] of [
  ['no Authorization', [], NEEDED],
  ['an empty one', ['Authorization', ''], NEEDED],
  ['another scheme', ['Authorization', 'Basic YTpi'], NEEDED],
  ['a scheme that only begins with it', ['Authorization', 'BearerX abc'], NEEDED],
  ['another header', ['X-Authorization', 'Bearer abc'], NEEDED],
  ['no token', ['Authorization', 'Bearer'], MALFORMED],
  ['two tokens', ['Authorization', 'Bearer abc def'], MALFORMED],
  ['a tab before the token', ['Authorization', 'Bearer\tabc'], MALFORMED],
  ['a character that no token has', ['Authorization', 'Bearer a"c'], MALFORMED],
  ['a = in the middle', ['Authorization', 'Bearer a=c'], MALFORMED],
  ['a token outside of ASCII', ['Authorization', 'Bearer \xe4'], MALFORMED],
  ['two header lines', ['Authorization', 'Bearer abc', 'authorization', 'Bearer def'], MALFORMED],
  ['two header lines of other schemes', ['Authorization', 'Basic YTpi', 'authorization', 'Bearer def'], NEEDED],
] as const) {
  rejections(`${why} -> ${expected[0]}, ${expected[1]}; verify is not asked`, async () => {
    assert.equal(await describeRejection(() => bearer(() => { throw new Error('asked'); })(makeRequest(...headers))), expected);
  });
}
for (const value of [undefined, null, false]) {
  rejections(`verify returns or resolves to ${String(value)} -> 401, invalid_token`, async () => {
    const request = makeRequest('Authorization', 'Bearer abc');
    assert.equal(await describeRejection(() => bearer(() => value)(request)), INVALID);
    assert.equal(await describeRejection(() => bearer(async () => value)(request)), INVALID);
    assert.equal(await describeRejection(() => bearer(() => value, { optional: true })(request)), INVALID);
  });
}
for (const [why, make] of [
  ['of = alone', (count: number) => `Bearer ${'='.repeat(count)}`],
  ['of spaces alone', (count: number) => `Bearer${' '.repeat(count)}`],
  ['of a token and something behind it', (count: number) => `Bearer ${'a'.repeat(count)}"`],
  ['of a token and many =', (count: number) => `Bearer a${'='.repeat(count)}"`],
] as const) {
  // A pattern that tries again at each character would take hours.
  rejections(`ten million characters ${why} -> 400`, async () => {
    assert.equal(await describeRejection(() => bearer(() => 1)(makeRequest('Authorization', make(10_000_000)))), MALFORMED);
  });
}

const OPEN_ID = 'https://login.example/.well-known/openid-configuration';

const options = suite('U4 U5: the options of bearer');
options('optional: without the header the context is undefined, anything else is checked', async () => {
  const optional = bearer(() => 1, { optional: true });
  assert.is(optional(makeRequest()), undefined);
  assert.is(optional(makeRequest('Authorization', 'Bearer a')), 1);
  assert.equal(await describeRejection(() => optional(makeRequest('Authorization', 'Basic a'))), NEEDED);
  assert.equal(await describeRejection(() => optional(makeRequest('Authorization', 'Bearer'))), MALFORMED);
  assert.equal(await describeRejection(() => bearer(() => 1, { optional: false })(makeRequest())), NEEDED);
});
for (const [verify, given, text] of [
  [undefined, {}, 'verify must be a function: undefined'],
  [() => 1, null, 'options must be an object: null'],
  [() => 1, 'zoo', 'options must be an object: zoo'],
  [() => 1, { optonal: true },
    'unknown option options.optonal: did you mean optional? It can be one of optional, getScopes, isInvalid, openIdConnectUrl, resource'],
  [() => 1, { optional: 1 }, 'options.optional must be a boolean: 1'],
  [() => 1, { openIdConnectUrl: '/openid' }, 'options.openIdConnectUrl must be a URL that begins with https:// or http://: "/openid"'],
  [() => 1, { resource: {} }, "options.resource.authorizationServers is required: ['https://login.example']"],
] as const) {
  options(`${text} -> TypeError`, () => {
    const make = bearer as (...values: unknown[]) => unknown;
    assert.throws(() => make(verify, given), isTypeError(text));
  });
}
options('security is as OpenAPI has it', () => assert.equal(bearer(() => 1).security, { name: 'bearer', scheme: { type: 'http', scheme: 'bearer' } }));
options('security names the way to a token', () => {
  assert.equal(bearer(() => 1, { openIdConnectUrl: OPEN_ID }).security, { name: 'openIdConnect', scheme: { type: 'openIdConnect', openIdConnectUrl: OPEN_ID } });
  const resource = { authorizationServers: ['https://login.example'] } as const;
  assert.equal(bearer(() => 1, { resource }).security, { name: 'bearer', scheme: { type: 'http', scheme: 'bearer' }, resource });
});

const wire = suite('U1: bearer tokens on the wire');
const tokens = bearer(async (token) => {
  if (token === 'broken-secret') throw new Error('the store is down');
  return token === 'secret' ? 'ann' : undefined;
});
const whoAmI = defineEndpoint({ id: stringId, get: (_id, request) => tokens(request), delete: async (_id, request) => void (await tokens(request)) });
for (const [header, status, challenge] of [
  [undefined, 401, 'Bearer realm="api"'],
  ['Bearer wrong-secret', 401, 'Bearer realm="api", error="invalid_token"'],
  ['Bearer wrong secret', 400, 'Bearer realm="api", error="invalid_request"'],
  ['Bearer broken-secret', 500, undefined],
] as const) {
  wire(`${header ?? 'no token'} -> ${status}, and no response or log has the token`, async () => {
    await serve((server) => server.registerEndpoint('/me', whoAmI), async ({ port, errors }) => {
      for (const method of ['GET', 'DELETE']) {
        const response = await send(port, message(method, '/v1/me/1', '', header === undefined ? [] : [`Authorization: ${header}`]));
        assert.is(readProblem(response).status, status);
        assert.is(response.headers.get('www-authenticate'), challenge);
        assert.not.match(response.head + response.body, /secret/);
      }
      assert.not.match(errors.map((error) => `${String(error.stack)} ${String(error.cause)}`).join('\n'), /secret/);
    });
  });
}
wire('a valid token -> the result of the operation', () => serve((server) => server.registerEndpoint('/me', whoAmI), async ({ port }) => {
  assert.is((await send(port, message('GET', '/v1/me/1', '', ['Authorization: Bearer secret']))).body, '"ann"');
}));

async function captureRejection(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (thrown) {
    return thrown;
  }
  return undefined;
}
