/** All connections of a listener. */
import type { Socket } from 'node:net';
import { Connection, type HttpPair } from './connection.ts';
import { SendWatch } from './send-watch.ts';

export class Connections<Pair extends HttpPair> {
  readonly #begin: (pair: Pair) => void;
  readonly #open = new Map<Socket, Connection<Pair>>();
  readonly #forget: (this: Socket) => void;
  readonly #hangUp: (this: Socket) => void;
  readonly #finish: (this: Socket) => void;
  readonly #areInOrder: boolean;
  #draining = false;

  /** `areInOrder` says whether each request is handed on at once. */
  constructor(begin: (pair: Pair) => void, areInOrder: boolean) {
    this.#begin = begin;
    this.#areInOrder = areInOrder;
    // One of each for all connections: an idle one should cost no more than its socket does.
    const open = this.#open;
    this.#forget = function () {
      open.get(this)?.closed();
      open.delete(this);
    };
    this.#hangUp = function () {
      open.get(this)?.hangUp();
    };
    this.#finish = function () {
      if (!this.readableEnded) open.get(this)?.hangUp();
    };
  }

  /** The connection of a socket, known from its first sight to its close. */
  of(socket: Socket): Connection<Pair> {
    const known = this.#open.get(socket);
    if (known !== undefined) return known;
    const connection = new Connection(socket, this.#begin, this.#areInOrder);
    // Nothing would take it out again: a host may hand a request on when its client has left.
    if (socket.destroyed) return connection;
    this.#open.set(socket, connection);
    socket.on('close', this.#forget);
    // A mounted handler may end our side by itself, and the client need not ever end its own.
    socket.on('finish', this.#finish);
    // This is how Node closes behind a last answer.
    socket.destroySoon = this.#hangUp;
    // The system may have taken a connection just before the listener was closed.
    if (this.#draining) connection.drain();
    return connection;
  }

  /** Drains every connection there is, and any that still comes. */
  drain(): void {
    this.#draining = true;
    for (const connection of this.#open.values()) connection.drain();
  }

  /**
   * Ends, from now on, each connection whose client takes no byte for so many milliseconds while something is unsent.
   * Gives what ends that.
   */
  watchSending(sendMs: number): () => void {
    const watch = new SendWatch(sendMs, (socket) => this.#open.get(socket)?.sendStalled());
    const timer = setInterval(() => watch.check(this.#open.keys()), watch.intervalMs).unref();
    return () => clearInterval(timer);
  }

  /** Ends every connection as it stands. */
  destroy(): void {
    for (const connection of this.#open.values()) connection.destroy();
  }
}
