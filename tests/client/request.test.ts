/** The requests of a client, apart from the URL: headers, bodies, signals. And that each is sent once. */
import { getEventListeners } from 'node:events';
import { bearer } from '../../src/auth/index.ts';
import { client, type ClientOptions, type ClientHeaders, type Operations, integerId, stringId, wait } from '../../src/client/index.ts';
import { idempotent, memoryIdempotencyStore } from '../../src/interceptors/index.ts';
import { bytes, defineEndpoint, reply, type ApiServer } from '../../src/index.ts';
import { serveResponses, type Respond } from '../support/serve-responses.ts';
import { serveWithClient, captureError } from '../support/serve-with-client.ts';
import { captureUnhandled } from '../support/capture-unhandled.ts';
import { assert, Gate, suite, waitUntil } from '../support/facts.ts';

const acceptAny = (json: unknown): unknown => json;
const things = defineEndpoint({
  id: integerId,
  schema: acceptAny,
  create: { use: idempotent(memoryIdempotencyStore()), run: () => 1 },
  get: (id) => id,
  update: () => {},
  delete: () => {},
  custom: {
    count: { run: () => 1 },
    echo: { input: acceptAny, run: (json) => json },
    maybe: { input: acceptAny, optional: true, run: (json) => ({ json: json ?? 'none' }) },
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
  update: { input: acceptAny, run: () => {} },
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
  signing(`${what} sign in`, () => serveWithClient((server) => server.registerEndpoint('/me', private_), async (calls) => {
    assert.is((await captureError(calls.connect<Private>().one('/me').get())).status, 401);
    const api = calls.connect<Private>({ headers }).one('/me');
    assert.is(await api.get(), 'ann');
    assert.is(await api.update({}), undefined);
  }));
}
signing('a function is called once for each request', () => serveWithClient(declare, async (calls) => {
  let called = 0;
  const api = calls.connect<Api>({ headers: () => ({ 'X-Call': String((called += 1)) }) })('/thing');
  await api.get(1);
  assert.is(calls.last().headers['x-call'], '1');
  await api.custom.count();
  assert.is(calls.last().headers['x-call'], '2');
}));
signing('a function that throws or rejects: its error, and nothing is sent', () => serveWithClient(declare, async (calls) => {
  const error = new Error('no token');
  for (const headers of [() => { throw error; }, () => Promise.reject(error)]) {
    assert.is(await captureError(calls.connect<Api>({ headers })('/thing').get(1)), error);
  }
  assert.equal(calls.requests, []);
}));
signing('those of a call are added, and replace fields of the same name in any case', () => serveWithClient(declare, async (calls) => {
  const api = calls.connect<Api>({ headers: { 'X-A': 'client', 'X-B': 'client' } })('/thing');
  for (const headers of [{ 'x-a': 'call', 'X-C': 'call' }, new Headers([['x-a', 'call'], ['X-C', 'call']])]) {
    await api.get(1, { headers });
    const { 'x-a': a, 'x-b': b, 'x-c': c } = calls.last().headers;
    assert.equal([a, b, c], ['call', 'client', 'call']);
  }
}));
signing('ifMatch is sent as If-Match, instead of another', async () => {
  const asked = await serveResponses((response) => response.writeHead(204).end(), async (base) => {
    const api = client<Api>(base)('/thing');
    await api.update(1, {}, { ifMatch: '"7"', headers: { 'if-match': '*' } });
    await api.delete(1);
  });
  assert.equal(asked.map(({ headers }) => headers['if-match']), ['"7"', undefined]);
});
signing('idempotencyKey is sent as a string of structured fields', async () => {
  const asked = await serveResponses((response) => response.writeHead(201).end(), async (base) => {
    const api = client<Api>(base)('/thing');
    for (const idempotencyKey of ['7c5d', 'a "quoted" \\ key']) await api.create({}, { idempotencyKey });
    await api.create({});
  });
  assert.equal(asked.map(({ headers }) => headers['idempotency-key']), ['"7c5d"', '"a \\"quoted\\" \\\\ key"', undefined]);
});

const bodies = suite('the body of a call');
for (const [json, text] of [
  [{ name: 'x', born: new Date(0), none: undefined }, '{"name":"x","born":"1970-01-01T00:00:00.000Z"}'],
  [[1, undefined], '[1,null]'],
  ['text', '"text"'],
  [null, 'null'],
  [false, 'false'],
  [0, '0'],
] as const) {
  bodies(`${text} is sent as JSON, with its type`, () => serveWithClient(declare, async ({ connect, last }) => {
    assert.equal(await connect<Api>()('/thing').custom.echo(json), JSON.parse(text));
    assert.equal([last().headers['content-type'], last().headers['content-length']], ['application/json', String(Buffer.byteLength(text))]);
  }));
}
bodies('undefined is not a body, but a POST still has the type', () => serveWithClient(declare, async ({ connect, last }) => {
  const api = connect<Api>()('/thing');
  assert.equal(await api.custom.maybe(), { json: 'none' });
  assert.equal([last().headers['content-type'], last().headers['content-length']], ['application/json', '0']);
  assert.equal(await api.custom.maybe(1), { json: 1 });
}));
bodies('a GET and a DELETE have neither a body nor a type', () => serveWithClient(declare, async ({ connect, requests }) => {
  await connect<Api>()('/thing').get(1);
  await connect<Api>()('/thing').delete(1);
  assert.equal(requests, ['GET /v1/thing/1', 'DELETE /v1/thing/1']);
}));
bodies('the call can set a different type of JSON', () => serveWithClient(declare, async ({ connect, last }) => {
  await connect<Api>()('/thing').update(1, {}, { headers: { 'Content-Type': 'application/merge-patch+json' } });
  assert.is(last().headers['content-type'], 'application/merge-patch+json');
}));
bodies('a value that JSON cannot represent -> TypeError, and nothing is sent', () => serveWithClient(declare, async ({ connect, requests }) => {
  assert.instance(await captureError(connect<Api>()('/thing').custom.echo(1n)), TypeError);
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
  bodies(`${what} is sent unchanged, with the type: ${type}`, () => serveWithClient((server) => server.registerEndpoint('/store', store), async ({ connect }) => {
    assert.equal(await connect<{ '/store': typeof store }>()('/store').custom.size(body), { type, text: 'abc' });
  }));
}
bodies('a ReadableStream is sent as it comes, with the type of the call', () => serveWithClient((server) => server.registerEndpoint('/store', store), async ({ connect }) => {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of [BYTES, BYTES]) controller.enqueue(chunk);
      controller.close();
    },
  });
  const given = await connect<{ '/store': typeof store }>()('/store').custom.size(body, { headers: { 'Content-Type': 'image/png' } });
  assert.equal(given, { type: 'image/png', text: 'abcabc' });
}));

