/** Waits until something holds, and fails when it does not in time. */
import { setTimeout as sleep } from 'node:timers/promises';

/** `holds` may throw, to give up at once. `what` names the awaited condition. */
export async function until(holds, what = () => 'something', ms = 10_000) {
  for (const deadline = Date.now() + ms; !(await holds()); await sleep(2)) {
    if (Date.now() > deadline) throw new Error(`waited too long for ${what()}`);
  }
}
