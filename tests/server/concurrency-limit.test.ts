/** The concurrency limit `limits.inFlight`: the requests that it counts, and that it changes nothing else. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { defineEndpoint, stringId, type ApiServer } from '../../src/index.ts';
import { assertCollected } from '../support/collected.ts';
import { Gate, until } from '../support/gate.ts';
import { chunkedMessage, head, message } from '../support/messages.ts';
import { RawClient, rawRequest, rawUntilClosed } from '../support/raw-client.ts';
import { serving } from '../support/serving.ts';

const GET = message('GET', '/v1/item/1');
const CREATE = chunkedMessage('POST', '/v1/item', '"1"');

/** Get responds at once. With the id `slow` it waits for a gate, and `left` counts the clients that leave. */
class Items {
  readonly gate = new Gate();
  begun = 0;
  left = 0;

  readonly register = (server: ApiServer): void => {
    server.registerEndpoint('/item', defineEndpoint({
      id: stringId,
      schema: String,
      create: (item) => item,
      get: (id, { signal }) => {
        this.begun += 1;
        if (id !== 'slow') return id;
        signal.addEventListener('abort', () => (this.left += 1));
        return this.gate.passed.then(() => id);
      },
    }));
    server.registerHandler('/mount', (_request, response) => void setTimeout(() => response.end('mounted'), 5));
  };
}

const same = suite('the bytes on the wire with limits.inFlight and without');
for (const [what, sent] of [
  ['a broken chunk after valid requests', `${GET}${GET}${head('POST', '/v1/item', ['Transfer-Encoding: chunked'])}broken`],
  ['a broken chunk after requests that are answered later', `${message('GET', '/mount')}${GET}${head('POST', '/v1/item', ['Transfer-Encoding: chunked'])}broken`],
  ['a broken chunk after its first bytes', `${GET}${head('POST', '/v1/item', ['Transfer-Encoding: chunked'])}3\r\n"ab\r\nbroken`],
  ['garbage after valid requests', `${GET}${CREATE}nonsense\r\n\r\n`],
  ['three pipelined, the last of which closes', `${GET}${CREATE}${message('GET', '/v1/item/3', '', ['Connection: close'])}`],
  ['mounts and operations in turn', `${message('GET', '/mount')}${GET}${message('GET', '/mount')}${message('GET', '/v1/item/3', '', ['Connection: close'])}`],
  ['an upgrade after other requests', `${GET}${GET}${head('GET', '/v1/item/2', ['Connection: upgrade', 'Upgrade: h2c'])}`],
] as const) {
  for (const inFlight of [1, 2, 100]) {
    same(`${what}: the same bytes with a limit of ${inFlight}`, async () => {
      const said: string[] = [];
      for (const limits of [{}, { inFlight }]) {
        await serving(new Items().register, async ({ port }) => {
          said.push((await rawUntilClosed(port, sent)).replace(/Date: .*/g, 'Date'));
        }, { limits });
      }
      assert.ok(said[0]?.startsWith('HTTP/1.1 '));
      assert.is(said[1], said[0]);
    });
  }
}
same.run();

const idle = suite('an idle connection under limits.inFlight');
for (const [what, sent, times] of [['Get', GET, 1], ['Create', CREATE, 1], ['three Gets', GET.repeat(3), 3], ['a mount', message('GET', '/mount'), 1],
  ['a Get and a mount', GET + message('GET', '/mount'), 2]] as const) {
  idle(`${what}: does not count as a request`, async () => {
    await serving(new Items().register, ({ port }) => assertCollected(port, sent, times), { limits: { inFlight: 1 } });
  });
}
idle.run();

const room = suite('the requests of a client that leaves');
for (const [what, sent, begun] of [
  ['with an operation in flight', message('GET', '/v1/item/slow'), 1],
  ['with one in flight and others pipelined', message('GET', '/v1/item/slow') + GET.repeat(3), 1],
  ['with one in flight, after unread responses', GET.repeat(3) + message('GET', '/v1/item/slow'), 4],
] as const) {
  room(`${what}: are no longer counted`, async () => {
    const items = new Items();
    await serving(items.register, async ({ port }) => {
      const client = await RawClient.connect(port);
      client.socket.pause();
      client.send(sent);
      await until(() => items.begun === begun, 'the start');
      assert.is((await rawRequest(port, GET)).status, 503);
      client.socket.resetAndDestroy();
      await until(() => items.left === 1, 'the signal');
      assert.is((await rawRequest(port, GET)).status, 200);
    }, { limits: { inFlight: 1 } });
  });
}
room.run();
