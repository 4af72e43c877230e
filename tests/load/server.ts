/**
 * The server of the load test, in a separate process, so that only its memory is measured: `node server.js <file for uploads>`. It
 * samples its memory all the time, and follows its parent's commands.
 */
import { EventEmitter, on } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { ApiServer, bytes, defineEndpoint, integerId, reply } from '../../src/index.ts';
import { respondToParent } from '../support/forked.ts';
import { delay } from '../support/wait.ts';
import { CHUNK_BYTES, chunkAt, EVENT_COUNT, EVENT_MS, STOP_GRACE_MS, type Ask, type Measure } from './load-server.ts';
import { registerSequences, Ticks } from './sequences.ts';

const SAMPLING_MS = 10;

const [, , uploads = ''] = process.argv;
const failures: string[] = [];
const emitter = new EventEmitter().setMaxListeners(0);
let mostRss = process.memoryUsage.rss();
let given = 0;
let longestChunk = 0;

const server = new ApiServer('/v1', {
  logger: { info: () => {}, error: (error) => failures.push(error.message) },
  stopGraceMs: STOP_GRACE_MS,
});

/** So many bytes, in chunks that are made when they are asked for. */
async function* blob(total: number): AsyncGenerator<Uint8Array> {
  for (let index = 0; index * CHUNK_BYTES < total; index += 1) {
    given += CHUNK_BYTES;
    yield chunkAt(index);
  }
}

async function* measureChunks(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    given += chunk.length;
    longestChunk = Math.max(longestChunk, chunk.length);
    yield chunk;
  }
}

async function* feed(left: AbortSignal): AsyncGenerator<string> {
  const { stopping } = server;
  try {
    for await (const [id] of on(emitter, 'event', { signal: AbortSignal.any([left, stopping]) })) yield `id: ${id}\ndata: {}\n\n`;
  } catch (thrown) {
    if (!stopping.aborted) throw thrown;
    yield 'event: bye\ndata: {}\n\n';
  }
}

server.registerEndpoint('/blob', defineEndpoint({ id: integerId, get: (total) => reply(200, blob(total)) }));
server.registerEndpoint('/feed', defineEndpoint({
  get: ({ signal }) => reply(200, feed(signal), { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' }),
}));
server.registerEndpoint('/file', defineEndpoint({
  create: {
    input: bytes(),
    limits: { bodyBytes: 2 ** 40, requestMs: 600_000, operationMs: 0 },
    run: (body) => pipeline(body, measureChunks, createWriteStream(uploads)),
  },
}));

const ticks = new Ticks();
registerSequences(server, ticks);

async function publish(): Promise<void> {
  for (let id = 1; id <= EVENT_COUNT; id += 1) {
    emitter.emit('event', id);
    await delay(EVENT_MS);
  }
}

async function respond(ask: Ask): Promise<unknown> {
  switch (ask) {
    case 'start': {
      const started = await server.start('127.0.0.1:0');
      if (!started.ok) throw new Error(started.error);
      return (started.address as AddressInfo).port;
    }
    case 'publish':
      return publish();
    case 'tick':
      return ticks.make();
    case 'stop':
      return server.stop();
    case 'measure':
      return { rss: process.memoryUsage.rss(), mostRss, given, longestChunk, listeners: emitter.listenerCount('event'), failures } satisfies Measure;
  }
}

setInterval(() => (mostRss = Math.max(mostRss, process.memoryUsage.rss())), SAMPLING_MS);
respondToParent(respond);
