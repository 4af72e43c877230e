/** A case: what is sent, in which pieces, and how the client leaves. Its seed and number bring it back. */
import { Random } from '../support/random.ts';
import { STREAMS } from './corpus.ts';
import type { Delivery, Ending } from './delivery.ts';
import { departureFor, type Departure } from './departures.ts';
import { lastRequest, makeRequest } from './grammar.ts';
import { mutate } from './mutator.ts';

interface CaseOf<Kind extends string> {
  readonly kind: Kind;
  readonly seed: number;
  readonly number: number;
  readonly bytes: string;
  /** Whether it is as the grammar made it: no body of it may ever be taken for a request. */
  readonly isWhole: boolean;
}

/** Requests for the server that waits for its operations, or for the hasty one. */
export type StreamCase = CaseOf<'patient' | 'hasty'> & Delivery;
/** A client that leaves while something is held up for it. */
export type LeaverCase = CaseOf<'leaver'> & Departure;
export type Case = StreamCase | LeaverCase;

/** Makes a case. */
export function makeCase(seed: number, number: number): Case {
  const random = new Random((seed ^ Math.imul(number + 1, 0x9e3779b1)) | 0);
  const which = random.below(40);
  const markers = random.list(1, 6, () => `m${number}-${random.below(1e6)}`);
  if (which < 3) return makeLeaver(random, seed, number, markers);
  return which === 3 ? makeHasty(random, seed, number, markers.slice(0, 3)) : makeStream(random, seed, number, markers);
}

function makeStream(random: Random, seed: number, number: number, markers: readonly string[]): StreamCase {
  const made = markers.map((marker) => makeRequest(random, marker)).join('');
  const isWhole = random.below(2) === 0;
  const beginning = random.below(4) === 0 ? random.pick(STREAMS) : made;
  const ending = endingOf(random);
  const all = (isWhole ? made : mutate(beginning, made, random)) + lastRequest(`last${number}`);
  const bytes = ending === 'wait' || random.below(2) === 0 ? all : all.slice(0, random.below(all.length));
  return { kind: 'patient', seed, number, bytes, isWhole, ending, chunks: cut(bytes, random) };
}

// Whatever takes two turns of the event loop may be too slow for that server.
const HASTY_BASES: [string, ...string[]] = ['/v1/now', '/v1/never'];

function makeHasty(random: Random, seed: number, number: number, markers: readonly string[]): StreamCase {
  const bytes = markers.map((marker) => makeRequest(random, marker, HASTY_BASES)).join('') + lastRequest(`last${number}`, '/v1/now');
  return { kind: 'hasty', seed, number, bytes, isWhole: true, ending: 'wait', chunks: cut(bytes, random) };
}

function makeLeaver(random: Random, seed: number, number: number, markers: readonly string[]): LeaverCase {
  const { parts, ...departure } = departureFor(random, markers);
  return { kind: 'leaver', seed, number, bytes: parts.join(''), ...departure, chunks: parts.flatMap((part) => cut(part, random)) };
}

function endingOf(random: Random): Ending {
  return random.below(3) > 0 ? 'wait' : random.pick(['half-close', 'reset', 'abandon']);
}

// What is longer is cut into hundreds of pieces, and not into thousands.
const LONG_BYTES = 10_000;
const MOST_PIECES = 300;

/** From all at once to byte by byte. */
function cut(bytes: string, random: Random): string[] {
  const picked = random.pick([bytes.length, bytes.length, 700, 100, 20, 1]);
  const most = bytes.length > LONG_BYTES ? Math.max(picked, Math.ceil(bytes.length / MOST_PIECES)) : picked;
  if (most === 1 && bytes.length < 600) return [...bytes];
  const chunks: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = most === bytes.length ? most : 1 + random.below(Math.max(most, 20) * 2);
    chunks.push(bytes.slice(at, at + size));
    at += size;
  }
  return chunks;
}
