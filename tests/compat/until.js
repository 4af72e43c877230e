/** Waits until something holds, and fails when it does not in time. No machine is so slow that a test needs longer than `PATIENCE_MS`. */
import { setTimeout as sleep } from 'node:timers/promises';

export const PATIENCE_MS = 600_000;

/** `holds` may throw, to give up at once. `what` names the awaited condition. */
export async function waitUntil(holds, what = () => 'something', ms = PATIENCE_MS) {
  for (const deadline = Date.now() + ms; !(await holds()); await sleep(2)) {
    if (Date.now() > deadline) throw new Error(`waited too long for ${what()}`);
  }
}
