/**
 * One request and the one response to it, whatever carries them:
 *
 *   NodeExchange      a request and a `ServerResponse` of `node:http`, on a connection
 *   MemoryExchange    `fetch` and nested calls: nothing of Node, unless a listener or `request.raw` asks for it
 *
 * What follows from the head, the defaults and the observer is here. What touches messages is in the carriers.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { clearTimeout, setTimeout } from '../../util/timers.ts';
import { makeRejection, type Rejection } from '../../errors/problem.ts';
import { makeTooLongError, DefaultHeaders, hasLength, MAX_BODY, NOSNIFF_ONLY, type Outgoing } from '../../http/response.ts';
import { filterHeaders, hasHeader, mergeHeaders, replaceHeaders } from '../../util/headers.ts';
import { findClient } from '../../http/client-address.ts';
import type { Head } from '../../http/head.ts';
import type { Settings } from '../settings/server-options.ts';
import { makeProblemResponse } from '../settings/problem-formatter.ts';

/** Publishes what happens to a request and its response. */
export interface Observer {
  /** Called with a thrown value that causes an error response. */
  fail(thrown: unknown): void;
  /** Called with the rejection that the response is made from. */
  reject(rejection: Rejection): void;
  /** Called when a server that is mounted in this one has found its route. */
  refine(route: { readonly method: string; readonly path: string }, operation: string | undefined, id: string | undefined): void;
  /** Called before a response with this status is written directly to the socket, in place of the `ServerResponse`. */
  replace(status: number): void;
}

/** A body that is written piece by piece after the head. */
export interface StreamedBody {
  /** Begins to write. Calls `sendHead` before the first piece, which returns `false` if a different response was already sent. */
  start(exchange: Exchange, sendHead: () => boolean): void;
}

/** Takes the body of a request piece by piece. */
export interface BodyTaker {
  take(chunk: Uint8Array): void;
  end(): void;
  /** The rest will not arrive. */
  breakOff(): void;
}

const NONE: readonly string[] = [];

export abstract class Exchange {
  readonly head: Head;
  /** The prefix of the path that an app's router has removed. `''` if none; `undefined` if the prefix is not a valid path. */
  baseUrl: string | undefined;
  /** The id of the request, by the option `requestId`. */
  id: string | undefined;
  /** Whether the carrier must not carry a further request, because the end of this one is unknown or its body is too long. */
  forceClose = false;
  /** Headers that are added to every response that lacks them. */
  defaultHeaders: DefaultHeaders = NOSNIFF_ONLY;
  /** Headers that are set before the response is known: CORS headers, and a `Cache-Control` of an interceptor. */
  earlyHeaders: readonly string[] = NONE;
  /** Whether the server has begun to write a response, even if that failed. */
  isResponseBegun = false;
  /** The reason why the rest of the body cannot be read, unless the client has left. */
  brokenBy: Rejection | undefined;
  /** Called while the client sends a body of which nothing more is read, and enough is buffered. */
  onUnread: (() => void) | undefined;
  /** Called before the head of a stream is sent. `undefined` without limits. */
  beginStream: (() => void) | undefined;
  /** `undefined` if there are no subscribers, or the route is not known yet. */
  observer: Observer | undefined;

  constructor(head: Head, baseUrl: string | undefined) {
    this.head = head;
    this.baseUrl = baseUrl;
  }

  // The request. `url` and `rawHeaders` have Node's names, so that the functions of `http/` take both.
  abstract get method(): string;
  abstract get url(): string;
  abstract get rawHeaders(): readonly string[];
  abstract get httpVersion(): string;
  /** The headers as Node has them. */
  abstract get headers(): IncomingHttpHeaders;
  abstract get isSecure(): boolean;
  /** The socket of the client, if there is one. */
  abstract get client(): Socket | null;
  get address(): string | undefined {
    return this.client?.remoteAddress;
  }

  /** The address of the client, as the option `proxy` says. */
  get clientAddress(): string | undefined {
    return findClient(this.address, this.rawHeaders, this.settings.proxy.trusted);
  }

  /** Whether the page that has sent the request has an origin that `cors` lists. */
  abstract get isListed(): boolean;
  abstract markListedOrigin(): void;

  // Node's messages.
  /** Node's request, for the user's code. Made when it is first asked for. */
  abstract get raw(): IncomingMessage;
  /** Node's response, for observers. Where the carrier has none, a copy of what is sent. */
  abstract get response(): ServerResponse;
  /** The same exchange with Node's request and response, for listeners. Only before anything is read or sent. */
  abstract toNode(): Exchange;

  // The server.
  abstract get settings(): Settings;
  /** Aborts when the server begins to stop. */
  abstract get stopping(): AbortSignal;

