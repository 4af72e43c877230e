/** All connections of a listener. */
import type { Socket } from 'node:net';
import { Connection, type HttpPair } from './connection.ts';

export class Connections<Pair extends HttpPair> {
  readonly #begin: (pair: Pair) => void;
  readonly #mayGoAhead: boolean;
  readonly #open = new Map<Socket, Connection<Pair>>();
  readonly #forget: (this: Socket) => void;
  readonly #hangUp: (this: Socket) => void;
  #draining = false;

  constructor(begin: (pair: Pair) => void, { inFlight }: { readonly inFlight: number }) {
    this.#begin = begin;
    // Node 20 and 22 tell a response whose turn has not come nothing of a client that leaves: counted, it would stay so.
    this.#mayGoAhead = inFlight === Infinity;
    // One of each for all connections: an idle one should cost no more than its socket does.
    const open = this.#open;
    this.#forget = function () {
      open.delete(this);
    };
    this.#hangUp = function () {
      open.get(this)?.hangUp();
    };
  }

  /** The connection of a socket, known from its first sight to its close. */
  of(socket: Socket): Connection<Pair> {
    const known = this.#open.get(socket);
    if (known !== undefined) return known;
    const connection = new Connection(socket, this.#begin, this.#mayGoAhead);
    this.#open.set(socket, connection);
    socket.on('close', this.#forget);
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

  /** Ends every connection as it stands. */
  destroy(): void {
    for (const connection of this.#open.values()) connection.destroy();
  }
}
