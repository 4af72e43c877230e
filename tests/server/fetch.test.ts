/** `server.fetch`: requests without a port, which pass everything that requests over the network do. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { client } from '../../src/client/index.ts';
import { ApiError, ApiServer, defineEndpoint, reply, stringId, type ApiRequest, type ApiServerOptions } from '../../src/index.ts';
import { rejection } from '../support/calling.ts';
import { Gate, until, within } from '../support/gate.ts';

const MIB = 1024 * 1024;

/** A server whose errors fail the test that reads them. */
function silent(options: ApiServerOptions = {}): { server: ApiServer; errors: Error[] } {
  const errors: Error[] = [];
  return { server: new ApiServer('/v1', { logger: { info: () => {}, error: (error) => errors.push(error) }, stopGraceMs: 1000, ...options }), errors };
}

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}

/** A server with a mount that answers what it has received. */
function echoing(options: ApiServerOptions = {}): (...parameters: Parameters<ApiServer['fetch']>) => Promise<Seen> {
  const { server } = silent(options);
  server.registerHandler('/', async (request, response) => {
    const { method, url, headers } = request;
    response.end(JSON.stringify({ method, url, headers, body: await text(request) }));
  });
  return async (...parameters) => (await server.fetch(...parameters)).json() as Promise<Seen>;
}

/** A server with `GET /v1/it/:id` and `POST /v1/it/run`. */
function running(run: (request: ApiRequest) => any, options: ApiServerOptions = {}): ReturnType<typeof silent> {
  const made = silent(options);
  made.server.registerEndpoint('/it', defineEndpoint({
    id: stringId,
    get: (_id, request) => run(request),
    custom: { run: { input: (json: unknown) => json, run: (_input, request) => run(request) } },
  }));
  return made;
}

const inputs = suite('what server.fetch takes');
for (const [title, input, host, url] of [
  ['a path', '/a/b?c=d', 'localhost', '/a/b?c=d'],
  ['a path that begins as a host would', '//a/b', 'localhost', '//a/b'],
  ['a path that is not encoded', '/ä b#c', 'localhost', '/%C3%A4%20b'],
  ['a URL as text', 'http://api.example:8080/a', 'api.example:8080', '/a'],
  ['a URL with https', new URL('https://api.example/a?b'), 'api.example', '/a?b'],
  ['a Request', new Request('http://api.example/a'), 'api.example', '/a'],
  ['a Request with the Host of the client', new Request('http://10.0.0.1/a', { headers: { host: 'api.example' } }), 'api.example', '/a'],
] as const) {
  inputs(`${title}: Host ${host}, target ${url}`, async () => {
    const seen = await echoing()(input);
    assert.is(seen.headers['host'], host);
    assert.is(seen.url, url);
    assert.is(seen.method, 'GET');
  });
}
inputs('a path, with allowedHosts: the first of these is the Host, and others are 421', async () => {
  const { server } = running(({ raw }) => raw.headers.host, { allowedHosts: ['::1', 'api.example'] });
  assert.is(await (await server.fetch('/v1/it/1')).json(), '[::1]');
  assert.is((await server.fetch('http://api.example/v1/it/1')).status, 200);
  assert.is((await server.fetch('http://localhost/v1/it/1')).status, 421);
});
for (const [title, input, init] of [
  ['a text that is neither a path nor a URL', 'v1/it/1', {}],
  ['a URL with another scheme', 'ftp://localhost/v1/it/1', {}],
  ['a URL with a password', 'http://name:password@localhost/v1/it/1', {}],
  ['an invalid method', '/v1/it/1', { method: 'a b' }],
  ['an invalid header field', '/v1/it/1', { headers: { 'a b': 'c' } }],
  ['a GET with a body', '/v1/it/1', { body: 'a' }],
] as const) {
  inputs(`${title} -> TypeError`, async () => {
    const { server } = running(() => 'never');
    assert.instance(await rejection(server.fetch(input, init)), TypeError);
  });
}
inputs('a Request whose body was read -> TypeError', async () => {
  const used = new Request('http://localhost/', { method: 'POST', body: 'a' });
  await used.text();
  assert.instance(await rejection(silent().server.fetch(used)), TypeError);
});
inputs('fields of the connection that it came over are not sent on', async () => {
  const headers = { connection: 'keep-alive, x-hop', 'x-hop': '1', te: 'trailers', upgrade: 'websocket', 'keep-alive': '5', 'x-end': '2' };
  const seen = await echoing()('/', { headers });
  assert.equal(seen.headers, { host: 'localhost', 'x-end': '2', connection: 'keep-alive' });
});
inputs.run();

