/** Which requests a client repeats, after what, and how long it waits. */
import { client, type ClientOptions, type Operations } from '../../src/client/index.ts';
import { bytes, defineEndpoint, integerId } from '../../src/index.ts';
import { serveResponses, respondJson, type Respond } from '../support/serve-responses.ts';
import { captureError } from '../support/serve-with-client.ts';
import { assert, suite } from '../support/facts.ts';

const acceptAny = (value: unknown): unknown => value;
const things = defineEndpoint({
  id: integerId,
  schema: acceptAny,
  create: () => 1,
  list: () => [],
  get: (id) => id,
  update: () => {},
  patch: { input: acceptAny, run: () => {} },
  delete: () => {},
  custom: { count: { run: () => 1 } },
});
const uploads = defineEndpoint({ id: integerId, update: { input: bytes(), run: () => {} } });
interface Api {
  readonly '/thing': typeof things;
  readonly '/upload': typeof uploads;
}
type Things = Operations<typeof things>;

/** Fails some times, and then succeeds. */
function failTimes(times: number, fail: Respond): Respond {
  return (response, asked, request) => (asked.length > times ? respondJson(response, 'done') : fail(response, asked, request));
}
const respondWith = (status: number, headers: Readonly<Record<string, string>> = {}): Respond => (response) => response.writeHead(status, headers).end();
const lost: Respond = (_response, _asked, { socket }) => socket.destroy();
const halfLost: Respond = (response, _asked, { socket }) => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '10' }).write('"1234');
  setImmediate(() => socket.destroy());
};
const QUICK: ClientOptions = { retries: { attempts: 3, maxDelayMs: 5 } };

