/** `stopLingerMs`: a request that is on its way when the server stops gets its response. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { defineEndpoint, stringId, type ApiServer } from '../../../src/index.ts';
import { delay, Gate, waitUntil, withTimeout } from '../../support/wait.ts';
import { message } from '../../support/messages.ts';
import { RawClient } from '../../support/raw-client.ts';
import { serve, type TestServer } from '../../support/serve.ts';

const GET = message('GET', '/v1/item/1');
// Longer than any of these tests waits. Only a reply can end the lingering earlier.
const LONG = { stopLingerMs: 3_600_000, stopGraceMs: 3_600_000 };
const SHORT = { stopLingerMs: 100, stopGraceMs: 3_600_000 };

/** An endpoint, a mount that replies at once, and one that has sent its head and waits. `begun` counts the operations. */
class Items {
  readonly gate = new Gate();
  begun = 0;

  readonly register = (server: ApiServer): void => {
    server.registerEndpoint('/item', defineEndpoint({ id: stringId, get: (id) => (this.begun += 1, id) }));
    server.mount('/mount', (_request, response) => void response.end('mounted'));
    server.mount('/stream', async (_request, response) => {
      response.write('first;');
      await this.gate.passed;
      response.end('last');
    });
  };
}

async function withClient(
  options: Parameters<typeof serve>[2],
  use: (served: TestServer & { client: RawClient; items: Items }) => Promise<void>,
): Promise<void> {
  const items = new Items();
  await serve(items.register, async (served) => {
    const client = await RawClient.connect(served.port, false);
    try {
      await use(Object.assign(served, { client, items }));
    } finally {
      items.gate.open();
      client.destroy();
    }
  }, options);
}

const idle = suite('C2: a request that arrives while the server stops');
for (const [before, sent, first, why] of [
  [GET, GET, '', 'on a connection that is idle after a response'],
  ['', GET, '', 'on a connection that was silent'],
  [GET + GET.slice(0, 20), GET.slice(20), GET.slice(0, 20), 'and whose head was half sent'],
  ['', message('GET', '/mount'), '', 'for a mount'],
] as const) {
  idle(`${why}: it gets a response with Connection: close, and then stop() resolves`, () => withClient(LONG, async ({ server, client }) => {
    client.send(before);
    if (before !== '') assert.is((await client.response()).headers.get('connection'), 'keep-alive');
    if (first !== '') await delay(20);
    const stopped = server.stop();
    await delay(20);
    client.send(sent);
    const { status, headers } = await client.response();
    assert.is(status, 200);
    assert.is(headers.get('connection'), 'close');
    assert.is(await client.closed(), '');
    await withTimeout(stopped);
  }));
}
idle('with others pipelined behind it: only the first begins', () => withClient(LONG, async ({ server, client, items }) => {
  client.send(GET);
  await client.response();
  const stopped = server.stop();
  client.send(GET.repeat(3));
  assert.is((await client.response()).headers.get('connection'), 'close');
  assert.is(await client.closed(), '');
  await stopped;
  assert.is(items.begun, 2);
}));
idle('right after the end of a response whose head was sent before: it gets a response with Connection: close', async () => {
  await withClient(LONG, async ({ server, client, items }) => {
    client.send(message('GET', '/stream'));
    await waitUntil(() => client.unread.includes('first;'), 'the first part');
    const stopped = server.stop();
    items.gate.open();
    const { headers, body } = await client.response();
    assert.is(headers.get('connection'), 'keep-alive');
    assert.is(body, 'first;last');
    client.send(GET);
    assert.is((await client.response()).headers.get('connection'), 'close');
    assert.is(await client.closed(), '');
    await stopped;
  });
});
idle('that cannot be parsed: a 400, and then stop() resolves', () => withClient(LONG, async ({ server, client, items }) => {
  const stopped = server.stop();
  client.send('nonsense\r\n\r\n');
  assert.is((await client.response()).status, 400);
  assert.is(await client.closed(), '');
  await stopped;
  assert.is(items.begun, 0);
}));
idle('that never arrives: the connection is closed after stopLingerMs', () => withClient(SHORT, async ({ server, client }) => {
  client.send(GET);
  await client.response();
  const begin = Date.now();
  await server.stop();
  assert.ok(Date.now() - begin >= SHORT.stopLingerMs - 10);
  assert.is(await client.closed(), '');
}));
idle('whose connection the client ends instead: stop() resolves', () => withClient(LONG, async ({ server, client }) => {
  client.send(GET);
  await client.response();
  const stopped = server.stop();
  client.socket.end();
  await withTimeout(stopped);
}));
idle('after the process was blocked for longer than stopLingerMs: it gets its response if it had arrived', async () => {
  await withClient(SHORT, async ({ server, client }) => {
    client.send(GET);
    await client.response();
    const stopped = server.stop();
    client.send(GET);
    for (const end = Date.now() + 2 * SHORT.stopLingerMs; Date.now() < end;);
    assert.is((await client.response()).headers.get('connection'), 'close');
    await stopped;
  });
});
idle('with stopLingerMs: 0: it gets no response, and does not begin', async () => {
  await withClient({ stopLingerMs: 0 }, async ({ server, client, items }) => {
    client.send(GET);
    await client.response();
    const stopped = server.stop();
    client.send(GET);
    assert.is(await client.closed(), '');
    await stopped;
    assert.is(items.begun, 1);
  });
});
idle.run();

const CLIENTS = 40;
const RESTARTS = 10;

const restarts = suite('restarts under load');
restarts('no request is lost on a connection that the server had accepted', async () => {
  // `stop` waits for one more request on each connection, and every client sends one.
  assert.equal(await lostRequests(LONG), []);
});
restarts.run();

/** Restarts a server under load. Returns the requests whose connections closed before their responses. */
async function lostRequests(options: Parameters<typeof serve>[2]): Promise<string[]> {
  const lost: string[] = [];
  await serve(new Items().register, async ({ server, port }) => {
    let runs = true;
    const ask = async (number: number): Promise<void> => {
      let client: RawClient | undefined;
      // The system resets connections that the server has not accepted when it stops to listen.
      let isAccepted = false;
      for (let turn = 0; runs; turn += 1) {
        client ??= await RawClient.connect(port, false).catch(() => undefined);
        if (client === undefined || client.isClosed) {
          client = undefined;
          isAccepted = false;
          await delay(5);
          continue;
        }
        client.send(GET);
        const response = await client.response().catch(() => undefined);
        if (response?.status !== 200 && isAccepted) lost.push(`${number}-${turn}`);
        isAccepted = response?.headers.get('connection') === 'keep-alive';
        if (!isAccepted) client = undefined;
        await delay(Math.random() * 10);
      }
      client?.destroy();
    };
    const asking = Array.from({ length: CLIENTS }, (_, number) => ask(number));
    for (let restart = 0; restart < RESTARTS; restart += 1) {
      await delay(30);
      await server.stop();
      // A connection of another process may have the port for a moment.
      while (!(await server.start({ port })).ok) await delay(10);
    }
    runs = false;
    await Promise.all(asking);
  }, options);
  return lost;
}
