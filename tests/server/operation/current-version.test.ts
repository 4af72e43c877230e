/** Who is asked for the version of an item that is to be changed, and what becomes of the change if that fails. */
import { anyone, bearer } from '../../../src/auth/index.ts';
import { ApiError, reply, type ApiRequest, type ContextRequest, type Interceptor } from '../../../src/index.ts';
import { CHANGES, Kennel, version } from '../../support/kennel.ts';
import { assert, check, delay, facts, Gate, head, message, RawClient, readProblem, send, serve, suite, waitUntil } from '../../support/facts.ts';

const IF_FIVE = 'PUT /v1/pet/rex {}\nIf-Match: "5"';
const IF_NONE = 'PUT /v1/pet/rex {}\nIf-None-Match: *';
const FAILED = '412 A condition of the request is not met.';
const PUT = message('PUT', '/v1/pet/rex?dry=1', '{}', ['If-Match: "5"']);
const FIRST = message('PUT', '/v1/pet/rex', '{}', ['If-None-Match: *']);

const asked = suite('V5: currentVersion');
for (const [given, ifMatch, ifNoneMatch] of [
  ['5', 204, 412], [5, 204, 412], [Promise.resolve('5'), 204, 412], ['4', 412, 412],
  [undefined, 412, 204], [Promise.resolve(undefined), 412, 204], [null, 412, 204],
] as const) {
  asked(`that gives ${JSON.stringify(given)}: If-Match: "5" -> ${ifMatch}, If-None-Match: * -> ${ifNoneMatch}; get is not asked`, async () => {
    const kennel = new Kennel();
    await check(kennel.declare({ version, currentVersion: () => given }), [IF_FIVE, IF_NONE], [ifMatch, ifNoneMatch].map((status) => (status === 412 ? FAILED : '204')));
    assert.equal(kennel.calls.filter((call) => call.startsWith('get')), []);
  });
}
facts(asked, new Kennel().declare({ version, currentVersion: () => { throw new Error('asked'); } }), [
  ['is not called for a request without conditions', 'PUT /v1/pet/rex {}', '204'],
  ['is not called for If-Unmodified-Since', 'PUT /v1/pet/rex {}\nIf-Unmodified-Since: Sun, 06 Nov 1994 08:49:37 GMT', '204'],
]);
for (const [given, text] of [[NaN, 'NaN'], [{}, 'object'], [true, 'boolean']] as const) {
  const kennel = new Kennel();
  facts(asked, kennel.declare({ currentVersion: () => given }), [
    [`that gives ${text}: nothing is changed`, IF_FIVE, '500',
      `PUT /v1/pet/:id: Internal error: currentVersion must return a string or a number: it returned ${text}`],
  ], { after: () => assert.equal(kennel.calls, []) });
}
asked('gets the id and a request of its own: the query of the target, and no If-Match', async () => {
  let seen: unknown;
  const currentVersion = (id: string, { query, headers, params, context, ifMatch, ifNoneMatch, lastEventId, route, raw, signal }: ApiRequest & { readonly headers?: unknown }): string => {
    seen = [id, String(query), headers, params, context, ifMatch, ifNoneMatch, lastEventId, route.method, raw.method, signal.aborted];
    return '5';
  };
  const update = { query: (query: unknown) => query, input: (json: unknown) => json, headers: (headers: unknown) => headers, run: () => {} };
  await serve(new Kennel().declare({ currentVersion, update }), async ({ port }) => {
    assert.is((await send(port, PUT)).status, 204);
    assert.equal(seen, ['rex', 'dry=1', undefined, {}, undefined, undefined, undefined, undefined, 'PUT', 'PUT', false]);
  });
});
asked('gets what interceptors have added: it reads in the transaction in which the change is made', async () => {
  const seen: unknown[] = [];
  const inTransaction: Interceptor<{ readonly tx: string }> = { around: (_call, run) => run({ tx: 'tx' }) };
  const numbered: Interceptor<{ readonly serial: number }> = { around: (_call, run) => run({ serial: 7 }) };
  const currentVersion = (id: string, request: ApiRequest & { readonly tx: string; readonly serial?: number }): string => {
    seen.push(['version', id, request.tx, request.serial, 'tx' in request, 'nothing' in request, request.ifMatch, request.signal.aborted]);
    return '5';
  };
  const update = { use: numbered, input: (json: unknown) => json, run: (id: string, _pet: unknown, { tx }: any) => void seen.push(['update', id, tx]) };
  await serve(new Kennel().declare({ use: inTransaction, get: undefined, currentVersion, update }), async ({ port }) => {
    assert.is((await send(port, PUT)).status, 204);
    assert.is((await send(port, message('DELETE', '/v1/pet/rex', '', ['If-Match: "4"']))).status, 412);
    assert.equal(seen, [
      ['version', 'rex', 'tx', 7, true, false, undefined, false], ['update', 'rex', 'tx'], ['version', 'rex', 'tx', undefined, true, false, undefined, false],
    ]);
  });
});

