/** Runs slow functions in the background, a limited number at a time. */

export class Background {
  readonly #max: number;
  readonly #running = new Set<Promise<void>>();
  #failures: unknown[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  /** Starts a function as soon as fewer than the limit run. Rethrows the error of an earlier one. */
  async add(run: () => Promise<void>): Promise<void> {
    while (this.#running.size >= this.#max) await Promise.race(this.#running);
    this.#throwFailure();
    const running = run().catch((thrown: unknown) => void this.#failures.push(thrown)).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Waits for all functions. Rethrows the error of any of them. */
  async end(): Promise<void> {
    await Promise.all(this.#running);
    this.#throwFailure();
  }

  #throwFailure(): void {
    const [failure] = this.#failures;
    this.#failures = [];
    if (failure !== undefined) throw failure;
  }
}
