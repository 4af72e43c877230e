/**
 * `ApiServer.fetch`: the operations of a server in the form of `fetch`, without a port.
 *
 *   fetch(request)   ->   a client of node:http   ->   a connection in memory   ->   Node's parser, and everything behind it
 *
 * Each call has a connection, so that the operation runs in the async context of the call. Nothing is made before the first call.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable, Transform } from 'node:stream';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { MAX_MS } from '../util/options.ts';
import { http, stream } from '../node.ts';
import { makeOwnServer } from './connection/http-server.ts';
import type { Stoppable } from './connection/owner.ts';
import { type Receiver, RunningServer } from './connection/running-server.ts';
import type { LifeCycle } from './life-cycle.ts';
import { MemorySocket } from './node/memory-socket.ts';
import { enforceTimeouts, serveConnection } from './node/servers.ts';
import type { Settings } from './options.ts';

/** `ApiServer.fetch`, which takes what the global `fetch` takes, and a path. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

type FetchReceiver = Receiver & { readonly owner: LifeCycle };

/** Makes `ApiServer.fetch`. */
export function fetchOf(settings: Settings, receiver: FetchReceiver): Fetch {
  const connections = new MemoryConnections(settings, receiver);
  const [name = 'localhost'] = settings.allowedHosts ?? [];
  const host = name.includes(':') ? `[${name}]` : name;
  return async (input, init) => {
    // A copy would read the body ahead, so that it is not known here whether it is being read.
    const isReady = input instanceof Request && init === undefined && !input.bodyUsed;
    const request = isReady ? input : new Request(typeof input === 'string' && input.startsWith('/') ? `http://${host}${input}` : input, init);
    if (!/^https?:/.test(request.url)) throw new TypeError(`fetch takes a path, or a URL with http or https: ${JSON.stringify(request.url)}`);
    request.signal.throwIfAborted();
    const socket = connections.open();
    try {
      return await answerTo(request, init?.body, socket);
    } catch (error) {
      socket.destroy();
      throw request.signal.aborted ? request.signal.reason : new TypeError('fetch failed', { cause: error });
    }
  };
}

/** The error of a call that cannot be made, as the global `fetch` has it. */
function failureOf(reason: string): TypeError {
  return new TypeError('fetch failed', { cause: new Error(reason) });
}

