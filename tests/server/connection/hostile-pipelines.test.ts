/** C22: Clients that pipeline more requests than the server takes while one of them is being served. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { defineEndpoint, stringId, type ApiServer, type Interceptor } from '../../../src/index.ts';
import { POST, QUICK, SlowEndpoint } from '../../support/slow-endpoint.ts';
import { runTogether } from '../../support/run-together.ts';
import { assert, chunkedMessage, delay, message, RawClient, runFor, serve, suite, waitUntil } from '../../support/facts.ts';

/** The channel on which Node publishes each request whose head it has read. */
const REQUEST_START = 'http.server.request.start';
// Longer than reading is paused before the server takes no more requests.
const STALL_MS = 1200;

async function assertAllButTheLastKeepAlive(client: RawClient, responses: number): Promise<void> {
  for (let count = 1; count < responses; count += 1) assert.is((await client.response()).headers.get('connection'), 'keep-alive');
  assert.is((await client.response()).headers.get('connection'), 'close');
}

const pipelined = suite('a client that pipelines more requests than the server accepts, while an operation is slow');
const pipelinedTogether = runTogether(pipelined);
pipelinedTogether('gets a response to each request that was taken, and the last one closes the connection', async () => {
  const slow = new SlowEndpoint();
  await serve(slow.register, async ({ port }) => {
    const client = await RawClient.send(port, message('GET', '/v1/slow/1') + QUICK.repeat(5000));
    await waitUntil(() => slow.begun.length === 1, 'the first to begin');
    await runFor(STALL_MS);
    slow.gate.open();
    let responses = 0;
    for (let last = false; !last; responses += 1) last = (await client.response()).headers.get('connection') === 'close';
    assert.is(await client.closed(), '');
    assert.ok(responses > 64 && responses < 5000, `${responses} responses`);
  });
});
pipelinedTogether('the same after your code has asked for the memory of an empty body, which is the end of input for the parser of Node', async () => {
  const slow = new SlowEndpoint();
  const lookAtMemory: Interceptor = { around: (call, run) => (call.body?.buffer, run()) };
  const register = (server: ApiServer): void => {
    slow.register(server);
    server.registerEndpoint('/look', defineEndpoint({ custom: { empty: { use: lookAtMemory, input: (json) => json, optional: true, run: () => 1 } } }));
  };
  await serve(register, async ({ port }) => {
    const client = await RawClient.send(port, chunkedMessage('POST', '/v1/look/empty'));
    assert.is((await client.response()).status, 200);
    client.send(message('GET', '/v1/slow/1') + QUICK.repeat(999) + POST.slice(0, -1));
    await waitUntil(() => slow.begun.length === 1, 'the first to begin');
    await runFor(STALL_MS);
    slow.gate.open();
    await assertAllButTheLastKeepAlive(client, 1000);
  });
});
pipelinedTogether('the last with a body that arrives meanwhile: gets all responses', async () => {
  const slow = new SlowEndpoint();
  await serve(slow.register, async ({ port }) => {
    const client = await RawClient.connect(port);
    const body = `"${'x'.repeat(900_000)}"`;
    client.send(message('GET', '/v1/slow/1') + message('PUT', '/v1/slow/2', body) + QUICK);
    await waitUntil(() => slow.begun.length === 1, 'the first to begin');
    await runFor(STALL_MS);
    slow.gate.open();
    for (const status of [200, 204, 200]) assert.is((await client.response()).status, status);
    assert.equal(slow.begun, ['1', '2']);
  });
});
pipelinedTogether('each of them slow: gets all responses, however long that takes', async () => {
  const register = (server: ApiServer): void => {
    server.registerEndpoint('/slow', defineEndpoint({ id: stringId, get: (id) => delay(5).then(() => id) }));
  };
  await serve(register, async ({ port }) => {
    const client = await RawClient.send(port, QUICK.repeat(500));
    for (let count = 0; count < 500; count += 1) assert.is((await client.response()).headers.get('connection'), 'keep-alive');
  });
});
pipelinedTogether('after a request to a mount that keeps sending, and leaves: the response of the mount closes', async () => {
  let closed = 0;
  const register = (server: ApiServer): void => {
    server.mount('/ticks', (_request, response) => {
      const timer = setInterval(() => response.write('tick'), 20);
      response.once('close', () => {
        clearInterval(timer);
        closed += 1;
      });
    });
  };
  await serve(register, async ({ port, received }) => {
    const client = await RawClient.send(port, message('GET', '/ticks') + QUICK.repeat(5000));
    await waitUntil(() => received() > 16, 'as many as are parsed ahead');
    client.socket.end();
    await waitUntil(() => closed === 1, 'the response to close');
  });
});
pipelinedTogether('and stops in the middle of a body: that request gets no response', async () => {
  const slow = new SlowEndpoint();
  await serve(slow.register, async ({ port }) => {
    const client = await RawClient.connect(port);
    // More bytes than are held without a pause of reading.
    client.send(message('GET', '/v1/slow/1') + QUICK.repeat(999) + POST.slice(0, -1));
    await waitUntil(() => slow.begun.length === 1, 'the first to begin');
    await runFor(STALL_MS);
    slow.gate.open();
    await assertAllButTheLastKeepAlive(client, 1000);
    assert.is(await client.closed(), '');
    assert.equal(slow.begun, ['1']);
  });
});
for (const [how, leave] of [
  ['resets the connection', ({ socket }: RawClient) => socket.resetAndDestroy()],
  ['ends its side', ({ socket }: RawClient) => socket.end()],
] as const) {
  pipelinedTogether(`and ${how}: the bodies that wait are not kept, though the operation goes on`, async () => {
    const slow = new SlowEndpoint();
    const requests: IncomingMessage[] = [];
    const note = (published: unknown): void => void requests.push((published as { request: IncomingMessage }).request);
    subscribe(REQUEST_START, note);
    await serve(slow.register, async ({ port }) => {
      const waiting = (): IncomingMessage[] => requests.filter(({ socket, method }) => socket.localPort === port && method === 'POST');
      const client = await RawClient.send(port, message('GET', '/v1/slow/1') + POST + message('POST', '/v1/slow', 'x'.repeat(100_000)).slice(0, -1));
      await waitUntil(() => waiting().at(-1)?.readableLength === 99_999, 'what waits');
      const bodies = waiting();
      assert.is(bodies.length, 2);
      leave(client);
      await waitUntil(() => bodies.every(({ readableLength }) => readableLength === 0), 'the bodies to be dropped');
      assert.equal(slow.begun, ['1']);
    }).finally(() => unsubscribe(REQUEST_START, note));
  });
}
