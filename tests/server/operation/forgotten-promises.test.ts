/** Promises that the package gives to the user's code, and that nothing waits for; and web responses in place of replies. */
import { createDecoder, mergePatch, ndjson, readAll } from '../../../src/formats/index.ts';
import { ApiError, created, defineFormat, integerId, problem, reply, type Interceptor } from '../../../src/index.ts';
import { idempotent, pages } from '../../../src/interceptors/index.ts';
import { captureUnhandled } from '../../support/capture-unhandled.ts';
import { makeServer } from '../../support/fetch-server.ts';
import { assert, message, RawClient, serve, suite } from '../../support/facts.ts';

const fail = (): never => { throw new Error('lost'); };
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const returnSame = (value: unknown): any => value;
const send = (method: string, body: string, type = 'application/json'): RequestInit => ({ method, body, headers: { 'content-type': type } });

/** The status of a response, and the log, after whatever nothing waits for is over. */
async function assertHandled(endpoint: object, path: string, init: RequestInit, status: number, logs: readonly string[]): Promise<void> {
  const { server, errors } = makeServer();
  server.registerEndpoint('/it', endpoint as never);
  const seen: number[] = [];
  const unhandled = await captureUnhandled(async () => {
    seen.push((await server.fetch(`/v1/it${path}`, init)).status);
    await nextTurn();
  });
  assert.equal([unhandled, seen, errors.map((error) => error.message)], [[], [status], logs]);
}

const patches = suite('F10: the function of mergePatch, without await');
const LOST = 'PATCH /v1/it: Internal error: the function of mergePatch returned a promise, and run did not wait for it: await change(item)';
for (const [what, item, run, status, logs] of [
  ['whose patch is valid', returnSame, (change: any) => void { ...change({}) }, 500, [LOST]],
  ['whose patch is not valid', fail, (change: any) => void { ...change({}) }, 500, [LOST]],
  ['in an async run', fail, async (change: any) => { change({}); await nextTurn(); }, 500, [LOST]],
  ['after one that was awaited', returnSame, async (change: any) => { await change({}); change({}); }, 500, [LOST]],
  ['in a run that throws', fail, (change: any) => { change({}); throw new Error('first'); }, 500, ['PATCH /v1/it: Internal error: first']],
  ['but returned', returnSame, (change: any) => change({}), 200, []],
  ['but in Promise.all', returnSame, (change: any) => Promise.all([change({}), change({})]), 200, []],
  ['but with a then that nothing waits for', fail, (change: any) => { void change({}).then(returnSame); return 1; }, 200,
    ['PATCH /v1/it: nothing waits for the promise of the function of mergePatch, which failed: Bad arguments: lost']],
  ['but with a then that nothing waits for, in an async run', fail, async (change: any) => { void change({}).then(returnSame); await nextTurn(); return 1; }, 200,
    ['PATCH /v1/it: nothing waits for the promise of the function of mergePatch, which failed: Bad arguments: lost']],
  ['after the operation', fail, (change: any) => { setImmediate(() => change({})); return 1; }, 200,
    ['PATCH /v1/it: nothing waits for the promise of the function of mergePatch, which failed: Bad arguments: lost']],
] as const) {
  patches(`${what} -> ${status}`, () => assertHandled(
    { get: () => 1, patch: { input: mergePatch(item), output: returnSame, run } }, '', send('PATCH', '{"a":1}'), status, logs,
  ));
}

