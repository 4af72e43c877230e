/** What `cache` and `etag` make of responses: `Cache-Control`, `Vary`, a tag of the bytes, and 304. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { anyone, apiKey, basic, bearer, cookie, firstOf } from '../../../src/auth/index.ts';
import { ndjson, ranges } from '../../../src/formats/index.ts';
import { ApiError, type ApiRequest, type ApiServer, bytes, defineFormat, type Interceptor, integerId, problem, reply } from '../../../src/index.ts';
import { makeJsonSchema } from '../../support/make-document.ts';
import { assert, facts, message, type RawResponse, send, serve, type ServeOptions, suite } from '../../support/facts.ts';

const cache = { maxAgeSeconds: 60 };
const NO_LINES: readonly string[] = [];
const acceptAny = (json: unknown): unknown => json;

function hashOf(body: string | Uint8Array): string {
  return `"${createHash('sha256').update(body).digest('base64url')}"`;
}

/** Serves a `get` of pets with these options, and responds to a request for one. */
async function getPet(
  options: object, { lines = NO_LINES, method = 'GET', endpoint = {}, serve: serveOptions = {}, before = (_server: ApiServer): void => {}, errors: expected = 0, log = '' } = {},
): Promise<RawResponse> {
  let response: RawResponse | undefined;
  await serve((server) => {
    before(server);
    server.registerEndpoint('/pet', { id: integerId, ...endpoint, get: { run: (id: number) => (id === 404 ? undefined : { id }), ...options } } as never);
  }, async ({ port, errors }) => {
    response = await send(port, message(method, '/v1/pet/7', '', lines));
    assert.equal(errors.filter(({ message: text }) => !text.includes(log)), []);
    assert.is(errors.length, expected, String(errors));
  }, serveOptions);
  return response as unknown as RawResponse;
}

function headersOf({ headers }: RawResponse): readonly (string | undefined)[] {
  return ['cache-control', 'vary', 'etag'].map((name) => headers.get(name));
}

const user = (): { name: string } => ({ name: 'ann' });
const language = makeJsonSchema({ type: 'object', properties: { 'accept-language': { type: 'string' }, 'if-none-match': { type: 'string' } } });

