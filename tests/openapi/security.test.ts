/** Who may call an operation: the security of its endpoint's context. */
import { anyone, apiKey, basic, bearer, cookie, firstOf } from '../../src/auth/index.ts';
import { stringId } from '../../src/index.ts';
import { makeDocument, findOperation, run } from '../support/make-document.ts';
import { assert, suite } from '../support/facts.ts';

const requirements = suite('O20 U5: the security of an operation');
for (const [why, context, security] of [
  ['bearer', bearer(() => 1), [{ bearer: [] }]],
  ['basic', basic(() => 1), [{ basic: [] }]],
  ['apiKey', apiKey('X-API-Key', () => 1), [{ 'apiKey-X-API-Key': [] }]],
  ['firstOf', firstOf(bearer(() => 1), basic(() => 1)), [{ bearer: [] }, { basic: [] }]],
  ['firstOf with a session', firstOf(bearer(() => 1), Object.assign(() => 1, { security: { name: 'session', scheme: { type: 'apiKey', in: 'cookie', name: 'session' } } })), [{ bearer: [] }, { session: [] }]],
  ['firstOf with a function that has no security', firstOf(bearer(() => 1), () => 1), [{ bearer: [] }]],
  ['optional', bearer(() => 1).optional, [{ bearer: [] }, {}]],
  ['optional as an option', basic(() => 1, { optional: true }), [{ basic: [] }, {}]],
  ['a context without security', () => 1, undefined],
  ['anyone', anyone, []],
  ['firstOf with anyone', firstOf(bearer(() => 1), anyone), [{ bearer: [] }, {}]],
  ['firstOf of a session and anyone', firstOf(() => 1, anyone), undefined],
  ['no context', undefined, []],
] as const) {
  requirements(`${why} -> ${JSON.stringify(security)}, for each operation`, () => {
    const endpoint = { id: stringId, get: run, list: run };
    const document = makeDocument((server) => server.registerEndpoint('/pet', context === undefined ? endpoint : { ...endpoint, context: context as () => unknown }));
    for (const operationId of ['petGet', 'petList']) {
      assert.equal(findOperation(document, operationId).security, security);
      assert.is('security' in findOperation(document, operationId), security !== undefined);
    }
  });
}
requirements('of an operation with a context stands instead of that of the endpoint; scopes are of the nearest', () => {
  const signedIn = bearer(() => ({ scopes: ['a'] }), { getScopes: ({ scopes }) => scopes });
  const document = makeDocument((server) => server.registerEndpoint('/pet', {
    id: stringId, context: signedIn, scopes: ['pet:write'], get: { context: () => 1, scopes: [], run }, custom: { open: { context: anyone, scopes: [], run } }, list: { context: firstOf(signedIn, basic(() => 1, { getScopes: () => [] })), run },
    update: { scopes: ['a', 'b'], run }, delete: run,
  } as never));
  const securityOf = (operationId: string): unknown => findOperation(document, operationId).security;
  assert.equal(securityOf('petGet'), undefined);
  assert.equal(securityOf('petOpen'), []);
  assert.equal(securityOf('petList'), [{ bearer: ['pet:write'] }, { basic: ['pet:write'] }]);
  assert.equal(securityOf('petUpdate'), [{ bearer: ['a', 'b'] }]);
  assert.equal(securityOf('petDelete'), [{ bearer: ['pet:write'] }]);
});
for (const [name, options, scheme] of [
  ['openIdConnect', { openIdConnectUrl: 'https://a/openid' }, { type: 'openIdConnect', openIdConnectUrl: 'https://a/openid' }],
  ['bearer', { resource: { authorizationServers: ['https://a'] } }, { type: 'http', scheme: 'bearer' }],
] as const) {
  requirements(`of ${name} has the scopes of each operation, and the document has the scheme alone`, () => {
    const context = bearer(() => 1, { getScopes: () => ['read', 'write'], ...options });
    const document = makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, context, scopes: ['read'], get: run, delete: { scopes: ['write'], run: () => {} } }));
    assert.equal(findOperation(document, 'petGet').security, [{ [name]: ['read'] }]);
    assert.equal(findOperation(document, 'petDelete').security, [{ [name]: ['write'] }]);
    assert.equal(document.components?.securitySchemes, { [name]: scheme });
  });
}
requirements('of a cookie beside a token', () => {
  const context = firstOf(bearer(() => 1), cookie('__Host-session', () => 1));
  const document = makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, context, get: run }));
  assert.equal(findOperation(document, 'petGet').security, [{ bearer: [] }, { 'cookie-__Host-session': [] }]);
  assert.equal(document.components?.securitySchemes?.['cookie-__Host-session'], { type: 'apiKey', in: 'cookie', name: '__Host-session' });
});
requirements('may differ for two endpoints at one path', () => {
  const document = makeDocument((server) => {
    server.registerEndpoint('/pet', { id: stringId, get: run });
    server.registerEndpoint('/pet', { id: stringId, context: basic(() => 1), delete: run });
  });
  assert.equal(findOperation(document, 'petGet').security, []);
  assert.equal(findOperation(document, 'petDelete').security, [{ basic: [] }]);
});

