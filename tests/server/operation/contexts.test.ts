/** Contexts: how they identify the caller, and the answers to those who are refused. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, ApiServer, integerId, reply, stringId, type ContextRequest } from '../../../src/index.ts';
import { message, problemIn } from '../../support/messages.ts';
import { rawRequest } from '../../support/raw-client.ts';
import { serving } from '../../support/serving.ts';

const REFUSED = 'only keepers may do that';

/** Takes the name in `X-Name`, at once or later, and refuses a request without it. */
function signedIn({ raw }: ContextRequest): string {
  const name = raw.headers['x-name'];
  if (typeof name !== 'string') throw ApiError.argument(REFUSED);
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
        context: (request) => (this.asked.push(request.itemId), context(request)),
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

const ALL = [
  ['POST', '/v1/pet', '{}', undefined],
  ['GET', '/v1/pet', '', undefined],
  ['GET', '/v1/pet/5', '', 5],
  ['PUT', '/v1/pet/5', '{}', 5],
  ['DELETE', '/v1/pet/5', '', 5],
  ['POST', '/v1/pet/count', '', undefined],
] as const;

/** As `signedIn`, but returns its refusal. */
function signedInOrError(request: ContextRequest): unknown {
  try {
    return signedIn(request);
  } catch (thrown) {
    return thrown;
  }
}

const asked = suite('the context of an endpoint');
for (const [how, context] of [
  ['given at once', signedIn],
  ['promised', async (request: ContextRequest) => signedIn(request)],
  ['with an error that is returned', signedInOrError],
  ['with an error that a promise gives', async (request: ContextRequest) => signedInOrError(request)],
] as const) {
  for (const [method, target, body, itemId] of ALL) {
    asked(`${method} ${target}, ${how}: reaches the operation, and the reply is private`, async () => {
      const keepers = new Keepers();
      await serving(keepers.register(context), async ({ port }) => {
        const reply = await rawRequest(port, message(method, target, body, ['X-Name: Ann']));
        assert.ok(reply.status < 300, String(reply.status));
        assert.is(reply.headers.get('cache-control'), 'private, no-cache');
        assert.equal([keepers.asked, keepers.seen], [[itemId], ['Ann']]);
      });
    });
    asked(`${method} ${target}, ${how}: refuses the caller, and the operation is not invoked`, async () => {
      const keepers = new Keepers();
      await serving(keepers.register(context), async ({ port, errors }) => {
        const reply = await rawRequest(port, message(method, target, body));
        assert.is(reply.status, 400);
        assert.is(problemIn(reply).detail, `Bad arguments: ${REFUSED}`);
        assert.is(reply.headers.get('cache-control'), 'private, no-cache');
        assert.equal([keepers.seen, errors], [[], []]);
      });
    });
  }
}
for (const [method, target, status] of [['OPTIONS', '/v1/pet', 200], ['PATCH', '/v1/pet', 405], ['GET', '/v1/pet/x', 400]] as const) {
  asked(`${method} ${target} -> ${status}: is not asked for`, async () => {
    const keepers = new Keepers();
    await serving(keepers.register(signedIn), async ({ port }) => {
      const reply = await rawRequest(port, message(method, target));
      assert.is(reply.status, status);
      assert.is(reply.headers.get('cache-control'), undefined);
      assert.equal(keepers.asked, []);
    });
  });
}
for (const [what, thrown] of [['an error that means not found elsewhere', Object.assign(new Error('secret'), { notFound: true })], ['null', null]] as const) {
  asked(`that throws ${what} -> 500, logged`, async () => {
    const keepers = new Keepers();
    await serving(keepers.register(() => { throw thrown; }), async ({ port, errors }) => {
      const reply = await rawRequest(port, message('GET', '/v1/pet/1'));
      assert.is(reply.status, 500);
      assert.not.match(reply.body, 'secret');
      assert.is(errors.length, 1);
    });
  });
}
for (const [how, context] of [
  ['returns a reply', () => reply(302, undefined, { Location: '/login', 'Set-Cookie': 'a=1' })],
  ['promises a reply', async () => reply(401)],
  ['returns a reply with a stream', () => reply(200, new Blob(['in']).stream())],
  ['returns what another copy of the package made', () => ({ '~reply': 1, '~status': 302 })],
] as const) {
  for (const [method, target, body] of ALL) {
    asked(`that ${how}, ${method} ${target} -> 500, logged, and the operation is not invoked`, async () => {
      const keepers = new Keepers();
      await serving(keepers.register(context), async ({ port, errors }) => {
        const { status, headers } = await rawRequest(port, message(method, target, body));
        assert.equal([status, headers.get('location'), headers.get('set-cookie')], [500, undefined, undefined]);
        assert.equal([keepers.seen, errors.length], [[], 1]);
      });
    });
  }
}
asked('that takes too long -> 503, and its signal aborts', async () => {
  let aborted = false;
  const keepers = new Keepers();
  const context = ({ signal }: ContextRequest): Promise<never> => {
    signal.addEventListener('abort', () => (aborted = true));
    return new Promise(() => {});
  };
  await serving(keepers.register(context), async ({ port, errors }) => {
    assert.is((await rawRequest(port, message('GET', '/v1/pet/1'))).status, 503);
    assert.is(errors.length, 1);
    assert.is(aborted, true);
    assert.equal(keepers.seen, []);
  }, { limits: { operationMs: 50 } });
});
asked.run();

const REQUIRED = 'endpoint.context is required by the server: () => undefined admits anyone';
const run = (): number => 1;
const PRIVATE = 'private, no-cache';
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
        if (id === 'refused') throw ApiError.status(409, 'no');
        if (id === 'refused-own') throw ApiError.status(409, 'no', OWN);
        return undefined;
      },
    },
    update: { input: String, run },
  });
  server.registerEndpoint('/open', { id: stringId, get: (id) => id });
};

