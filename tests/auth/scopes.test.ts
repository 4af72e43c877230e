/** Scopes of callers, and contexts of several schemes. */
import { apiKey, basic, bearer, firstOf } from '../../src/auth/index.ts';
import { toRejection, isApiError } from '../../src/errors/api-error.ts';
import { ApiError, ApiServer, type ContextRequest, stringId } from '../../src/index.ts';
import { makeRequest } from '../support/auth-requests.ts';
import { assert, message, readProblem, send, serve, suite } from '../support/facts.ts';

interface User {
  readonly name: string;
  readonly scopes: readonly string[];
}

const users: Readonly<Record<string, User>> = {
  ann: { name: 'ann', scopes: ['pet:read', 'pet:write'] },
  bob: { name: 'bob', scopes: ['pet:read'] },
};
const byToken = bearer((token) => users[token], { getScopes: (user) => user.scopes });
const byKey = apiKey('X-API-Key', (key) => users[key], { getScopes: () => ['pet:read'] });

/** Status, challenges and detail of a rejection. */
function readRejection(call: () => unknown): readonly [number, string | undefined, string | undefined] {
  try {
    call();
  } catch (thrown) {
    assert.ok(isApiError(thrown), String(thrown));
    const { problem, headers } = toRejection(thrown);
    return [problem.status, headers.filter((_, at) => headers[at - 1] === 'WWW-Authenticate').join(' | ') || undefined, problem.detail];
  }
  throw new Error('nothing was rejected');
}

const several = suite('U8: firstOf');
const either = firstOf(byToken, byKey);
for (const [why, headers, name] of [
  ['the first', ['Authorization', 'Bearer ann'], 'ann'],
  ['the second', ['X-API-Key', 'bob'], 'bob'],
  ['the first of both', ['X-API-Key', 'bob', 'Authorization', 'Bearer ann'], 'ann'],
  ['the second beside a scheme that is none of them', ['Authorization', 'Digest x', 'X-API-Key', 'bob'], 'bob'],
] as const) {
  several(`takes ${why}`, () => assert.is((either(makeRequest(...headers)) as User).name, name));
}
for (const [why, headers, expected] of [
  ['no credentials -> 401 with all challenges', [], [401, 'Bearer realm="api" | ApiKey realm="api"', 'The request needs a bearer token.']],
  ['a wrong token -> 401, and the key is not asked', ['Authorization', 'Bearer eve', 'X-API-Key', 'ann'],
    [401, 'Bearer realm="api", error="invalid_token"', 'The token is not valid.']],
  ['a malformed token -> 400', ['Authorization', 'Bearer a b', 'X-API-Key', 'ann'],
    [400, 'Bearer realm="api", error="invalid_request"', 'The Authorization header is malformed.']],
  ['an empty key -> 401', ['X-API-Key', ''], [401, 'Bearer realm="api" | ApiKey realm="api"', 'The request needs a bearer token.']],
] as const) {
  several(why, () => assert.equal(readRejection(() => either(makeRequest(...headers))), expected));
}
several('of one that is optional, and of another firstOf', () => {
  const all = firstOf(either, basic((name) => users[name], { optional: true }));
  assert.is(all(makeRequest()), undefined);
  assert.is((all(makeRequest('Authorization', `Basic ${btoa('bob:x')}`)) as User).name, 'bob');
  assert.equal((all.security as readonly { name: string }[]).map(({ name }) => name), ['bearer', 'apiKey-X-API-Key', 'basic']);
  assert.is(Object(all)[' internal'].checkScopes, undefined);
});
for (const [what, value] of [['undefined', undefined], ['an object', { security: {} }], ['a string', 'bearer']] as const) {
  several(`of ${what} -> TypeError`, () => {
    assert.throws(() => firstOf(byToken, value as never), (thrown: unknown) => {
      return thrown instanceof TypeError && thrown.message === 'firstOf takes functions for context, such as bearer(verify): argument 2';
    });
  });
}

