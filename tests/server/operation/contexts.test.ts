/** Contexts: who asks, and what becomes of those who are refused. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, ApiServer, integerId, type ContextRequest } from '../../../src/index.ts';
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

  /** `context` is what the endpoint has. */
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
asked('that requireContext asks for: TypeError without one, and nothing is added', async () => {
  await serving(() => {}, async ({ server, port }) => {
    assert.throws(
      () => server.registerEndpoint('/pet', { id: integerId, get: (id) => id }),
      (error: unknown) => error instanceof TypeError && error.message === 'endpoint.context is required by the server: () => undefined admits anyone',
    );
    assert.equal(server.routes, []);
    server.registerEndpoint('/pet', { id: integerId, context: () => undefined, get: (id) => id });
    assert.is((await rawRequest(port, message('GET', '/v1/pet/5'))).body, '5');
  }, { requireContext: true });
});
asked.run();
