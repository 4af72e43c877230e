/** The requests of a connection. One is served, and the others wait for their turn. While several wait, later input is held. */
import type { Socket } from 'node:net';
import { ByteBuffer } from '../../../util/bytes.ts';
import { nextTick } from '../../../util/timers.ts';
import { bufferUnread, dropUnread, onTurn } from './internals/requests.ts';
import { readFromHandle, type StoppableParser, stopParser } from './internals/sockets.ts';
import type { NodeExchange } from './node-exchange.ts';

// The parser stops when this many requests wait.
const MAX_PARSED = 16;
// Where the parser cannot stop, reading pauses when this many requests wait.
const MAX_WAITING = 64;
// The limit for buffered, unread bodies.
const MAX_UNREAD_BYTES = 1024 * 1024;

export class Pipeline {
  /** The request that began last. See `Connection.current` for how long it is kept. */
  current: NodeExchange | undefined;
  readonly #socket: Socket;
  readonly #isInOrder: boolean;
  readonly #onBegin: (exchange: NodeExchange) => void;
  // Few clients pipeline, so the array is created only when requests wait.
  #waiting: NodeExchange[] | undefined;
  #input: HeldInput | undefined;
  #pause: ReadPause | undefined;
  #mayPause = true;

  /** Calls `onBegin` with each waiting request, in its turn and in its own async context. `isInOrder`: see `ConnectionOptions`. */
  constructor(socket: Socket, isInOrder: boolean, onBegin: (exchange: NodeExchange) => void) {
    this.#socket = socket;
    this.#isInOrder = isInOrder;
    this.#onBegin = onBegin;
  }

  /** The request that arrived last. */
  get latest(): NodeExchange | undefined {
    return this.#waiting?.at(-1) ?? this.current;
  }

  get hasWaiting(): boolean {
    return this.#waiting !== undefined && this.#waiting.length > 0;
  }

  /** Whether a response is still to be sent. */
  get isInFlight(): boolean {
    return this.hasWaiting || this.current?.response.writableFinished === false;
  }

  /** Whether unparsed input is held. */
  get isHolding(): boolean {
    return this.#input?.isHolding === true;
  }

  /** Whether reading is paused because many requests wait. Node also pauses it, for other reasons. */
  get isPaused(): boolean {
    return this.#pause?.isHeld === true;
  }

