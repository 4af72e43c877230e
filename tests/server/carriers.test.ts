/** One core, whatever carries a request: what the carriers have in common, and when Node's messages are made for a call in memory. */
import { type IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { text } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { bearer } from '../../src/auth/index.ts';
import { events as eventsOf, form } from '../../src/formats/index.ts';
import { ApiError, bytes, defineEndpoint, reply, stringId, type ApiServer, type RequestMessage } from '../../src/index.ts';
import { mcpHandler } from '../../src/mcp/index.ts';
import { openApiHandler } from '../../src/openapi/index.ts';
import { makeProblem, Rejection } from '../../src/errors/problem.ts';
import { MemoryExchange, type MemoryServer } from '../../src/server/exchange/memory/memory-exchange.ts';
import type { ResponseReader } from '../../src/server/exchange/memory/memory-parts.ts';
import { MemorySocket } from '../../src/server/exchange/memory/node/memory-messages.ts';
import { makeServer, makeServerRunning, makeStream } from '../support/fetch-server.ts';
import { limitUnsent } from '../support/linger.ts';
import { captureError } from '../support/serve-with-client.ts';
import { assert, Gate, suite, withTimeout } from '../support/facts.ts';

/** Counts the sockets in memory that are made: each request of Node has one. */
async function countSockets(call: () => Promise<unknown>): Promise<number> {
  const { open } = MemorySocket;
  let count = 0;
  MemorySocket.open = (...parameters) => {
    count += 1;
    return open.apply(MemorySocket, parameters);
  };
  try {
    await call();
  } finally {
    MemorySocket.open = open;
  }
  return count;
}

const info = { title: 'Zoo', version: '1' };
const JSON_TYPE = { 'content-type': 'application/json' };

function makeZoo(options: Parameters<typeof makeServer>[0] = {}): ApiServer {
  const { server } = makeServer(options);
  server.registerEndpoint('/pet', defineEndpoint({
    id: stringId,
    schema: (json: unknown) => json,
    get: { tool: { description: 'Reads a pet.' }, run: (id) => id },
    create: () => 'rex',
    delete: () => {},
    custom: {
      upload: { input: bytes(), run: async (body) => (await text(body)).length },
      fields: { input: form((fields: unknown) => fields), run: (fields) => fields },
      stream: () => reply(200, async function* () {
        yield 'a';
        await new Promise((resolve) => setImmediate(resolve));
        yield 'b';
      }()),
      late: ({ signal }) => new Promise((resolve) => setImmediate(() => resolve(signal.aborted))),
      raw: ({ raw }) => raw.headers.host ?? '',
    },
  }));
  server.registerEndpoint('/mine', defineEndpoint({ id: stringId, context: bearer((token) => token), get: (id) => id }));
  server.mount('/openapi.json', openApiHandler(server, { info }));
  server.mount('/mcp', mcpHandler(server, { info: { name: 'zoo', version: '1' }, context: bearer((token) => token) }));
  server.mount('/own', (_request, response) => void response.end('own'));
  return server;
}

const CALL = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'getPet', arguments: { id: 'rex' } } });

