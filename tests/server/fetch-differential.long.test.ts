/**
 * Sends the same generated requests by `server.fetch` and over a socket. Status, headers, body, the log, and what the functions of the
 * user saw must be the same.
 *
 *   RESTPOINT_SEED=1234 node build/tests/support/run.js fetch-differential --long     repeats a failed run
 */
import { Agent, request as sendOverSocket, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ApiError, ApiServer, bytes, defineEndpoint, integerId, problem, reply, stringId, type ApiRequest, type ContextRequest } from '../../src/index.ts';
import { events, form, mergePatch, ndjson, ranges } from '../../src/formats/index.ts';
import { pages } from '../../src/interceptors/index.ts';
import { Random, readCaseCount, readSeed } from '../support/random.ts';
import { assert, suite, waitTwoTurns } from '../support/facts.ts';

const CASES = readCaseCount(5000);
const DAY = new Date('2026-01-02T03:04:05Z');
// Each hint at a path is logged once.
const HINT = /^a request for \S+ gets 404: did you mean /;
const TEXT = 'abcdefghijklmnopqrstuvwxyz'.repeat(4000);

interface Draft {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | undefined;
  /** Whether the body comes in pieces, without a length. */
  readonly isStreamed: boolean;
}

interface Outcome {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
  readonly seen: readonly string[];
  readonly logged: readonly string[];
}

/** What the functions saw, and the log, of one request. */
class Notes {
  seen: string[] = [];
  logged: string[] = [];

  see(what: string, ...values: readonly unknown[]): void {
    this.seen.push(`${what} ${JSON.stringify(values)}`);
  }

  take(): Pick<Outcome, 'seen' | 'logged'> {
    const { seen, logged } = this;
    [this.seen, this.logged] = [[], []];
    return { seen, logged };
  }
}

type AnyRequest = ApiRequest<any, any, any>;

interface Note {
  readonly text: string;
}

/** What an operation can read of its request, without Node's request. */
function summarize({ context, params, query, route, lastEventId, ifMatch, ifNoneMatch, signal }: AnyRequest): unknown {
  return [context, params, query instanceof URLSearchParams ? [...query] : query, route.path, lastEventId, ifMatch, ifNoneMatch, signal.aborted];
}

/** What it can read of Node's request. The ports of a socket differ, and `fetch` has none. */
function summarizeRaw({ method, url, httpVersion, rawHeaders, complete }: IncomingMessage): unknown {
  return [method, url, httpVersion, listHeaders(rawHeaders), typeof complete];
}

/** Sorts headers by name, without those of the connection and the order of names that `Headers` sorts. */
function listHeaders(raw: readonly string[]): string[] {
  const lines: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const name = String(raw[at]).toLowerCase();
    if (!['connection', 'keep-alive', 'transfer-encoding', 'date'].includes(name)) lines.push(`${name}: ${raw[at + 1]}`);
  }
  return lines.sort();
}

function decodeNote(json: unknown): Note {
  const { text } = json as { text?: unknown };
  if (typeof text !== 'string') throw new TypeError('text: expected a string');
  return { text };
}

/** Fails, or responds in a different way, as its argument asks. */
function obey(what: string): any {
  if (what.startsWith('missing')) return undefined;
  if (what.startsWith('broken')) throw new Error('broken');
  if (what.startsWith('teapot')) throw ApiError.status(418, 'short', { headers: { 'X-Pot': 'short' }, extensions: { pot: 7 } });
  if (what.startsWith('conflict')) return problem(409, 'taken');
  if (what.startsWith('cookies')) return reply(200, { what }, { 'Set-Cookie': ['a=1', 'b=2'], 'Vary': 'X-Vary', 'ETag': '"1"' });
  if (what.startsWith('status')) return reply(202, { what }, { 'Cache-Control': 'no-store' });
  if (what.startsWith('wide')) return { what: 'größer \u{1f600}' };
  if (what.startsWith('long')) return { what: TEXT };
  if (what.startsWith('cyclic')) {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    return cycle;
  }
  return { what };
}

const IDS: [string, ...string[]] = [
  'a', 'missing', 'broken', 'teapot', 'conflict', 'cookies', 'status', 'wide', 'long', 'cyclic', 'a%20b', '%ff', 'b-later', 'broken-later', 'missing-later',
];

