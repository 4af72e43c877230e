/** How a client reads responses: values, problems, and the response itself. */
import { Readable } from 'node:stream';
import { client, ProblemError, type ClientProblem, type Operations, integerId, stringId } from '../../src/client/index.ts';
import { ApiError, defineEndpoint, reply, type ApiServer, type StandardSchemaV1 } from '../../src/index.ts';
import { serveWithClient, captureError } from '../support/serve-with-client.ts';
import { captureUnhandled } from '../support/capture-unhandled.ts';
import { assert, suite } from '../support/facts.ts';

const things = defineEndpoint({
  id: integerId,
  get: (id) => (id === 1 ? { name: 'Rex' } : undefined),
  update: { input: (json: unknown) => json, run: () => reply(202, undefined, { 'X-Seen': '1' }) },
  delete: () => reply(204),
  custom: {
    text: { run: () => reply(200, 'a,b', { 'Content-Type': 'text/csv' }) },
    jsonText: { run: () => reply(200, 'a,b') },
    stream: { run: () => reply(200, chunks(), { 'Content-Type': 'text/plain' }) },
    bytes: { run: () => reply(200, new Uint8Array([0, 255, 128])) },
    suffix: { run: () => reply(202, { queued: true }, { 'Content-Type': 'application/hal+json; charset=utf-8' }) },
    see: { run: () => reply(303, undefined, { Location: '/v1/thing/1' }) },
  },
});
interface Api {
  readonly '/thing': typeof things;
}
const declare = (server: ApiServer): void => server.registerEndpoint('/thing', things);

async function* chunks(): AsyncGenerator<string> {
  yield* ['a', 'b'];
}

/** Gives each call a response that the test chooses. */
function makeFetch(response: Response) {
  return client<Api>('http://zoo.example', { fetch: async () => response })('/thing');
}

const values = suite('a success');
for (const [what, call, value] of [
  ['JSON', (api) => api.get(1), { name: 'Rex' }],
  ['JSON of a type of its own', (api) => api.custom.suffix(), { queued: true }],
  ['an empty 202', (api) => api.update(1, {}), undefined],
  ['204', (api) => api.delete(1), undefined],
  ['text', (api) => api.custom.text(), 'a,b'],
  ['text as JSON', (api) => api.custom.jsonText(), 'a,b'],
  ['a stream of text', (api) => api.custom.stream(), 'ab'],
] as readonly (readonly [string, (api: ReturnType<typeof makeFetch>) => Promise<unknown>, unknown])[]) {
  values(`${what} -> ${JSON.stringify(value) ?? 'undefined'}`, () => serveWithClient(declare, async ({ connect }) => {
    assert.equal(await call(connect<Api>()('/thing')), value);
  }));
}
for (const [type, isJson] of [
  ['application/json', true],
  ['Application/JSON;charset=utf-8', true],
  ['application/json ; charset=utf-8', true],
  ['application/vnd.api+json', true],
  ['application/json\t; charset=utf-8', true],
  ['application/json, application/json', true],
  ['text/plain; profile=http://zoo.example/json', false],
  ['text/plain; a="+json"', false],
  ['application/json-seq', false],
  ['text/plain', false],
  ['application/xml+jsonx', false],
] as const) {
  values(`a body of ${type} is ${isJson ? 'parsed' : 'text'}`, async () => {
    assert.equal(await makeFetch(new Response('[1]', { headers: { 'Content-Type': type } })).get(1), isJson ? [1] : '[1]');
  });
}
values('raw resolves to the response, with its body unread: bytes', () => serveWithClient(declare, async ({ connect }) => {
  const response = await connect<Api>()('/thing').custom.bytes(undefined, { raw: true });
  assert.is(response.bodyUsed, false);
  assert.equal([...new Uint8Array(await response.arrayBuffer())], [0, 255, 128]);
}));
values('raw resolves to the response before its body is complete: a stream', async () => {
  let open = (_chunk: string): void => {};
  const second = new Promise<string>((resolve) => (open = resolve));
  const streamed = defineEndpoint({
    id: stringId,
    get: () => reply(200, (async function* () {
      yield 'first';
      yield await second;
    })()),
  });
  await serveWithClient((server) => server.registerEndpoint('/streamed', streamed), async ({ connect }) => {
    const { body } = await connect<{ '/streamed': typeof streamed }>()('/streamed').get('x', { raw: true });
    const read: string[] = [];
    for await (const chunk of body ?? []) {
      read.push(new TextDecoder().decode(chunk));
      open('second');
    }
    assert.equal(read, ['first', 'second']);
  });
});
for (const [what, body, type, detail] of [
  ['a body that is not the JSON it says', '<html>', 'application/json', 'The response is not JSON.'],
  ['the page of a proxy', '<html>', 'text/html; charset=utf-8', 'The response is "text/html", not JSON.'],
] as const) {
  values(`${what} -> ProblemError that names it`, async () => {
    const error = await captureError(makeFetch(new Response(body, { headers: { 'Content-Type': type } })).get(1));
    assert.instance(error, ProblemError);
    assert.equal([error.status, error.problem.detail], [200, detail]);
    assert.ok(error.message.endsWith(`/1 -> 200: ${detail}`), error.message);
  });
}