const cached = suite('Cache-Control of an endpoint with a context');
for (const [method, path, headers, status, expected] of [
  ['GET', '/pet/item', [], 200, PRIVATE],
  ['GET', '/pet/none', [], 404, PRIVATE],
  ['GET', '/pet/refused', [], 409, PRIVATE],
  ['GET', '/pet/tagged', ['If-None-Match: "1"'], 304, PRIVATE],
  ['PUT', '/pet/item', ['Content-Type: text/plain'], 415, PRIVATE],
  ['GET', '/pet/own', [], 200, 'max-age=3'],
  ['GET', '/pet/refused-own', [], 409, 'max-age=3'],
  ['GET', '/pet/item', ['X-Cached: no-store'], 200, 'no-store'],
  ['GET', '/pet/none', ['X-Cached: no-store'], 404, 'no-store'],
  ['GET', '/pet/tagged', ['X-Cached: no-store', 'If-None-Match: "1"'], 304, 'no-store'],
  ['GET', '/pet/own', ['X-Cached: no-store'], 200, 'max-age=3'],
  ['GET', '/open/item', [], 200, undefined],
] as const) {
  cached(`${method} ${path} ${headers.join(' ')} -> ${status}, ${expected}`, async () => {
    await serving(declare, async ({ port }) => {
      const answer = await rawRequest(port, message(method, `/v1${path}`, method === 'PUT' ? 'x' : '', [...headers]));
      assert.equal([answer.status, answer.headers.get('cache-control')], [status, expected]);
    });
  });
}
cached.run();

const required = suite('a server that requires a context');
for (const [why, declare, message] of [
  ['an endpoint with one', (server) => server.registerEndpoint('/pet', { id: integerId, context: () => undefined, get: run }), undefined],
  ['a singleton with one', (server) => server.registerEndpoint('/hours', { context: async () => 'Ann', get: run }), undefined],
  ['a mount', (server) => server.registerHandler('/health', (_request, response) => response.end()), undefined],
  ['an endpoint without one', (server) => server.registerEndpoint('/pet', { id: integerId, get: run }), REQUIRED],
  ['a singleton without one', (server) => server.registerEndpoint('/hours', { get: run }), REQUIRED],
] as readonly (readonly [string, (server: ApiServer) => void, string | undefined])[]) {
  required(`${why} is ${message === undefined ? 'registered' : 'refused, and nothing is added'}`, () => {
    const server = new ApiServer('/v1', { requireContext: true, logger: { info() {}, error() {} } });
    if (message === undefined) declare(server);
    else assert.throws(() => declare(server), (thrown: unknown) => thrown instanceof TypeError && thrown.message === message);
    assert.is(server.routes.length > 0, message === undefined);
  });
}
required.run();
