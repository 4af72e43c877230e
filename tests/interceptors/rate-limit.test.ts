/** `rateLimit`: its headers and its 429, exact counts under concurrency, whose quota is used, and stores that fail. */
import { mock } from 'node:test';
import { type ApiRequest, type ApiServer, type ApiServerOptions, integerId } from '../../src/index.ts';
import { bearer } from '../../src/auth/index.ts';
import { client } from '../../src/client/index.ts';
import { memoryRates, rateLimit, type RateLimitRequest, type RateStore, type RateTaken } from '../../src/interceptors/index.ts';
import { mcpHandler } from '../../src/mcp/index.ts';
import { makeDocument, findOperation } from '../support/make-document.ts';
import { assert, facts, isTypeError, message, RawClient, type RawResponse, readProblem, rejections, send, serve, suite, type TestServer } from '../support/facts.ts';

/** A response to one request too many. */
const OVER = '429 Too many requests. {"violated-policies":["default"],"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"Request cannot be satisfied as assigned quota has been exceeded"}';
const HOUR = { limit: 3, windowSeconds: 3600 } as const;
const LIST = message('GET', '/v1/pet');
const JSON_TYPE = 'Content-Type: application/json';

const declareLimited = (use: unknown, others: object = {}) => (server: ApiServer): void => server.registerEndpoint('/pet', {
  id: integerId, use, list: () => ['a'], get: () => undefined, schema: String, create: () => 1, ...others,
} as never);
const serveLimited = (use: unknown, call: (served: TestServer) => Promise<void>, others?: object, options?: ApiServerOptions): Promise<void> => {
  return serve(declareLimited(use, others), call, options);
};
const limits = ({ status, headers }: RawResponse): unknown[] => {
  return [status, ...['ratelimit-policy', 'ratelimit', 'retry-after'].map((name) => headers.get(name))];
};
const from = (client: string, header = 'X-Forwarded-For'): string => message('GET', '/v1/pet', '', [`${header}: ${client}`]);

const headers = suite('T1: the headers of rateLimit');
facts(headers, declareLimited(rateLimit(HOUR)), [
  ['say what is left, and when there is more', Array(4).fill('GET /v1/pet'), ['200 ["a"] | RateLimit-Policy: "default";q=3;w=3600 | RateLimit: "default";r=2;t=1200', '200 ["a"] | RateLimit-Policy: "default";q=3;w=3600 | RateLimit: "default";r=1;t=1200', '200 ["a"] | RateLimit-Policy: "default";q=3;w=3600 | RateLimit: "default";r=0;t=1200', `${OVER} | RateLimit-Policy: "default";q=3;w=3600 | RateLimit: "default";r=0;t=1200 | Retry-After: 1200`]],
]);
for (const [why, request, response] of [
  ['a 404', 'GET /v1/pet/1', '404 Not found. | RateLimit-Policy: "default";q=3;w=3600 | RateLimit: "default";r=2;t=1200'],
  ['a malformed id', 'GET /v1/pet/x', '400 Bad arguments: id: expected a decimal integer from -9007199254740991 to 9007199254740991 @id | RateLimit-Policy: "default";q=3;w=3600 | RateLimit: "default";r=2;t=1200'],
  ['a 415', 'POST /v1/pet a\nContent-Type: text/plain', '415 The body must be application/json in UTF-8. | Accept: application/json | Accept-Post: application/json | RateLimit-Policy: "default";q=3;w=3600 | RateLimit: "default";r=2;t=1200'],
  ['a malformed body', 'POST /v1/pet {',
    '400 Bad arguments: the body is not JSON: it ends too early, at byte 1 @# | RateLimit-Policy: "default";q=3;w=3600 | RateLimit: "default";r=2;t=1200'],
  ['a body that is too long', `POST /v1/pet "${'a'.repeat(2000)}"`,
    '413 The body must not be longer than 1000 bytes. | Connection: close | RateLimit-Policy: "default";q=3;w=3600 | RateLimit: "default";r=2;t=1200'],
] as const) {
  facts(headers, declareLimited(rateLimit(HOUR)), [[`are sent with ${why}, which counts`, request, response]], { limits: { bodyBytes: 1000 } });
}
headers('of several limits are several lines, and the one that is over names itself', async () => {
  const use = [rateLimit({ ...HOUR, name: 'hour' }), rateLimit({ limit: 1, windowSeconds: 86_400, name: 'day' })];
  await serveLimited(use, async ({ port }) => {
    const [, first] = await Promise.all([undefined, send(port, LIST)]);
    const second = await send(port, LIST);
    for (const [response, status, hour] of [[first, 200, 2], [second, 429, 1]] as const) {
      assert.is(response.status, status);
      const lines = (name: string): string[] => String(response.headers.get(name)).split(', ').sort();
      assert.equal(lines('ratelimit-policy'), ['"day";q=1;w=86400', '"hour";q=3;w=3600']);
      assert.equal(lines('ratelimit'), ['"day";r=0;t=86400', `"hour";r=${hour};t=1200`]);
    }
    assert.equal(readProblem(second)['violated-policies'], ['day']);
  });
});
facts(headers, declareLimited(rateLimit({ ...HOUR, cost: 0 })),
  [['a whole quota has nothing to come', 'GET /v1/pet', '200 ["a"] | RateLimit-Policy: "default";q=3;w=3600 | RateLimit: "default";r=3']]);
