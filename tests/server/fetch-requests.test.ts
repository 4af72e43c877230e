/** The requests of `server.fetch`: its arguments, and their bodies. */
import { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stringId, type ApiServer } from '../../src/index.ts';
import { rateLimit } from '../../src/interceptors/index.ts';
import { captureError } from '../support/serve-with-client.ts';
import { makeEchoFetch, makeServerRunning, makeServer, makeStream } from '../support/fetch-server.ts';
import { Gate, withTimeout } from '../support/wait.ts';
import { captureUncaught } from '../support/capture-unhandled.ts';

const MIB = 1024 * 1024;

const inputs = suite('L8: what server.fetch takes');
for (const [title, input, host, url] of [
  ['a path', '/a/b?c=d', 'localhost', '/a/b?c=d'],
  ['a path that begins as a host would', '//a/b', 'localhost', '//a/b'],
  ['a path with an empty query', '/a?', 'localhost', '/a'],
  ['a path with an empty query and a fragment', '/a?#b', 'localhost', '/a'],
  ['a path with a query that ends with ?', '/a?b?', 'localhost', '/a?b?'],
  ['a path that is not encoded', '/ä b#c', 'localhost', '/%C3%A4%20b'],
  ['a URL as text', 'http://api.example:8080/a', 'api.example:8080', '/a'],
  ['a URL with https', new URL('https://api.example/a?b'), 'api.example', '/a?b'],
  ['a Request', new Request('http://api.example/a'), 'api.example', '/a'],
  ['a Request with the Host of the client', new Request('http://10.0.0.1/a', { headers: { host: 'api.example' } }), 'api.example', '/a'],
] as const) {
  inputs(`${title}: Host ${host}, target ${url}`, async () => {
    const seen = await makeEchoFetch()(input);
    assert.is(seen.headers['host'], host);
    assert.is(seen.url, url);
    assert.is(seen.method, 'GET');
  });
}
inputs('a path, with allowedHosts: the first of these is the Host, and others are 421', async () => {
  const { server } = makeServerRunning(({ raw }) => raw.headers.host, { allowedHosts: ['::1', 'api.example'] });
  assert.is(await (await server.fetch('/v1/it/1')).json(), '[::1]');
  assert.is((await server.fetch('http://api.example/v1/it/1')).status, 200);
  assert.is((await server.fetch('http://localhost/v1/it/1')).status, 421);
});
for (const [title, input, init] of [
  ['a string that is neither a path nor a URL', 'v1/it/1', {}],
  ['a URL with another scheme', 'ftp://localhost/v1/it/1', {}],
  ['a URL with a password', 'http://name:password@localhost/v1/it/1', {}],
  ['an invalid method', '/v1/it/1', { method: 'a b' }],
  ['an invalid header', '/v1/it/1', { headers: { 'a b': 'c' } }],
  ['a GET with a body', '/v1/it/1', { body: 'a' }],
] as const) {
  inputs(`${title} -> TypeError`, async () => {
    const { server } = makeServerRunning(() => 'never');
    assert.instance(await captureError(server.fetch(input, init)), TypeError);
  });
}
inputs('a Request whose body was read -> TypeError', async () => {
  const used = new Request('http://localhost/', { method: 'POST', body: 'a' });
  await used.text();
  assert.instance(await captureError(makeServer().server.fetch(used)), TypeError);
});
inputs('the headers of the connection that it came over are not passed on, and what its Connection names is', async () => {
  const headers = { connection: 'keep-alive, x-hop', 'x-hop': '1', te: 'trailers', upgrade: 'websocket', 'keep-alive': '5', 'proxy-connection': 'close' };
  const seen = await makeEchoFetch()('/', { headers });
  assert.equal(seen.headers, { host: 'localhost', 'x-hop': '1', connection: 'keep-alive' });
});
inputs('a client cannot remove the header that a rate limit reads, by naming it in Connection', async () => {
  const { server } = makeServer();
  const use = rateLimit({ limit: 1, windowSeconds: 60, key: ({ headers }) => String(headers['x-client']) });
  server.registerEndpoint('/limited', { use, get: () => 1 });
  const ask = async (connection: string): Promise<number> => {
    return (await server.fetch('/v1/limited', { headers: { 'x-client': 'ann', connection } })).status;
  };
  assert.equal([await ask('keep-alive'), await ask('x-client'), await ask('keep-alive, X-Client')], [200, 429, 429]);
});
inputs.run();

