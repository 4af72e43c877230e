/**
 * Server-sent events (WHATWG HTML section 9.2), as an output.
 *
 *   { output: events({ arrived: Pet, left: Gone }), run: (request) => arrivals(request.lastEventId) }
 *
 *   { id: '7', event: 'arrived', data: { name: 'ant' } }   ->   id: 7
 *                                                               event: arrived
 *                                                               data: {"name":"ant"}
 */
import { checkInteger, checkObject } from '../util/options.ts';
import { after, disownCall } from '../util/promises.ts';
import { clearTimeout, setTimeout } from '../util/timers.ts';
import type { Decoded, DecoderInput, MaybePromise } from '../declaration/decoder.ts';
import { makeFormat } from '../declaration/define-format.ts';
import type { Format, FormatInternals } from '../declaration/format.ts';
import { asyncHooks } from '../node.ts';
import { createDecoder, type ItemDecoder, type Items, ItemStrings } from './items.ts';
import { stringifyItem } from './ndjson.ts';

/** The parts of an event other than its name and its data. */
export interface EventParts {
  /** A client that reconnects sends the last one as `request.lastEventId`. */
  readonly id?: string;
  /** How long a client waits before it reconnects, in milliseconds. */
  readonly retry?: number;
}

/** Only the id that a client keeps of its last event, which it does not see as an event: for a stream that leaves out many. */
export interface LastEventId extends EventParts {
  /** What the client sends as `request.lastEventId` when it reconnects. */
  readonly id: string;
  /** Left out. */
  readonly event?: never;
  /** Left out. */
  readonly data?: never;
}

type Named = Readonly<Record<string, ItemDecoder>>;
/** The events of one decoder. */
export type PlainEvents<D> = Events<
  (EventParts & { readonly event?: string; readonly data: DecoderInput<D> }) | LastEventId,
  { readonly id?: string; readonly event: string; readonly data: Decoded<D> }
>;
/** Events with a decoder for each name. */
export type NamedEvents<M> = Events<
  { readonly [N in keyof M]: EventParts & { readonly event: N; readonly data: DecoderInput<M[N]> } }[keyof M] | LastEventId,
  { readonly [N in keyof M]: { readonly id?: string; readonly event: N; readonly data: M[N] extends ItemDecoder ? Decoded<M[N]> : never } }[keyof M]
>;
type Events<Given, Received> = Format<Items<Given>, AsyncIterable<Received>, 'events'>;

// A comment, so that proxies keep a silent connection.
const HEARTBEAT = ':\n\n';

/**
 * Sends server-sent events as an output. `run` returns an iterable or an async iterable of events. The `data` of each goes through the
 * decoder, and is sent as JSON. With an object of decoders by name, each event has one of the names: any other is logged, and gets 500, or
 * destroys the connection if events have been sent. The iterator is closed when the client leaves, and when the server begins to stop.
 *
 * An event that is frozen, as its `data`, is decoded and written once, for all readers.
 *
 * An `id` or `event` must not contain a line end or NUL, and `retry`, in milliseconds, must be a whole number. Anything else is logged, and
 * gets 500; the connection is destroyed if events have been sent. `{ id }` without `data` only moves `request.lastEventId` of a client that
 * reconnects.
 *
 * @example
 * ```ts
 * server.registerEndpoint('/feed', {
 *   get: {
 *     output: events(Pet),
 *     run: async function* () {
 *       for (const { id, ...pet } of await db.list()) yield { id: String(id), data: pet };
 *     },
 *   },
 * });
 * server.registerEndpoint('/changes', {
 *   get: {
 *     output: events({ arrived: Pet, left: z.object({ id: z.int() }) }),
 *     run: async function* () {
 *       yield { event: 'arrived', data: { name: 'Rex', legs: 4 } } as const;
 *       yield { event: 'left', data: { id: 7 } } as const;
 *     },
 *   },
 * });
 * ```
 * @throws `TypeError` for an invalid decoder.
 */
export function events<const D extends ItemDecoder | Named>(data: D): D extends ItemDecoder ? PlainEvents<D> : NamedEvents<D>;
export function events(declared: ItemDecoder | Named): Events<any, any> {
  const format = onceForFrozen(formatEvents(isDecoder(declared) ? decodePlain(declared) : decodeNamed(declared)));
  // Its headers are for caches and proxies.
  const internals = { kind: 'events', addedHeaders: [], heartbeatMs: 15_000 } as const satisfies FormatInternals;
  return makeFormat<Items<any>, AsyncIterable<any>, 'events'>(internals, {
    types: ['text/event-stream'],
    headers: { 'Cache-Control': 'no-store, no-transform', 'X-Accel-Buffering': 'no' },
    encode: (given: Items<unknown>, { stopping }) => new EventStream(new ItemStrings(given, format), internals.heartbeatMs, stopping),
    jsonSchema: (schemaOf) => {
      if (isDecoder(declared)) return describeEvent({}, schemaOf(declared));
      return { oneOf: Object.entries(declared).map(([name, data]) => describeEvent({ const: name }, schemaOf(data))) };
    },
    isSequence: true,
  });
}

function isDecoder(declared: ItemDecoder | Named): declared is ItemDecoder {
  return typeof declared === 'function' || '~standard' in checkObject(declared, 'events');
}

interface GivenEvent extends EventParts {
  readonly event?: string;
  readonly data: unknown;
}

type DecodeEvent = (data: unknown, event: string | undefined) => MaybePromise<unknown>;

