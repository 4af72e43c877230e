/**
 * The server of the soak test. It runs in a separate process, so that only the server is measured. It stores nothing. Its parent sends
 * commands to start, to stop and to measure it.
 */
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { ApiError, ApiServer, bytes, defineEndpoint, integerId, reply } from '../../src/index.ts';
import { respondToParent } from '../support/forked.ts';
import type { Ask, Measure } from './server-process.ts';

let failures = 0;
// Every failure of a Custom operation is logged. Below 500 it has no cause.
const error = ({ message, cause }: Error): void => {
  const isExpected = cause === undefined ? !message.endsWith(' ms') : cause instanceof ApiError;
  if (!isExpected) failures += 1;
};
const server = new ApiServer('/v1', { logger: { info: () => {}, error }, limits: { bodyBytes: 100_000 } });

interface Note {
  readonly marker: string;
}

function decodeNote(json: unknown): Note {
  const { marker } = Object(json) as { marker?: unknown };
  if (typeof marker !== 'string') throw new Error('marker: expected text');
  return { marker };
}

let lastId = 0;
server.registerEndpoint('/note', defineEndpoint({
  id: integerId,
  schema: decodeNote,
  create: () => (lastId += 1),
  get: (id) => ({ marker: String(id) }),
  update: async () => {},
  delete: () => {},
  custom: {
    say: { input: decodeNote, run: (note: Note) => note },
    // Long enough for the request to arrive before the stop, and shorter than `stopGraceMs`.
    later: { input: decodeNote, run: (note: Note) => new Promise((resolve) => setTimeout(resolve, 500, note)) },
  },
}));

async function* pieces(id: number): AsyncGenerator<string> {
  for (const piece of [`<${id}`, '', '>']) {
    yield piece;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

async function sizeOf(body: AsyncIterable<Uint8Array>): Promise<number> {
  let size = 0;
  for await (const chunk of body) size += chunk.length;
  return size;
}

// Streams, bytes, and a context that rejects some callers, in a sub-path with a parameter.
server.registerEndpoint('/zoo/:zoo/film', defineEndpoint({
  id: integerId,
  params: { zoo: integerId },
  context: ({ raw }) => {
    if (raw.headers['x-key'] !== 'open') throw ApiError.status(403, 'not you');
    return true;
  },
  get: (id) => reply(200, id % 2 === 0 ? pieces(id) : Readable.from(pieces(id))),
  custom: {
    size: { input: bytes(), run: sizeOf },
    echo: { input: bytes(), run: (body: AsyncIterable<Uint8Array>) => reply(200, body) },
    unread: { input: bytes(), run: () => 'unread' },
  },
}));
server.mount('/files', (request, response) => response.end(request.url));

async function respond(ask: Ask): Promise<unknown> {
  if (ask === 'stop') return server.stop();
  if (ask === 'measure') return measure();
  const started = await server.start('127.0.0.1:0');
  if (!started.ok) throw new Error(started.error);
  return (started.address as AddressInfo).port;
}

function measure(): Measure {
  // The second collection frees the objects that the first one released.
  for (let times = 0; times < 2; times += 1) globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  const handles: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) handles[kind] = (handles[kind] ?? 0) + 1;
  return { heapUsed, rss, handles, failures };
}

respondToParent(respond);
