/** An exchange of `node:http`: a request and a `ServerResponse`, on a connection. Listeners write to the response themselves. */
import type { AsyncResource } from 'node:async_hooks';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { formatLines, formatResponse, hasLength } from '../../../http/response.ts';
import { mergeHeaders, replaceHeaders } from '../../../util/headers.ts';
import { isFromListedOrigin, markListedOrigin } from '../../../http/cors.ts';
import type { Rejection } from '../../../errors/problem.ts';
import { Head } from '../../../http/head.ts';
import { asyncHooks } from '../../../node.ts';
import { Incoming, shareRequest, useOriginForm } from './internals/incoming.ts';
import { findSocket, isUntouched, onBeforeClose } from './internals/requests.ts';
import { endWhole, isPlain } from './internals/whole-response.ts';
import type { Settings } from '../../settings/server-options.ts';
import { addVary, getHeaderEntries, type HeaderEntry, setHeaders, toHeaderLines } from './response-headers.ts';
import { type BodyTaker, type ConnectionOwner, Exchange, isReadByUser, pourRequest, UNWRITTEN } from '../exchange.ts';

// After a response, Node discards the rest of the request's body. Up to this size, that is cheaper than a new connection.
const MAX_DISCARDED_BYTES = 64 * 1024;

const NONE: readonly string[] = [];

/** The connection of an exchange, as the exchange and listeners use it. */
export interface ExchangeConnection {
  readonly socket: Socket;
  readonly owner: ConnectionOwner;
  readonly settings: Settings;
  /** Whether the last response has begun. */
  readonly isLastBegun: boolean;
  /** Whether a response that begins now is the last. */
  readonly closesAfterResponse: boolean;
  beginLast(): void;
  /** Called when a response is written. */
  forgetResponded(exchange: NodeExchange): void;
  /** Writes a response to the socket in place of the response of `replaced`, and closes. */
  sendLast(response: string, replaced: NodeExchange): void;
  /** Responds to a request that cannot be read to its end. */
  fail(error: Rejection, hasLeft: boolean): void;
  destroy(): void;
}

