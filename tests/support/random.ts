/** Reproducible random numbers. A property test that fails prints its seed, and can be repeated with it. */
import { randomInt } from 'node:crypto';

/** The seed in the environment variable RESTPOINT_SEED, or a new one. Throws if it is not a whole number. */
export function readSeed(): number {
  const given = process.env['RESTPOINT_SEED'];
  if (given === undefined) return randomInt(2 ** 32);
  if (!/^\d{1,10}$/.test(given)) throw new TypeError(`RESTPOINT_SEED must be a whole number: "${given}"`);
  return Number(given);
}

/** How many cases a property test tries: the environment variable RESTPOINT_CASES, or so many. Throws if it is not a whole number from 1. */
export function readCaseCount(usual: number): number {
  const given = process.env['RESTPOINT_CASES'];
  if (given === undefined) return usual;
  if (!/^[1-9]\d{0,5}$/.test(given)) throw new TypeError(`RESTPOINT_CASES must be a whole number from 1: "${given}"`);
  return Number(given);
}

/** The generator mulberry32, which is small and good enough for test cases. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  /** One of the items. */
  pick<T>(items: readonly [T, ...T[]]): T {
    return items[this.below(items.length)] ?? items[0];
  }

  /** A list of `min` to `max` results of `make`. */
  list<T>(min: number, max: number, make: () => T): T[] {
    return Array.from({ length: min + this.below(max - min + 1) }, make);
  }
}
