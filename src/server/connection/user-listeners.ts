/**
 * The listeners that the option `createServer` has added to its server: an app, Socket.IO or `ws`. They are removed from the server and
 * called from here:
 *
 *   request   ->   called when the previous requests of the connection have their responses
 *   upgrade   ->   called if `registerUpgrade` has no handler for it
 */
import type { Server } from 'node:http';

type Listener = (...values: unknown[]) => void;

const REQUESTS: readonly string[] = ['request', 'checkContinue', 'checkExpectation'];
const EVENTS: readonly string[] = [...REQUESTS, 'upgrade', 'connect', 'clientError'];

export class UserListeners {
  readonly #server: Server;
  readonly #listeners: ReadonlyMap<string, readonly Listener[]>;

  constructor(server: Server) {
    this.#server = server;
    this.#listeners = new Map(EVENTS.map((event) => [event, server.listeners(event) as Listener[]]));
    for (const event of EVENTS) server.removeAllListeners(event);
  }

  has(event: string): boolean {
    return this.#listenersFor(event).length > 0;
  }

  /** Whether this is the only listener for requests. */
  leaveRequestsTo(listener: unknown): boolean {
    return REQUESTS.every((event) => this.#listenersFor(event).every((each) => each === listener));
  }

  call(event: string, ...values: unknown[]): void {
    for (const listener of this.#listenersFor(event)) listener.apply(this.#server, values);
  }

  #listenersFor(event: string): readonly Listener[] {
    return this.#listeners.get(event) ?? [];
  }
}
