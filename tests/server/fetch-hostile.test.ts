/** L8: What a caller of `server.fetch` can do wrong, on purpose or not. None of it leaves a call open, or is logged. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stringId, type ApiServer } from '../../src/index.ts';
import { captureError } from '../support/serve-with-client.ts';
import { makeServerRunning, makeServer, makeStream } from '../support/fetch-server.ts';
import { Gate, withTimeout } from '../support/wait.ts';

const URL_OF_RUN = 'http://localhost/v1/it/run';
const JSON_TYPE = { 'content-type': 'application/json' };
const waitForever = (): Promise<never> => new Promise(() => {});

/** Sends a stream that nobody else limits. */
function sendStream(server: ApiServer, body: ReadableStream, headers: Record<string, string> = {}): Promise<Response> {
  return server.fetch('/v1/it/run', { method: 'POST', body, duplex: 'half', headers: { ...JSON_TYPE, ...headers } });
}

const hostile = suite('a hostile call of server.fetch');
for (const length of ['abc', '-1', '+2', '2, 2', '0x2', '1e1', '9'.repeat(17), '']) {
  hostile(`a stream with the Content-Length ${JSON.stringify(length)} -> 400, and nothing is invoked`, async () => {
    let calls = 0;
    const { server } = makeServerRunning(() => (calls += 1));
    const response = await withTimeout(sendStream(server, makeStream('{}'), { 'content-length': length }));
    assert.equal([response.status, calls], [400, 0]);
    await withTimeout(server.stop());
  });
}
for (const [what, headers] of [
  ['Transfer-Encoding', { 'transfer-encoding': 'gzip, chunked' }],
  ['Connection with the names of framing', { connection: 'content-length, transfer-encoding, host' }],
  ['Upgrade', { connection: 'upgrade', upgrade: 'websocket' }],
] as const) {
  hostile(`${what} changes nothing: the body is framed as it is`, async () => {
    const { server } = makeServerRunning(({ raw }) => [raw.headers.host, raw.headers['content-length'], raw.headers['transfer-encoding'], raw.headers.upgrade]);
    const response = await server.fetch('/v1/it/run', { method: 'POST', body: '"ab"', headers: { ...JSON_TYPE, ...headers } });
    assert.equal(await response.json(), ['localhost', '4', null, null]);
  });
}
for (const sign of ['\x01', '\x1b', '\x7f']) {
  hostile(`a header with the control character ${JSON.stringify(sign)} -> 400`, async () => {
    const { server } = makeServerRunning(() => 'never');
    const response = await server.fetch('/v1/it/1', { headers: { 'x-a': `a${sign}b` } });
    assert.is(response.status, 400);
    assert.match(await response.text(), /not valid HTTP/);
  });
}
for (const value of ['a\r\nb: c', 'a\nb', 'a\0b', '\u{1f40d}']) {
  hostile(`a header that ends its line, or that is not Latin-1: ${JSON.stringify(value)} -> TypeError`, async () => {
    assert.instance(await captureError(makeServerRunning(() => 'never').server.fetch('/v1/it/1', { headers: { 'x-a': value } })), TypeError);
  });
}
for (const [what, path, status] of [
  ['a target of 1 MiB', `/v1/it/${'x'.repeat(1024 * 1024)}`, 431],
  ['a query of 1 MiB', `/v1/it/1?${'x'.repeat(1024 * 1024)}`, 431],
  ['a line break', '/v1/it/1 HTTP/1.1\r\nHost: other\r\n\r\nDELETE /v1/it/2', 404],
  ['a NUL', '/v1/it/a\0b', 400],
  ['segments of dots', '/v1/../../v1/it/./x/../1', 200],
  ['escaped segments of dots', '/v1/it/%2e%2E/it/1', 200],
  ['a slash that is escaped', '/v1/it%2F1', 404],
  ['a broken escape', '/v1/it/%zz', 400],
] as const) {
  hostile(`${what} in the target -> ${status}`, async () => {
    const { server } = makeServerRunning(({ raw }) => raw.url);
    assert.is((await server.fetch(path)).status, status);
    await withTimeout(server.stop());
  });
}
for (const [method, status] of [['NOSUCH', 501], ['get ', TypeError], ['patch', 501], ['TRACE', TypeError], ['CONNECT', TypeError], ['A'.repeat(100_000), 431], ['', TypeError]] as const) {
  hostile(`the method ${JSON.stringify(method.slice(0, 10))} -> ${typeof status === 'number' ? status : 'TypeError'}`, async () => {
    const { server } = makeServerRunning(() => 'never');
    const call = server.fetch('/v1/it/1', { method });
    if (typeof status === 'number') assert.is((await call).status, status);
    else assert.instance(await captureError(call), status);
  });
}
hostile('a URL of a file -> TypeError that says what it takes', async () => {
  const error = await captureError(makeServer().server.fetch('file:///pet'));
  assert.instance(error, TypeError);
  assert.is(error.message, 'fetch takes a path, or a URL with http or https: "file:///pet"');
});
hostile('a method that Node does not know reaches middleware and mounts', async () => {
  const { server } = makeServer();
  server.use((_request, response, next) => (response.setHeader('X-Seen', 'yes'), next()));
  server.mount('/mount', (request, response) => void response.end(request.method));
  const response = await server.fetch('/mount', { method: 'NOSUCH' });
  assert.equal([response.headers.get('x-seen'), await response.text()], ['yes', 'NOSUCH']);
});
for (const [what, use] of [
  ['read', (request: Request) => request.text()],
  ['locked by a reader', (request: Request) => void request.body?.getReader()],
  ['being read', (request: Request) => void request.text()],
] as const) {
  hostile(`a Request whose body is ${what} -> TypeError, and stop() waits for nothing`, async () => {
    const { server } = makeServerRunning(() => 'never');
    const request = new Request(URL_OF_RUN, { method: 'POST', body: '{}', headers: JSON_TYPE });
    await use(request);
    assert.instance(await captureError(server.fetch(request)), TypeError);
    await withTimeout(server.stop());
  });
}
hostile('one Request in two calls: the second rejects', async () => {
  const { server } = makeServerRunning(() => 'done');
  const request = new Request(URL_OF_RUN, { method: 'POST', body: '{}', headers: JSON_TYPE });
  const [first, second] = await Promise.allSettled([server.fetch(request), server.fetch(request)]);
  assert.equal([first.status, second.status], ['fulfilled', 'rejected']);
});
for (const chunk of ['text', 7, null, {}, new ArrayBuffer(2)]) {
  hostile(`a stream with a chunk that is not bytes: ${JSON.stringify(chunk)} -> TypeError`, async () => {
    const { server } = makeServerRunning(() => 'never');
    const body = new ReadableStream({ start: (controller) => (controller.enqueue(chunk), controller.close()) });
    const error = await captureError(withTimeout(sendStream(server, body)));
    assert.equal([error.message, error.cause.message], ['fetch failed', 'a body must be a stream of Uint8Array']);
    await withTimeout(server.stop());
  });
}
for (const [what, pull, status] of [
  ['of endless empty chunks', (controller: ReadableStreamDefaultController) => controller.enqueue(new Uint8Array(0)), 408],
  ['of endless chunks of a byte', (controller: ReadableStreamDefaultController) => controller.enqueue(new Uint8Array(1).fill(0x20)), 413],
  ['that never begins', waitForever, 408],
] as const) {
  hostile(`a stream ${what} -> ${status}, while the event loop goes on`, async () => {
    const { server } = makeServerRunning(() => 'never', { limits: { ...(status === 408 && { requestMs: 200, headersMs: 200 }), bodyBytes: 1000 } });
    assert.is((await withTimeout(sendStream(server, new ReadableStream({ pull })))).status, status);
    await withTimeout(server.stop());
  });
}
hostile('a stream that its caller aborts in the middle: rejects, and the operation is not invoked', async () => {
  let calls = 0;
  const { server, errors } = makeServerRunning(() => (calls += 1));
  const controller = new AbortController();
  let pulls = 0;
  const body = new ReadableStream({
    pull(source) {
      if ((pulls += 1) === 3) controller.abort();
      source.enqueue(Buffer.from(' '));
    },
  });
  const call = server.fetch('/v1/it/run', { method: 'POST', body, duplex: 'half', headers: JSON_TYPE, signal: controller.signal });
  assert.is((await captureError(withTimeout(call))).name, 'AbortError');
  await withTimeout(server.stop());
  assert.equal([calls, errors], [0, []]);
});
for (const [what, written] of [
  ['that is none', 'no head'],
  ['of a status that is none', 'HTTP/1.1 999 No\r\n\r\n'],
  ['with a header that is none', 'HTTP/1.1 200 OK\r\na b: c\r\n\r\n'],
] as const) {
  hostile(`a mount that writes a response ${what} to the socket -> TypeError`, async () => {
    const { server } = makeServer();
    server.mount('/', ({ socket }) => void socket.end(written));
    assert.instance(await captureError(withTimeout(server.fetch('/'))), TypeError);
    await withTimeout(server.stop());
  });
}
hostile('a mount that ends the socket without a response -> TypeError', async () => {
  const { server } = makeServer();
  server.mount('/', ({ socket }) => void socket.end());
  assert.instance(await captureError(withTimeout(server.fetch('/'))), TypeError);
});
hostile('a mount that writes on after its call was aborted: nothing is thrown, and its response closes', async () => {
  const { server } = makeServer();
  const [begun, closed] = [new Gate(), new Gate()];
  server.mount('/', (_request, response) => {
    response.write('begun');
    begun.open();
    response.once('close', () => {
      response.write('late');
      response.end('later');
      closed.open();
    });
  });
  const controller = new AbortController();
  const call = server.fetch('/', { signal: controller.signal });
  await begun.passed;
  controller.abort();
  assert.is((await captureError(call)).name, 'AbortError');
  await withTimeout(closed.passed);
  await withTimeout(server.stop());
});
hostile('a second argument that is not of fetch is ignored', async () => {
  const { server } = makeServerRunning(({ raw }) => raw.method);
  const call = server.fetch as (request: Request, other: unknown) => Promise<Response>;
  for (const other of [{}, null, 7, 'text', { remoteAddr: {}, completed: Promise.resolve() }, { DB: {}, method: undefined }, Object.create({ stop() {}, url: 'http://a/' })]) {
    assert.is(await (await call(new Request('http://localhost/v1/it/1'), other)).json(), 'GET');
  }
});
hostile('a thousand calls at the same time, a third of them aborted and a third rejected', async () => {
  const { server, errors } = makeServerRunning(async ({ raw, signal }) => {
    await new Promise((resolve) => setImmediate(resolve));
    return signal.aborted ? 'aborted' : raw.url;
  });
  const results = await withTimeout(Promise.all(Array.from({ length: 1000 }, async (_, at) => {
    const controller = new AbortController();
    const call = server.fetch(at % 3 === 1 ? `/v1/none/${at}` : `/v1/it/${at}`, { signal: controller.signal });
    if (at % 3 === 2) controller.abort();
    return call.then(async (response) => (response.status === 200 ? response.json() : response.status), ({ name }) => name);
  })));
  assert.equal(results, Array.from({ length: 1000 }, (_, at) => [`/v1/it/${at}`, 404, 'AbortError'][at % 3]));
  await withTimeout(server.stop());
  assert.equal(errors, []);
});
hostile('ids that would fold in a URL stay as they are in a nested request', async () => {
  const { server } = makeServer();
  server.registerEndpoint('/pet', { id: stringId, get: (id: string) => ({ id }) });
  let body: unknown;
  server.mount('/nest', async (request, response) => {
    const nested = await server[' internal'].nested({ method: 'GET', target: '/v1/pet/%2E%2E', headers: ['Host', 'a'], body: undefined }, { request, response }, 1000);
    body = JSON.parse(String(nested?.body));
    response.end();
  });
  await server.fetch('/nest');
  assert.equal(body, { id: '..' });
});
hostile.run();