const made = suite("Node's messages of a call of server.fetch");
for (const [what, path, init, status, count] of [
  ['a GET', '/v1/pet/rex', {}, 200, 0],
  ['a HEAD', '/v1/pet/rex', { method: 'HEAD' }, 200, 0],
  ['a DELETE with a body', '/v1/pet/rex', { method: 'DELETE', body: 'a' }, 204, 0],
  ['a POST', '/v1/pet', { method: 'POST', headers: JSON_TYPE, body: '{}' }, 201, 0],
  ['a POST of a stream', '/v1/pet', { method: 'POST', headers: JSON_TYPE, body: makeStream('{', '}'), duplex: 'half' }, 201, 0],
  ['a body that the operation reads', '/v1/pet/upload', { method: 'POST', body: makeStream('a', 'b'), duplex: 'half' }, 200, 0],
  ['a form', '/v1/pet/fields', { method: 'POST', body: new URLSearchParams('a=b') }, 200, 0],
  ['a response that is a stream', '/v1/pet/stream', { method: 'POST' }, 200, 0],
  ['an operation that waits', '/v1/pet/late', { method: 'POST' }, 200, 0],
  ['a caller with credentials', '/v1/mine/a', { headers: { authorization: 'Bearer a' } }, 200, 0],
  ['a caller without', '/v1/mine/a', {}, 401, 0],
  ['a page', '/v1/pet/rex', { headers: { origin: 'https://app.example' } }, 200, 0],
  ['a preflight', '/v1/pet/rex', { method: 'OPTIONS', headers: { origin: 'https://app.example', 'access-control-request-method': 'DELETE' } }, 204, 0],
  ['an unknown path', '/nowhere', {}, 404, 0],
  ['an invalid body', '/v1/pet', { method: 'POST', headers: JSON_TYPE, body: '{' }, 400, 0],
  ['the document', '/openapi.json', {}, 200, 0],
  ['a message of MCP', '/mcp', { method: 'POST', headers: { ...JSON_TYPE, authorization: 'Bearer a' }, body: CALL }, 200, 0],
  ['an operation that reads request.raw', '/v1/pet/raw', { method: 'POST' }, 200, 1],
  ['a mount of the user', '/own', {}, 200, 1],
] as const) {
  made(`${what}: ${status}, and ${count === 0 ? 'none are made' : 'they are made'}`, async () => {
    const server = makeZoo({ cors: { origins: ['https://app.example'] } });
    const counted = await countSockets(async () => {
      const response = await server.fetch(path, init as RequestInit);
      assert.is(response.status, status);
      await response.text();
    });
    assert.is(counted, count);
  });
}
made('a call of a tool: it is a request within the call, and none are made', async () => {
  const server = makeZoo();
  const ask = async (method: string, params: object): Promise<string> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    return (await server.fetch('/mcp', { method: 'POST', headers: { ...JSON_TYPE, authorization: 'Bearer a' }, body })).text();
  };
  const [, name = ''] = /"name":"(\w+)"/.exec(await ask('tools/list', {})) ?? [];
  assert.is(await countSockets(async () => assert.match(await ask('tools/call', { name, arguments: { id: 'rex' } }), /rex/)), 0);
});
made('with middleware: they are made', async () => {
  const server = makeZoo();
  server.use((_request, _response, next) => next());
  assert.is(await countSockets(async () => assert.is((await server.fetch('/v1/pet/rex')).status, 200)), 1);
});
made('with formatProblem: the request is made for an error, and nothing for a success', async () => {
  const server = makeZoo({ formatProblem: ({ title }, { url }) => ({ body: { title, url } }) });
  assert.is(await countSockets(async () => assert.is((await server.fetch('/v1/pet/rex')).status, 200)), 0);
  assert.is(await countSockets(async () => {
    assert.equal(await (await server.fetch('/nowhere')).json(), { title: 'Not Found', url: '/nowhere' });
  }), 1);
});
made('with a subscriber: they are made when it reads them, and the response is that which was sent', async () => {
  const server = makeZoo();
  const events: unknown[] = [];
  const onEvent = (name: string, read: boolean) => (message: unknown): void => {
    const published = message as RequestMessage;
    events.push([name, published.route.path, ...(read ? [published.response.headersSent, published.response.statusCode, published.request.url] : [])]);
  };
  for (const read of [false, true]) {
    events.length = 0;
    const listeners = ['start', 'end', 'asyncEnd'].map((name) => [`tracing:restpoint.request:${name}`, onEvent(name, read && name === 'asyncEnd')] as const);
    for (const [name, listener] of listeners) subscribe(name, listener);
    try {
      assert.is(await countSockets(async () => assert.is((await server.fetch('/v1/pet', { method: 'POST', headers: JSON_TYPE, body: '{}' })).status, 201)),
        Number(read));
    } finally {
      for (const [name, listener] of listeners) unsubscribe(name, listener);
    }
    assert.equal(events, [['start', '/v1/pet'], ['end', '/v1/pet'], ['asyncEnd', '/v1/pet', ...(read ? [true, 201, '/v1/pet'] : [])]]);
  }
});
made('with a subscriber to start that sets a header: it is sent', async () => {
  const server = makeZoo();
  const listener = (message: unknown): void => void (message as RequestMessage).response.setHeader('X-Trace', '1');
  subscribe('tracing:restpoint.request:start', listener);
  try {
    assert.is((await server.fetch('/v1/pet/rex')).headers.get('x-trace'), '1');
  } finally {
    unsubscribe('tracing:restpoint.request:start', listener);
  }
});
made('with a subscriber, and a caller that leaves: the response is not whole', async () => {
  const server = makeZoo();
  const seen: unknown[] = [];
  let response: RequestMessage['response'] | undefined;
  const listeners = [
    ['tracing:restpoint.request:end', (message: unknown) => void ({ response } = message as RequestMessage)],
    ['tracing:restpoint.request:asyncEnd', () => seen.push(response?.headersSent, response?.writableEnded, response?.destroyed)],
  ] as const;
  for (const [name, listener] of listeners) subscribe(name, listener);
  try {
    const controller = new AbortController();
    const call = captureError(server.fetch('/v1/pet/late', { method: 'POST', signal: controller.signal }));
    controller.abort();
    assert.is((await call).name, 'AbortError');
  } finally {
    for (const [name, listener] of listeners) unsubscribe(name, listener);
  }
  assert.equal(seen, [false, false, true]);
});
made('with a subscriber that reads the response before it is sent: it gets the head', async () => {
  const server = makeZoo();
  let response: RequestMessage['response'] | undefined;
  const listener = (message: unknown): void => void ({ response } = message as RequestMessage);
  subscribe('tracing:restpoint.request:end', listener);
  try {
    assert.is((await server.fetch('/v1/pet/late', { method: 'POST' })).status, 200);
  } finally {
    unsubscribe('tracing:restpoint.request:end', listener);
  }
  assert.equal([response?.statusCode, response?.headersSent, response?.writableEnded], [200, true, true]);
});
made('of a handler of this package that an app calls as a listener: its errors are those of the app', async () => {
  const { server } = makeServer();
  const mcp = (thrown: unknown) => mcpHandler(server, { info: { name: 'zoo', version: '1' }, context: () => Promise.reject(thrown as Error) });
  const call = async (thrown: unknown): Promise<unknown> => {
    const request = Object.assign(new PassThrough(), {
      method: 'POST', url: '/', rawHeaders: ['Host', 'a', 'Content-Type', 'application/json'], headers: {}, socket: null,
    }) as unknown as IncomingMessage;
    let passed: unknown;
    await mcp(thrown)(request, new ServerResponse(request), (error) => (passed = error)).catch((error: unknown) => (passed = [error]));
    return passed;
  };
  const [rejected, failed] = [ApiError.status(403, 'no'), new Error('disk')];
  assert.is(await call(rejected), rejected);
  assert.equal(await call(failed), [failed]);
});

