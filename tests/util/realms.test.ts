/**
 * Test environments: objects of a different realm, which are not instances of the classes of here, and mock timers, which nobody advances. The
 * packages themselves are run by `tests/compat/dom-environments.peer.js`.
 */
import { runInNewContext } from 'node:vm';
import { client, ProblemError, toFormData } from '../../src/client/index.ts';
import { events, ndjson, readAll } from '../../src/formats/index.ts';
import { dateKey } from '../../src/interceptors/index.ts';
import { ApiError, bytes, defineEndpoint, reply } from '../../src/index.ts';
import { keyset } from '../../src/postgres/index.ts';
import { isPlainObject } from '../../src/util/options.ts';
import { isError, isInstance } from '../../src/util/promises.ts';
import { makeRevokedProxy } from '../support/failing-operations.ts';
import { makeServer, makeServerRunning, makeStream } from '../support/fetch-server.ts';
import { captureError } from '../support/serve-with-client.ts';
import { assert, isTypeError, suite } from '../support/facts.ts';

/** Evaluates an expression in a different realm. */
const other = (expression: string): any => runInNewContext(expression);
const acceptAny = (json: unknown): any => json;

/** Replaces global names while `use` runs. */
async function withGlobals(names: Readonly<Record<string, unknown>>, use: () => Promise<unknown>): Promise<void> {
  const kept = Object.keys(names).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
  for (const [name, value] of Object.entries(names)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  try {
    await use();
  } finally {
    for (const [name, descriptor] of kept) Object.defineProperty(globalThis, name, descriptor as PropertyDescriptor);
  }
}

const values = suite('values of a different realm');
for (const [what, holds, expected] of [
  ['a date', () => isInstance(other('new Date(0)'), Date), true],
  ['an error', () => isError(other('new RangeError("late")')), true],
  ['an object with the properties of an error', () => isError(other('({ message: "late", stack: "" })')), false],
  ['an error, and not a RangeError', () => isInstance(other('new Error()'), RangeError), false],
  ['a revoked proxy', () => isError(makeRevokedProxy()), false],
  ['a plain object', () => isPlainObject(other('({})')), true],
  ['an instance of a class', () => isPlainObject(other('new (class Pet {})()')), false],
  ['a map', () => isPlainObject(other('new Map()')), false],
] as const) {
  values(`${what}: ${expected}`, () => assert.is(holds(), expected));
}
values('a date is a key of a list, and a cursor of a table', () => {
  const date = other('new Date(0)') as Date;
  assert.is(dateKey.format(date), '1970-01-01T00:00:00.000Z');
  assert.equal(keyset({ by: 'born', after: { id: 7, key: date } }, { id: 'id', born: 'born' }).values, [date, 7]);
});
values('the bytes of ALPN protocols are read', () => {
  for (const ALPNProtocols of [other('Uint8Array.of(2, 104, 50)'), [other('Uint8Array.of(104, 50)')]]) {
    assert.throws(() => makeServer({ tls: { cert: 'a', key: 'b', ALPNProtocols } }),
      isTypeError('tls.ALPNProtocols must not have "h2": the server has no HTTP/2'));
  }
});

const served = suite('server.fetch with objects of a different realm');
for (const [what, run, expected, ...logged] of [
  ['an error is thrown', () => { throw other('new RangeError("late")'); }, '500', 'GET /v1/it/:id: Internal error: late'],
  ['an error is returned', () => other('new RangeError("late")'), '500',
    'GET /v1/it/:id: Internal error: the result is an error: throw it, or return problem(status)'],
  ['a copy of an ApiError is thrown', () => { throw other('Object.assign(new Error("late"), { name: "ApiError", kind: "Status" })'); },
    '500', 'GET /v1/it/:id: Internal error: late'],
  ['headers', () => reply(200, 'Rex', other('({ "X-Legs": "4" })')), '200 X-Legs: 4 "Rex"'],
  ['bytes', () => reply(200, other('Uint8Array.of(82, 101, 120)'), { 'Content-Type': 'text/plain', 'X-Legs': '4' }), '200 X-Legs: 4 Rex'],
] as readonly (readonly [string, () => unknown, string, ...string[]])[]) {
  served(`${what} -> ${expected}`, async () => {
    const { server, errors } = makeServerRunning(run);
    const response = await server.fetch('/v1/it/7');
    assert.is(`${response.status}${response.ok ? ` X-Legs: ${response.headers.get('x-legs')} ${await response.text()}` : ''}`, expected);
    assert.equal(errors.map(({ message }) => message), logged);
  });
}
for (const [what, makeBody] of [
  ['a body of bytes', () => other('Uint8Array.of(123, 125)')],
  ['a stream of them', () => new ReadableStream({ start: (controller) => { controller.enqueue(other('Uint8Array.of(123, 125)')); controller.close(); } })],
] as const) {
  served(`${what} is read, by an interceptor too`, async () => {
    const { server } = makeServer();
    const raw: unknown[] = [];
    server.registerEndpoint('/it', defineEndpoint({
      use: { around: (call, run) => (raw.push(call.body?.length), run()) },
      custom: { echo: { input: acceptAny, run: acceptAny } },
    }));
    const sent = { method: 'POST', body: makeBody(), duplex: 'half', headers: { 'Content-Type': 'application/json' } };
    assert.is(await (await server.fetch('/v1/it/echo', sent as RequestInit)).text(), '{}');
    assert.equal(raw, [2]);
  });
}
served('the window has a Uint8Array, a Request and an AbortController of its own', async () => {
  const { server, errors } = makeServer();
  server.registerEndpoints({
    '/it': defineEndpoint({ custom: { echo: { input: acceptAny, run: acceptAny } } }),
    '/event': defineEndpoint({ get: { output: events(acceptAny), run: async function* ({ signal }) { if (!signal.aborted) yield { data: 1 }; } } }),
  });
  const signal = { aborted: false, addEventListener() {}, removeEventListener() {}, throwIfAborted() {} };
  const request = new Request('http://localhost/v1/it/echo', { method: 'POST', body: '{"legs":4}', headers: { 'Content-Type': 'application/json' } });
  const listening = new Request('http://localhost/v1/event');
  await withGlobals({ Uint8Array: other('Uint8Array'), Request: class {}, AbortController: class { signal = signal; } }, async () => {
    assert.is(await (await server.fetch(request)).text(), '{"legs":4}');
    assert.is(await (await server.fetch(listening)).text(), 'data: 1\n\n');
  });
  assert.equal(errors, []);
});

const timed = suite('mock timers that nobody advances');
const never = (): object => ({ unref: () => {} });
const COUNT = 20_000;
timed('streams in both directions, a late first item, an abort and a stop go on', async () => {
  const { server, errors } = makeServer();
  server.registerEndpoint('/item', defineEndpoint({
    custom: {
      all: { method: 'GET', output: ndjson(acceptAny), run: async function* () { for (let at = 0; at < COUNT; at += 1) yield { at }; } },
      count: { input: ndjson(acceptAny), run: async (items) => { let count = 0; for await (const _ of items) count += 1; return count; } },
      size: { input: bytes(), run: async (body) => (await readAll(body)).length },
      late: { method: 'GET', output: ndjson(acceptAny), run: async function* ({ signal }) { await new Promise((resolve) => signal.addEventListener('abort', resolve)); } },
    },
  }));
  const base = await server.start('127.0.0.1:0');
  const fakes = Object.fromEntries(['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'clearImmediate'].map((name) => [name, never]));
  await withGlobals({ ...fakes, performance: { ...performance, now: () => 0 } }, async () => {
    const items = client<any>('http://localhost/v1', { fetch: server.fetch })('/item').custom as any;
    let count = 0;
    for await (const _ of items.all.get()) count += 1;
    assert.is(count, COUNT);
    assert.is(await items.count((async function* () { for (let at = 0; at < COUNT; at += 1) yield { at }; })()), COUNT);
    assert.is(await items.size(makeStream(...Array.from({ length: 40 }, () => 'x'.repeat(1000)))), 40_000);
    const controller = new AbortController();
    const { body } = await items.late.get({ raw: true, signal: controller.signal });
    controller.abort(new Error('left'));
    assert.is((await captureError(body.getReader().read())).message, 'left');
    assert.is((await fetch(`${base.ok && base.url}/v1/none`)).status, 404);
    await server.stop();
  });
  assert.equal(errors, []);
});

const called = suite('the client in a test environment with a DOM');
/** A class of a window, without a tag. */
class WindowForm { getAll(): void {} }
class WindowBlob { arrayBuffer(): void {} }
class WindowStream { getReader(): void {} }
for (const [what, body, isEncoded] of [
  ['a form', new WindowForm(), true],
  ['a Blob', new WindowBlob(), true],
  ['a stream', new WindowStream(), true],
  ['bytes', other('Uint8Array.of(1)'), true],
  ['JSON with their names', { getAll: 1, arrayBuffer: null, getReader: 'x' }, false],
  ['no body', null, false],
] as const) {
  called(`${what}: ${isEncoded ? 'sent as it is' : 'JSON'}`, async () => {
    const sent: RequestInit[] = [];
    const send = async (_url: string, init: RequestInit) => (sent.push(init), new Response(null, { status: 204 }));
    await (client<any>('http://localhost', { fetch: send })('/pet') as any).update(7, body);
    assert.is(sent[0]?.body, isEncoded ? body : JSON.stringify(body));
    assert.is((sent[0]?.headers as Headers).has('content-type'), !isEncoded);
  });
}
called('a stream is not sent again, and an error of a different realm has the URL', async () => {
  let calls = 0;
  const send = async () => { calls += 1; throw other('new TypeError("fetch failed")'); };
  const pets = client<any>('http://localhost', { fetch: send, retries: { attempts: 1, maxDelayMs: 1 } })('/pet') as any;
  assert.is((await captureError(pets.update(7, new WindowStream()))).message, 'fetch failed: http://localhost/pet/7');
  assert.is(calls, 1);
});
called('an error is read without the Blob of the window', async () => {
  const { fetch: send } = makeServerRunning(() => { throw ApiError.status(409, 'Locked.', { extensions: { legs: 3 } }); }).server;
  await withGlobals({ Blob: class {} }, async () => {
    const error = await captureError((client<any>('http://localhost/v1', { fetch: send })('/it') as any).get(7)) as ProblemError;
    assert.equal([error.constructor, error.problem['legs'], JSON.parse(await error.response.text()).legs], [ProblemError, 3, 3]);
  });
});
called('a query and a form of a different window are read', async () => {
  const urls: string[] = [];
  const send = async (url: string) => (urls.push(url), new Response('{}', { headers: { 'Content-Type': 'application/json' } }));
  await (client<any>('http://localhost', { fetch: send })('/pet') as any).get(7, { query: new Map([['name', 'Rex']]) });
  assert.equal(urls, ['http://localhost/pet/7?name=Rex']);
  assert.equal([...toFormData(new Map([['name', 'Rex']]))], [['name', 'Rex']]);
});
