/** Subscribes to `restpoint.request`, and checks that each request is published as docs/logging.md says. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import type { RequestMessage } from '../../src/index.ts';

type Event = 'start' | 'end' | 'error' | 'asyncStart' | 'asyncEnd';

/** The events that may precede each event. `end` comes at once, and the response later. */
const AFTER: Readonly<Record<Event, (seen: readonly Event[]) => boolean>> = {
  start: (seen) => seen.length === 0,
  end: (seen) => seen[0] === 'start' && !seen.includes('end') && !seen.includes('asyncStart'),
  error: (seen) => seen[0] === 'start' && !seen.includes('error') && !seen.includes('asyncStart'),
  asyncStart: (seen) => seen.includes('end') && !seen.includes('asyncStart'),
  asyncEnd: (seen) => seen.at(-1) === 'asyncStart',
};
const EVENTS = Object.keys(AFTER) as Event[];

export class Subscriber {
  readonly #channel = tracingChannel<RequestMessage, RequestMessage>('restpoint.request');
  readonly #storage = new AsyncLocalStorage<RequestMessage>();
  readonly #open = new Map<RequestMessage, Event[]>();
  readonly #listeners: readonly (readonly [Event, (message: unknown) => void])[];
  #complaints: string[] = [];
  #ended = 0;

  constructor() {
    this.#channel.start.bindStore(this.#storage, (message) => message);
    this.#listeners = EVENTS.map((event) => [event, (message) => this.#see(event, message as RequestMessage)]);
    for (const [event, listener] of this.#listeners) this.#channel[event].subscribe(listener);
  }

  /** How many requests have ended. */
  get ended(): number {
    return this.#ended;
  }

  /** Checks that a function of the user, which a request has called, runs in the stores of that request. Middleware runs before it has any. */
  check(what: string, message: IncomingMessage): void {
    const store = this.#storage.getStore();
    if (store !== undefined && store.request !== message) this.#complaints.push(`${what} of ${message.url} found the store of ${store.request.url}`);
  }

  /** The failures. Returns each once. */
  takeComplaints(): readonly string[] {
    const complaints = this.#complaints;
    if (complaints.length > 0) this.#complaints = [];
    return complaints;
  }

  /** Stops. Returns the failures: all requests must have ended. */
  stop(): readonly string[] {
    for (const [event, listener] of this.#listeners) this.#channel[event].unsubscribe(listener);
    this.#channel.start.unbindStore(this.#storage);
    this.#storage.disable();
    const open = [...this.#open].map(([{ request }, seen]) => `${request.method} ${request.url} found no end after ${seen.join(', ')}`);
    return [...this.takeComplaints(), ...open];
  }

  #see(event: Event, message: RequestMessage): void {
    const seen = this.#open.get(message) ?? [];
    const { request } = message;
    if (!AFTER[event](seen)) this.#complaints.push(`${request.method} ${request.url} found ${event} after ${seen.join(', ')}`);
    if (message.id !== (request as { readonly id?: string }).id) this.#complaints.push(`${event} of ${request.url} found the id ${message.id}`);
    if (this.#storage.getStore() !== message) this.#complaints.push(`${event} of ${request.url} found another store`);
    this.#open.set(message, [...seen, event]);
    if (event !== 'asyncEnd') return;
    this.#open.delete(message);
    this.#ended += 1;
  }
}
