/** Timers that fire when a test says so. */
import { mock } from 'node:test';

interface FakeTimer {
  readonly at: number;
  readonly call: () => void;
}

export class FakeClock {
  readonly #timers = new Set<FakeTimer>();
  #now = 0;

  /** Replaces the timers and the clock of this process while `use` runs. */
  static async during(use: (clock: FakeClock) => Promise<void>): Promise<void> {
    const { setTimeout, clearTimeout } = globalThis;
    const clock = new FakeClock();
    const now = mock.method(performance, 'now', () => clock.#now);
    globalThis.setTimeout = ((call: () => void, ms = 0) => clock.#add(call, ms)) as never;
    globalThis.clearTimeout = ((timer: FakeTimer) => clock.#timers.delete(timer)) as never;
    try {
      await use(clock);
    } finally {
      Object.assign(globalThis, { setTimeout, clearTimeout });
      now.mock.restore();
    }
  }

  get pending(): number {
    return this.#timers.size;
  }

  /** Fires what is due, and lets promises settle. */
  async advance(ms: number): Promise<void> {
    await settle();
    this.#now += ms;
    for (const timer of this.#timers) {
      if (timer.at > this.#now) continue;
      this.#timers.delete(timer);
      timer.call();
    }
    await settle();
  }

  #add(call: () => void, ms: number): object {
    const timer = { at: this.#now + ms, call, unref: () => timer };
    this.#timers.add(timer);
    return timer;
  }
}

/** Lets promises settle, without a timer. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
