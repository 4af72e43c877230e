/** Bodies that arrive in very many chunks of one byte. */
import { declareUnfinishedBodies } from '../../support/unfinished-bodies.ts';
import { suite } from '../../support/facts.ts';

const held = suite('an unfinished body in chunks of one byte');
declareUnfinishedBodies(held, 400_000);
