/**
 * The time that the host has for a request: context, decoders, operation and output together. It stands still while nobody waits for the
 * host, and while the host waits for the body.
 */
export class Deadline {
  #remainingMs: number;
  readonly #onOver: () => void;
  #runningSince = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `onOver` is called after `ms` milliseconds of running; never if that is 0. */
  constructor(ms: number, onOver: () => void) {
    this.#remainingMs = ms;
    this.#onOver = onOver;
  }

  run(): void {
    if (this.#remainingMs === 0 || this.#timer !== undefined) return;
    this.#runningSince = performance.now();
    // The timer alone does not keep the process alive: an open connection does.
    this.#timer = setTimeout(this.#onOver, this.#remainingMs).unref();
  }

  pause(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // With 0, there would be no limit any more.
    this.#remainingMs = Math.max(1, this.#remainingMs - (performance.now() - this.#runningSince));
  }
}