const seen = suite('onResponse');
seen('sees each response with its headers before the call resolves, also a failure and one that is raw', () => serveWithClient(declare, async ({ connect }) => {
  const api = connect<Api>()('/thing');
  const log: string[] = [];
  const onResponse = ({ status, headers, bodyUsed }: Response): void => void log.push(`${status} ${headers.get('x-seen') ?? ''} ${bodyUsed}`);
  await api.update(1, {}, { onResponse });
  await api.get(1, { onResponse, raw: true });
  await captureError(api.get(2, { onResponse }));
  assert.equal(log, ['202 1 false', '200  false', '404  false']);
}));
seen('is awaited, and the call rejects with its error', () => serveWithClient(declare, async ({ connect }) => {
  const api = connect<Api>()('/thing');
  let text = '';
  await api.get(1, { onResponse: async (response) => void (text = await response.clone().text()) });
  assert.is(text, '{"name":"Rex"}');
  const error = new Error('no');
  assert.is(await captureError(api.get(1, { onResponse: () => { throw error; } })), error);
}));

const legs: StandardSchemaV1<{ legs: number }, { legs: number }> = {
  '~standard': { version: 1, vendor: 'test', validate: () => ({ issues: [{ message: 'too many', path: ['legs'] }] }) },
};
const failing = defineEndpoint({
  id: stringId,
  get: (id) => {
    if (id === 'own') throw ApiError.status(402, 'You have 30.', { type: '/credit', title: 'No credit', extensions: { balance: 30 } });
    throw id === 'internal' ? new Error('secret') : ApiError.argument('no');
  },
  custom: { rejected: { input: legs, run: () => 1 } },
});
const problems = suite('E8: a problem');
for (const [what, call, problem, message] of [
  ["of the user's own", (api) => api.get('own'), { type: '/credit', title: 'No credit', status: 402, detail: 'You have 30.', balance: 30 }, 'You have 30.'],
  ['of an argument', (api) => api.get('argument'), { type: 'about:blank', title: 'Bad Request', status: 400, detail: 'Bad arguments: no' }, 'Bad arguments: no'],
  ['without a detail', (api) => api.get('internal'), { type: 'about:blank', title: 'Internal Server Error', status: 500 }, 'Internal Server Error'],
  ['with pointers', (api) => api.custom.rejected({ legs: 9 }), {
    type: 'about:blank', title: 'Bad Request', status: 400, detail: 'Bad arguments: too many', errors: [{ detail: 'too many', pointer: '#/legs' }],
  }, 'Bad arguments: too many'],
] as readonly (readonly [string, (api: Operations<typeof failing>) => Promise<unknown>, ClientProblem, string])[]) {
  problems(`${what} -> ProblemError with its properties and its text`, () => serveWithClient((server) => server.registerEndpoint('/failing', failing), async ({ connect, errors }) => {
    const error = await captureError(call(connect<{ '/failing': typeof failing }>()('/failing')));
    assert.instance(error, ProblemError);
    assert.instance(error, Error);
    assert.equal([error.name, error.message, error.status], ['ProblemError', error.message, problem.status]);
    assert.match(error.message, new RegExp(`^(?:GET|POST) http://127\\.0\\.0\\.1:\\d+/v1/failing/\\w+ -> ${problem.status}: ${message}$`));
    assert.equal(error.problem, problem);
    assert.equal(await error.response.json(), problem);
    assert.is(errors.length, problem.status === 500 ? 1 : 0);
  }));
}