const COOKIE = { name: 'session', scheme: { type: 'apiKey', in: 'cookie', name: 'session' } };
const sessionOf = ({ raw }: ContextRequest): User | undefined => {
  const [, name = ''] = /^session=(.*)$/.exec(raw.rawHeaders[raw.rawHeaders.indexOf('Cookie') + 1] ?? '') ?? [];
  if (name === 'expired') throw ApiError.status(419, 'The session is over.');
  return users[name];
};
const own = suite('U8: firstOf with a function that is not of restpoint/auth');
for (const [how, session] of [
  ['at once', sessionOf],
  ['later', async (request: ContextRequest) => sessionOf(request)],
  ['later, with null for nobody', async (request: ContextRequest) => sessionOf(request) ?? null],
  ['at once, with false for nobody', (request: ContextRequest) => sessionOf(request) ?? false as const],
] as const) {
  for (const [order, context] of [['first', firstOf(session, byToken, byKey)], ['last', firstOf(byToken, byKey, session)]] as const) {
    for (const [why, headers, expected] of [
      ['its credentials', ['Cookie', 'session=ann'], 'ann'],
      ['those of another', ['Authorization', 'Bearer bob'], 'bob'],
      ['both', ['Cookie', 'session=ann', 'Authorization', 'Bearer bob'], order === 'first' ? 'ann' : 'bob'],
      ['those of another, and none that it knows', ['Cookie', 'session=eve', 'X-API-Key', 'bob'], 'bob'],
    ] as const) {
      own(`that decides ${how} and is ${order} admits a caller with ${why}`, async () => assert.is((await context(makeRequest(...headers))).name, expected));
    }
    for (const [why, headers, expected] of [
      ['no credentials -> 401 with all challenges', [], [401, 'Bearer realm="api" | ApiKey realm="api"', 'The request needs a bearer token.']],
      ['none that anybody knows -> 401 with all challenges', ['Cookie', 'session=eve'],
        [401, 'Bearer realm="api" | ApiKey realm="api"', 'The request needs a bearer token.']],
      ['a wrong token -> 401', ['Authorization', 'Bearer eve'], [401, 'Bearer realm="api", error="invalid_token"', 'The token is not valid.']],
      ['what it throws for -> its error', ['Cookie', 'session=expired'], [419, undefined, 'The session is over.']],
    ] as const) {
      own(`that decides ${how} and is ${order} rejects ${why}`, async () => {
        const outcome = await Promise.resolve().then(() => context(makeRequest(...headers))).then(() => () => {}, (thrown: unknown) => () => { throw thrown; });
        assert.equal(readRejection(outcome), expected);
      });
    }
  }
}
own('is synchronous if all are', () => assert.is((firstOf(sessionOf, byToken)(makeRequest('Authorization', 'Bearer ann')) as User).name, 'ann'));
own('of functions without a challenge rejects with 403', () => {
  const context = firstOf(() => undefined, () => null);
  assert.equal(readRejection(() => context(makeRequest())), [403, undefined, 'The caller is not allowed to do this.']);
  assert.equal(readRejection(() => { throw context.unauthorized('Sign in.'); }), [403, undefined, 'Sign in.']);
  assert.is(context.security, undefined);
});
own('has its security beside those of the others', () => {
  const { security } = firstOf(byToken, Object.assign(() => 1, { security: COOKIE }), () => 2);
  assert.equal(security, [{ name: 'bearer', scheme: { type: 'http', scheme: 'bearer' } }, COOKIE]);
});
own('passes requests without credentials if one is optional', async () => {
  const context = firstOf(byToken.optional, async (request: ContextRequest) => sessionOf(request));
  assert.is(await context(makeRequest('Cookie', 'session=eve')), undefined);
  assert.is((await context(makeRequest('Cookie', 'session=ann')) as User).name, 'ann');
  assert.is(await firstOf(sessionOf, byToken).optional(makeRequest()), undefined);
});
own('knows no scopes', () => assert.is(Object(firstOf(byToken, sessionOf))[' internal'].checkScopes, undefined));
own('calls a function that copies the properties of an authentication, and not that authentication', () => {
  const banned = Object.assign((request: ContextRequest) => ((byToken(request) as User).name === 'bob' ? undefined : byToken(request)), byToken);
  assert.is(readRejection(() => firstOf(banned, byKey)(makeRequest('Authorization', 'Bearer bob')))[0], 401);
});
own('on the wire: a session or a token', () => serve((server) => {
  server.registerEndpoint('/me', { context: firstOf(byToken, async (request) => sessionOf(request)), get: ({ context }) => context.name });
}, async ({ port }) => {
  for (const [header, status, body] of [['Cookie: session=ann', 200, '"ann"'], ['Authorization: Bearer bob', 200, '"bob"'], ['Cookie: session=eve', 401, undefined]] as const) {
    const response = await send(port, message('GET', '/v1/me', undefined, [header]));
    assert.is(response.status, status);
    assert.is(response.headers.get('www-authenticate'), status === 401 ? 'Bearer realm="api"' : undefined);
    if (body !== undefined) assert.is(response.body, body);
  }
}));