const schemes = suite('the security schemes of a document');
schemes('are sorted, and each is there once', () => {
  const document = makeDocument((server) => {
    for (const [index, context] of [bearer(() => 1), apiKey('K', () => 1), bearer(() => 2), basic(() => 1)].entries()) {
      server.registerEndpoint(`/a${index}`, { id: stringId, context, get: run });
    }
  });
  assert.is(JSON.stringify(document.components?.securitySchemes), JSON.stringify({
    'apiKey-K': { type: 'apiKey', in: 'header', name: 'K' },
    basic: { type: 'http', scheme: 'basic' },
    bearer: { type: 'http', scheme: 'bearer' },
  }));
});
schemes('can have any name that a component can', () => {
  for (const name of ['constructor', '__proto__', 'a.b-c_1']) {
    const context = Object.assign(() => 1, { security: { name, scheme: { type: 'http', scheme: 'bearer' } } });
    const document = makeDocument((server) => server.registerEndpoint('/a', { id: stringId, context, get: run }));
    assert.equal(Object.entries(document.components?.securitySchemes ?? {}), [[name, { type: 'http', scheme: 'bearer' }]]);
  }
});
schemes('of one name and two contents -> TypeError with both', () => {
  const context = (scheme: object): (() => number) => Object.assign(() => 1, { security: { name: 'key', scheme } });
  const declare = (other: object): unknown => makeDocument((server) => {
    server.registerEndpoint('/a', { id: stringId, context: context({ type: 'http', scheme: 'bearer' }), get: run });
    server.registerEndpoint('/b', { id: stringId, context: context(other), get: run });
  });
  declare({ scheme: 'bearer', type: 'http' });
  assert.throws(
    () => declare({ type: 'http', scheme: 'basic' }),
    (thrown: unknown) => thrown instanceof TypeError
      && thrown.message === 'security scheme key is declared twice, as {"type":"http","scheme":"bearer"} and as {"type":"http","scheme":"basic"}',
  );
});
for (const security of [null, 7, {}, { name: 'a' }, { name: 'a b', scheme: {} }, { name: 'a', scheme: 'bearer' }, { name: 'a', scheme: null }]) {
  schemes(`a security ${JSON.stringify(security)} -> TypeError`, () => {
    const context = Object.assign(() => 1, { security }) as () => number;
    assert.throws(
      () => makeDocument((server) => server.registerEndpoint('/a', { id: stringId, context, get: run })),
      (thrown: unknown) => thrown instanceof TypeError && thrown.message.startsWith('endpoint.context.security must be { name, scheme }'),
    );
  });
}