const bodies = suite('the bodies of requests of server.fetch');
const stream = (...pieces: string[]): ReadableStream<Uint8Array> => ReadableStream.from(pieces.map((piece) => Buffer.from(piece)));
for (const [title, init, framing, body] of [
  ['no body of a POST', {}, { 'content-length': '0' }, ''],
  ['no body of a DELETE', { method: 'DELETE' }, {}, ''],
  ['a string', { body: 'ä' }, { 'content-length': '2', 'content-type': 'text/plain;charset=UTF-8' }, 'ä'],
  ['a string with another Content-Length', { body: 'ab', headers: { 'content-length': '1' } }, { 'content-length': '2' }, 'ab'],
  ['URLSearchParams', { body: new URLSearchParams({ a: 'b c' }) }, { 'content-length': '5' }, 'a=b+c'],
  ['a view', { body: new Uint16Array(Uint8Array.from(Buffer.from('abcdef')).buffer, 2, 2) }, { 'content-length': '4' }, 'cdef'],
  ['an ArrayBuffer', { body: Uint8Array.from(Buffer.from('ab')).buffer }, { 'content-length': '2' }, 'ab'],
  ['a Blob', { body: new Blob(['ab'], { type: 'a/b' }) }, { 'transfer-encoding': 'chunked', 'content-type': 'a/b' }, 'ab'],
  ['a stream', { body: stream('a', 'b'), duplex: 'half' }, { 'transfer-encoding': 'chunked' }, 'ab'],
  ['a stream of a DELETE', { body: stream('a'), duplex: 'half', method: 'DELETE' }, { 'transfer-encoding': 'chunked' }, 'a'],
  ['a stream of a declared length', { body: stream('a', 'b'), duplex: 'half', headers: { 'content-length': '2' } }, { 'content-length': '2' }, 'ab'],
  ['Expect', { body: 'a', headers: { expect: '100-continue' } }, { 'content-length': '1' }, 'a'],
] as const) {
  bodies(`${title} -> ${JSON.stringify(framing)}`, async () => {
    const { headers, body: received } = await echoing()('/', { method: 'POST', ...init } as unknown as RequestInit);
    const { 'content-length': length, 'transfer-encoding': coding } = framing as Record<string, string>;
    assert.is(headers['content-length'], length);
    assert.is(headers['transfer-encoding'], coding);
    for (const [name, value] of Object.entries(framing)) assert.is(headers[name], value);
    assert.is(received, body);
  });
}
bodies('FormData: its parts, and its type', async () => {
  const form = new FormData();
  form.set('a', 'b');
  const { headers, body } = await echoing()('/', { method: 'POST', body: form });
  assert.match(String(headers['content-type']), /^multipart\/form-data; boundary=/);
  assert.match(body, /name="a"\r\n\r\nb\r\n/);
});
bodies('a Request with a body', async () => {
  const seen = await echoing()(new Request('http://localhost/', { method: 'PUT', body: 'a' }));
  assert.is(`${seen.method} ${seen.body}`, 'PUT a');
});
bodies('a stream that fails: the call rejects with its error as the cause, and the request is broken off', async () => {
  const received = new Gate();
  const left = new Gate();
  const { server } = silent();
  server.registerHandler('/upload', (request) => {
    request.once('data', () => received.open()).on('close', () => left.open());
  });
  const cause = new Error('of the source');
  const failing = new ReadableStream({
    start: (controller) => controller.enqueue(Buffer.from('a')),
    pull: (controller) => received.passed.then(() => controller.error(cause)),
  });
  const error = await rejection(server.fetch('/upload', { method: 'POST', body: failing, duplex: 'half' }));
  assert.instance(error, TypeError);
  assert.is(error.cause, cause);
  await within(5000, left.passed);
});
bodies('100 MB, streamed to an operation that reads slowly: few bytes are ahead of it', async () => {
  let sent = 0;
  let read = 0;
  let ahead = 0;
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const source = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(chunk);
      sent += chunk.length;
      if (sent >= 100 * MIB) controller.close();
    },
  });
  const { server } = silent();
  server.registerHandler('/upload', async (request, response) => {
    for await (const piece of request) {
      read += (piece as Buffer).length;
      ahead = Math.max(ahead, sent - read);
      if (read % (4 * MIB) < chunk.length) await new Promise((resolve) => setImmediate(resolve));
    }
    response.end(String(read));
  });
  assert.is(await (await server.fetch('/upload', { method: 'POST', body: source, duplex: 'half' })).text(), String(100 * MIB));
  assert.ok(ahead < MIB, `${ahead} bytes`);
});
bodies.run();