type Fail = () => unknown;

const failing = suite('V5: a get that fails when it is asked for a version');
for (const [why, fail, ifMatch, ifNoneMatch] of [
  ['404', () => { throw ApiError.notFound(); }, 412, 204],
  ['410', async () => { throw ApiError.status(410); }, 412, 204],
  ['not found, as its store says it', () => { throw Object.assign(new Error('none'), { code: 'P2025' }); }, 412, 204],
  ['a missing file', () => { throw Object.assign(new Error('none'), { code: 'ENOENT' }); }, 500, 500],
  ['401', () => { throw ApiError.status(401, 'who?', { headers: { 'WWW-Authenticate': 'Bearer' } }); }, 412, 412],
  ['403', async () => { throw ApiError.status(403, 'not yours'); }, 412, 412],
  ['429', () => { throw ApiError.status(429, 'later'); }, 429, 429],
  ['503', () => { throw ApiError.status(503, 'later'); }, 503, 503],
  ['a failure', () => { throw new Error('disk'); }, 500, 500],
  ['a failure later', async () => { throw new Error('disk'); }, 500, 500],
  ['a plain stream', () => (async function* () {})(), 500, 500],
] as readonly (readonly [string, Fail, number, number])[]) {
  for (const [operation, method, suffix, body] of CHANGES) {
    failing(`${why}: ${method} with If-Match: "5" -> ${ifMatch}, with If-None-Match: * -> ${ifNoneMatch}`, async () => {
      const kennel = new Kennel();
      await serve(kennel.declare({ version, get: fail }), async ({ port, errors }) => {
        for (const [condition, status] of [['If-Match: "5"', ifMatch], ['If-None-Match: *', ifNoneMatch]] as const) {
          const response = await send(port, message(method, `/v1/pet/rex${suffix}`, body, [condition]));
          assert.is(response.status, status === 204 && operation === 'feed' ? 200 : status);
        }
        assert.equal(kennel.calls, ifNoneMatch === 204 ? [`${operation} rex`] : []);
        assert.is(errors.length, ifMatch >= 500 ? 2 : 0);
      });
    });
  }
}
const mapError = (thrown: unknown): ApiError | undefined => ((thrown as Error).message === 'gone' ? ApiError.notFound() : undefined);
facts(failing, new Kennel().declare({ version, mapError, get: () => { throw new Error('gone'); } }), [
  ['is mapped by mapError, as if the operation had thrown', [IF_FIVE, IF_NONE], ['412 A condition of the request is not met.', '204']],
]);