/** An endpoint whose `get` waits for a gate. */
function makeWaiting(gate: Gate) {
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
    const waits = makeWaiting(gate);
    await serveWithClient((server) => server.registerEndpoint('/waits', waits), async (calls) => {
      const { client: clientOptions = {}, call } = options() as { client?: ClientOptions; call?: object };
      const error = await captureError(calls.connect<{ '/waits': typeof waits }>(clientOptions)('/waits').get(1, call));
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
  await serveWithClient((server) => server.registerEndpoint('/waits', waits), async ({ connect, requests }) => {
    const controller = new AbortController();
    const call = captureError(connect<{ '/waits': typeof waits }>()('/waits').get(1, { signal: controller.signal }));
    await waitUntil(() => requests.length === 1, 'the request');
    controller.abort(reason);
    assert.is(await call, reason);
    await waitUntil(() => isAborted, "the operation's signal");
  });
});
ending('timeoutMs of a call replaces that of the client, and 0 means no limit', async () => {
  const gate = new Gate();
  const waits = makeWaiting(gate);
  await serveWithClient((server) => server.registerEndpoint('/waits', waits), async (calls) => {
    const api = calls.connect<{ '/waits': typeof waits }>({ timeoutMs: 1 })('/waits');
    const given = [api.get(1, { timeoutMs: 0 }), api.get(2, { timeoutMs: 60_000 })];
    assert.is((await captureError(api.get(3))).name, 'TimeoutError');
    gate.open();
    assert.equal(await Promise.all(given), [1, 2]);
  });
});
ending('the time covers the function that makes the headers', () => serveWithClient(declare, async (calls) => {
  const timer = AbortSignal.timeout(1);
  const headers = (): Promise<ClientHeaders> => new Promise((resolve) => timer.addEventListener('abort', () => setTimeout(resolve, 20, {})));
  // Timers of this length end in this order.
  const error = await captureError(calls.connect<Api>({ headers, timeoutMs: 1 })('/thing').get(1));
  assert.is(error.name, 'TimeoutError');
  assert.equal(calls.requests, []);
}));
for (const [what, options, name] of [
  ['by its timeoutMs', () => ({ timeoutMs: 1 }), 'TimeoutError'],
  ['by its signal', () => ({ signal: AbortSignal.timeout(1) }), 'TimeoutError'],
  ['by its signal, with a timeoutMs too', () => ({ signal: AbortSignal.timeout(1), timeoutMs: 60_000 }), 'TimeoutError'],
  ['by its signal before it began', () => ({ signal: AbortSignal.abort() }), 'AbortError'],
] as const) {
  ending(`${what}, while its headers never arrive -> ${name}, and nothing is sent`, () => serveWithClient(declare, async (calls) => {
    const gate = new Gate();
    const api = calls.connect<Api>({ headers: () => gate.passed.then(() => ({})) })('/thing');
    // The timers of signals do not keep the process.
    const kept = setTimeout(() => {}, 60_000);
    const error = await captureError(api.get(1, options())).finally(() => clearTimeout(kept));
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
  const unhandled = await captureUnhandled(async () => {
    name = (await captureError(client<Api>('', { headers })('/thing').get(1, { signal: AbortSignal.abort() }))).name;
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

const fetching = suite('the option fetch');
fetching('sends the requests, and is called without a `this`', () => serveWithClient(declare, async ({ requests, ...calls }) => {
  const seen: unknown[] = [];
  const fetched = function (this: unknown, url: string, init: RequestInit): Promise<Response> {
    seen.push(this, url, init.method);
    return fetch(url, init);
  };
  assert.is(await calls.connect<Api>({ fetch: fetched })('/thing').get(1), 1);
  assert.equal(seen, [undefined, `${calls.url}/v1/thing/1`, 'GET']);
  assert.equal(requests, ['GET /v1/thing/1']);
}));
for (const [what, use, sent] of [
  ['a get', (api, fetch) => api.get(1, { fetch }), ['GET /v1/thing/1']],
  ['a create, with its body', (api, fetch) => api.create({ a: 1 }, { fetch, idempotencyKey: 'k' }), ['POST /v1/thing {"a":1}']],
  ['an operation with safe', (api, fetch) => api.custom.count(undefined, { fetch, safe: true }), ['POST /v1/thing/count']],
  ['each', (api, fetch) => api.each({ fetch })[Symbol.asyncIterator]().next(), ['GET /v1/thing']],
  ['page', (api, fetch) => api.page({ fetch }), ['GET /v1/thing']],
  ['edit', (api, fetch) => api.edit(1, () => [2], { fetch }), ['GET /v1/thing/1', 'PUT /v1/thing/1 [2]']],
  ['wait', (api, fetch) => wait(api, '/job', { fetch }), ['GET /job']],
  ['undefined: the client has it', (api) => api.get(1, { fetch: undefined }), []],
] as readonly (readonly [string, (api: any, own: ClientOptions['fetch']) => Promise<unknown>, readonly string[]])[]) {
  fetching(`of one call replaces the client's: ${what}`, async () => {
    const [byCall, byClient]: [string[], string[]] = [[], []];
    const record = (into: string[]): ClientOptions['fetch'] => async function (this: unknown, url, { method, body, ...init }) {
      assert.equal([this, 'fetch' in init], [undefined, false]);
      into.push(`${method} ${url} ${body ?? ''}`.trim());
      return Response.json([1], { headers: { ETag: '"1"' } });
    };
    await use(client<any>('/v1', { fetch: record(byClient) })('/thing'), record(byCall));
    assert.equal([byCall, byClient.length], [sent, sent.length === 0 ? 1 : 0]);
  });
}
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
fetching("gets only what the client's own options do not stand for", async () => {
  const given: string[] = [];
  const fetched = async (_url: string, init: RequestInit): Promise<Response> => (given.push(...Object.keys(init)), Response.json(7));
  await client<Api>('', { fetch: fetched, timeoutMs: 60_000, retries: 2, headers: {}, credentials: 'include' })('/thing').get(1);
  assert.equal(given.filter((name) => ['fetch', 'timeoutMs', 'retries'].includes(name)), []);
  assert.ok(given.includes('credentials') && given.includes('headers'));
});
fetching('rejects with a TypeError: its message gets the URL, and its cause stays', async () => {
  const error = await captureError(client<Api>('http://127.0.0.1:1')('/thing').get(1));
  assert.instance(error, TypeError);
  assert.is(error.message, 'fetch failed: http://127.0.0.1:1/thing/1');
  assert.is(error.cause.message, 'bad port');
});
fetching('rejects with a TypeError after the beginning of a body: its message gets the URL once, after all retries', async () => {
  const broken = new TypeError('terminated');
  let sent = 0;
  const fetched = async (): Promise<Response> => {
    sent += 1;
    return new Response(new ReadableStream({ pull: (controller) => controller.error(broken) }), { headers: { 'content-type': 'application/json' } });
  };
  const error = await captureError(client<Api>('/v1', { fetch: fetched, retries: { attempts: 1, maxDelayMs: 1 } })('/thing').get(1));
  assert.equal([error.message, error === broken, sent], ['terminated: /v1/thing/1', true, 2]);
});
fetching('rejects with any other error: it comes through as it is', async () => {
  const own = new RangeError('not mine');
  assert.is(await captureError(client<Api>('/v1', { fetch: () => Promise.reject(own) })('/thing').get(1)), own);
});

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
      const asked = await serveResponses(respond, async (base) => assert.is((await captureError(call(connectToThings(base)))).name, fails));
      assert.is(asked.length, 1);
    });
  }
}

function connectToThings(base: string) {
  return client<Api>(base)('/thing');
}

const streamed = suite('a call whose response is a stream');
streamed('is ended by its signal while its body is read', async () => {
  const endless = defineEndpoint({ id: stringId, get: () => reply(200, yieldForever(), { 'Content-Type': 'text/plain' }) });
  await serveWithClient((server) => server.registerEndpoint('/endless', endless), async ({ connect }) => {
    const controller = new AbortController();
    const options = { signal: controller.signal, onResponse: () => setImmediate(() => controller.abort()) };
    const api = connect<{ '/endless': typeof endless }>()('/endless');
    assert.is((await captureError(api.get('x', options))).name, 'AbortError');
    const raw = new AbortController();
    const response = await api.get('x', { raw: true, signal: raw.signal });
    const text = captureError(response.text());
    raw.abort();
    assert.is((await text).name, 'AbortError');
  });
});

async function* yieldForever(): AsyncGenerator<string> {
  for (;;) yield await new Promise<string>((resolve) => setTimeout(resolve, 1, 'x'));
}
