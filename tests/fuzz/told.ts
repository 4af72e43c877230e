/**
 * The responses that the beginning of an operation's marker can select: the return value of the user's function, and which response
 * the rules require for that.
 */
import { Readable } from 'node:stream';
import { reply } from '../../src/index.ts';
import { after, twoTurns } from '../support/gate.ts';
import type { ExpectedResponse } from './expected-response.ts';
import { bytesOf } from './operation.ts';
import { RequestedFailure } from './requested-failure.ts';
import { pieces, type Telling } from './pieces.ts';

interface Told {
  /** The return value of the user's function. */
  readonly give: (telling: Telling) => unknown;
  readonly respond: (marker: string) => ExpectedResponse;
}

const LARGE_PIECES = 40;
const LARGE_PIECE = 'x'.repeat(8192);
const TEXT = { 'Content-Type': 'text/plain; charset=utf-8' } as const;

const whole = (marker: string): string => bytesOf(`<${marker}>`);
const stream = (marker: string): ExpectedResponse => {
  return { status: 200, headers: { 'content-type': 'application/octet-stream' }, body: whole(marker), isStream: true };
};
const broken = (marker: string): ExpectedResponse => ({ ...stream(marker), breaks: true, logs: true });
const json = (status: number, marker: string, headers = {}): ExpectedResponse => {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: bytesOf(JSON.stringify({ marker })) };
};
const empty = (status: number, headers = {}): ExpectedResponse => ({ status, headers, body: '' });
const rejected: ExpectedResponse = { status: 500, logs: true, isReply: true };

const TOLD: Readonly<Record<string, Told>> = {
  json: { give: done(({ marker }) => reply(200, { marker })), respond: (marker) => json(200, marker) },
  accepted: {
    give: done(({ marker }) => reply(202, { marker }, { 'X-Told': 'yes', 'Cache-Control': 'no-store' })),
    respond: (marker) => json(202, marker, { 'x-told': 'yes', 'cache-control': 'no-store' }),
  },
  elsewhere: { give: done(() => reply(303, undefined, { Location: '/v1/told' })), respond: () => empty(303, { location: '/v1/told' }) },
  nothing: { give: done(() => reply(204)), respond: () => empty(204) },
  reset: { give: done(() => reply(205)), respond: () => empty(205) },
  known: { give: done(() => reply(304, undefined, { ETag: '"t"' })), respond: () => empty(304, { etag: '"t"' }) },
  tagged: {
    give: done(({ marker }) => reply(200, { marker }, { ETag: '"t"' })),
    respond: (marker) => ({ ...json(200, marker, { etag: '"t"' }), tag: '"t"' }),
  },
  text: {
    give: done(({ marker }) => reply(200, `\u00e9 ${marker}`, TEXT)),
    respond: (marker) => ({ status: 200, headers: { 'content-type': TEXT['Content-Type'] }, body: bytesOf(`\u00e9 ${marker}`) }),
  },
  bytes: {
    give: done(({ marker }) => reply(200, new TextEncoder().encode(marker))),
    respond: (marker) => ({ status: 200, headers: { 'content-type': 'application/octet-stream' }, body: bytesOf(marker) }),
  },
  iterable: { give: (telling) => reply(200, pieces(telling)), respond: stream },
  node: { give: ({ marker, begun }) => reply(200, closing(Readable.from(['<', Buffer.from(marker), '>']), begun.end)), respond: stream },
  web: { give: (telling) => reply(200, webStream(telling)), respond: stream },
  taggedstream: { give: (telling) => reply(200, pieces(telling), { ETag: '"t"' }), respond: (marker) => ({ ...stream(marker), tag: '"t"' }) },
  declared: { give: (telling) => reply(200, pieces(telling), lengthOf(telling, 0)), respond: (marker) => ({ ...stream(marker), isStream: false }) },
  short: { give: (telling) => reply(200, pieces(telling), lengthOf(telling, 1)), respond: (marker) => ({ ...broken(marker), isStream: false }) },
  long: { give: (telling) => reply(200, pieces(telling), lengthOf(telling, -2)), respond: (marker) => ({ ...broken(marker), isStream: false }) },
  failing: { give: (telling) => reply(200, pieces(telling, new RequestedFailure(telling.marker))), respond: broken },
  odd: { give: (telling) => reply(200, pieces(telling, undefined, 7)), respond: broken },
  erring: { give: ({ marker, begun }) => reply(200, closing(erring(marker), begun.end)), respond: (marker) => ({ ...broken(marker), body: '<' }) },
  dead: { give: done(({ marker }) => reply(200, new Readable().destroy(new RequestedFailure(marker)))), respond: () => rejected },
  large: {
    give: ({ begun }) => reply(200, closing(Readable.from(Array<string>(LARGE_PIECES).fill(LARGE_PIECE)), begun.end)),
    respond: (marker) => ({ ...stream(marker), body: LARGE_PIECE.repeat(LARGE_PIECES) }),
  },
  endless: { give: (telling) => reply(200, endless(telling)), respond: (marker) => ({ ...stream(marker), hangs: true }) },
  silent: { give: (telling) => reply(200, silent(telling)), respond: (marker) => ({ ...stream(marker), hangs: true }) },
  promise: { give: done(async ({ marker }) => (await twoTurns(), reply(200, { marker }))), respond: (marker) => json(200, marker) },
  cycle: {
    give: done(({ marker }) => reply(200, { marker, get cycle(): unknown { throw new RequestedFailure(marker); } })),
    respond: () => rejected,
  },
};

/** Those that get a complete response, or whose connection the server destroys. */
export const TOLD_NAMES = Object.keys(TOLD).filter((name) => name !== 'endless' && name !== 'silent') as [string, ...string[]];

/** The response that this marker selects. `undefined` if it selects none. */
export function toldBy(marker: string): Told | undefined {
  const [name = ''] = marker.split('-', 1);
  return Object.hasOwn(TOLD, name) ? TOLD[name] : undefined;
}

/** Ends the operation before its response. */
function done(give: Told['give']): Told['give'] {
  return (telling) => (telling.begun.end(), give(telling));
}

function lengthOf({ marker }: Telling, more: number): { readonly 'Content-Length': string } {
  return { 'Content-Length': String(whole(marker).length + more) };
}

function closing(readable: Readable, end: () => void): Readable {
  return readable.once('close', end);
}

function erring(marker: string): Readable {
  const readable = new Readable({ read: () => {} });
  readable.push('<');
  setImmediate(() => readable.destroy(new RequestedFailure(marker)));
  return readable;
}

function webStream(telling: Telling): ReadableStream {
  const iterator = pieces(telling)[Symbol.asyncIterator]();
  return new ReadableStream({
    pull: async (controller) => {
      const { done: isDone, value } = await iterator.next();
      if (isDone === true) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void (await iterator.return?.()),
  });
}

async function* endless({ begun }: Telling): AsyncGenerator<string> {
  try {
    for (;;) {
      yield 'x'.repeat(1000);
      await after(1);
    }
  } finally {
    begun.end();
  }
}

/** A stream that yields nothing more after its first piece. */
function silent({ begun }: Telling): Readable {
  const readable = closing(new Readable({ read: () => {} }), begun.end);
  readable.push('<');
  return readable;
}
