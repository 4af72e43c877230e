/** Makes operations wait until the test opens the gate. Also helpers that wait. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';

const MAX_TURNS = 5;
// Only what never happens takes so long, however busy the machine is.
const PATIENCE_MS = 300_000;
const TICK_MS = 10;

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
export async function runFor(ms: number): Promise<void> {
  for (let ran = 0; ran < ms; ran += 10) await delay(10);
}

/** Waits until a condition holds. `what` says in words what is waited for. `ms` is the limit of patience, as time in which this process runs. */
export async function waitUntil(holds: () => boolean | Promise<boolean>, what: string, ms: number = PATIENCE_MS): Promise<void> {
  for (let ran = 0; !(await holds()); ran += 2) {
    if (ran > ms) throw new Error(`waited too long, ${ms} ms, for ${what}`);
    await delay(2);
  }
}

/**
 * Resolves after so many milliseconds. A longer wait takes several turns of the event loop, so that received bytes are read meanwhile, even
 * if this process was not scheduled.
 */
export async function delay(ms: number): Promise<void> {
  const turns = Math.max(1, Math.min(MAX_TURNS, Math.ceil(ms / 5)));
  for (let turn = 0; turn < turns; turn += 1) await new Promise<void>((resolve) => setTimeout(resolve, Math.ceil(ms / turns)));
}

/**
 * Waits for a promise, which `what` names in an error. `ms` is the limit of patience, as time in which this process runs. With the limit
 * first, the promise has to settle so fast.
 */
export function withTimeout<T>(promise: Promise<T>, what?: string | (() => string), ms?: number): Promise<T>;
export function withTimeout<T>(ms: number, promise: Promise<T>): Promise<T>;
export function withTimeout<T>(first: Promise<T> | number, second?: Promise<T> | string | (() => string), ms: number = PATIENCE_MS): Promise<T> {
  if (typeof first === 'number') return waitForSettled(second as Promise<T>, 'a promise to settle', first);
  return waitForSettled(first, (second as string | (() => string) | undefined) ?? 'a promise to settle', ms);
}

async function waitForSettled<T>(promise: Promise<T>, what: string | (() => string), ms: number): Promise<T> {
  // Made here, for the stack of the caller.
  const late = new Error();
  let ticking: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    let ran = 0;
    ticking = setInterval(() => {
      if ((ran += TICK_MS) < ms) return;
      late.message = `waited too long, ${ms} ms, for ${typeof what === 'string' ? what : what()}`;
      reject(late);
    }, TICK_MS);
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearInterval(ticking);
  }
}

/** Counts the requests whose heads Node has read, in all servers of this process, while `use` runs. */
export async function countRequests(use: (count: () => number) => Promise<void>): Promise<void> {
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
export function waitTwoTurns(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}
