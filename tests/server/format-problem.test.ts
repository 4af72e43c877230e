/** Every problem has the format that `formatProblem` chooses; and the responses when that fails. */
import { request as httpRequest } from 'node:http';
import {
  ApiError, ApiServer, defineEndpoint, stringId, type ApiServerOptions, type MountRequest, type Problem, type ProblemFormat, type StandardSchemaV1,
} from '../../src/index.ts';
import { assert, badRequest, check, facts, message, RawClient, type RawResponse, rejections, send, sendUntilClosed, serve, suite } from '../support/facts.ts';

const TEAPOT = ApiError.status(418, 'No coffee.', { type: '/tea', title: 'Teapot', extensions: { handle: 'left' }, headers: { 'X-Pot': 'blue' } });
const CHALLENGE = ApiError.status(401, 'Who?', { headers: { 'WWW-Authenticate': 'Bearer realm="api"' } });
const FAILURES: Readonly<Record<string, unknown>> = { teapot: TEAPOT, challenge: CHALLENGE, broken: new Error('secret') };

const form: ProblemFormat = ({ status, detail }, request: MountRequest) => {
  return { body: { error: { code: status, said: detail, method: request.method, url: request.originalUrl ?? request.url } } };
};

function declare(server: ApiServer): void {
  server.registerEndpoint('/thing', defineEndpoint({
    id: stringId,
    schema: (json: unknown): string => { if (json !== 'ant') throw new Error('expected an ant'); return 'ant'; },
    create: (): string => 'ant',
    get: (id) => { if (id in FAILURES) throw FAILURES[id]; return id === 'missing' ? undefined : new Promise<'ant'>(() => {}); },
  }));
  server.mount('/mount', () => { throw new Error('secret'); });
  server.mount('/headed', (_request, response) => {
    response.writeHead = () => { response.statusMessage = 'OK'; throw new Error('secret'); };
    response.writeHead(200);
  });
}

/** The default format of the tests. */
function parseFormatted({ status, headers, body }: RawResponse): { code: number; said?: string; method?: string; url?: string } {
  assert.is(headers.get('content-type'), 'application/json');
  assert.is(headers.get('content-length'), String(body.length));
  const { error } = JSON.parse(body) as { error: { code: number } };
  assert.is(error.code, status);
  return error;
}

const GET = (target: string): string => message('GET', target);
const POST = (body: string, headers: readonly string[] = []): string => message('POST', '/v1/thing', body, headers);

