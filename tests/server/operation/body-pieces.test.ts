/** B16: Bodies that arrive in chunks of one byte. */
import { suite } from 'uvu';
import { declareUnfinishedBodies } from '../../support/unfinished-bodies.ts';

const held = suite('an unfinished body in chunks of one byte');
declareUnfinishedBodies(held, 50_000);
held.run();