  // The body of the request.
  /** Whether the whole request has been received. */
  abstract get isReceived(): boolean;
  /** Whether the user's code has read some of the body, has begun to, or has called `setEncoding`. */
  abstract get isReadAlready(): boolean;
  /** Whether the client waits for a `100 Continue` before it sends the body (RFC 9110 section 10.1.1). */
  expectsContinue = false;
  sendContinue(): void {}
  /** Whether the carrier's own limit for the time of the body is off: the operation has its own, or has not asked for the body. */
  isTimeLimitOff = false;
  /** The whole body, if it has arrived and nobody else may read it. */
  abstract get received(): Buffer | undefined;
  /** Passes on the body chunk by chunk, and `null` after the last. A string if the user's code has called `setEncoding`. */
  abstract collect(take: (chunk: Buffer | string | null) => void): void;
  /** Reads the body, and drops it. */
  abstract discard(): void;
  /** Passes on the body to `taker`, until `pause`. */
  abstract pour(taker: BodyTaker): void;
  abstract pause(): void;
  abstract resume(): void;
  /**
   * If the rest of the body does not arrive within this time, responds 408, and reads no more. Returns a function that lifts the limit, if
   * there is one.
   */
  abstract limitBodyTime(requestMs: number): (() => void) | undefined;
  /** Responds 408 after this time if the rest of the body is late then. Returns a function that lifts the limit. */
  timeBody(requestMs: number, isLate: () => boolean = () => !this.isReceived): () => void {
    const timer = setTimeout(() => {
      if (isLate()) this.breakOff(REQUEST_TIMEOUT);
    }, requestMs).unref();
    return () => clearTimeout(timer);
  }

  // The response.
  /** Whether a response can still be sent: none has begun, and the client has not left. */
  abstract get isOpen(): boolean;
  /** Whether a response has been written to its end. It may not be sent yet. */
  abstract get isEnded(): boolean;
  /** Resolves when the response is sent, or the client has left. */
  abstract whenSent(): Promise<void>;
  /** Calls a function when the response is over, or the client has left. `isFirst`: before the next request of the connection begins. */
  abstract onClose(call: () => void, isFirst?: boolean): void;
  /** Calls a function if the client leaves before the response is written. */
  abstract onLeave(call: () => void): void;
  /** Writes a whole response. `length`: its `Content-Length`, unless it has none. */
  protected abstract writeWhole(status: number, headers: readonly string[], body: string | Uint8Array, length: number | undefined): void;
  /** Writes the head of a stream. */
  protected abstract writeStreamHead(status: number, headers: readonly string[]): void;
  /** Writes a chunk of a stream. Returns `false` if the client should take some first. */
  abstract write(chunk: string | Uint8Array): boolean;
  abstract end(): void;
  /** Calls a function when the client has taken what was written. Called once, before the stream. */
  abstract onDrain(call: () => void): void;
  /** Handles a response that could not be written. If nothing was sent, sends `error`. If only a part was sent, breaks it off. */
  abstract abandon(error?: Rejection): void;
  /** Rejects a request that cannot be read to its end, unless its response has begun. Nothing more of it is read. */
  abstract breakOff(error: Rejection): void;
  /** Breaks off a response. */
  abstract destroy(): void;

  /** Gives the request its id, if the server has the option `requestId`. `given`: the id that an app or an outer request has. */
  identify(given: unknown): void {
    const { requestId } = this.settings;
    if (requestId === undefined) return;
    this.id = requestId.choose(this, given);
    if (this.isOpen) this.setEarly([requestId.header, this.id]);
  }

  /** The headers that are set before the response is known: by the server, an app or middleware. */
  get headersSet(): readonly string[] {
    return this.earlyHeaders;
  }

  /** Whether such a header is set. */
  hasSet(lowerCase: string): boolean {
    return hasHeader(this.earlyHeaders, lowerCase);
  }

  /** Sets headers before the response is known. Those of the response itself replace them, except lists. */
  setEarly(headers: readonly string[]): void {
    this.earlyHeaders = mergeHeaders(headers, this.earlyHeaders);
  }

  /** Removes such a header. */
  removeEarly(lowerCase: string): void {
    this.earlyHeaders = filterHeaders(this.earlyHeaders, (name) => name !== lowerCase);
  }

  /**
   * Sends a response. Does nothing if one has begun, or the client has left. Its headers replace headers of the same name that an app or
   * middleware has set, except that `Vary`, `Set-Cookie` and `Link` are added. Throws `RangeError`, before anything is sent, if the body
   * is too long for Node.
   */
  send({ status, headers, body = '' }: Outgoing): void {
    if (!this.isOpen) return;
    if (body === '' && !hasLength(status)) return this.sendHead(status, headers);
    if (body.length > MAX_BODY) throw makeTooLongError();
    this.writeWhole(status, headers, body, Buffer.byteLength(body));
  }

  /** Sends a response without a body and without a `Content-Length`. */
  sendHead(status: number, headers: readonly string[]): void {
    if (this.isOpen) this.writeWhole(status, headers, '', undefined);
  }

