/** Contexts: how they identify the caller, and the responses to those who are rejected. */
import { Readable } from 'node:stream';
import { ApiError, ApiServer, integerId, reply, stringId, type ContextRequest } from '../../../src/index.ts';
import { anyone, bearer, firstOf } from '../../../src/auth/index.ts';
import { mcpHandler } from '../../../src/mcp/index.ts';
import { ask, assert, check, type FactOptions, facts, isTypeError, message, send, serve, suite } from '../../support/facts.ts';

const REJECTED = 'only keepers may do that';
const run = (): number => 1;

/** Takes the name in `X-Name`, at once or later, and rejects a request without it. */
function signedIn({ raw }: ContextRequest): string {
  const name = raw.headers['x-name'];
  if (typeof name !== 'string') throw ApiError.argument(REJECTED);
  return name;
}

class Keepers {
  readonly seen: unknown[] = [];
  readonly asked: unknown[] = [];

  /** `context` is the context of the endpoint. */
  register(context: (request: ContextRequest<{}, number>) => unknown): (server: ApiServer) => void {
    return (server) => {
      server.registerEndpoint('/pet', {
        id: integerId,
        schema: (json: unknown) => json,
        context: Object.assign((request: ContextRequest<{}, number>) => (this.asked.push(request.itemId), context(request)), { ...context }),
        create: (_pet, request) => (this.seen.push(request.context), 1),
        list: (request) => (this.seen.push(request.context), []),
        get: (_id, request) => (this.seen.push(request.context), 'pet'),
        update: (_id, _pet, request) => void this.seen.push(request.context),
        delete: (_id, request) => void this.seen.push(request.context),
        custom: { count: { run: (request) => (this.seen.push(request.context), 1) } },
      });
    };
  }
}

const REQUESTS = ['POST /v1/pet {}', 'GET /v1/pet', 'GET /v1/pet/5', 'PUT /v1/pet/5 {}', 'DELETE /v1/pet/5', 'POST /v1/pet/count'];
const ROUTES = ['POST /v1/pet', 'GET /v1/pet', 'GET /v1/pet/:id', 'PUT /v1/pet/:id', 'DELETE /v1/pet/:id', 'POST /v1/pet/count'];
const SUCCESSES = ['201 text 1 | Location: /v1/pet/1', '200 []', '200 "pet"', '204', '204', '200 1'];
const CACHED = ' | Cache-Control: private, no-cache';
const NO_REPLY = 'Internal error: a context must not be a reply: to reject the caller, throw an ApiError';

/** As `signedIn`, but returns its rejection. */
function signedInOrError(request: ContextRequest): unknown {
  try {
    return signedIn(request);
  } catch (thrown) {
    return thrown;
  }
}

const asked = suite('O11: the context of an endpoint');
facts(asked, (server) => {
  const session = Readable.from(['a', 'b']);
  server.registerEndpoint('/session', { context: () => session, get: async ({ context }: { readonly context: Readable }) => (await context.toArray()).join('') });
}, [['can be a stream, which the server leaves alone', 'GET /v1/session', `200 "ab"${CACHED}`]]);

/** Each operation gets this response, and none is invoked. `text` is logged of each. */
async function rejects(context: (request: ContextRequest<{}, number>) => unknown, response: string, text?: string, options: FactOptions = {}): Promise<void> {
  const keepers = new Keepers();
  await check(keepers.register(context), REQUESTS, REQUESTS.map(() => response), text === undefined ? [] : ROUTES.map((route) => `${route}: ${text}`), options);
  assert.equal(keepers.seen, []);
}