function declare(server: ApiServer, notes: Notes): void {
  const act = (name: string, what: string, request: AnyRequest): any => {
    notes.see(name, what, summarize(request));
    return what.endsWith('later') ? waitTwoTurns().then(() => obey(what)) : obey(what);
  };
  const decode = (json: unknown): Note => (notes.see('decode', json), decodeNote(json));
  const change = async (name: string, what: string, request: AnyRequest): Promise<boolean> => (await act(name, what, request)) !== undefined;
  const context = ({ raw, itemId }: ContextRequest): string => {
    const caller = String(raw.headers['x-caller'] ?? 'nobody');
    notes.see('context', caller, itemId, summarizeRaw(raw));
    if (caller === 'stranger') throw ApiError.status(401, undefined, { headers: { 'WWW-Authenticate': 'Bearer' } });
    return caller;
  };
  server.registerEndpoint('/plain', defineEndpoint({
    id: stringId,
    schema: decode,
    create: async ({ text }, request) => (await act('create', text, request), text),
    list: (request) => act('list', 'a', request),
    get: (id, request) => act('get', id, request),
    update: (id, { text }, request) => change(`update ${id}`, text, request),
    patch: { input: decode, run: (id: string, { text }: Note, request) => change(`patch ${id}`, text, request) },
    delete: (id, request) => change('delete', id, request),
    custom: { say: { input: decode, run: ({ text }: Note, request) => act('say', text, request) } },
    itemCustom: {
      feed: { input: decode, optional: true, run: (id: string, note: Note | undefined, request) => act(`feed ${id}`, note?.text ?? 'a', request) },
    },
  }));
  server.registerEndpoint('/called/:day', defineEndpoint({
    id: integerId,
    params: { day: integerId },
    schema: decode,
    context,
    get: { cache: { maxAgeSeconds: 60 }, run: (id, request) => act('get', IDS[id] ?? 'a', request) },
    version: () => 'one',
    requireIfMatch: true,
    update: (id, { text }, request) => change(`update ${id}`, text, request),
  }));
  server.registerEndpoint('/file', defineEndpoint({
    id: stringId,
    get: (id, request) => {
      notes.see('file', id, summarize(request));
      const body = ranges({ size: TEXT.length, read: (start, end) => Readable.from([Buffer.from(TEXT.slice(start, end + 1))]), close: () => notes.see('close') });
      return reply(200, body, { 'Content-Type': 'text/plain', 'ETag': '"f"', 'Last-Modified': DAY.toUTCString() });
    },
    update: {
      input: bytes({ types: ['text/plain'] }),
      run: async (id, body) => {
        notes.see('put', id, (await buffer(body)).length);
      },
    },
  }));
  server.registerEndpoint('/many', defineEndpoint({
    id: integerId,
    list: {
      use: pages({ cursor: (item: { id: number }) => item.id, codec: integerId, default: 2 }),
      run: ({ page }) => (notes.see('page', page), [1, 2, 3].map((id) => ({ id }))),
    },
    patch: { input: mergePatch(decode), run: async (id, merge) => (notes.see('merge', id), void await merge({ text: 'old' })) },
    custom: {
      form: { input: form((fields: unknown) => (notes.see('form', fields), fields)), run: (fields) => fields },
      lines: { input: ndjson(decode), run: (lines) => Readable.from(lines).toArray() },
    },
  }));
  server.registerEndpoint('/lines', defineEndpoint({
    get: {
      output: ndjson((json: unknown) => json),
      async *run() {
        for (let n = 0; n < 5; n += 1) yield { n, text: TEXT.slice(0, n * 20_000) };
      },
    },
  }));
  server.registerEndpoint('/events', defineEndpoint({
    get: {
      output: events((json: unknown) => json),
      async *run(request) {
        notes.see('events', summarize(request));
        for (let n = 0; n < 3; n += 1) yield { id: String(n), data: n };
      },
    },
  }));
  server.mount('/mounted', (request, response) => {
    notes.see('mount', summarizeRaw(request));
    response.setHeader('X-Mount', ['1', '2']);
    request.resume().on('end', () => response.end(`${request.method} ${request.url}`));
  });
}

const PATHS: [(random: Random) => string, ...((random: Random) => string)[]] = [
  (random) => `/v1/plain/${random.pick(IDS)}`,
  (random) => `/v1/plain/${random.pick(IDS)}`,
  () => '/v1/plain',
  () => '/v1/plain/say',
  (random) => `/v1/plain/${random.pick(IDS)}/feed`,
  (random) => `/v1/called/${random.pick(['1', 'x'])}/${random.below(20)}`,
  (random) => `/v1/file/${random.pick(IDS)}`,
  (random) => `/v1/many/${random.pick(['1', 'form', 'lines'])}`,
  (random) => `/v1/many?${random.pick(['', 'limit=1', 'limit=0', 'after=2', 'after=x'])}`,
  (random) => random.pick(['/v1/lines', '/v1/events']),
  (random) => `/mounted/${random.pick(IDS)}`,
  (random) => random.pick(['/', '/v1', '/v1/none', '/v1/plain/a/b/c', '/v1//plain', '/v1/plain/', '/v1/pl%61in/a', '/v1/plain/%2f', '/V1/plain/a']),
];

