/** The events in the zoos since the start. They are kept in memory, so that a client that lost its connection misses nothing. */
import { EventEmitter, once } from 'node:events';

export interface ZooEvent {
  readonly zoo: number;
  readonly pet: number;
  readonly name: string;
  /** The keeper. */
  readonly by: string;
}

export interface LoggedEvent {
  /** The number of the event: 1 for the first, then one more for each. */
  readonly id: string;
  readonly event: 'arrived' | 'fed' | 'left';
  readonly data: ZooEvent;
}

export class EventLog {
  // Any number of clients may wait for the next event.
  readonly #emitter = new EventEmitter().setMaxListeners(0);
  readonly #max: number;
  #events: LoggedEvent[] = [];
  #lastId = 0;

  /** Keeps the last `max` events. */
  constructor(max = 1000) {
    this.#max = max;
  }

  /** The id of the last event; 0 before the first. */
  get lastId(): number {
    return this.#lastId;
  }

  add(event: LoggedEvent['event'], data: ZooEvent): void {
    this.#lastId += 1;
    this.#events = [...this.#events, { id: String(this.#lastId), event, data }].slice(-this.#max);
    this.#emitter.emit('added');
  }

  /**
   * The events after an id, and then those to come, until the signal aborts. An id that no event has had yet is from before a restart:
   * then all that are kept. A client that reads more slowly than events arrive misses those that have been dropped.
   */
  async *after(id: number, signal: AbortSignal): AsyncGenerator<LoggedEvent> {
    let seen = id > this.#lastId ? 0 : id;
    while (!signal.aborted) {
      const next = this.#events.find((event) => Number(event.id) > seen);
      if (next === undefined) {
        await this.#added(signal);
      } else {
        yield next;
        seen = Number(next.id);
      }
    }
  }

  /** Resolves at the next event, and when the signal aborts. */
  async #added(signal: AbortSignal): Promise<void> {
    try {
      await once(this.#emitter, 'added', { signal });
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
    }
  }
}