for (const [how, context] of [
  ['given at once', signedIn],
  ['promised', async (request: ContextRequest) => signedIn(request)],
  ['with an error that is returned', signedInOrError],
  ['with an error that a promise gives', async (request: ContextRequest) => signedInOrError(request)],
] as const) {
  asked(`${how}: reaches each operation, and the reply is private; a caller who is rejected invokes none`, async () => {
    const keepers = new Keepers();
    await check(keepers.register(context), REQUESTS.map((request) => `${request}\nX-Name: Ann`), SUCCESSES.map((response) => `${response}${CACHED}`));
    assert.equal([keepers.asked, keepers.seen], [[undefined, undefined, 5, 5, 5, undefined], REQUESTS.map(() => 'Ann')]);
    await rejects(context, `400 Bad arguments: ${REJECTED}${CACHED}`);
  });
}
const keepers = new Keepers();
facts(asked, keepers.register(signedIn), [
  ['is not asked for', 'OPTIONS /v1/pet', '200 | Allow: GET, POST, POST'],
  ['is not asked for', 'PATCH /v1/pet', '405 | Allow: GET, HEAD, POST, OPTIONS'],
  ['is not asked for', 'GET /v1/pet/x', '400 Bad arguments: id: expected a decimal integer from -9007199254740991 to 9007199254740991 @id'],
], { after: () => assert.equal(keepers.asked, []) });
const mapError = (error: unknown): ApiError | undefined => (error instanceof RangeError ? ApiError.status(409) : undefined);
for (const [what, thrown, response, text] of [
  ['an error', new Error('secret'), '500', 'Internal error: secret'],
  ['null', null, '500', 'Internal error: null'],
  ['an error that means not found', Object.assign(new Error('secret'), { notFound: true }), '404 Not found.', undefined],
  ['an error that mapError knows', new RangeError('secret'), '409', undefined],
] as const) {
  asked(`that throws ${what} -> ${response}`, () => rejects(() => { throw thrown; }, `${response}${CACHED}`, text, { mapError }));
  asked(`that rejects with ${what} -> ${response}`, () => rejects(async () => { throw thrown; }, `${response}${CACHED}`, text, { mapError }));
}
for (const [how, context, text = NO_REPLY] of [
  ['returns a reply', () => reply(302, undefined, { Location: '/login', 'Set-Cookie': 'a=1' })],
  ['promises a reply', async () => reply(302)],
  ['returns a reply with a stream', () => reply(200, new Blob(['in']).stream())],
  ['returns what another copy of the package made', () => ({ ' internal': 'reply' }),
    'Internal error: the reply was made by a different copy of restpoint than the server: npm dedupe removes one'],
] as readonly (readonly [string, () => unknown, string?])[]) {
  asked(`that ${how} -> 500, logged, and no operation is invoked`, () => rejects(context, `500${CACHED}`, text));
}
const CHALLENGE = 'Bearer realm="pets"';
const makeUnauthorized = (): ApiError => ApiError.status(401, 'Sign in.', { headers: { 'WWW-Authenticate': CHALLENGE } });
const SCHEME = { name: 'session', scheme: { type: 'apiKey', in: 'cookie', name: 'session' } };
const OPTIONAL = { ...SCHEME, optional: true };
const FORBIDDEN = `403 The caller is not allowed to do this.${CACHED}`;
const SIGN_IN = `401 Sign in. | WWW-Authenticate: ${CHALLENGE}${CACHED}`;
for (const [how, context, response] of [
  ['returns false', () => false, FORBIDDEN],
  ['promises false', async () => false, FORBIDDEN],
  ['returns undefined', () => undefined, FORBIDDEN],
  ['promises undefined', async () => undefined, FORBIDDEN],
  ['returns null', () => null, FORBIDDEN],
  ['returns undefined, of a scheme with a challenge', Object.assign(() => undefined, { unauthorized: makeUnauthorized }), SIGN_IN],
  ['returns undefined, with a security that is not optional', Object.assign(() => undefined, { security: [SCHEME] }), FORBIDDEN],
  ['returns false, with a security that is optional', Object.assign(() => false, { security: OPTIONAL }), FORBIDDEN],
  ['returns false, of a scheme with a challenge', Object.assign(() => false, { unauthorized: makeUnauthorized }), SIGN_IN],
  ['promises false, of a scheme with a challenge', Object.assign(async () => false, { unauthorized: makeUnauthorized }), SIGN_IN],
  ['returns false, whose unauthorized makes no error', Object.assign(() => false, { unauthorized: () => 'no' }), FORBIDDEN],
] as const) {
  asked(`that ${how} -> ${response}, and no operation is invoked`, () => rejects(context, response));
}
facts(asked, (server) => server.registerEndpoint('/pet', {
  id: integerId, context: () => 'ann', get: { context: () => false as boolean, run: (id) => id }, delete: () => {},
}), [['of an operation, whatever that of the endpoint returns', ['GET /v1/pet/5', 'DELETE /v1/pet/5'], [FORBIDDEN, `204${CACHED}`]]]);
for (const [what, context, value] of [
  ['returns 0', () => 0, 0],
  ['returns an empty string', () => '', ''],
  ['returns undefined, with a security that is an empty list', Object.assign(() => undefined, { security: [] }), undefined],
  ['returns undefined, with a security that is optional', Object.assign(() => undefined, { security: OPTIONAL }), undefined],
  ['promises null, with several of which one is optional', Object.assign(async () => null, { security: [SCHEME, OPTIONAL] }), null],
  ['returns undefined, before anyone in firstOf', firstOf(() => undefined, anyone), undefined],
  ['promises undefined, with a security that is optional in firstOf', firstOf(Object.assign(async () => undefined, { security: OPTIONAL })), undefined],
  ['finds no token, and is optional', bearer(() => 'ann').optional, undefined],
  ['finds no token, before anyone in firstOf', firstOf(bearer(() => 'ann'), anyone), undefined],
] as const) {
  asked(`that ${what} admits the caller`, async () => {
    const keepers = new Keepers();
    await serve(keepers.register(context), async ({ port }) => assert.match(String(await ask(port, ['GET /v1/pet/5'])), /^200 "pet"/));
    assert.equal(keepers.seen, [value]);
  });
}
facts(asked, (server) => server.registerEndpoint('/pet', {
  id: stringId,
  context: ({ itemId }) => { throw itemId; },
  get: run,
  mapError: (thrown) => (thrown === 'a' ? ApiError.status(409) : undefined),
}), [
  ['the mapError of the endpoint is asked', ['GET /v1/pet/a', 'GET /v1/pet/c'], [`409${CACHED}`, `500${CACHED}`], 'GET /v1/pet/:id: Internal error: c'],
]);
asked('that takes too long -> 503, and its signal aborts', async () => {
  let aborted = false;
  const keepers = new Keepers();
  const context = ({ signal }: ContextRequest): Promise<never> => {
    signal.addEventListener('abort', () => (aborted = true));
    return new Promise(() => {});
  };
  await serve(keepers.register(context), async ({ port, errors }) => {
    assert.is((await send(port, message('GET', '/v1/pet/1'))).status, 503);
    assert.is(errors.length, 1);
    assert.is(aborted, true);
    assert.equal(keepers.seen, []);
  }, { limits: { operationMs: 50 } });
});

