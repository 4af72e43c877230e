/** The connections of a `RunningServer` or a request listener. */
import type { Socket } from 'node:net';
import { asyncHooks } from '../../../node.ts';
import { clearInterval, setImmediate, setInterval } from '../../../util/timers.ts';
import { closeAsNodeDoes, onCloseByNode } from './internals/sockets.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { StallWatch } from './stall-watch.ts';

export class Connections {
  readonly #options: ConnectionOptions;
  readonly #open = new Map<Socket, Connection>();
  readonly #released = new Map<Socket, () => void>();
  readonly #forget: (this: Socket) => void;
  readonly #close: (this: Socket) => void;
  readonly #closeUnlessEnded: (this: Socket) => void;
  readonly #watch: StallWatch;
  // All that are not idle: a check of 8,000 idle connections took 1 % of a core.
  readonly #watched = new Set<Connection>();
  readonly #check: () => void;
  #timer: NodeJS.Timeout | undefined;
  // How long idle connections wait for one more request. `undefined` until they drain.
  #lingerMs: number | undefined;
  #onNoneLeft: (() => void) | undefined;

  constructor(options: Omit<ConnectionOptions, 'onManyUnsent'>) {
    this.#watch = new StallWatch(options.settings);
    const open = this.#open;
    this.#options = { ...options, onManyUnsent: () => this.#watch.limitUnsent(this.#watched) };
    // Without `bind`, the timer would run in the async context of the first request.
    this.#check = asyncHooks.AsyncResource.bind(() => {
      this.#watch.check(this.#watched);
      this.#restIfIdle();
    });
    // All connections share these listeners, so that an idle connection needs little more memory than its socket.
    const remove = (socket: Socket): void => this.#remove(socket);
    this.#forget = function () {
      open.get(this)?.closed();
      remove(this);
    };
    this.#close = function () {
      open.get(this)?.close();
    };
    this.#closeUnlessEnded = function () {
      if (!this.readableEnded) open.get(this)?.close();
    };
  }

  /** Returns the connection of a socket. Creates it at the first call. */
  get(socket: Socket): Connection {
    const known = this.#open.get(socket);
    const connection = known ?? new Connection(socket, this.#options);
    // An app can pass a request on after its client has left. No `close` event would remove its connection from the map.
    if (socket.destroyed) return connection;
    // Only after a request or an error, for which this is called, can bytes be unsent or reading be paused.
    this.#watched.add(connection);
    this.#timer ??= setInterval(this.#check, this.#watch.intervalMs).unref();
    if (known === undefined) this.#add(socket, connection);
    return connection;
  }

  /** The sockets of all connections. */
  get sockets(): Iterable<Socket> {
    return this.#open.keys();
  }

  /** Stops serving a connection whose protocol has changed. Calls `onDrain` when the connections drain, or soon if they already do. */
  release(socket: Socket, onDrain: () => void): void {
    socket.off('close', this.#forget).off('finish', this.#closeUnlessEnded);
    closeAsNodeDoes(socket);
    this.#released.set(socket, onDrain);
    this.#remove(socket);
    socket.once('close', () => {
      this.#released.delete(socket);
      this.#notifyIfNoneLeft();
    });
    // The handler of the upgrade must be called first.
    if (this.#lingerMs !== undefined) setImmediate(onDrain);
  }

  /** Drains all connections, and each new one. `lingerMs`: see `Connection.drain`. */
  drain(lingerMs: number): void {
    this.#lingerMs = lingerMs;
    for (const connection of this.#open.values()) connection.drain(lingerMs);
    for (const onDrain of this.#released.values()) onDrain();
  }

  destroy(): void {
    for (const connection of this.#open.values()) connection.destroy();
    for (const socket of this.#released.keys()) socket.destroy();
  }

  /** Resolves when all connections are closed, and their requests have ended. */
  async whenNoneLeft(): Promise<void> {
    if (this.#isEmpty) return;
    await new Promise<void>((resolve) => (this.#onNoneLeft = resolve));
  }

  get #isEmpty(): boolean {
    return this.#open.size === 0 && this.#released.size === 0;
  }

  #notifyIfNoneLeft(): void {
    if (this.#isEmpty) this.#onNoneLeft?.();
  }

  #add(socket: Socket, connection: Connection): void {
    this.#open.set(socket, connection);
    socket.on('close', this.#forget);
    // A mounted handler can end our side itself, and the client may never end its own.
    socket.on('finish', this.#closeUnlessEnded);
    onCloseByNode(socket, this.#close);
    // The system may have accepted this connection just before the server stopped listening.
    if (this.#lingerMs !== undefined) connection.drain(this.#lingerMs);
  }

  #remove(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection !== undefined) this.#watched.delete(connection);
    this.#open.delete(socket);
    this.#restIfIdle();
    this.#notifyIfNoneLeft();
  }

  #restIfIdle(): void {
    if (this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
