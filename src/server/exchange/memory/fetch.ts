/**
 * `ApiServer.fetch`: a web `Request` becomes an exchange, and its response becomes a web `Response`:
 *
 *   fetch(request)   ->   middleware, routing, the operation   ->   Response
 *
 * Node's messages are made only if middleware, a mount or `request.raw` asks for them (`memory/node`).
 *
 * No bytes are written and parsed, so no part of a request can be read as a second request. It works on engines without sockets too:
 * `Bun.serve({ fetch: server.fetch })`, `Deno.serve(server.fetch)`, and a Worker with `nodejs_compat`.
 */
import type { Rejection } from '../../../errors/problem.ts';
import { CONNECTION_HEADERS, hasHeader, RECEIVED_VALUE } from '../../../util/headers.ts';
import { isBodiless } from '../../../http/response.ts';
import { MAX_MS } from '../../../util/options.ts';
import { clearInterval, clearTimeout, setInterval, setTimeout } from '../../../util/timers.ts';
import type { Settings } from '../../settings/server-options.ts';
import { makeProblemResponse } from '../../settings/problem-formatter.ts';
import { type ConnectionOwner, type Dispatch, HEAD_TOO_LONG, MALFORMED, type Stoppable } from '../exchange.ts';
import { makeUnsentLimit } from '../unsent-limit.ts';
import { FetchBody } from './memory-body.ts';
import { MemoryExchange, type MemoryServer } from './memory-exchange.ts';
import type { MessageMaker, ResponseHead, ResponseReader } from './memory-parts.ts';

/** `ApiServer.fetch`, which takes what the global `fetch` takes, and a path. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** The server of the calls, which knows whether it was stopped. */
interface FetchOwner extends ConnectionOwner {
  readonly isStopCalled: boolean;
}

/** Makes `ApiServer.fetch`. */
export function makeFetch(settings: Settings, dispatch: Dispatch, owner: FetchOwner, messages: MessageMaker): Fetch {
  const calls = new Calls(settings, dispatch, owner, messages);
  const [name = 'localhost'] = settings.allowedHosts ?? [];
  const base = `http://${name.includes(':') ? `[${name}]` : name}`;
  // Not async: a promise that is returned by an async function settles three turns later.
  return (input, given) => new Promise((resolve, reject) => {
    const init = isInit(given) ? given : undefined;
    // A copy would read ahead in the body, and throws if the body was read. The `Request` may be the one of a window.
    const isReady = typeof input === 'object' && 'bodyUsed' in input && init === undefined && !input.bodyUsed;
    const request = isReady ? input : new Request(typeof input === 'string' && input.startsWith('/') ? base + input : input, init);
    const { url } = request;
    if (!/^https?:/.test(url)) throw new TypeError(`fetch takes a path, or a URL with http or https: "${url}"`);
    request.signal.throwIfAborted();
    calls.begin(request, url, init?.body, new FetchResponse(request, url, resolve, reject));
  });
}

/** Whether the second argument is a `RequestInit`. Bun, Deno and Workers pass an object of their own. */
function isInit(given: RequestInit | undefined): boolean {
  return typeof given === 'object' && given !== null && INIT.some((name) => given[name] !== undefined);
}

const INIT = ['method', 'headers', 'body', 'signal'] as const;

