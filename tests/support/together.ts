/** Tests of a suite that begin at the same time, so that those which wait do so together. */
import type { Test } from 'uvu';

/** Gives what declares a test of the suite. The first that is run begins them all; each keeps its own name and outcome. */
export function together(suite: Test): (name: string, body: () => Promise<void>) => void {
  const bodies: (() => Promise<void>)[] = [];
  let outcomes: Promise<PromiseSettledResult<void>>[] = [];
  return (name, body) => {
    const index = bodies.push(body) - 1;
    suite(name, async () => {
      if (outcomes.length === 0) outcomes = bodies.map((begin) => settled(begin()));
      const outcome = await outcomes[index];
      if (outcome?.status === 'rejected') throw outcome.reason;
    });
  };
}

async function settled(promise: Promise<void>): Promise<PromiseSettledResult<void>> {
  const [outcome] = await Promise.allSettled([promise]);
  return outcome;
}
