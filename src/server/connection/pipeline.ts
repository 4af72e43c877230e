/** The requests of a connection. One is served, and others wait for their turn. While several wait, the input behind them is held. */
import type { Socket } from 'node:net';
import { bufferUnread, onTurn } from '../node/messages.ts';
import type { Exchange } from './exchange.ts';
import { HeldInput } from './held-input.ts';

// How many requests may wait before the parser stops.
const MAX_PARSED = 16;
// How many may wait before reading pauses, where the parser cannot stop.
const MAX_WAITING = 64;
// How many bytes of unread bodies are buffered.
const MAX_UNREAD_BYTES = 1024 * 1024;

export class Pipeline {
  /** The request that began last. See `Connection.current` for how long it is kept. */
  current: Exchange | undefined;
  readonly #socket: Socket;
  readonly #isInOrder: boolean;
  readonly #onBegin: (exchange: Exchange) => void;
  // Few clients pipeline, so it is made when one does.
  #waiting: Exchange[] | undefined;
  #input: HeldInput | undefined;
  #pause: ReadPause | undefined;
  #mayPause = true;

  /**
   * `onBegin` is called with each request that has waited, in its turn and in its own async context. `isInOrder`: see
   * `ConnectionOptions`.
   */
  constructor(socket: Socket, isInOrder: boolean, onBegin: (exchange: Exchange) => void) {
    this.#socket = socket;
    this.#isInOrder = isInOrder;
    this.#onBegin = onBegin;
  }

  /** The request that arrived last. */
  get latest(): Exchange | undefined {
    return this.#waiting?.at(-1) ?? this.current;
  }

  get hasWaiting(): boolean {
    return this.#waiting !== undefined && this.#waiting.length > 0;
  }

  /** Whether a response is still to be sent. */
  get isInFlight(): boolean {
    return this.hasWaiting || this.current?.response.writableFinished === false;
  }

  /** Whether there is input behind the requests that wait. */
  get isHolding(): boolean {
    return this.#input?.isHolding === true;
  }

  /** Whether reading is paused because many wait. Node also pauses it, for other reasons. */
  get isPaused(): boolean {
    return this.#pause?.isHeld === true;
  }

  /** Begins a request in its turn. */
  wait(exchange: Exchange): void {
    this.#waiting ??= this.#startWaiting();
    if (!exchange.isReceived) bufferUnread(exchange.request, MAX_UNREAD_BYTES - this.#unreadBytes);
    // Only the latest request can be incomplete. An app's listener can pass earlier ones on after it.
    const isBehind = this.#waiting.at(-1)?.isReceived !== false;
    this.#waiting.splice(this.#waiting.length - Number(!isBehind), 0, exchange);
    exchange.keepContext();
    // A read of 64 KiB can hold thousands of requests, so in order only the first has a listener.
    if (!this.#isInOrder || this.#waiting.length === 1) this.#awaitTurn(exchange);
    if (this.#waiting.length >= MAX_WAITING) this.#pauseWhile(() => this.#isFull);
  }

  /** Holds input that the parser has left because several requests wait. */
  hold(rest: Buffer): void {
    if (this.#mayPause) this.#input?.hold(rest);
  }

  /** Calls a function when the input that is held now is parsed. `discards`: the input behind that is discarded. */
  endAfterHeld(onEnd: () => void, discards: boolean): void {
    this.#input?.endAfter(onEnd, discards);
    if (discards) this.#pause?.resume();
  }

  /** Drops the request that arrived last. It must still wait. */
  dropLatest(): void {
    this.#waiting?.pop();
  }

  /** Goes on reading, and does not pause again however many wait. Input that is held is dropped: nothing more is parsed. */
  stopPausing(): void {
    this.#mayPause = false;
    this.#input?.drop();
    this.#pause?.resume();
  }

  /** Goes on buffering the unread body of a request, up to a limit. */
  readAhead({ request }: Exchange): void {
    if (request.readableLength >= MAX_UNREAD_BYTES) return;
    bufferUnread(request, MAX_UNREAD_BYTES);
    this.#socket.resume();
  }

  #startWaiting(): Exchange[] {
    // An app's own server gets the errors by which a parser that stops is known.
    if (this.#isInOrder) this.#input = HeldInput.create(this.#socket, () => this.#stopsParser, () => this.#pauseWhile(() => this.isHolding));
    this.#socket.once('close', () => {
      this.#input?.drop();
      // A pending operation would keep these requests in memory. Destroying a request does not free its buffer. Reading does,
      // piece by piece on Node 26.
      for (const { request } of this.#waiting ?? []) while (request.read() !== null);
      this.#waiting = undefined;
    });
    return [];
  }

  #awaitTurn(exchange: Exchange): void {
    onTurn(exchange.response, () => this.#beginWaiting(exchange));
  }

  // An app's listener can pass requests on late, so those that wait may not begin in the order of `#waiting`.
  #beginWaiting(exchange: Exchange): void {
    const at = this.#waiting?.indexOf(exchange) ?? -1;
    if (at === -1) return;
    // Before it begins, it is known whether it is the last.
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

  /** No more is parsed if all further input is dropped. */
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

/** Pauses reading from a socket that Node pauses and resumes too. */
class ReadPause {
  readonly #socket: Socket;
  #isScheduled = false;
  #isHeld = false;
  #isPausedByNode: boolean;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#isPausedByNode = socket.isPaused();
    // Node pauses the socket while many of its written bytes are unsent.
    socket.on('pause', () => (this.#isPausedByNode = true));
    socket.on('resume', () => {
      this.#isPausedByNode = false;
      if (this.#isHeld) socket.pause();
    });
  }

  /** Whether reading is paused by this object. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Pauses once the bytes that were read are parsed, if `isNeeded` returns `true` then. */
  pause(isNeeded: () => boolean): void {
    if (this.#isScheduled || this.#isHeld) return;
    this.#isScheduled = true;
    // Node resumes the socket at the end of each request that it parses.
    process.nextTick(() => {
      this.#isScheduled = false;
      if (!isNeeded() || this.#socket.destroyed) return;
      this.#isHeld = true;
      // If Node has paused the socket, it is paused again when Node resumes it.
      if (!this.#isPausedByNode) this.#socket.pause();
    });
  }

  resume(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#socket.resume();
  }
}
