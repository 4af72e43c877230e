/** The requests of a client, apart from the URL: headers, bodies, signals. And that each is sent once. */
import { getEventListeners } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bearer } from '../../src/auth/index.ts';
import { client, type ClientOptions, type ClientHeaders, type Operations } from '../../src/client/index.ts';
import { integerId, stringId } from '../../src/codecs/index.ts';
import { idempotent, memoryIdempotencyStore } from '../../src/interceptors/index.ts';
import { bytes, defineEndpoint, reply, type ApiServer } from '../../src/index.ts';
import { respondingWith, type Respond } from '../support/responding.ts';
import { calling, rejection } from '../support/calling.ts';
import { Gate, until } from '../support/gate.ts';
import { unhandledBy } from '../support/unhandled.ts';

const any = (json: unknown): unknown => json;
const things = defineEndpoint({
  id: integerId,
  schema: any,
  create: { use: idempotent(memoryIdempotencyStore()), run: () => 1 },
  get: (id) => id,
  update: () => {},
  delete: () => {},
  custom: {
    count: { run: () => 1 },
    echo: { input: any, run: (json) => json },
    maybe: { input: any, optional: true, run: (json) => ({ json: json ?? 'none' }) },
  },
});
interface Api {
  readonly '/thing': typeof things;
}
const declare = (server: ApiServer): void => server.registerEndpoint('/thing', things);

const signing = suite('the headers of a client');
const private_ = defineEndpoint({
  context: bearer((token) => (token === 'secret' ? { user: 'ann' } : undefined)),
  get: ({ context }) => context.user,
  update: { input: any, run: () => {} },
});
interface Private {
  readonly '/me': typeof private_;
}
const HEADERS: ClientHeaders = { Authorization: 'Bearer secret' };
for (const [what, headers] of [
  ['fields', HEADERS],
  ['a Headers', new Headers(HEADERS)],
  ['a function that gives fields', () => HEADERS],
  ['a function that gives a Headers', () => new Headers(HEADERS)],
  ['a function that promises fields', async () => HEADERS],
] as readonly (readonly [string, ClientOptions['headers']])[]) {
  signing(`${what} sign in`, () => calling((server) => server.registerEndpoint('/me', private_), async (calls) => {
    assert.is((await rejection(calls.connect<Private>().one('/me').get())).status, 401);
    const api = calls.connect<Private>({ headers }).one('/me');
    assert.is(await api.get(), 'ann');
    assert.is(await api.update({}), undefined);
  }));
}
signing('a function is called once for each request', () => calling(declare, async (calls) => {
  let called = 0;
  const api = calls.connect<Api>({ headers: () => ({ 'X-Call': String((called += 1)) }) })('/thing');
  await api.get(1);
  assert.is(calls.last().headers['x-call'], '1');
  await api.custom.count();
  assert.is(calls.last().headers['x-call'], '2');
}));
signing('a function that throws or rejects: its error, and nothing is sent', () => calling(declare, async (calls) => {
  const error = new Error('no token');
  for (const headers of [() => { throw error; }, () => Promise.reject(error)]) {
    assert.is(await rejection(calls.connect<Api>({ headers })('/thing').get(1)), error);
  }
  assert.equal(calls.requests, []);
}));
signing('those of a call are added, and replace fields of the same name in any case', () => calling(declare, async (calls) => {
  const api = calls.connect<Api>({ headers: { 'X-A': 'client', 'X-B': 'client' } })('/thing');
  for (const headers of [{ 'x-a': 'call', 'X-C': 'call' }, new Headers([['x-a', 'call'], ['X-C', 'call']])]) {
    await api.get(1, { headers });
    const { 'x-a': a, 'x-b': b, 'x-c': c } = calls.last().headers;
    assert.equal([a, b, c], ['call', 'client', 'call']);
  }
}));
signing('ifMatch is sent as If-Match, instead of another', async () => {
  const asked = await respondingWith((response) => response.writeHead(204).end(), async (base) => {
    const api = client<Api>(base)('/thing');
    await api.update(1, {}, { ifMatch: '"7"', headers: { 'if-match': '*' } });
    await api.delete(1);
  });
  assert.equal(asked.map(({ headers }) => headers['if-match']), ['"7"', undefined]);
});
signing('idempotencyKey is sent as a string of structured fields', async () => {
  const asked = await respondingWith((response) => response.writeHead(201).end(), async (base) => {
    const api = client<Api>(base)('/thing');
    for (const idempotencyKey of ['7c5d', 'a "quoted" \\ key']) await api.create({}, { idempotencyKey });
    await api.create({});
  });
  assert.equal(asked.map(({ headers }) => headers['idempotency-key']), ['"7c5d"', '"a \\"quoted\\" \\\\ key"', undefined]);
});
signing.run();

