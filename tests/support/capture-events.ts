/** Subscribes to all events of `restpoint.request` for the duration of one test. */
import { tracingChannel } from 'node:diagnostics_channel';
import type { RequestMessage } from '../../src/index.ts';
import { waitUntil } from './wait.ts';

export type EventName = 'start' | 'end' | 'asyncStart' | 'asyncEnd' | 'error';

const NAMES: readonly EventName[] = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'];

export interface Event {
  readonly name: EventName;
  readonly message: RequestMessage;
}

/** The published events. */
export class CapturedEvents {
  readonly events: Event[] = [];

  /** The messages, each once, in the order in which their requests began. */
  get messages(): RequestMessage[] {
    return [...new Set(this.events.map(({ message }) => message))];
  }

  /** The names of the events of one request. */
  eventNames(message: RequestMessage | undefined): EventName[] {
    return this.events.filter((event) => event.message === message).map(({ name }) => name);
  }

  /** Waits until so many requests are over. */
  async waitForEnds(count: number): Promise<RequestMessage[]> {
    await waitUntil(() => this.events.filter(({ name }) => name === 'asyncEnd').length >= count, `the end of ${count} requests`);
    return this.messages;
  }
}

/** Subscribes, uses the published events, and unsubscribes. */
export async function captureEvents(use: (captured: CapturedEvents) => Promise<void>, onEvent: (event: Event) => void = () => {}): Promise<void> {
  const channels = tracingChannel<unknown, RequestMessage>('restpoint.request');
  const captured = new CapturedEvents();
  const subscribers = NAMES.map((name) => [name, (message: unknown): void => {
    const event = { name, message: message as RequestMessage };
    captured.events.push(event);
    onEvent(event);
  }] as const);
  for (const [name, subscriber] of subscribers) channels[name].subscribe(subscriber);
  try {
    await use(captured);
  } finally {
    for (const [name, subscriber] of subscribers) channels[name].unsubscribe(subscriber);
  }
}