/** The calls of a server that are in flight. */
class Calls implements Stoppable, MemoryServer {
  readonly settings: Settings;
  readonly messages: MessageMaker;
  readonly #dispatch: Dispatch;
  readonly owner: FetchOwner;
  readonly #limitUnsent: (waiting: MemoryExchange[], compareSpeed: (one: MemoryExchange, other: MemoryExchange) => number) => void;
  #open = new Set<MemoryExchange>();
  #followed = 0;
  // Resolves when the calls before the last stop are closed.
  #closing: Promise<unknown> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: Settings, dispatch: Dispatch, owner: FetchOwner, messages: MessageMaker) {
    this.settings = settings;
    this.messages = messages;
    this.#dispatch = dispatch;
    this.owner = owner;
    this.#limitUnsent = makeUnsentLimit(settings, ({ unsentBytes }) => unsentBytes, (exchange) => exchange.leave());
  }

  /** Serves a request. `ownBody` is its body as the caller has it, before a `Request` makes a stream of it. */
  begin(request: Request, url: string, ownBody: RequestInit['body'], result: FetchResponse): void {
    if (this.owner.isStopCalled) throw new TypeError('fetch failed', { cause: new Error('the server is stopped') });
    const body = readRequestBody(request, ownBody, (error) => exchange.leave(error as Error));
    this.owner.markUsed();
    this.owner.inner.add(this);
    const { target, rawHeaders, error } = makeHead(request, url, body, this.settings.limits.headerBytes);
    const exchange = new MemoryExchange(this, { method: request.method, url: target, rawHeaders, body, client: null }, result);
    result.exchange = exchange;
    this.#open.add(exchange);
    exchange.onFollow = () => this.#follow(exchange, request.signal, body);
    // As on a connection, such a head is not a request, which `formatProblem` would get.
    if (error !== undefined) exchange.send(makeProblemResponse(this.settings, error, undefined));
    else this.#dispatch(exchange);
    // Most calls end before the next turn: their bodies are in memory, and their operations wait for nothing.
    if (exchange.isOver) return;
    exchange.receive();
    exchange.followSoon();
  }

  /** Follows a call that waits: it ends with its signal, keeps the process alive, and its body has a time limit. */
  #follow(exchange: MemoryExchange, signal: AbortSignal, body: Body): void {
    const leave = (): void => {
      if (body instanceof FetchBody) body.cancel();
      exchange.leave();
    };
    // The operation may have aborted it.
    if (signal.aborted) return leave();
    if (body instanceof FetchBody) exchange.limitTime(this.settings.limits.requestMs);
    signal.addEventListener('abort', leave);
    this.#followed += 1;
    this.#timer ??= setInterval(() => {}, MAX_MS);
    exchange.onClose(() => {
      signal.removeEventListener('abort', leave);
      this.#followed -= 1;
      if (this.#followed > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
  }

  /** If all responses together have more than `unsentBytes`, breaks off the longest until they have less. */
  onUnsent(): void {
    const waiting = [...this.#open].filter((exchange) => exchange.unsentBytes > 0);
    this.#limitUnsent(waiting, (one, other) => other.unsentBytes - one.unsentBytes);
  }

  onOver(exchange: MemoryExchange): void {
    this.#open.delete(exchange);
  }

  async stopSelf(): Promise<void> {
    this.#closing = Promise.all([this.#closing, this.#close()]);
    await this.#closing;
  }

  async #close(): Promise<void> {
    const open = this.#open;
    // Calls after the next start belong to a new set.
    this.#open = new Set();
    const timer = setTimeout(() => {
      for (const exchange of open) exchange.leave();
    }, this.settings.stopGraceMs);
    await Promise.all([this.messages.close(), ...Array.from(open, (exchange) => exchange.whenSent())]);
    clearTimeout(timer);
  }
}

type Body = Uint8Array | FetchBody | undefined;

/** Returns the body of a request: its bytes, if all of them are in memory. `fail` is called if it cannot be read to its end. */
function readRequestBody({ headers, body }: Request, ownBody: RequestInit['body'], fail: (error: unknown) => void): Body {
  if (typeof ownBody === 'string' || ownBody instanceof URLSearchParams) return Buffer.from(String(ownBody));
  if (ArrayBuffer.isView(ownBody)) return new Uint8Array(ownBody.buffer, ownBody.byteOffset, ownBody.byteLength);
  if (ownBody instanceof ArrayBuffer) return new Uint8Array(ownBody);
  if (body === null) return undefined;
  return new FetchBody(body, { declared: headers.get('content-length'), isCancellable: ownBody instanceof ReadableStream, fail });
}

/** Headers that no message over a connection passes on. */
export const NOT_PASSED_ON: readonly string[] = [...CONNECTION_HEADERS, 'proxy-connection'];
const LENGTHS: ReadonlySet<number> = new Set(NOT_PASSED_ON.map((name) => name.length));
// `makeHead` sets the last two itself. What else `Connection` names stays: a client could name the header that a rate limit reads.
const SKIPPED: ReadonlySet<string> = new Set([...NOT_PASSED_ON, 'host', 'content-length']);

interface MadeHead {
  readonly target: string;
  readonly rawHeaders: string[];
  readonly error: Rejection | undefined;
}

/** Returns the target and the headers of a request, and the framing of its body, checked as Node's parser would. */
function makeHead({ method, headers }: Request, url: string, body: Body, headerBytes: number): MadeHead {
  // A `Request` has parsed and written its URL.
  const begin = url.indexOf('/', url.indexOf(':') + 3);
  const hash = url.indexOf('#', begin);
  const end = hash === -1 ? url.length : hash;
  // As `fetch` does over the network, without the `?` of an empty query.
  const target = url.slice(begin, url.indexOf('?', begin) === end - 1 ? end - 1 : end);
  const rawHeaders = ['Host', url.slice(url.indexOf(':') + 3, begin)];
  let isValid = true;
  for (const [name, value] of headers) {
    if (!SKIPPED.has(name)) {
      rawHeaders.push(name, value);
      // `Headers` rejects only the characters that end a line.
      isValid &&= RECEIVED_VALUE.test(value);
    } else if (name === 'host') {
      rawHeaders[1] = value;
      isValid &&= RECEIVED_VALUE.test(value);
    }
  }
  rawHeaders.push('Connection', 'keep-alive');
  if (body instanceof FetchBody) rawHeaders.push(...declareLength(headers.get('content-length')));
  else if (body !== undefined) rawHeaders.push('Content-Length', String(body.length));
  else if (method.startsWith('P')) rawHeaders.push('Content-Length', '0');
  const length = rawHeaders.reduce((sum, string) => sum + string.length, method.length + target.length);
  const error = length > headerBytes ? HEAD_TOO_LONG : isValid ? undefined : MALFORMED;
  return { target, rawHeaders, error };
}

function declareLength(declared: string | null): readonly [string, string] {
  return declared === null ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', declared];
}

// The memory that an unread response takes.
const READ_AHEAD_BYTES = 64 * 1024;

/** Makes the `Response` of a call from the response of the exchange. */
export class FetchResponse implements ResponseReader {
  // Kept, since the signal of a `Request` follows the caller's only as long as it is in memory.
  readonly #request: Request;
  readonly #url: string;
  readonly #resolve: (response: Response) => void;
  readonly #reject: (error: unknown) => void;
  #controller: ReadableByteStreamController | undefined;
  // Called when the reader of the response has room for more.
  #onPull: (() => void) | undefined;
  /** Left when the caller cancels the body, and when no `Response` can be made. */
  exchange: { leave(): void } | undefined;

  constructor(request: Request, url: string, resolve: (response: Response) => void, reject: (error: unknown) => void) {
    this.#request = request;
    this.#url = url;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  whole(head: ResponseHead, body: string | Uint8Array): void {
    this.#send(head, body as string | Uint8Array<ArrayBuffer>);
  }

  begin(head: ResponseHead): void {
    this.#send(head, new ReadableStream({
      type: 'bytes',
      start: (controller) => void (this.#controller = controller),
      pull: () => this.#pulled(),
      cancel: () => this.exchange?.leave(),
    }, { highWaterMark: READ_AHEAD_BYTES }));
  }

  write(chunk: Buffer, done: () => void): void {
    const controller = this.#controller;
    // Copied, since the stream takes over the memory of the chunk.
    controller?.enqueue(new Uint8Array(chunk));
    if (controller === undefined || (controller.desiredSize ?? 0) > 0) done();
    else this.#onPull = done;
  }

  end(): void {
    this.#controller?.close();
    // A reader with a buffer of its own waits for this.
    this.#controller?.byobRequest?.respond(0);
  }

  fail(cause: unknown): void {
    const { signal } = this.#request;
    this.#reject(signal.aborted ? signal.reason : new TypeError('fetch failed', { cause }));
    this.#controller?.error(signal.aborted ? signal.reason : new TypeError('terminated', { cause }));
  }

  #pulled(): void {
    const done = this.#onPull;
    this.#onPull = undefined;
    done?.();
  }

  #send({ status, statusText, headers }: ResponseHead, body: string | Uint8Array<ArrayBuffer> | ReadableStream): void {
    try {
      // The caller may have left in this turn, in which nothing listens to the signal.
      this.#request.signal.throwIfAborted();
      // `Response` throws for a body with a status that has none.
      const hasBody = this.#request.method !== 'HEAD' && !isBodiless(status);
      // `Response` adds a `Content-Type` to a string.
      const given = typeof body === 'string' && !hasHeader(headers, 'content-type') ? Buffer.from(body) : body;
      const response = new Response(hasBody ? given : null, { status, statusText });
      // As `headers` of the constructor, they take 1.5 times as long on Node 20, and 1.8 times on Node 26.
      for (let at = 0; at < headers.length; at += 2) {
        const name = headers[at] ?? '';
        const value = headers[at + 1] ?? '';
        if (name === 'Content-Type' || name.toLowerCase() === 'content-type') response.headers.set(name, value);
        else if (!LENGTHS.has(name.length) || !NOT_PASSED_ON.includes(name.toLowerCase())) response.headers.append(name, value);
      }
      // `fetch` sets it, and the constructor has no parameter for it.
      this.#resolve(Object.defineProperty(response, 'url', { value: this.#url }));
    } catch (error) {
      this.fail(error);
      this.exchange?.leave();
    }
  }
}
