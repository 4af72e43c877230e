/**
 * The responses that the beginning of an operation's marker can select: the return value of the user's function, and which response
 * the rules require for that.
 */
import { Buffer } from 'node:buffer';
import { Readable } from 'node:stream';
import { reply } from '../../src/index.ts';
import { delay, waitTwoTurns } from '../support/wait.ts';
import type { ExpectedResponse } from './expected-response.ts';
import { bytesOf } from './operation.ts';
import { RequestedFailure } from './requested-failure.ts';
import type { Begun, CallLog } from './call-log.ts';

/** What an operation knows when it returns its result. */
interface ReplyCall {
  readonly marker: string;
  readonly begun: Begun;
  readonly log: CallLog;
}

interface SelectedReply {
  /** The return value of the user's function. */
  readonly give: (call: ReplyCall) => unknown;
  readonly respond: (marker: string) => ExpectedResponse;
}

const LARGE_PIECES = 40;
const LARGE_PIECE = 'x'.repeat(8192);
const TEXT = { 'Content-Type': 'text/plain; charset=utf-8' } as const;

const formatWhole = (marker: string): string => bytesOf(`<${marker}>`);
const stream = (marker: string): ExpectedResponse => {
  return { status: 200, headers: { 'content-type': 'application/octet-stream' }, body: formatWhole(marker), isStream: true };
};
const expectBroken = (marker: string): ExpectedResponse => ({ ...stream(marker), breaks: true, logs: true });
const json = (status: number, marker: string, headers = {}): ExpectedResponse => {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: bytesOf(JSON.stringify({ marker })) };
};
const empty = (status: number, headers = {}): ExpectedResponse => ({ status, headers, body: '' });
const rejected: ExpectedResponse = { status: 500, logs: true, isReply: true };

const REPLIES: Readonly<Record<string, SelectedReply>> = {
  json: { give: done(({ marker }) => reply(200, { marker })), respond: (marker) => json(200, marker) },
  accepted: {
    give: done(({ marker }) => reply(202, { marker }, { 'X-Reply': 'yes', 'Cache-Control': 'no-store' })),
    respond: (marker) => json(202, marker, { 'x-reply': 'yes', 'cache-control': 'no-store' }),
  },
  elsewhere: { give: done(() => reply(303, undefined, { Location: '/v1/replies' })), respond: () => empty(303, { location: '/v1/replies' }) },
  nothing: { give: done(() => reply(204)), respond: () => empty(204) },
  reset: { give: done(() => reply(205)), respond: () => empty(205) },
  known: { give: done(() => reply(304, undefined, { ETag: '"t"' })), respond: () => empty(304, { etag: '"t"' }) },
  tagged: {
    give: done(({ marker }) => reply(200, { marker }, { ETag: '"t"' })),
    respond: (marker) => ({ ...json(200, marker, { etag: '"t"' }), tag: '"t"' }),
  },
  identified: {
    give: done(({ marker }) => reply(200, { marker }, { 'X-Request-Id': 'own' })),
    respond: (marker) => json(200, marker, { 'x-request-id': 'own' }),
  },
  text: {
    give: done(({ marker }) => reply(200, `\u00e9 ${marker}`, TEXT)),
    respond: (marker) => ({ status: 200, headers: { 'content-type': TEXT['Content-Type'] }, body: bytesOf(`\u00e9 ${marker}`) }),
  },
  bytes: {
    give: done(({ marker }) => reply(200, new TextEncoder().encode(marker))),
    respond: (marker) => ({ status: 200, headers: { 'content-type': 'application/octet-stream' }, body: bytesOf(marker) }),
  },
  iterable: { give: (call) => reply(200, pieces(call)), respond: stream },
  node: { give: ({ marker, begun }) => reply(200, endOnClose(Readable.from(['<', Buffer.from(marker), '>']), begun.end)), respond: stream },
  web: { give: (call) => reply(200, webStream(call)), respond: stream },
  taggedstream: { give: (call) => reply(200, pieces(call), { ETag: '"t"' }), respond: (marker) => ({ ...stream(marker), tag: '"t"' }) },
  declared: { give: (call) => reply(200, pieces(call), lengthOf(call, 0)), respond: (marker) => ({ ...stream(marker), isStream: false }) },
  short: { give: (call) => reply(200, pieces(call), lengthOf(call, 1)), respond: (marker) => ({ ...expectBroken(marker), isStream: false }) },
  long: { give: (call) => reply(200, pieces(call), lengthOf(call, -2)), respond: (marker) => ({ ...expectBroken(marker), isStream: false }) },
  failing: { give: (call) => reply(200, pieces(call, new RequestedFailure(call.marker))), respond: expectBroken },
  odd: { give: (call) => reply(200, pieces(call, undefined, 7)), respond: expectBroken },
  erring: { give: ({ marker, begun }) => reply(200, endOnClose(makeErring(marker), begun.end)), respond: (marker) => ({ ...expectBroken(marker), body: '<' }) },
  dead: { give: done(({ marker }) => reply(200, new Readable().destroy(new RequestedFailure(marker)))), respond: () => rejected },
  large: {
    give: ({ begun }) => reply(200, endOnClose(Readable.from(Array<string>(LARGE_PIECES).fill(LARGE_PIECE)), begun.end)),
    respond: (marker) => ({ ...stream(marker), body: LARGE_PIECE.repeat(LARGE_PIECES) }),
  },
  endless: { give: (call) => reply(200, yieldForever(call)), respond: (marker) => ({ ...stream(marker), hangs: true }) },
  silent: { give: (call) => reply(200, makeSilent(call)), respond: (marker) => ({ ...stream(marker), hangs: true }) },
  promise: { give: done(async ({ marker }) => (await waitTwoTurns(), reply(200, { marker }))), respond: (marker) => json(200, marker) },
  cycle: {
    give: done(({ marker }) => reply(200, { marker, get cycle(): unknown { throw new RequestedFailure(marker); } })),
    respond: () => rejected,
  },
};