problems('raw changes nothing about it', () => serveWithClient(declare, async ({ connect }) => {
  assert.instance(await captureError(connect<Api>()('/thing').get(2, { raw: true })), ProblemError);
}));
for (const [what, call, status, title] of [
  ['405, which has no body', (api) => (api as unknown as { create(body: unknown): Promise<unknown> }).create({}), 405, 'Method Not Allowed'],
  ['a redirect, which is not followed', (api) => api.custom.see(), 303, 'See Other'],
  ['304, which the call has asked for', (api) => api.get(1, { headers: { 'If-None-Match': '"1"' } }), 304, 'Not Modified'],
] as readonly (readonly [string, (api: ReturnType<typeof makeFetch>) => Promise<unknown>, number, string])[]) {
  problems(`${what} -> made from the status`, () => serveWithClient((server) => {
    server.use((request, response, next) => {
      if (request.headers['if-none-match'] === undefined) next();
      else response.writeHead(304).end();
    });
    declare(server);
  }, async ({ connect }) => {
    const error = await captureError(call(connect<Api>()('/thing')));
    assert.equal(error.problem, { type: 'about:blank', title, status });
    assert.is(error.status, status);
    assert.ok(error.message.endsWith(` -> ${status}: ${title}`), error.message);
  }));
}
const PROBLEM = 'application/problem+json';
for (const [what, body, init, problem] of [
  ['HTML of a proxy', '<html>', { statusText: 'Bad Gateway', headers: { 'Content-Type': 'text/html' } }, { title: 'Bad Gateway' }],
  ['no phrase, as with HTTP/2', '', {}, { title: 'HTTP 502' }],
  ['JSON that is not a problem', '{"error":{"code":7},"title":"x","status":"failed"}',
    { headers: { 'Content-Type': 'application/json' } }, { title: 'x', error: { code: 7 } }],
  ['JSON that names its properties as a problem does', '{"detail":[{"at":"name"}],"errors":{"name":["short"]}}', { headers: { 'Content-Type': 'application/json' } }, {
    title: 'HTTP 502', detail: [{ at: 'name' }], errors: { name: ['short'] },
  }],
  ['JSON of a type of its own', '{"title":{"toString":1}}', { headers: { 'Content-Type': 'application/vnd.zoo+json' } }, { title: { toString: 1 } }],
  ['JSON that is a list', '[1]', { headers: { 'Content-Type': 'application/json' } }, { title: 'HTTP 502' }],
  ['text that names problems', '{"title":"x"}', { headers: { 'Content-Type': `text/plain; a=${PROBLEM}` } }, { title: 'HTTP 502' }],
  ['a problem that is cut short', '{"title":', { headers: { 'Content-Type': PROBLEM } }, { title: 'HTTP 502' }],
  ['a problem that is a list', '[1]', { headers: { 'Content-Type': PROBLEM } }, { title: 'HTTP 502' }],
  ['a problem that is a string', '"x"', { headers: { 'Content-Type': PROBLEM } }, { title: 'HTTP 502' }],
  ['a problem that is null', 'null', { headers: { 'Content-Type': PROBLEM } }, { title: 'HTTP 502' }],
  ['a problem without a title', '{"detail":"x"}', { headers: { 'Content-Type': `${PROBLEM}; charset=utf-8` } }, { title: 'HTTP 502', detail: 'x' }],
] as const) {
  problems(`${what} -> ${JSON.stringify(problem)}, and the body can be read`, async () => {
    const error = await captureError(makeFetch(new Response(body, { status: 502, ...init })).get(1));
    assert.equal(error.fields, Object.create(null));
    assert.ok(error.message.endsWith(` -> 502: ${[error.problem.detail, error.problem.title].find((each) => typeof each === 'string') ?? 'HTTP 502'}`),
      error.message);
    assert.equal(error.problem, { type: 'about:blank', status: 502, ...problem });
    assert.is(await error.response.text(), body);
  });
}
for (const [property, value] of [['title', { toString: 1 }], ['detail', { toString: 1 }], ['type', 7], ['title', null], ['instance', []]] as const) {
  problems(`whose ${property} is ${JSON.stringify(value)}: that property is ignored`, async () => {
    const body = JSON.stringify({ [property]: value, own: 1 });
    const error = await captureError(makeFetch(new Response(body, { status: 502, headers: { 'Content-Type': PROBLEM } })).get(1));
    assert.instance(error, ProblemError);
    assert.equal(error.problem, { type: 'about:blank', title: 'HTTP 502', status: 502, own: 1 });
  });
}
problems('without an end: little more than 64 KiB is read, and the call rejects', async () => {
  let pulled = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      pulled += 65_536;
      controller.enqueue(new Uint8Array(65_536).fill(0x20));
    },
  });
  const error = await captureError(makeFetch(new Response(endless, { status: 502, headers: { 'Content-Type': PROBLEM } })).get(1));
  assert.equal(error.problem, { type: 'about:blank', title: 'HTTP 502', status: 502 });
  assert.ok(pulled < 2 ** 18, `${pulled} bytes`);
  assert.is((await error.response.text()).length, 65_536);
});
problems('whose connection breaks after 64 KiB: the call rejects with the problem, and nothing else', async () => {
  const broken = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      controller.enqueue(new Uint8Array(65_536).fill(0x20));
      controller.error(new Error('the connection broke'));
    },
  }, { highWaterMark: 0 });
  let error: unknown;
  const unhandled = await captureUnhandled(async () => {
    error = await captureError(makeFetch(new Response(broken, { status: 502, headers: { 'Content-Type': PROBLEM } })).get(1));
  });
  assert.equal([(error as ProblemError).status, unhandled], [502, []]);
});
problems('a redirect that a browser hides has status 0, and says so', async () => {
  const hidden = Response.error();
  Object.defineProperty(hidden, 'type', { value: 'opaqueredirect' });
  const error = await captureError(makeFetch(hidden).get(1));
  assert.is(error.status, 0);
  assert.ok(error.message.endsWith('-> 0: HTTP opaqueredirect'), error.message);
});
const TAKEN = '{"title":"Taken","status":409,"seat":7}';
for (const [what, body] of [['no body, as in React Native', undefined], ['a stream of Node, as in node-fetch', Readable.from([TAKEN])]] as const) {
  problems(`of a response with ${what}: as with a body, and it can be read`, async () => {
    const response = Object.defineProperty(new Response(TAKEN, { status: 409, headers: { 'Content-Type': PROBLEM } }), 'body', { value: body });
    const error = await captureError(makeFetch(response).get(1));
    assert.equal([error.problem, await error.response.text(), error.response.status],
      [{ type: 'about:blank', title: 'Taken', status: 409, seat: 7 }, TAKEN, 409]);
  });
  values(`of a response with ${what}`, async () => {
    const makeResponse = (text: string, type: string): Response => Object.defineProperty(new Response(text, { headers: { 'Content-Type': type } }), 'body', { value: body });
    assert.equal([await makeFetch(makeResponse('[1]', 'application/json')).get(1), await makeFetch(makeResponse('a,b', 'text/csv')).get(1)], [[1], 'a,b']);
  });
}
problems('without a body, such as a 304: it can be read', async () => {
  for (const body of [null, Readable.from([])]) {
    const error = await captureError(makeFetch(Object.defineProperty(new Response(null, { status: 304 }), 'body', { value: body })).get(1));
    assert.equal([error.status, await error.response.text()], [304, '']);
  }
});
for (const status of [600, 999]) {
  problems(`with the status ${status}, which no \`Response\` is made with: it is kept, with its problem`, async () => {
    const response = Object.defineProperties(Response.json({ title: 'Odd' }, { status: 500 }), { status: { value: status } });
    const error = await captureError(makeFetch(response).get(1));
    assert.equal([error.name, error.status, error.problem.title, error.response], ['ProblemError', status, 'Odd', response]);
    const failed = await makeFetch(Object.defineProperties(Response.json({}, { status: 500 }), { status: { value: status } })).get(1, { safe: true });
    assert.equal([failed.ok, failed.status], [false, status]);
  });
}
problems('failures with long bodies do not each keep a connection', () => serveWithClient((server) => {
  server.registerEndpoint('/long', defineEndpoint({ id: integerId, get: () => { throw ApiError.argument('x'.repeat(200_000)); } }));
}, async ({ connect, last }) => {
  const ports = new Set<number | undefined>();
  const kept: unknown[] = [];
  for (let index = 0; index < 10; index += 1) {
    kept.push(await captureError(connect<{ '/long': typeof things }>()('/long').get(2)));
    ports.add(last().socket.remotePort);
  }
  assert.ok(ports.size < kept.length / 2, `${ports.size} connections`);
}));

