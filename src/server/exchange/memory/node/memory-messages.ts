/**
 * Node's request and response for a call of `fetch`, without Node's parser and without a connection, as `light-my-request` makes them.
 *
 * A response writes its head and its body by `_send`. On each engine that is the last step before the socket, and the head is then the
 * string `_header`.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { http, stream } from '../../../../node.ts';
import { toBuffer } from '../../../../util/bytes.ts';
import { isBytes } from '../../../../util/stream.ts';
import { nextTick, setImmediate } from '../../../../util/timers.ts';
import type { BodyRest, BodySource, RawRequest } from '../memory-body.ts';
import { closedEarly, type ResponseHead, type ResponseReader } from '../memory-parts.ts';
import { Incoming } from '../../node/internals/incoming.ts';
import { setHeaderLines } from '../../node/internals/requests.ts';

/** The parts of a request in memory. In `headers`, names and values alternate. */
export interface MemoryRequestParts {
  readonly method: string;
  readonly target: string;
  readonly headers: string[];
  readonly body: BodyRest;
}

export class MemoryRequest extends Incoming implements RawRequest {
  #body: Uint8Array | undefined;
  readonly #hadBody: boolean;
  readonly #source: BodySource | undefined;
  /** Called at the end of the source. */
  readonly finish: () => void;
  readonly receive: () => void;

  constructor(socket: (MemorySocket & Socket) | undefined, { method, target, headers, body }: MemoryRequestParts) {
    super(socket as Socket);
    const isWhole = body === undefined || isBytes(body);
    this.#body = isWhole && body?.length !== 0 ? body : undefined;
    this.#hadBody = body !== undefined;
    this.#source = isWhole ? undefined : body;
    this.method = method;
    this.url = target;
    this.httpVersion = '1.1';
    this.httpVersionMajor = 1;
    this.httpVersionMinor = 1;
    setHeaderLines(this, headers);
    // Not before the headers are set, or Node would take them for trailers.
    this.complete = isWhole;
    // A property of the object, since Express replaces its prototype.
    this._read = () => this.#readOn();
    this.finish = () => MemoryRequest.finish(this);
    this.receive = () => this.#receive();
  }

  override collect(take: (chunk: Buffer | null) => void): void {
    const body = this.#takeBody();
    if (body !== undefined) take(body);
    super.collect(take);
    this.#source?.pull(this);
  }

  #readOn(): void {
    if (this.#source !== undefined) this.#source.pull(this);
    // As from a connection, the end comes after the promises that wait for the body: what they pause does not end.
    else if (!this.#hadBody) this.push(null);
    else if (this.#body === undefined) setImmediate(() => this.push(null));
  }

  #receive(): void {
    const body = this.#takeBody();
    if (body !== undefined) this.push(body);
    else this.#source?.pull(this);
  }

  /** Ends a request at the end of its source. Static, as `close` is, since Express replaces the prototype. */
  static finish(request: MemoryRequest): void {
    request.complete = true;
    request.push(null);
  }

  /** Closes a request when its response is over. */
  static close(request: MemoryRequest, isFinished: boolean): void {
    if (!isFinished || !request.complete) request.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
    request.#source?.discard(request);
  }

  #takeBody(): Buffer | undefined {
    const body = this.#body;
    this.#body = undefined;
    return body && toBuffer(body);
  }
}

/** Creates a request and its response. Both end with their socket. */
export function makeMessages(
  socket: MemorySocket & Socket, parts: MemoryRequestParts,
): { readonly request: MemoryRequest; readonly response: ServerResponse } {
  const request = new MemoryRequest(socket, parts);
  const response = new http.ServerResponse(request);
  new ResponseCapture(request, response as unknown as CapturedResponse, socket);
  return { request, response };
}

type Callback = ((error?: Error | null) => void) | null | undefined;
type Send = (data: string | Uint8Array, encoding?: BufferEncoding | null, callback?: Callback) => boolean;

/** Undocumented properties of Node's responses. */
interface CapturedResponse extends ServerResponse {
  _header: string | null;
  _headerSent: boolean;
  _closed: boolean;
  _send: Send;
  _writeRaw: Send;
  _storeHeader: (firstLine: string, headers: unknown) => void;
}