function decodePlain(decoder: ItemDecoder): DecodeEvent {
  const decode = createDecoder(decoder);
  return (data) => decode(data);
}

function decodeNamed(named: Named): DecodeEvent {
  const decoders = new Map(Object.entries(named).map(([name, decoder]) => [checkLine(name, 'an event'), createDecoder(decoder)]));
  return (data, event = 'message') => {
    const decode = decoders.get(event);
    if (decode === undefined) throw new TypeError(`an event has a name that events() does not have: ${JSON.stringify(event)}`);
    return decode(data);
  };
}

type FormatEvent = (item: unknown) => MaybePromise<string>;

/** An event that many readers get is checked and written for the first of them, if it cannot have changed since. */
function onceForFrozen(format: FormatEvent): FormatEvent {
  const formatted = new WeakMap<object, MaybePromise<string>>();
  return (item) => {
    if (!isFrozenObject(item) || !Object.isFrozen((item as GivenEvent).data)) return format(item);
    let text = formatted.get(item);
    if (text === undefined) formatted.set(item, (text = format(item)));
    return text;
  };
}

function isFrozenObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.isFrozen(value);
}

function formatEvents(decode: DecodeEvent): FormatEvent {
  return (item) => {
    const given = checkObject(item, 'an event') as unknown as GivenEvent;
    const { id, event, data, retry } = given;
    const lines = [
      id === undefined ? '' : `id: ${checkLine(id, 'the id of an event')}\n`,
      event === undefined ? '' : `event: ${checkLine(event, 'the name of an event')}\n`,
      retry === undefined ? '' : `retry: ${checkInteger(retry, 'the retry of an event', 0, Number.MAX_SAFE_INTEGER)}\n`,
    ];
    if (id !== undefined && !('event' in given) && !('data' in given)) return `${lines.join('')}\n`;
    // JSON has no line ends, so the data is one line.
    return after(decode(data, event), (decoded) => `${lines.join('')}data: ${stringifyItem(decoded)}\n\n`);
  };
}

/** Throws `TypeError` for a value that does not fit on a line. A client would ignore an id with NUL. */
function checkLine(value: unknown, what: string): string {
  if (typeof value === 'string' && !/[\r\n\0]/.test(value)) return value;
  throw new TypeError(`${what} must be a string without line ends and NUL: ${JSON.stringify(value)}`);
}

function describeEvent(event: object, data: object): object {
  return {
    type: 'object',
    required: 'const' in event ? ['event', 'data'] : ['data'],
    properties: {
      id: { type: 'string' },
      event: { type: 'string', ...event },
      data: { type: 'string', contentMediaType: 'application/json', contentSchema: data },
      retry: { type: 'integer', minimum: 0 },
    },
  };
}

const END = { done: true, value: undefined } as const;
const SILENCE = { done: false, value: HEARTBEAT } as const;
type Next = IteratorResult<string, undefined>;

/** Formatted events, with a comment after each silence. Not by async functions: their promises are made anew for each of many readers. */
class EventStream implements AsyncIterableIterator<string> {
  readonly #events: ItemStrings;
  readonly #heartbeatMs: number;
  readonly #stopping: AbortSignal;
  // The next event, if it came while nobody waited for it: a comment was sent in its place.
  #ready: Promise<Next> | undefined;
  // The event that is asked for.
  #event: Promise<Next> | undefined;
  #isEnded = false;
  #timer: NodeJS.Timeout | undefined;
  #resolve: ((next: Next | Promise<Next>) => void) | undefined;

  constructor(events: ItemStrings, heartbeatMs: number, stopping: AbortSignal) {
    this.#events = events;
    this.#heartbeatMs = heartbeatMs;
    this.#stopping = stopping;
    stopping.addEventListener('abort', this.#stop);
    if (stopping.aborted) this.#stop();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Resolves to the next event, a comment after a silence, or the end. */
  next(): Promise<Next> {
    const ready = this.#isEnded ? Promise.resolve(END) : this.#ready;
    this.#ready = undefined;
    if (ready !== undefined) return ready;
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#timer = this.#timer?.refresh() ?? setTimeout(() => this.#wake(SILENCE), this.#heartbeatMs).unref();
      if (this.#event === undefined) this.#pull();
    });
  }

  async return(): Promise<Next> {
    this.#isEnded = true;
    this.#leave();
    this.#wake(END);
    return this.#events.return();
  }

  // The stream ends at once, even if the user's iterator does not. That is closed in the context in which it was made, and not in that of
  // who stops the server.
  readonly #context = new asyncHooks.AsyncResource('RESTPOINT_EVENTS');
  readonly #stop = (): void => this.#context.runInAsyncScope(disownCall, undefined, () => this.return());

  #leave(): void {
    this.#stopping.removeEventListener('abort', this.#stop);
    clearTimeout(this.#timer);
  }

  /** Returns whether anybody has waited. */
  #wake(next: Next | Promise<Next>): boolean {
    const resolve = this.#resolve;
    this.#resolve = undefined;
    resolve?.(next);
    return resolve !== undefined;
  }

  /** Asks for the next event. */
  #pull(): void {
    this.#event = this.#events.next();
    this.#event.then(this.#take, this.#fail);
  }

  readonly #take = (next: Next): void => this.#settle(next, next.done === true);
  readonly #fail = (): void => this.#settle(this.#event as Promise<Next>, true);

  #settle(next: Next | Promise<Next>, isOver: boolean): void {
    const event = this.#event;
    this.#event = undefined;
    if (isOver) this.#leave();
    if (!this.#wake(next)) this.#ready = event;
  }
}
