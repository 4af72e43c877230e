/** Counts checks, and prints each result: `ok    download: …`, or `FAIL  download: …` with the reason below it. */
import { inspect } from 'node:util';

/** Makes a check: it holds unless the function throws. */
export type Check = (what: string, holds: () => unknown) => Promise<void>;

export class Checks {
  #passed = 0;
  #failed = 0;
  #skipped = 0;

  /** `N passed, N failed`, and `, N skipped` if some were. */
  get counts(): string {
    return `${this.#passed} passed, ${this.#failed} failed${this.#skipped === 0 ? '' : `, ${this.#skipped} skipped`}`;
  }

  /** Whether there was a check, and none failed. */
  get areGood(): boolean {
    return this.#failed === 0 && this.#passed > 0;
  }

  readonly check: Check = async (what, holds) => {
    try {
      await holds();
      this.#passed += 1;
      console.log(`ok    ${what}`);
    } catch (error) {
      this.#failed += 1;
      console.log(`FAIL  ${what}\n${inspect(error).replace(/^/gm, '      ')}`);
    }
  };

  skip(count: number, why: string): void {
    this.#skipped += count;
    console.log(`skip  ${why}`);
  }
}
