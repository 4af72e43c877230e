/** Makes operations wait until the test opens the gate. Also helpers that wait. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';

const MAX_TURNS = 5;

export class Gate {
  readonly passed: Promise<void>;
  #open: () => void = () => {};

  constructor() {
    this.passed = new Promise((resolve) => (this.#open = resolve));
  }

  open(): void {
    this.#open();
  }
}

/**
 * Resolves when this process has run for so many milliseconds. Time in which the process was blocked or not scheduled does not count, as
 * it does not count for the timers of the server.
 */
export async function running(ms: number): Promise<void> {
  for (let ran = 0; ran < ms; ran += 10) await after(10);
}

/** Waits until a condition holds. Throws if it does not hold after this process has run for some seconds, or for `ms`. */
export async function until(holds: () => boolean | Promise<boolean>, what: string, ms = 10_000): Promise<void> {
  for (let ran = 0; !(await holds()); ran += 2) {
    if (ran > ms) throw new Error(`waited too long: ${what}`);
    await after(2);
  }
}

/**
 * Resolves after so many milliseconds. A longer wait takes several turns of the event loop, so that received bytes are read meanwhile, even
 * if this process was not scheduled.
 */
export async function after(ms: number): Promise<void> {
  const turns = Math.max(1, Math.min(MAX_TURNS, Math.ceil(ms / 5)));
  for (let turn = 0; turn < turns; turn += 1) await new Promise<void>((resolve) => setTimeout(resolve, Math.ceil(ms / turns)));
}

/** Waits for a promise. Throws if it does not settle before this process has run for so many milliseconds. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const settle = (): void => void (isSettled = true);
  promise.then(settle, settle);
  for (let ran = 0; ran < ms && !isSettled; ran += 10) await after(10);
  if (!isSettled) throw new Error(`not settled within ${ms} ms`);
  return promise;
}

/** Counts the requests whose heads Node has read, in all servers of this process, while `use` runs. */
export async function countingRequests(use: (count: () => number) => Promise<void>): Promise<void> {
  const channel = 'http.server.request.start';
  let count = 0;
  const increment = (): void => void (count += 1);
  subscribe(channel, increment);
  try {
    await use(() => count);
  } finally {
    unsubscribe(channel, increment);
  }
}

/** Resolves two turns of the event loop later. */
export function twoTurns(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}