const declared = suite('O20 S1 S2: cache of an operation');
for (const [what, options, endpoint, expected] of [
  ['without', {}, {}, [undefined, undefined]],
  ['how long', { cache }, {}, ['max-age=60', undefined]],
  ['not at all', { cache: { maxAgeSeconds: 0 } }, {}, ['max-age=0', undefined]],
  ['a year', { cache: { maxAgeSeconds: 31_536_000 } }, {}, ['max-age=31536000', undefined]],
  ['public', { cache: { ...cache, scope: 'public' } }, {}, ['public, max-age=60', undefined]],
  ['private', { cache: { ...cache, scope: 'private' } }, {}, ['private, max-age=60', undefined]],
  ['stale', { cache: { ...cache, staleWhileRevalidateSeconds: 600 } }, {}, ['max-age=60, stale-while-revalidate=600', undefined]],
  ['without, with a context', {}, { context: user }, ['private, no-cache', undefined]],
  ['with a context', { cache }, { context: user }, ['private, max-age=60', 'Authorization, Cookie']],
  ['with a context of its own', { cache, context: user }, {}, ['private, max-age=60', 'Authorization, Cookie']],
  ['public, with a context', { cache: { ...cache, scope: 'public' } }, { context: user }, ['public, max-age=60', 'Authorization, Cookie']],
  ['with a context that reads no header', { cache }, { context: Object.assign(() => 1, { security: [] }) }, ['private, max-age=60', undefined]],
  ['with anyone', { cache }, { context: anyone }, ['max-age=60', undefined]],
  ['with anyone, instead of the context of the endpoint', { cache, context: anyone }, { context: user }, ['max-age=60', undefined]],
  ['without, with anyone', {}, { context: anyone }, [undefined, undefined]],
  ['with a context that reads a cookie', { cache }, { context: Object.assign(() => 1, { security: { name: 'session', scheme: { type: 'apiKey', in: 'cookie', name: 'sid' } } }) }, ['private, max-age=60', 'Cookie']],
  ['with headers', { cache, headers: language }, {}, ['max-age=60', 'Accept-Language']],
  ['with headers of an interceptor', { cache, use: { headers: language, around: (_call: unknown, run: () => unknown) => run() } },
    {}, ['max-age=60', 'Accept-Language']],
  ['with headers of a function', { cache: { ...cache, vary: ['X-Tenant'] }, headers: () => 1 }, {}, ['max-age=60', 'X-Tenant']],
  ['with further headers', { cache: { ...cache, vary: ['accept-language', 'X-Tenant'] }, headers: language },
    { context: user }, ['private, max-age=60', 'Authorization, Cookie, accept-language, X-Tenant']],
  ['with etag only', { etag: 'body' }, {}, [undefined, undefined]],
] as const) {
  declared(`${what}: ${String(expected[0])}${expected[1] === undefined ? '' : `, Vary: ${expected[1]}`}`, async () => {
    const response = await getPet(options, { endpoint });
    assert.is(response.status, 200);
    assert.equal(headersOf(response).slice(0, 2), expected);
  });
}
for (const [what, context, lines, vary] of [
  ['bearer', bearer(() => ({})), ['Authorization: Bearer a'], 'Authorization'],
  ['basic', basic(() => ({})), ['Authorization: Basic YTpi'], 'Authorization'],
  ['apiKey', apiKey('X-Api-Key', () => ({})), ['X-Api-Key: a'], 'X-Api-Key'],
] as const) {
  declared(`varies by the header of ${what}, so that no cache gives a response to a different caller`, async () => {
    const response = await getPet({ cache: { ...cache, scope: 'public' } }, { endpoint: { context }, lines });
    assert.equal(headersOf(response), ['public, max-age=60', vary, undefined]);
    const rejected = await getPet({ cache: { ...cache, scope: 'public' } }, { endpoint: { context } });
    assert.equal([rejected.status, ...headersOf(rejected)], [401, 'private, no-cache', undefined, undefined]);
  });
}
for (const [what, context, vary] of [
  ['cookie', cookie('sid', () => ({})), 'Cookie'],
  ['firstOf', firstOf(bearer(() => ({})), cookie('sid', () => ({})), apiKey('X-Api-Key', () => ({}))), 'Authorization, Cookie, X-Api-Key'],
  ['firstOf with a function, which may read a session', firstOf(apiKey('X-Api-Key', () => ({})), () => ({})), 'X-Api-Key, Authorization, Cookie'],
  ['the same, optional', firstOf(bearer(() => ({})), () => ({})).optional, 'Authorization, Cookie'],
  ['the same, within another', firstOf(firstOf(bearer(() => ({})), () => ({})), basic(() => ({}))), 'Authorization, Cookie'],
  ['firstOf with a function whose security is known', firstOf(bearer(() => ({})), Object.assign(() => ({}), { security: [] })), 'Authorization'],
] as const) {
  facts(declared, (server) => server.registerEndpoint('/pet', { id: integerId, context, get: { run: () => 7, cache: { ...cache, scope: 'public' } } } as never), [
    [`varies by the headers of ${what}`, 'GET /v1/pet/7\nAuthorization: Bearer a\nCookie: sid=1\nX-Api-Key: a',
      `200 7 | Cache-Control: public, max-age=60 | Vary: ${vary}`],
  ]);
}
facts(declared, (server) => server.registerEndpoint('/pet', { id: integerId, list: { cache, etag: 'body', run: () => [] } }), [
  ['of a list', ['GET /v1/pet', `GET /v1/pet\nIf-None-Match: ${hashOf('[]')}`], [
    `200 [] | Cache-Control: max-age=60 | ETag: ${hashOf('[]')}`, `304 | Cache-Control: max-age=60 | ETag: ${hashOf('[]')}`,
  ]],
]);

const NO_BYTES = "etag: 'body' needs a body whose bytes are known: reply with a string or bytes, or with an ETag of your own";

