/** How a client reads answers: values, problems, and the answer itself. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { client, ProblemError, type ClientProblem, type Connect } from '../../src/client/index.ts';
import { integerId, stringId } from '../../src/codecs/index.ts';
import { ApiError, defineEndpoint, reply, type ApiServer, type StandardSchemaV1 } from '../../src/index.ts';
import { calling, rejection } from '../support/calling.ts';

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
const AT = { path: '/thing', id: integerId } as const;
const declare = (server: ApiServer): void => server.registerEndpoint('/thing', things);

async function* chunks(): AsyncGenerator<string> {
  yield* ['a', 'b'];
}

/** Answers each call with a response that the test chooses. */
function answering(response: Response) {
  return client('http://zoo.example', { fetch: async () => response })<typeof things>(AT);
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
] as readonly (readonly [string, (api: ReturnType<typeof answering>) => Promise<unknown>, unknown])[]) {
  values(`${what} -> ${JSON.stringify(value) ?? 'undefined'}`, () => calling(declare, async ({ connect }) => {
    assert.equal(await call(connect<typeof things>(AT)), value);
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
    assert.equal(await answering(new Response('[1]', { headers: { 'Content-Type': type } })).get(1), isJson ? [1] : '[1]');
  });
}
values('raw resolves to the answer, with its body unread: bytes', () => calling(declare, async ({ connect }) => {
  const response = await connect<typeof things>(AT).custom.bytes(undefined, { raw: true });
  assert.is(response.bodyUsed, false);
  assert.equal([...new Uint8Array(await response.arrayBuffer())], [0, 255, 128]);
}));
values('raw resolves to the answer before its body is complete: a stream', async () => {
  let open = (_chunk: string): void => {};
  const second = new Promise<string>((resolve) => (open = resolve));
  const streamed = defineEndpoint({
    id: stringId,
    get: () => reply(200, (async function* () {
      yield 'first';
      yield await second;
    })()),
  });
  await calling((server) => server.registerEndpoint('/streamed', streamed), async ({ connect }) => {
    const { body } = await connect<typeof streamed>({ path: '/streamed', id: stringId }).get('x', { raw: true });
    const read: string[] = [];
    for await (const chunk of body ?? []) {
      read.push(new TextDecoder().decode(chunk));
      open('second');
    }
    assert.equal(read, ['first', 'second']);
  });
});
for (const [what, body, type, detail] of [
  ['a body that is not the JSON it says', '<html>', 'application/json', 'The answer is not valid JSON.'],
  ['the page of a proxy', '<html>', 'text/html; charset=utf-8', 'The answer is text/html, and not JSON.'],
] as const) {
  values(`${what} -> ProblemError that names it`, async () => {
    const error = await rejection(answering(new Response(body, { headers: { 'Content-Type': type } })).get(1));
    assert.instance(error, ProblemError);
    assert.equal([error.status, error.problem.detail], [200, detail]);
    assert.ok(error.message.endsWith(`/1 -> 200: ${detail}`), error.message);
    assert.is(await error.response.text(), body);
  });
}
values('bytes without a type -> ProblemError that says so', async () => {
  const error = await rejection(answering(new Response(new TextEncoder().encode('{"name":"Rex"}'))).get(1));
  assert.instance(error, ProblemError);
  assert.equal([error.status, error.problem.detail], [200, 'The answer is of no type, and not JSON.']);
});
for (const [what, call] of [
  ['a Get', (connect) => connect<typeof things>(AT).get(1)],
  ['an Update', (connect) => connect<typeof things>(AT).update(1, {})],
  ['a Custom', (connect) => connect<typeof things>(AT).custom.suffix()],
] as readonly (readonly [string, (connect: Connect) => Promise<unknown>])[]) {
  values(`${what} that a proxy in front of the server answers with a page and 200 -> ProblemError; raw gives the page`, () => calling((server) => {
    server.use((_request, response) => void response.writeHead(200, { 'Content-Type': 'Text/HTML; charset=utf-8' }).end('<html>log in</html>'));
  }, async ({ connect }) => {
    const error = await rejection(call(connect));
    assert.instance(error, ProblemError);
    assert.equal(error.problem, { type: 'about:blank', title: 'OK', status: 200, detail: 'The answer is text/html, and not JSON.' });
    assert.is(await (await connect<typeof things>(AT).get(1, { raw: true })).text(), '<html>log in</html>');
  }));
}
values.run();

const seen = suite('onResponse');
seen('sees each answer with its header fields before the call resolves, also a failure and one that is raw', () => calling(declare, async ({ connect }) => {
  const api = connect<typeof things>(AT);
  const log: string[] = [];
  const onResponse = ({ status, headers, bodyUsed }: Response): void => void log.push(`${status} ${headers.get('x-seen') ?? ''} ${bodyUsed}`);
  await api.update(1, {}, { onResponse });
  await api.get(1, { onResponse, raw: true });
  await rejection(api.get(2, { onResponse }));
  assert.equal(log, ['202 1 false', '200  false', '404  false']);
}));
seen('is awaited, and the call rejects with its error', () => calling(declare, async ({ connect }) => {
  const api = connect<typeof things>(AT);
  let text = '';
  await api.get(1, { onResponse: async (response) => void (text = await response.clone().text()) });
  assert.is(text, '{"name":"Rex"}');
  const error = new Error('no');
  assert.is(await rejection(api.get(1, { onResponse: () => { throw error; } })), error);
}));
seen.run();

const legs: StandardSchemaV1<{ legs: number }, { legs: number }> = {
  '~standard': { version: 1, vendor: 'test', validate: () => ({ issues: [{ message: 'too many', path: ['legs'] }] }) },
};
const failing = defineEndpoint({
  id: stringId,
  get: (id) => {
    if (id === 'own') throw ApiError.status(402, 'You have 30.', { type: '/credit', title: 'No credit', members: { balance: 30 } });
    throw id === 'internal' ? new Error('secret') : ApiError.argument('no');
  },
  custom: { refused: { input: legs, run: () => 1 } },
});
const problems = suite('a problem');
for (const [what, call, problem, message] of [
  ["of the host's own", (api) => api.get('own'), { type: '/credit', title: 'No credit', status: 402, detail: 'You have 30.', balance: 30 }, 'You have 30.'],
  ['of an argument', (api) => api.get('argument'), { type: 'about:blank', title: 'Bad Request', status: 400, detail: 'Bad arguments: no' }, 'Bad arguments: no'],
  ['without a detail', (api) => api.get('internal'), { type: 'about:blank', title: 'Internal Server Error', status: 500 }, 'Internal Server Error'],
  ['with pointers', (api) => api.custom.refused({ legs: 9 }), {
    type: 'about:blank', title: 'Bad Request', status: 400, detail: 'Bad arguments: too many', errors: [{ detail: 'too many', pointer: '#/legs' }],
  }, 'Bad arguments: too many'],
] as readonly (readonly [string, (api: ReturnType<typeof failingAt>) => Promise<unknown>, ClientProblem, string])[]) {
  problems(`${what} -> ProblemError with its members and its text`, () => calling((server) => server.registerEndpoint('/failing', failing), async ({ connect, errors }) => {
    const error = await rejection(call(failingAt(connect)));
    assert.instance(error, ProblemError);
    assert.instance(error, Error);
    assert.equal([error.name, error.message, error.status], ['ProblemError', error.message, problem.status]);
    assert.match(error.message, new RegExp(`^(?:GET|POST) http://127\\.0\\.0\\.1:\\d+/v1/failing/\\w+ -> ${problem.status}: ${message}$`));
    assert.equal(error.problem, problem);
    assert.equal(await error.response.json(), problem);
    assert.is(errors.length, problem.status === 500 ? 1 : 0);
  }));
}

function failingAt(connect: ReturnType<typeof client>) {
  return connect<typeof failing>({ path: '/failing', id: stringId });
}

problems('raw changes nothing about it', () => calling(declare, async ({ connect }) => {
  assert.instance(await rejection(connect<typeof things>(AT).get(2, { raw: true })), ProblemError);
}));
for (const [what, call, status, title] of [
  ['405, which has no body', (api) => (api as unknown as { create(body: unknown): Promise<unknown> }).create({}), 405, 'Method Not Allowed'],
  ['a redirect, which is not followed', (api) => api.custom.see(), 303, 'See Other'],
  ['304, which the call has asked for', (api) => api.get(1, { headers: { 'If-None-Match': '"1"' } }), 304, 'Not Modified'],
] as readonly (readonly [string, (api: ReturnType<typeof answering>) => Promise<unknown>, number, string])[]) {
  problems(`${what} -> made from the status`, () => calling((server) => {
    server.use((request, response, next) => {
      if (request.headers['if-none-match'] === undefined) next();
      else response.writeHead(304).end();
    });
    declare(server);
  }, async ({ connect }) => {
    const error = await rejection(call(connect<typeof things>(AT)));
    assert.equal(error.problem, { type: 'about:blank', title, status });
    assert.is(error.status, status);
    assert.ok(error.message.endsWith(` -> ${status}: ${title}`), error.message);
  }));
}
const PROBLEM = 'application/problem+json';
for (const [what, body, init, problem] of [
  ['HTML of a proxy', '<html>', { statusText: 'Bad Gateway', headers: { 'Content-Type': 'text/html' } }, { title: 'Bad Gateway' }],
  ['no phrase, as with HTTP/2', '', {}, { title: 'HTTP 502' }],
  ['JSON that is no problem', '{"title":"x"}', { headers: { 'Content-Type': 'application/json' } }, { title: 'HTTP 502' }],
  ['text that names problems', '{"title":"x"}', { headers: { 'Content-Type': `text/plain; a=${PROBLEM}` } }, { title: 'HTTP 502' }],
  ['a problem that is cut short', '{"title":', { headers: { 'Content-Type': PROBLEM } }, { title: 'HTTP 502' }],
  ['a problem that is a list', '[1]', { headers: { 'Content-Type': PROBLEM } }, { title: 'HTTP 502' }],
  ['a problem that is a text', '"x"', { headers: { 'Content-Type': PROBLEM } }, { title: 'HTTP 502' }],
  ['a problem that is null', 'null', { headers: { 'Content-Type': PROBLEM } }, { title: 'HTTP 502' }],
  ['a problem without a title', '{"detail":"x"}', { headers: { 'Content-Type': `${PROBLEM}; charset=utf-8` } }, { title: 'HTTP 502', detail: 'x' }],
] as const) {
  problems(`${what} -> ${JSON.stringify(problem)}, and the body can be read`, async () => {
    const error = await rejection(answering(new Response(body, { status: 502, ...init })).get(1));
    assert.equal(error.problem, { type: 'about:blank', status: 502, ...problem });
    assert.is(await error.response.text(), body);
  });
}
for (const [member, value] of [['title', { toString: 1 }], ['detail', { toString: 1 }], ['type', 7], ['title', null], ['instance', []]] as const) {
  problems(`whose ${member} is ${JSON.stringify(value)}: that member is ignored`, async () => {
    const body = JSON.stringify({ [member]: value, own: 1 });
    const error = await rejection(answering(new Response(body, { status: 502, headers: { 'Content-Type': PROBLEM } })).get(1));
    assert.instance(error, ProblemError);
    assert.equal(error.problem, { type: 'about:blank', title: 'HTTP 502', status: 502, own: 1 });
  });
}
problems('without an end: at most 1 MiB is read, and the call rejects', async () => {
  let pulled = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      pulled += 65_536;
      controller.enqueue(new Uint8Array(65_536).fill(0x20));
    },
  });
  const error = await rejection(answering(new Response(endless, { status: 502, headers: { 'Content-Type': PROBLEM } })).get(1));
  assert.equal(error.problem, { type: 'about:blank', title: 'HTTP 502', status: 502 });
  assert.ok(pulled < 2 ** 21, `${pulled} bytes`);
  assert.is((await error.response.text()).length, 65_536);
});
problems('a redirect that a browser hides has status 0, and says so', async () => {
  const hidden = Response.error();
  Object.defineProperty(hidden, 'type', { value: 'opaqueredirect' });
  const error = await rejection(answering(hidden).get(1));
  assert.is(error.status, 0);
  assert.ok(error.message.endsWith('-> 0: HTTP opaqueredirect'), error.message);
});
problems('failures with long bodies do not each keep a connection', () => calling((server) => {
  server.registerEndpoint('/long', defineEndpoint({ id: integerId, get: () => { throw ApiError.argument('x'.repeat(200_000)); } }));
}, async ({ connect, last }) => {
  const ports = new Set<number | undefined>();
  const kept: unknown[] = [];
  for (let index = 0; index < 10; index += 1) {
    kept.push(await rejection(connect<typeof things>({ path: '/long', id: integerId }).get(2)));
    ports.add(last().socket.remotePort);
  }
  assert.ok(ports.size < kept.length / 2, `${ports.size} connections`);
}));
problems.run();