const REQUIRED = 'endpoint.get needs a context, because of the option requireContext: declare it in the endpoint or here. For everyone, declare anyone of restpoint/auth';
const OWN = { headers: { 'Cache-Control': 'max-age=3' } };
const declare = (server: ApiServer): void => {
  server.use(({ headers }, response, next) => {
    const cached = headers['x-cached'];
    if (typeof cached === 'string') response.setHeader('cache-control', cached);
    next();
  });
  server.registerEndpoint('/pet', {
    id: stringId,
    context: () => 'Ann',
    get: {
      run: (id) => {
        if (id === 'item') return { id };
        if (id === 'tagged') return reply(200, id, { ETag: '"1"' });
        if (id === 'own') return reply(200, id, OWN.headers);
        if (id === 'rejected') throw ApiError.status(409, 'no');
        if (id === 'rejected-own') throw ApiError.status(409, 'no', OWN);
        return undefined;
      },
    },
    update: { input: String, run: () => {} },
  });
  server.registerEndpoint('/open', { id: stringId, get: (id) => id });
};

const cached = suite('O15: Cache-Control of an endpoint with a context');
facts(cached, declare, [
  ['', 'GET /v1/pet/item', '200 {"id":"item"} | Cache-Control: private, no-cache'],
  ['', 'GET /v1/pet/none', '404 Not found. | Cache-Control: private, no-cache'],
  ['', 'GET /v1/pet/rejected', '409 no | Cache-Control: private, no-cache'],
  ['', 'GET /v1/pet/tagged\nIf-None-Match: "1"', '304 | ETag: "1" | Cache-Control: private, no-cache'],
  ['', 'PUT /v1/pet/item x\nContent-Type: text/plain',
    '415 The body must be application/json in UTF-8. | Accept: application/json | Cache-Control: private, no-cache'],
  ['', 'GET /v1/pet/own', '200 "own" | Cache-Control: max-age=3'],
  ['', 'GET /v1/pet/rejected-own', '409 no | Cache-Control: max-age=3'],
  ['', 'GET /v1/pet/item\nX-Cached: no-store', '200 {"id":"item"} | cache-control: no-store'],
  ['', 'GET /v1/pet/none\nX-Cached: no-store', '404 Not found. | cache-control: no-store'],
  ['', 'GET /v1/pet/tagged\nX-Cached: no-store\nIf-None-Match: "1"', '304 | cache-control: no-store | ETag: "1"'],
  ['', 'GET /v1/pet/own\nX-Cached: no-store', '200 "own" | Cache-Control: max-age=3'],
  ['', 'GET /v1/open/item', '200 "item"'],
]);

