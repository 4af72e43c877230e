/**
 * Node's request and response of a call in memory, without Node's parser and without a connection: what `light-my-request` makes, for
 * middleware, mounts and operations.
 *
 * A response writes its head and its body by `_send`. On each engine that is the last step before the socket, and the head is the string
 * `_header` then.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { http } from '../../node.ts';
import { Incoming } from './incoming.ts';
import type { MemorySocket } from './memory-socket.ts';
import { setHeaderLines } from './messages.ts';

/** A body that is read while the request is served. */
export interface BodySource {
  /** Reads on, and pushes what comes to the request, until `push` returns `false`. */
  pull(request: MemoryRequest): void;
  /** Called when nobody reads on. */
  discard(request: MemoryRequest): void;
}

/** What a request in memory is made of. In the headers, names and values alternate. */
export interface MemoryRequestParts {
  readonly method: string;
  readonly target: string;
  readonly headers: string[];
  readonly body: Uint8Array | BodySource | undefined;
}

export class MemoryRequest extends Incoming {
  #body: Uint8Array | undefined;
  readonly #source: BodySource | undefined;

  constructor(socket: (MemorySocket & Socket) | undefined, { method, target, headers, body }: MemoryRequestParts) {
    super(socket as Socket);
    const isWhole = body === undefined || body instanceof Uint8Array;
    this.#body = isWhole ? body : undefined;
    this.#source = isWhole ? undefined : body;
    this.method = method;
    this.url = target;
    this.httpVersion = '1.1';
    this.httpVersionMajor = 1;
    this.httpVersionMinor = 1;
    setHeaderLines(this, headers);
    // After the headers, or Node would take them for trailers.
    this.complete = isWhole;
    // A property of the object, since Express replaces its prototype.
    this._read = () => this.#readOn();
  }

  override collect(take: (chunk: Buffer | null) => void): void {
    const body = this.#takeBody();
    if (body !== undefined) take(body);
    super.collect(take);
    this.#source?.pull(this);
  }

  #readOn(): void {
    if (this.#source !== undefined) {
      this.#source.pull(this);
      return;
    }
    const body = this.#takeBody();
    if (body !== undefined) this.push(body);
    this.push(null);
  }

  /** Ends a request at the end of its source. Static, as `close` is: Express replaces the prototype. */
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
    return body === undefined ? undefined : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  }
}

/** Makes a request and its response. Both end with their socket. */
export function makeMessages(socket: MemorySocket & Socket, parts: MemoryRequestParts): { readonly request: MemoryRequest; readonly response: ServerResponse } {
  const request = new MemoryRequest(socket, parts);
  const response = new http.ServerResponse(request);
  new ResponseCapture(request, response as unknown as CapturedResponse, socket);
  return { request, response };
}

type Callback = ((error?: Error | null) => void) | null | undefined;
type Send = (data: string | Uint8Array, encoding?: BufferEncoding | null, callback?: Callback) => boolean;

/** The parts of a response that Node has, and does not document. */
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
  readonly data: string | Uint8Array;
  readonly encoding: BufferEncoding | null | undefined;
  readonly callback: Callback;
}

class ResponseCapture {
  readonly #request: MemoryRequest;
  readonly #response: CapturedResponse;
  readonly #socket: MemorySocket & Socket;
  // What was sent in the turn of the head. Only after that it is known whether the response is whole.
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
    if (this.#pieces === undefined && socket.isBegun) return socket.write(data, encoding ?? 'utf8', callback ?? undefined);
    if (this.#pieces === undefined) {
      this.#pieces = [];
      this.#response._headerSent = true;
      process.nextTick(() => this.#begin());
    }
    this.#pieces.push({ data, encoding, callback });
    this.#bytes += data.length;
    return this.#bytes < socket.writableHighWaterMark;
  }

  #begin(): void {
    const socket = this.#socket;
    const response = this.#response;
    const pieces = this.#pieces ?? [];
    this.#pieces = undefined;
    // A connection that fails writes a response in place of this one.
    if (socket.destroyed || socket.isBegun) return;
    if (response.writableEnded) {
      this.#isWhole = true;
      socket.sendWhole(response._header ?? '', joinPieces(pieces));
      for (const { callback } of pieces) callback?.();
      return;
    }
    socket.begin(response._header ?? '');
    Object.defineProperty(response, 'writableNeedDrain', { get: () => socket.writableNeedDrain });
    // Node's server passes it on.
    socket.on('drain', () => response.emit('drain'));
    for (const { data, encoding, callback } of pieces) socket.write(data, encoding ?? 'utf8', callback ?? undefined);
    if (this.#bytes >= socket.writableHighWaterMark && !socket.writableNeedDrain) response.emit('drain');
  }

  #finish(): void {
    if (this.#isWhole) process.nextTick(() => this.#close());
    else this.#socket.end(() => this.#close());
  }

  /** What Node's server does when it has sent a response, and when a connection closes. */
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

/** A client gets one response, without the informational ones before it. */
function ignoreInformational(_data: string | Uint8Array, _encoding?: BufferEncoding | null, callback?: Callback): boolean {
  if (callback != null) process.nextTick(callback);
  return true;
}

/** Each chunk is passed on as it is. */
function storeUnchunked(this: CapturedResponse, firstLine: string, headers: unknown): void {
  storeHeader.call(this, firstLine, headers);
  this.chunkedEncoding = false;
}

function joinPieces(pieces: readonly Piece[]): Buffer {
  const all = pieces.filter(({ data }) => data.length > 0).map(({ data, encoding }) => (typeof data === 'string' ? Buffer.from(data, encoding ?? 'utf8') : data));
  const [first, ...others] = all;
  if (first === undefined || others.length > 0) return Buffer.concat(all);
  return Buffer.from(first.buffer, first.byteOffset, first.byteLength);
}
