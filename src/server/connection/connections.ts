/** All connections of a listener. */
import type { Socket } from 'node:net';
import { asyncHooks } from '../../node.ts';
import { Connection } from './connection.ts';
import { onCloseByNode } from './node-internals.ts';
import type { HttpPair } from './pipeline.ts';
import { StallWatch } from './stall-watch.ts';

export class Connections<Pair extends HttpPair> {
  readonly #begin: (pair: Pair) => void;
  readonly #isInOrder: boolean;
  readonly #open = new Map<Socket, Connection<Pair>>();
  readonly #forget: (this: Socket) => void;
  readonly #close: (this: Socket) => void;
  readonly #closeUnlessEnded: (this: Socket) => void;
  readonly #watch: StallWatch;
  readonly #check: () => void;
  #timer: NodeJS.Timeout | undefined;
  #isDraining = false;

  /** `isInOrder` says that requests are accepted as they arrive; `sendMs`, how long a client may take nothing of a reply. */
  constructor(begin: (pair: Pair) => void, isInOrder: boolean, sendMs: number) {
    this.#begin = begin;
    this.#isInOrder = isInOrder;
    this.#watch = new StallWatch(sendMs);
    // Not in the async context of the request that happens to be the first.
    this.#check = asyncHooks.AsyncResource.bind(() => this.#watch.check(this.#open));
    // One listener of each kind for all connections, so that an idle one costs little more than its socket.
    const open = this.#open;
    const forget = (socket: Socket): void => this.#remove(socket);
    this.#forget = function () {
      forget(this);
    };
    this.#close = function () {
      open.get(this)?.close();
    };
    this.#closeUnlessEnded = function () {
      if (!this.readableEnded) open.get(this)?.close();
    };
  }

  /** The connection of a socket. */
  of(socket: Socket): Connection<Pair> {
    const known = this.#open.get(socket);
    if (known !== undefined) return known;
    const connection = new Connection(socket, this.#begin, this.#isInOrder);
    // A host may pass a request on when its client has left. Nothing would remove the connection again.
    if (socket.destroyed) return connection;
    this.#open.set(socket, connection);
    socket.on('close', this.#forget);
    // A mounted handler may end our side itself, and the client need not ever end its own.
    socket.on('finish', this.#closeUnlessEnded);
    onCloseByNode(socket, this.#close);
    this.#timer ??= setInterval(this.#check, this.#watch.intervalMs).unref();
    // The system may have accepted a connection just before the listener was closed.
    if (this.#isDraining) connection.drain();
    return connection;
  }

  /** Drains all connections, and those that still come. */
  drain(): void {
    this.#isDraining = true;
    for (const connection of this.#open.values()) connection.drain();
  }

  /** Destroys all connections. */
  destroy(): void {
    for (const connection of this.#open.values()) connection.destroy();
  }

  #remove(socket: Socket): void {
    this.#open.delete(socket);
    if (this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
