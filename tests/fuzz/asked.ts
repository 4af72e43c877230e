/** What a request can ask of the host by its marker: to fail, and to take its time. */

/** A failure that a request asked for. */
export class Asked extends Error {
  override readonly name = 'Asked';
}

/** A turn of the event loop and another. */
export function later(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}
