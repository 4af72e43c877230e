/** The requests of a connection that wait for their turn. While there are many, reading pauses. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { bufferUnread, onTurn } from './node-internals.ts';
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
/** How many bytes of bodies that nobody reads yet a connection buffers. */
export const MAX_UNREAD_BYTES: number = 1024 * 1024;

export class Pipeline<Pair extends HttpPair> {
  readonly #socket: Socket;
  readonly #waiting: Pair[] = [];
  #pause: ReadPause | undefined;
  #mayPause = true;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  get length(): number {
    return this.#waiting.length;
  }

  get last(): Pair | undefined {
    return this.#waiting.at(-1);
  }

  /** Whether reading is paused because of the requests here, and not by Node. */
  get isPaused(): boolean {
    return this.#pause?.isHeld === true;
  }

  /** Adds a request, and calls `begin` in its async context when its turn comes, unless it was dropped. */
  add(pair: Pair, begin: () => void): void {
    this.#waiting.push(pair);
    if (!pair.isReceived) bufferUnread(pair.request, MAX_UNREAD_BYTES - this.#unreadBytes);
    pair.keepContext();
    // A host's listener can pass requests on late, so the turn of a later one may come first.
    onTurn(pair.response, () => {
      if (this.#remove(pair)) pair.inContext(begin);
    });
    if (this.length < MAX_WAITING) return;
    this.#pause ??= new ReadPause(this.#socket);
    this.#pause.pause(() => this.#mayPause && this.length >= MAX_WAITING);
  }

  /** Drops the last request: it will not begin. */
  dropLast(): void {
    this.#waiting.pop();
  }

  /** Goes on reading, however many requests wait. */
  pauseNoMore(): void {
    this.#mayPause = false;
    this.#pause?.resume();
  }

  get #unreadBytes(): number {
    return this.#waiting.reduce((bytes, { request }) => bytes + request.readableLength, 0);
  }

  #remove(pair: Pair): boolean {
    const at = this.#waiting.indexOf(pair);
    if (at === -1) return false;
    this.#waiting.splice(at, 1);
    if (this.length < MAX_WAITING) this.#pause?.resume();
    return true;
  }
}
