/** The memory of clients that send a lot, read nothing, or have left. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ApiServer, defineEndpoint, reply, stringId } from '../../../src/index.ts';
import { Forked } from '../../support/forked.ts';
import { after, running, until } from '../../support/gate.ts';
import { message } from '../../support/messages.ts';
import { RawClient, rawRequest } from '../../support/raw-client.ts';
import { serving } from '../../support/serving.ts';
import type { SlowState } from '../../support/slow-instance.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const GET = message('GET', '/v1/item/1');

/** Connects clients that send the same bytes. */
async function sending(port: number, count: number, bytes: string): Promise<RawClient[]> {
  const clients = await Promise.all(Array.from({ length: count }, () => RawClient.connect(port)));
  for (const client of clients) client.send(bytes);
  return clients;
}

const left = suite('clients that have left');
left('none of their requests is kept by a server that is idle', async () => {
  const requests: WeakRef<object>[] = [];
  const see = (published: unknown): void => void requests.push(new WeakRef((published as { request: object }).request));
  const declare = (server: ApiServer): void => {
    server.registerEndpoint('/item', defineEndpoint({ id: stringId, get: (id) => after(1).then(() => id) }));
  };
  await serving(declare, async ({ port }) => {
    subscribe('http.server.request.start', see);
    try {
      for (const client of await sending(port, 20, GET.repeat(200))) {
        await until(() => client.unread.includes('200 OK'), 'the first response');
        // Reading is paused now, and the watch has seen that.
        await after(20);
        client.destroy();
      }
      await until(() => requests.length > 1000, 'the requests');
      await until(async () => (await after(20), collect(), requests.every((request) => request.deref() === undefined)), 'all requests to be collected');
    } finally {
      unsubscribe('http.server.request.start', see);
    }
    assert.is((await rawRequest(port, GET)).status, 200);
  });
});
left.run();

const pipelined = suite('a thousand connections with 64 KiB of pipelined requests each, the first of which does not end');
for (const [what, request] of [
  ['without a body', message('GET', '/v1/slow/1')],
  ['with a short body', message('POST', '/v1/slow', '1')],
] as const) {
  pipelined(`${what}: take less than 300 MB in all`, async () => {
    const server = new Forked(new URL('../../support/slow-instance.js', import.meta.url), [], ['--max-old-space-size=128']);
    const clients: RawClient[] = [];
    try {
      const { port } = await server.ask('state') as SlowState;
      const bytes = Buffer.from(request.repeat(Math.ceil(2 ** 16 / request.length)));
      while (clients.length < 1000) {
        const client = await RawClient.connect(port, true, false);
        clients.push(client);
        client.send(bytes);
      }
      await until(async () => (await server.ask('state') as SlowState).begun === clients.length, 'all connections', 60_000);
      await until(() => clients.every(({ socket }) => socket.writableLength === 0), 'all to be sent', 60_000);
      const { mostMemory } = await server.ask('state') as SlowState;
      assert.ok(mostMemory < 300e6, `${mostMemory} bytes`);
    } finally {
      for (const client of clients) client.destroy();
      await server.end();
    }
  });
}
pipelined.run();

const unread = suite('limits.unsentBytes');
const BODY_BYTES = 16 * 2 ** 20;
const MAX_BYTES = 40 * 2 ** 20;
const BIG = Buffer.alloc(BODY_BYTES);
const declareBig = (server: ApiServer): void => {
  server.registerEndpoint('/item', defineEndpoint({ id: stringId, get: (id): unknown => (id === 'big' ? reply(200, BIG) : id) }));
  server.mount('/mount', (_request, response) => void response.end(BIG));
};

/** Resumes paused clients. Returns how many get the whole response: the others were cut off. */
async function countWhole(clients: readonly RawClient[]): Promise<number> {
  for (const client of clients) client.socket.resume();
  const bodies = await Promise.all(clients.map((client) => client.response().then(({ body }) => body, () => '')));
  for (const client of clients) client.destroy();
  return bodies.filter((body) => body.length === BODY_BYTES).length;
}

unread('over it, the connections of those who read nothing are destroyed until it is kept, which is logged once; one that reads gets all', async () => {
  await serving(declareBig, async ({ port, server, received, errors }) => {
    const reader = await RawClient.connect(port);
    const clients = await Promise.all(Array.from({ length: 10 }, () => RawClient.connect(port)));
    for (const client of clients) {
      client.socket.pause();
      client.send(message('GET', '/v1/item/big'));
    }
    await until(() => received() === clients.length, 'all requests');
    await until(() => errors.length > 0, 'the log');
    // Several checks later it is known who is slow.
    await running(1000);
    reader.send(message('GET', '/v1/item/big'));
    assert.is((await reader.response()).body.length, BODY_BYTES);
    assert.is((await rawRequest(port, GET)).body, '"1"');
    // Two responses fit. For the reader, one more client was cut off.
    assert.is(await countWhole(clients), 1);
    assert.match(errors[0]?.message ?? '', /^\d+ bytes of responses are unsent, more than limits\.unsentBytes: slow readers are cut off$/);
    assert.is(errors.length, 1);
    reader.destroy();
    await server.stop();
  }, { limits: { unsentBytes: MAX_BYTES } });
});
unread('over it by responses of mounts: the same', async () => {
  await serving(declareBig, async ({ port, received, errors }) => {
    const clients = await Promise.all(Array.from({ length: 10 }, () => RawClient.connect(port)));
    for (const client of clients) {
      client.socket.pause();
      client.send(message('GET', '/mount'));
    }
    await until(() => received() === clients.length, 'all requests');
    await until(() => errors.length > 0, 'the log');
    await running(600);
    assert.is(await countWhole(clients), Math.floor(MAX_BYTES / BODY_BYTES));
    assert.is(errors.length, 1);
  }, { limits: { unsentBytes: MAX_BYTES } });
});
unread('below it, and with Infinity, nobody is cut off', async () => {
  for (const unsentBytes of [2 ** 30, Infinity]) {
    await serving(declareBig, async ({ port }) => {
      const clients = await Promise.all(Array.from({ length: 4 }, () => RawClient.connect(port)));
      for (const client of clients) {
        client.socket.pause();
        client.send(message('GET', '/v1/item/big'));
      }
      await after(600);
      for (const client of clients) client.socket.resume();
      for (const client of clients) assert.is((await client.response()).body.length, BODY_BYTES);
      for (const client of clients) client.destroy();
    }, { limits: { unsentBytes } });
  }
});
unread.run();
