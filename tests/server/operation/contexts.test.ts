/** Contexts: how they identify the caller, and the responses to those who are rejected. */
import { Readable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, ApiServer, integerId, reply, stringId, type ContextRequest } from '../../../src/index.ts';
import { anyone, bearer, firstOf } from '../../../src/auth/index.ts';
import { message, readProblem } from '../../support/messages.ts';
import { send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';

const REJECTED = 'only keepers may do that';
const PRIVATE = 'private, no-cache';
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

const ALL = [
  ['POST', '/v1/pet', '{}', undefined],
  ['GET', '/v1/pet', '', undefined],
  ['GET', '/v1/pet/5', '', 5],
  ['PUT', '/v1/pet/5', '{}', 5],
  ['DELETE', '/v1/pet/5', '', 5],
  ['POST', '/v1/pet/count', '', undefined],
] as const;

/** As `signedIn`, but returns its rejection. */
function signedInOrError(request: ContextRequest): unknown {
  try {
    return signedIn(request);
  } catch (thrown) {
    return thrown;
  }
}

const asked = suite('O11: the context of an endpoint');
asked('can be a stream, which the server leaves alone', async () => {
  const session = Readable.from(['a', 'b']);
  const endpoint = { context: () => session, get: async ({ context }: { readonly context: Readable }) => (await context.toArray()).join('') };
  await serve((server) => server.registerEndpoint('/session', endpoint), async ({ port }) => {
    assert.is((await send(port, message('GET', '/v1/session'))).body, '"ab"');
  });
});
for (const [how, context] of [
  ['given at once', signedIn],
  ['promised', async (request: ContextRequest) => signedIn(request)],
  ['with an error that is returned', signedInOrError],
  ['with an error that a promise gives', async (request: ContextRequest) => signedInOrError(request)],
] as const) {
  asked(`${how}: reaches each operation, and the reply is private; a caller who is rejected invokes none`, async () => {
    const keepers = new Keepers();
    await serve(keepers.register(context), async ({ port, errors }) => {
      for (const [method, target, body] of ALL) {
        const reply = await send(port, message(method, target, body, ['X-Name: Ann']));
        assert.ok(reply.status < 300, String(reply.status));
        assert.is(reply.headers.get('cache-control'), PRIVATE);
      }
      assert.equal([keepers.asked, keepers.seen], [ALL.map(([, , , itemId]) => itemId), ALL.map(() => 'Ann')]);
      for (const [method, target, body] of ALL) {
        const reply = await send(port, message(method, target, body));
        assert.is(reply.status, 400);
        assert.is(readProblem(reply).detail, `Bad arguments: ${REJECTED}`);
        assert.is(reply.headers.get('cache-control'), PRIVATE);
      }
      assert.equal([keepers.seen.length, errors], [ALL.length, []]);
    });
  });
}
for (const [method, target, status] of [['OPTIONS', '/v1/pet', 200], ['PATCH', '/v1/pet', 405], ['GET', '/v1/pet/x', 400]] as const) {
  asked(`${method} ${target} -> ${status}: is not asked for`, async () => {
    const keepers = new Keepers();
    await serve(keepers.register(signedIn), async ({ port }) => {
      const reply = await send(port, message(method, target));
      assert.is(reply.status, status);
      assert.is(reply.headers.get('cache-control'), undefined);
      assert.equal(keepers.asked, []);
    });
  });
}
for (const [what, thrown, status] of [
  ['an error', new Error('secret'), 500],
  ['null', null, 500],
  ['an error that means not found', Object.assign(new Error('secret'), { notFound: true }), 404],
  ['an error that mapError knows', new RangeError('secret'), 409],
] as const) {
  for (const [how, context] of [
    ['throws', () => { throw thrown; }],
    ['rejects with', async () => { throw thrown; }],
  ] as const) {
    asked(`that ${how} ${what} -> ${status}, ${status === 500 ? 'logged' : 'not logged'}, and the operation is not invoked`, async () => {
      const keepers = new Keepers();
      await serve(keepers.register(context), async ({ port, errors }) => {
        for (const [method, target, body] of ALL) {
          const reply = await send(port, message(method, target, body));
          assert.is(reply.status, status);
          assert.not.match(reply.body, 'secret');
          assert.is(reply.headers.get('cache-control'), 'private, no-cache');
        }
        assert.is(errors.length, status === 500 ? ALL.length : 0);
        assert.equal(keepers.seen, []);
      }, { mapError: (error) => (error instanceof RangeError ? ApiError.status(409) : undefined) });
    });
  }
}
for (const [how, context] of [
  ['returns a reply', () => reply(302, undefined, { Location: '/login', 'Set-Cookie': 'a=1' })],
  ['promises a reply', async () => reply(302)],
  ['returns a reply with a stream', () => reply(200, new Blob(['in']).stream())],
  ['returns what another copy of the package made', () => ({ ' internal': 'reply' })],
] as const) {
  asked(`that ${how} -> 500, logged, and no operation is invoked`, async () => {
    const keepers = new Keepers();
    await serve(keepers.register(context), async ({ port, errors }) => {
      for (const [method, target, body] of ALL) {
        const { status, headers } = await send(port, message(method, target, body));
        assert.equal([status, headers.get('location'), headers.get('set-cookie')], [500, undefined, undefined]);
      }
      assert.equal([keepers.seen, errors.length], [[], ALL.length]);
    });
  });
}
const CHALLENGE = 'Bearer realm="pets"';
const makeUnauthorized = (): ApiError => ApiError.status(401, 'Sign in.', { headers: { 'WWW-Authenticate': CHALLENGE } });
const SCHEME = { name: 'session', scheme: { type: 'apiKey', in: 'cookie', name: 'session' } };
const OPTIONAL = { ...SCHEME, optional: true };
for (const [how, context, status, challenge, detail] of [
  ['returns false', () => false, 403, undefined, 'The caller is not allowed to do this.'],
  ['promises false', async () => false, 403, undefined, 'The caller is not allowed to do this.'],
  ['returns undefined', () => undefined, 403, undefined, 'The caller is not allowed to do this.'],
  ['promises undefined', async () => undefined, 403, undefined, 'The caller is not allowed to do this.'],
  ['returns null', () => null, 403, undefined, 'The caller is not allowed to do this.'],
  ['returns undefined, of a scheme with a challenge', Object.assign(() => undefined, { unauthorized: makeUnauthorized }), 401, CHALLENGE, 'Sign in.'],
  ['returns undefined, with a security that is not optional', Object.assign(() => undefined, { security: [SCHEME] }), 403, undefined, 'The caller is not allowed to do this.'],
  ['returns false, with a security that is optional', Object.assign(() => false, { security: OPTIONAL }), 403, undefined, 'The caller is not allowed to do this.'],
  ['returns false, of a scheme with a challenge', Object.assign(() => false, { unauthorized: makeUnauthorized }), 401, CHALLENGE, 'Sign in.'],
  ['promises false, of a scheme with a challenge', Object.assign(async () => false, { unauthorized: makeUnauthorized }), 401, CHALLENGE, 'Sign in.'],
  ['returns false, whose unauthorized makes no error', Object.assign(() => false, { unauthorized: () => 'no' }), 403, undefined, 'The caller is not allowed to do this.'],
] as const) {
  asked(`that ${how} -> ${status}, and no operation is invoked`, async () => {
    const keepers = new Keepers();
    await serve(keepers.register(context), async ({ port, errors }) => {
      for (const [method, target, body] of ALL) {
        const response = await send(port, message(method, target, body));
        assert.equal([response.status, readProblem(response).detail, response.headers.get('www-authenticate')], [status, detail, challenge]);
        assert.is(response.headers.get('cache-control'), PRIVATE);
      }
      assert.equal([keepers.seen, errors], [[], []]);
    });
  });
}
asked('of an operation that returns false -> 403, whatever that of the endpoint returns', async () => {
  await serve((server) => server.registerEndpoint('/pet', {
    id: integerId, context: () => 'ann', get: { context: () => false as boolean, run: (id) => id }, delete: () => {},
  }), async ({ port }) => {
    assert.is((await send(port, message('GET', '/v1/pet/5'))).status, 403);
    assert.is((await send(port, message('DELETE', '/v1/pet/5'))).status, 204);
  });
});
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
    await serve(keepers.register(context), async ({ port }) => {
      assert.is((await send(port, message('GET', '/v1/pet/5'))).status, 200);
      assert.equal(keepers.seen, [value]);
    });
  });
}
asked('that fails: the mapError and isNotFound of the endpoint are asked', async () => {
  const declare = (server: ApiServer): void => server.registerEndpoint('/pet', {
    id: stringId,
    context: ({ itemId }) => { throw itemId; },
    get: run,
    mapError: (thrown) => (thrown === 'a' ? ApiError.status(409) : undefined),
    isNotFound: (thrown) => thrown === 'b',
  });
  await serve(declare, async ({ port, errors }) => {
    for (const [id, status] of [['a', 409], ['b', 404], ['c', 500]] as const) {
      assert.is((await send(port, message('GET', `/v1/pet/${id}`))).status, status);
    }
    assert.equal(errors.map((error) => error.message), ['GET /v1/pet/:id: Internal error: c']);
  });
});
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
asked.run();

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
for (const [method, path, headers, status, expected] of [
  ['GET', '/pet/item', [], 200, PRIVATE],
  ['GET', '/pet/none', [], 404, PRIVATE],
  ['GET', '/pet/rejected', [], 409, PRIVATE],
  ['GET', '/pet/tagged', ['If-None-Match: "1"'], 304, PRIVATE],
  ['PUT', '/pet/item', ['Content-Type: text/plain'], 415, PRIVATE],
  ['GET', '/pet/own', [], 200, 'max-age=3'],
  ['GET', '/pet/rejected-own', [], 409, 'max-age=3'],
  ['GET', '/pet/item', ['X-Cached: no-store'], 200, 'no-store'],
  ['GET', '/pet/none', ['X-Cached: no-store'], 404, 'no-store'],
  ['GET', '/pet/tagged', ['X-Cached: no-store', 'If-None-Match: "1"'], 304, 'no-store'],
  ['GET', '/pet/own', ['X-Cached: no-store'], 200, 'max-age=3'],
  ['GET', '/open/item', [], 200, undefined],
] as const) {
  cached(`${method} ${path} ${headers.join(' ')} -> ${status}, ${expected}`, async () => {
    await serve(declare, async ({ port }) => {
      const response = await send(port, message(method, `/v1${path}`, method === 'PUT' ? 'x' : '', [...headers]));
      assert.equal([response.status, response.headers.get('cache-control')], [status, expected]);
    });
  });
}
cached.run();

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
for (const [method, target, status, body, cacheControl = PRIVATE] of [
  ['GET', '/v1/pet', 200, '"endpoint for undefined"'],
  ['GET', '/v1/pet/a', 200, '"get for a"'],
  ['DELETE', '/v1/pet/a', 403, undefined],
  ['POST', '/v1/pet/count', 200, '["promised"]'],
  ['POST', '/v1/pet/anyone', 200, '"undefined"', null],
  ['POST', '/v1/pet/a/feed', 200, '"feed for a"'],
] as readonly (readonly [string, string, number, string | undefined, (string | null)?])[]) {
  own(`${method} ${target}: stands instead of the endpoint's -> ${status} ${body ?? ''}`, async () => {
    await serve(declareMixed, async ({ port }) => {
      const response = await send(port, message(method, target));
      assert.is(response.status, status);
      if (body !== undefined) assert.is(response.body, body);
      assert.is(response.headers.get('cache-control') ?? null, cacheControl);
    });
  });
}
own('where the endpoint has none: only its replies are private', async () => {
  const declare = (server: ApiServer): void => server.registerEndpoint('/pet', {
    id: stringId, list: () => [], get: { context: () => 'Ann', run: (_id, { context }) => context },
  });
  await serve(declare, async ({ port }) => {
    for (const [target, body, cacheControl] of [['/v1/pet', '[]', undefined], ['/v1/pet/a', '"Ann"', PRIVATE]] as const) {
      const response = await send(port, message('GET', target));
      assert.equal([response.body, response.headers.get('cache-control')], [body, cacheControl]);
    }
  });
});
own('is called as a method of the operation', async () => {
  class Kept {
    readonly #name = 'Ann';
    context(): string {
      return this.#name;
    }
    run(_id: string, { context }: { readonly context: unknown }): unknown {
      return context;
    }
  }
  await serve((server) => server.registerEndpoint('/pet', { id: stringId, get: new Kept() } as never), async ({ port }) => {
    assert.is((await send(port, message('GET', '/v1/pet/a'))).body, '"Ann"');
  });
});
own('that throws gets the response of the mapError of the endpoint', async () => {
  const declare = (server: ApiServer): void => server.registerEndpoint('/pet', {
    id: stringId, get: { context: () => { throw new RangeError('no'); }, run: (id) => id }, mapError: () => ApiError.status(409),
  });
  await serve(declare, async ({ port, errors }) => {
    assert.is((await send(port, message('GET', '/v1/pet/a'))).status, 409);
    assert.equal(errors, []);
  });
});
own.run();

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
  ['a mount', (server) => server.mount('/health', (_request, response) => response.end()), undefined],
  ['an endpoint without one', (server) => server.registerEndpoint('/pet', { id: integerId, get: run }), REQUIRED],
  ['a singleton without one', (server) => server.registerEndpoint('/hours', { get: run }), REQUIRED],
] as readonly (readonly [string, (server: ApiServer) => void, string | undefined])[]) {
  required(`${why} is ${message === undefined ? 'registered' : 'rejected, and nothing is added'}`, () => {
    const server = new ApiServer('/v1', { requireContext: true, logger: { info() {}, error() {} } });
    if (message === undefined) declare(server);
    else assert.throws(() => declare(server), (thrown: unknown) => thrown instanceof TypeError && thrown.message === message);
    assert.is(server.routes.length > 0, message === undefined);
  });
}
required.run();
