/** Tells a host's streams that the server stops. */
import { events } from '../../node.ts';

export class StopSignal {
  // Made when it is first needed.
  #controller: AbortController | undefined;

  get signal(): AbortSignal {
    return this.#made.signal;
  }

  /** Called when the server stops. */
  abort(): void {
    this.#made.abort();
  }

  /** Called when the server starts: a signal can abort only once. */
  renew(): void {
    if (this.#controller?.signal.aborted === true) this.#controller = undefined;
  }

  get #made(): AbortController {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      // Any number of streams may listen to it.
      events.setMaxListeners(0, this.#controller.signal);
    }
    return this.#controller;
  }
}
