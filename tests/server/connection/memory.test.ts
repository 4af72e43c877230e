/** The memory of clients that read nothing, or have left. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type ApiServer, bytes, defineEndpoint, reply, stringId, type ContextRequest } from '../../../src/index.ts';
import { connectPaused } from '../../support/connect-paused.ts';
import { limitUnsent } from '../../support/linger.ts';
import { assert, delay, Gate, head, message, RawClient, runFor, send, serve, suite, waitUntil } from '../../support/facts.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const GET = message('GET', '/v1/item/1');
const CLIENTS = 4;

const left = suite('C3: clients that have left');
left('none of their requests is kept by a server that is idle', async () => {
  const requests: WeakRef<object>[] = [];
  const see = (published: unknown): void => void requests.push(new WeakRef((published as { request: object }).request));
  const declare = (server: ApiServer): void => {
    server.registerEndpoint('/item', defineEndpoint({ id: stringId, get: (id) => delay(1).then(() => id) }));
  };
  await serve(declare, async ({ port }) => {
    subscribe('http.server.request.start', see);
    try {
      for (let count = 0; count < CLIENTS; count += 1) {
        const client = await RawClient.send(port, GET.repeat(200));
        await waitUntil(() => client.unread.includes('200 OK'), 'the first response');
        // Reading is paused now, and the watch has seen that.
        await delay(20);
        client.destroy();
      }
      assert.ok(requests.length >= 17 * CLIENTS, `${requests.length} requests`);
      await waitUntil(async () => (await delay(20), collect(), requests.every((request) => request.deref() === undefined)), 'all requests to be collected');
    } finally {
      unsubscribe('http.server.request.start', see);
    }
    assert.is((await send(port, GET)).status, 200);
  });
});
for (const [what, target] of [
  ['an operation that has not begun to read them', '/v1/file/late'],
  ['an operation that has read their beginning', '/v1/file/begun'],
  ['the context of an operation', '/v1/file/context'],
  ['a mount', '/mount'],
] as const) {
  left(`their unread bodies are not kept while ${what} goes on`, async () => {
    const gate = new Gate();
    const requests: IncomingMessage[] = [];
    const see = (published: unknown): void => void requests.push((published as { request: IncomingMessage }).request);
    let begun = 0;
    let notified = 0;
    const wait = async ({ signal }: { readonly signal: AbortSignal }): Promise<string> => {
      begun += 1;
      signal.addEventListener('abort', () => (notified += 1));
      await gate.passed;
      return 'at last';
    };
    await serve((server) => {
      server.registerEndpoint('/file', {
        context: async (request: ContextRequest) => {
          if (request.route.path.endsWith('/context')) await wait(request);
          return 'me';
        },
        custom: {
          late: { input: bytes(), run: (_body, request) => wait(request) },
          begun: {
            input: bytes(),
            run: async (body, request) => {
              for await (const _first of body) break;
              return wait(request);
            },
          },
          context: { input: String, run: () => 'never' },
        },
      });
      server.mount('/mount', (_request, response) => {
        begun += 1;
        response.once('close', () => (notified += 1));
        return gate.passed;
      });
    }, async ({ port, errors }) => {
      subscribe('http.server.request.start', see);
      try {
        const type = target.endsWith('context') ? 'application/json' : 'application/octet-stream';
        const sent = head('POST', target, ['Content-Length: 1000000', `Content-Type: ${type}`]);
        const clients = await Promise.all(Array.from({ length: CLIENTS }, () => RawClient.connect(port)));
        for (const client of clients) client.send(sent + 'x'.repeat(900_000));
        await waitUntil(() => begun === CLIENTS, 'all to begin');
        await waitUntil(() => requests.every(({ readableLength }) => readableLength > 500_000), 'the bodies to be buffered');
        for (const client of clients) client.destroy();
        await waitUntil(() => notified === CLIENTS, 'the notifications');
        await waitUntil(() => requests.every(({ readableLength }) => readableLength === 0), 'the bodies to be freed');
        gate.open();
        void errors;
      } finally {
        unsubscribe('http.server.request.start', see);
      }
    });
  });
}

const unread = suite('C16: the limit of unsent bytes');
// More than the system buffers for a client that does not read.
const BODY_BYTES = 16 * 2 ** 20;
// Two responses fit.
const MAX_BYTES = 40 * 2 ** 20;
const BIG = Buffer.alloc(BODY_BYTES);
const declareBig = (server: ApiServer): void => {
  server.registerEndpoint('/item', defineEndpoint({ id: stringId, get: (id): unknown => (id === 'big' ? reply(200, BIG) : id) }));
  server.mount('/mount', (_request, response) => void response.end(BIG));
};

/** Connects, and requests a large response. It is not read until the client is resumed. */
async function request(port: number, target: string): Promise<Socket> {
  const client = await connectPaused(port);
  client.write(head('GET', target, ['Connection: close']));
  return client;
}

/** Reads to the end. Returns whether that is a whole response: other clients were cut off. */
async function readsWhole(client: Socket): Promise<boolean> {
  let bytes = 0;
  client.on('data', (chunk: Buffer) => (bytes += chunk.length)).resume();
  await (client.closed || once(client, 'close'));
  return bytes > BODY_BYTES;
}

async function countWhole(clients: readonly Socket[]): Promise<number> {
  return (await Promise.all(clients.map(readsWhole))).filter((isWhole) => isWhole).length;
}

for (const [by, target, hasReader] of [['an operation', '/v1/item/big', true], ['a mount', '/mount', false]] as const) {
  unread(`over it by responses of ${by}: clients that read nothing are cut off until it is kept, which is logged once`, async () => {
    await serve(declareBig, async ({ port, received, errors }) => {
      const clients = await Promise.all(Array.from({ length: CLIENTS }, () => request(port, target)));
      await waitUntil(() => received() === CLIENTS, 'all requests');
      await waitUntil(() => errors.length > 0, 'the log');
      if (hasReader) {
        // Several checks later it is known who is slow. For one that reads, one more of these is cut off.
        await runFor(1000);
        assert.ok(await readsWhole(await request(port, target)));
        assert.is((await send(port, GET)).body, '"1"');
      }
      assert.is(await countWhole(clients), hasReader ? 1 : 2);
      assert.match(errors[0]?.message ?? '', /^\d+ bytes of responses are unsent, more than 41943040: slow readers are cut off$/);
      assert.is(errors.length, 1);
    }, limitUnsent(MAX_BYTES));
  });
}
for (const unsentBytes of [2 ** 30, Infinity]) {
  unread(`of ${unsentBytes}, which is not reached: nobody is cut off`, () => serve(declareBig, async ({ port, received }) => {
    const clients = await Promise.all(Array.from({ length: CLIENTS }, () => request(port, '/v1/item/big')));
    await waitUntil(() => received() === CLIENTS, 'all requests');
    await runFor(600);
    assert.is(await countWhole(clients), CLIENTS);
  }, limitUnsent(unsentBytes)));
}