const properties = suite('the properties of an authentication');
properties('optional lets requests without credentials pass, and no others', () => {
  assert.is(byToken.optional(makeRequest()), undefined);
  assert.is((byToken.optional(makeRequest('Authorization', 'Bearer ann')) as User).name, 'ann');
  for (const header of ['Bearer eve', 'Basic YTpi', '']) assert.is(readRejection(() => byToken.optional(makeRequest('Authorization', header)))[0], 401);
  assert.equal(byToken.optional.security, { name: 'bearer', scheme: { type: 'http', scheme: 'bearer' }, optional: true });
});
properties('unauthorized makes the 401, with a detail of the user', () => {
  assert.equal(readRejection(() => { throw byToken.unauthorized(); }), [401, 'Bearer realm="api"', 'The request needs a bearer token.']);
  assert.equal(readRejection(() => { throw either.unauthorized('Sign in first.'); }), [401, 'Bearer realm="api" | ApiKey realm="api"', 'Sign in first.']);
});
properties('isInvalid decides which errors of verify mean a wrong token: 401 with the cause; others are thrown on', async () => {
  const expired = new Error('jwt expired');
  const isInvalid = (thrown: unknown): boolean => thrown === expired;
  const request = makeRequest('Authorization', 'Bearer a');
  for (const verify of [() => { throw expired; }, async () => { throw expired; }]) {
    const thrown: any = await Promise.resolve().then(() => bearer(verify as () => never, { isInvalid })(request)).catch((error: unknown) => error);
    assert.is(thrown.status, 401);
    assert.is(thrown.cause, expired);
  }
  const down = new Error('the database is down');
  for (const verify of [() => { throw down; }, async () => { throw down; }]) {
    assert.is(await Promise.resolve().then(() => bearer(verify as () => never, { isInvalid })(request)).catch((error: unknown) => error), down);
  }
});

const scopes = suite('Q5: the scopes of an operation on the wire');
const declareScopes = (server: ApiServer): void => {
  server.registerEndpoint('/pet', {
    id: stringId, context: either, scopes: ['pet:read'], get: (id: string) => ({ id }),
    update: { scopes: ['pet:read', 'pet:write'], run: () => true }, delete: { scopes: [], run: () => true },
    custom: { open: { context: byToken.optional, run: () => 1 } },
  } as never);
};
for (const [method, path, header, status, challenge, detail] of [
  ['GET', '/v1/pet/1', 'Authorization: Bearer bob', 200, '', ''],
  ['PUT', '/v1/pet/1', 'Authorization: Bearer ann', 204, '', ''],
  ['PUT', '/v1/pet/1', 'Authorization: Bearer bob', 403,
    'Bearer realm="api", error="insufficient_scope", scope="pet:read pet:write"', 'The caller needs the scopes pet:read, pet:write.'],
  ['PUT', '/v1/pet/1', 'X-API-Key: ann', 403, '', 'The caller needs the scopes pet:read, pet:write.'],
  ['DELETE', '/v1/pet/1', 'X-API-Key: bob', 204, '', ''],
  ['POST', '/v1/pet/open', 'X-Other: 1', 401, 'Bearer realm="api"', 'The request needs a bearer token.'],
] as const) {
  scopes(`${method} ${path}, ${header} -> ${status}`, () => serve(declareScopes, async ({ port }) => {
    const { status: received, headers, body } = await send(port, message(method, path, undefined, [header]));
    assert.is(received, status);
    assert.is(headers.get('www-authenticate') ?? '', challenge);
    if (status >= 400) assert.is(readProblem({ status: received, headers, body } as never).detail, detail);
  }));
}
scopes('where the context knows none -> TypeError at registration', () => {
  const server = new ApiServer('/v1', { logger: { info: () => {}, error: () => {} } });
  for (const context of [undefined, () => 1, bearer(() => 1)]) {
    assert.throws(() => server.registerEndpoint('/pet', { id: stringId, context, get: { scopes: ['a'], run: () => 1 } } as never), (thrown: unknown) => {
      return thrown instanceof TypeError && thrown.message.startsWith('endpoint.get.scopes needs a context that knows the scopes of callers: ');
    });
  }
});
for (const [what, getScopes, logged] of [
  ['fails', () => { throw ApiError.internal('no scopes'); }, 'no scopes'],
  ['returns a number', () => 7 as never, 'the result of getScopes must be a list of strings: 7'],
] as const) {
  scopes(`a getScopes that ${what} -> 500, logged`, () => serve((server) => {
    const context = bearer((token) => users[token], { getScopes });
    server.registerEndpoint('/pet', { id: stringId, context, scopes: ['a'], get: (id: string) => id } as never);
  }, async ({ port, errors }) => {
    assert.is((await send(port, message('GET', '/v1/pet/1', undefined, ['Authorization: Bearer ann']))).status, 500);
    assert.is(errors.length, 1);
    assert.match(errors[0]?.message ?? '', logged);
  }));
}
