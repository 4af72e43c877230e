/**
 * Clients that leave while reading is paused, or while part of a response is unsent: the server notices. Clients that stay lose
 * nothing.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { defineEndpoint, stringId, type ApiRequest, type ApiServer } from '../../../src/index.ts';
import { after, Gate, running, until } from '../../support/gate.ts';
import { head, message } from '../../support/messages.ts';
import { RawClient } from '../../support/raw-client.ts';
import { serving } from '../../support/serving.ts';
import { together } from '../../support/together.ts';

const MIB = 2 ** 20;
// Longer than reading is paused before the server takes no more requests.
const STALL_MS = 1200;
const LIMITS = { bodyBytes: 8 * MIB };
// More than the system buffers for a client that does not read.
const LARGE = Buffer.alloc(16 * MIB, 'x');

/** Operations and mounts that wait for a gate or never end. `notified` counts those that were notified that their client left. */
class Waiting {
  readonly gate = new Gate();
  readonly begun: string[] = [];
  notified = 0;

  readonly register = (server: ApiServer): void => {
    server.registerEndpoint('/slow', defineEndpoint({
      id: stringId,
      schema: (json: unknown) => String(json),
      create: (text) => (this.begun.push('create'), String(text.length)),
      get: (id, request) => this.#wait(id, request),
    }));
    server.mount('/quick', (_request, response) => void setTimeout(() => response.end(), 30));
    server.mount('/endless', (_request, response) => {
      this.#note('endless', response);
      response.write('first');
    });
    server.mount('/large', (_request, response) => {
      this.#note('large', response);
      response.end(LARGE);
    });
    server.mount('/late', async (request, response) => {
      this.#note('late', response);
      await this.gate.passed;
      let bytes = 0;
      request.on('data', (chunk: Buffer) => (bytes += chunk.length)).on('end', () => response.end(String(bytes)));
    });
  };

  #note(name: string, response: { once(event: 'close', call: () => void): unknown }): void {
    this.begun.push(name);
    response.once('close', () => (this.notified += 1));
  }

  async #wait(name: string, { signal }: ApiRequest): Promise<string> {
    this.begun.push(name);
    signal.addEventListener('abort', () => (this.notified += 1));
    await this.gate.passed;
    return name;
  }
}

const GET = message('GET', '/v1/slow/1');
const LARGE_GET = message('GET', '/large');

/** A request of which half of the body is sent. */
function unfinished(target: string, bytes: number): string {
  return head('POST', target, [`Content-Length: ${2 * bytes}`]) + 'x'.repeat(bytes);
}

const WAYS_TO_LEAVE: readonly (readonly [how: string, leave: (client: RawClient) => void])[] = [
  ['resets the connection', ({ socket }) => socket.resetAndDestroy()],
  ['closes the connection', ({ socket }) => socket.destroy()],
  ['ends its side, and stays', ({ socket }) => socket.end()],
];

const leaving = suite('a client that leaves while reading is paused');
const leavingTogether = together(leaving);
for (const [when, sent, begun] of [
  ['half of a body that a mounted handler does not read yet', unfinished('/late', MIB / 2), 'late'],
  ['half of a body that a mounted handler does not read, and half of its response', unfinished('/endless', MIB / 2), 'endless'],
  ['half of a body that was buffered before the handler was called', message('GET', '/quick') + unfinished('/late', MIB / 2), 'late'],
  ['an unread response', LARGE_GET, 'large'],
  ['an unread response, and other requests pipelined', LARGE_GET + GET + GET, 'large'],
  ['an unread response, and half of a body pipelined', LARGE_GET + unfinished('/v1/slow', MIB / 2), 'large'],
  ['half of a body, and an unread response to it', unfinished('/large', MIB / 2), 'large'],
] as const) {
  leavingTogether(`with ${when}: the operation or mount is notified, however the client leaves`, async () => {
    await Promise.all(WAYS_TO_LEAVE.map(async ([how, leave]) => {
      const waiting = new Waiting();
      await serving(waiting.register, async ({ port, server, errors }) => {
        const client = await RawClient.connect(port);
        client.socket.pause();
        client.send(sent);
        await until(() => waiting.begun.length === 1, 'the start');
        await after(20);
        leave(client);
        await until(() => waiting.notified === 1, `the notification: it ${how}`);
        // Nothing is left that `stop` would wait for.
        await server.stop();
        client.destroy();
        assert.equal(waiting.begun, [begun]);
        assert.equal(errors, []);
      }, { limits: LIMITS, stopGraceMs: 60_000 });
    }));
  });
}
leaving.run();

