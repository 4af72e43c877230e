/** Interceptors: their order, what they see and add, and those that cannot be registered. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { bytes, defineEndpoint, type InterceptedCall, type Interceptor, stringId } from '../../../src/index.ts';
import { bearer } from '../../../src/auth/index.ts';
import { type Around, decodeLimit, LIST, declareList, makeStrictSchema } from '../../support/intercepted-list.ts';
import { Recorder, ROWS, JSON_HEADERS } from '../../support/kinds.ts';
import { assert, facts, Gate, isTypeError, message, RawClient, readProblem, send, serve, suite, waitUntil } from '../../support/facts.ts';

const recordIn = (seen: string[]) => (name: string): Interceptor => ({
  around: async (_call, run) => {
    seen.push(`${name} in`);
    const result = await run();
    seen.push(`${name} out`);
    return result;
  },
});

const order = suite('Q9 N1: interceptors');
order('run from the endpoint\'s first to the operation\'s last, and back', async () => {
  const seen: string[] = [];
  const record = recordIn(seen);
  await serve((server) => server.registerEndpoint('/pet', {
    id: stringId, use: [record('endpoint 1'), record('endpoint 2')], list: { use: [record('own 1'), record('own 2')], run: () => seen.push('run') }, get: () => seen.push('get'),
  }), async ({ port }) => {
    assert.is((await send(port, LIST)).body, '5');
    const names = ['endpoint 1', 'endpoint 2', 'own 1', 'own 2'];
    assert.equal(seen.splice(0), [...names.map((name) => `${name} in`), 'run', ...names.reverse().map((name) => `${name} out`)]);
    await send(port, message('GET', '/v1/pet/1'));
    assert.equal(seen, ['endpoint 1 in', 'endpoint 2 in', 'get', 'endpoint 2 out', 'endpoint 1 out']);
  });
});
for (const [method, path, body, , , , [name, ...given]] of ROWS) {
  order(`see the call of ${method} ${path}`, async () => {
    const calls: InterceptedCall[] = [];
    const use: Interceptor = { around: (call, run) => (calls.push(call), run()) };
    const recorder = new Recorder();
    await serve((server) => {
      server.registerEndpoint('/pet', { ...recorder.items, use } as never);
      server.registerEndpoint('/settings', { ...recorder.single, use } as never);
    }, async ({ port, server }) => {
      await send(port, message(method, `/v1${path}`, body, JSON_HEADERS));
      const [{ id, input, kind, route, target, contentType, name: own, request } = assert.unreachable() as never] = calls;
      assert.equal([id, input].filter((value) => value !== undefined), given);
      assert.ok(server.routes.some((each) => each.method === route.method && each.path === route.path) && route.method === method);
      assert.is(own === '' ? name : kind.replace(/^.*ustom$/, own), own === '' ? kind : name);
      assert.equal([typeof request.raw, target, contentType], ['object', `/v1${path}`, 'application/json']);
    });
  });
}
order('are called as methods of their objects', async () => {
  class Counting {
    count = 0;
    around(_call: InterceptedCall, run: () => Promise<unknown>): Promise<unknown> {
      this.count += 1;
      return run();
    }
  }
  const counting = new Counting();
  await serve(declareList(counting), async ({ port }) => {
    await send(port, LIST);
    assert.is(counting.count, 1);
  });
});
order('run in the async context of the request', async () => {
  const storage = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  const around: Around = async (_call, run) => {
    await null;
    seen.push(storage.getStore());
    return storage.run('inner', () => run());
  };
  await serve((server) => {
    server.use((_request, _response, next) => storage.run('outer', next));
    declareList({ around }, () => seen.push(storage.getStore()))(server);
  }, async ({ port }) => {
    await send(port, LIST);
    assert.equal(seen, ['outer', 'inner']);
  });
});
order('share the deadline of the operation', async () => {
  const around: Around = ({ request }) => new Promise((_resolve, reject) => request.signal.addEventListener('abort', () => reject(request.signal.reason)));
  await serve(declareList({ around }, undefined, { limits: { operationMs: 50 } }), async ({ port, errors }) => {
    assert.is(readProblem(await send(port, LIST)).status, 503);
    assert.match(errors[0]?.message ?? '', /took longer than 50 ms/);
  });
});
order('that run the operation after the client has left: it is not invoked', async () => {
  const gate = new Gate();
  let [invoked, failed, entered] = [0, 0, 0];
  const around: Around = async (_call, run) => {
    entered += 1;
    await gate.passed;
    return run().catch(() => (failed += 1));
  };
  await serve(declareList({ around }, () => (invoked += 1)), async ({ port }) => {
    const client = await RawClient.send(port, LIST);
    await waitUntil(() => entered === 1, 'the interceptor');
    client.destroy();
    await new Promise((resolve) => setTimeout(resolve, 20));
    gate.open();
    await waitUntil(() => failed === 1, 'the rejection');
    assert.is(invoked, 0);
  });
});

const adds = suite('N3: what an interceptor adds to the request');
const outer: Around = async (_call, run) => [await run({ tx: 1 }), await run({ tx: 2, more: 3 }), await run({})];
const inner: Around = (call, run) => run({ seen: call.request.tx });
facts(adds, declareList([{ around: outer }, { around: inner }], (request) => [request.tx ?? null, request.more ?? null, request.seen ?? null, 'tx' in request, request.route.path, request.signal.aborted]), [
  ['is there for the operation and for what is between, for one run alone', 'GET /v1/pet',
    '200 [[1,null,1,true,"/v1/pet",false],[2,3,2,true,"/v1/pet",false],[null,null,null,false,"/v1/pet",false]]'],
]);
for (const name of ['query', 'signal', 'raw', 'context', 'constructor']) {
  facts(adds, declareList({ around: (_call: unknown, run: (adds: object) => unknown) => run({ [name]: 1 }) }), [
    [`cannot be ${name}`, 'GET /v1/pet', '500', `GET /v1/pet: Internal error: an interceptor must not add ${name}: the request already has it`],
  ]);
}

const shared = suite('N1: interceptors of registerEndpoints');
shared('run outside of those of each endpoint, the first outermost', async () => {
  const seen: string[] = [];
  const record = recordIn(seen);
  const pets = defineEndpoint({ id: stringId, use: record('endpoint'), list: { use: record('own'), run: () => [seen.push('list')] }, get: (id) => id });
  const settings = defineEndpoint({ get: () => seen.push('get') });
  await serve((server) => void server.registerEndpoints({ '/pet': pets, '/settings': settings }, { use: [record('all 1'), record('all 2')] }), async ({ port }) => {
    assert.is((await send(port, LIST)).body, '[5]');
    const names = ['all 1', 'all 2', 'endpoint', 'own'];
    assert.equal(seen.splice(0), [...names.map((name) => `${name} in`), 'list', ...names.reverse().map((name) => `${name} out`)]);
    await send(port, message('GET', '/v1/settings'));
    assert.equal(seen, ['all 1 in', 'all 2 in', 'get', 'all 2 out', 'all 1 out']);
  });
});
const endpoint = defineEndpoint({ get: () => 'plain' });
facts(shared, (server) => {
  server.registerEndpoints({ '/a': endpoint }, { use: { around: () => 'changed' } });
  server.registerEndpoints({ '/b': endpoint });
  server.registerEndpoint('/c', endpoint);
}, [['hold for the endpoints of that call alone', ['GET /v1/a', 'GET /v1/b', 'GET /v1/c'], ['200 "changed"', '200 "plain"', '200 "plain"']]]);
const tenant: Interceptor<{ readonly tenant: string }> = {
  query: decodeLimit, headers: ({ 'x-tenant': tenant }: any) => ({ 'x-tenant': tenant }),
  around: async (call, run) => [call.query.limit, await run({ tenant: call.headers['x-tenant'] })],
};
const ofTenant: Interceptor = { around: async (call, run) => [call.request.tenant, await run()] };
const pets = defineEndpoint({ id: stringId, list: { use: ofTenant, query: makeStrictSchema(['tag']), run: ({ query }) => query } });
facts(shared, (server) => void server.registerEndpoints({ '/pet': pets }, { use: tenant }), [
  ['decode their own query and headers, and add to the request of inner ones', 'GET /v1/pet?limit=3&tag=a\nX-Tenant: b', '200 [3,["b",{"tag":"a"}]]'],
  ['reject their own query', 'GET /v1/pet?limit=x', '422 Bad arguments: no limit @'],
], { validationStatus: 422 });
for (const [options, text] of [
  [{ use: {} }, 'options.use needs around or onRequest: { around: (call, run) => run() }'],
  [{ use: [{ around: () => 1 }, 7] }, 'options.use[1] must be an interceptor, such as { around: (call, run) => run() }: 7'],
] as const) {
  shared(`TypeError, and none is registered: ${text}`, () => serve(() => {}, async ({ server }) => {
    const register = (): unknown => Reflect.apply(server.registerEndpoints, server, [{ '/a': defineEndpoint({ get: () => 1 }) }, options]);
    assert.throws(register, isTypeError(text));
    assert.equal(server.routes, []);
  }));
}

const scopes = suite('N6: the scopes of interceptors');
const signedIn = bearer((token) => ({ scopes: token.split('.') }), { getScopes: (user) => user.scopes });
const requireScopes = (...needed: string[]): Interceptor => ({ around: (_call, run) => run(), scopes: needed });
const guarded = defineEndpoint({
  id: stringId, context: signedIn, use: requireScopes('endpoint'),
  list: () => [], get: { scopes: ['own'], use: [requireScopes('a'), requireScopes('b', 'own')], run: (id) => id }, delete: { scopes: [], run: () => {} },
});
for (const [method, path, needed] of [
  ['GET', '/v1/pet', ['shared', 'all', 'endpoint']],
  ['GET', '/v1/pet/1', ['own', 'all', 'endpoint', 'a', 'b']],
  ['DELETE', '/v1/pet/1', ['all', 'endpoint']],
] as const) {
  scopes(`${method} ${path} needs ${needed.join(', ')}: those of the operation, and of each interceptor`, async () => {
    await serve((server) => void server.registerEndpoints({ '/pet': guarded }, { scopes: ['shared'], use: requireScopes('all') }), async ({ port }) => {
      const statusWith = async (held: readonly string[]): Promise<number> => {
        return (await send(port, message(method, path, '', [`Authorization: Bearer ${held.join('.')}`]))).status;
      };
      assert.ok(await statusWith(needed) < 300);
      for (const lacking of needed) assert.is(await statusWith(needed.filter((each) => each !== lacking)), 403, lacking);
    });
  });
}
scopes('where the context knows none: TypeError', () => serve(() => {}, async ({ server }) => {
  assert.throws(() => declareList(requireScopes('a'))(server), /endpoint\.list\.scopes needs a context that knows the scopes of callers/);
}));

const registration = suite('N1 N7: a wrong interceptor');
for (const [use, text] of [
  [1, 'endpoint.list.use must be an interceptor, such as { around: (call, run) => run() }: 1'],
  [null, 'endpoint.list.use must be an interceptor, such as { around: (call, run) => run() }: null'],
  ['took', 'endpoint.list.use must be an interceptor, such as { around: (call, run) => run() }: "took"'],
  [function took() {}, 'endpoint.list.use must be an interceptor, such as { around: took }: function took'],
  [[() => {}], 'endpoint.list.use[0] must be an interceptor, such as { around: (call, run) => run() }: function'],
  [(req: object, res: object, next: () => void) => [req, res, next()],
    'endpoint.list.use must not be middleware, which takes (request, response, next): write server.use((request, response, next) => …)'],
  [{ use: (req: object, res: object, next: () => void) => [req, res, next()] }.use,
    'endpoint.list.use must not be middleware, which takes (request, response, next): write server.use((request, response, next) => …)'],
  [function logged(req: object, res: object, next: () => void) { return [req, res, next()]; },
    'endpoint.list.use must not be middleware, which takes (request, response, next): write server.use(logged)'],
  [[{ around: (req: object, res: object, next: () => void) => [req, res, next()] }],
    'endpoint.list.use[0].around must not be middleware, which takes (request, response, next): write server.use((request, response, next) => …)'],
  [{ onRequest: function logged(req: object, res: object, next: () => void) { return [req, res, next()]; } },
    'endpoint.list.use.onRequest must not be middleware, which takes (request, response, next): write server.use(logged)'],
  [{}, 'endpoint.list.use needs around or onRequest: { around: (call, run) => run() }'],
  [{ around: 1 }, 'endpoint.list.use.around must be a function: number'],
  [[{ around: () => 1 }, { around: () => 1, before: 1 }],
    'unknown option endpoint.list.use[1].before: it can be one of around, onRequest, query, headers, errors, scopes'],
  [{ around: () => 1, query: 1 }, "endpoint.list.use.query must be a Standard Schema such as Zod's, or a function: number"],
  [{ around: () => 1, headers: bytes() }, 'endpoint.list.use.headers must be a schema or a function, not a format'],
  [{ around: () => 1, scopes: 'a' }, 'endpoint.list.use.scopes must be a list of strings: a'],
] as const) {
  registration(`TypeError: ${text}`, () => serve(() => {}, async ({ server }) => {
    assert.throws(() => declareList(use as never)(server), isTypeError(text));
    assert.equal(server.routes, []);
  }));
}
