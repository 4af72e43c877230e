/** Watches whether the heap grows, if Node was started with `--expose-gc`. */

const MEGABYTE = 2 ** 20;
const WARM_UP_LOOKS = 3;
const ALLOWED_GROWTH = 8 * MEGABYTE;

export class HeapWatch {
  #looks = 0;
  #warm = 0;
  #last = 0;

  /** Collects and measures. Throws if the heap has grown by more than a few megabytes since it was warm. */
  look(): void {
    if (globalThis.gc === undefined) return;
    globalThis.gc();
    this.#last = process.memoryUsage().heapUsed;
    this.#looks += 1;
    if (this.#looks <= WARM_UP_LOOKS) this.#warm = this.#last;
    else if (this.#last > this.#warm + ALLOWED_GROWTH) throw new Error(`the heap grows: ${this.summary}`);
  }

  /** The heap when it was warm, and now. */
  get summary(): string {
    return globalThis.gc === undefined ? 'not watched' : `${megabytes(this.#warm)} -> ${megabytes(this.#last)}`;
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / MEGABYTE).toFixed(1)} MB`;
}