  /** Begins a request in its turn. */
  wait(exchange: NodeExchange): void {
    this.#waiting ??= this.#startWaiting();
    if (!exchange.isReceived) bufferUnread(exchange.request, MAX_UNREAD_BYTES - this.#unreadBytes);
    // Only the latest request can be incomplete. An app's listener can pass earlier requests on after it.
    const isLatest = this.#waiting.at(-1)?.isReceived !== false;
    this.#waiting.splice(this.#waiting.length - Number(!isLatest), 0, exchange);
    exchange.keepContext();
    // Thousands of requests can wait. If they are in order, only the first one needs a listener.
    if (!this.#isInOrder || this.#waiting.length === 1) this.#awaitTurn(exchange);
    if (this.#waiting.length >= MAX_WAITING) this.#pauseWhile(() => this.#isFull);
  }

  /** Holds the input that the parser has not parsed, because several requests wait. */
  hold(rest: Buffer): void {
    if (this.#mayPause) this.#input?.hold(rest);
  }

  /** Calls a function when the input that is held now is parsed. `discards`: later input is discarded. */
  endAfterHeld(onEnd: () => void, discards: boolean): void {
    this.#input?.endAfter(onEnd, discards);
    if (discards) this.#pause?.resume();
  }

  /** Drops the request that arrived last. It must still be waiting. */
  dropLatest(): void {
    this.#waiting?.pop();
  }

  /** Resumes reading, and never pauses again. Drops held input: nothing more is parsed. */
  stopPausing(): void {
    this.#mayPause = false;
    this.#input?.drop();
    this.#pause?.resume();
  }

  /** Buffers more of the unread body of a request. Returns `false` at a limit. */
  readAhead({ request }: NodeExchange): boolean {
    if (request.readableLength >= MAX_UNREAD_BYTES) return false;
    bufferUnread(request, MAX_UNREAD_BYTES);
    this.#socket.resume();
    return true;
  }

  #startWaiting(): NodeExchange[] {
    // A parser that stops emits a `clientError`. On an app's own server, the app would get that.
    if (this.#isInOrder) {
      this.#input = HeldInput.create(this.#socket, () => this.#stopsParser, () => this.#pauseWhile(() => this.isHolding));
    }
    this.#socket.once('close', () => {
      this.#input?.drop();
      for (const { request } of this.#waiting ?? []) dropUnread(request);
      this.#waiting = undefined;
    });
    return [];
  }

  #awaitTurn(exchange: NodeExchange): void {
    onTurn(exchange.response, () => this.#beginWaiting(exchange));
  }

  // An app's listener can pass requests on late, so they may not begin in the order of `#waiting`.
  #beginWaiting(exchange: NodeExchange): void {
    const at = this.#waiting?.indexOf(exchange) ?? -1;
    if (at === -1) return;
    // The held input is parsed first: it decides whether this request is the last.
    if (this.#waiting !== undefined && this.#waiting.length <= MAX_PARSED / 2) this.#input?.release();
    this.#waiting?.splice(at, 1);
    const [next] = this.#waiting ?? [];
    if (this.#isInOrder && next !== undefined) this.#awaitTurn(next);
    if (!this.#isFull && !this.isHolding) this.#pause?.resume();
    exchange.inContext(() => this.#onBegin(exchange));
  }

  /** Pauses reading until `isNeeded` returns `false`. */
  #pauseWhile(isNeeded: () => boolean): void {
    this.#pause ??= new ReadPause(this.#socket);
    this.#pause.pause(() => this.#mayPause && isNeeded());
  }

  /** Whether the parser stops: enough requests wait, or all further input is dropped. */
  get #stopsParser(): boolean {
    return !this.#mayPause || (this.#waiting?.length ?? 0) >= MAX_PARSED;
  }

  get #isFull(): boolean {
    return this.#waiting !== undefined && this.#waiting.length >= MAX_WAITING;
  }

  get #unreadBytes(): number {
    return this.#waiting?.reduce((bytes, { request }) => bytes + request.readableLength, 0) ?? 0;
  }
}

/** Pauses reading from a socket that Node also pauses and resumes. */
class ReadPause {
  readonly #socket: Socket;
  #isScheduled = false;
  /** Whether reading is paused by this object. */
  isHeld = false;
  #isPausedByNode: boolean;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#isPausedByNode = socket.isPaused();
    // Node pauses the socket while many written bytes are unsent.
    socket.on('pause', () => (this.#isPausedByNode = true));
    socket.on('resume', () => {
      this.#isPausedByNode = false;
      if (this.isHeld) socket.pause();
    });
  }

  /** Pauses when the bytes that were read are parsed, if `isNeeded` returns `true` then. */
  pause(isNeeded: () => boolean): void {
    if (this.#isScheduled || this.isHeld) return;
    this.#isScheduled = true;
    // Node resumes the socket at the end of each request that it parses.
    nextTick(() => {
      this.#isScheduled = false;
      if (!isNeeded() || this.#socket.destroyed) return;
      this.isHeld = true;
      // If Node has paused the socket, the listener above pauses it again when Node resumes it.
      if (!this.#isPausedByNode) this.#socket.pause();
    });
  }

  resume(): void {
    if (!this.isHeld) return;
    this.isHeld = false;
    this.#socket.resume();
  }
}

// Reading pauses when this many bytes are held.
const MAX_HELD_BYTES = 16 * 1024;

type OnData = (chunk: Buffer) => void;

/**
 * Holds the input of a connection while many requests wait:
 *
 *   socket   ->   held bytes   ->   parser   ->   waiting requests   ->   current request
 *
 * A parsed request takes much more memory than its bytes, and a client can send thousands of requests in one chunk: without this, one
 * connection of a hostile client holds 10 MB, in place of 0.5 MB. So the parser stops, and gets the rest later. Meanwhile the socket is
 * still read, so that the server notices when the client leaves.
 */
export class HeldInput {
  readonly #socket: Socket;
  readonly #parser: StoppableParser;
  readonly #onFull: () => void;
  readonly #bytes = new ByteBuffer();
  // The bytes that arrived after `endAfter` was called.
  readonly #late = new ByteBuffer();
  isHolding = false;
  // Node's own `data` listeners, once this object has replaced them.
  #listeners: readonly OnData[] | undefined;
  #onEnd: (() => void) | undefined;
  #isDiscarding = false;

  private constructor(socket: Socket, parser: StoppableParser, onFull: () => void) {
    this.#socket = socket;
    this.#parser = parser;
    this.#onFull = onFull;
  }

  /**
   * Makes the parser stop while `isFull` returns `true`. Calls `onFull` when reading should pause. Returns `undefined` if the parser
   * cannot stop.
   */
  static create(socket: Socket, isFull: () => boolean, onFull: () => void): HeldInput | undefined {
    const parser = stopParser(socket, isFull);
    return parser && new HeldInput(socket, parser, onFull);
  }

  /** Holds the bytes that the parser has not parsed. */
  hold(rest: Buffer): void {
    this.isHolding = true;
    this.#bytes.add(rest);
    this.#listeners ??= this.#listenInPlaceOfNode();
    this.#pauseIfFull();
  }

  /** Passes the held bytes to the parser, which may stop again. */
  release(): void {
    if (!this.isHolding) return;
    this.#pass(this.#bytes.take());
    if (this.isHolding || this.#onEnd === undefined) return;
    const end = this.#onEnd;
    this.#onEnd = undefined;
    end();
    this.#pass(this.#late.take());
  }

  /** Calls a function when the parser has got all bytes that are held now. `discards`: later bytes are not parsed. */
  endAfter(onEnd: () => void, discards: boolean): void {
    this.#onEnd = onEnd;
    this.#isDiscarding = discards;
  }

  /** Drops the held bytes, and holds no more. */
  drop(): void {
    this.isHolding = false;
    this.#bytes.clear();
    this.#late.clear();
  }

  /** Takes over the `data` events of the socket, even if the parser has read from its handle until now. */
  #listenInPlaceOfNode(): readonly OnData[] {
    const listeners = this.#socket.listeners('data') as OnData[];
    this.#socket.removeAllListeners('data').on('data', this.#take);
    readFromHandle(this.#socket);
    return listeners;
  }

  readonly #take = (chunk: Buffer): void => {
    if (!this.isHolding) {
      this.#pass(chunk);
    } else if (!this.#isDiscarding) {
      (this.#onEnd === undefined ? this.#bytes : this.#late).add(chunk);
      this.#pauseIfFull();
    }
  };

  #pauseIfFull(): void {
    if (this.#bytes.length + this.#late.length >= MAX_HELD_BYTES) this.#onFull();
  }

  #pass(bytes: Buffer): void {
    this.isHolding = false;
    if (!this.#parser.isParsing()) return;
    this.#parser.resume();
    // For Node's parser, an empty buffer can be the end of the input: once its `buffer` was asked for, it has no address.
    if (bytes.length > 0) this.#listeners?.forEach((listener) => listener.call(this.#socket, bytes));
    if (!this.#parser.isParsing()) this.#socket.off('data', this.#take);
  }
}
