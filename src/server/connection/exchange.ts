/**
 * One request and its response. An exchange is the only writer of the server's own responses. Mounted handlers and middleware write to
 * the `ServerResponse` themselves.
 */
import type { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { mergeHeaders, NOSNIFF } from '../../http/headers.ts';
import { createRejection, type Rejection } from '../../errors/problem.ts';
import { hasLength, MAX_BODY, type Outgoing, createTooLongError, formatResponse } from '../../http/response.ts';
import { Head } from '../../http/head.ts';
import { asyncHooks } from '../../node.ts';
import { shareRequest } from '../node/incoming.ts';
import { isUntouched } from '../node/messages.ts';
import type { Settings } from '../options.ts';
import { createErrorResponse } from '../problem-formatter.ts';
import type { Connection } from './connection.ts';
import { getHeaderEntries, type HeaderEntry, toHeaderLines, setHeaders } from './response-headers.ts';

/** Publishes what happens to a request and its response. */
export interface Observer {
  /** Called with a thrown value that causes an error response. */
  fail(thrown: unknown): void;
  /** Called with the rejection that the response is made from. */
  reject(rejection: Rejection): void;
  /** Called when a server that is mounted in this one has found its route. */
  refine(route: { readonly method: string; readonly path: string }, operation: string | undefined): void;
  /** Called before a response with this status is written directly to the socket, in place of the `ServerResponse`. */
  replace(status: number): void;
}

/** A body that is written piece by piece after the head. */
export interface StreamedBody {
  /** Begins to write. Calls `sendHead` before the first piece, which returns `false` if a different response was already sent. */
  start(exchange: Exchange, sendHead: () => boolean): void;
}

const UNWRITTEN = createRejection(500);
// After a response, Node discards the rest of the request's body. Up to this size, that is cheaper than a new connection.
const MAX_DISCARDED_BYTES = 64 * 1024;

export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection;
  readonly head: Head;
  /** The prefix of the path that an app's router has removed. `''` if none; `undefined` if the prefix is not a valid path. */
  baseUrl: string | undefined;
  /** Whether the client waits for a `100 Continue` before it sends the body (RFC 9110 section 10.1.1). */
  expectsContinue: boolean;
  /** Whether the connection must close after the response, because the end of this request is unknown or its body is too long. */
  forceClose = false;
  /** Whether Node's time limit for the body is off: the server has its own timer, or the operation has not asked for the body. */
  isNodeTimeoutOff = false;
  /** Whether Node's time limit was over while input was held. */
  hasMissedTimeout = false;
  /** Headers that are added to every response that lacks them. Names and values alternate. */
  defaultHeaders: readonly string[] = NOSNIFF;
  /** Whether the user's code has got the response. It may have set headers and replaced methods. */
  userHasResponse = false;
  /** Whether the server has begun to write a response, even if that failed. */
  isResponseBegun = false;
  /** The reason why the rest of the body cannot be read, unless the client has left. */
  brokenBy: Rejection | undefined;
  /** Whether the response has `Vary: Origin`, which listeners must keep. */
  variesByOrigin = false;
  /** Called when a user's listener writes a body that does not match its `Content-Length`. */
  onMismatch: ((error: unknown) => void) | undefined;
  /** The headers that were set when a mount got the response. An error response in place of the mount's keeps only these. */
  headersBeforeMount: readonly HeaderEntry[] | undefined;
  /** Called before the head of a stream is sent. At a limit, sends a 503 and returns `false`. `undefined` without limits. */
  beginStream: (() => boolean) | undefined;
  /** `undefined` if there are no subscribers, or the route is not known yet. */
  observer: Observer | undefined;
  #context: AsyncResource | undefined;

  constructor(
    request: IncomingMessage, response: ServerResponse, connection: Connection, expectsContinue: boolean, baseUrl: string | undefined,
  ) {
    this.request = request;
    this.response = response;
    this.connection = connection;
    this.expectsContinue = expectsContinue;
    this.baseUrl = baseUrl;
    this.head = new Head(request.rawHeaders);
  }

  get settings(): Settings {
    return this.connection.settings;
  }

  /** Whether the whole request has been received. */
  get isReceived(): boolean {
    return this.request.complete || !this.head.hasBody;
  }

  /** Whether to ignore Node's time limit for the rest of the body. */
  get ignoresNodeTimeout(): boolean {
    return (this.isNodeTimeoutOff || this.expectsContinue) && !this.isReceived;
  }

  /** Whether a response can still be sent: none has begun, and the client has not left. */
  get isOpen(): boolean {
    return !this.response.headersSent && !this.response.destroyed && !this.connection.isLastBegun;
  }

  /** Sends `100 Continue`, if the client waits for it. */
  sendContinue(): void {
    if (!this.expectsContinue) return;
    this.expectsContinue = false;
    this.response.writeContinue();
  }

  /**
   * Sends a response. Does nothing if one has begun, or the client has left. Its headers replace headers of the same name that an app or
   * middleware has set, except that `Vary`, `Set-Cookie` and `Link` are added. Throws `RangeError`, before anything is sent, if the body
   * is too long for Node.
   */
  send({ status, headers, body = '' }: Outgoing): void {
    if (!this.isOpen) return;
    if (body === '' && !hasLength(status)) {
      this.sendHead(status, headers);
      return;
    }
    if (body.length > MAX_BODY) throw createTooLongError();
    const bytes = Buffer.byteLength(body);
    this.#end(status, [...headers, 'Content-Length', String(bytes)], body, bytes);
  }

  /** Sends a response without a body and without a `Content-Length`. */
  sendHead(status: number, headers: readonly string[]): void {
    if (this.isOpen) this.#end(status, headers, '', 0);
  }

  /** Sends a response with a body that is written piece by piece. */
  sendStream(status: number, headers: readonly string[], body: StreamedBody): void {
    if (!this.isOpen) return;
    body.start(this, () => {
      if (!this.isOpen || this.beginStream?.() === false) return false;
      this.#writeHead(status, this.#isLast ? [...headers, 'Connection', 'close'] : headers);
      this.response.flushHeaders();
      return true;
    });
  }

  /** Sends an error: as a problem, or as the user's `formatProblem` formats it. */
  sendError(error: Rejection): void {
    if (this.isOpen) this.send(this.formatError(error));
  }

  /** Formats an error as a response, and notifies the observer. */
  formatError(error: Rejection, request: IncomingMessage = this.request): Outgoing<string> {
    this.observer?.reject(error);
    return createErrorResponse(this.settings, error, request, this.response);
  }

  /** Handles a response that could not be written. If nothing was sent, sends `error`. If only a part was sent, destroys the connection. */
  abandon(error: Rejection = UNWRITTEN): void {
    if (this.isOpen) this.connection.sendLast(this.replacement(error), this);
    else if (!this.response.writableEnded) this.connection.destroy();
  }

  /** Formats an error as a whole response for the socket, in place of the `ServerResponse`. Keeps the headers that are already set. */
  replacement(error: Rejection): string {
    const { status, headers, body } = this.formatError(error, shareRequest(this.request));
    this.observer?.replace(status);
    return formatResponse({ status, headers: this.mergeDefaults(headers), body });
  }

  /**
   * Keeps the current async context for `inContext`. A waiting request begins in a callback of the previous request, where the user's
   * functions would find the wrong `AsyncLocalStorage` store.
   */
  keepContext(): void {
    this.#context ??= new asyncHooks.AsyncResource('RESTPOINT_REQUEST');
  }

  /** Calls a function in the async context that was kept, or else in the current one. */
  inContext(call: () => void): void {
    if (this.#context === undefined) call();
    else this.#context.runInAsyncScope(call);
  }

  /** Adds the headers that an app or middleware has set, and the default headers. */
  mergeDefaults(headers: readonly string[]): string[] {
    return mergeHeaders(mergeHeaders(headers, this.#linesSet()), this.defaultHeaders);
  }

  /** Adds headers to any response. */
  addHeaders(headers: readonly string[]): void {
    this.defaultHeaders = mergeHeaders(headers, this.defaultHeaders);
  }

  #end(status: number, headers: readonly string[], body: string | Uint8Array, bytes: number): void {
    const { connection, response } = this;
    const isLast = this.#isLast;
    const isOurs = this.#writeHead(status, isLast ? [...headers, 'Connection', 'close'] : headers);
    // Not before the head is written: if that fails, an error response is the last one.
    if (isLast) connection.beginLast();
    // A body with as many bytes as characters is ASCII. As Latin-1, Node sends it in one piece with the head, without encoding it again.
    response.end(body, bytes === body.length ? 'latin1' : 'utf8');
    if (isLast) return;
    // If the user's code has replaced methods, the body may be sent later.
    if (isOurs) connection.forgetReplied(this);
    else response.once('close', () => connection.forgetReplied(this));
  }

  /** Writes the head. Returns whether the response was untouched by the user's code. */
  #writeHead(status: number, headers: readonly string[]): boolean {
    const { response, defaultHeaders } = this;
    this.isResponseBegun = true;
    if (!this.userHasResponse && isUntouched(response)) {
      response.writeHead(status, mergeHeaders(headers, defaultHeaders));
      return true;
    }
    setHeaders(response, headers, defaultHeaders);
    response.writeHead(status);
    return false;
  }

  /** Whether this is the last response of the connection: also if the rest of the body is not read and may be long. */
  get #isLast(): boolean {
    if (this.connection.closesAfterReply || this.forceClose) return true;
    if (this.isReceived) return false;
    return this.expectsContinue || !this.response.shouldKeepAlive || (this.head.declaredBytes ?? Infinity) > MAX_DISCARDED_BYTES;
  }

  /** The header lines that an app or middleware has set. */
  #linesSet(): string[] {
    return toHeaderLines(this.headersBeforeMount ?? getHeaderEntries(this.response));
  }
}