const { _storeHeader: storeHeader } = http.ServerResponse.prototype as unknown as CapturedResponse;

interface Piece {
  readonly bytes: Buffer;
  readonly callback: Callback;
}

class ResponseCapture {
  readonly #request: MemoryRequest;
  readonly #response: CapturedResponse;
  readonly #socket: MemorySocket & Socket;
  // The pieces that were sent in the same turn as the head. After that turn it is known whether the response is whole.
  #pieces: Piece[] | undefined;
  #bytes = 0;
  #isWhole = false;
  #isClosed = false;

  constructor(request: MemoryRequest, response: CapturedResponse, socket: MemorySocket & Socket) {
    this.#request = request;
    this.#response = response;
    this.#socket = socket;
    // Properties of the object, since Express replaces its prototype.
    response._send = (data, encoding, callback) => this.#send(data, encoding, callback);
    response._writeRaw = ignoreInformational;
    response._storeHeader = storeUnchunked;
    Reflect.set(response, 'socket', socket);
    response.once('finish', () => this.#finish());
    socket.on('error', () => {}).once('close', () => this.#close());
  }

  #send(data: string | Uint8Array, encoding: BufferEncoding | null | undefined, callback: Callback): boolean {
    const socket = this.#socket;
    if (socket.destroyed) return false;
    const bytes = typeof data === 'string' ? Buffer.from(data, encoding ?? 'utf8') : toBuffer(data);
    if (this.#pieces === undefined && socket.isBegun) return socket.write(bytes, callback ?? undefined);
    if (this.#pieces === undefined) {
      this.#pieces = [];
      this.#response._headerSent = true;
      nextTick(() => this.#begin());
    }
    this.#pieces.push({ bytes, callback });
    this.#bytes += bytes.length;
    return this.#bytes < socket.writableHighWaterMark;
  }

  #begin(): void {
    const socket = this.#socket;
    const response = this.#response;
    const pieces = this.#pieces ?? [];
    this.#pieces = undefined;
    // A connection that fails has written an error response in place of this one.
    if (socket.destroyed || socket.isBegun) return;
    if (response.writableEnded) {
      this.#isWhole = true;
      const [first = Buffer.alloc(0), ...rest] = pieces.map(({ bytes }) => bytes).filter(({ length }) => length > 0);
      socket.sendWhole(response._header ?? '', rest.length === 0 ? first : Buffer.concat([first, ...rest]));
      for (const { callback } of pieces) callback?.();
      return;
    }
    socket.begin(response._header ?? '');
    Object.defineProperty(response, 'writableNeedDrain', { get: () => socket.writableNeedDrain });
    // Node's server does the same.
    socket.on('drain', () => response.emit('drain'));
    for (const { bytes, callback } of pieces) socket.write(bytes, callback ?? undefined);
    if (this.#bytes >= socket.writableHighWaterMark && !socket.writableNeedDrain) response.emit('drain');
  }

  #finish(): void {
    if (this.#isWhole) nextTick(() => this.#close());
    else this.#socket.end(() => this.#close());
  }

  /** Closes the request and the response, as Node's server does after a response and when a connection closes. */
  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const response = this.#response;
    const isFinished = response.writableFinished;
    this.#socket.destroy();
    MemoryRequest.close(this.#request, isFinished);
    response.destroyed = true;
    response._closed = true;
    response.emit('close');
  }
}

/** Drops informational responses: `fetch` resolves to the final one. */
function ignoreInformational(_data: string | Uint8Array, _encoding?: BufferEncoding | null, callback?: Callback): boolean {
  if (callback != null) nextTick(callback);
  return true;
}

/** Writes the head without a chunked coding of the body. */
function storeUnchunked(this: CapturedResponse, firstLine: string, headers: unknown): void {
  storeHeader.call(this, firstLine, headers);
  this.chunkedEncoding = false;
}

type Done = (error?: Error | null) => void;

const CLIENT_PROPERTIES = [
  'remoteAddress', 'remoteFamily', 'remotePort', 'localAddress', 'localFamily', 'localPort',
  'encrypted', 'authorized', 'authorizationError', 'servername', 'alpnProtocol', 'getPeerCertificate', 'getPeerX509Certificate',
  'getProtocol', 'getCipher',
] as const;
// These methods do nothing: this socket never waits for a client.
const SETTERS = ['setTimeout', 'setNoDelay', 'setKeepAlive', 'ref', 'unref'] as const;

/**
 * The socket of a request without a connection, such as a call of `fetch`. It passes on everything that is written, and receives nothing.
 *
 *   response.end(…)          ->   whole(head, body)
 *   response.write(…)        ->   begin(head)   write(chunk)…   end()
 *   socket.destroy()         ->   fail(), unless the response has ended
 */
export class MemorySocket extends stream.Duplex {
  readonly bytesRead = 0;
  readonly #client: Socket | null;
  readonly #reader: ResponseReader;
  #taken = 0;
  #isBegun = false;
  #isOver = false;

  private constructor(client: Socket | null, reader: ResponseReader) {
    super();
    this.#client = client;
    this.#reader = reader;
  }

  /**
   * Creates a socket with the address and the certificate of `client`. It has the properties of a socket that responses, connections and
   * middleware use. It is not a `net.Socket`: creating and destroying one would take as long as the rest of a Get.
   */
  static open(client: Socket | null, reader: ResponseReader): MemorySocket & Socket {
    return new MemorySocket(client, reader) as MemorySocket & Socket;
  }

  /** Whether a response has begun. */
  get isBegun(): boolean {
    return this.#isBegun;
  }

  /** Passes on a whole response. */
  sendWhole(head: string, body: Buffer): void {
    this.#isBegun = true;
    this.#isOver = true;
    this.#reader.whole(parseHead(head), body);
  }

  /** Passes on the head of a response. Everything written after it is the body. */
  begin(head: string): void {
    this.#isBegun = true;
    this.#reader.begin(parseHead(head));
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    const body = this.#isBegun ? chunk : this.#beginWith(chunk);
    if (body.length === 0) return done();
    this.#reader.write(body, () => {
      this.#taken += chunk.length;
      done();
    });
  }

  override _final(done: Done): void {
    this.#isOver = true;
    if (this.#isBegun) this.#reader.end();
    else this.#reader.fail(closedEarly());
    done();
    // The client has nothing to send.
    nextTick(() => this.destroy());
  }

  override _destroy(error: Error | null, done: Done): void {
    if (!this.#isOver) this.#reader.fail(closedEarly());
    this.#isOver = true;
    done(error);
  }

  /** Begins with the head that a connection has written itself, for its last response. Returns the bytes after it. */
  #beginWith(bytes: Buffer): Buffer {
    const end = bytes.indexOf('\r\n\r\n') + 4;
    this.begin(bytes.toString('latin1', 0, end));
    return bytes.subarray(end);
  }

  static {
    // Not a getter of the class, since `net.Socket` declares a property, which an accessor cannot override.
    Object.defineProperty(MemorySocket.prototype, 'bytesWritten', {
      get(this: MemorySocket): number {
        return this.#taken + this.writableLength;
      },
    });
    for (const name of CLIENT_PROPERTIES) {
      Object.defineProperty(MemorySocket.prototype, name, {
        get(this: MemorySocket): unknown {
          const value: unknown = this.#client === null ? undefined : Reflect.get(this.#client, name);
          return typeof value === 'function' ? value.bind(this.#client) : value;
        },
      });
    }
    for (const name of SETTERS) {
      Object.defineProperty(MemorySocket.prototype, name, {
        value(this: MemorySocket): MemorySocket {
          return this;
        },
      });
    }
  }
}

/** Parses a head that Node or a connection has written. It is valid. */
function parseHead(head: string): ResponseHead {
  const [first = '', ...lines] = head.split('\r\n');
  const headers: string[] = [];
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.push(line.slice(0, colon), line.slice(colon + 2));
  }
  // HTTP/1.1 200 OK
  return { status: Number(first.slice(9, 12)), statusText: first.slice(13), headers };
}