const forgotten = suite('N2 E10: a promise that the user\'s code forgets');
for (const [what, around, logs] of [
  ['call.encode()', (call: any) => { call.encode(() => {}); return 1; },
    ['GET /v1/it: endpoint.use.around did not wait for call.encode(), and call.encode() failed: the result cannot be written as JSON: it is of type function']],
  ['call.encode() with an await that is too late', async (call: any) => {
    const encoding = call.encode(() => {});
    await nextTurn();
    return encoding.catch(() => 1);
  }, []],
] as const) {
  forgotten(`${what}: 200, and ${logs.length === 0 ? 'nothing is logged' : 'the failure is logged'}`, () => {
    return assertHandled({ use: { around } as Interceptor, get: () => 2 }, '', {}, 200, logs);
  });
}
forgotten('the run of an idempotency store: a logged 500, and the failure is logged', () => {
  const store = { once: (_claim: unknown, run: (adds: object) => Promise<unknown>) => { void run({}); return 'done' as const; } };
  const endpoint = { custom: { go: { use: idempotent(store as never), run: fail } } };
  return assertHandled(endpoint, '/go', { method: 'POST' }, 500, [
    'POST /v1/it/go: Internal error: the result is undefined: return a value, or reply(204)',
    'POST /v1/it/go: endpoint.custom.go.use.around did not wait for run(), and run() failed: lost',
  ]);
});
forgotten('the run of an around in place of that of pages: 200, and the failure is logged', () => {
  const use = { ...pages({ cursor: returnSame }), around: (_: unknown, run: any) => { void run({}); return [1]; } };
  return assertHandled({ id: integerId, list: { use, run: fail } } as never, '', {}, 200, [
    'GET /v1/it: endpoint.list.use.around did not wait for run(), and run() failed: lost',
  ]);
});
const rejecting = { '~standard': { version: 1, vendor: 'test', validate: async () => ({ issues: [{ message: 'no' }] }) } } as const;
for (const [what, decode] of [
  ['createDecoder', (): number => { void createDecoder(rejecting)(1); return 1; }],
  ['readAll', (): number => { void readAll((async function* () { fail(); })()); return 1; }],
] as const) {
  forgotten(`the promise of ${what}: 200, and nothing is logged`, () => {
    const input = defineFormat({ types: ['a/b'], decode });
    return assertHandled({ custom: { go: { input, run: returnSame } } }, '/go', send('POST', 'a', 'a/b'), 200, []);
  });
}
for (const [what, item] of [['a decoder', fail], ['an asynchronous decoder', async () => fail()]] as const) {
  forgotten(`a line that ${what} rejects, and that is awaited later: 400`, () => {
    const run = async (items: AsyncIterable<unknown>): Promise<unknown> => {
      const first = items[Symbol.asyncIterator]().next();
      await nextTurn();
      return first;
    };
    return assertHandled({ custom: { go: { input: ndjson(item), run } } }, '/go', send('POST', '1\n', 'application/x-ndjson'), 400, [
      'POST /v1/it/go: Bad arguments: lost',
    ]);
  });
}

