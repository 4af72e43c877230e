/**
 * One request and its response, from the connection to the reply, and the only writer of the server's own replies. Mounted handlers and
 * middleware write to the response themselves.
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

/** Someone who follows a request, and its response. */
export interface Observer {
  /** Called with a thrown value that makes the response an error. */
  fail(thrown: unknown): void;
  /** Called with a rejection that becomes the response. */
  reject(rejection: Rejection): void;
  /** Called when a server that is mounted in this one has found its route. */
  refine(route: { readonly method: string; readonly path: string }, operation: string | undefined): void;
  /** Called before a response with this status is written to the socket, in place of the response. */
  replace(status: number): void;
}

/** A body that is written piece by piece after the head. */
export interface StreamedBody {
  /** Begins to write. Calls `sendHead` before the first piece, which returns whether pieces can be written: no other reply was sent. */
  start(exchange: Exchange, sendHead: () => boolean): void;
}

const UNWRITTEN = createRejection(500);
// After a reply, Node discards the unread body. Up to this size, that is cheaper than a new connection.
const MAX_DISCARDED_BYTES = 64 * 1024;

export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection;
  readonly head: Head;
  /**
   * The beginning of the path that a router of the user's has removed. `''` if it has removed nothing; `undefined` if no path can begin with
   * that.
   */
  baseUrl: string | undefined;
  /** Whether the client waits for a `100 Continue` before it sends the body (RFC 9110 section 10.1.1). */
  expectsContinue: boolean;
  /** Whether the connection must close after the reply, because the end of this request is unknown or its body too long. */
  forceClose = false;
  /** Whether a timer of the server, in place of Node's, limits the time in which the body must arrive, or the operation has not asked for it. */
  isNodeTimeoutOff = false;
  /** Whether Node's limit was over while its input was held. */
  hasMissedTimeout = false;
  /** Headers of every response that does not have them itself. Names and values alternate. */
  defaultHeaders: readonly string[] = NOSNIFF;
  /** Whether the user's code has had the response. It may have set headers, and replaced methods. */
  userHasResponse = false;
  /** Whether the server has begun to write a reply, even if that failed. */
  isResponseBegun = false;
  /** Why the rest of its body cannot be read, unless the client has left. */
  brokenBy: Rejection | undefined;
  /** Called when a user's listener writes a body of another length than its head declares. */
  onMismatch: ((error: unknown) => void) | undefined;
  /** The headers that were set when a mount got the response. A response in place of the mount's has only these. */
  headersBeforeMount: readonly HeaderEntry[] | undefined;
  /** Called before the head of a stream is sent. Returns whether it may be: else, it has replied. `undefined` without limits. */
  beginStream: (() => boolean) | undefined;
  /** `undefined` if nobody subscribes to requests, or the route is not known yet. */
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

  /** Whether Node's time limit does not hold for the rest of the body. */
  get ignoresNodeTimeout(): boolean {
    return (this.isNodeTimeoutOff || this.expectsContinue) && !this.isReceived;
  }

  /** Whether a reply can still be sent: none has begun, and the client is there. */
  get isOpen(): boolean {
    return !this.response.headersSent && !this.response.destroyed && !this.connection.isLastBegun;
  }

  /** Asks the client for the body, if it waits for that. */
  sendContinue(): void {
    if (!this.expectsContinue) return;
    this.expectsContinue = false;
    this.response.writeContinue();
  }

  /**
   * Sends a response. Does nothing if one has begun, or the client has left. Headers that an app or middleware has set are kept, unless the response
   * has the same; `Vary`, `Set-Cookie` and `Link` are added to. Throws `RangeError`, before anything is sent, if the body is too long for Node.
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

  /** Sends a response without its body, and without the length of it. */
  sendHead(status: number, headers: readonly string[]): void {
    if (this.isOpen) this.#end(status, headers, '', 0);
  }

  /** Sends a response whose body is written piece by piece. */
  sendStream(status: number, headers: readonly string[], body: StreamedBody): void {
    if (!this.isOpen) return;
    body.start(this, () => {
      if (!this.isOpen || this.beginStream?.() === false) return false;
      this.#writeHead(status, this.#isLast ? [...headers, 'Connection', 'close'] : headers);
      this.response.flushHeaders();
      return true;
    });
  }

  /** Sends an error: as a problem, or as the user's `formatProblem` gives it. */
  sendError(error: Rejection): void {
    if (this.isOpen) this.send(this.formatError(error));
  }

  /** The response to an error, of which observers are told. */
  formatError(error: Rejection, request: IncomingMessage = this.request): Outgoing<string> {
    this.observer?.reject(error);
    return createErrorResponse(this.settings, error, request, this.response);
  }

  /**
   * Ends an exchange whose reply could not be written. If nothing was sent, sends `error` to the socket. If only a part was sent, destroys
   * the connection.
   */
  abandon(error: Rejection = UNWRITTEN): void {
    if (this.isOpen) this.connection.sendLast(this.replacement(error), this);
    else if (!this.response.writableEnded) this.connection.destroy();
  }

  /** A whole response with an error as text, in place of the exchange's own. Headers that are set already are kept. */
  replacement(error: Rejection): string {
    const { status, headers, body } = this.formatError(error, shareRequest(this.request));
    this.observer?.replace(status);
    return formatResponse({ status, headers: this.mergeDefaults(headers), body });
  }

  /**
   * Keeps the current async context for `inContext`. A request that waits for its turn is begun from a callback of another request. There, the
   * user's functions would find the wrong `AsyncLocalStorage` store.
   */
  keepContext(): void {
    this.#context ??= new asyncHooks.AsyncResource('RESTPOINT_REQUEST');
  }

  /** Calls a function in the async context that was kept. If none was, calls it in the current one. */
  inContext(call: () => void): void {
    if (this.#context === undefined) call();
    else this.#context.runInAsyncScope(call);
  }

  /** The headers of a response, with those of an app or middleware, and those of every response. */
  mergeDefaults(headers: readonly string[]): string[] {
    return mergeHeaders(mergeHeaders(headers, this.#linesSet()), this.defaultHeaders);
  }

  #end(status: number, headers: readonly string[], body: string | Uint8Array, bytes: number): void {
    const { connection, response } = this;
    const isLast = this.#isLast;
    const isOurs = this.#writeHead(status, isLast ? [...headers, 'Connection', 'close'] : headers);
    // After the head: if it cannot be written, another response is the last.
    if (isLast) connection.beginLast();
    // A body with as many bytes as characters is ASCII: as Latin-1 it is sent with the head, and not encoded.
    response.end(body, bytes === body.length ? 'latin1' : 'utf8');
    if (isLast) return;
    // The user's code may send the body later. Then the response is over when it is closed.
    if (isOurs) connection.forgetReplied(this);
    else response.once('close', () => connection.forgetReplied(this));
  }

  /** Returns whether no code of the user's has touched the response. */
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

  /** Whether this is the last reply of the connection. It also is if the rest of the body will not be read and may be long. */
  get #isLast(): boolean {
    if (this.connection.closesAfterReply || this.forceClose) return true;
    if (this.isReceived) return false;
    return this.expectsContinue || !this.response.shouldKeepAlive || (this.head.declaredBytes ?? Infinity) > MAX_DISCARDED_BYTES;
  }

  /** The header lines of an app or of middleware. */
  #linesSet(): string[] {
    return toHeaderLines(this.headersBeforeMount ?? getHeaderEntries(this.response));
  }
}