const slow = suite('V5: a get that is slow when it is asked for a version');
slow('over operationMs -> 503, its signal aborts, and nothing is changed, even when it returns at last', async () => {
  const gate = new Gate();
  const kennel = new Kennel();
  let isAborted = false;
  const get = async (_id: string, { signal }: ApiRequest): Promise<unknown> => {
    signal.addEventListener('abort', () => (isAborted = true));
    await gate.passed;
    return { revision: 5 };
  };
  await serve(kennel.declare({ version, get }), async ({ port, errors }) => {
    assert.is(readProblem(await send(port, PUT)).status, 503);
    assert.ok(isAborted);
    gate.open();
    await delay(5);
    assert.equal(kennel.calls, []);
    assert.match(errors[0]?.message ?? '', /took longer than 50 ms/);
  }, { limits: { operationMs: 50 } });
});
slow('and a context that is: currentVersion is not asked after the 503', async () => {
  const gate = new Gate();
  const kennel = new Kennel();
  const declared = { context: () => gate.passed, currentVersion: () => kennel.calls.push('asked'), update: { context: () => 'admin', input: (json: unknown) => json, run: kennel.properties.update } };
  await serve(kennel.declare(declared), async ({ port, errors }) => {
    assert.is(readProblem(await send(port, PUT)).status, 503);
    gate.open();
    await delay(5);
    assert.equal(kennel.calls, []);
    assert.is(errors.length, 1);
  }, { limits: { operationMs: 50 } });
});
slow('while the client leaves: nothing is changed', async () => {
  const gate = new Gate();
  const kennel = new Kennel();
  let isAsked = false;
  let isAborted = false;
  const get = async (_id: string, { signal }: ApiRequest): Promise<unknown> => {
    isAsked = true;
    signal.addEventListener('abort', () => (isAborted = true));
    await gate.passed;
    return { revision: 5 };
  };
  await serve(kennel.declare({ version, get }), async ({ port }) => {
    const client = await RawClient.send(port, PUT);
    await waitUntil(() => isAsked, 'get to be asked');
    client.destroy();
    await waitUntil(() => isAborted, 'the signal');
    gate.open();
    await delay(5);
    assert.equal(kennel.calls, []);
  });
});
slow('while the body comes in: it is read whole', async () => {
  const gate = new Gate();
  let seen: unknown;
  const get = async (): Promise<unknown> => (await gate.passed, { revision: 5 });
  await serve(new Kennel().declare({ version, get, update: (_id: string, pet: unknown) => void (seen = pet) }), async ({ port, received }) => {
    const client = await RawClient.send(port, head('PUT', '/v1/pet/rex', ['If-Match: "5"', 'Content-Length: 9']));
    await waitUntil(() => received() === 1, 'the head');
    client.send('{"a":');
    await delay(5);
    client.send('[1]}');
    gate.open();
    assert.is((await client.response()).status, 204);
    assert.equal(seen, { a: [1] });
  });
});

/** Notes each context that is asked. */
class Callers {
  readonly asked: string[] = [];

  context(name: string, outcome: (request: ContextRequest<{}, string>) => unknown = () => name): (request: ContextRequest<{}, string>) => unknown {
    return (request) => {
      this.asked.push(`${name} for ${request.route.method} of ${String(request.itemId)}`);
      return outcome(request);
    };
  }
}

const reject = (): never => {
  throw ApiError.status(403, 'no');
};

