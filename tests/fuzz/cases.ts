/** A case: what is sent, in which pieces, and how the client leaves. Its seed and number bring it back. */
import { Random } from '../support/random.ts';
import { STREAMS } from './corpus.ts';
import type { Delivery, Ending } from './delivery.ts';
import { lastRequest, makeRequest } from './grammar.ts';
import { mutate } from './mutator.ts';

export interface Case extends Delivery {
  readonly seed: number;
  readonly number: number;
  readonly bytes: string;
  /** Whether it is as the grammar made it: no body of it may ever be taken for a request. */
  readonly isWhole: boolean;
}

/** Makes a case. */
export function makeCase(seed: number, number: number): Case {
  const random = new Random((seed ^ Math.imul(number + 1, 0x9e3779b1)) | 0);
  const made = random.list(1, 6, () => `m${number}-${random.below(1e6)}`).map((marker) => makeRequest(random, marker)).join('');
  const isWhole = random.below(2) === 0;
  const beginning = random.below(4) === 0 ? random.pick(STREAMS) : made;
  const ending = endingOf(random);
  const all = (isWhole ? made : mutate(beginning, made, random)) + lastRequest(`last${number}`);
  const bytes = ending === 'wait' || random.below(2) === 0 ? all : all.slice(0, random.below(all.length));
  return { seed, number, bytes, isWhole, ending, chunks: cut(bytes, random) };
}

function endingOf(random: Random): Ending {
  return random.below(3) > 0 ? 'wait' : random.pick(['half-close', 'reset', 'abandon']);
}

/** From all at once to byte by byte. */
function cut(bytes: string, random: Random): string[] {
  const most = random.pick([bytes.length, bytes.length, 700, 100, 20, 1]);
  if (most === 1 && bytes.length < 600) return [...bytes];
  const chunks: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = most === bytes.length ? most : 1 + random.below(Math.max(most, 20) * 2);
    chunks.push(bytes.slice(at, at + size));
    at += size;
  }
  return chunks;
}