const answers = suite('the answers of server.fetch');
answers('have status, fields, URL and body, and no fields of the connection', async () => {
  const { server } = running(() => reply(203, { a: 1 }, { 'X-A': 'b', 'Set-Cookie': ['a=b', 'c=d'] }));
  const response = await server.fetch('/v1/it/1');
  assert.instance(response, Response);
  assert.is(`${response.status} ${response.statusText}`, '203 Non-Authoritative Information');
  assert.is(response.url, 'http://localhost/v1/it/1');
  assert.is(response.headers.get('x-a'), 'b');
  assert.equal(response.headers.getSetCookie(), ['a=b', 'c=d']);
  for (const name of ['connection', 'keep-alive', 'transfer-encoding']) assert.is(response.headers.get(name), null);
  assert.equal(await response.json(), { a: 1 });
});
for (const [title, status, init] of [
  ['of HEAD', 200, { method: 'HEAD' }],
  ['204', 204, {}],
  ['205', 205, {}],
  ['304', 304, {}],
] as const) {
  answers(`${title} have no body`, async () => {
    const { server } = silent();
    server.registerHandler('/', (_request, response) => response.writeHead(status, { 'X-A': 'b' }).end(status === 200 ? 'text' : undefined));
    const response = await server.fetch('/', init);
    assert.is(response.status, status);
    assert.is(response.headers.get('x-a'), 'b');
    assert.is(response.body, null);
    await within(5000, server.stop());
  });
}
answers('of HEAD have the Content-Length of GET', async () => {
  const { server } = running(() => 'abc');
  assert.is((await server.fetch('/v1/it/1', { method: 'HEAD' })).headers.get('content-length'), '5');
});
answers('of 1xx come before the one that is returned', async () => {
  const { server } = silent();
  server.registerHandler('/', (_request, response) => {
    response.writeProcessing();
    response.writeEarlyHints({ link: '</a>; rel=preload' });
    response.end('last');
  });
  const response = await server.fetch('/');
  assert.is(`${response.status} ${await response.text()}`, '200 last');
  assert.is(response.headers.get('link'), null);
});
answers('that redirect are returned', async () => {
  const { server } = running(() => reply(303, undefined, { Location: '/v1/it/2' }));
  const response = await server.fetch('/v1/it/1');
  assert.is(`${response.status} ${response.headers.get('location')}`, '303 /v1/it/2');
});
answers('are those of the checks, of middleware and of routing', async () => {
  const { server } = running(() => {
    throw ApiError.notFound();
  });
  server.use((request, response, next) => (request.url === '/mine' ? void response.end('middleware') : next()));
  assert.is((await server.fetch('/v1/it/1')).status, 404);
  assert.is((await server.fetch('/v1/it/1', { method: 'DELETE' })).headers.get('allow'), 'GET, HEAD, OPTIONS');
  assert.is((await server.fetch('/v1/it/1', { method: 'NOSUCH' })).status, 501);
  assert.is((await server.fetch('/v1/it/%FF')).status, 400);
  assert.is((await server.fetch('/v1/it/1', { headers: { expect: 'wonders' } })).status, 417);
  assert.is(await (await server.fetch('/mine')).text(), 'middleware');
});
answers('are copies: to change their bytes changes nothing of the host', async () => {
  const kept = Buffer.from('kept');
  const { server } = running(() => reply(200, kept, { 'Content-Type': 'text/plain' }));
  for (const _round of [1, 2]) {
    const { value } = await (await server.fetch('/v1/it/1')).body!.getReader().read();
    assert.is(Buffer.from(value!).toString(), 'kept');
    value!.fill(0);
  }
});
answers('are streams of bytes: a reader may bring a buffer', async () => {
  const { server } = running(() => reply(200, 'abc', { 'Content-Type': 'text/plain' }));
  const reader = (await server.fetch('/v1/it/1')).body!.getReader({ mode: 'byob' });
  const { value } = await reader.read(new Uint8Array(8));
  assert.is(Buffer.from(value!).toString(), 'abc');
  assert.is((await reader.read(new Uint8Array(8))).done, true);
});
answers('arrive piece by piece', async () => {
  const second = new Gate();
  const { server } = running(() => reply(200, async function* () {
    yield 'one';
    await second.passed;
    yield 'two';
  }()));
  const reader = (await server.fetch('/v1/it/1')).body!.getReader();
  assert.is(Buffer.from((await reader.read()).value!).toString(), 'one');
  second.open();
  assert.is(Buffer.from((await reader.read()).value!).toString(), 'two');
  assert.is((await reader.read()).done, true);
});
answers('of 100 MB, read slowly: few bytes are ahead of the reader', async () => {
  let sent = 0;
  let read = 0;
  let ahead = 0;
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const { server } = running(() => reply(200, async function* () {
    for (; sent < 100 * MIB; sent += chunk.length) yield chunk;
  }()));
  const { body } = await server.fetch('/v1/it/1');
  for await (const piece of body!) {
    read += piece.length;
    ahead = Math.max(ahead, sent - read);
    if (read % (4 * MIB) < chunk.length) await new Promise((resolve) => setImmediate(resolve));
  }
  assert.is(read, 100 * MIB);
  assert.ok(ahead < MIB, `${ahead} bytes`);
});
answers('to 100 calls at the same time are those of the calls', async () => {
  const gate = new Gate();
  let inWork = 0;
  const { server } = silent();
  server.registerEndpoint('/it', defineEndpoint({
    id: stringId,
    get: async (id) => {
      inWork += 1;
      await gate.passed;
      return id;
    },
  }));
  const calls = Array.from({ length: 100 }, async (_, at) => (await server.fetch(`/v1/it/${at}`)).json());
  await until(() => inWork === 100, 'all to be in work');
  gate.open();
  assert.equal(await Promise.all(calls), Array.from({ length: 100 }, (_, at) => String(at)));
});
answers('come through a client of the same process', async () => {
  const pets = defineEndpoint({ id: stringId, get: (id) => ({ id }) });
  const { server } = silent();
  server.registerEndpoint('/pet', pets);
  const api = client<{ '/pet': typeof pets }>('http://localhost/v1', { fetch: server.fetch });
  assert.equal(await api('/pet').get('rex'), { id: 'rex' });
});
answers('come from operations that run in the async context of the call', async () => {
  const storage = new AsyncLocalStorage<string>();
  const { server } = running(() => storage.getStore() ?? 'none');
  const call = async (): Promise<unknown> => (await server.fetch('/v1/it/1')).json();
  assert.equal(await Promise.all(['a', 'b'].map((store) => storage.run(store, call))), ['a', 'b']);
  assert.is(await call(), 'none');
});
answers.run();

