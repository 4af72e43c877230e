/** Waiting for work that goes on after its response: what is polled and when, what ends it, and that no request leaves the origin. */
import { client, wait, type ClientOptions } from '../../src/client/index.ts';
import { ApiError, defineEndpoint, integerId, reply } from '../../src/index.ts';
import { serveWithClient, captureError } from '../support/serve-with-client.ts';
import { respondJson, serveResponses, type ReceivedRequest, type Respond } from '../support/serve-responses.ts';
import { captureUnhandled } from '../support/capture-unhandled.ts';
import { assert, suite } from '../support/facts.ts';

interface Report {
  readonly year: number;
}
const reports = defineEndpoint({ id: integerId, get: (): Report => ({ year: 2026 }) });
interface Api {
  readonly '/report': typeof reports;
}
const STATUS = '/v1/job/7';
const RESULT = '/v1/report/1';

const reportsAt = (base: string, options?: ClientOptions) => client<Api>(`${base}/v1`, options)('/report');
const urlsOf = (asked: readonly ReceivedRequest[]): string[] => asked.map(({ url }) => url);
const send = (status: number, headers: Readonly<Record<string, string>> = {}, body = ''): Respond => {
  return (response) => response.writeHead(status, headers).end(body);
};
const redirect = (location: string, status = 303): Respond => send(status, { Location: location });
const result: Respond = (response) => respondJson(response, { year: 2026 });
/** Responds with each of these, and with the last one again and again. */
const respondInOrder = (...responds: Respond[]): Respond => (response, asked, request) => responds[Math.min(asked.length, responds.length) - 1]?.(response, asked, request);

/** Runs `use` with pauses of the client that pass at once. Returns their delays. `fetch` has timers too. */
async function withDelays(use: () => Promise<unknown>): Promise<number[]> {
  const delays: number[] = [];
  const original = globalThis.setTimeout;
  globalThis.setTimeout = ((passed: () => void, ms: number, ...values: unknown[]) => {
    return new Error().stack?.includes('at pause ') ? original(passed, 0 * delays.push(ms)) : (original as (...all: unknown[]) => unknown)(passed, ms, ...values);
  }) as typeof setTimeout;
  try {
    await use();
  } finally {
    globalThis.setTimeout = original;
  }
  return delays;
}

/** What `wait` resolves to for a server that responds so, the requests, and the delays. */
async function captureWait(respond: Respond, location = STATUS, options?: ClientOptions): Promise<{ value: unknown; urls: string[]; delays: number[] }> {
  let value: unknown;
  let delays: number[] = [];
  const asked = await serveResponses(respond, async (base) => {
    delays = await withDelays(async () => (value = await wait(reportsAt(base, options), location).catch((error: Error) => error)));
  });
  return { value, urls: urlsOf(asked), delays };
}

