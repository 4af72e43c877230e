/** A request gets the same over each carrier. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random, readSeed } from '../support/random.ts';
import { fetchFor } from './fetch-cases.ts';
import { runFetch } from './runner.ts';
import { Subject } from './subject.ts';

/**
 * Compares so many generated requests: status, headers, body, which of the user's functions were called and what they saw, and the log.
 * Throws an `Error` that says how to repeat a failure.
 */
async function compareCarriers(seed: number, count: number): Promise<number> {
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

const same = suite('the same by server.fetch and over a socket');
for (const seed of [1, 3, readSeed()]) same(`100 requests of the seed ${seed}`, async () => assert.is(await compareCarriers(seed, 100), 100));
same.run();