const bodies = suite('the body of a call');
for (const [json, text] of [
  [{ name: 'x', born: new Date(0), none: undefined }, '{"name":"x","born":"1970-01-01T00:00:00.000Z"}'],
  [[1, undefined], '[1,null]'],
  ['text', '"text"'],
  [null, 'null'],
  [false, 'false'],
  [0, '0'],
] as const) {
  bodies(`${text} is sent as JSON, with its type`, () => calling(declare, async ({ connect, last }) => {
    assert.equal(await connect<Api>()('/thing').custom.echo(json), JSON.parse(text));
    assert.equal([last().headers['content-type'], last().headers['content-length']], ['application/json', String(Buffer.byteLength(text))]);
  }));
}
bodies('undefined is not a body, but a POST still has the type', () => calling(declare, async ({ connect, last }) => {
  const api = connect<Api>()('/thing');
  assert.equal(await api.custom.maybe(), { json: 'none' });
  assert.equal([last().headers['content-type'], last().headers['content-length']], ['application/json', '0']);
  assert.equal(await api.custom.maybe(1), { json: 1 });
}));
bodies('a GET and a DELETE have neither a body nor a type', () => calling(declare, async ({ connect, requests }) => {
  await connect<Api>()('/thing').get(1);
  await connect<Api>()('/thing').delete(1);
  assert.equal(requests, ['GET /v1/thing/1', 'DELETE /v1/thing/1']);
}));
bodies('the call can set a different type of JSON', () => calling(declare, async ({ connect, last }) => {
  await connect<Api>()('/thing').update(1, {}, { headers: { 'Content-Type': 'application/merge-patch+json' } });
  assert.is(last().headers['content-type'], 'application/merge-patch+json');
}));
bodies('a value that JSON cannot represent -> TypeError, and nothing is sent', () => calling(declare, async ({ connect, requests }) => {
  assert.instance(await rejection(connect<Api>()('/thing').custom.echo(1n)), TypeError);
  assert.equal(requests, []);
}));

const store = defineEndpoint({
  id: stringId,
  custom: {
    size: {
      input: bytes(),
      run: async (body, { raw }) => {
        const chunks: Uint8Array[] = [];
        for await (const chunk of body) chunks.push(chunk);
        return { type: raw.headers['content-type'] ?? 'none', text: Buffer.concat(chunks).toString() };
      },
    },
  },
});
const BYTES = new TextEncoder().encode('abc');
for (const [what, body, type] of [
  ['a Uint8Array', BYTES, 'none'],
  ['a Buffer', Buffer.from('abc'), 'none'],
  ['an ArrayBuffer', BYTES.buffer, 'none'],
  ['a Blob with a type', new Blob(['abc'], { type: 'image/png' }), 'image/png'],
  ['a File', new File(['abc'], 'ant', { type: 'text/plain' }), 'text/plain'],
  ['a Blob without a type', new Blob(['abc']), 'none'],
] as const) {
  bodies(`${what} is sent unchanged, with the type: ${type}`, () => calling((server) => server.registerEndpoint('/store', store), async ({ connect }) => {
    assert.equal(await connect<{ '/store': typeof store }>()('/store').custom.size(body), { type, text: 'abc' });
  }));
}
bodies('a ReadableStream is sent as it comes, with the type of the call', () => calling((server) => server.registerEndpoint('/store', store), async ({ connect }) => {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of [BYTES, BYTES]) controller.enqueue(chunk);
      controller.close();
    },
  });
  const given = await connect<{ '/store': typeof store }>()('/store').custom.size(body, { headers: { 'Content-Type': 'image/png' } });
  assert.equal(given, { type: 'image/png', text: 'abcabc' });
}));
bodies.run();

/** An endpoint whose `get` waits for a gate. */
function waiting(gate: Gate) {
  return defineEndpoint({ id: integerId, get: (id) => gate.passed.then(() => id) });
}

