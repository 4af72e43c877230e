/**
 * An exchange without a connection: a call of `fetch`, or a request within a request. It makes nothing of Node:
 *
 *   the operation responds               ->   straight to the reader
 *   `request.raw`, `formatProblem`       ->   Node's request, when it is first asked for. The response stays here
 *   middleware, a mount of the user      ->   `toNode`: both messages, before anything is read or sent
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { toBuffer } from '../../../util/bytes.ts';
import { clearImmediate, clearTimeout, nextTick, setImmediate, setTimeout } from '../../../util/timers.ts';
import type { Rejection } from '../../../errors/problem.ts';
import { formatNow } from '../../../http/date.ts';
import { hasHeader } from '../../../util/headers.ts';
import { Head, joinHeaders } from '../../../http/head.ts';
import type { Outgoing } from '../../../http/response.ts';
import type { Settings } from '../../settings/server-options.ts';
import { type BodyTaker, Exchange, UNWRITTEN } from '../exchange.ts';
import { type BodyRest, MemoryBody, type RawRequest } from './memory-body.ts';
import { closedEarly, type MemoryParts, type MessageMaker, type ResponseHead, type ResponseReader } from './memory-parts.ts';

// Few enough that other requests are served between two chunks of a stream whose reader always takes more.
const BYTES_OF_TURN = 64 * 1024;
const NO_BYTES = Buffer.alloc(0);

/** The server that memory exchanges belong to. */
export interface MemoryServer {
  readonly settings: Settings;
  readonly owner: { readonly stopping: AbortSignal };
  readonly messages: MessageMaker;
  /** Called when a chunk of a stream waits for its reader. */
  readonly onUnsent?: () => void;
  /** Called when an exchange is over. */
  readonly onOver?: (exchange: MemoryExchange) => void;
}

export class MemoryExchange extends Exchange {
  readonly method: string;
  readonly url: string;
  readonly rawHeaders: readonly string[];
  readonly settings: Settings;
  override isListed = false;
  /** Called once, when the exchange must know at once when its caller leaves. */
  onFollow: (() => void) | undefined;
  /** How many bytes of a stream wait for the reader. */
  unsentBytes = 0;
  readonly #parts: MemoryParts;
  readonly #server: MemoryServer;
  readonly #reader: ResponseReader;
  readonly #body: MemoryBody;
  #raw: RawRequest | undefined;
  #response: ServerResponse | undefined;
  // The head of the response.
  #sent: ResponseHead | undefined;
  #node: Exchange | undefined;
  // `begun`: the head is written. `closed`: over, or the client has left.
  #stage: 'open' | 'begun' | 'closed' = 'open';
  isEnded = false;
  #closers: (() => void)[] | undefined;
  #onDrain: (() => void) | undefined;
  #bytesOfTurn = 0;
  #sendTimer: NodeJS.Timeout | undefined;
  #nextTurn: NodeJS.Immediate | undefined;

  constructor(server: MemoryServer, parts: MemoryParts, reader: ResponseReader) {
    const { method, url, rawHeaders, body } = parts;
    super(new Head(rawHeaders), '');
    this.#server = server;
    this.settings = server.settings;
    this.method = method;
    this.url = url;
    this.rawHeaders = rawHeaders;
    this.#parts = parts;
    this.#reader = reader;
    this.#body = new MemoryBody(body);
    this.identify(parts.id);
  }

  get httpVersion(): string {
    return '1.1';
  }

  get headers(): IncomingHttpHeaders {
    return joinHeaders(this.rawHeaders);
  }

