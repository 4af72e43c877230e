/**
 * Runs the fuzzer for some minutes.
 *
 *   npm run fuzz                              a new seed, for a minute
 *   npm run fuzz -- --minutes 10              for longer
 *   npm run fuzz -- --seed 1 --cases 5000     the first 5000 cases of a seed
 *   npm run fuzz -- --seed 1 --case 17        a single case
 */
import { parseArgs } from 'node:util';
import { readSeed } from '../support/random.ts';
import { runCases } from './runner.ts';
import { Subject } from './subject.ts';

const CASES_AT_ONCE = 1000;
const MEGABYTE = 2 ** 20;
const WARM_UP_LOOKS = 3;
const ALLOWED_GROWTH = 8 * MEGABYTE;

/** Watches whether the heap grows, if Node was started with `--expose-gc`. */
class HeapWatch {
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

const { values } = parseArgs({
  options: { seed: { type: 'string' }, case: { type: 'string' }, cases: { type: 'string' }, minutes: { type: 'string' } },
});
const seed = values.seed === undefined ? readSeed() : wholeNumber('seed', values.seed);
const only = values.case === undefined ? undefined : wholeNumber('case', values.case);
const from = only ?? 0;
const to = only !== undefined ? only + 1 : values.cases === undefined ? Infinity : wholeNumber('cases', values.cases);
const minutes = values.minutes === undefined ? 1 : Number(values.minutes);
const deadline = to === Infinity ? Date.now() + minutes * 60_000 : Infinity;

for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (thrown: unknown) => {
    console.error(`${event} with seed ${seed}, near case ${done}:`, thrown);
    process.exit(1);
  });
}

console.log(`seed ${seed}`);
let done = from;
const subject = await Subject.startFor(seed);
const heap = new HeapWatch();
try {
  while (done < to && Date.now() < deadline) {
    done += await runCases(subject, seed, done, Math.min(to, done + CASES_AT_ONCE), () => Date.now() >= deadline);
    heap.look();
  }
  console.log(`${done - from} cases, nothing found; ${subject.observed} requests observed; heap ${heap.summary}`);
} catch (error) {
  console.error(String(error));
  process.exitCode = 1;
} finally {
  await subject.stop();
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new TypeError(`--${name} must be a whole number: "${text}"`);
  return Number(text);
}
