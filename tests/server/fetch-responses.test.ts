/** L8: The responses of `server.fetch`, which take every step that responses over the network take. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { client } from '../../src/client/index.ts';
import { ApiError, defineEndpoint, reply, stringId } from '../../src/index.ts';
import { makeServerRunning, makeServer } from '../support/fetch-server.ts';
import { Gate, waitUntil, withTimeout } from '../support/wait.ts';

const MIB = 1024 * 1024;

const responds = suite('the responses of server.fetch');
responds('have status, fields, URL and body, and no fields of the connection', async () => {
  const { server } = makeServerRunning(() => reply(203, { a: 1 }, { 'X-A': 'b', 'Set-Cookie': ['a=b', 'c=d'] }));
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
  responds(`${title} have no body`, async () => {
    const { server } = makeServer();
    server.mount('/', (_request, response) => response.writeHead(status, { 'X-A': 'b' }).end(status === 200 ? 'text' : undefined));
    const response = await server.fetch('/', init);
    assert.is(response.status, status);
    assert.is(response.headers.get('x-a'), 'b');
    assert.is(response.body, null);
    await withTimeout(server.stop());
  });
}
responds('have one Date: their own, if they have one', async () => {
  const date = new Date(0).toUTCString();
  const { server } = makeServerRunning(() => reply(200, 1, { Date: date }));
  assert.is((await server.fetch('/v1/it/1')).headers.get('date'), date);
  const plain = await makeServerRunning(() => 1).server.fetch('/v1/it/1');
  assert.match(plain.headers.get('date') ?? '', /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/);
});
responds('of HEAD have the Content-Length of GET', async () => {
  const { server } = makeServerRunning(() => 'abc');
  assert.is((await server.fetch('/v1/it/1', { method: 'HEAD' })).headers.get('content-length'), '5');
});
responds('of 1xx come before the one that is returned', async () => {
  const { server } = makeServer();
  server.mount('/', (_request, response) => {
    response.writeProcessing();
    response.writeEarlyHints({ link: '</a>; rel=preload' });
    response.end('last');
  });
  const response = await server.fetch('/');
  assert.is(`${response.status} ${await response.text()}`, '200 last');
  assert.is(response.headers.get('link'), null);
});
responds('that redirect are returned', async () => {
  const { server } = makeServerRunning(() => reply(303, undefined, { Location: '/v1/it/2' }));
  const response = await server.fetch('/v1/it/1');
  assert.is(`${response.status} ${response.headers.get('location')}`, '303 /v1/it/2');
});
responds('are those of the checks, of middleware and of routing', async () => {
  const { server } = makeServerRunning(() => {
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
responds('are copies: to change their bytes changes nothing of the user', async () => {
  const kept = Buffer.from('kept');
  const { server } = makeServerRunning(() => reply(200, kept, { 'Content-Type': 'text/plain' }));
  for (const _round of [1, 2]) {
    const { value } = await (await server.fetch('/v1/it/1')).body!.getReader().read();
    assert.is(Buffer.from(value!).toString(), 'kept');
    value!.fill(0);
  }
});
responds('are streams of bytes: a reader may bring a buffer', async () => {
  const { server } = makeServerRunning(() => reply(200, 'abc', { 'Content-Type': 'text/plain' }));
  const reader = (await server.fetch('/v1/it/1')).body!.getReader({ mode: 'byob' });
  const { value } = await reader.read(new Uint8Array(8));
  assert.is(Buffer.from(value!).toString(), 'abc');
  assert.is((await reader.read(new Uint8Array(8))).done, true);
});
responds('arrive piece by piece', async () => {
  const second = new Gate();
  const { server } = makeServerRunning(() => reply(200, async function* () {
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
responds('of 100 MB, read slowly: few bytes are ahead of the reader', async () => {
  let sent = 0;
  let read = 0;
  let ahead = 0;
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const { server } = makeServerRunning(() => reply(200, async function* () {
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
responds('to 100 calls at the same time are those of the calls', async () => {
  const gate = new Gate();
  let inWork = 0;
  const { server } = makeServer();
  server.registerEndpoint('/it', defineEndpoint({
    id: stringId,
    get: async (id) => {
      inWork += 1;
      await gate.passed;
      return id;
    },
  }));
  const calls = Array.from({ length: 100 }, async (_, at) => (await server.fetch(`/v1/it/${at}`)).json());
  await waitUntil(() => inWork === 100, 'all to be in work');
  gate.open();
  assert.equal(await Promise.all(calls), Array.from({ length: 100 }, (_, at) => String(at)));
});
responds('come through a client of the same process', async () => {
  const pets = defineEndpoint({ id: stringId, get: (id) => ({ id }) });
  const { server } = makeServer();
  server.registerEndpoint('/pet', pets);
  const api = client<{ '/pet': typeof pets }>('http://localhost/v1', { fetch: server.fetch });
  assert.equal(await api('/pet').get('rex'), { id: 'rex' });
});
responds('come from operations that run in the async context of the call', async () => {
  const storage = new AsyncLocalStorage<string>();
  const { server } = makeServerRunning(() => storage.getStore() ?? 'none');
  const call = async (): Promise<unknown> => (await server.fetch('/v1/it/1')).json();
  assert.equal(await Promise.all(['a', 'b'].map((store) => storage.run(store, call))), ['a', 'b']);
  assert.is(await call(), 'none');
});
responds.run();
