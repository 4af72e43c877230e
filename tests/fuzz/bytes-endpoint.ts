/** The subject's endpoint whose operations read their bodies as bytes: all of it, some, nothing, or too late. */
import { bytes, defineEndpoint, reply, type ApiServer } from '../../src/index.ts';
import { logStringId } from './operation-parts.ts';
import type { ExpectedResponse } from './expected-response.ts';
import { bytesOf } from './operation.ts';
import type { CallLog } from './call-log.ts';
import { RequestedFailure } from './requested-failure.ts';

type Body = AsyncIterable<Uint8Array>;

/** The longest bodies of the two operations. One is shorter than the limit of the server, and the other longer than a stream buffers. */
export const PUT_BYTES = 500;
export const LOAD_BYTES = 50_000;
export const PUT_TYPES = ['image/*', 'application/octet-stream'] as const;

interface Reading {
  readonly read: (body: Body, marker: string) => unknown;
  readonly respond: (marker: string, body: string) => ExpectedResponse;
}

const sizeIn = (bytes: number): ExpectedResponse => ({ status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ bytes }) });
const expectMarker = (marker: string): ExpectedResponse => ({ status: 200, headers: { 'content-type': 'application/json' }, body: bytesOf(JSON.stringify({ marker })) });

const READINGS: Readonly<Record<string, Reading>> = {
  whole: { read: async (body) => reply(200, { bytes: await sizeOf(body) }), respond: (_, body) => ({ ...sizeIn(body.length), reads: 'all' }) },
  both: {
    read: async (body) => {
      const [one, other] = await Promise.all([sizeOf(body), sizeOf(body)]);
      return reply(200, { bytes: one + other });
    },
    respond: (_, body) => ({ ...sizeIn(body.length), reads: 'all' }),
  },
  half: { read: async (body, marker) => (await first(body), reply(200, { marker })), respond: (marker) => ({ ...expectMarker(marker), reads: 'some' }) },
  failing: {
    read: async (body, marker) => {
      await first(body);
      throw new RequestedFailure(marker);
    },
    respond: () => ({ status: 500, logs: true, reads: 'some' }),
  },
  never: { read: (_, marker) => reply(200, { marker }), respond: (marker) => ({ ...expectMarker(marker), reads: 'nothing' }) },
  early: {
    read: (_, marker) => {
      throw new RequestedFailure(marker);
    },
    respond: () => ({ status: 500, logs: true, reads: 'nothing' }),
  },
  late: {
    read: (body, marker) => {
      setImmediate(() => sizeOf(body).catch(() => {}));
      return reply(200, { marker });
    },
    respond: (marker) => ({ ...expectMarker(marker), reads: 'nothing' }),
  },
  echo: {
    read: (body) => reply(200, body),
    respond: (_, body) => ({ status: 200, headers: { 'content-type': 'application/octet-stream' }, body, isStream: true, reads: 'all' }),
  },
};

export const READING_NAMES = Object.keys(READINGS) as [string, ...string[]];

/** How an operation with this marker reads its body. */
export function findReading(marker: string): Reading {
  const [name = ''] = marker.split('-', 1);
  return (Object.hasOwn(READINGS, name) ? READINGS[name] : undefined) ?? READINGS['whole'] as Reading;
}

/** Registers it with a server. */
export function registerBytes(server: ApiServer, log: CallLog): void {
  const read = (operation: string, marker: string, body: Body): unknown => {
    const begun = log.begin(`bytes ${operation} ${marker}`);
    const reading = findReading(marker);
    if (reading === READINGS['echo']) return reply(200, endOnClose(body, begun.end));
    const end = <T>(promised: T): T => (begun.end(), promised);
    try {
      const result = reading.read(body, marker);
      return result instanceof Promise ? result.finally(begun.end) : end(result);
    } catch (thrown) {
      throw end(thrown);
    }
  };
  server.registerEndpoint('/bytes', defineEndpoint({
    id: logStringId(log),
    update: { input: bytes({ types: PUT_TYPES }), limits: { bodyBytes: PUT_BYTES }, run: (id, body) => read('update', id, body) },
    custom: {
      load: {
        input: bytes(), limits: { bodyBytes: LOAD_BYTES },
        run: (body: Body, { query }) => read('load', query.get('marker') ?? '', body),
      },
    },
  }));
}

/** A body that calls a function when its iteration is over, or when nobody will iterate it. */
function endOnClose(body: Body, end: () => void): Body {
  const iterator = body[Symbol.asyncIterator]();
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        try {
          const result = await iterator.next();
          if (result.done === true) end();
          return result;
        } catch (thrown) {
          end();
          throw thrown;
        }
      },
      return: async () => (end(), iterator.return?.() ?? { done: true, value: undefined }),
    }),
  };
}

async function sizeOf(body: Body): Promise<number> {
  let size = 0;
  for await (const chunk of body) size += chunk.length;
  return size;
}

async function first(body: Body): Promise<void> {
  for await (const _ of body) return;
}
