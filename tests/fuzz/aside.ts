/** Runs what takes long beside what does not: some at once, and no more than a few. */

export class Aside {
  readonly #most: number;
  readonly #running = new Set<Promise<void>>();
  #failures: unknown[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /** Begins, when there is room. Throws what something that was begun before has thrown. */
  async add(run: () => Promise<void>): Promise<void> {
    while (this.#running.size >= this.#most) await Promise.race(this.#running);
    this.#throwFailure();
    const running = run().catch((thrown: unknown) => void this.#failures.push(thrown)).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Waits until nothing is left. Throws what something has thrown. */
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