const staying = suite('a client that stays while reading is paused');
const stayingTogether = together(staying);
for (const [what, sent, responses] of [
  ['a body pipelined after an operation in flight', GET + message('POST', '/v1/slow', `"${'x'.repeat(900_000)}"`), ['"1"', '900000']],
  ['a body that a mounted handler reads late', message('POST', '/late', 'x'.repeat(5 * MIB)), [String(5 * MIB)]],
  ['a body pipelined after another that is read late', message('POST', '/late', 'x'.repeat(MIB)) + message('POST', '/v1/slow', '"xx"'), [String(MIB), '2']],
] as const) {
  stayingTogether(`${what}: is received whole`, async () => {
    const waiting = new Waiting();
    await serving(waiting.register, async ({ port, errors }) => {
      const client = await RawClient.connect(port);
      client.send(sent);
      await until(() => waiting.begun.length === 1, 'the start');
      await running(STALL_MS);
      waiting.gate.open();
      for (const response of responses) assert.is((await client.response()).body, response);
      client.destroy();
      assert.equal(errors, []);
    }, { limits: LIMITS });
  });
}
stayingTogether('reads a response slowly, with another request pipelined: gets both responses', async () => {
  const waiting = new Waiting();
  await serving(waiting.register, async ({ port, errors }) => {
    const client = await RawClient.connect(port);
    const { socket } = client;
    socket.pause();
    client.send(LARGE_GET + message('POST', '/v1/slow', '"xx"'));
    await until(() => waiting.begun.length === 1, 'the start');
    // It reads a little now and then, for longer than a stall takes to be noticed.
    for (let taken = 2 * MIB; taken <= 10 * MIB; taken += 2 * MIB) {
      socket.resume();
      await until(() => socket.bytesRead >= taken, 'part of the response');
      socket.pause();
      await after(300);
    }
    socket.resume();
    assert.is((await client.response()).body.length, LARGE.length);
    assert.is((await client.response()).body, '2');
    client.destroy();
    assert.equal(errors, []);
  });
});
stayingTogether('does not read a response for a while, with others pipelined: gets all that were taken, and the last closes', async () => {
  const waiting = new Waiting();
  await serving(waiting.register, async ({ port, errors }) => {
    const client = await RawClient.connect(port);
    client.socket.pause();
    client.send(LARGE_GET + message('POST', '/v1/slow', '"xx"') + message('POST', '/v1/slow', '"xxx"'));
    await until(() => waiting.begun.length === 1, 'the start');
    // The server takes no more requests.
    await running(STALL_MS);
    client.send(message('POST', '/v1/slow', '"xxxx"'));
    client.socket.resume();
    assert.is((await client.response()).body.length, LARGE.length);
    assert.is((await client.response()).body, '2');
    const { body, headers } = await client.response();
    assert.is(body, '3');
    assert.is(headers.get('connection'), 'close');
    assert.is(await client.closed(), '');
    client.destroy();
    assert.equal(errors, []);
  });
});
stayingTogether('sends a body that a mount reads in small portions, with pauses: the body is received whole', async () => {
  const size = 2 * MIB;
  let bytes = 0;
  await serving((server) => {
    server.mount('/portions', (request, response) => {
      const timer = setInterval(() => {
        bytes += (request.read(Math.min(128 * 1024, request.readableLength)) as Buffer | null)?.length ?? 0;
        if (bytes < size) return;
        clearInterval(timer);
        response.end(String(bytes));
      }, 100);
      request.once('close', () => clearInterval(timer));
    });
  }, async ({ port, errors }) => {
    const client = await RawClient.connect(port);
    client.send(message('POST', '/portions', 'x'.repeat(size)));
    assert.is((await client.response()).body, String(size));
    assert.equal(errors, []);
    client.destroy();
  });
});
staying.run();
