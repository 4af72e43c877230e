/** Time limits, the concurrency limit and the limit of connections, with small values. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { defineEndpoint, stringId, type ApiServer } from '../../src/index.ts';
import { delay, Gate, waitUntil, withTimeout } from '../support/wait.ts';
import { RawClient, send } from '../support/raw-client.ts';
import { serve } from '../support/serve.ts';
import { runTogether } from '../support/run-together.ts';

const GET = 'GET /v1/item/1 HTTP/1.1\r\nHost: a\r\n\r\n';
// On a busy machine, a TLS handshake can take most of it.
const LIMIT_MS = 3000;

const declare = (server: ApiServer): void => {
  server.registerEndpoint('/item', defineEndpoint({ id: stringId, schema: (json: unknown) => json, get: (id) => id, update: () => {} }));
};

const time = suite('C4: a client that takes too long');
const timeTogether = runTogether(time);
for (const [sent, limits, response, why] of [
  ['', { headersMs: LIMIT_MS }, 408, 'says nothing'],
  ['GET /v1/item/1 HT', { headersMs: LIMIT_MS }, 408, 'stops in the request line'],
  ['GET /v1/item/1 HTTP/1.1\r\nHost: a\r\n', { headersMs: LIMIT_MS }, 408, 'stops in the head'],
  [`${GET}GET /v1/it`, { headersMs: LIMIT_MS }, 408, 'stops in the head of a second request'],
  ['PUT /v1/item/1 HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n"ha', { requestMs: LIMIT_MS }, 408, 'stops in a body'],
  ['PUT /v1/item/1 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n"ha', { requestMs: LIMIT_MS }, 408, 'stops in a chunk'],
  [GET, { keepAliveMs: LIMIT_MS }, undefined, 'is idle after a response'],
] as const) {
  timeTogether(`${why} -> ${response ?? 'closed without a response'}`, () => serve(declare, async ({ port }) => {
    // The server can accept the connection before its client knows.
    const begin = Date.now();
    const client = await RawClient.send(port, sent, false);
    if (sent.startsWith(GET)) assert.is((await client.response()).status, 200);
    await waitUntil(() => client.isClosed, 'the end');
    const elapsed = Date.now() - begin;
    assert.ok(elapsed >= LIMIT_MS - 10, `closed after ${elapsed} ms`);
    if (response !== undefined) {
      const { status, headers } = await client.response();
      assert.is(status, response);
      assert.is(headers.get('connection'), 'close');
      assert.is(headers.get('content-type'), 'application/problem+json');
    }
    assert.is(await client.closed(), '');
  }, { limits }));
}
timeTogether('sends a byte of the head now and then -> 408 after the limit, however little is missing', async () => {
  await serve(declare, async ({ port }) => {
    const client = await RawClient.connect(port, false);
    const head = `${GET.slice(0, -2)}X: `;
    let sent = 0;
    const timer = setInterval(() => client.send(head.charAt(sent++) || 'a'), 50);
    try {
      assert.is((await withTimeout(client.response())).status, 408);
    } finally {
      clearInterval(timer);
      client.destroy();
    }
  }, { limits: { headersMs: LIMIT_MS } });
});
timeTogether('sends nothing -> 408 after requestMs if that is shorter than headersMs', () => serve(declare, async ({ port }) => {
  const client = await RawClient.connect(port, false);
  assert.is((await client.response()).status, 408);
}, { limits: { headersMs: 60_000, requestMs: LIMIT_MS } }));
time.run();

const timeout = suite('C5: an operation that takes too long');

timeout('gets 503, its signal aborts, the connection stays open, and its late result is dropped', async () => {
  const gate = new Gate();
  let reason: unknown;
  const slow = (server: ApiServer): void => {
    server.registerEndpoint('/item', {
      id: stringId,
      get: (id: string, request) => {
        if (id === '1') return id;
        request.signal.addEventListener('abort', () => (reason = request.signal.reason));
        return gate.passed.then(() => 'too late');
      },
    });
  };
  await serve(slow, async ({ port, errors }) => {
    const client = await RawClient.send(port, 'GET /v1/item/slow HTTP/1.1\r\nHost: a\r\n\r\n');
    const { status, body } = await client.response();
    assert.is(status, 503);
    assert.equal(JSON.parse(body), { type: 'about:blank', title: 'Service Unavailable', status: 503, detail: 'The operation took too long.' });
    assert.is((reason as Error).name, 'TimeoutError');
    assert.is(errors[0]?.message, 'GET /v1/item/:id: the operation took longer than 100 ms');
    gate.open();
    client.send(GET);
    assert.is((await client.response()).body, '"1"');
  }, { limits: { operationMs: 100 } });
});
timeout('and reads its signal only afterwards: the signal has aborted', async () => {
  const states: boolean[] = [];
  const slow = (server: ApiServer): void => {
    server.registerEndpoint('/item', { id: stringId, get: (_id, request) => delay(200).then(() => states.push(request.signal.aborted)) });
  };
  await serve(slow, async ({ port, errors }) => {
    assert.is((await send(port, GET)).status, 503);
    assert.is(errors.length, 1);
    await waitUntil(() => states.length === 1, 'the operation to end');
    assert.equal(states, [true]);
  }, { limits: { operationMs: 50 } });
});
for (const [operationMs, why] of [[0, 'no limit'], [60_000, 'a limit that is not reached']] as const) {
  timeout(`${why}: gets its result`, async () => {
    const slow = (server: ApiServer): void => {
      server.registerEndpoint('/item', { id: stringId, get: (id) => delay(100).then(() => id) });
    };
    await serve(slow, async ({ port }) => assert.is((await send(port, GET)).body, '"1"'), { limits: { operationMs } });
  });
}
timeout.run();

const count = suite('C6: more requests or connections than allowed');

count('requests over limits.inFlight get 503 with Retry-After, and served again below the limit', async () => {
  const gate = new Gate();
  let begun = 0;
  const slow = (server: ApiServer): void => {
    server.registerEndpoint('/item', { id: stringId, get: (id) => (begun++, gate.passed.then(() => id)) });
  };
  await serve(slow, async ({ port }) => {
    const clients = await Promise.all(Array.from({ length: 3 }, () => RawClient.connect(port)));
    clients.forEach((client) => client.send(GET));
    await waitUntil(() => begun === 3, 'three to begin');
    const rejected = await send(port, GET);
    assert.is(rejected.status, 503);
    assert.match(rejected.headers.get('retry-after') ?? '', /^\d+$/);
    clients[0]?.destroy();
    await delay(50);
    const late = await RawClient.send(port, GET);
    await waitUntil(() => begun === 4, 'the request that replaces the one of the client that left');
    gate.open();
    for (const client of [...clients.slice(1), late]) {
      assert.is((await client.response()).status, 200);
      client.destroy();
    }
    for (let round = 0; round < 10; round += 1) assert.is((await send(port, GET)).status, 200);
  }, { limits: { inFlight: 3 } });
});
count('a request whose connection ends while earlier responses are being sent does not count any more', async () => {
  const destroy = (server: ApiServer): void => {
    server.registerEndpoint('/item', { id: stringId, get: (id, { raw }) => id === 'destroys' ? void raw.socket.destroy() : id });
  };
  await serve(destroy, async ({ port }) => {
    const client = await RawClient.connect(port, false);
    const unmet = 'GET /v1/item/1 HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n';
    client.send(`${unmet}${unmet}GET /v1/item/destroys HTTP/1.1\r\nHost: a\r\n\r\n`);
    assert.is((await client.response()).status, 417);
    await client.closed();
    assert.is((await send(port, GET)).status, 200);
  }, { limits: { inFlight: 1 } });
});
count('connections over limits.connections are closed at once, and accepted again below the limit', async () => {
  await serve(declare, async ({ port }) => {
    const first = await RawClient.connect(port);
    const second = await RawClient.connect(port);
    first.send(GET);
    second.send(GET);
    assert.is((await first.response()).status, 200);
    assert.is((await second.response()).status, 200);
    // With TLS, it is closed before the handshake.
    const excess = await RawClient.connect(port, false).catch(() => undefined);
    assert.is(await excess?.closed() ?? '', '');
    first.destroy();
    const isServed = (): Promise<boolean> => send(port, GET).then(({ status }) => status === 200, () => false);
    await waitUntil(isServed, 'another connection to be served');
    second.destroy();
  }, { limits: { connections: 2 } });
});
count.run();