const every = suite('E8: every problem that is a response');
for (const [why, bytes, status, said, options] of [
  ['an unknown path', GET('/v1/nothing'), 404, 'Nothing is served at this path.', {}],
  ['an item that is not there', GET('/v1/thing/missing'), 404, 'Not found.', {}],
  ['an id that is not UTF-8', GET('/v1/thing/%ff'), 400, 'Bad arguments: the id is not percent-encoded UTF-8', {}],
  ['an operation that fails', GET('/v1/thing/broken'), 500, undefined, {}],
  ['a status of the user', GET('/v1/thing/teapot'), 418, 'No coffee.', {}],
  ['an operation that takes too long', GET('/v1/thing/slow'), 503, 'The operation took too long.', { limits: { operationMs: 20 } }],
  ['a decoder that rejects', POST('"bee"'), 400, 'Bad arguments: expected an ant', {}],
  ['a body that is not JSON', POST('{'), 400, 'Bad arguments: the body is not JSON: it ends too early, at byte 1', {}],
  ['a type that is not read', POST('x', ['Content-Type: text/plain']), 415, 'The body must be application/json in UTF-8.', {}],
  ['a body that is too long', POST('"antant"'), 413, 'The body must not be longer than 5 bytes.', { limits: { bodyBytes: 5 } }],
  ['a malformed target', GET('/a#b'), 400, 'The request target is not valid.', {}],
  ['two hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400, 'The request must name one valid host.', {}],
  ['a host that is not allowed', GET('/v1/thing/1'), 421, 'This server does not serve that host.', { allowedHosts: ['b'] }],
  ['another expectation', message('GET', '/v1/thing/1', '', ['Expect: money']), 417, 'The only supported expectation is 100-continue.', {}],
  ['a mount that throws', GET('/mount'), 500, undefined, {}],
  ['a mount that throws when its head was made', GET('/headed'), 500, undefined, {}],
  ['CONNECT', 'CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n', 501, 'This server has no such method.', {}],
  ['a body that breaks', message('POST', '/v1/thing', '', ['Transfer-Encoding: chunked']) + 'x\r\n', 400, 'The request is not valid HTTP/1.1.', {}],
  ['a body that is too slow', message('POST', '/v1/thing', '', ['Transfer-Encoding: chunked']),
    408, 'The request took too long to arrive.', { limits: { requestMs: 100 } }],
] as const satisfies readonly (readonly [string, string, number, string | undefined, ApiServerOptions])[]) {
  every(`${why} -> ${status} in the user's format`, () => serve(declare, async ({ port, errors }) => {
    const error = parseFormatted(await send(port, bytes));
    assert.equal([error.code, error.said, error.method, error.url], [status, said, ...bytes.split(' ', 2)]);
    assert.is(errors.length, [421, 500, 503].includes(status) ? 1 : 0);
  }, { ...options, formatProblem: form }));
}
every('one request too many', () => serve(declare, async ({ port }) => {
  await RawClient.send(port, GET('/v1/thing/slow'));
  let response = await send(port, GET('/v1/thing/missing'));
  while (response.status !== 503) response = await send(port, GET('/v1/thing/missing'));
  assert.is(parseFormatted(response).said, 'The server has too many requests in progress.');
  assert.is(response.headers.get('retry-after'), '1');
}, { formatProblem: form, limits: { inFlight: 1 } }));
facts(every, declare, [
  ['keeps the headers of the response', 'GET /v1/thing/challenge',
    '401 {"error":{"code":401,"said":"Who?","method":"GET","url":"/v1/thing/challenge"}} | WWW-Authenticate: Bearer realm="api"'],
  ['keeps the headers of the response', 'GET /v1/thing/1\nConnection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 8', '426 {"error":{"code":426,"said":"The only version of the WebSocket protocol is 13.","method":"GET","url":"/v1/thing/1"}} | Upgrade: websocket | Connection: Upgrade | Sec-WebSocket-Version: 13 | Connection: close'],
  ['HEAD gets the head', 'HEAD /v1/thing/missing', '404 length 84'],
], { formatProblem: form });
every('gets the whole problem, and Node\'s own request', async () => {
  const seen: Problem[] = [];
  const formatProblem: ProblemFormat = (problem, request) => {
    seen.push(problem);
    assert.is(request.headers['host'], 'a');
    // An operation may see it as a stream.
    request.on('error', () => {}).resume();
    return { body: null };
  };
  await serve(declare, async ({ port }) => {
    assert.is((await send(port, GET('/v1/thing/teapot'))).body, 'null');
    assert.is((await send(port, POST('"bee"'))).body, 'null');
  }, { formatProblem });
  assert.equal(JSON.parse(JSON.stringify(seen)), [
    { type: '/tea', title: 'Teapot', status: 418, detail: 'No coffee.', handle: 'left' },
    badRequest('expected an ant'),
  ]);
});
for (const [why, bytes, errors] of [
  ['a schema', POST('"ant"').replace('/v1/thing', '/v1/checked'), [
    { detail: 'odd', pointer: '#/pets/0/legs', path: ['pets', 0, 'legs'] }, { detail: 'missing', pointer: '#', path: [] },
  ]],
  ['a function', POST('"bee"'), [{ detail: 'expected an ant', pointer: '#', path: [] }]],
  ['the server, of a body', POST('{"__proto__":1}'), [{ detail: 'the body has a key named "__proto__"', pointer: '#', path: [] }]],
  ['the server, of an id', GET('/v1/thing/%ff'), [{ detail: 'the id is not percent-encoded UTF-8', parameter: 'id', path: ['id'] }]],
  ['a query', GET('/v1/checked?limit=1'), [
    { detail: 'odd', parameter: 'pets', path: ['pets', 0, 'legs'] }, { detail: 'missing', path: [] },
  ]],
  ['an operation', GET('/v1/checked/1'), [
    { detail: 'too late', header: 'date', path: ['date'] }, { detail: 'too long', parameter: 'name', path: [] },
  ]],
] as const) {
  every(`the errors of ${why} have their paths, which are not sent unless the user does`, async () => {
    const checked: StandardSchemaV1 = {
      '~standard': { version: 1, vendor: 'tests', validate: () => ({ issues: [{ message: 'odd', path: ['pets', { key: 0 }, 'legs'] }, { message: 'missing' }] }) },
    };
    const register = (server: ApiServer): void => {
      declare(server);
      server.registerEndpoint('/checked', {
        id: stringId, create: { input: checked, run: () => 'ant' }, list: { query: checked, run: () => [] },
        get: () => {
          throw ApiError.argument('no', { errors: [{ detail: 'too late', header: 'date', path: ['date'] }, { detail: 'too long', parameter: 'name' }] });
        },
      });
    };
    const formatProblem: ProblemFormat = (problem) => ({
      body: [problem.errors?.map(({ detail, pointer, parameter, header, path }) => ({ detail, pointer, parameter, header, path })), problem],
    });
    await serve(register, async ({ port }) => {
      const [withPaths, problem] = JSON.parse((await send(port, bytes)).body) as [unknown, Problem];
      assert.equal(withPaths, errors);
      assert.equal(problem.errors, errors.map(({ path: _, ...sent }) => sent));
    }, { formatProblem });
  });
}
every('a problem that it changes stays the same for the next request', async () => {
  const formatProblem: ProblemFormat = (problem) => {
    const { detail } = problem;
    Object.assign(problem, { detail: 'changed' });
    if (problem['handle'] === 'left') throw new Error('no form');
    return { body: detail };
  };
  await serve(declare, async ({ port, errors }) => {
    for (const _ of [1, 2]) {
      assert.is((JSON.parse((await send(port, GET('/v1/thing/teapot'))).body) as Problem).detail, 'No coffee.');
      assert.is((await send(port, POST('{'))).body, '"Bad arguments: the body is not JSON: it ends too early, at byte 1"');
    }
    assert.is(errors.length, 2);
  }, { formatProblem });
});
every('a response that cannot be written', async () => {
  const server = new ApiServer('/v1', { formatProblem: form, logger: { info: () => {}, error: () => {} } });
  declare(server);
  const { createServer } = await import('node:http');
  const own = createServer((request, response) => {
    response.writeHead = () => { throw new Error('broken by the user'); };
    server.requestListener(request, response);
  });
  await new Promise<void>((resolve) => own.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = own.address() as { port: number };
    assert.is(parseFormatted(await send(port, GET('/v1/thing/missing'))).code, 500);
    // A client of Node's reads it too.
    const status = await new Promise((resolve) => httpRequest({ port, path: '/mount' }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).end());
    assert.is(status, 500);
  } finally {
    own.closeAllConnections();
    own.close();
  }
});

const chosen = suite('E8: status, headers and body from formatProblem');
const CREDIT = 'application/vnd.credit+json';
const credit = ({ status }: Problem): { body: object } => ({ body: { code: status } });
for (const [why, formatProblem, request, response] of [
  ['a different status', () => ({ status: 410, body: 1 }), 'GET /v1/thing/missing', '410 1'],
  ['a type', () => ({ headers: { 'content-type': 'application/vnd.error+json' }, body: {} }), 'GET /v1/thing/missing', '404 application/vnd.error+json {}'],
  ['headers', () => ({ headers: { 'X-A': 'b', Link: ['c', 'd'] }, body: 'e' }), 'GET /v1/thing/missing', '404 "e" | X-A: b | Link: c | Link: d'],
  ['text outside of ASCII', () => ({ body: 'ä€' }), 'GET /v1/thing/missing', '404 "ä€"'],
  ["a header instead of the error's own, in any case", () => ({ headers: { 'x-pot': 'red' }, body: 1 }), 'GET /v1/thing/teapot', '418 1 | x-pot: red'],
  ['a format in options: its body, with its own type', { format: credit }, 'GET /v1/thing/missing', '404 {"code":404}'],
  ['a format in options: with the type of the options', { type: CREDIT, format: credit },
    'GET /v1/thing/missing', '404 application/vnd.credit+json {"code":404}'],
  ['a format in options: with the type of the options and a parameter', {
    type: CREDIT, format: (problem: Problem) => ({ headers: { 'content-type': `${CREDIT}; charset=utf-8` }, ...credit(problem) }),
  }, 'GET /v1/thing/missing', '404 application/vnd.credit+json; charset=utf-8 {"code":404}'],
] as const satisfies readonly (readonly [string, ApiServerOptions['formatProblem'], string, string])[]) {
  facts(chosen, declare, [[why, request, response]], { formatProblem });
}
chosen('a format that is a method is called with its object', async () => {
  const formatProblem = Object.create({ format(this: { readonly word: string }) { return { body: this.word }; } }, { word: { value: 'own' } }) as { format: ProblemFormat };
  await serve(declare, async ({ port }) => assert.is((await send(port, GET('/v1/nothing'))).body, '"own"'), { formatProblem });
});

const failed = suite('E11: a formatProblem that fails');
const SENT = ['GET /v1/thing/missing', 'GET /v1/nothing'];
const UNCHANGED = ['404 Not found.', '404 Nothing is served at this path.'];
for (const [why, formatProblem, text] of [
  ['throws', () => { throw new Error('no form'); }, 'no form'],
  ['throws null', () => { throw null; }, 'null'],
  ['rejects', async () => { throw new Error('no form'); },
    'formatProblem.format must return { status, headers, body }: it returned a promise, which is not awaited'],
  ['gives nothing', () => undefined, 'formatProblem.format must return { status, headers, body }: it returned undefined'],
  ['gives null', () => null, 'formatProblem.format must return { status, headers, body }: it returned null'],
  ['gives text', () => '{}', 'formatProblem.format must return { status, headers, body }: it returned string'],
  ['gives no body', () => ({}), 'the body that formatProblem returns must be JSON: it is of type undefined'],
  ['gives a function as the body', () => ({ body: () => {} }), 'the body that formatProblem returns must be JSON: it is of type function'],
  ['gives a BigInt', () => ({ body: 1n }), 'Do not know how to serialize a BigInt'],
  ['gives a status that is not an error', () => ({ status: 200, body: 1 }), 'status must be a whole number from 400 to 599: 200'],
  ['gives a 401 without a challenge', () => ({ status: 401, body: 1 }), 'status 401 needs the header WWW-Authenticate'],
  ['gives a framing field', () => ({ headers: { 'Content-Length': '1' }, body: 1 }), 'header Content-Length cannot be set: the server sets it'],
  [
    'returns a type that its options do not have', { format: () => ({ headers: { 'Content-Type': 'application/problem+json' }, body: {} }) },
    'formatProblem.type is application/json, but the response has application/problem+json',
  ],
  ['injects a line', () => ({ headers: { 'X-A': 'a\r\nX-Injected: b' }, body: 1 }), 'header X-A must have only printable ASCII'],
] as const) {
  facts(failed, declare, [
    [`${why}: the problem is sent as it is, and that is logged`, SENT, UNCHANGED, `formatProblem: ${text}`, `formatProblem: ${text}`],
  ], { formatProblem: formatProblem as ProblemFormat });
}
failed('returns a body that is too long: the problem is sent unchanged, and that is logged', async () => {
  const body = {};
  const { stringify } = JSON;
  // V8 makes such a string at once where nobody reads it. For `JSON.stringify` it takes seconds.
  JSON.stringify = (value: unknown) => (value === body ? 'x'.repeat(2 ** 29 - 2 ** 16 + 1) : stringify(value));
  try {
    await check(declare, SENT[1]!, UNCHANGED[1]!, ['formatProblem: the response is too long to be sent'], { formatProblem: () => ({ body }) });
  } finally {
    JSON.stringify = stringify;
  }
});

const notCalled = suite('E11: responses for which formatProblem is not called');
for (const [why, bytes, expected] of [
  ['a method that the path lacks: the 405 stays empty', message('DELETE', '/v1/thing', '', ['Connection: close']),
    /^HTTP\/1.1 405 [^]*Content-Length: 0\r\n[^]*\r\n\r\n$/],
  ['what is not a request', 'GET\r\n\r\n', /^HTTP\/1.1 400 [^]*application\/problem\+json/],
  ['a head that is too long', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n\r\n`, /^HTTP\/1.1 431 [^]*application\/problem\+json/],
] as const) {
  notCalled(why, async () => {
    let asked = 0;
    await serve(declare, async ({ port }) => assert.match(await sendUntilClosed(port, bytes), expected), { formatProblem: () => ({ body: (asked += 1) }) });
    assert.is(asked, 0);
  });
}
notCalled('by server.fetch: a head that is too long, or not valid', async () => {
  const server = new ApiServer('', { formatProblem: () => ({ body: 'asked' }), requestId: true });
  for (const [status, headers] of [[431, { 'x-a': 'a'.repeat(20_000) }], [400, { 'x-a': 'a\u0001' }]] as const) {
    const response = await server.fetch('/thing', { headers });
    assert.equal([response.status, response.headers.get('content-type')], [status, 'application/problem+json']);
    assert.ok(response.headers.has('x-request-id'));
  }
});
notCalled('a reply that comes too late', async () => {
  let asked = 0;
  let fail = (_error: Error): void => {};
  const thing = defineEndpoint({ id: stringId, get: () => new Promise<never>((_resolve, reject) => (fail = reject)) });
  await serve((server) => server.registerEndpoint('/thing', thing), async ({ port, errors }) => {
    assert.is((await send(port, GET('/v1/thing/1'))).status, 503);
    fail(new Error('late'));
    while (errors.length < 2) await new Promise((resolve) => setImmediate(resolve));
  }, { limits: { operationMs: 20 }, formatProblem: () => ({ body: (asked += 1) }) });
  assert.is(asked, 1);
});
rejections(notCalled, ([
  ['no', 'formatProblem must be a function: string'],
  [{ form: 1 }, 'unknown option formatProblem.form: did you mean format? It can be one of format, type, schema'],
  [{}, 'formatProblem.format is required'],
  [{ format: form, type: 'text/plain' }, 'formatProblem.type must be a media type of JSON, such as application/problem+json: text/plain'],
  [{ format: form, type: 'application/json; charset=utf-8' },
    'formatProblem.type must be a media type of JSON, such as application/problem+json: application/json; charset=utf-8'],
  [{ format: form, type: 7 }, 'formatProblem.type must be a media type of JSON, such as application/problem+json: 7'],
  [{ format: form, schema: 'Problem' }, 'formatProblem.schema must be a schema: Problem'],
] as const).map(([formatProblem, text]) => [JSON.stringify(formatProblem), () => new ApiServer('', { formatProblem: formatProblem as never }), text]));
