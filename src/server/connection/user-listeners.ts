/**
 * The listeners that `createServer` has added to its server, such as those of an app, of Socket.IO or of `ws`. They are taken off the
 * server, so that each event comes here first:
 *
 *   request   ->   when the requests before it on its connection are answered, to the listeners
 *   upgrade   ->   to the handler that `registerUpgrade` has for it, or else to the listeners
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

  /** Whether requests go to no other listener than this one. */
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