const own = suite('O20: the context of one operation');
const nameItem = (name: string) => ({ itemId }: ContextRequest<{}, string>): string => `${name} for ${String(itemId)}`;
const declareMixed = (server: ApiServer): void => server.registerEndpoint('/pet', {
  id: stringId,
  context: nameItem('endpoint'),
  list: ({ context }) => context,
  get: { context: nameItem('get'), run: (_id, { context }) => context },
  delete: { context: () => { throw ApiError.status(403); }, run: () => {} },
  custom: {
    count: { context: async () => ['promised'], run: ({ context }) => context },
    anyone: { context: anyone, run: ({ context }) => String(context) },
  },
  itemCustom: { feed: { context: nameItem('feed'), run: (_id, { context }) => context } },
});
facts(own, declareMixed, [
  ['', 'GET /v1/pet', '200 "endpoint for undefined" | Cache-Control: private, no-cache'],
  ["stands instead of the endpoint's", 'GET /v1/pet/a', '200 "get for a" | Cache-Control: private, no-cache'],
  ['', 'DELETE /v1/pet/a', '403 | Cache-Control: private, no-cache'],
  ['', 'POST /v1/pet/count', '200 ["promised"] | Cache-Control: private, no-cache'],
  ['', 'POST /v1/pet/anyone', '200 "undefined"'],
  ['', 'POST /v1/pet/a/feed', '200 "feed for a" | Cache-Control: private, no-cache'],
]);
facts(own, (server) => server.registerEndpoint('/pet', { id: stringId, list: () => [], get: { context: () => 'Ann', run: (_id, { context }) => context } }), [
  ['where the endpoint has none: only its replies are private', ['GET /v1/pet', 'GET /v1/pet/a'], ['200 []', '200 "Ann" | Cache-Control: private, no-cache']],
]);
class Kept {
  readonly #name = 'Ann';
  context(): string {
    return this.#name;
  }
  run(_id: string, { context }: { readonly context: unknown }): unknown {
    return context;
  }
}
facts(own, (server) => server.registerEndpoint('/pet', { id: stringId, get: new Kept() } as never),
  [['is called as a method of the operation', 'GET /v1/pet/a', '200 "Ann" | Cache-Control: private, no-cache']]);
facts(own, (server) => server.registerEndpoint('/pet', {
  id: stringId, get: { context: () => { throw new RangeError('no'); }, run: (id) => id }, mapError: () => ApiError.status(409),
}), [['that throws gets the response of the mapError of the endpoint', 'GET /v1/pet/a', '409 | Cache-Control: private, no-cache']]);

const required = suite('O16: a server that requires a context');
for (const [why, declare, message] of [
  ['an endpoint with one', (server) => server.registerEndpoint('/pet', { id: integerId, context: anyone, get: run }), undefined],
  ['an endpoint whose operations have one', (server) => server.registerEndpoint('/pet', {
    id: integerId, get: { context: anyone, run }, delete: { context: () => 'Ann', run: () => {} },
  }), undefined],
  ['an endpoint with an operation without one', (server) => server.registerEndpoint('/pet', {
    id: integerId, get: run, delete: { context: () => 'Ann', run: () => {} },
  }), REQUIRED],
  ['a singleton with one', (server) => server.registerEndpoint('/hours', { context: async () => 'Ann', get: run }), undefined],
  ['a mount with anyone', (server) => server.mount('/health', run, { context: anyone }), undefined],
  ['mcpHandler with one', (server) => server.mount('/mcp', mcpHandler(server, { info: { name: 'a', version: '1' }, context: () => 'Ann' })), undefined],
  ['a mount without one', (server) => server.mount('/health', run),
    REQUIRED.replace('endpoint.get', 'the mount at "/health"').replace('the endpoint or here', 'its options')],
  ['an endpoint without one', (server) => server.registerEndpoint('/pet', { id: integerId, get: run }), REQUIRED],
  ['a singleton without one', (server) => server.registerEndpoint('/hours', { get: run }), REQUIRED],
] as readonly (readonly [string, (server: ApiServer) => void, string | undefined])[]) {
  required(`${why} is ${message === undefined ? 'registered' : 'rejected, and nothing is added'}`, () => {
    const server = new ApiServer('/v1', { requireContext: true, logger: { info() {}, error() {} } });
    if (message === undefined) declare(server);
    else assert.throws(() => declare(server), isTypeError(message));
    assert.is(server.routes.length > 0, message === undefined);
  });
}
