/** A request gets the same over each carrier. `server/fetch-differential.long.test.ts` sends more. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readSeed } from '../support/random.ts';
import { compareCarriers } from './carriers.ts';

const same = suite('the same by server.fetch and over a socket');
for (const seed of [1, 3, readSeed()]) same(`100 requests of the seed ${seed}`, async () => assert.is(await compareCarriers(seed, 100), 100));
same.run();