const fields = suite('the fields of a problem');
for (const [what, errors, expected] of [
  ['pointers', [{ detail: 'a', pointer: '#/owner/name' }, { detail: 'b', pointer: '#/owner/name' }, { detail: 'c', pointer: '#/legs' }],
    { 'owner/name': ['a', 'b'], legs: ['c'] }],
  ['the whole body', [{ detail: 'a', pointer: '#' }], { '': ['a'] }],
  ['escapes', [{ detail: 'a', pointer: '#/caf%C3%A9%20x/a~1b' }], { 'caf\u00e9 x/a~1b': ['a'] }],
  ['escapes that are none', [{ detail: 'a', pointer: '#/100%' }], { '100%': ['a'] }],
  ['parameters and headers', [{ detail: 'a', parameter: 'zoo' }, { detail: 'b', header: 'if-match' }], {}],
  ['values of other types', [null, 7, 'x', { pointer: 7, detail: 'a' }, { pointer: '#/x', detail: { y: 1 } }, { pointer: '#/z' }],
    { x: ['[object Object]'], z: ['undefined'] }],
  ['the name of a prototype', [{ detail: 'a', pointer: '#/__proto__' }, { detail: 'b', pointer: '#/constructor' }],
    JSON.parse('{"__proto__":["a"],"constructor":["b"]}')],
  ['no list', { pointer: '#/x' }, {}],
  ['a string', 'x', {}],
  ['null', null, {}],
] as const) {
  fields(`${what} -> ${JSON.stringify(expected)}`, async () => {
    const body = JSON.stringify({ title: 'x', errors });
    const error = await captureError(makeFetch(new Response(body, { status: 422, headers: { 'Content-Type': PROBLEM } })).get(1));
    assert.equal(Object.entries(error.fields), Object.entries(expected));
    assert.is(Object.getPrototypeOf(error.fields), null);
    assert.ok(error.problem.errors === undefined || Array.isArray(error.problem.errors));
  });
}
fields('of a response that is none -> none', async () => {
  const error = await captureError(makeFetch(new Response('', { status: 500 })).get(1));
  assert.equal([Object.keys(error.fields), error.is(500), error.is(404)], [[], true, false]);
});