facts(headers, declareLimited(rateLimit({ ...HOUR, limit: 1 })), [
  ['paths and methods without an operation are not limited', ['GET /v1/no', 'PUT /v1/pet', 'OPTIONS /v1/pet', 'GET /v1/pet'], ['404 Nothing is served at this path.', '405 | Allow: GET, HEAD, POST, OPTIONS', '200 | Allow: GET, POST', '200 ["a"] | RateLimit-Policy: "default";q=1;w=3600 | RateLimit: "default";r=0;t=3600']],
]);

const counts = suite('T2: how many requests rateLimit lets through');
for (const [why, store] of [
  ['in memory', undefined],
  ['of a store that promises', { take: (key, policy) => Promise.resolve(memory.take(key, policy)) } as RateStore],
] as const) {
  counts(`100 of 300 at once, ${why}`, async () => {
    let ran = 0;
    await serveLimited(rateLimit({ limit: 100, windowSeconds: 86_400, ...(store && { store }) }), async ({ port }) => {
      const clients = await Promise.all(Array.from({ length: 20 }, () => RawClient.connect(port)));
      const statuses = await Promise.all(clients.map(async (client) => {
        client.send(LIST.repeat(15));
        const own: number[] = [];
        for (let at = 0; at < 15; at += 1) own.push((await client.response()).status);
        client.destroy();
        return own;
      }));
      assert.equal([200, 429].map((status) => statuses.flat().filter((each) => each === status).length), [100, 200]);
      assert.is(ran, 100);
    }, { list: () => [ran += 1] });
  });
}
const memory = memoryRates();
facts(counts, declareLimited(rateLimit({ ...HOUR, cost: async ({ headers: { 'x-cost': cost } }) => Number(cost) })), [[
  'a cost, which a function can find', [2, 2, 0, 3, 4].map((cost) => `GET /v1/pet\nX-Cost: ${cost}`), ['200 ["a"] | RateLimit-Policy: "default";q=3;w=3600 | RateLimit: "default";r=1;t=1200', `${OVER} | RateLimit-Policy: "default";q=3;w=3600 | RateLimit: "default";r=1;t=1200 | Retry-After: 1200`, '200 ["a"] | RateLimit-Policy: "default";q=3;w=3600 | RateLimit: "default";r=1;t=1200', `${OVER} | RateLimit-Policy: "default";q=3;w=3600 | RateLimit: "default";r=1;t=1200 | Retry-After: 2400`, '500'],
  'GET /v1/pet: Internal error: rateLimit.cost() must be a whole number from 0 to 3: 4',
]]);
facts(counts, declareLimited(rateLimit({ ...HOUR, limit: 1 })), [
  ['all operations that use it share a quota', ['GET /v1/pet', 'GET /v1/pet/1'], ['200 ["a"] | RateLimit-Policy: "default";q=1;w=3600 | RateLimit: "default";r=0;t=3600', `${OVER} | RateLimit-Policy: "default";q=1;w=3600 | RateLimit: "default";r=0;t=3600 | Retry-After: 3600`]],
]);
counts('two limits over one store have their own quotas, by name and by policy', async () => {
  const store = memoryRates();
  const one = { store, limit: 1, windowSeconds: 60 };
  const others = { list: { use: rateLimit({ ...one, name: 'a' }), run: () => [] }, get: { use: rateLimit({ ...one, name: 'b' }), run: () => 1 }, create: { use: rateLimit({ ...one, name: 'a', limit: 2 }), run: () => 1 } };
  await serveLimited([], async ({ port }) => {
    for (const request of [LIST, message('GET', '/v1/pet/1'), message('POST', '/v1/pet', '"a"', [JSON_TYPE])]) assert.ok((await send(port, request)).status < 300);
    assert.is((await send(port, LIST)).status, 429);
  }, others);
});
counts('the client repeats a GET after Retry-After, and no POST', async () => {
  let posts = 0;
  const store: RateStore = { take: () => ({ isAllowed: (posts += 1) === 2, fullMs: 60_000 }) };
  const use = rateLimit({ limit: 60, windowSeconds: 60, store });
  await serveLimited(use, async ({ url }) => {
    const pets = (client(`${url}/v1`, { retries: 1 }) as any)('/pet');
    assert.equal(await pets.list(), ['a']);
    assert.is(posts, 2);
    const { status } = await pets.create('a', { safe: true });
    assert.equal([status, posts], [429, 3]);
  });
});
counts('a quota grows as mock timers move the clock, and not in between', () => serveLimited(rateLimit(HOUR), async ({ server }) => {
  const call = async (): Promise<unknown> => {
    const { status, headers: sent } = await server.fetch('/v1/pet', { headers: { 'x-client': 'a' } });
    return [status, sent.get('ratelimit')];
  };
  mock.timers.enable({ apis: ['Date'] });
  try {
    for (const left of [2, 1, 0]) assert.equal(await call(), [200, `"default";r=${left};t=1200`]);
    mock.timers.tick(1_199_000);
    assert.equal(await call(), [429, '"default";r=0;t=1']);
    mock.timers.tick(1000);
    assert.equal(await call(), [200, '"default";r=0;t=1200']);
    mock.timers.tick(3_600_000);
    assert.equal(await call(), [200, '"default";r=2;t=1200']);
  } finally {
    mock.timers.reset();
  }
  assert.equal(await call(), [200, '"default";r=1;t=1200']);
}));

