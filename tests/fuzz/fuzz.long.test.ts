/** More cases of the fuzzer than `fuzz.test.ts` runs. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readSeed } from '../support/random.ts';
import { runSeed } from './runner.ts';

const long = suite('fuzzing for longer');
for (const seed of [1, 3, readSeed()]) long(`300 cases of the seed ${seed} pass`, async () => assert.is(await runSeed(seed, 300), 300));
long.run();
