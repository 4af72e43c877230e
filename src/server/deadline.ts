/**
 * The time that the user's functions have for a request: context, decoders, operation and output together. It runs only while the server
 * waits for one of them, and not while they wait for the body.
 */
export class Deadline {
  #remainingMs: number;
  readonly #onOver: () => void;
  #runningSince = 0;
  #timer: NodeJS.Timeout | undefined;
  // Whether the server waits for the user's functions.
  #isRunning = false;
  #isHeld = false;

  /** `onOver` is called after `ms` milliseconds of running; never if that is 0. */
  constructor(ms: number, onOver: () => void) {
    this.#remainingMs = ms;
    this.#onOver = onOver;
  }

  run(): void {
    this.#isRunning = true;
    this.#start();
  }

  pause(): void {
    this.#isRunning = false;
    this.#stop();
  }

  /** Stops the time until `release`, even if `run` is called: an operation can ask for its body before the server waits for it. */
  hold(): void {
    this.#isHeld = true;
    this.#stop();
  }

  /** Ends `hold`. */
  release(): void {
    this.#isHeld = false;
    if (this.#isRunning) this.#start();
  }

  #start(): void {
    if (this.#remainingMs === 0 || this.#isHeld || this.#timer !== undefined) return;
    this.#runningSince = performance.now();
    // This timer must not keep the process alive. An open connection does.
    this.#timer = setTimeout(this.#onOver, this.#remainingMs).unref();
  }

  #stop(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // 0 would be no limit.
    this.#remainingMs = Math.max(1, this.#remainingMs - (performance.now() - this.#runningSince));
  }
}