const bodies = suite('L8: the bodies of requests of server.fetch');
for (const [title, init, framing, body] of [
  ['no body of a POST', {}, { 'content-length': '0' }, ''],
  ['no body of a DELETE', { method: 'DELETE' }, {}, ''],
  ['a string', { body: 'ä' }, { 'content-length': '2', 'content-type': 'text/plain;charset=UTF-8' }, 'ä'],
  ['a string with another Content-Length', { body: 'ab', headers: { 'content-length': '1' } }, { 'content-length': '2' }, 'ab'],
  ['URLSearchParams', { body: new URLSearchParams({ a: 'b c' }) }, { 'content-length': '5' }, 'a=b+c'],
  ['a view', { body: new Uint16Array(Uint8Array.from(Buffer.from('abcdef')).buffer, 2, 2) }, { 'content-length': '4' }, 'cdef'],
  ['an ArrayBuffer', { body: Uint8Array.from(Buffer.from('ab')).buffer }, { 'content-length': '2' }, 'ab'],
  ['a Blob', { body: new Blob(['ab'], { type: 'a/b' }) }, { 'transfer-encoding': 'chunked', 'content-type': 'a/b' }, 'ab'],
  ['a stream', { body: makeStream('a', 'b'), duplex: 'half' }, { 'transfer-encoding': 'chunked' }, 'ab'],
  ['a stream of a DELETE', { body: makeStream('a'), duplex: 'half', method: 'DELETE' }, { 'transfer-encoding': 'chunked' }, 'a'],
  ['a stream of a declared length', { body: makeStream('a', 'b'), duplex: 'half', headers: { 'content-length': '2' } }, { 'content-length': '2' }, 'ab'],
  ['Expect', { body: 'a', headers: { expect: '100-continue' } }, { 'content-length': '1' }, 'a'],
] as const) {
  bodies(`${title} -> ${JSON.stringify(framing)}`, async () => {
    const { headers, body: received } = await makeEchoFetch()('/', { method: 'POST', ...init } as unknown as RequestInit);
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
  const { headers, body } = await makeEchoFetch()('/', { method: 'POST', body: form });
  assert.match(String(headers['content-type']), /^multipart\/form-data; boundary=/);
  assert.match(body, /name="a"\r\n\r\nb\r\n/);
});
for (const [what, init] of [
  ['bytes', { body: '"ab"' }],
  ['a stream', { body: makeStream('"a', 'b"'), duplex: 'half' }],
] as const) {
  bodies(`${what}, to a mount that replaces the prototypes of request and response, as Express does`, async () => {
    const { server } = makeServer();
    server.mount('/', async (request, response) => {
      Object.setPrototypeOf(request, Object.create(IncomingMessage.prototype));
      Object.setPrototypeOf(response, Object.create(ServerResponse.prototype));
      response.end(await text(request));
    });
    assert.is(await (await withTimeout(server.fetch('/', { method: 'POST', ...init }))).json(), 'ab');
    await withTimeout(server.stop());
  });
}
bodies('a Request with a body', async () => {
  const seen = await makeEchoFetch()(new Request('http://localhost/', { method: 'PUT', body: 'a' }));
  assert.is(`${seen.method} ${seen.body}`, 'PUT a');
});
bodies('a stream that fails: the call rejects with its error as the cause, and the request is broken off', async () => {
  const received = new Gate();
  const left = new Gate();
  const { server } = makeServer();
  server.mount('/upload', (request) => {
    request.once('data', () => received.open()).on('close', () => left.open());
  });
  const cause = new Error('of the source');
  const failing = new ReadableStream({
    start: (controller) => controller.enqueue(Buffer.from('a')),
    pull: (controller) => received.passed.then(() => controller.error(cause)),
  });
  const error = await captureError(server.fetch('/upload', { method: 'POST', body: failing, duplex: 'half' }));
  assert.instance(error, TypeError);
  assert.is(error.cause, cause);
  await withTimeout(left.passed);
});
bodies('a stream that ends after the response to its declared length is not cancelled', async () => {
  let end = (): void => {};
  const source = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(Buffer.from('1'));
      end = () => controller.close();
    },
  });
  const { server } = makeServerRunning(() => 'done');
  const headers = { 'content-type': 'application/json', 'content-length': '1' };
  const response = await server.fetch('/v1/it/run', { method: 'POST', body: source, duplex: 'half', headers });
  assert.is(await response.json(), 'done');
  // The connection closes in these.
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  // Throws if it was.
  end();
});
for (const [title, rest] of [
  ['64 KiB', (controller: ReadableStreamDefaultController) => controller.enqueue(Buffer.alloc(16 * 1024))],
  ['a second', () => new Promise<void>(() => {})],
] as const) {
  bodies(`the rest of a stream that is rejected is cancelled after ${title}`, async () => {
    const cancelled = new Gate();
    let pulls = 0;
    const source = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulls += 1;
        return pulls === 1 ? controller.enqueue(Buffer.from('{"four":')) : rest(controller);
      },
      cancel: () => cancelled.open(),
    });
    const { server } = makeServerRunning(() => 'never', { limits: { bodyBytes: 3 } });
    const headers = { 'content-type': 'application/json' };
    const response = await server.fetch('/v1/it/run', { method: 'POST', body: source, duplex: 'half', headers });
    assert.is(response.status, 413);
    await response.text();
    await withTimeout(cancelled.passed);
    assert.ok(pulls < 100, `${pulls} pulls`);
  });
}
bodies('a stream of a call that is aborted is cancelled', async () => {
  const controller = new AbortController();
  const cancelled = new Gate();
  const source = new ReadableStream<Uint8Array>({ pull: () => controller.abort(), cancel: () => cancelled.open() });
  const { server } = makeServerRunning(() => 'never');
  const error = await captureError(server.fetch('/v1/it/run', { method: 'POST', body: source, duplex: 'half', signal: controller.signal }));
  assert.is(error.name, 'AbortError');
  await withTimeout(cancelled.passed);
});
for (const [title, pieces, status] of [
  ['whole', ['"a', 'b"'], 200],
  ['rejected', ['{', '{{{'], 400],
  ['not read', ['"a', 'b', 'c"'], 415],
] as const) {
  for (const [how, call] of [
    ['of a Request', (server, init) => server.fetch(new Request('http://localhost/v1/it/run', init))],
    ['beside a path', (server, init) => server.fetch('/v1/it/run', init)],
  ] as readonly (readonly [string, (server: ApiServer, init: RequestInit) => Promise<Response>])[]) {
    bodies(`an iterable ${how}, with a Content-Length, ${title}, that ends after the response: nothing is thrown where nobody can catch it`, async () => {
      const { server } = makeServerRunning(() => 'done');
      const source = new PassThrough();
      const length = status === 415 ? 100 : pieces.join('').length;
      const headers = { 'content-type': status === 415 ? 'text/plain' : 'application/json', 'content-length': String(length) };
      const init = { method: 'POST', headers, body: source, duplex: 'half' } as unknown as RequestInit;
      assert.equal(await captureUncaught(async () => {
        for (const piece of pieces) source.write(piece);
        const response = await call(server, init);
        assert.is(response.status, status);
        await response.text();
        await new Promise((resolve) => setImmediate(resolve));
        source.end();
        await new Promise((resolve) => setImmediate(resolve));
      }), []);
      assert.is(source.destroyed, true);
    });
  }
}
bodies('a web stream of an aborted call is cancelled, although it is being read', async () => {
  const cancelled = new Gate();
  const controller = new AbortController();
  const { server } = makeServer();
  server.mount('/upload', (request) => void request.once('data', () => controller.abort()));
  const body = new ReadableStream({ start: (source) => source.enqueue(Buffer.from('a')), cancel: () => cancelled.open() });
  const error = await captureError(server.fetch('/upload', { method: 'POST', body, duplex: 'half', signal: controller.signal }));
  assert.is(error.name, 'AbortError');
  await withTimeout(cancelled.passed);
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
  const { server } = makeServer();
  server.mount('/upload', async (request, response) => {
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

const lengths = suite('L9: a body of a different length than its Content-Length');
const DELETE = 'DELETE /v1/it/1 HTTP/1.1\r\nHost: a\r\n\r\n';
for (const { what, length, make } of [
  { what: 'a stream with a request after its length', length: '2', make: () => makeStream(`{}${DELETE}`) },
  { what: 'a stream with a request in a piece after its length', length: '2', make: () => makeStream('{}', DELETE) },
  { what: 'an iterable that is too long', length: '2', make: async function* () { yield Buffer.from('{} '); } },
  { what: 'a stream that is too short', length: '3', make: () => makeStream('{}') },
  { what: 'an empty stream', length: '1', make: () => makeStream() },
] as const) {
  for (const isRequest of [false, true]) {
    lengths(`${what}${isRequest ? ', of a Request' : ''}: rejects, and nothing after its length is invoked`, async () => {
      const { server, errors } = makeServer();
      const deleted: string[] = [];
      server.registerEndpoint('/it', { id: stringId, delete: (id: string) => void deleted.push(id), custom: { run: { input: Object, run: () => new Promise(() => {}) } } } as never);
      const init = { method: 'POST', body: make() as never, duplex: 'half', headers: { 'content-type': 'application/json', 'content-length': length } } as const;
      const called = isRequest ? server.fetch(new Request('http://localhost/v1/it/run', init)) : server.fetch('/v1/it/run', init);
      const error = await captureError(withTimeout(called));
      assert.instance(error, TypeError);
      assert.is(error.message, 'fetch failed');
      assert.match(String((error.cause as Error).message), /^the body has \d+ bytes, but its Content-Length is \d$/);
      assert.equal([deleted, errors], [[], []]);
      await server.stop();
    });
  }
}
lengths('is not known while it is sent: the response to its beginning is kept', async () => {
  const { server } = makeServer();
  server.mount('/', (_request, response) => void response.end('early'));
  const response = await server.fetch('/x', { method: 'POST', body: ReadableStream.from((async function* () {
    yield Buffer.from('a');
    await new Promise((resolve) => setTimeout(resolve, 20));
    yield Buffer.from(DELETE);
  })()), duplex: 'half', headers: { 'content-length': '5' } });
  assert.is(await response.text(), 'early');
  await server.stop();
});
lengths.run();
