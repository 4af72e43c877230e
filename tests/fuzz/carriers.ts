/** Sends the same requests by `server.fetch` and over a socket. */
import { Random } from '../support/random.ts';
import { fetchFor } from './fetch-cases.ts';
import { runFetch } from './runner.ts';
import { Subject } from './subject.ts';

/**
 * Compares so many generated requests: status, headers, body, which of the user's functions were called and what they saw, and the log.
 * Throws an `Error` that says how to repeat a failure.
 */
export async function compareCarriers(seed: number, count: number): Promise<number> {
  const subject = await Subject.startFor(seed);
  const random = new Random(seed);
  let compared = 0;
  try {
    // At least a fifth can be compared.
    for (let number = 0; compared < count && number < 5 * count + 100; number += 1) {
      if (await runFetch(subject, { kind: 'fetch', seed, number, ...fetchFor(random, `c${number}`) })) compared += 1;
    }
  } finally {
    await subject.stop();
  }
  return compared;
}
