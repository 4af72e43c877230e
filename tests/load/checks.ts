/** Counts checks, and prints each result: `ok    download: …`, or `FAIL  download: …` with the reason below it. */

/** Makes a check: it holds unless the function throws. */
export type Check = (what: string, holds: () => unknown) => Promise<void>;

export class Checks {
  #passed = 0;
  #failed = 0;

  get counts(): string {
    return `${this.#passed} passed, ${this.#failed} failed`;
  }

  get areGood(): boolean {
    return this.#failed === 0 && this.#passed > 0;
  }

  async check(what: string, holds: () => unknown): Promise<void> {
    try {
      await holds();
      this.#passed += 1;
      console.log(`ok    ${what}`);
    } catch (error) {
      this.#failed += 1;
      console.log(`FAIL  ${what}\n${String((error as Error)?.stack ?? error).replace(/^/gm, '      ')}`);
    }
  }
}
