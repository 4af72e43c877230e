/**
 * Records the connections of a server, which of the user's functions it calls, and in which request's async context. Each request is
 * emitted in a separate async context, as a tracer does. The store identifies the request.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Server, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Gate } from '../support/wait.ts';
import type { Subscriber } from './subscriber.ts';

/** A call of one of the user's functions. */
export interface Call {
  /** Which function; `begin` for an operation or a mounted handler. */
  readonly what: string;
  /** The function's evidence of its request: an invocation, an id or a marker. */
  readonly about: string | undefined;
  /** The request in whose async context it was called, by its number on the connection. */
  readonly request: number;
}

/** A connection as the server sees it. */
export class ServedConnection {
  readonly calls: Call[] = [];
  /** The lines that the server logged, without the failures that a request asked for. */
  readonly failures: string[] = [];
  /** Operations and mounted handlers that have begun, are not done, and were not notified that their client has left. */
  readonly pending = new Set<{ readonly about: string }>();
  /** The gate at which slow operations wait. */
  readonly gate = new Gate();
  /** How many requests Node has emitted. */
  emitted = 0;
  /** The request of a call of `server.fetch`, once one of the functions has got it. */
  message: IncomingMessage | undefined;
  /** How many operations and mounted handlers had begun when the connection closed. `undefined` while it is open. */
  begunAtClose: number | undefined;

  get begun(): number {
    return this.calls.filter(({ what }) => what === 'begin').length;
  }

  get isClosed(): boolean {
    return this.begunAtClose !== undefined;
  }
}

/** The arguments of an operation or a mounted handler. */
export interface Begun {
  readonly gate: Gate;
  /** Records that it is done, or was notified that its client has left. */
  readonly end: () => void;
}

interface Emitted {
  readonly connection: ServedConnection;
  readonly index: number;
  /** `undefined` for a call of `server.fetch`: the caller never sees it. */
  readonly message: IncomingMessage | undefined;
}

const ACCEPTED = 'net.server.socket';
type Emit = (this: Server, event: string, ...args: unknown[]) => boolean;

export class CallLog {
  readonly #storage = new AsyncLocalStorage<Emitted>();
  readonly #connections = new WeakMap<Socket, ServedConnection>();
  // By the ports of server and client. `connectionOf` may be called before or after the server accepts the connection.
  readonly #accepted = new Map<string, ServedConnection>();
  readonly #awaited = new Map<string, (connection: ServedConnection) => void>();
  readonly #ports = new Set<number>();
  readonly #emit = Server.prototype.emit as Emit;
  readonly #subscriber: Subscriber | undefined;
  #lost: string[] = [];

  constructor(subscriber?: Subscriber) {
    this.#subscriber = subscriber;
    const { emit, runFor } = { emit: this.#emit, runFor: this.#runFor.bind(this) };
    subscribe(ACCEPTED, this.#accept);
    Server.prototype.emit = function (this: Server, event: string, ...args: unknown[]): boolean {
      const call = (): boolean => emit.call(this, event, ...args);
      return /^request$|^check/.test(event) ? runFor(args[0] as IncomingMessage, call) : call();
    };
  }

  /** Records the server at a port. */
  watch(port: number): void {
    this.#ports.add(port);
  }

  stop(): void {
    Server.prototype.emit = this.#emit;
    unsubscribe(ACCEPTED, this.#accept);
    // While one is in use, promises of all files in this process take longer.
    this.#storage.disable();
  }

  /** Resolves to the connection of a client when the server has accepted it. Returns each connection once. */
  connectionOf(serverPort: number, clientPort: number | undefined): Promise<ServedConnection> {
    const key = `${serverPort} ${clientPort}`;
    const connection = this.#accepted.get(key);
    this.#accepted.delete(key);
    return connection === undefined ? new Promise((resolve) => this.#awaited.set(key, resolve)) : Promise.resolve(connection);
  }

  /** Records a call of one of the user's functions. `message` is its request, if the function gets one. */
  note(what: string, about?: string, message?: IncomingMessage): void {
    const emitted = this.#storage.getStore();
    const own = emitted?.message ?? (emitted === undefined ? undefined : (emitted.connection.message ??= message));
    if (emitted === undefined) this.#lost.push(`${what} of ${about} found no async context of a request`);
    else if (message !== undefined && message !== own) this.#lost.push(`${what} of ${about} found another request's async context`);
    else emitted.connection.calls.push({ what, about, request: emitted.index });
    if (own !== undefined) this.#subscriber?.check(what, own);
  }

  /** Records that an operation or a mounted handler begins. */
  begin(about: string, message?: IncomingMessage): Begun {
    this.note('begin', about, message);
    const connection = this.#storage.getStore()?.connection ?? new ServedConnection();
    const pending = { about };
    connection.pending.add(pending);
    return { gate: connection.gate, end: () => void connection.pending.delete(pending) };
  }

  /** Records that the server logged a failure that no request asked for. */
  fail(message: string): void {
    (this.#storage.getStore()?.connection.failures ?? this.#lost).push(`logged: ${message}`);
  }

  /** Runs a call of `server.fetch` in an async context of its own. */
  runCall<T>(connection: ServedConnection, call: () => T): T {
    return this.#storage.run({ connection, index: 0, message: undefined }, call);
  }

  /** The calls that were in no request's async context, or in another request's. Returns each once. */
  takeLost(): readonly string[] {
    const lost = this.#lost;
    if (lost.length > 0) this.#lost = [];
    return lost;
  }

  readonly #accept = (published: unknown): void => {
    const { socket } = published as { socket: Socket };
    if (!this.#ports.has(socket.localPort ?? 0)) return;
    const connection = new ServedConnection();
    const key = `${socket.localPort} ${socket.remotePort}`;
    this.#connections.set(socket, connection);
    socket.once('close', () => (connection.begunAtClose = connection.begun));
    const awaited = this.#awaited.get(key);
    this.#awaited.delete(key);
    if (awaited === undefined) this.#accepted.set(key, connection);
    else awaited(connection);
  };

  #runFor(message: IncomingMessage, call: () => boolean): boolean {
    const connection = this.#connections.get(message.socket);
    if (connection === undefined) return call();
    const index = connection.emitted;
    connection.emitted += 1;
    return this.#storage.run({ connection, index, message }, call);
  }
}