const ending = suite('a call that is ended');
for (const [what, options, name] of [
  ['by its signal', () => ({ call: { signal: AbortSignal.timeout(20) } }), 'TimeoutError'],
  ['by its timeoutMs', () => ({ call: { timeoutMs: 20 } }), 'TimeoutError'],
  ["by the client's timeoutMs", () => ({ client: { timeoutMs: 20 } }), 'TimeoutError'],
  ['by its timeoutMs, with a signal too', () => ({ call: { timeoutMs: 20, signal: new AbortController().signal } }), 'TimeoutError'],
  ['by its signal, with a timeoutMs too', () => ({ call: { timeoutMs: 60_000, signal: AbortSignal.timeout(20) } }), 'TimeoutError'],
  ['before it began', () => ({ call: { signal: AbortSignal.abort() } }), 'AbortError'],
] as const) {
  ending(`${what} -> ${name}, and nothing is sent again`, async () => {
    const gate = new Gate();
    const waits = waiting(gate);
    await calling((server) => server.registerEndpoint('/waits', waits), async (calls) => {
      const { client: clientOptions = {}, call } = options() as { client?: ClientOptions; call?: object };
      const error = await rejection(calls.connect<{ '/waits': typeof waits }>(clientOptions)('/waits').get(1, call));
      assert.is(error.name, name);
      assert.ok(calls.requests.length <= 1);
      gate.open();
    });
  });
}
ending("the signal's own reason comes through, and the operation's signal aborts", async () => {
  const reason = new Error('the page was left');
  let isAborted = false;
  const waits = defineEndpoint({
    id: integerId,
    get: (_id, { signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve((isAborted = true)))),
  });
  await calling((server) => server.registerEndpoint('/waits', waits), async ({ connect, requests }) => {
    const controller = new AbortController();
    const call = rejection(connect<{ '/waits': typeof waits }>()('/waits').get(1, { signal: controller.signal }));
    await until(() => requests.length === 1, 'the request');
    controller.abort(reason);
    assert.is(await call, reason);
    await until(() => isAborted, "the operation's signal");
  });
});
ending('timeoutMs of a call replaces that of the client, and 0 means no limit', async () => {
  const gate = new Gate();
  const waits = waiting(gate);
  await calling((server) => server.registerEndpoint('/waits', waits), async (calls) => {
    const api = calls.connect<{ '/waits': typeof waits }>({ timeoutMs: 1 })('/waits');
    const given = [api.get(1, { timeoutMs: 0 }), api.get(2, { timeoutMs: 60_000 })];
    assert.is((await rejection(api.get(3))).name, 'TimeoutError');
    gate.open();
    assert.equal(await Promise.all(given), [1, 2]);
  });
});
ending('the time covers the function that makes the headers', () => calling(declare, async (calls) => {
  const timer = AbortSignal.timeout(1);
  const headers = (): Promise<ClientHeaders> => new Promise((resolve) => timer.addEventListener('abort', () => setTimeout(resolve, 20, {})));
  // Timers of this length end in this order.
  const error = await rejection(calls.connect<Api>({ headers, timeoutMs: 1 })('/thing').get(1));
  assert.is(error.name, 'TimeoutError');
  assert.equal(calls.requests, []);
}));
for (const [what, options, name] of [
  ['by its timeoutMs', () => ({ timeoutMs: 1 }), 'TimeoutError'],
  ['by its signal', () => ({ signal: AbortSignal.timeout(1) }), 'TimeoutError'],
  ['by its signal, with a timeoutMs too', () => ({ signal: AbortSignal.timeout(1), timeoutMs: 60_000 }), 'TimeoutError'],
  ['by its signal before it began', () => ({ signal: AbortSignal.abort() }), 'AbortError'],
] as const) {
  ending(`${what}, while its headers never arrive -> ${name}, and nothing is sent`, () => calling(declare, async (calls) => {
    const gate = new Gate();
    const api = calls.connect<Api>({ headers: () => gate.passed.then(() => ({})) })('/thing');
    // The timers of signals do not keep the process.
    const kept = setTimeout(() => {}, 60_000);
    const error = await rejection(api.get(1, options())).finally(() => clearTimeout(kept));
    assert.is(error.name, name);
    gate.open();
    await gate.passed;
    assert.equal(calls.requests, []);
  }));
}
ending('by its signal before it began, while its headers reject later: that rejection is handled', async () => {
  const failed = new Gate();
  const headers = async (): Promise<ClientHeaders> => {
    await failed.passed;
    throw new Error('no token');
  };
  let name = '';
  const unhandled = await unhandledBy(async () => {
    name = (await rejection(client<Api>('', { headers })('/thing').get(1, { signal: AbortSignal.abort() }))).name;
    failed.open();
  });
  assert.equal([name, unhandled], ['AbortError', []]);
});
for (const [what, headers] of [
  ['promised', async () => ({})],
  ['not to be had', () => Promise.reject(new Error('no token'))],
] as readonly (readonly [string, () => Promise<ClientHeaders>])[]) {
  ending(`a signal for many calls keeps nothing of one whose headers are ${what}`, async () => {
    const { signal } = new AbortController();
    const fetched = async (): Promise<Response> => Response.json(7);
    await client<Api>('', { headers, fetch: fetched })('/thing').get(1, { signal }).catch(() => {});
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(getEventListeners(signal, 'abort'), []);
  });
}
ending.run();

