/**
 * `ApiServer.fetch`: a web `Request` becomes an exchange, and its response becomes a web `Response`:
 *
 *   fetch(request)   ->   Node's request and response, without a socket   ->   middleware, routing, the operation
 *
 * No bytes are written and parsed, so no part of a request can be read as a second request. It works on engines without sockets too:
 * `Bun.serve({ fetch: server.fetch })`, `Deno.serve(server.fetch)`, and a Worker with `nodejs_compat`.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Rejection } from '../errors/problem.ts';
import { MAX_MS } from '../util/options.ts';
import { HEAD_TOO_LONG, MALFORMED, REQUEST_TIMEOUT } from './connection/client-errors.ts';
import type { Connection, ExchangeDispatcher } from './connection/connection.ts';
import { Connections } from './connection/connections.ts';
import type { Stoppable } from './connection/owner.ts';
import { FetchBody } from './fetch-body.ts';
import { FetchResponse, OF_CONNECTION } from './fetch-response.ts';
import type { LifeCycle } from './life-cycle.ts';
import { createMessages, MemoryRequest, type MemoryRequestParts } from './node/memory-messages.ts';
import { MemorySocket } from './node/memory-socket.ts';
import { settleShapes } from './node/messages.ts';
import type { Settings } from './options.ts';

/** `ApiServer.fetch`, which takes what the global `fetch` takes, and a path. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Makes `ApiServer.fetch`. */
export function makeFetch(settings: Settings, dispatcher: ExchangeDispatcher, owner: LifeCycle): Fetch {
  const calls = new Calls(settings, dispatcher, owner);
  const [name = 'localhost'] = settings.allowedHosts ?? [];
  const base = `http://${name.includes(':') ? `[${name}]` : name}`;
  return async (input, given) => {
    const init = isInit(given) ? given : undefined;
    // A copy would read ahead in the body, and throws if the body was read.
    const isReady = input instanceof Request && init === undefined && !input.bodyUsed;
    const request = isReady ? input : new Request(typeof input === 'string' && input.startsWith('/') ? base + input : input, init);
    if (!/^https?:/.test(request.url)) throw new TypeError(`fetch takes a path, or a URL with http or https: "${request.url}"`);
    request.signal.throwIfAborted();
    return new Promise((resolve, reject) => calls.begin(request, init?.body, new FetchResponse(request, resolve, reject)));
  };
}

/** Whether the second argument is a `RequestInit`. Bun, Deno and Workers pass an object of their own. */
function isInit(given: RequestInit | undefined): boolean {
  return typeof given === 'object' && given !== null && INIT.some((name) => given[name] !== undefined);
}

const INIT = ['method', 'headers', 'body', 'signal'] as const;