  /** Sends a response with a body that is written piece by piece. */
  sendStream(status: number, headers: readonly string[], body: StreamedBody): void {
    if (!this.isOpen) return;
    body.start(this, () => {
      if (!this.isOpen) return false;
      this.beginStream?.();
      this.writeStreamHead(status, headers);
      return true;
    });
  }

  /** Sends an error: as a problem, or as the user's `formatProblem` formats it. */
  sendError(error: Rejection): void {
    if (this.isOpen) this.send(this.formatError(error));
  }

  /** Formats an error as a response, and notifies the observer. */
  formatError(error: Rejection): Outgoing<string> {
    this.observer?.reject(error);
    return this.formatProblem(error);
  }

  /** Formats an error as a response. */
  formatProblem(error: Rejection): Outgoing<string> {
    return makeProblemResponse(this.settings, error, this);
  }

  /** Adds the headers that are set before the response is known, and the default headers. */
  mergeDefaults(headers: readonly string[]): string[] {
    const { list, lists } = this.defaultHeaders;
    return mergeHeaders(replaceHeaders(this.headersSet, headers, lists), list, lists);
  }

  /** Adds headers to any response. */
  addHeaders(headers: readonly string[]): void {
    const { list, lists } = this.defaultHeaders;
    this.defaultHeaders = new DefaultHeaders(mergeHeaders(headers, list, lists), lists);
  }
}

/** Makes the response to a request without an exchange. `request` is `undefined` if its head cannot be read. */
export function makeResponseToHead(
  settings: Settings, error: Rejection, address: string | undefined, request: (IncomingMessage & { readonly id?: unknown }) | undefined,
): Outgoing<string> {
  const { requestId } = settings;
  const id = requestId?.choose({ rawHeaders: request?.rawHeaders ?? [], address }, request?.id);
  if (request !== undefined && id !== undefined) Object.assign(request, { id });
  const response = makeProblemResponse(settings, error, request && { raw: request, headersSet: [], id });
  if (requestId === undefined || id === undefined) return response;
  return { ...response, headers: mergeHeaders(response.headers, [requestId.header, id]) };
}

/** Whether the user's code has begun to read Node's request. `isSeen`: whether it may have got the request. */
export function isReadByUser(request: IncomingMessage, isSeen = true): boolean {
  const { readableDidRead, readableFlowing, readableEncoding } = request;
  if (readableDidRead || readableFlowing === true || readableEncoding !== null) return true;
  if (!isSeen) return false;
  // A stream pipeline that fails takes the socket away from a request, and then no more of the body arrives. With its socket, the
  // request is destroyed by its client, or in place of it.
  if (request.destroyed) return (request.socket as Socket | null)?.destroyed !== true;
  return request.readableEnded || request.listenerCount('data') > 0 || request.listenerCount('readable') > 0;
}

/** Passes on the body of Node's request. */
export function pourRequest(request: IncomingMessage, taker: BodyTaker): void {
  request.on('data', (chunk: Uint8Array) => taker.take(chunk)).once('end', () => taker.end()).once('close', () => taker.breakOff());
}

/** Serves an exchange. */
export type Dispatch = (exchange: Exchange) => void;

/** A part of a server that stops with it, such as a mounted server. */
export interface Stoppable {
  /** The parts that stop together with this one. */
  readonly inner?: ReadonlySet<Stoppable>;
  /** Functions to call before the server listens. If one throws, the server does not listen. */
  readonly preparations?: Set<() => unknown>;
  /** Stops this part, without its inner parts. */
  stopSelf(): Promise<void>;
  /** Called when the server serves again after a stop. */
  renew?(): void;
}

/** The server of a connection, as connections and other servers see it. `LifeCycle` implements it. */
export interface ConnectionOwner extends Stoppable {
  /** Aborts when the server begins to stop. */
  readonly stopping: AbortSignal;
  /** The connections of `fetch`, and the servers that are mounted by `mount`, by `use` or within a listener. */
  readonly inner: Set<Stoppable>;
  /** Called for each request from `requestListener` or `fetch`: after one, `stop` has something to stop even without `start`. */
  markUsed(): void;
}

// Rejections of requests that cannot be received, on any carrier.

/** Rejects input that is not HTTP/1.1. */
export const MALFORMED: Rejection = makeRejection('malformed-http', 'The request is not valid HTTP/1.1.');
/** Rejects CONNECT, and methods that Node's parser does not know. */
export const UNKNOWN_METHOD: Rejection = makeRejection('method', 'This server has no such method.');
/** Rejects a head that is longer than `limits.headerBytes`. */
export const HEAD_TOO_LONG: Rejection = makeRejection('headers-length', 'The header section is too long.');
/** Rejects a request that does not arrive in time. */
export const REQUEST_TIMEOUT: Rejection = makeRejection('request-time', 'The request took too long to arrive.');
/** Sent in place of a response that could not be written. */
export const UNWRITTEN: Rejection = makeRejection('internal');
