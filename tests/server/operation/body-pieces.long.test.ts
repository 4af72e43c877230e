/** Bodies that arrive in very many chunks of one byte. */
import { suite } from 'uvu';
import { declareUnfinishedBodies } from '../../support/unfinished-bodies.ts';

const held = suite('an unfinished body in chunks of one byte');
declareUnfinishedBodies(held, 400_000);
held.run();