/** The calls of a server that are in flight. */
class Calls implements Stoppable {
  readonly inner: ReadonlySet<Stoppable> = new Set();
  readonly #settings: Settings;
  readonly #dispatcher: ExchangeDispatcher;
  readonly #owner: LifeCycle;
  #connections: Connections | undefined;
  // Resolves when the calls before the last stop are closed.
  #closing: Promise<unknown> | undefined;
  #open = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: Settings, dispatcher: ExchangeDispatcher, owner: LifeCycle) {
    this.#settings = settings;
    this.#dispatcher = dispatcher;
    this.#owner = owner;
  }

  /** Serves a request. `ownBody` is its body as the caller has it, before a `Request` makes a stream of it. */
  begin(request: Request, ownBody: RequestInit['body'], result: FetchResponse): void {
    if (this.#owner.isStopCalled) throw new TypeError('fetch failed', { cause: new Error('the server is stopped') });
    const body = readBody(request, ownBody, (error) => {
      result.fail(error);
      socket.destroy();
    });
    this.#owner.markUsed();
    const socket = MemorySocket.open(null, result);
    const connection = this.#connect().get(socket);
    this.#keepProcess(socket);
    leaveWith(request.signal, socket, body);
    result.onCancel = () => socket.destroy();
    const messages = createMessages(socket, { method: request.method, ...makeHead(request, body), body });
    const error = findHeadError(messages.request, this.#settings.limits.headerBytes);
    if (error !== undefined) connection.fail(error, false, messages.request);
    else connection.accept(messages.request, messages.response, false, '');
    if (body instanceof FetchBody) limitTime(connection, messages.request, this.#settings.limits.requestMs);
  }

  async stopSelf(): Promise<void> {
    if (this.#connections !== undefined) this.#closing = Promise.all([this.#closing, this.#close(this.#connections)]);
    this.#connections = undefined;
    await this.#closing;
  }

  renew(): void {}

  #connect(): Connections {
    if (this.#connections !== undefined) return this.#connections;
    settleShapes(() => new MemoryRequest(undefined, { method: 'GET', target: '/', headers: [], body: undefined }));
    this.#owner.inner.add(this);
    const [settings, dispatcher, owner] = [this.#settings, this.#dispatcher, this.#owner];
    return (this.#connections = new Connections({ settings, dispatcher, isInOrder: true, owner }));
  }

  async #close(connections: Connections): Promise<void> {
    const { stopGraceMs, stopLingerMs } = this.#settings;
    connections.drain(stopLingerMs);
    const timer = setTimeout(() => connections.destroy(), stopGraceMs);
    await connections.whenNoneLeft();
    clearTimeout(timer);
  }

  /** Keeps the process alive while a call is in flight, as a socket of the system does. */
  #keepProcess(socket: Socket): void {
    this.#open += 1;
    this.#timer ??= setInterval(() => {}, MAX_MS);
    socket.once('close', () => {
      this.#open -= 1;
      if (this.#open > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
  }
}

type Body = Uint8Array | FetchBody | undefined;

/** Ends a call when its caller aborts it. */
function leaveWith(signal: AbortSignal, socket: Socket, body: Body): void {
  const leave = (): void => {
    if (body instanceof FetchBody) body.cancel();
    socket.destroy();
  };
  signal.addEventListener('abort', leave);
  socket.once('close', () => signal.removeEventListener('abort', leave));
}

/** Limits the time of a body, as Node does for a body that its parser reads. */
function limitTime(connection: Connection, request: IncomingMessage, requestMs: number): void {
  const timer = setTimeout(() => {
    if (!request.complete && !connection.ignoresTimeout()) connection.fail(REQUEST_TIMEOUT, false);
  }, requestMs).unref();
  connection.socket.once('close', () => clearTimeout(timer));
}

/** Returns the body of a request: its bytes, if all of them are in memory. `fail` is called if it cannot be read to its end. */
function readBody({ headers, body }: Request, ownBody: RequestInit['body'], fail: (error: unknown) => void): Body {
  if (typeof ownBody === 'string' || ownBody instanceof URLSearchParams) return Buffer.from(String(ownBody));
  if (ArrayBuffer.isView(ownBody)) return new Uint8Array(ownBody.buffer, ownBody.byteOffset, ownBody.byteLength);
  if (ownBody instanceof ArrayBuffer) return new Uint8Array(ownBody);
  if (body === null) return undefined;
  return new FetchBody(body, { declared: headers.get('content-length'), isCancellable: ownBody instanceof ReadableStream, fail });
}

// `makeHead` sets these itself.
const FRAMING: readonly string[] = ['host', 'content-length'];

/** Returns the target and the headers of a request, with the framing of its body. */
function makeHead({ method, url, headers }: Request, body: Body): Pick<MemoryRequestParts, 'target' | 'headers'> {
  const { host, pathname, search } = new URL(url);
  const skipped = [...OF_CONNECTION, ...FRAMING, ...(headers.get('connection') ?? '').toLowerCase().split(/\s*,\s*/)];
  const all = ['Host', headers.get('host') ?? host];
  for (const [name, value] of headers) if (!skipped.includes(name)) all.push(name, value);
  all.push('Connection', 'keep-alive');
  if (body instanceof Uint8Array) all.push('Content-Length', String(body.length));
  else if (body !== undefined) all.push(...declareLength(headers.get('content-length')));
  else if (method.startsWith('P')) all.push('Content-Length', '0');
  return { target: pathname + search, headers: all };
}

// RFC 9110 section 5.5. `Headers` rejects only the characters that end a line.
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Makes the checks of Node's parser that `Request` does not make. */
function findHeadError({ method = '', url = '', rawHeaders }: IncomingMessage, headerBytes: number): Rejection | undefined {
  const length = rawHeaders.reduce((sum, string) => sum + string.length, method.length + url.length);
  if (length > headerBytes) return HEAD_TOO_LONG;
  return rawHeaders.every((string) => HEADER_VALUE.test(string)) ? undefined : MALFORMED;
}

function declareLength(declared: string | null): readonly [string, string] {
  return declared === null ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', declared];
}
