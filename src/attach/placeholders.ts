/**
 * Listeners that are there as long as a host has none for their event:
 *
 *   server.listeners('request')   ->   the host's, or else ours alone
 *
 * So a request goes to the host's listeners or to ours, and never to both, whatever the host does with its listeners. Socket.IO, for
 * example, takes all of them away and calls them itself.
 */
import type { EventEmitter } from 'node:events';

export type EventListener = (...values: never[]) => void;

export class Placeholders {
  readonly #source: EventEmitter;
  readonly #listeners = new Map<string | symbol, EventListener>();
  readonly #onAdd: (event: string | symbol, listener: EventListener) => void;
  readonly #onRemove: (event: string | symbol) => void;
  #isRemoving = false;

  constructor(source: EventEmitter) {
    this.#source = source;
    this.#onAdd = (event, listener) => {
      if (listener !== this.#listeners.get(event)) this.#remove(event);
    };
    this.#onRemove = (event) => {
      if (!this.#isRemoving) this.#addIfAlone(event);
    };
    source.on('newListener', this.#onAdd).on('removeListener', this.#onRemove);
  }

  /** Adds a placeholder for an event. By default it does nothing, and is there to be counted. */
  add(event: string, listener: EventListener = () => {}): void {
    this.#listeners.set(event, listener);
    this.#addIfAlone(event);
  }

  /** Whether the host itself listens to an event. */
  hasOther(event: string): boolean {
    return this.#source.listeners(event).some((listener) => listener !== this.#listeners.get(event));
  }

  /** Removes all placeholders. */
  clear(): void {
    this.#source.off('newListener', this.#onAdd).off('removeListener', this.#onRemove);
    for (const event of this.#listeners.keys()) this.#remove(event);
    this.#listeners.clear();
  }

  #addIfAlone(event: string | symbol): void {
    const listener = this.#listeners.get(event);
    if (listener !== undefined && this.#source.listenerCount(event) === 0) this.#source.on(event, listener as () => void);
  }

  #remove(event: string | symbol): void {
    const listener = this.#listeners.get(event);
    if (listener === undefined) return;
    this.#isRemoving = true;
    this.#source.off(event, listener as () => void);
    this.#isRemoving = false;
  }
}
