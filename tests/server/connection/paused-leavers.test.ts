/**
 * Clients that leave while reading is paused, or while part of a response is unsent: the server notices. Clients that stay lose
 * nothing.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ndjson } from '../../../src/formats/index.ts';
import { bytes, defineEndpoint, stringId, type ApiRequest, type ApiServer } from '../../../src/index.ts';
import { delay, Gate, runFor, waitUntil } from '../../support/wait.ts';
import { head, message } from '../../support/messages.ts';
import { RawClient } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';
import { runTogether } from '../../support/run-together.ts';

const MIB = 2 ** 20;
// Longer than reading is paused before the server takes no more requests.
const STALL_MS = 1200;
// Half of a body is not late, however busy the machine is.
const LIMITS = { bodyBytes: 8 * MIB, headersMs: 600_000, requestMs: 600_000 };
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
function formatUnfinished(target: string, bytes: number): string {
  return head('POST', target, [`Content-Length: ${2 * bytes}`]) + 'x'.repeat(bytes);
}

const WAYS_TO_LEAVE: readonly (readonly [how: string, leave: (client: RawClient) => void])[] = [
  ['resets the connection', ({ socket }) => socket.resetAndDestroy()],
  ['closes the connection', ({ socket }) => socket.destroy()],
  ['ends its side, and stays', ({ socket }) => socket.end()],
];

const leaving = suite('C3: a client that leaves while reading is paused');
const leavingTogether = runTogether(leaving);
for (const [when, sent, begun] of [
  ['half of a body that a mounted handler does not read yet', formatUnfinished('/late', MIB / 2), 'late'],
  ['half of a body that a mounted handler does not read, and half of its response', formatUnfinished('/endless', MIB / 2), 'endless'],
  ['half of a body that was buffered before the handler was called', message('GET', '/quick') + formatUnfinished('/late', MIB / 2), 'late'],
  ['an unread response', LARGE_GET, 'large'],
  ['an unread response, and other requests pipelined', LARGE_GET + GET + GET, 'large'],
  ['an unread response, and half of a body pipelined', LARGE_GET + formatUnfinished('/v1/slow', MIB / 2), 'large'],
  ['half of a body, and an unread response to it', formatUnfinished('/large', MIB / 2), 'large'],
] as const) {
  leavingTogether(`with ${when}: the operation or mount is notified, however the client leaves`, async () => {
    await Promise.all(WAYS_TO_LEAVE.map(async ([how, leave]) => {
      const waiting = new Waiting();
      await serve(waiting.register, async ({ port, server }) => {
        const client = await RawClient.connect(port);
        client.socket.pause();
        client.send(sent);
        await waitUntil(() => waiting.begun.length === 1, 'the start');
        await delay(20);
        leave(client);
        await waitUntil(() => waiting.notified === 1, `the notification: it ${how}`);
        // Nothing is left that `stop` would wait for.
        await server.stop();
        client.destroy();
        assert.equal(waiting.begun, [begun]);
      }, { limits: LIMITS, stopGraceMs: 3_600_000 });
    }));
  });
}

const UNREAD_BYTES = 5 * MIB;

for (const [target, type, ms] of [
  ['/v1/upload', 'application/octet-stream', 600_000],
  ['/v1/upload', 'application/octet-stream', 1000],
  ['/v1/items', 'application/x-ndjson', 600_000],
  ['/v1/items', 'application/x-ndjson', 1000],
  ['/mount', 'text/plain', 600_000],
] as const) {
  // Unread bytes do not hide a reset, so it is noticed long before this time is over.
  const isLong = ms === 600_000;
  for (const [how, leave] of isLong ? WAYS_TO_LEAVE.slice(0, 1) : WAYS_TO_LEAVE) {
    const when = isLong ? `without waiting for a limits.requestMs of ${ms} ms` : `after a limits.requestMs of ${ms} ms`;
    leavingTogether(`${how} after ${UNREAD_BYTES} bytes, of which ${target} reads none: it is notified ${when}`, async () => {
      const gate = new Gate();
      let notified = 0;
      const run = async (_body: unknown, { signal }: ApiRequest): Promise<void> => {
        signal.addEventListener('abort', () => (notified += 1));
        await gate.passed;
      };
      const limits = { requestMs: ms, bodyBytes: 64 * MIB };
      await serve((server) => {
        server.registerEndpoint('/upload', { create: { limits, input: bytes(), run } });
        server.registerEndpoint('/items', { create: { limits, input: ndjson(Number), run } });
        server.mount('/mount', (_request, response) => void response.once('close', () => (notified += 1)));
      }, async ({ port, server, errors }) => {
        await capturingRequests(port, async (requests) => {
          const client = await RawClient.connect(port);
          client.send(head('POST', target, [`Content-Length: ${2 * UNREAD_BYTES}`, `Content-Type: ${type}`]));
          client.send(Buffer.alloc(UNREAD_BYTES, '1'));
          await waitUntil(() => (requests[0]?.readableLength ?? 0) >= MIB, 'as many bytes as are buffered');
          leave(client);
          await waitUntil(() => notified === 1, 'the notification');
          gate.open();
          // Nothing is left that `stop` would wait for.
          await server.stop();
          client.destroy();
          assert.equal(errors, []);
        });
      }, { limits: { operationMs: 0, requestMs: 600_000 }, stopGraceMs: 60_000 });
    });
  }
}
leaving.run();

/** Collects the requests to a port while a function runs. */
async function capturingRequests(port: number, use: (requests: readonly IncomingMessage[]) => Promise<void>): Promise<void> {
  const requests: IncomingMessage[] = [];
  const take = (published: unknown): void => {
    const { request } = published as { readonly request: IncomingMessage };
    if (request.socket.localPort === port) requests.push(request);
  };
  subscribe('http.server.request.start', take);
  try {
    await use(requests);
  } finally {
    unsubscribe('http.server.request.start', take);
  }
}

