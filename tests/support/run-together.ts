/** Tests of a suite that start at the same time, so that they wait at the same time. */
import type { Test } from 'uvu';

/** Returns a function that declares a test of the suite. The first test starts all of them. Each keeps its name and its outcome. */
export function runTogether(suite: Test): (name: string, body: () => Promise<void>) => void {
  const bodies: (() => Promise<void>)[] = [];
  let outcomes: Promise<PromiseSettledResult<void>>[] = [];
  return (name, body) => {
    const index = bodies.push(body) - 1;
    suite(name, async () => {
      if (outcomes.length === 0) outcomes = bodies.map((begin) => settle(begin()));
      const outcome = await outcomes[index];
      if (outcome?.status === 'rejected') throw outcome.reason;
    });
  };
}

async function settle(promise: Promise<void>): Promise<PromiseSettledResult<void>> {
  const [outcome] = await Promise.allSettled([promise]);
  return outcome;
}