const work = suite('wait() until work is done');
for (const [what, respond, urls] of [
  ['a 202, and then a redirect to the result', respondInOrder(send(202), send(202), redirect(RESULT), result), [STATUS, STATUS, STATUS, RESULT]],
  ['a 200 with Retry-After, and then a redirect', respondInOrder(send(200, { 'Retry-After': '1' }, ''), redirect(RESULT), result), [STATUS, STATUS, RESULT]],
  ['a redirect at once', respondInOrder(redirect(RESULT), result), [STATUS, RESULT]],
  ['a redirect with a relative location', respondInOrder(redirect('../report/1'), result), [STATUS, RESULT]],
  ['a redirect with another status', respondInOrder(redirect(RESULT, 307), result), [STATUS, RESULT]],
  ['a redirect to a status that is not done', respondInOrder(redirect('/v1/job/8'), send(202), redirect(RESULT), result),
    [STATUS, '/v1/job/8', '/v1/job/8', RESULT]],
  ['the result in place of the status', respondInOrder(send(202), result), [STATUS, STATUS]],
  ['a server that restarts', respondInOrder(send(202), (_response, _asked, { socket }) => socket.destroy(), send(503), redirect(RESULT), result),
    [STATUS, STATUS, STATUS, STATUS, RESULT]],
] as const) {
  work(`${what} -> the result`, async () => {
    const { value, urls: requested } = await captureWait(respond);
    assert.equal([value, requested], [{ year: 2026 }, urls]);
  });
}
work('a 204 -> undefined', async () => assert.is((await captureWait(send(204))).value, undefined));
work('the location is an absolute URL of the same origin', async () => {
  const asked = await serveResponses(result, async (base) => assert.equal(await wait(reportsAt(base), `${base}/v1/job/7`), { year: 2026 }));
  assert.equal(urlsOf(asked), [STATUS]);
});
work('below a base that is a path, with a fetch of its own -> paths', async () => {
  const urls: string[] = [];
  const fetched = async (url: string): Promise<Response> => {
    urls.push(url);
    return urls.length === 1 ? new Response(null, { status: 303, headers: { Location: RESULT } }) : Response.json({ year: 2026 });
  };
  assert.equal(await wait(client<Api>('/v1', { fetch: fetched })('/report'), STATUS), { year: 2026 });
  assert.equal(urls, [STATUS, RESULT]);
});
work('a location is asked for as it is, whatever its query has', async () => {
  const urls: string[] = [];
  const fetched: typeof fetch = async (url) => {
    urls.push(String(url));
    return Response.json({ year: 2026 });
  };
  await wait(reportsAt('http://localhost', { fetch: fetched }), '/v1/job?from=http://x.invalid/a');
  assert.equal(urls, ['http://localhost/v1/job?from=http://x.invalid/a']);
});
work('raw -> the response of the result, with its body unread', async () => {
  await serveResponses(respondInOrder(send(202, {}, 'pending'), redirect(RESULT), send(200, { 'Content-Type': 'application/pdf' }, '%PDF')), async (base) => {
    await withDelays(async () => {
      const response = await wait(reportsAt(base), STATUS, { raw: true });
      assert.equal([response.bodyUsed, await response.text()], [false, '%PDF']);
    });
  });
});
work('raw -> a 202 whose body breaks off is polled again, and nothing else happens', async () => {
  let polls = 0;
  const fetched: typeof fetch = async () => {
    polls += 1;
    const broken = new ReadableStream({ start: (controller) => controller.error(new Error('the connection broke')) });
    return polls === 1 ? new Response(broken, { status: 202 }) : Response.json({ year: 2026 });
  };
  const unhandled = await captureUnhandled(() => withDelays(() => wait(reportsAt('http://localhost', { fetch: fetched }), STATUS, { raw: true })));
  assert.equal([polls, unhandled], [2, []]);
});
work('the body of a 202 that is a stream is closed', async () => {
  let closed = 0;
  let polls = 0;
  const fetched: typeof fetch = async () => {
    polls += 1;
    const endless = new ReadableStream({ cancel: () => void (closed += 1) });
    return polls < 3 ? new Response(endless, { status: 202, headers: { 'Content-Type': 'application/x-ndjson' } }) : Response.json({ year: 2026 });
  };
  await withDelays(() => wait(reportsAt('http://localhost', { fetch: fetched }), STATUS));
  assert.is(closed, 2);
});
work('onResponse gets each response, and headers are those of the client and of the call', async () => {
  const statuses: number[] = [];
  const asked = await serveResponses(respondInOrder(send(202), redirect(RESULT), result), async (base) => {
    await withDelays(() => wait(reportsAt(base, { headers: { Authorization: 'Bearer a' } }), STATUS, {
      headers: { 'X-Own': 'b' }, onResponse: ({ status }) => statuses.push(status),
    }));
  });
  assert.equal(statuses, [202, 303, 200]);
  assert.equal(asked.map(({ method, headers }) => [method, headers['authorization'], headers['x-own']]), Array(3).fill(['GET', 'Bearer a', 'b']));
});
work('of a server of this package: 202, 303 and the result', async () => {
  let polls = 0;
  const jobs = defineEndpoint({
    id: integerId,
    get: () => ((polls += 1) === 1 ? reply(202, { state: 'running' }, { 'Retry-After': '1' }) : reply(303, undefined, { Location: '/v1/report/1' })),
  });
  const begun = defineEndpoint({ id: integerId, get: (): Report => ({ year: 2026 }), create: { run: () => reply(202, undefined, { Location: '/v1/job/1' }) } });
  await serveWithClient((server) => void server.registerEndpoints({ '/job': jobs, '/report': begun }), async ({ connect }) => {
    const api = connect<{ readonly '/report': typeof begun }>()('/report');
    await withDelays(async () => {
      const { headers } = await api.create(undefined, { raw: true });
      assert.equal(await wait(api, headers.get('location')), { year: 2026 });
    });
  });
});