const HEADERS: [readonly [string, string], ...(readonly [string, string])[]] = [
  ['Accept', 'application/json'], ['Accept', 'text/html'], ['X-Caller', 'Ann'], ['X-Caller', 'stranger'], ['If-Match', '"one"'], ['If-Match', '"two"'], ['If-Match', '*'],
  ['If-None-Match', '"f"'], ['If-None-Match', '*'], ['If-None-Match', 'W/"one"'], ['If-Modified-Since', DAY.toUTCString()], ['If-Unmodified-Since', DAY.toUTCString()],
  ['Range', 'bytes=0-9'], ['Range', 'bytes=-5'], ['Range', 'bytes=999999999-'], ['Range', 'bytes=0-1,4-5'], ['If-Range', '"f"'], ['If-Range', '"g"'],
  ['Origin', 'https://page.example'], ['Origin', 'https://evil.example'], ['Access-Control-Request-Method', 'PUT'], ['Sec-Fetch-Site', 'cross-site'],
  ['Access-Control-Request-Headers', 'content-type'], ['Content-Encoding', 'gzip'], ['Content-Range', 'bytes 0-1/2'], ['Last-Event-ID', '7'],
  ['X-Latin', 'caf\xe9'], ['X-Twice', 'a'], ['Cookie', 'a=1; b=2'], ['X-Long', 'x'.repeat(5000)], ['Host', 'api.example'], ['Host', 'a b'],
];

const TYPES: [string | undefined, ...(string | undefined)[]] = [
  'application/json', 'application/json', 'application/json', 'application/json; charset=utf-8', 'application/merge-patch+json', 'application/x-ndjson',
  'application/x-www-form-urlencoded', 'text/plain', 'image/png', undefined,
];

function makeBody(random: Random): string {
  const text = decodeURI(random.pick(IDS).replace('%ff', 'f'));
  return random.pick<() => string>([
    () => JSON.stringify({ text }), () => JSON.stringify({ text }), () => JSON.stringify({ text, n: 1 }), () => JSON.stringify({ text: 1 }),
    () => `{"text":"${text}"}\n{"text":"b"}\n`, () => `text=${text}&n=1`, () => '{"text":', () => '', () => '{"text":"a","text":"b"}', () => '{"__proto__":1,"text":"a"}',
    () => '[1e400]', () => '18446744073709551615', () => '\ufeff{}', () => JSON.stringify({ text: 'x'.repeat(random.below(6000)) }),
  ])();
}

// Few of the other drafts create something.
const CREATION: Draft = { method: 'POST', target: '/v1/plain', headers: [['Content-Type', 'application/json']], body: '{"text":"new"}', isStreamed: false };