  get isSecure(): boolean {
    return (this.#parts.client as { readonly encrypted?: unknown } | null)?.encrypted === true;
  }

  markListedOrigin(): void {
    this.isListed = true;
  }

  get raw(): IncomingMessage {
    if (this.#node !== undefined) return this.#node.raw;
    if (this.#raw !== undefined) return this.#raw;
    const { messages } = this.#server;
    this.#raw = this.#body.passOn((body) => messages.makeRequest(this.#withRest(body), () => this.leave()));
    if (this.#stage === 'closed') this.#closeRaw(this.#raw);
    return this.#raw;
  }

  get response(): ServerResponse {
    if (this.#node !== undefined) return this.#node.response;
    if (this.#response !== undefined) return this.#response;
    const { messages } = this.#server;
    const response = messages.makeResponse(this.raw as RawRequest);
    this.#response = response;
    if (this.#sent !== undefined) messages.writeHead(response, this.#sent);
    if (this.#stage === 'closed') messages.closeResponse(response, this.isEnded);
    return response;
  }

  get client(): Socket | null {
    return this.#parts.client;
  }

  get stopping(): AbortSignal {
    return this.#server.owner.stopping;
  }

  toNode(): Exchange {
    if (this.#node === undefined) {
      this.follow();
      this.#body.passOn((body) => {
        const { exchange, request } = this.#server.messages.makeExchange(this.#withRest(body), this.#reader);
        this.#node = this.#inherit(exchange);
        return request;
      });
    }
    return this.#node as unknown as Exchange;
  }

  #inherit(node: Exchange): Exchange {
    node.id = this.id;
    node.defaultHeaders = this.defaultHeaders;
    node.earlyHeaders = this.earlyHeaders;
    node.beginStream = this.beginStream;
    node.observer = this.observer;
    if (this.isListed) node.markListedOrigin();
    node.onClose(() => this.#close(), true);
    return node;
  }

  get isReceived(): boolean {
    return this.#body.complete || !this.head.hasBody;
  }

  get isReadAlready(): boolean {
    return this.#body.isReadAlready;
  }

  get received(): Buffer | undefined {
    return this.#body.received;
  }

  collect(take: (chunk: Buffer | null) => void): void {
    this.#body.collect(take);
  }

  discard(): void {
    this.#body.discard();
  }

  pour(taker: BodyTaker): void {
    this.onClose(() => taker.breakOff());
    this.#body.pour(taker);
  }

  pause(): void {
    this.#body.pause();
  }

  resume(): void {
    this.#body.resume();
  }

  limitBodyTime(requestMs: number): (() => void) | undefined {
    if (this.isReceived || this.#stage !== 'open') return undefined;
    this.isTimeLimitOff = true;
    const lift = this.timeBody(requestMs);
    this.onClose(lift);
    return lift;
  }

  /** Limits the time of the body, unless the operation has its own limit. */
  limitTime(requestMs: number): void {
    if (this.#body.complete || this.#stage === 'closed') return;
    this.onClose(this.timeBody(requestMs, () => !this.isReceived && !(this.#node ?? this).isTimeLimitOff));
  }

  get isOpen(): boolean {
    return this.#stage === 'open';
  }

  /** Whether nothing is left to do: it need not be counted, and its caller cannot leave. */
  get isOver(): boolean {
    return this.#stage === 'closed';
  }

  async whenSent(): Promise<void> {
    if (this.#stage !== 'closed') await new Promise<void>((resolve) => this.onClose(resolve));
  }

  onClose(call: () => void, isFirst = false): void {
    this.#closers ??= [];
    if (isFirst) this.#closers.unshift(call);
    else this.#closers.push(call);
  }

  /** Lets the exchange end when its caller leaves. Most are over before that is needed. */
  follow(): void {
    const call = this.onFollow;
    this.onFollow = undefined;
    if (this.#stage !== 'closed') call?.();
  }

  /** Called when the dispatcher has returned, and the exchange is not over. */
  receive(): void {
    this.#body.receive();
  }

  /** Calls `follow` at the next turn of the event loop. */
  followSoon(): void {
    this.#nextTurn = setImmediate(() => this.follow());
  }

  onLeave(call: () => void): void {
    if (this.isEnded) return;
    this.follow();
    if (this.#stage === 'closed') call();
    else this.onClose(() => this.isEnded || call());
  }

  write(chunk: string | Uint8Array): boolean {
    if (this.#stage !== 'begun') return true;
    const bytes = toBuffer(chunk);
    if (bytes.length === 0) return true;
    let isTaken = false;
    let isWaiting = false;
    this.#reader.write(bytes, () => {
      isTaken = true;
      if (!isWaiting) return;
      this.unsentBytes = 0;
      clearTimeout(this.#sendTimer);
      this.#onDrain?.();
    });
    if (isTaken) return this.#isWithinTurn(bytes.length);
    isWaiting = true;
    this.#wait(bytes.length);
    return false;
  }

  end(): void {
    if (this.#stage !== 'begun') return;
    this.isEnded = true;
    this.#reader.end();
    this.#close();
  }

  onDrain(call: () => void): void {
    this.#onDrain = call;
  }

  abandon(error: Rejection = UNWRITTEN): void {
    if (this.#node !== undefined) this.#node.abandon(error);
    else if (this.isOpen) this.#replace(error);
    else if (!this.isEnded) this.destroy();
  }

  destroy(): void {
    this.leave();
  }

  /** Ends the exchange: the caller has left, or the response is broken off. */
  leave(error: Error = closedEarly()): void {
    if (this.#stage === 'closed') return;
    this.#reader.fail(error);
    if (this.#node === undefined) this.#close();
    else this.#node.destroy();
  }

  breakOff(error: Rejection): void {
    if (this.#node !== undefined) this.#node.breakOff(error);
    else if (this.#stage === 'open') this.#replace(error);
    else this.leave();
  }

  protected writeWhole(status: number, headers: readonly string[], body: string | Uint8Array, length: number | undefined): void {
    const all = this.mergeDefaults(headers);
    if (length !== undefined) all.push('Content-Length', String(length));
    this.isResponseBegun = true;
    this.isEnded = true;
    this.#reader.whole(this.#makeHead(status, all), this.method === 'HEAD' ? NO_BYTES : body);
    this.#close();
  }

  protected writeStreamHead(status: number, headers: readonly string[]): void {
    this.isResponseBegun = true;
    this.#stage = 'begun';
    this.#reader.begin(this.#makeHead(status, this.mergeDefaults(headers)));
  }

  /** Sends an error in place of the response. The rest of the body is not read. */
  #replace(error: Rejection): void {
    this.brokenBy = error;
    const { status, headers, body }: Outgoing<string> = this.formatError(error);
    this.writeWhole(status, headers, body, Buffer.byteLength(body));
  }

  #makeHead(status: number, headers: string[]): ResponseHead {
    const { messages } = this.#server;
    // As in Node, a response can have its own.
    if (!hasHeader(headers, 'date')) headers.push('Date', formatNow());
    const head = { status, statusText: messages.statusTexts[status] ?? 'unknown', headers };
    this.#sent = head;
    if (this.#response !== undefined) messages.writeHead(this.#response, head);
    return head;
  }

  /** A reader that always takes more would let a stream block the event loop. */
  #isWithinTurn(bytes: number): boolean {
    this.#bytesOfTurn += bytes;
    if (this.#bytesOfTurn < BYTES_OF_TURN) return true;
    this.#bytesOfTurn = 0;
    nextTick(() => this.#onDrain?.());
    return false;
  }

  #wait(bytes: number): void {
    this.unsentBytes = bytes;
    const { sendMs } = this.settings.limits;
    if (sendMs !== Infinity) this.#sendTimer = setTimeout(() => this.destroy(), sendMs).unref();
    if (bytes > BYTES_OF_TURN) this.#server.onUnsent?.();
  }

  /** Called when the response is over, or the client has left. Not later: the caller may make the next call, which is counted. */
  #close(): void {
    if (this.#stage === 'closed') return;
    this.#stage = 'closed';
    this.unsentBytes = 0;
    this.#server.onOver?.(this);
    if (this.#sendTimer !== undefined) clearTimeout(this.#sendTimer);
    // Else many calls of one turn would all stay in memory until the next.
    if (this.#nextTurn !== undefined) clearImmediate(this.#nextTurn);
    const raw = this.#raw;
    if (this.#response !== undefined) this.#server.messages.closeResponse(this.#response, this.isEnded);
    if (raw !== undefined) this.#closeRaw(raw);
    else if (this.#node === undefined) this.#body.close();
    const closers = this.#closers;
    this.#closers = undefined;
    if (closers !== undefined) for (const call of closers) call();
  }

  /** The request with the rest of its body. A body of no bytes is not read, whatever follows it. */
  #withRest(body: BodyRest): MemoryParts {
    return { ...this.#parts, id: this.id, body: this.head.hasBody ? body : undefined };
  }

  #closeRaw(raw: RawRequest): void {
    nextTick(() => this.#server.messages.closeRequest(raw, this.isEnded));
  }
}
