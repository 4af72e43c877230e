/** What the contenders of `parts/growth.js` have in common. Each has `open`, which serves them, and most have `prepareDocument`. */
import { z } from 'zod';

/** Each event of the stream of events. */
export const MESSAGE = { text: 'The price of a ticket is 12.50 now.' };
export const EVENT = `data: ${JSON.stringify(MESSAGE)}\n\n`;

/** The schema of an endpoint, with properties of its own. */
export const makeSchema = (at) => z.object({ name: z.string().min(1), [`legs${at}`]: z.int(), tags: z.array(z.string()).optional() });

/** Values that any number of readers wait for. All wait for one promise, so that a reader costs the same beside many. */
export class Broadcast {
  #wake;
  #next = this.#makeNext();

  emit(value) {
    const wake = this.#wake;
    this.#next = this.#makeNext();
    wake({ value, next: this.#next });
  }

  async *read() {
    for (let waiting = this.#next; ;) {
      const { value, next } = await waiting;
      yield value;
      waiting = next;
    }
  }

  #makeNext() {
    return new Promise((resolve) => (this.#wake = resolve));
  }
}