const limits = suite('the limits of requests of server.fetch');
limits('inFlight: 1 -> the second call gets 503', async () => {
  const gate = new Gate();
  const { server } = running(() => gate.passed.then(() => 'done'), { limits: { inFlight: 1 } });
  const first = server.fetch('/v1/it/1');
  assert.is((await server.fetch('/v1/it/1')).status, 503);
  gate.open();
  assert.is(await (await first).json(), 'done');
  assert.is((await server.fetch('/v1/it/1')).status, 200);
});
for (const [title, status, limit, init] of [
  ['bodyBytes, declared', 413, { bodyBytes: 3 }, { body: '"four"' }],
  ['bodyBytes, streamed', 413, { bodyBytes: 3 }, { body: stream('"fo', 'ur"'), duplex: 'half' }],
  ['headerBytes', 431, { headerBytes: 512 }, { headers: { 'x-a': 'x'.repeat(1000) } }],
  ['operationMs', 503, { operationMs: 20 }, { body: '1' }],
  ['requestMs', 408, { requestMs: 50, headersMs: 50 }, { body: new ReadableStream({}), duplex: 'half' }],
] as const) {
  limits(`${title} -> ${status}`, async () => {
    const { server, errors } = running(() => new Promise(() => {}), { limits: limit });
    const response = await server.fetch('/v1/it/run', { method: 'POST', ...init, headers: { 'content-type': 'application/json', ...('headers' in init && init.headers) } } as RequestInit);
    assert.is(response.status, status);
    assert.is(((await response.json()) as { status: number }).status, status);
    assert.is(errors.length, Number(title === 'operationMs'));
  });
}
limits('sendMs: an answer that is not read on is broken off', async () => {
  const closed = new Gate();
  const { server } = running(() => reply(200, async function* () {
    try {
      for (;;) yield Buffer.alloc(64 * 1024);
    } finally {
      closed.open();
    }
  }()), { limits: { sendMs: 50 } });
  const response = await server.fetch('/v1/it/1');
  await within(5000, closed.passed);
  assert.instance(await rejection(response.text()), TypeError);
});
limits.run();