const tagged = suite('S4 S5 S6: etag of the body');
const upper = defineFormat({ types: ['text/csv'], encode: (value: unknown) => `ID\n${JSON.stringify(value)}\n` });
const packed = defineFormat({ types: ['application/x-packed'], encode: () => new Uint8Array([0, 255, 7]) });
for (const [what, options, body] of [
  ['JSON', {}, '{"id":7}'],
  ['JSON that is not ASCII', { run: () => ({ name: 'Žofie 🐈' }) }, '{"name":"Žofie 🐈"}'],
  ['half a surrogate pair, as it is sent', { output: defineFormat({ types: ['application/json'], encode: () => '"\ud800"' }) }, '"\ufffd"'],
  ['what output makes of it', { output: async () => ({ shown: true }) }, '{"shown":true}'],
  ['a format', { output: upper }, 'ID\n{"id":7}\n'],
  ['a format of bytes', { output: packed }, new Uint8Array([0, 255, 7])],
  ['a format that only passes bytes on', { output: bytes(), run: () => new Uint8Array([1, 2]) }, new Uint8Array([1, 2])],
  ['a reply', { run: () => reply(200, { a: 1 }, { 'X-A': '1' }) }, '{"a":1}'],
  ['a reply with bytes', { run: () => reply(200, new Uint8Array([9])) }, new Uint8Array([9])],
  ['a reply with a string', { run: () => reply(200, 'a', { 'Content-Type': 'text/plain' }) }, 'a'],
  ['a reply of nothing', { run: () => reply(200, '', { 'Content-Type': 'text/plain' }) }, ''],
  ['a promise', { run: async () => [1] }, '[1]'],
  ['64 KiB', { run: () => 'x'.repeat(65_536) }, `"${'x'.repeat(65_536)}"`],
] as const) {
  tagged(`is the hash of ${what}, for GET and HEAD; a client that has it gets 304`, async () => {
    const tag = hashOf(body);
    const get = { etag: 'body', cache, run: (id: number) => ({ id }), ...options };
    await serve((server) => server.registerEndpoint('/pet', { id: integerId, get } as never), async ({ port }) => {
      const fetchPet = (method: string, ...lines: string[]): Promise<RawResponse> => send(port, message(method, '/v1/pet/7', '', lines));
      const got = await fetchPet('GET');
      assert.equal([got.status, headersOf(got)], [200, ['max-age=60', undefined, tag]]);
      assert.ok(Buffer.from(got.body, 'latin1').equals(Buffer.from(body)));
      const head = await fetchPet('HEAD');
      assert.equal([head.status, headersOf(head), head.headers.get('content-length')], [200, headersOf(got), String(Buffer.byteLength(body))]);
      for (const method of ['GET', 'HEAD']) {
        for (const condition of [tag, `W/${tag}`, `"a", ${tag}`, '*']) {
          const known = await fetchPet(method, `If-None-Match: ${condition}`);
          assert.equal([known.status, known.body, headersOf(known)], [304, '', headersOf(got)]);
          assert.equal(['content-type', 'content-length'].map((name) => known.headers.get(name)), [undefined, undefined]);
        }
        for (const [condition, status, headers] of [
          [`If-Match: ${tag}`, 200, headersOf(got)], ['If-Match: "a"', 412, [undefined, undefined, undefined]], ['If-None-Match: "a"', 200, headersOf(got)],
        ] as const) {
          const response = await fetchPet(method, condition);
          assert.equal([response.status, headersOf(response)], [status, headers], condition);
        }
      }
    });
  });
}
for (const [what, list] of [
  ['many tags', Array.from({ length: 2000 }, (_, at) => `"${at}"`).join(',')], ['many commas', ','.repeat(15_000)], ['an open quote', `"${'a'.repeat(15_000)}`],
  ['a lone backslash', '"\\"'], ['bytes that are not ASCII', '"\xff"'], ['a quote in a quote', '"a"b"'], ['W only', 'W/'], ['a star in a list', '*, "a"'],
] as const) {
  tagged(`If-None-Match with ${what}: the body is sent`, async () => {
    assert.is((await getPet({ etag: 'body' }, { lines: [`If-None-Match: ${list}`] })).status, 200);
  });
}
tagged('several lines of If-None-Match are one list', async () => {
  assert.is((await getPet({ etag: 'body' }, { lines: ['If-None-Match: "a"', `If-None-Match: ${hashOf('{"id":7}')}`] })).status, 304);
});
for (const [what, options, expected] of [
  ['an ETag of its own', { etag: 'body', run: () => reply(200, 1, { etag: '"own"' }) }, [200, undefined, '"own"']],
  ['a Cache-Control of its own', { cache, run: () => reply(200, 1, { 'cache-control': 'no-store' }) }, [200, 'no-store', undefined]],
  ['a Cache-Control of its format',
    { cache, output: defineFormat({ encode: () => 'a', headers: { 'Cache-Control': 'no-cache' } }) }, [200, 'no-cache', undefined]],
  ['a declared Cache-Control', { cache, responseHeaders: { 'Cache-Control': () => 'no-transform' }, run: () => reply(200, 1, { 'Cache-Control': 'x' }) },
    [200, 'no-transform', undefined]],
  ['a stream with an ETag', { etag: 'body', cache, run: () => reply(200, Readable.from(['a']), { ETag: '"own"' }) }, [200, 'max-age=60', '"own"']],
  ['no body', { etag: 'body', cache, run: () => reply(204) }, [204, 'max-age=60', undefined]],
  ['a part', { etag: 'body', cache, run: () => reply(206, new Uint8Array([1]), { 'Content-Range': 'bytes 0-0/9' }) }, [206, 'max-age=60', undefined]],
  ['a 304 of the operation', { etag: 'body', cache, run: () => reply(304, undefined, { ETag: '"own"' }) }, [304, 'max-age=60', '"own"']],
  ['a redirection', { etag: 'body', cache, run: () => reply(303, undefined, { Location: '/' }) }, [303, undefined, undefined]],
] as const) {
  tagged(`a reply with ${what}: ${expected.join(', ')}`, async () => {
    const response = await getPet(options);
    const [control, , etag] = headersOf(response);
    assert.equal([response.status, control, etag], expected);
  });
}
tagged('a reply with an ETag of its own is compared by that, and its 304 has the Cache-Control', async () => {
  for (const [tag, status] of [['"own"', 304], [hashOf('1'), 200]] as const) {
    const response = await getPet({ etag: 'body', cache, run: () => reply(200, 1, { ETag: '"own"' }) }, { lines: [`If-None-Match: ${tag}`] });
    assert.equal([response.status, headersOf(response)], [status, ['max-age=60', undefined, '"own"']]);
  }
});
tagged('a 304 has the other headers of the success: Vary, Link, cookies', async () => {
  const run = (): unknown => reply(200, 1, { Link: '<?after=7>; rel="next"', Vary: 'Accept', 'Set-Cookie': 'a=1' });
  const { status, headers } = await getPet({ etag: 'body', run }, { lines: [`If-None-Match: ${hashOf('1')}`] });
  assert.equal([status, ...['link', 'vary', 'set-cookie'].map((name) => headers.get(name))], [304, '<?after=7>; rel="next"', 'Accept', 'a=1']);
});
tagged('a get with a version has the Cache-Control, on its 304 too', async () => {
  for (const [lines, status] of [[[], 200], [['If-None-Match: "v1"'], 304]] as const) {
    const response = await getPet({ cache }, { endpoint: { version: () => 'v1' }, lines });
    assert.equal([response.status, headersOf(response)], [status, ['max-age=60', undefined, '"v1"']]);
  }
});
for (const [what, body] of [
  ['a stream', () => Readable.from(['a'])],
  ['a web stream', () => new Blob(['a']).stream()],
  ['ranges', () => ranges({ size: 1, read: () => new Uint8Array([1]) })],
] as const) {
  tagged(`${what} without an ETag: 500, logged, for GET and HEAD, and the stream is closed`, async () => {
    for (const method of ['GET', 'HEAD']) {
      const given = body();
      const response = await getPet({ etag: 'body', cache, run: () => reply(200, given) }, { method, errors: 1, log: NO_BYTES });
      assert.equal([response.status, headersOf(response)], [500, [undefined, undefined, undefined]]);
      if (given instanceof Readable) assert.ok(given.destroyed);
    }
  });
}
tagged('the responses of one URL that differ have different tags, whoever asks at the same time', async () => {
  let calls = 0;
  await serve((server) => server.registerEndpoint('/pet', { get: { etag: 'body', run: async () => { await new Promise(setImmediate); return (calls += 1); } } }), async ({ port }) => {
    const responses = await Promise.all(Array.from({ length: 50 }, () => send(port, message('GET', '/v1/pet'))));
    for (const { body, headers } of responses) assert.is(headers.get('etag'), hashOf(body));
    assert.is(new Set(responses.map(({ headers }) => headers.get('etag'))).size, 50);
  });
});
tagged('server.fetch: the tag, and 304', async () => {
  await serve((server) => server.registerEndpoint('/pet', { get: { etag: 'body', cache, run: () => 'é' } }), async ({ server }) => {
    const got = await server.fetch('/v1/pet');
    assert.is(got.headers.get('etag'), hashOf(await got.text()));
    const known = await server.fetch('/v1/pet', { headers: { 'If-None-Match': got.headers.get('etag') ?? '' } });
    assert.equal([known.status, known.headers.get('cache-control')], [304, 'max-age=60']);
  });
});

