/** B16: Bodies that arrive in chunks of one byte. */
import { declareUnfinishedBodies } from '../../support/unfinished-bodies.ts';
import { suite } from '../../support/facts.ts';

const held = suite('an unfinished body in chunks of one byte');
declareUnfinishedBodies(held, 50_000);