const raws = suite('request.raw of a streamed body');
for (const carrier of ['server.fetch', 'a socket'] as const) {
  raws(`is the rest of the stream, over ${carrier}, when it is first asked for in the middle`, async () => {
    const { server } = makeServer();
    const taken = new Gate();
    server.registerEndpoint('/file', { custom: { put: { input: bytes(), run: async (body, request) => {
      const iterator = body[Symbol.asyncIterator]();
      const first = await iterator.next();
      const { raw } = request;
      let rest = '';
      raw.on('data', (chunk: Buffer) => (rest += chunk.toString()));
      taken.open();
      let seen = '';
      for (let step = await iterator.next(); step.done !== true; step = await iterator.next()) seen += Buffer.from(step.value).toString();
      return [Buffer.from(first.value as Uint8Array).toString(), rest, seen];
    } } } });
    const pieces = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('first ');
      await taken.passed;
      yield Buffer.from('second ');
      yield Buffer.from('third');
    };
    const init = { method: 'POST', body: ReadableStream.from(pieces()), duplex: 'half' } as RequestInit;
    const call = async (): Promise<Response> => {
      if (carrier === 'server.fetch') return server.fetch('/v1/file/put', init);
      const started = await server.start({ port: 0, host: '127.0.0.1' });
      if (!started.ok) throw started.error;
      return fetch(new URL('/v1/file/put', started.url), init);
    };
    try {
      assert.equal(await (await withTimeout(call())).json(), ['first ', 'second third', 'second third']);
    } finally {
      await server.stop();
    }
  });
}
raws('has nothing left of a body that was read as a whole', async () => {
  let raw: IncomingMessage | undefined;
  const { server } = makeServerRunning(async (request) => {
    ({ raw } = request);
    return text(raw);
  });
  const response = await server.fetch('/v1/it/run', { method: 'POST', headers: JSON_TYPE, body: '{}' });
  assert.is(await response.json(), '');
  assert.is(raw?.complete, true);
});
raws('passes the body on to the operation, if it was asked for before', async () => {
  const { server } = makeServer();
  const context = (request: { raw: IncomingMessage }): string | undefined => request.raw.headers.host;
  server.registerEndpoint('/it', { context, custom: { run: { input: (json: unknown) => json, run: (input) => input } } });
  for (const body of ['{"a":1}', makeStream('{"a"', ':1}')]) {
    const response = await server.fetch('/v1/it/run', { method: 'POST', headers: JSON_TYPE, body, duplex: 'half' } as RequestInit);
    assert.equal(await response.json(), { a: 1 });
  }
});
raws('has a socket that leads nowhere', async () => {
  const { server } = makeServerRunning(({ raw: { socket } }) => new Promise((resolve) => socket.end('HTTP/1.1 200 OK\r\n\r\na', () => resolve('b'))));
  assert.is(await (await server.fetch('/v1/it/1')).json(), 'b');
});