const delays = suite('wait() between two requests');
const formatDateIn = (seconds: number): string => new Date(Date.now() + seconds * 1000).toUTCString();
for (const [what, retryAfter, least, most] of [
  ['seconds', '7', 7000, 7000],
  ['none', undefined, 1000, 1000],
  ['0', '0', 1000, 1000],
  ['a negative number', '-7', 1000, 1000],
  ['no number', 'soon', 1000, 1000],
  ['a date', formatDateIn(3000), 1_500_000, 3_000_000],
  ['a date in the past', formatDateIn(-40), 1000, 1000],
  ['more than an hour', '7200', 3_600_000, 3_600_000],
  ['more than a timer can wait for', '99999999999', 3_600_000, 3_600_000],
  ['a date that is far away', 'Fri, 31 Dec 9999 23:59:59 GMT', 3_600_000, 3_600_000],
  ['more digits than a number has', '9'.repeat(400), 3_600_000, 3_600_000],
] as const) {
  delays(`Retry-After: ${what}`, async () => {
    const { delays: [delay = 0, ...others] } = await captureWait(respondInOrder(send(202, retryAfter === undefined ? {} : { 'Retry-After': retryAfter }), result));
    assert.ok(delay >= least && delay <= most, `${delay}`);
    assert.equal(others, []);
  });
}
delays('end with the signal, at once', async () => {
  const controller = new AbortController();
  const reason = new Error('enough');
  const asked = await serveResponses(send(202, { 'Retry-After': '3000' }), async (base) => {
    const onResponse = (): void => void setImmediate(() => controller.abort(reason));
    assert.is(await captureError(wait(reportsAt(base), STATUS, { signal: controller.signal, onResponse })), reason);
  });
  assert.is(asked.length, 1);
});
delays('nothing is requested with a signal that has aborted', async () => {
  const asked = await serveResponses(result, async (base) => {
    assert.is((await captureError(wait(reportsAt(base), STATUS, { signal: AbortSignal.abort() }))).name, 'AbortError');
  });
  assert.equal(asked, []);
});
delays('timeoutMs is for each request', () => serveResponses(() => {}, async (base) => {
  const kept = setTimeout(() => {}, 60_000);
  const error = await captureError(wait(reportsAt(base, { timeoutMs: 30, retries: 0 }), STATUS)).finally(() => clearTimeout(kept));
  assert.is(error.name, 'TimeoutError');
}));

const failed = suite('wait() rejects');
for (const [what, respond, status, requests] of [
  ['an error of the status', send(500), 500, 1],
  ['a status that is gone', send(404), 404, 1],
  ['an error of the result', respondInOrder(redirect(RESULT), send(422)), 422, 2],
  ['a redirect without a location', send(303), 303, 1],
  ['an error with a location', send(400, { Location: RESULT }), 400, 1],
  ['a page of a proxy with a location', send(200, { Location: RESULT, 'Content-Type': 'text/html' }, '<p>'), 200, 1],
  ['redirects in a circle', redirect(STATUS), 303, 21],
] as const) {
  failed(`with a ProblemError for ${what}`, async () => {
    const { value, urls } = await captureWait(respond);
    const { name, status: shown } = value as { readonly name: string; readonly status: number };
    assert.equal([name, shown, urls.length], ['ProblemError', status, requests]);
  });
}
failed('for a problem that the result of the work is', async () => {
  const jobs = defineEndpoint({ id: integerId, get: (): Report => { throw ApiError.status(422, 'The year is in the future.'); } });
  await serveWithClient((server) => void server.registerEndpoints({ '/report': jobs }), async ({ connect }) => {
    const error = await captureError(wait(connect<{ readonly '/report': typeof jobs }>()('/report'), '/v1/report/1'));
    assert.is(error.problem.detail, 'The year is in the future.');
  });
});
failed('after seven repetitions, or as many as retries of the client', async () => {
  for (const [options, requests] of [[{}, 8], [{ retries: undefined }, 8], [{ retries: 0 }, 1], [{ retries: 2 }, 3]] as const) {
    const { value, urls } = await captureWait(send(503), STATUS, options);
    assert.equal([(value as { status: number }).status, urls.length], [503, requests]);
  }
});
for (const location of [null, '']) {
  failed(`with a TypeError for ${JSON.stringify(location)}, and sends nothing`, async () => {
    const asked = await serveResponses(result, async (base) => {
      assert.match(String(await captureError(wait(reportsAt(base), location))), 'TypeError: wait needs the Location of a response: it is missing');
    });
    assert.equal(asked, []);
  });
}