const failed = suite('S3: an error of an operation with cache');
const fail = (error: unknown) => () => { throw error; };
for (const [what, options, status, others] of [
  ['a missing item', { run: () => undefined }, 404, {}],
  ['an ApiError', { run: fail(ApiError.status(410, 'gone')) }, 410, {}],
  ['a failure', { run: fail(new Error('disk')) }, 500, { errors: 1 }],
  ['a result that JSON does not have', { run: () => 1n }, 500, { errors: 1 }],
  ['an error that is returned', { run: () => problem(402, 'no') }, 402, {}],
  ['a query that is rejected', { query: fail(ApiError.argument('no')) }, 400, {}],
  ['headers that are rejected', { headers: fail(ApiError.argument('no')), cache: { ...cache, vary: [] } }, 400, {}],
  ['a caller who is rejected', { context: () => false }, 403, {}],
  ['a timeout', { run: () => new Promise(() => {}), limits: { operationMs: 20 } }, 503, { errors: 1 }],
  ['a stream that fails at once', { etag: undefined, run: () => reply(200, Readable.from(yieldThenFail())) }, 500, { errors: 1 }],
  ['a range after the end', { etag: undefined, run: () => reply(200, ranges({ size: 5, read: () => 'abcde' as never }), { ETag: '"a"' }) },
    416, { lines: ['Range: bytes=9-'] }],
  ['a rate limit', { use: { onRequest: fail(ApiError.status(429, 'no')) } }, 429, {}],
] as const) {
  failed(`${what}: ${status}, without the Cache-Control of cache and without an ETag`, async () => {
    const control = 'context' in options ? 'private, no-cache' : undefined;
    const response = await getPet({ cache, etag: 'body', ...options }, others);
    assert.equal([response.status, headersOf(response)], [status, [control, undefined, undefined]]);
    const secured = await getPet({ cache, etag: 'body', ...options }, { ...others, endpoint: { context: user } });
    // What is rejected before authentication has no caller.
    assert.equal([secured.status, headersOf(secured)], [status, [status === 429 ? undefined : 'private, no-cache', undefined, undefined]]);
  });
}
async function* yieldThenFail(): AsyncGenerator<string> {
  throw new Error('disk');
}
facts(failed, (server) => server.registerEndpoint('/pet', { id: integerId, get: { cache, run: () => 1 } }), [
  ['an id that is not valid', 'GET /v1/pet/x', '400 Bad arguments: id: expected a decimal integer from -9007199254740991 to 9007199254740991 @id'],
  ['a method that the path does not have', 'PUT /v1/pet/1', '405 | Allow: GET, HEAD, OPTIONS'],
  ['discovery', 'OPTIONS /v1/pet/1', '200 | Allow: GET'],
]);
for (const [cacheControl, context] of [['public, max-age=31536000, immutable', undefined], [undefined, undefined], ['max-age=9', user]] as const) {
  failed(`a 416 has no Cache-Control of its reply, ${String(cacheControl)}: a cache could give the error to those who ask for the whole`, async () => {
    const headers = { ETag: '"a"', ...(cacheControl !== undefined && { 'Cache-Control': cacheControl }) };
    const run = (): unknown => reply(200, ranges({ size: 5, read: () => new Uint8Array(5) }), headers);
    const { status, headers: sent } = await getPet({ run, ...(context && { context }) }, { lines: ['Range: bytes=9-'] });
    assert.equal([status, sent.get('cache-control'), sent.get('content-range')], [416, context && 'private, no-cache', 'bytes */5']);
  });
}