const staying = suite('C3: a client that stays while reading is paused');
const stayingTogether = runTogether(staying);
for (const [what, sent, responses] of [
  ['a body pipelined after an operation in flight', GET + message('POST', '/v1/slow', `"${'x'.repeat(900_000)}"`), ['"1"', '900000']],
  ['a body that a mounted handler reads late', message('POST', '/late', 'x'.repeat(5 * MIB)), [String(5 * MIB)]],
  ['a body pipelined after another that is read late', message('POST', '/late', 'x'.repeat(MIB)) + message('POST', '/v1/slow', '"xx"'), [String(MIB), '2']],
] as const) {
  stayingTogether(`${what}: is received whole`, async () => {
    const waiting = new Waiting();
    await serve(waiting.register, async ({ port }) => {
      const client = await RawClient.send(port, sent);
      await waitUntil(() => waiting.begun.length === 1, 'the start');
      await runFor(STALL_MS);
      waiting.gate.open();
      for (const response of responses) assert.is((await client.response()).body, response);
    }, { limits: LIMITS });
  });
}
stayingTogether('reads a response slowly, with another request pipelined: gets both responses', async () => {
  const waiting = new Waiting();
  await serve(waiting.register, async ({ port }) => {
    const client = await RawClient.connect(port);
    const { socket } = client;
    socket.pause();
    client.send(LARGE_GET + message('POST', '/v1/slow', '"xx"'));
    await waitUntil(() => waiting.begun.length === 1, 'the start');
    // It reads a little now and then, for longer than a stall takes to be noticed.
    for (let taken = 2 * MIB; taken <= 10 * MIB; taken += 2 * MIB) {
      socket.resume();
      await waitUntil(() => socket.bytesRead >= taken, 'part of the response');
      socket.pause();
      await delay(300);
    }
    socket.resume();
    assert.is((await client.response()).body.length, LARGE.length);
    assert.is((await client.response()).body, '2');
  });
});
stayingTogether('does not read a response for a while, with others pipelined: gets all that were taken, and the last closes', async () => {
  const waiting = new Waiting();
  await serve(waiting.register, async ({ port }) => {
    const client = await RawClient.connect(port);
    client.socket.pause();
    client.send(LARGE_GET + message('POST', '/v1/slow', '"xx"') + message('POST', '/v1/slow', '"xxx"'));
    await waitUntil(() => waiting.begun.length === 1, 'the start');
    // The server takes no more requests.
    await runFor(STALL_MS);
    client.send(message('POST', '/v1/slow', '"xxxx"'));
    client.socket.resume();
    assert.is((await client.response()).body.length, LARGE.length);
    assert.is((await client.response()).body, '2');
    const { body, headers } = await client.response();
    assert.is(body, '3');
    assert.is(headers.get('connection'), 'close');
    assert.is(await client.closed(), '');
  });
});
stayingTogether('sends a body that a mount reads in small portions, with pauses: the body is received whole', async () => {
  const size = 2 * MIB;
  let bytes = 0;
  await serve((server) => {
    server.mount('/portions', (request, response) => {
      const timer = setInterval(() => {
        bytes += (request.read(Math.min(128 * 1024, request.readableLength)) as Buffer | null)?.length ?? 0;
        if (bytes < size) return;
        clearInterval(timer);
        response.end(String(bytes));
      }, 100);
      request.once('close', () => clearInterval(timer));
    });
  }, async ({ port }) => {
    const client = await RawClient.send(port, message('POST', '/portions', 'x'.repeat(size)));
    assert.is((await client.response()).body, String(size));
  });
});
staying.run();