const strangers = suite('wait() sends nothing to a different origin');
const OTHERS = [
  'http://other.invalid/v1/job/7', '//other.invalid/v1/job/7', 'http://127.0.0.1:1/', 'https://127.0.0.1/', 'data:application/json,7', 'javascript:7', 'http://[',
];
for (const other of OTHERS) {
  strangers(`as the location: ${other}`, async () => {
    const asked = await serveResponses(result, async (base) => {
      assert.match(String(await captureError(wait(reportsAt(base), other))), `TypeError: the location must have the origin of the base: ${other}`);
    });
    assert.equal(asked, []);
  });
  strangers(`in a redirect: ${other}`, async () => {
    const { value, urls } = await captureWait(redirect(other));
    assert.match(String(value), `TypeError: the location must have the origin of the base: ${other}`);
    assert.equal(urls, [STATUS]);
  });
}
for (const [what, locate] of [
  ['a user', (base: string) => base.replace('//', '//ann:secret@')],
  ['a blob', (base: string) => `blob:${base}/7`],
] as const) {
  strangers(`of ${what} at the same host`, async () => {
    const asked = await serveResponses(result, async (base) => {
      assert.match(String(await captureError(wait(reportsAt(base), locate(base)))), 'TypeError: the location must have the origin of the base: ');
    });
    assert.equal(asked, []);
  });
}
strangers('where neither the base nor the responses have an origin: a path that begins with // is not a host', async () => {
  const urls: string[] = [];
  const fetched: typeof fetch = async (url) => {
    urls.push(String(url));
    return urls.length === 1 ? new Response(null, { status: 303, headers: { Location: '/.//other.invalid/x' } }) : Response.json({ year: 2026 });
  };
  await wait(client<Api>('/v1', { fetch: fetched })('/report'), STATUS);
  assert.equal(urls, [STATUS, '/.//other.invalid/x']);
  assert.is(new URL(urls[1] ?? '', 'http://good.example').host, 'good.example');
});
for (const other of ['unix://other/x', 'data:application/json,7', 'file:///etc/passwd']) {
  strangers(`of a base that is not of the web: ${other}`, async () => {
    const urls: string[] = [];
    const fetched: typeof fetch = async (url) => {
      urls.push(String(url));
      return Response.json({ year: 2026 });
    };
    const api = client<Api>('unix://socket/v1', { fetch: fetched })('/report');
    assert.match(String(await captureError(wait(api, other))), `TypeError: the location must have the origin of the base: ${other}`);
    assert.equal(urls, []);
  });
}

/** A page of `origin`, where `fetch` hides redirects as a browser does. Resolves to what `use` resolves to, and the options of each request. */
async function waitInPage(
  origin: string, base: string, last: Response, use: (api: ReturnType<typeof reportsAt>) => Promise<unknown>,
): Promise<{ value: unknown; sent: RequestInit[] }> {
  const sent: RequestInit[] = [];
  const hidden = Object.defineProperties(new Response(null), {
    status: { value: 0 }, ok: { value: false }, type: { value: 'opaqueredirect' },
  });
  const fetched = async (_url: string, init: RequestInit): Promise<Response> => {
    sent.push(init);
    return init.redirect === 'manual' ? hidden : last;
  };
  const page = globalThis as { location?: object };
  page.location = new URL(origin);
  try {
    const headers = { Authorization: 'Bearer a', 'X-Api-Key': 'b' };
    return { value: await use(reportsAt(base, { headers, fetch: fetched })).catch((error: Error) => error), sent };
  } finally {
    delete page.location;
  }
}
const resultAt = (url: string): Response => Object.defineProperty(Response.json({ year: 2026 }), 'url', { value: url });

const pages = suite('wait() in a page, where redirects are hidden');
for (const [what, origin, base, location, mode, names] of [
  ['of the same origin: follows within it, with all headers', 'https://app.example', '', STATUS, 'same-origin', ['authorization', 'x-api-key']],
  ['and an absolute location', 'https://app.example', '', `https://app.example${STATUS}`, 'same-origin', ['authorization', 'x-api-key']],
  ['of a different origin: sends only what the browser removes', 'https://app.example', 'https://api.example', STATUS, 'cors', ['authorization']],
] as const) {
  pages(what, async () => {
    const { value, sent } = await waitInPage(origin, base, resultAt(`${base || origin}${RESULT}`), (api) => wait(api, location));
    assert.equal(value, { year: 2026 });
    assert.equal(sent.map(({ redirect: how }) => how), ['manual', 'follow']);
    assert.is(sent[1]?.mode, mode);
    assert.equal([...new Headers(sent[1]?.headers).keys()], names);
  });
}
pages('a result of a different origin is not returned', async () => {
  const { value } = await waitInPage('https://app.example', 'https://api.example', resultAt('https://other.invalid/report'), (api) => wait(api, STATUS));
  assert.match(String(value), 'TypeError: the location must have the origin of the base: https://other.invalid/report');
});
pages('an error after the redirect', async () => {
  const gone = new Response(null, { status: 404 });
  const { value } = await waitInPage('https://app.example', '', gone, (api) => wait(api, STATUS));
  assert.is((value as { status: number }).status, 404);
});
