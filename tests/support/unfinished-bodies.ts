/** Unfinished bodies that arrive in chunks of one byte: what they hold in memory, and what is read of them. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { ndjson } from '../../src/formats/index.ts';
import { bytes, type ApiServer } from '../../src/index.ts';
import { mcpHandler } from '../../src/mcp/index.ts';
import { delay, Gate, runFor, waitUntil } from './wait.ts';
import { head } from './messages.ts';
import { RawClient } from './raw-client.ts';
import { serve } from './serve.ts';
import { IS_IN_MEMORY } from './transport.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const CHANNEL = 'http.server.request.start';
// Apart from the body: what two connections and their objects take.
const OTHER_BYTES = 1_500_000;
const LAST_CHUNKS = '1\r\n"\r\n0\r\n\r\n';

async function readAll(body: AsyncIterable<Uint8Array>): Promise<number> {
  let length = 0;
  for await (const chunk of body) length += chunk.length;
  return length;
}

/** Declares operations with all kinds of bodies. Those named `late` read nothing before the gate opens. */
function declare(server: ApiServer, gate: Gate): void {
  server.registerEndpoint('/item', {
    custom: {
      json: { input: (value: unknown) => String(value).length, run: (length: number) => length },
      lateJson: { context: () => gate.passed.then(() => true), input: (value: unknown) => String(value).length, run: (length: number) => length },
      bytes: { input: bytes(), run: readAll },
      lateBytes: { input: bytes(), run: (body: AsyncIterable<Uint8Array>) => gate.passed.then(() => readAll(body)) },
      slowBytes: {
        input: bytes(),
        run: async (body: AsyncIterable<Uint8Array>) => {
          for await (const _first of body) break;
          await gate.passed;
          return 1 + await readAll(body);
        },
      },
      ndjson: {
        input: ndjson((value: unknown) => String(value).length),
        run: async (lengths: AsyncIterable<number>) => {
          let sum = 0;
          for await (const length of lengths) sum += length;
          return sum;
        },
      },
    },
  } as never);
  server.mount('/mcp', mcpHandler(server, { info: { name: 'zoo', version: '1' } }));
}

function heldBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Declares tests of bodies of so many chunks: each takes little memory, and is read whole. */
export function declareUnfinishedBodies(test: Test, longest: number): void {
  for (const [name, target, headers, isRead, status] of [
    ['JSON', '/v1/item/json', [], true, 200],
    ['JSON whose context is not there yet', '/v1/item/lateJson', [], false, 200],
    ['bytes, read as they come', '/v1/item/bytes', [], true, 200],
    ['bytes that are read later', '/v1/item/lateBytes', [], false, 200],
    ['bytes that are read to the first chunk', '/v1/item/slowBytes', [], false, 200],
    ['one line of NDJSON', '/v1/item/ndjson', ['Content-Type: application/x-ndjson'], true, 200],
    ['a message to /mcp', '/mcp', [], true, 400],
  ] as const) {
    // A line of NDJSON must not be longer than 64 KiB.
    const count = target.endsWith('ndjson') ? Math.min(longest, 60_000) : longest;
    // A JSON string, without its closing quote.
    const chunks = Buffer.from(`1\r\n"\r\n${'1\r\nx\r\n'.repeat(count)}`);
    test(`${name}: takes little more than twice its bytes, and is read whole`, async () => {
      const gate = new Gate();
      const sockets: Socket[] = [];
      const see = (published: unknown): void => void sockets.push((published as { request: IncomingMessage }).request.socket);
      await serve((server) => declare(server, gate), async ({ port }) => {
        const client = await RawClient.connect(port);
        const type = headers.length > 0 || !/json|mcp/i.test(target) ? headers : ['Content-Type: application/json'];
        subscribe(CHANNEL, see);
        try {
          const requestHead = head('POST', target, [...type, 'Transfer-Encoding: chunked']);
          const before = heldBytes();
          client.send(requestHead);
          await waitUntil(() => sockets.length > 0, 'the head');
          const [socket] = sockets as [Socket];
          client.send(chunks);
          if (isRead) {
            await waitUntil(() => socket.bytesRead >= requestHead.length + chunks.length, 'the body');
          } else {
            // The server reads ahead, up to a limit, only after a while in which nothing moves.
            for (let seen = -1; seen !== socket.bytesRead; await runFor(1500)) seen = socket.bytesRead;
          }
          await delay(5);
          const taken = heldBytes() - before;
          // What the client has not sent yet is in this process too. A connection in memory passes one copy of all, which its first chunk keeps.
          const unsent = IS_IN_MEMORY ? chunks.length : client.socket.writableLength;
          assert.ok(taken - unsent < 2 * count + OTHER_BYTES, `${taken} bytes for ${count}, without ${unsent} unsent`);
          gate.open();
          client.send(LAST_CHUNKS);
          const { status: received, body } = await client.response();
          assert.is(received, status);
          if (status === 200) assert.is(body, String(target.endsWith('ytes') ? count + 2 : count));
        } finally {
          unsubscribe(CHANNEL, see);
          client.destroy();
        }
        // A busy machine takes long to read a chunk for each byte.
      }, { limits: { requestMs: 120_000 } });
    });
  }
}