const merged = suite('S2 S4: cache beside other headers');
for (const [what, control, setup] of [
  ['middleware', 'no-store', (value: string) => ({ before: setBefore('Cache-Control', value) })],
  ['onRequest', 'no-store', (value: string) => ({ endpoint: { use: { onRequest: () => ({ 'cache-control': value }) } } })],
  ['onRequest, with the default of a context', 'private, no-cache',
    (value: string) => ({ endpoint: { context: user, use: { onRequest: async () => ({ 'Cache-Control': value }) } } })],
  ['an interceptor, with the default of a context', 'private, no-cache',
    (value: string) => ({ endpoint: { context: user, use: addHeaders({ 'Cache-Control': value }) } })],
] as const) {
  merged(`a Cache-Control of ${what} stays: ${control}`, async () => {
    for (const scope of ['public', 'private'] as const) {
      const got = await getPet({ cache: { ...cache, scope }, etag: 'body' }, setup(control));
      assert.is(got.headers.get('cache-control'), control);
      const known = await getPet({ cache: { ...cache, scope }, etag: 'body' }, { ...setup(control), lines: [`If-None-Match: ${hashOf('{"id":7}')}`] });
      assert.equal([known.status, known.headers.get('cache-control')], [304, control]);
    }
  });
}
merged('headers that an interceptor adds besides', async () => {
  const { headers } = await getPet({ cache, use: addHeaders({ 'X-A': '1' }) });
  assert.equal([headers.get('cache-control'), headers.get('x-a')], ['max-age=60', '1']);
});
merged('a Cache-Control that an interceptor adds after the response of a timeout is ignored', async () => {
  const late: Interceptor = {
    around: async (call, run) => {
      await new Promise((resolve) => (call.request as ApiRequest).signal.addEventListener('abort', resolve));
      call.addHeaders({ 'Cache-Control': 'no-store' });
      return run();
    },
  };
  const { status, headers } = await getPet({ cache, use: late, limits: { operationMs: 20 } }, { errors: 1 });
  assert.equal([status, headers.get('cache-control')], [503, undefined]);
});
for (const [what, setup] of [
  ['a reply', { options: { run: () => reply(200, 1, { 'Set-Cookie': 'a=1' }) } }],
  ['middleware', { before: setBefore('Set-Cookie', 'a=1') }],
  ['an interceptor', { options: { use: addHeaders({ 'Set-Cookie': 'a=1' }) } }],
] as const) {
  merged(`a response with a cookie of ${what} is private, even with scope public`, async () => {
    const { options = {}, before } = setup as { options?: object; before?: (server: ApiServer) => void };
    const given = { cache: { ...cache, scope: 'public', staleWhileRevalidateSeconds: 5 }, ...options };
    const { headers } = await getPet(given, before === undefined ? {} : { before });
    assert.equal([headers.get('cache-control'), headers.get('set-cookie')], ['private, max-age=60, stale-while-revalidate=5', 'a=1']);
  });
}
merged('Vary of a reply and of cors is added to', async () => {
  const serveOptions: ServeOptions = { cors: { origins: ['https://app.example'], credentials: true } };
  const options = { cache: { ...cache, scope: 'public' }, etag: 'body', run: () => reply(200, 1, { Vary: 'Accept' }) };
  for (const [origin, allowed] of [['https://app.example', 'https://app.example'], ['https://evil.example', undefined]] as const) {
    for (const [condition, status] of [['"a"', 200], [hashOf('1'), 304]] as const) {
      const { headers, ...got } = await getPet(options, { serve: serveOptions, endpoint: { context: user }, lines: [`Origin: ${origin}`, `If-None-Match: ${condition}`] });
      assert.equal([got.status, headers.get('access-control-allow-origin'), headers.get('cache-control')], [status, allowed, 'public, max-age=60']);
      assert.equal(headers.get('vary')?.split(', ').sort(), ['Accept', 'Authorization', 'Cookie', 'Origin']);
    }
  }
});
merged('ranges: the 200, the 206 and the 304 have it, with no-transform', async () => {
  const run = (): unknown => reply(200, ranges({ size: 5, read: (from, to) => Buffer.from('abcde').subarray(from, to + 1) }), { ETag: '"a"' });
  for (const [lines, status, body] of [[[], 200, 'abcde'], [['Range: bytes=1-2'], 206, 'bc'], [['If-None-Match: "a"'], 304, '']] as const) {
    const response = await getPet({ cache, etag: 'body', run }, { lines });
    assert.equal([response.status, response.body, headersOf(response)], [status, body, ['max-age=60, no-transform', undefined, '"a"']]);
  }
});
merged('a stream has the Cache-Control', async () => {
  const response = await getPet({ cache, output: ndjson(acceptAny), run: () => [1, 2] });
  assert.equal([response.body, headersOf(response)], ['1\n2\n', ['max-age=60', undefined, undefined]]);
});
function setBefore(name: string, value: string): (server: ApiServer) => void {
  return (server) => server.use((_request, response, next) => {
    response.setHeader(name, value);
    next();
  });
}
function addHeaders(headers: Record<string, string>): Interceptor {
  return {
    around: (call, run) => {
      call.addHeaders(headers);
      return run();
    },
  };
}