const lost = (): Promise<never> => Promise.reject(new Error('lost'));
const values = suite('a promise where a value is expected');
for (const [what, run, said] of [
  ['the id of created', () => created(lost() as never), 'the id of created must not be a promise: await it'],
  ['the body of created', () => created(1, lost() as never), 'the body of a reply must not be a promise: await it'],
  ['both of created', () => created(lost() as never, lost() as never), 'the id of created must not be a promise: await it'],
  ['the body of created without an id', () => created(undefined as never, lost() as never), 'the id of created must not be undefined'],
  ['the body and the headers of created', () => created(1, lost() as never, lost() as never), 'the body of a reply must not be a promise: await it'],
  ['the status of a reply', () => reply(lost() as never), 'the status of a reply must not be a promise: await it'],
  ['the body of a reply with a wrong status', () => reply(600 as never, lost() as never), 'the status of a reply must be from 200 to 399: 600'],
  ['the status of a problem', () => problem(lost() as never), 'status must not be a promise: await it'],
  ['the detail of a problem', () => problem(409, lost() as never), 'detail must not be a promise: await it'],
  ['the message of an ApiError', () => { throw ApiError.argument(lost() as never); }, 'message must not be a promise: await it'],
  ['the message of an internal one', () => { throw ApiError.internal(lost() as never); }, 'message must not be a promise: await it'],
] as const) {
  values(`${what}: 500, and the log says: ${said}`, () => assertHandled({ get: run }, '', {}, 500, [`GET /v1/it: Internal error: ${said}`]));
}
for (const [what, child, why] of [
  ['an async child', async () => ({ error() {} }), 'child must not be async: it returned a promise'],
  ['an async child that rejects', lost, 'child must not be async: it returned a promise'],
  ['a child that throws', () => fail(), 'lost'],
  ['a child without error', () => ({}), 'checkSync(...).error is not a function'],
] as const) {
  values(`${what} of a logger: the error is logged, and why it has no child`, async () => {
    const messages: string[] = [];
    const logger = { info() {}, error: ({ message }: Error) => messages.push(message), bindings: () => ({}), child };
    const { server } = makeServer({ logger, requestId: { generate: () => 'one' } });
    server.registerEndpoint('/it', { get: fail });
    assert.equal(await captureUnhandled(async () => {
      assert.is((await server.fetch('/v1/it')).status, 500);
      await nextTurn();
    }), []);
    assert.equal(messages.length, 2);
    assert.match(messages[0] ?? '', `logger.child failed: ${why.startsWith('checkSync') ? '' : why}`);
    assert.is(messages[1], 'GET /v1/it (request one): Internal error: lost');
  });
}

const web = suite('A10: a web Response as a result');
const RESULT = 'GET /v1/it: Internal error: the result is a Response: return reply(status, body, headers)';
const CONTEXT = 'GET /v1/it: Internal error: a context must not be a web Response: to reject the caller, throw an ApiError';
for (const [what, endpoint, logs, init] of [
  ['of get', { get: () => new Response('a') }, RESULT],
  ['of an async get', { get: async () => new Response('a') }, RESULT],
  ['of get with output', { get: { output: returnSame, run: () => new Response('a') } }, RESULT],
  ['of get, in a reply', { get: () => reply(200, new Response('a')) }, RESULT],
  ['of an interceptor', { use: { around: () => new Response('a') }, get: () => 1 }, RESULT],
  ['of delete', { delete: () => new Response('a') }, RESULT.replace('GET', 'DELETE'), { method: 'DELETE' }],
  ['of update', { update: { input: returnSame, run: () => new Response('a') } }, RESULT.replace('GET', 'PUT'), send('PUT', '1')],
  ['of a context', { context: () => new Response('no', { status: 401 }), get: () => 1 }, CONTEXT],
] as readonly (readonly [string, object, string, RequestInit?])[]) {
  web(`${what} -> 500, logged`, () => assertHandled(endpoint, '', init ?? {}, 500, [logs]));
}
web('a Blob too: its bytes would be lost', () => assertHandled({ get: () => new Blob(['a']) }, '', {}, 500, [RESULT.replace('Response', 'Blob')]));
web('an object that is empty in JSON, and a list of such objects, are results', async () => {
  class Empty {}
  for (const result of [{}, new Empty(), [{}], [new Empty(), {}]]) await assertHandled({ get: () => result }, '', {}, 200, []);
});

const wire = suite('a bad PATCH of a client, that the operation does not wait for');
wire('500, logged, and the connection and the process stay', () => serve((server) => server.registerEndpoint('/it', {
  get: () => 1, patch: { input: mergePatch(fail), run: (change: any) => void { ...change({}) } },
} as never), async ({ port, errors }) => {
  const unhandled = await captureUnhandled(async () => {
    const client = await RawClient.send(port, message('PATCH', '/v1/it', '{"name":7}', ['Content-Type: application/merge-patch+json']) + message('GET', '/v1/it'));
    assert.is((await client.response()).status, 500);
    assert.is((await client.response()).status, 200);
  });
  assert.equal([unhandled, errors.map((error) => error.message)], [[], [LOST]]);
}));