export class NodeExchange extends Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: ExchangeConnection;
  /** Whether Node's time limit was over while input was held. */
  hasMissedTimeout = false;
  /** Whether the user's code has got the response. It may have set headers and replaced methods. */
  userHasResponse = false;
  /** Whether the response has `Vary: Origin`, which listeners must keep. */
  variesByOrigin = false;
  /** Called when a user's listener writes a body that does not match its `Content-Length`. */
  onMismatch: ((error: unknown) => void) | undefined;
  /** The headers that were set when a mount got the response. An error response in place of the mount's keeps only these. */
  headersBeforeMount: readonly HeaderEntry[] | undefined;
  #context: AsyncResource | undefined;

  constructor(
    request: IncomingMessage, response: ServerResponse, connection: ExchangeConnection,
    expectsContinue: boolean, baseUrl: string | undefined,
  ) {
    super(new Head(useOriginForm(request).rawHeaders), baseUrl);
    this.request = request;
    this.response = response;
    this.connection = connection;
    this.expectsContinue = expectsContinue;
  }

  get method(): string {
    return this.request.method ?? '';
  }

  get url(): string {
    return this.request.url ?? '';
  }

  get rawHeaders(): readonly string[] {
    return this.request.rawHeaders;
  }

  get httpVersion(): string {
    return this.request.httpVersion;
  }

  get headers(): IncomingHttpHeaders {
    return this.request.headers;
  }

  get isSecure(): boolean {
    return (this.request.socket as { readonly encrypted?: unknown } | null)?.encrypted === true;
  }

  override get isListed(): boolean {
    return isFromListedOrigin(this.request);
  }

  markListedOrigin(): void {
    markListedOrigin(this.request);
  }

  get client(): Socket | null {
    return findSocket(this.request, this.response);
  }

  get raw(): IncomingMessage {
    return shareRequest(this.request);
  }

  toNode(): this {
    return this;
  }

  get settings(): Settings {
    return this.connection.settings;
  }

  get stopping(): AbortSignal {
    return this.connection.owner.stopping;
  }

  get isReceived(): boolean {
    return this.request.complete || !this.head.hasBody;
  }

  get isReadAlready(): boolean {
    const { request } = this;
    return isReadByUser(request, request.readableFlowing !== null || !Incoming.isUnseen(request));
  }

  get received(): undefined {
    return undefined;
  }

  collect(take: (chunk: Buffer | string | null) => void): void {
    const { request } = this;
    if (request instanceof Incoming) request.collect(take);
    // The request of the user's own server is a plain stream, which the user may have paused.
    else request.on('data', take).on('end', () => take(null)).resume();
  }

  discard(): void {
    const { request } = this;
    if (Incoming.isUnseen(request)) request.collect(() => {});
    // Middleware may listen to it too.
    else request.resume();
  }

  pour(taker: BodyTaker): void {
    pourRequest(shareRequest(this.request), taker);
  }

  pause(): void {
    this.request.pause();
  }

  resume(): void {
    this.request.resume();
  }

  limitBodyTime(requestMs: number): (() => void) | undefined {
    const { connection, request, response } = this;
    if (connection.isLastBegun || this.isReceived || request.destroyed) return undefined;
    this.isTimeLimitOff = true;
    const clear = this.timeBody(requestMs);
    const clearAtEnd = (): void => {
      // When a client leaves, the response closes before the request does.
      if (this.isReceived || request.destroyed || connection.socket.destroyed) clear();
      // After an early response, the limit holds for the rest of the body.
      else request.once('end', clear).once('close', clear);
    };
    if (response.closed) clearAtEnd();
    else response.once('close', clearAtEnd);
    return clear;
  }

  /** Whether to ignore Node's time limit for the rest of the body. */
  get ignoresTimeLimit(): boolean {
    return (this.isTimeLimitOff || this.expectsContinue) && !this.isReceived;
  }

  get isOpen(): boolean {
    return !this.response.headersSent && !this.response.destroyed && !this.connection.isLastBegun;
  }

  get isEnded(): boolean {
    return this.response.writableEnded;
  }

  override sendContinue(): void {
    if (!this.expectsContinue) return;
    this.expectsContinue = false;
    this.response.writeContinue();
  }

  whenSent(): Promise<void> {
    const { response } = this;
    return new Promise((resolve) => {
      if (response.writableFinished || response.destroyed) resolve();
      else response.once('finish', resolve).once('close', resolve);
    });
  }

  onClose(call: () => void, isFirst = false): void {
    if (isFirst) onBeforeClose(this.response, call);
    else this.response.once('close', call);
  }

  onLeave(call: () => void): void {
    const { request, response } = this;
    // After the response, it does not matter whether the client leaves, and no event would remove the listeners.
    const socket = findSocket(request, response);
    if (response.writableEnded || socket === null) return;
    const leave = (): void => {
      if (!response.writableEnded) call();
    };
    if (socket.destroyed || response.destroyed) leave();
    // A connection can have many requests, so the listener is removed after each response. The socket of an injected request may not emit
    // events, but its response does.
    socket.once?.('close', leave);
    response.once('close', () => {
      socket.off?.('close', leave);
      leave();
    });
  }

  write(chunk: string | Uint8Array): boolean {
    // A `write` of middleware may return `undefined`.
    return this.response.write(chunk) !== false;
  }

  end(): void {
    this.response.end();
  }

  onDrain(call: () => void): void {
    this.response.on('error', () => {}).on('drain', call);
    this.response.once('close', () => this.connection.forgetResponded(this));
  }

  abandon(error: Rejection = UNWRITTEN): void {
    if (this.isOpen) this.connection.sendLast(this.replacement(error), this);
    else if (!this.response.writableEnded) this.connection.destroy();
  }

  breakOff(error: Rejection): void {
    this.connection.fail(error, false);
  }

  destroy(): void {
    this.connection.destroy();
  }

  /** Formats an error as a whole response for the socket, in place of the `ServerResponse`. Keeps the headers that are already set. */
  replacement(error: Rejection): string {
    const { status, headers, body } = this.formatError(error);
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

  protected writeWhole(status: number, headers: readonly string[], body: string | Uint8Array, length: number | undefined): void {
    if (length === undefined) {
      if (hasLength(status) || !this.#endWhole(status, headers, undefined)) this.#end(status, headers, '', 0);
    } else if (typeof body !== 'string' || length !== body.length || !this.#endWhole(status, headers, body)) {
      this.#end(status, [...headers, 'Content-Length', String(length)], body, length);
    }
  }

  /**
   * Sends a whole response as one string, if the user's code has not touched it, and the connection stays open. Returns `false` if only
   * Node's `writeHead` can send it. `body` must be ASCII; `undefined` for a status without one.
   */
  #endWhole(status: number, headers: readonly string[], body: string | undefined): boolean {
    const { response, earlyHeaders } = this;
    if (this.userHasResponse || this.expectsContinue || !isPlain(response) || this.#isLast) return false;
    const own = replaceHeaders(earlyHeaders, headers, this.defaultHeaders.lists);
    const lines = formatLines(own);
    const defaultLines = this.defaultHeaders.linesBeside(own);
    if (lines === undefined || defaultLines === undefined) return false;
    this.isResponseBegun = true;
    const length = body === undefined ? '' : `Content-Length: ${body.length}\r\n`;
    endWhole(response, status, lines + length + defaultLines, body);
    this.connection.forgetResponded(this);
    return true;
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
    if (isOurs) connection.forgetResponded(this);
    else response.once('close', () => connection.forgetResponded(this));
  }

  protected writeStreamHead(status: number, headers: readonly string[]): void {
    this.#writeHead(status, this.#isLast ? [...headers, 'Connection', 'close'] : headers);
    this.response.flushHeaders();
  }

  /** Writes the head. Returns whether the response was untouched by the user's code. */
  #writeHead(status: number, headers: readonly string[]): boolean {
    const { response, earlyHeaders, defaultHeaders: { list: defaults, lists } } = this;
    this.isResponseBegun = true;
    if (!this.userHasResponse && isUntouched(response)) {
      response.writeHead(status, mergeHeaders(replaceHeaders(earlyHeaders, headers, lists), defaults, lists));
      return true;
    }
    setHeaders(response, headers, mergeHeaders(earlyHeaders, defaults, lists), lists);
    response.writeHead(status);
    return false;
  }

  /** Node's request has the id too, for listeners. A server that is mounted in this one, or in an app, finds it there. */
  override identify(): void {
    const { id } = this.request as { readonly id?: unknown };
    super.identify(id);
    if (this.id !== undefined && this.id !== String(id)) Object.assign(this.request, { id: this.id });
  }

  /** Whether this is the last response of the connection: also if the rest of the body is not read and may be long. */
  get #isLast(): boolean {
    if (this.connection.closesAfterResponse || this.forceClose) return true;
    if (this.isReceived) return false;
    return this.expectsContinue || !this.response.shouldKeepAlive || (this.head.declaredBytes ?? Infinity) > MAX_DISCARDED_BYTES;
  }

  override get headersSet(): readonly string[] {
    if (!this.userHasResponse && isUntouched(this.response)) return this.earlyHeaders;
    return mergeHeaders(toHeaderLines(this.headersBeforeMount ?? getHeaderEntries(this.response)), this.earlyHeaders);
  }

  override hasSet(lowerCase: string): boolean {
    return super.hasSet(lowerCase) || this.response.hasHeader(lowerCase);
  }

  override setEarly(headers: readonly string[]): void {
    if (this.userHasResponse) this.#setOnResponse(headers);
    else super.setEarly(headers);
  }

  override removeEarly(lowerCase: string): void {
    super.removeEarly(lowerCase);
    if (this.userHasResponse) this.response.removeHeader(lowerCase);
  }

  /** Sets the early headers on the response, before the user's code gets it. */
  shareResponse(): void {
    this.userHasResponse = true;
    this.#setOnResponse(this.earlyHeaders);
    this.earlyHeaders = NONE;
  }

  #setOnResponse(headers: readonly string[]): void {
    for (let at = 0; at < headers.length; at += 2) {
      const name = headers[at] ?? '';
      if (name === 'Vary') addVary(this.response);
      else this.response.setHeader(name, headers[at + 1] ?? '');
      this.variesByOrigin ||= name === 'Vary';
    }
  }
}