/** Those that get a complete response, or whose connection the server destroys. */
export const REPLY_NAMES = Object.keys(REPLIES).filter((name) => name !== 'endless' && name !== 'silent') as [string, ...string[]];

/** The response that this marker selects. `undefined` if it selects none. */
export function findReply(marker: string): SelectedReply | undefined {
  const [name = ''] = marker.split('-', 1);
  return Object.hasOwn(REPLIES, name) ? REPLIES[name] : undefined;
}

/** Ends the operation before its response. */
function done(give: SelectedReply['give']): SelectedReply['give'] {
  return (call) => (call.begun.end(), give(call));
}

function lengthOf({ marker }: ReplyCall, more: number): { readonly 'Content-Length': string } {
  return { 'Content-Length': String(formatWhole(marker).length + more) };
}

function endOnClose(readable: Readable, end: () => void): Readable {
  return readable.once('close', end);
}

function makeErring(marker: string): Readable {
  const readable = new Readable({ read: () => {} });
  readable.push('<');
  setImmediate(() => readable.destroy(new RequestedFailure(marker)));
  return readable;
}

function webStream(call: ReplyCall): ReadableStream {
  const iterator = pieces(call)[Symbol.asyncIterator]();
  return new ReadableStream({
    pull: async (controller) => {
      const { done: isDone, value } = await iterator.next();
      if (isDone === true) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void (await iterator.return?.()),
  });
}

async function* yieldForever({ begun }: ReplyCall): AsyncGenerator<string> {
  try {
    for (;;) {
      yield 'x'.repeat(1000);
      await delay(1);
    }
  } finally {
    begun.end();
  }
}

/** A stream that yields nothing more after its first piece. */
function makeSilent({ begun }: ReplyCall): Readable {
  const readable = endOnClose(new Readable({ read: () => {} }), begun.end);
  readable.push('<');
  return readable;
}

/**
 * The marker between `<` and `>`, in strings and bytes, some of them empty, some later. At the end yields `odd`, or throws `failure`, if
 * there is one. The operation ends when the stream has ended or is closed.
 */
function pieces({ marker, begun, log }: ReplyCall, failure?: Error, odd?: unknown): AsyncIterable<unknown> {
  const steps: unknown[] = ['<', '', Buffer.from(marker), Buffer.alloc(0), '>'];
  if (odd !== undefined) steps.push(odd);
  const next = async (): Promise<IteratorResult<unknown>> => {
    log.note('next', marker);
    if (steps.length % 2 === 0) await waitTwoTurns();
    if (steps.length > 0) return { done: false, value: steps.shift() };
    begun.end();
    if (failure !== undefined) throw failure;
    return { done: true, value: undefined };
  };
  const close = async (): Promise<IteratorResult<unknown>> => {
    log.note('close', marker);
    begun.end();
    return { done: true, value: undefined };
  };
  return { [Symbol.asyncIterator]: () => ({ next, return: close }) };
}