const aborts = suite('a call of server.fetch that is aborted');
aborts('before it begins: rejects with the reason, and nothing is sent', async () => {
  let calls = 0;
  const { server } = running(() => (calls += 1));
  const reason = new Error('enough');
  assert.is(await rejection(server.fetch('/v1/it/1', { signal: AbortSignal.abort(reason) })), reason);
  assert.is((await rejection(server.fetch('/v1/it/1', { signal: AbortSignal.abort() }))).name, 'AbortError');
  assert.is(calls, 0);
});
for (const reason of [undefined, new Error('enough'), 'text']) {
  aborts(`in the operation, with the reason ${String(reason)}: rejects with it, and the signal of the operation aborts`, async () => {
    const controller = new AbortController();
    const left = new Gate();
    const { server } = running(({ signal }) => {
      signal.addEventListener('abort', () => left.open());
      controller.abort(reason);
      return left.passed;
    });
    const error = await rejection(server.fetch('/v1/it/1', { signal: controller.signal }));
    if (reason === undefined) assert.is(error.name, 'AbortError');
    else assert.is(error, reason);
    await within(5000, left.passed);
  });
}
for (const [title, leave] of [
  ['by its signal', (controller: AbortController) => controller.abort()],
  ['by cancel', (_controller: AbortController, body: ReadableStreamDefaultReader) => void body.cancel()],
] as const) {
  aborts(`in the body of the answer, ${title}: the source of the body is closed`, async () => {
    const closed = new Gate();
    const controller = new AbortController();
    const { server } = running(() => reply(200, async function* () {
      try {
        for (;;) {
          yield 'piece';
          await new Promise((resolve) => setImmediate(resolve));
        }
      } finally {
        closed.open();
      }
    }()));
    const reader = (await server.fetch('/v1/it/1', { signal: controller.signal })).body!.getReader();
    await reader.read();
    leave(controller, reader);
    await within(5000, closed.passed);
    if (controller.signal.aborted) assert.is((await rejection(reader.closed)).name, 'AbortError');
  });
}
aborts('by a signal of many calls: no listener of it stays', async () => {
  const { server } = running(() => 'done');
  const warnings: Error[] = [];
  const warn = (warning: Error): void => void warnings.push(warning);
  process.on('warning', warn);
  const { signal } = new AbortController();
  for (let call = 0; call < 50; call += 1) await (await server.fetch('/v1/it/1', { signal })).text();
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', warn);
  assert.equal(warnings, []);
});
aborts.run();