const callers = suite('V6: the context with which a version is asked for');
for (const [why, outcome, status] of [
  ['the caller', undefined, 204],
  ['the caller, later', async () => 'ann', 204],
  ['a rejection', reject, 412],
  ['a rejection by a promise', async () => reject(), 412],
  ['the error', () => ApiError.status(401, 'who?', { headers: { 'WWW-Authenticate': 'Bearer' } }), 412],
  ['a 404, which hides the item', () => { throw ApiError.notFound(); }, 412],
  ['false', () => false, 412],
  ['a promise of false', async () => false, 412],
  ['a reply', () => reply(200), 412],
  ['a failure', () => { throw new Error('disk'); }, 500],
] as const) {
  callers(`of an update with its own context: the endpoint's gives ${why} -> ${status}`, async () => {
    const to = new Callers();
    let seen: unknown = 'nobody';
    await serve(new Kennel().declare({
      version, context: to.context('ann', outcome), currentVersion: (_id: string, request: ApiRequest) => { seen = request.context; return '5'; },
      update: { context: to.context('admin'), input: (json: unknown) => json, run: () => {} },
    }), async ({ port, errors }) => {
      for (const bytes of status === 412 ? [PUT, FIRST] : [PUT]) {
        to.asked.length = 0;
        const response = await send(port, bytes);
        assert.is(response.status, status);
        assert.is(response.headers.get('www-authenticate'), undefined);
        assert.equal([seen, to.asked], [status === 204 ? 'ann' : 'nobody', ['admin for PUT of rex', 'ann for PUT of rex']]);
      }
      assert.is(errors.length, status === 500 ? 1 : 0);
    });
  });
}
for (const [why, declare, expected, contexts] of [
  ['the endpoint has one: the same, once', (to: Callers) => ({ context: to.context('ann') }), 'ann', ['ann for PUT of rex']],
  ['there is none', () => ({}), undefined, []],
  ['get is for anyone', (to: Callers) => ({ context: to.context('ann'), getContext: anyone }), undefined, ['ann for PUT of rex']],
] as readonly (readonly [string, (to: Callers) => { context?: unknown; getContext?: unknown }, unknown, readonly string[]])[]) {
  callers(`of get, where ${why}`, async () => {
    const to = new Callers();
    const { context, getContext } = declare(to);
    let seen: unknown = 'nobody';
    await serve(new Kennel().declare({
      version,
      ...(context !== undefined && { context }),
      get: {
        ...(getContext !== undefined && { context: getContext }),
        run: (_id: string, request: ApiRequest) => { seen = request.context; return { revision: request.ifMatch === undefined ? 5 : 4 }; },
      },
    }), async ({ port }) => {
      assert.is((await send(port, PUT)).status, 204);
      assert.equal([seen, to.asked], [expected, contexts]);
    });
  });
}
callers("of currentVersion is the endpoint's", async () => {
  const to = new Callers();
  let seen: unknown;
  await serve(new Kennel().declare({
    context: to.context('ann'), currentVersion: (_id: string, { context }: ApiRequest) => { seen = context; return '5'; },
    update: { context: to.context('admin'), input: (json: unknown) => json, run: () => {} },
  }), async ({ port }) => {
    assert.is((await send(port, PUT)).status, 204);
    assert.equal([seen, to.asked], ['ann', ['admin for PUT of rex', 'ann for PUT of rex']]);
    assert.is((await send(port, message('DELETE', '/v1/pet/rex', '', ['If-Match: "5"']))).status, 204);
    assert.equal(to.asked.slice(2), ['ann for DELETE of rex']);
  });
});
callers('of currentVersion is none where only the operation has one', async () => {
  let seen: unknown = 'nothing';
  await check(new Kennel().declare({
    currentVersion: (_id: string, { context }: ApiRequest) => { seen = context; return '5'; },
    update: { context: () => 'admin', input: (json: unknown) => json, run: () => {} },
  }), IF_FIVE, '204 | Cache-Control: private, no-cache');
  assert.is(seen, undefined);
});
const guarded = new Kennel();
facts(callers, guarded.declare({ version, update: { context: reject, input: (json: unknown) => json, run: () => {} } }), [
  ['a caller who is rejected the operation learns nothing: get is not asked', IF_FIVE, '403 no | Cache-Control: private, no-cache'],
], { after: () => assert.equal(guarded.calls, []) });
callers("of get, with fewer scopes: a caller with the scopes of the operation", async () => {
  const kennel = new Kennel();
  const context = bearer((token) => ({ scopes: token.split('-') }), { getScopes: ({ scopes }: { scopes: string[] }) => scopes });
  const update = { scopes: ['read', 'write'], input: (json: unknown): unknown => json, run: kennel.properties.update };
  const requests = ['read', 'read-write'].map((token) => `${IF_FIVE}\nAuthorization: Bearer ${token}`);
  await check(kennel.declare({ version, context, scopes: ['read'], update }), requests, ['403 The caller needs the scopes read, write. | WWW-Authenticate: Bearer realm="api", error="insufficient_scope", scope="read write" | Cache-Control: private, no-cache', '204 | Cache-Control: private, no-cache']);
  assert.equal(kennel.calls, ['get rex', 'update rex']);
});