const fetching = suite('the option fetch');
fetching('sends the requests, and is called without a `this`', () => calling(declare, async ({ requests, ...calls }) => {
  const seen: unknown[] = [];
  const fetched = function (this: unknown, url: string, init: RequestInit): Promise<Response> {
    seen.push(this, url, init.method);
    return fetch(url, init);
  };
  assert.is(await calls.connect<Api>({ fetch: fetched })('/thing').get(1), 1);
  assert.equal(seen, [undefined, `${calls.url}/v1/thing/1`, 'GET']);
  assert.equal(requests, ['GET /v1/thing/1']);
}));
fetching('is looked for at each call, so that a test can replace the global one', async () => {
  const original = globalThis.fetch;
  const api = client<Api>('http://nowhere.invalid')('/thing');
  globalThis.fetch = async () => Response.json(7);
  try {
    assert.is(await api.get(1), 7);
  } finally {
    globalThis.fetch = original;
  }
});
fetching('gets the credentials of the client, and no others', async () => {
  const given: unknown[] = [];
  const fetched = async (_url: string, init: RequestInit): Promise<Response> => {
    given.push('credentials' in init ? init.credentials : 'none');
    return Response.json(7);
  };
  for (const options of [{ credentials: 'include' }, {}] as const) await client<Api>('', { fetch: fetched, ...options })('/thing').get(1);
  assert.equal(given, ['include', 'none']);
});
fetching("rejects: its own TypeError comes through, with fetch's cause", async () => {
  const error = await rejection(client<Api>('http://127.0.0.1:1')('/thing').get(1));
  assert.instance(error, TypeError);
  assert.is(error.message, 'fetch failed');
});
fetching.run();

const once = suite('a call is sent once');
for (const [what, respond, fails] of [
  ['got 503 with Retry-After', (response) => response.writeHead(503, { 'Retry-After': '0' }).end(), 'ProblemError'],
  ['got 429', (response) => response.writeHead(429).end(), 'ProblemError'],
  ['got 401 with a challenge', (response) => response.writeHead(401, { 'WWW-Authenticate': 'Basic' }).end(), 'ProblemError'],
  ['got 307, which means to send it again elsewhere', (response) => response.writeHead(307, { Location: '/other' }).end(), 'ProblemError'],
  ['got 301, of which fetch would make a GET', (response) => response.writeHead(301, { Location: '/other' }).end(), 'ProblemError'],
  ['without a response', (_response, _asked, { socket }) => socket.destroy(), 'TypeError'],
  ['with half a response', (response, _asked, { socket }) => {
    response.writeHead(200, { 'Content-Length': '10' }).write('1234');
    setImmediate(() => socket.destroy());
  }, 'TypeError'],
] as readonly (readonly [string, Respond, string])[]) {
  for (const [kind, call] of [
    ['GET', (api) => api.get(1)],
    ['POST', (api) => api.create({})],
    ['PUT', (api) => api.update(1, {})],
  ] as readonly (readonly [string, (api: Operations<typeof things>) => Promise<unknown>])[]) {
    once(`a ${kind}, ${what} -> ${fails}`, async () => {
      const asked = await respondingWith(respond, async (base) => assert.is((await rejection(call(thingsAt(base)))).name, fails));
      assert.is(asked.length, 1);
    });
  }
}
once.run();

function thingsAt(base: string) {
  return client<Api>(base)('/thing');
}

const streamed = suite('a call whose response is a stream');
streamed('is ended by its signal while its body is read', async () => {
  const endless = defineEndpoint({ id: stringId, get: () => reply(200, endlessly(), { 'Content-Type': 'text/plain' }) });
  await calling((server) => server.registerEndpoint('/endless', endless), async ({ connect }) => {
    const controller = new AbortController();
    const options = { signal: controller.signal, onResponse: () => setImmediate(() => controller.abort()) };
    const api = connect<{ '/endless': typeof endless }>()('/endless');
    assert.is((await rejection(api.get('x', options))).name, 'AbortError');
    const raw = new AbortController();
    const response = await api.get('x', { raw: true, signal: raw.signal });
    const text = rejection(response.text());
    raw.abort();
    assert.is((await text).name, 'AbortError');
  });
});
streamed.run();

async function* endlessly(): AsyncGenerator<string> {
  for (;;) yield await new Promise<string>((resolve) => setTimeout(resolve, 1, 'x'));
}
