/** The requests of a connection: one is served, the others wait for their turn. While many wait, reading pauses. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { bufferUnread, hasTurn, onTurn } from './node-internals.ts';
import { ReadPause } from './read-pause.ts';

/** A request and its response, as `node:http` passes them to listeners. */
export interface HttpPair {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Whether this must be the last request of the connection. */
  readonly isLast: boolean;
  /** Whether the whole request has been received. */
  readonly isReceived: boolean;
  /** Keeps the current async context for `inContext`. */
  keepContext(): void;
  /** Calls a function in the async context that was kept; in the current one if none was. */
  inContext(call: () => void): void;
}

const MAX_WAITING = 64;
// How much of the bodies that nobody reads yet is buffered.
const MAX_UNREAD_BYTES = 1024 * 1024;

export class Pipeline<Pair extends HttpPair> {
  readonly #socket: Socket;
  readonly #start: (pair: Pair) => void;
  #current: Pair | undefined;
  // Few clients pipeline, so it is made when one does.
  #waiting: Pair[] | undefined;
  #pause: ReadPause | undefined;
  #mayPause = true;

  /** `start` is called with each request in its turn, in its own async context. */
  constructor(socket: Socket, start: (pair: Pair) => void) {
    this.#socket = socket;
    this.#start = start;
  }

  /** The request whose turn it is, or was last. It is kept until `release`. */
  get current(): Pair | undefined {
    return this.#current;
  }

  /** The request that came last. */
  get last(): Pair | undefined {
    return this.#waiting?.at(-1) ?? this.#current;
  }

  get hasWaiting(): boolean {
    return this.#waiting !== undefined && this.#waiting.length > 0;
  }

  /** Whether a reply is still to be sent. */
  get isInFlight(): boolean {
    return this.hasWaiting || this.#current?.response.writableFinished === false;
  }

  /** Whether reading is paused because many wait. Node pauses it for other reasons. */
  get isPaused(): boolean {
    return this.#pause?.isHeld === true;
  }

  /** Starts a request, now or in its turn. */
  add(pair: Pair): void {
    if (hasTurn(pair.response)) this.begin(pair);
    else this.#wait(pair);
  }

  /** Starts a request whose turn it is. */
  begin(pair: Pair): void {
    this.#current = pair;
    this.#start(pair);
  }

  /** Lets go of a request, unless another one has begun. */
  release(pair: Pair): void {
    if (this.#current === pair) this.#current = undefined;
  }

  /** Drops the request that came last, which still waits. */
  dropLast(): void {
    this.#waiting?.pop();
  }

  /** Goes on reading, however many wait. */
  pauseNoMore(): void {
    this.#mayPause = false;
    this.#pause?.resume();
  }

  /** Goes on reading the body of a request, though nobody reads it yet, if there is room. */
  readAhead({ request }: Pair): void {
    if (request.readableLength >= MAX_UNREAD_BYTES) return;
    bufferUnread(request, MAX_UNREAD_BYTES);
    this.#socket.resume();
  }

  #wait(pair: Pair): void {
    this.#waiting ??= this.#waitFromNowOn();
    if (!pair.isReceived) bufferUnread(pair.request, MAX_UNREAD_BYTES - this.#unreadBytes);
    // Only the request that came last can be incomplete. A host may pass earlier ones on after it.
    const isBehind = this.#waiting.at(-1)?.isReceived !== false;
    this.#waiting.splice(this.#waiting.length - Number(!isBehind), 0, pair);
    pair.keepContext();
    onTurn(pair.response, () => this.#take(pair));
    if (this.#waiting.length < MAX_WAITING) return;
    this.#pause ??= new ReadPause(this.#socket);
    this.#pause.pause(() => this.#mayPause && this.#isFull);
  }

  #waitFromNowOn(): Pair[] {
    this.#socket.once('close', () => {
      // An operation that goes on would keep them. Destroying a request does not free what it has buffered; reading does.
      for (const { request } of this.#waiting ?? []) request.read();
      this.#waiting = undefined;
    });
    return [];
  }

  // A host's listener can pass requests on late, so the turn of a later one may come first.
  #take(pair: Pair): void {
    const at = this.#waiting?.indexOf(pair) ?? -1;
    if (at === -1) return;
    this.#waiting?.splice(at, 1);
    if (!this.#isFull) this.#pause?.resume();
    pair.inContext(() => this.begin(pair));
  }

  get #isFull(): boolean {
    return this.#waiting !== undefined && this.#waiting.length >= MAX_WAITING;
  }

  get #unreadBytes(): number {
    return this.#waiting?.reduce((bytes, { request }) => bytes + request.readableLength, 0) ?? 0;
  }
}