const late = suite('a body of server.fetch that stops arriving');
late('is a 408 for a mount too', async () => {
  const { server } = makeServer({ limits: { requestMs: 50 } });
  server.mount('/own', async (request, response) => void response.end(await text(request)));
  const body = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('a')) });
  assert.is((await withTimeout(server.fetch('/own', { method: 'POST', body, duplex: 'half' } as RequestInit))).status, 408);
});

const events = suite('server-sent events of server.fetch');
events('end when the server stops', async () => {
  const { server } = makeServer();
  const gate = new Gate();
  server.registerEndpoint('/it', { id: stringId, list: { output: eventsOf((data: unknown) => data), run: async function* () {
    yield { data: 1 };
    await gate.passed;
  } } });
  const response = await server.fetch('/v1/it');
  const received = response.text();
  const stopped = server.stop();
  assert.is(await withTimeout(received), 'data: 1\n\n');
  gate.open();
  await withTimeout(stopped);
});

const unwritten = suite('a response in memory that');
function makeExchange(): { exchange: MemoryExchange; sent: unknown[] } {
  const sent: unknown[] = [];
  const reader: ResponseReader = {
    whole: ({ status }) => sent.push(['whole', status]), begin: ({ status }) => sent.push(['begin', status]),
    write: (_chunk, done) => done(), end: () => sent.push('end'), fail: ({ message }) => sent.push(['fail', message]),
  };
  const server = { settings: { limits: {} }, owner: { stopping: new AbortController().signal }, messages: { statusTexts: {} } } as unknown as MemoryServer;
  return { exchange: new MemoryExchange(server, { method: 'GET', url: '/', rawHeaders: ['Host', 'a'], body: undefined, client: null }, reader), sent };
}
for (const [what, leave] of [
  ['cannot be written', (exchange) => exchange.abandon()],
  ['has a body of its request that stops arriving', (exchange) => exchange.breakOff(new Rejection(makeProblem(500)))],
] as readonly (readonly [string, (exchange: MemoryExchange) => void])[]) unwritten(`${what}: a 500 before its head, broken off after it, and as it is after its end`, () => {
  const steps: ((exchange: MemoryExchange) => void)[] = [
    () => {},
    (exchange) => exchange.sendStream(200, [], { start: (_, sendHead) => void sendHead() }),
    (exchange) => exchange.send({ status: 200, headers: [], body: 'a' }),
  ];
  assert.equal(steps.map((step) => {
    const { exchange, sent } = makeExchange();
    step(exchange);
    leave(exchange);
    return sent;
  }), [
    [['whole', 500]],
    [['begin', 200], ['fail', 'the connection was closed before the end of the response']],
    [['whole', 200]],
  ]);
});

const leavers = suite('the caller of server.fetch');
leavers('leaves by its signal, even if nothing else has kept the Request', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const [begun, left] = [new Gate(), new Gate()];
  const { server } = makeServer();
  server.registerEndpoint('/wait', { custom: { run: ({ signal }) => {
    signal.addEventListener('abort', () => left.open());
    begun.open();
    return left.passed.then(() => 'left');
  } } });
  const controller = new AbortController();
  const call = captureError(server.fetch('/v1/wait/run', { method: 'POST', signal: controller.signal }));
  await withTimeout(begun.passed);
  for (let turn = 0; turn < 5; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  controller.abort();
  assert.is((await withTimeout(call)).name, 'AbortError');
  await withTimeout(left.passed);
});

const unsent = suite('C16: the limit of unsent bytes, of server.fetch');
unsent('the response with the most bytes that nobody reads is broken off, which is logged once', async () => {
  const { server, errors } = makeServerRunning(({ raw }) => reply(200, async function* () {
    const bytesOfChunk = raw.url === '/v1/it/long' ? 2_000_000 : 200_000;
    for (let count = 0; count < 5; count += 1) yield Buffer.alloc(bytesOfChunk);
  }()), limitUnsent(1_000_000));
  const short = await server.fetch('/v1/it/short');
  const long = await server.fetch('/v1/it/long');
  assert.instance(await captureError(long.text()), TypeError);
  assert.is((await short.arrayBuffer()).byteLength, 1_000_000);
  assert.is(errors.filter(({ message }) => message.includes('more than 1000000: slow readers')).length, 1);
});
