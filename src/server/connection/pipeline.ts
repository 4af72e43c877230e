/** The requests of a connection. One is served, and the others wait for their turn. While many wait, reading pauses. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { bufferUnread } from '../node-internals/requests.ts';
import { hasTurn, onTurn } from '../node-internals/responses.ts';
import { ReadPause } from './read-pause.ts';

/** A request and its response, as `node:http` passes them to listeners. */
export interface HttpPair {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Whether the connection can take no request after this one. */
  readonly mustBeLast: boolean;
  /** Whether the whole request has been received. */
  readonly isReceived: boolean;
  /** Keeps the current async context for `inContext`. */
  keepContext(): void;
  /** Calls a function in the async context that was kept. If none was, calls it in the current one. */
  inContext(call: () => void): void;
}

const MAX_WAITING = 64;
// How many bytes of unread bodies are buffered.
const MAX_UNREAD_BYTES = 1024 * 1024;

export class Pipeline<Pair extends HttpPair> {
  readonly #socket: Socket;
  readonly #onBegin: (pair: Pair) => void;
  #current: Pair | undefined;
  // Few clients pipeline, so it is made when one does.
  #waiting: Pair[] | undefined;
  #pause: ReadPause | undefined;
  #mayPause = true;

  /** `onBegin` is called with each request in its turn, in the request's own async context. */
  constructor(socket: Socket, onBegin: (pair: Pair) => void) {
    this.#socket = socket;
    this.#onBegin = onBegin;
  }

  /** The request that began last. It is kept until `release`, also after its reply. */
  get current(): Pair | undefined {
    return this.#current;
  }

  /** The request that arrived last. */
  get latest(): Pair | undefined {
    return this.#waiting?.at(-1) ?? this.#current;
  }

  get hasWaiting(): boolean {
    return this.#waiting !== undefined && this.#waiting.length > 0;
  }

  /** Whether a reply is still to be sent. */
  get isInFlight(): boolean {
    return this.hasWaiting || this.#current?.response.writableFinished === false;
  }

  /** Whether reading is paused because many wait. Node also pauses it, for other reasons. */
  get isPaused(): boolean {
    return this.#pause?.isHeld === true;
  }

  /** Begins a request, now or in its turn. */
  add(pair: Pair): void {
    if (hasTurn(pair.response)) this.begin(pair);
    else this.#wait(pair);
  }

  /** Begins a request whose turn it is. */
  begin(pair: Pair): void {
    this.#current = pair;
    this.#onBegin(pair);
  }

  /** Forgets a request, unless another one has begun. */
  release(pair: Pair): void {
    if (this.#current === pair) this.#current = undefined;
  }

  /** Drops the request that arrived last. It must still wait. */
  dropLatest(): void {
    this.#waiting?.pop();
  }

  /** Goes on reading, and does not pause again however many wait. */
  stopPausing(): void {
    this.#mayPause = false;
    this.#pause?.resume();
  }

  /** Goes on buffering the unread body of a request, up to a limit. */
  readAhead({ request }: Pair): void {
    if (request.readableLength >= MAX_UNREAD_BYTES) return;
    bufferUnread(request, MAX_UNREAD_BYTES);
    this.#socket.resume();
  }

  #wait(pair: Pair): void {
    this.#waiting ??= this.#startWaiting();
    if (!pair.isReceived) bufferUnread(pair.request, MAX_UNREAD_BYTES - this.#unreadBytes);
    // Only the latest request can be incomplete. A host's listener can pass earlier ones on after it.
    const isBehind = this.#waiting.at(-1)?.isReceived !== false;
    this.#waiting.splice(this.#waiting.length - Number(!isBehind), 0, pair);
    pair.keepContext();
    onTurn(pair.response, () => this.#beginWaiting(pair));
    if (this.#waiting.length < MAX_WAITING) return;
    this.#pause ??= new ReadPause(this.#socket);
    this.#pause.pause(() => this.#mayPause && this.#isFull);
  }

  #startWaiting(): Pair[] {
    this.#socket.once('close', () => {
      // A pending operation would keep these requests in memory. Destroying a request does not free its buffer. Reading does,
      // piece by piece on Node 26.
      for (const { request } of this.#waiting ?? []) while (request.read() !== null);
      this.#waiting = undefined;
    });
    return [];
  }

  // A host's listener can pass requests on late, so those that wait may not begin in the order of `#waiting`.
  #beginWaiting(pair: Pair): void {
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