const keys = suite('T3 T4: whose quota rateLimit takes from');
for (const { why, options = {}, trusted = 0, requests, statuses } of [
  { why: 'without trusted proxies, that of the connection', requests: [from('192.0.2.1'), from('192.0.2.2')], statuses: [200, 429] },
  { why: 'behind a proxy, that of the client', trusted: 1,
    requests: [from('6.6.6.6, 192.0.2.1'), from('7.7.7.7, 192.0.2.1'), from('192.0.2.2')], statuses: [200, 429, 200] },
  { why: 'behind proxies with these addresses', trusted: ['127.0.0.0/8', '::1'],
    requests: [from('6.6.6.6, 192.0.2.1'), from('192.0.2.1'), from('192.0.2.2')], statuses: [200, 429, 200] },
  { why: 'two lines are one list', trusted: 1,
    requests: [from('6.6.6.6\r\nX-Forwarded-For: 192.0.2.1'), from('192.0.2.1')], statuses: [200, 429] },
  { why: 'a network of IPv6 is one client', trusted: 1,
    requests: [from('2001:db8::1'), from('2001:db8::ffff:1'), from('2001:db8:0:1::1')], statuses: [200, 429, 200] },
  { why: 'a key of the request', options: { key: async ({ headers: { 'x-forwarded-for': name } }: RateLimitRequest) => String(name) },
    requests: [from('a'), from('b'), from('a')], statuses: [200, 200, 429] },
  { why: 'a key with the client', trusted: 1, options: { key: ({ client, route, address, raw, signal }: RateLimitRequest) => [client, route.path, address, raw.method, signal.aborted].join() }, requests: [from('192.0.2.1'), from('192.0.2.1'), message('GET', '/v1/pet/1', '', ['X-Forwarded-For: 192.0.2.1'])], statuses: [200, 429, 404] },
] as readonly { readonly why: string; readonly options?: object; readonly trusted?: number | readonly string[]; readonly requests: string[]; readonly statuses: number[] }[]) {
  keys(why, () => serveLimited(rateLimit({ ...HOUR, limit: 1, ...options } as never), async ({ port }) => {
    for (const [at, request] of requests.entries()) assert.is((await send(port, request)).status, statuses[at], request);
  }, undefined, { proxy: { trusted } }));
}
keys('requests of fetch have no address, and share a quota', () => serveLimited(rateLimit({ ...HOUR, limit: 1 }), async ({ server }) => {
  const statuses = [await server.fetch('http://a/v1/pet'), await server.fetch('http://b/v1/pet')].map(({ status }) => status);
  assert.equal(statuses, [200, 429]);
}));
keys('a tool takes from the quota of the client who calls it', async () => {
  const use = rateLimit({ ...HOUR, limit: 1 });
  await serve((server) => {
    declareLimited(use, { list: { tool: { name: 'pets' }, summary: 'Lists pets', run: () => ['a'] } })(server);
    server.mount('/mcp', mcpHandler(server, { info: { name: 'pets', version: '1' } }));
  }, async ({ port }) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'pets', arguments: {} } });
    const call = (client: string): string => message('POST', '/mcp', body, [`X-Forwarded-For: ${client}`, JSON_TYPE, 'Accept: application/json, text/event-stream', 'MCP-Protocol-Version: 2025-06-18']);
    assert.is((await send(port, from('192.0.2.1'))).status, 200);
    assert.match((await send(port, call('192.0.2.1'))).body, /Too many requests/);
    assert.not.match((await send(port, call('192.0.2.2'))).body, /Too many requests/);
  }, { proxy: { trusted: 1 } });
});
facts(keys, declareLimited(rateLimit({ ...HOUR, key: ({ headers: { 'x-key': key } }) => key as string })), [
  ['a key that is not a string', 'GET /v1/pet', '500', 'GET /v1/pet: Internal error: rateLimit: key must return a string: undefined'],
]);
const byName = rateLimit({ ...HOUR, limit: 1, by: 'caller', key: ({ context: { name } }: ApiRequest<{ readonly name: string }>) => name });
facts(keys, declareLimited(byName, { context: bearer((token) => (token === 'x' ? undefined : { name: token })) }), [
  ['of a caller, whom the context has identified', [['', 'x'], ['/x', 'ann'], ['/1', 'ann'], ['', 'ann'], ['', 'bob']].map(([path, token]) => `GET /v1/pet${path}\nAuthorization: Bearer ${token}`), ['401 The token is not valid. | WWW-Authenticate: Bearer realm="api", error="invalid_token" | Cache-Control: private, no-cache', '400 Bad arguments: id: expected a decimal integer from -9007199254740991 to 9007199254740991 @id', '404 Not found. | RateLimit-Policy: "default";q=1;w=3600 | RateLimit: "default";r=0;t=3600 | Cache-Control: private, no-cache', `${OVER} | RateLimit-Policy: "default";q=1;w=3600 | RateLimit: "default";r=0;t=3600 | Retry-After: 3600 | Cache-Control: private, no-cache`, '200 ["a"] | RateLimit-Policy: "default";q=1;w=3600 | RateLimit: "default";r=0;t=3600 | Cache-Control: private, no-cache']],
]);
const byCost = rateLimit({ ...HOUR, by: 'caller', key: async () => 'a', cost: ({ query }: ApiRequest) => Number(query.get('n')) });
facts(keys, declareLimited(byCost, { context: () => 'ann' }), [['of a caller: a function of the request finds the cost', 'GET /v1/pet?n=2', '200 ["a"] | RateLimit-Policy: "default";q=3;w=3600 | RateLimit: "default";r=1;t=1200 | Cache-Control: private, no-cache']]);
for (const [what, given, expected] of [
  ['as it is', 'ann', 'ann'],
  ['empty', '', ''],
  ['128 characters', 'a'.repeat(128), 'a'.repeat(128)],
  ['129 characters', 'a'.repeat(129), undefined],
  ['as long as a head may be', 'a'.repeat(15_000), undefined],
  ['NUL, which no text of PostgreSQL has', 'a\0', undefined],
  ['a line end', 'a\r\nSET b 1', undefined],
  ['letters', 'Žofie', undefined],
  ['what looks like a hash', '#abc', undefined],
  ['a space at its beginning', ' a', undefined],
] as const) {
  keys(`a key that a client chooses: ${what}. The store gets ${expected === undefined ? 'its hash' : 'the key'}`, async () => {
    const seen: string[] = [];
    const store: RateStore = { take: (key) => (seen.push(key), { isAllowed: true, fullMs: 0 }) };
    const key = ({ raw }: RateLimitRequest): string => decodeURIComponent(raw.url?.split('=')[1] ?? '');
    await serveLimited(rateLimit({ ...HOUR, store, key }), async ({ port }) => {
      for (const value of [given, given, `${given}~`]) assert.is((await send(port, message('GET', `/v1/pet?key=${encodeURIComponent(value)}`))).status, 200);
    });
    const [first = '', second, other] = seen;
    assert.is(first, second);
    assert.is.not(first, other);
    if (expected === undefined) assert.match(first, /^default:3\/3600:#[\w-]{43}$/);
    else assert.is(first, `default:3/3600:${expected}`);
  });
}

const stores = suite('T6: a store of rateLimit that fails');
const FAILING: readonly (readonly [why: string, take: () => unknown, log: string])[] = [
  ['throws', () => { throw new Error('no connection'); }, 'no connection'],
  ['rejects', () => Promise.reject(new Error('no connection')), 'no connection'],
  ['promises nothing', async () => undefined, 'the result of take() must be an object: undefined'],
  ['returns something else', () => ({ isAllowed: 1, fullMs: -1 }), 'the result of take() must be { isAllowed, fullMs }: 1, -1'],
];
for (const [why, take, log] of FAILING) {
  const store = { take } as RateStore;
  stores(`one that ${why}: 503 with Retry-After, which is logged with its cause`, () => serveLimited(rateLimit({ ...HOUR, store }), async (served) => {
    const response = await send(served.port, LIST);
    const { status, headers } = response;
    assert.equal([readProblem(response).detail, status, headers.get('retry-after')], ['The rate limit could not be checked.', 503, '1']);
    assert.equal(served.errors.map(({ cause }) => ((cause as Error).cause as Error).message), [log]);
  }));
  stores(`one that ${why}: the request is let through, if the options say so`, async () => {
    const errors: unknown[] = [];
    for (const onStoreError of ['allow', (error: unknown) => (errors.push(error), 'allow' as const)] as const) {
      await serveLimited(rateLimit({ ...HOUR, store, onStoreError }), async ({ port }) => {
        assert.equal(limits(await send(port, LIST)), [200, '"default";q=3;w=3600', undefined, undefined]);
      });
    }
    assert.equal(errors.map((error) => (error as Error).message), [log]);
  });
}
facts(stores, declareLimited(rateLimit({ ...HOUR, store: { take: () => new Promise<RateTaken>(() => {}) } })), [
  ['one that does not respond, after the time of the operation', 'GET /v1/pet', '503 The operation took too long.', /took longer than 20 ms/],
], { limits: { operationMs: 20 } });
for (const [fullMs, isAllowed, response] of [
  [1000.0000001, true, '200 ["a"] | RateLimit-Policy: "default";q=3;w=3 | RateLimit: "default";r=2;t=1'], [1999.9999999, true, '200 ["a"] | RateLimit-Policy: "default";q=3;w=3 | RateLimit: "default";r=1;t=1'], [3000, false, `${OVER} | RateLimit-Policy: "default";q=3;w=3 | RateLimit: "default";r=0;t=1 | Retry-After: 1`], [0, true, '200 ["a"] | RateLimit-Policy: "default";q=3;w=3 | RateLimit: "default";r=3'],
] as const) {
  facts(stores, declareLimited(rateLimit({ limit: 3, windowSeconds: 3, store: { take: () => ({ isAllowed, fullMs }) } })),
    [[`whose milliseconds are rounded says what is left: ${fullMs}`, 'GET /v1/pet', response]]);
}

const documents = suite('T1: rateLimit in a document');
documents('each response has its headers, and the 429 Retry-After', () => {
  const { responses = {} } = findOperation(makeDocument(declareLimited(rateLimit(HOUR), { context: bearer(() => ({})) })), 'petCreate');
  for (const [status, response] of Object.entries(responses as Record<string, { readonly headers?: object }>)) {
    const others = { 201: ['Location'], 401: ['WWW-Authenticate'], 429: ['Retry-After'] }[status] ?? [];
    assert.equal(Object.keys(response.headers ?? {}).sort(), [...others, 'RateLimit', 'RateLimit-Policy'].sort(), status);
  }
  assert.equal(Object.keys(responses), ['201', '400', '401', '403', '413', '415', '429', 'default']);
});
documents('a limit of callers has the same, with the 503 of a store that can fail', () => {
  const use = rateLimit({ ...HOUR, by: 'caller', key: String, store: memoryRates() });
  const { responses = {} } = findOperation(makeDocument(declareLimited(use, { context: () => 1 })), 'petList');
  assert.equal(Object.keys(responses), ['200', '429', '503', 'default']);
  assert.equal(Object.keys((responses as any)[503].headers), ['RateLimit-Policy', 'RateLimit']);
});

const options = suite('T4: wrong options of rateLimit');
for (const [given, text] of [
  [{ windowSeconds: 1 }, 'options.limit is required: 100'],
  [{ limit: 1 }, 'options.windowSeconds is required: 60'],
  [{ ...HOUR, limit: 0 }, 'options.limit must be a whole number from 1 to 9007199254740991: 0'],
  [{ limit: 1e12, windowSeconds: 86_400 }, 'options.windowSeconds must be a whole number from 1 to 9: 86400'],
  [{ ...HOUR, name: 'a b' }, 'options.name must be up to 64 letters, digits, ".", "_" and "-": "a b"'],
  [{ ...HOUR, cost: 4 }, 'options.cost must be a whole number from 0 to 3: 4'],
  [{ ...HOUR, cost: '1' }, 'options.cost must be a whole number from 0 to 9007199254740991: 1'],
  [{ ...HOUR, by: 'user' }, 'options.by must be one of address, caller: user'],
  [{ ...HOUR, by: 'caller' }, "options.key is required with by: 'caller': ({ context }) => context.id"],
  [{ ...HOUR, store: {} }, 'options.store must be a store with take(), such as memoryRates()'],
  [{ ...HOUR, onStoreError: 'ignore' }, 'options.onStoreError must be "reject", "allow" or a function: "ignore"'],
] as const) rejections(options, [['', () => rateLimit(given as never), text]]);
options('TypeError: a limit of callers needs a context', () => serve(() => {}, async ({ server }) => {
  const use = rateLimit({ ...HOUR, by: 'caller', key: String });
  const text = "endpoint.create needs a context: rateLimit has by: 'caller'";
  assert.throws(() => declareLimited(use)(server), isTypeError(text));
}));