const reasons = suite('a GET is repeated');
for (const [what, fail] of [
  ['after 408', respondWith(408)],
  ['after 425', respondWith(425)],
  ['after 429', respondWith(429)],
  ['after 502', respondWith(502)],
  ['after 503', respondWith(503)],
  ['after 504', respondWith(504)],
  ['after 503 with Retry-After: 0', respondWith(503, { 'Retry-After': '0' })],
  ['after 503 with Retry-After in the past', respondWith(503, { 'Retry-After': 'Fri, 01 Jan 2021 00:00:00 GMT' })],
  ['after 503 with a Retry-After that is none', respondWith(503, { 'Retry-After': 'soon' })],
  ['after 409 with Retry-After', respondWith(409, { 'Retry-After': '0' })],
  ['after no response', lost],
  ['after half a response', halfLost],
] as const) {
  reasons(`${what}, up to three times`, async () => {
    const asked = await serveResponses(failTimes(3, fail), async (base) => assert.is(await client<Api>(base, QUICK)('/thing').get(1), 'done'));
    assert.equal(asked.map(({ url }) => url), Array(4).fill('/thing/1'));
  });
}
for (const [what, fail] of [
  ['after 400', respondWith(400)],
  ['after 409 alone', respondWith(409)],
  ['after 500', respondWith(500)],
  ['after 501', respondWith(501)],
  ['after 307', respondWith(307, { Location: '/other' })],
  ['after the page of a proxy', (response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>')],
  ['after 503 with a longer Retry-After than may be waited for', respondWith(503, { 'Retry-After': '1' })],
  ['after 503 with a Retry-After that no timer can wait for', respondWith(503, { 'Retry-After': '99999999999' })],
  ['after 503 with a Retry-After that is a far date', respondWith(503, { 'Retry-After': 'Fri, 31 Dec 9999 23:59:59 GMT' })],
] as readonly (readonly [string, Respond])[]) {
  reasons(`not ${what}`, async () => {
    const asked = await serveResponses(fail, async (base) => assert.is((await captureError(client<Api>(base, QUICK)('/thing').get(1))).name, 'ProblemError'));
    assert.is(asked.length, 1);
  });
}
reasons('no oftener than it may be, and then rejects with the last response', async () => {
  const asked = await serveResponses((response, { length }) => response.writeHead(503, { 'X-Attempt': String(length) }).end(), async (base) => {
    const error = await captureError(client<Api>(base, { retries: { attempts: 2, maxDelayMs: 1 } })('/thing').get(1));
    assert.equal([error.status, error.response.headers.get('x-attempt')], [503, '3']);
  });
  assert.is(asked.length, 3);
});
reasons('with a number of retries alone', async () => {
  const asked = await serveResponses(failTimes(1, lost), async (base) => assert.is(await client<Api>(base, { retries: 1 })('/thing').get(1), 'done'));
  assert.is(asked.length, 2);
});
reasons('not by default', async () => {
  for (const options of [{}, { retries: 0 }, { retries: undefined }]) {
    const asked = await serveResponses(lost, async (base) => assert.instance(await captureError(client<Api>(base, options)('/thing').get(1)), TypeError));
    assert.is(asked.length, 1);
  }
});
reasons('also where the call is raw, or safe', async () => {
  await serveResponses(failTimes(1, respondWith(503)), async (base) => {
    assert.is(await (await client<Api>(base, QUICK)('/thing').get(1, { raw: true })).json(), 'done');
  });
  await serveResponses(failTimes(1, respondWith(503)), async (base) => {
    const found = await client<Api>(base, QUICK)('/thing').get(1, { safe: true });
    assert.equal({ ...found, headers: undefined }, { ok: true, status: 200, value: 'done', etag: undefined, headers: undefined });
  });
});
reasons("not after an error of the user's own", async () => {
  const error = new TypeError('of the user');
  const fail = (): never => { throw error; };
  const seen = await serveResponses(respondWith(200), async (base) => {
    assert.is(await captureError(client<Api>(base, QUICK)('/thing').get(1, { onResponse: fail })), error);
    assert.is(await captureError(client<Api>(base, { ...QUICK, headers: fail })('/thing').get(1)), error);
  });
  assert.is(seen.length, 1);
});
reasons('and onResponse sees each response', async () => {
  const statuses: number[] = [];
  await serveResponses(failTimes(2, respondWith(503)), (base) => client<Api>(base, QUICK)('/thing').get(1, { onResponse: ({ status }) => statuses.push(status) }));
  assert.equal(statuses, [503, 503, 200]);
});

const kinds = suite('the call of');
const stream = (): ReadableStream<Uint8Array> => new Blob(['abc']).stream();
for (const [what, call, requests] of [
  ['list', (api) => api.list(), 2],
  ['update', (api) => api.update(1, {}), 2],
  ['delete', (api) => api.delete(1), 2],
  ['create', (api) => api.create({}), 1],
  ['patch', (api) => api.patch(1, {}), 1],
  ['custom', (api) => api.custom.count(), 1],
  ['update with ifMatch', (api) => api.update(1, {}, { ifMatch: '"1"' }), 1],
  ['delete with ifMatch', (api) => api.delete(1, { ifMatch: '"1"' }), 1],
  ['update with If-Match in its headers', (api) => api.update(1, {}, { headers: { 'if-match': '*' } }), 1],
  ['update of a part', (api) => api.update(1, {}, { headers: { 'Content-Range': 'bytes 0-1/2' } }), 1],
  ['update with bytes', (_api, upload) => upload.update(1, new Uint8Array([97])), 2],
  ['update with a stream', (_api, upload) => upload.update(1, stream()), 1],
] as readonly (readonly [string, (api: Things, upload: Operations<typeof uploads>) => Promise<unknown>, number])[]) {
  for (const [how, fail] of [['that gets 503', respondWith(503)], ['without a response', lost]] as const) {
    kinds(`${what} ${how} is sent ${requests === 1 ? 'once' : 'again'}`, async () => {
      const asked = await serveResponses(failTimes(1, fail), async (base) => {
        const api = client<Api>(base, QUICK);
        const value = await call(api('/thing'), api('/upload')).catch(() => 'failed');
        assert.is(value, requests === 1 ? 'failed' : 'done');
      });
      assert.is(asked.length, requests);
      assert.is(new Set(asked.map(({ body }) => body)).size, 1);
    });
  }
}

const waits = suite('a client that waits to repeat a request');
waits('is ended by a signal', async () => {
  const controller = new AbortController();
  const asked = await serveResponses(respondWith(503, { 'Retry-After': '50' }), async (base) => {
    const onResponse = (): void => void setTimeout(() => controller.abort(), 10);
    // The timers of signals do not keep the process; that of the client is gone with the call.
    assert.is((await captureError(client<Api>(base, { retries: 9 })('/thing').get(1, { signal: controller.signal, onResponse }))).name, 'AbortError');
  });
  assert.is(asked.length, 1);
});
waits('is ended by timeoutMs, which is for all attempts', async () => {
  let fetched = 0;
  const fetchOnce = async (): Promise<Response> => {
    fetched += 1;
    return new Response('', { status: 503, headers: { 'Retry-After': '50' } });
  };
  const kept = setTimeout(() => {}, 60_000);
  const error = await captureError(client<Api>('', { retries: 9, fetch: fetchOnce })('/thing').get(1, { timeoutMs: 30 })).finally(() => clearTimeout(kept));
  assert.equal([error.name, fetched], ['TimeoutError', 1]);
});

/** The delays of a call that gets 503 with these headers, whose timers pass at once. */
async function delaysOf(options: ClientOptions['retries'], headers: Readonly<Record<string, string>> = {}): Promise<number[]> {
  const delays: number[] = [];
  const original = globalThis.setTimeout;
  globalThis.setTimeout = ((passed: () => void, ms: number) => original(passed, 0 * delays.push(ms))) as typeof setTimeout;
  try {
    const fetched = async (): Promise<Response> => new Response('', { status: 503, headers });
    assert.is((await captureError(client<Api>('', { fetch: fetched, retries: options })('/thing').get(1))).status, 503);
  } finally {
    globalThis.setTimeout = original;
  }
  return delays;
}
waits('waits twice as long each time, up to maxDelayMs, with jitter', async () => {
  const delays = await delaysOf({ attempts: 6, maxDelayMs: 2000 });
  assert.is(delays.length, 6);
  delays.forEach((delay, index) => {
    const longest = Math.min(250 * 2 ** index, 2000);
    assert.ok(delay >= longest / 2 && delay <= longest, `${index}: ${delay}`);
  });
  assert.is.not(`${delays}`, `${await delaysOf({ attempts: 6, maxDelayMs: 2000 })}`);
});
waits('waits as long as Retry-After says: seconds, and a date', async () => {
  assert.equal(await delaysOf(2, { 'Retry-After': '60' }), [60_000, 60_000]);
  const [delay = 0] = await delaysOf(1, { 'Retry-After': new Date(Date.now() + 40_000).toUTCString() });
  assert.ok(delay > 20_000 && delay <= 40_000, `${delay}`);
});
waits('not longer than a timer can', async () => {
  assert.equal(await delaysOf({ attempts: 1, maxDelayMs: Infinity }, { 'Retry-After': '99999999' }), [2 ** 31 - 1]);
});