const broken = suite('a call of server.fetch whose connection is broken');
broken('before the answer: rejects with TypeError, and its cause', async () => {
  const { server } = silent();
  server.registerHandler('/', (request) => request.socket.destroy());
  const error = await rejection(server.fetch('/'));
  assert.instance(error, TypeError);
  assert.is(error.message, 'fetch failed');
  assert.is(error.cause.code, 'ECONNRESET');
});
broken('in the body of the answer: the body fails with TypeError', async () => {
  const { server } = silent();
  server.registerHandler('/', (_request, response) => void response.write('piece', () => response.destroy()));
  const error = await rejection((await server.fetch('/')).text());
  assert.instance(error, TypeError);
  assert.is(error.cause.code, 'ECONNRESET');
});
broken('by an answer that no Response can be: rejects with TypeError', async () => {
  const { server } = silent();
  server.registerHandler('/', (_request, response) => void response.writeHead(600).end());
  assert.instance(await rejection(server.fetch('/')), TypeError);
});
broken.run();

const stops = suite('server.fetch and stop()');
stops('works before start, after it, and after a restart', async () => {
  const { server } = running(() => 'done');
  const works = async (): Promise<boolean> => (await server.fetch('/v1/it/1')).status === 200;
  assert.ok(await works());
  assert.is((await server.start('127.0.0.1:0')).ok, true);
  assert.ok(await works());
  await server.stop();
  assert.is((await server.start('127.0.0.1:0')).ok, true);
  assert.ok(await works());
  await server.stop();
});
for (const stopLingerMs of [0, 50]) {
  stops(`stop() waits for the answers to the calls before it, also to those of the same turn, with stopLingerMs ${stopLingerMs}`, async () => {
    const gate = new Gate();
    let begun = 0;
    const { server } = running(() => ((begun += 1), gate.passed.then(() => 'done')), { stopLingerMs });
    const first = server.fetch('/v1/it/1');
    await until(() => begun === 1, 'the first');
    const second = server.fetch('/v1/it/run', { method: 'POST', body: '1', headers: { 'content-type': 'application/json' } });
    let isStopped = false;
    const stopped = server.stop().then(() => (isStopped = true));
    assert.is(server.stopping.aborted, true);
    await until(() => begun === 2, 'the second');
    assert.is(isStopped, false);
    gate.open();
    assert.equal(await Promise.all([first, second].map(async (call) => (await call).json())), ['done', 'done']);
    await within(5000, stopped);
  });
}
stops('from the call of stop() on, calls reject with TypeError', async () => {
  const { server } = running(() => 'done');
  await server.fetch('/v1/it/1');
  const stopped = server.stop();
  const error = await rejection(server.fetch('/v1/it/1'));
  assert.instance(error, TypeError);
  assert.is(error.cause.message, 'the server is stopped');
  await stopped;
  assert.instance(await rejection(server.fetch('/v1/it/1')), TypeError);
});
stops('stop() of a server that has served nothing: later calls reject too', async () => {
  const { server } = running(() => 'done');
  await server.stop();
  assert.instance(await rejection(server.fetch('/v1/it/1')), TypeError);
});
stops('stop() does not wait for answers that nobody reads', async () => {
  const { server } = running(() => reply(200, 'x'.repeat(32 * 1024), { 'Content-Type': 'a/b' }), { stopGraceMs: 60_000 });
  const responses = await Promise.all(Array.from({ length: 10 }, () => server.fetch('/v1/it/1')));
  await within(5000, server.stop());
  for (const response of responses) assert.is((await response.text()).length, 32 * 1024);
});
stops('stop() ends calls that take longer than stopGraceMs', async () => {
  const { server } = running(() => new Promise(() => {}), { stopGraceMs: 50 });
  const call = rejection(server.fetch('/v1/it/1'));
  await until(async () => (await within(5000, server.stop()), true), 'the stop');
  assert.instance(await call, TypeError);
});
stops('stops and starts with the server that it is mounted in', async () => {
  const { server: outer } = silent();
  const { server: inner } = running(() => 'done');
  outer.registerHandler('/inner', inner.requestListener);
  assert.is(await (await outer.fetch('/inner/v1/it/1')).json(), 'done');
  assert.is((await inner.fetch('/v1/it/1')).status, 200);
  await outer.stop();
  assert.instance(await rejection(inner.fetch('/v1/it/1')), TypeError);
  assert.is((await outer.start('127.0.0.1:0')).ok, true);
  assert.is((await inner.fetch('/v1/it/1')).status, 200);
  await outer.stop();
});
stops.run();