const safe = suite('a safe call');
safe('resolves to a success with its status, its value, its tag and its headers', async () => {
  const response = Response.json({ name: 'Rex' }, { status: 206, headers: { ETag: '"7"' } });
  const { headers } = response;
  assert.equal(await makeFetch(response).get(1, { safe: true }), { ok: true, status: 206, value: { name: 'Rex' }, etag: '"7"', headers });
  const deleted = await makeFetch(new Response(null, { status: 204, headers: { 'X-Left': '3' } })).delete(1, { safe: true });
  assert.is(deleted.ok && deleted.headers.get('X-Left'), '3');
  assert.equal({ ...deleted, headers: undefined }, { ok: true, status: 204, value: undefined, etag: undefined, headers: undefined });
});
safe('resolves to a failure with its problem', () => serveWithClient(declare, async ({ connect }) => {
  const problem = { type: 'about:blank', title: 'Not Found', status: 404, detail: 'Not found.' };
  assert.equal(await connect<Api>()('/thing').get(2, { safe: true }), { ok: false, status: 404, problem });
  assert.equal(await connect<Api>()('/thing').custom.see(undefined, { safe: true }), {
    ok: false, status: 303, problem: { type: 'about:blank', title: 'See Other', status: 303 },
  });
}));
safe('and raw resolves to the unread response', async () => {
  const response = Response.json(1);
  const given = await makeFetch(response).get(1, { safe: true, raw: true });
  assert.ok(given.ok && given.value === response && !response.bodyUsed);
});
for (const [what, call, name] of [
  ['a success that is not JSON', () => makeFetch(new Response('{', { headers: { 'Content-Type': 'application/json' } })).get(1, { safe: true }), 'ProblemError'],
  ['an aborted signal', () => client<Api>('http://127.0.0.1:1')('/thing').get(1, { safe: true, signal: AbortSignal.abort() }), 'AbortError'],
  ['no server', () => client<Api>('http://127.0.0.1:1')('/thing').get(1, { safe: true }), 'TypeError'],
  ['an id that no path can have', () => client<Api>('http://127.0.0.1:1')('/thing').get('' as never, { safe: true }), 'TypeError'],
] as const) {
  safe(`rejects for ${what}`, async () => assert.is((await captureError(call())).name, name));
}
safe('keeps properties of a problem from prototypes', async () => {
  const body = '{"title":"x","__proto__":{"status":200,"polluted":1},"constructor":1}';
  const given = await makeFetch(new Response(body, { status: 400, headers: { 'Content-Type': PROBLEM } })).get(1, { safe: true });
  assert.ok(!given.ok);
  assert.is(given.problem['polluted'], undefined);
  assert.equal([given.status, given.problem.status, ({} as { polluted?: unknown }).polluted], [400, 400, undefined]);
});
