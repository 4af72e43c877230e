/**
 * Looks at a server from within: which connections it has, which of its host's functions are called, and in whose async
 * context. Every request is handed on in a context of its own, as a tracer would have it, and the store tells whose that is.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Server, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Gate } from '../support/gate.ts';

/** A call of one of the host's functions. */
export interface Call {
  /** Which function; `begin` for an operation or a mounted handler. */
  readonly what: string;
  /** What the function knows of the request that it is called for: an invocation, an id, a marker. */
  readonly about: string | undefined;
  /** Which request of its connection's has the context that it was called in. */
  readonly request: number;
}

/** A connection, as the server has it. */
export class Visit {
  readonly calls: Call[] = [];
  /** What was logged, and was not asked for. */
  readonly failures: string[] = [];
  /** What was begun and is not answered, nor was told that its client left. */
  readonly untold = new Set<{ readonly about: string }>();
  /** Holds back the operations that are slow. */
  readonly gate = new Gate();
  handedOn = 0;
  /** How much was begun when the connection was closed, which it is from then on. */
  begunAtClose: number | undefined;

  get begun(): number {
    return this.calls.filter(({ what }) => what === 'begin').length;
  }

  get isClosed(): boolean {
    return this.begunAtClose !== undefined;
  }
}

/** What an operation gets when it begins. */
export interface Begun {
  readonly gate: Gate;
  /** Notes that it is over, or that it was told that nobody waits for it. */
  readonly end: () => void;
}

interface Handed {
  readonly visit: Visit;
  readonly index: number;
  readonly message: IncomingMessage;
}

const ACCEPTED = 'net.server.socket';
type Emit = (this: Server, event: string, ...args: unknown[]) => boolean;

export class Witness {
  readonly #storage = new AsyncLocalStorage<Handed>();
  readonly #visits = new WeakMap<Socket, Visit>();
  // By the ports of server and client. Who asks for a visit may come before it, or after.
  readonly #arrived = new Map<string, Visit>();
  readonly #expected = new Map<string, (visit: Visit) => void>();
  readonly #ports = new Set<number>();
  readonly #emit = Server.prototype.emit as Emit;
  #lost: string[] = [];

  constructor() {
    const { emit, handOn } = { emit: this.#emit, handOn: this.#handOn.bind(this) };
    subscribe(ACCEPTED, this.#accepted);
    Server.prototype.emit = function (this: Server, event: string, ...args: unknown[]): boolean {
      const call = (): boolean => emit.call(this, event, ...args);
      return /^request$|^check/.test(event) ? handOn(args[0] as IncomingMessage, call) : call();
    };
  }

  /** Watches the server at a port. */
  watch(port: number): void {
    this.#ports.add(port);
  }

  stop(): void {
    Server.prototype.emit = this.#emit;
    unsubscribe(ACCEPTED, this.#accepted);
  }

  /** The visit of a client, once the server has accepted it. Can be asked for once. */
  visitOf(serverPort: number, clientPort: number | undefined): Promise<Visit> {
    const key = `${serverPort} ${clientPort}`;
    const visit = this.#arrived.get(key);
    this.#arrived.delete(key);
    return visit === undefined ? new Promise((resolve) => this.#expected.set(key, resolve)) : Promise.resolve(visit);
  }

  /** Notes that a function of the host's was called. A `message` is the very request that it was called for. */
  note(what: string, about?: string, message?: IncomingMessage): void {
    const handed = this.#storage.getStore();
    if (handed === undefined) this.#lost.push(`${what} of ${about} found no async context of a request`);
    else if (message !== undefined && message !== handed.message) this.#lost.push(`${what} of ${about} found another request's async context`);
    else handed.visit.calls.push({ what, about, request: handed.index });
  }

  /** Notes that an operation or a mounted handler was called. */
  begin(about: string, message?: IncomingMessage): Begun {
    this.note('begin', about, message);
    const visit = this.#storage.getStore()?.visit ?? new Visit();
    const untold = { about };
    visit.untold.add(untold);
    return { gate: visit.gate, end: () => void visit.untold.delete(untold) };
  }

  /** Notes that something was logged that no request asked for. */
  fail(message: string): void {
    (this.#storage.getStore()?.visit.failures ?? this.#lost).push(`logged: ${message}`);
  }

  /** The calls that were in no context, or in another request's; each is told once. */
  takeLost(): readonly string[] {
    const lost = this.#lost;
    if (lost.length > 0) this.#lost = [];
    return lost;
  }

  readonly #accepted = (published: unknown): void => {
    const { socket } = published as { socket: Socket };
    if (!this.#ports.has(socket.localPort ?? 0)) return;
    const visit = new Visit();
    const key = `${socket.localPort} ${socket.remotePort}`;
    this.#visits.set(socket, visit);
    socket.once('close', () => (visit.begunAtClose = visit.begun));
    const expected = this.#expected.get(key);
    this.#expected.delete(key);
    if (expected === undefined) this.#arrived.set(key, visit);
    else expected(visit);
  };

  #handOn(message: IncomingMessage, call: () => boolean): boolean {
    const visit = this.#visits.get(message.socket);
    if (visit === undefined) return call();
    const index = visit.handedOn;
    visit.handedOn += 1;
    return this.#storage.run({ visit, index, message }, call);
  }
}