class MemoryConnections implements Stoppable {
  readonly inner: ReadonlySet<Stoppable> = new Set();
  readonly #settings: Settings;
  readonly #receiver: FetchReceiver;
  #server: RunningServer | undefined;
  // Of the servers before this one.
  #closing: Promise<unknown> | undefined;
  #open = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: Settings, receiver: FetchReceiver) {
    this.#settings = settings;
    this.#receiver = receiver;
  }

  /** Opens a connection. Returns the client's end. */
  open(): Socket {
    const { owner } = this.#receiver;
    if (owner.isStopCalled) throw failureOf('the server is stopped');
    this.#server ??= this.#listen();
    const [near, far] = MemorySocket.pair();
    if (!serveConnection(this.#server.server, far)) throw failureOf('the node:http of this engine serves no connection in memory');
    owner.markUsed();
    this.#keepProcess(near);
    return near;
  }

  async stopAlone(): Promise<void> {
    if (this.#server !== undefined) this.#closing = Promise.all([this.#closing, this.#close(this.#server)]);
    this.#server = undefined;
    await this.#closing;
  }

  renew(): void {}

  async #close(server: RunningServer): Promise<void> {
    // The heads of all requests that were sent before are parsed then, so that they are in flight.
    await new Promise<void>((resolve) => setImmediate(resolve));
    await server.close();
  }

  /** Keeps the process from its end while a connection is open, as a socket of the system does. */
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

  #listen(): RunningServer {
    const server = new RunningServer(this.#settings, this.#receiver, makeOwnServer(this.#settings, undefined));
    enforceTimeouts(server.server);
    this.#receiver.owner.inner.add(this);
    return server;
  }
}

/** Sends a request. Resolves when the head of its response is there. `ownBody` is its body as the caller has it, before a `Request` makes a stream of it. */
function answerTo(request: Request, ownBody: RequestInit['body'], socket: Socket): Promise<Response> {
  const { method, url, signal } = request;
  const bytes = bytesOf(ownBody);
  const { pathname, search } = new URL(url);
  const headers = fieldsOf(request, bytes?.length);
  const outgoing = http.request({ createConnection: () => socket, method, path: pathname + search, headers });
  const destroy = (): unknown => socket.destroy();
  signal.addEventListener('abort', destroy);
  // It may fail when Node no longer listens, after the response.
  socket.on('error', () => {}).once('close', () => signal.removeEventListener('abort', destroy));
  return new Promise((resolve, reject) => {
    outgoing.on('error', reject).once('response', (incoming: IncomingMessage) => {
      incoming.once('close', destroy);
      // Not after this promise: the connection may be closed by then, and nobody would know why the body has no end.
      try {
        resolve(responseFrom(incoming, request));
      } catch (error) {
        reject(error);
      }
    });
    if (bytes !== undefined || request.body === null) outgoing.end(bytes);
    else sendStream(outgoing, sourceOf(request.body, ownBody), { declared: request.headers.get('content-length'), fail: reject, signal });
  });
}

/** The body of a request if it is in memory as a whole. */
function bytesOf(body: RequestInit['body']): Buffer | undefined {
  if (typeof body === 'string' || body instanceof URLSearchParams) return Buffer.from(String(body));
  if (ArrayBuffer.isView(body)) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return body instanceof ArrayBuffer ? Buffer.from(body) : undefined;
}

// Fields of one connection (RFC 9110 section 7.6.1), and those that are set here.
const OF_CONNECTION: readonly string[] = ['connection', 'keep-alive', 'proxy-connection', 'te', 'transfer-encoding', 'upgrade'];
const SET_HERE: readonly string[] = ['host', 'content-length'];

function fieldsOf({ method, url, headers, body }: Request, bytes: number | undefined): string[] {
  const skipped = [...OF_CONNECTION, ...SET_HERE, ...(headers.get('connection') ?? '').toLowerCase().split(/\s*,\s*/)];
  const kept = [...headers].filter(([name]) => !skipped.includes(name)).flat();
  return ['Host', headers.get('host') ?? new URL(url).host, ...kept, 'Connection', 'keep-alive', ...framing()];

  function framing(): string[] {
    if (bytes !== undefined) return ['Content-Length', String(bytes)];
    if (body === null) return method.startsWith('P') ? ['Content-Length', '0'] : [];
    const declared = headers.get('content-length');
    return declared === null ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', declared];
  }
}

/**
 * The body as a stream of Node.
 *
 * A `Request` makes a stream of an iterable, such as a stream of Node. If that is cancelled while it is read, Node throws where nobody can
 * catch it. So the iterator cancels it, after the read. A web stream of the caller can be cancelled at once.
 */
function sourceOf(body: ReadableStream<Uint8Array>, ownBody: RequestInit['body']): Readable {
  const { Readable } = stream;
  return ownBody instanceof ReadableStream ? Readable.fromWeb(body as WebStream) : Readable.from(body, { objectMode: false });
}

interface Sending {
  /** The `Content-Length` of the caller. */
  readonly declared: string | null;
  /** Called if the stream of the body fails. */
  readonly fail: (error: unknown) => void;
  readonly signal: AbortSignal;
}

function sendStream(outgoing: ClientRequest, source: Readable, { declared, fail, signal }: Sending): void {
  source.on('error', (error) => {
    fail(error);
    outgoing.destroy();
  });
  // Only the response matters: the server may answer, and close, before it has the whole body.
  outgoing.once('close', () => (signal.aborted ? source.destroy() : discard(source)));
  // Node would send the head with the first piece. Before that, `stop` would not know of the call.
  outgoing.flushHeaders();
  if (declared === null) source.pipe(outgoing);
  else source.pipe(ofLength(Number(declared)).on('error', fail)).pipe(outgoing);
}

/**
 * Passes on so many bytes, and fails with others. The server would read bytes behind the declared length as another request, which the
 * caller has not checked.
 */
function ofLength(declared: number): Transform {
  let bytes = 0;
  const check = (fits: boolean): Error | null => (fits ? null : new Error(`the body has ${bytes} bytes, and its Content-Length is ${declared}`));
  return new stream.Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      bytes += chunk.length;
      done(check(bytes <= declared), chunk);
    },
    flush(done) {
      done(check(bytes === declared));
    },
  });
}

// The rest of a body that its answer has not waited for.
const REST_BYTES = 64 * 1024;
const REST_MS = 1000;

/** Reads the rest of a body, so that a short one is not cancelled just before its end: streams of some frameworks throw then. */
function discard(rest: Readable): void {
  if (rest.closed) return;
  const timer = setTimeout(() => rest.destroy(), REST_MS).unref();
  let bytes = 0;
  rest.unpipe().once('close', () => clearTimeout(timer)).on('data', (chunk: Uint8Array) => {
    bytes += chunk.length;
    if (bytes > REST_BYTES) rest.destroy();
  }).resume();
}

// A response that is not read takes up to so many bytes, and then its connection can close.
const READ_AHEAD_BYTES = 64 * 1024;
// With these, `Response` refuses a body.
const WITHOUT_BODY: readonly number[] = [204, 205, 304];

function responseFrom(incoming: IncomingMessage, { method, url, signal }: Request): Response {
  const { statusCode: status = 0, statusMessage: statusText = '', rawHeaders } = incoming;
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    if (!OF_CONNECTION.includes(name.toLowerCase())) headers.append(name, value);
  }
  const hasBody = method !== 'HEAD' && !WITHOUT_BODY.includes(status);
  const response = new Response(hasBody ? bodyOf(incoming, signal) : null, { status, statusText, headers });
  if (!hasBody) incoming.resume();
  // `fetch` sets it, and the constructor has no parameter for it.
  return Object.defineProperty(response, 'url', { value: url });
}

function bodyOf(incoming: IncomingMessage, signal: AbortSignal): ReadableStream<Uint8Array> {
  return new ReadableStream({
    type: 'bytes',
    start(controller) {
      incoming.on('data', (chunk: Buffer) => {
        controller.enqueue(new Uint8Array(chunk));
        if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
      });
      incoming.on('end', () => {
        controller.close();
        // A reader that has brought a buffer waits for this.
        controller.byobRequest?.respond(0);
      });
      incoming.on('error', (cause) => controller.error(signal.aborted ? signal.reason : new TypeError('terminated', { cause })));
    },
    pull() {
      incoming.resume();
    },
    cancel() {
      incoming.destroy();
    },
  }, { highWaterMark: READ_AHEAD_BYTES });
}