const intercepted = suite('S5: etag and interceptors');
intercepted('the tag is of what is sent, even if an interceptor changes it, and not of what it keeps', async () => {
  const seen: unknown[] = [];
  const changing: Interceptor = {
    around: async (call, run) => {
      const response = await call.encode(await run());
      seen.push(Object.keys(response.headers));
      return { ...response, body: `${String(response.body)} ` };
    },
  };
  const got = await getPet({ etag: 'body', cache, use: changing });
  assert.equal([got.body, headersOf(got)], ['{"id":7} ', ['max-age=60', undefined, hashOf('{"id":7} ')]]);
  assert.equal(seen, [['Content-Type']]);
  const known = await getPet({ etag: 'body', use: changing }, { lines: [`If-None-Match: ${hashOf('{"id":7} ')}`] });
  assert.is(known.status, 304);
});
intercepted('a response that is kept for later requests gets the tag and the conditions of each request', async () => {
  let kept: any;
  let runs = 0;
  const keeping: Interceptor = { around: async (call, run) => (kept === undefined ? (kept = await call.encode(await run())) : call.response(kept)) };
  await serve((server) => server.registerEndpoint('/pet', { get: { etag: 'body', cache, use: keeping, run: () => (runs += 1) } }), async ({ port }) => {
    for (const [lines, status] of [[[`If-None-Match: ${hashOf('1')}`], 304], [[], 200], [[`If-None-Match: ${hashOf('1')}`], 304], [['If-None-Match: "a"'], 200]] as const) {
      const response = await send(port, message('GET', '/v1/pet', '', lines));
      assert.equal([response.status, headersOf(response)], [status, ['max-age=60', undefined, hashOf('1')]]);
    }
    assert.is(runs, 1);
  });
});