function makeDraft(random: Random): Draft {
  if (random.below(50) === 0) return CREATION;
  const method = random.pick(['GET', 'GET', 'GET', 'HEAD', 'POST', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY', 'PROPFIND']);
  const body = method === 'GET' || method === 'HEAD' || random.below(4) === 0 ? undefined : makeBody(random);
  const type = random.pick(TYPES);
  const named = new Map(random.list(0, 3, () => random.pick(HEADERS)).map((header) => [header[0], header] as const));
  // To a head that is too long, a socket gets a body even with HEAD: Node does not know the method yet.
  if (method === 'HEAD') named.delete('X-Long');
  if (body !== undefined && type !== undefined) named.set('Content-Type', ['Content-Type', type]);
  const target = random.pick(PATHS)(random);
  // These are seldom drawn for the operations that they are for.
  if (target.startsWith('/v1/file') && random.below(2) === 0) named.set('Range', ['Range', random.pick(['bytes=5-9', 'bytes=999999999-'])]);
  if (target.startsWith('/v1/called') && random.below(2) === 0) named.set('X-Caller', ['X-Caller', random.pick(['Ann', 'stranger'])]);
  return { method, target: random.below(5) === 0 ? `${target}${target.includes('?') ? '&' : '?'}q=%20a&q=b` : target, headers: [...named.values()], body, isStreamed: random.below(4) === 0 };
}

type Send = (draft: Draft) => Promise<Pick<Outcome, 'status' | 'headers' | 'body'>>;

/** The middleware reads the response before it is sent, so it gets all of Node's messages. */
function makeServer(notes: Notes, hasMiddleware: boolean): ApiServer {
  const server = new ApiServer('/v1', {
    logger: { info: () => {}, error: ({ message }) => void (HINT.test(message) || notes.logged.push(message)) },
    limits: { bodyBytes: 2000, headerBytes: 4096 },
    ...(hasMiddleware && { cors: { origins: ['https://page.example'], credentials: true } }),
  });
  if (hasMiddleware) {
    server.use((request, response, next) => {
      notes.see('middleware', summarizeRaw(request));
      response.setHeader('X-Middleware', 'yes');
      response.setHeader('Vary', 'X-Middleware');
      next();
    });
  }
  declare(server, notes);
  return server;
}

function sendByFetch(server: ApiServer): Send {
  return async ({ method, target, headers, body, isStreamed }) => {
    const sent = body === undefined ? undefined : isStreamed ? ReadableStream.from(cut(body)) : Buffer.from(body);
    const init = { method, headers: headers.map(([name, value]): [string, string] => [name, value]), ...(sent && { body: sent, duplex: 'half' }) };
    const response = await server.fetch(target, init as RequestInit);
    return { status: response.status, headers: listHeaders([...response.headers].flat()), body: await response.text() };
  };
}

/** Sends the headers as `Headers` has them, which are in lower case and sorted. */
function sendBySocket(port: number, agent: Agent): Send {
  return ({ method, target, headers, body, isStreamed }) => new Promise((resolve, reject) => {
    const request = new Request(`http://localhost${target}`, { headers: headers.map(([name, value]) => [name, value]) });
    const lines = [...request.headers].filter(([name]) => name !== 'host').flat();
    const framing = body !== undefined && isStreamed ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', String(Buffer.byteLength(body ?? ''))];
    const isFramed = body !== undefined || method.startsWith('P');
    const { pathname, search } = new URL(request.url);
    const sent = sendOverSocket({
      host: '127.0.0.1', port, method, path: pathname + search, agent, setHost: false, headers: ['Host', request.headers.get('host') ?? 'localhost', ...lines, ...(isFramed ? framing : [])],
    }, (response) => {
      buffer(response).then((received) => resolve({
        status: response.statusCode ?? 0,
        // `Headers` joins the lines of a list.
        headers: listHeaders([...new Headers(pairs(response.rawHeaders))].flat()),
        body: received.toString(),
      }), reject);
    });
    sent.on('error', reject);
    for (const piece of cut(body ?? '')) sent.write(piece);
    sent.end();
  });
}

/** The bytes of a body in pieces. */
function cut(body: string): Buffer[] {
  const all = Buffer.from(body);
  return [all.subarray(0, 3), all.subarray(3)].filter(({ length }) => length > 0);
}

function pairs(raw: readonly string[]): [string, string][] {
  return Array.from({ length: raw.length / 2 }, (_, at) => [raw[at * 2] ?? '', raw[at * 2 + 1] ?? '']);
}

const differential = suite('the same request by server.fetch and over a socket');
for (const hasMiddleware of [false, true]) {
  differential(`${hasMiddleware ? 'with middleware and cors' : 'without middleware'}: the same response, log, and calls`, async () => {
    const seed = readSeed();
    const random = new Random(seed);
    const notes = new Notes();
    const server = makeServer(notes, hasMiddleware);
    const started = await server.start('127.0.0.1:0');
    if (!started.ok) throw new Error(started.error);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const [fetched, overSocket] = [sendByFetch(server), sendBySocket(Number(new URL(started.url).port), agent)];
    const statuses = new Map<number, number>();
    try {
      for (let number = 0; number < CASES / 2; number += 1) {
        const draft = makeDraft(random);
        const outcomes: Outcome[] = [];
        for (const send of [fetched, overSocket]) {
          const response = await send(draft);
          await waitTwoTurns();
          outcomes.push({ ...response, ...notes.take() });
        }
        const [one, other] = outcomes;
        statuses.set(one?.status ?? 0, (statuses.get(one?.status ?? 0) ?? 0) + 1);
        assert.equal(one, other, `seed ${seed}, case ${number}: ${JSON.stringify(draft)}`);
      }
    } finally {
      agent.destroy();
      await server.stop();
    }
    // The generator reaches what it is for.
    for (const status of [200, 201, 204, 206, 304, 400, 401, 404, 405, 409, 412, 413, 415, 416, 418, 431, 500, 501]) {
      assert.ok(statuses.has(status), `no request got ${status}, with seed ${seed}`);
    }
  });
}
