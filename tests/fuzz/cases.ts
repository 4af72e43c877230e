/** A case: the sent bytes, their chunks, and how the client leaves. Its seed and number reproduce it. */
import { Random } from '../support/random.ts';
import { STREAMS } from './corpus.ts';
import type { Delivery, Ending } from './delivery.ts';
import { fetchFor, type FetchDraft } from './fetch-cases.ts';
import { lastRequest, makeRequest, makeWareRequest } from './grammar.ts';
import { leaverFor, type Leaver } from './leaver-cases.ts';
import { mutate } from './mutator.ts';

interface CaseOf<Kind extends string> {
  readonly kind: Kind;
  readonly seed: number;
  readonly number: number;
  readonly bytes: string;
  /** Whether the bytes are unchanged output of the grammar. Then no body may be read as a request. */
  readonly isWhole: boolean;
}

/** Requests to the first server, to the one with a short `limits.operationMs`, or to the one with middleware. */
export type StreamCase = CaseOf<'plain' | 'timeout' | 'ware'> & Delivery;
/** A client that leaves, usually while one of its requests is held. */
export type LeaverCase = CaseOf<'leaver'> & Leaver;
/** A call of `server.fetch` of one of the servers. */
export interface FetchCase extends FetchDraft {
  readonly kind: 'fetch';
  readonly seed: number;
  readonly number: number;
}
export type Case = StreamCase | LeaverCase | FetchCase;

/** Makes a case. */
export function makeCase(seed: number, number: number): Case {
  const random = new Random((seed ^ Math.imul(number + 1, 0x9e3779b1)) | 0);
  const which = random.below(40);
  const markers = random.list(1, 6, () => `m${number}-${random.below(1e6)}`);
  if (which < 3) return makeLeaver(random, seed, number, markers);
  if (which === 3) return makeTimeout(random, seed, number, markers.slice(0, 3));
  if (which < 12) return { kind: 'fetch', seed, number, ...fetchFor(random, markers[0] ?? '') };
  return makeStream(random, which < 20 ? 'ware' : 'plain', seed, number, markers);
}

function makeStream(random: Random, kind: 'plain' | 'ware', seed: number, number: number, markers: readonly string[]): StreamCase {
  const make = kind === 'ware' ? makeWareRequest : makeRequest;
  const made = markers.map((marker) => make(random, marker)).join('');
  const isWhole = random.below(2) === 0;
  const beginning = random.below(4) === 0 ? random.pick(STREAMS) : made;
  const ending = endingOf(random);
  const all = (isWhole ? made : mutate(beginning, made, random)) + lastRequest(`last${number}`);
  const bytes = ending === 'wait' || random.below(2) === 0 ? all : all.slice(0, random.below(all.length));
  return { kind, seed, number, bytes, isWhole, ending, chunks: cut(bytes, random) };
}

// An operation that takes two turns of the event loop may be too slow for the server with the short limit.
const TIMEOUT_BASES: [string, ...string[]] = ['/v1/now', '/v1/never'];

function makeTimeout(random: Random, seed: number, number: number, markers: readonly string[]): StreamCase {
  const bytes = markers.map((marker) => makeRequest(random, marker, TIMEOUT_BASES)).join('') + lastRequest(`last${number}`, '/v1/now');
  return { kind: 'timeout', seed, number, bytes, isWhole: true, ending: 'wait', chunks: cut(bytes, random) };
}

function makeLeaver(random: Random, seed: number, number: number, markers: readonly string[]): LeaverCase {
  const { parts, ...leaver } = leaverFor(random, markers);
  return { kind: 'leaver', seed, number, bytes: parts.join(''), ...leaver, chunks: parts.flatMap((part) => cut(part, random)) };
}

function endingOf(random: Random): Ending {
  return random.below(3) > 0 ? 'wait' : random.pick(['half-close', 'reset', 'abandon']);
}

// Longer strings are cut into hundreds of chunks, not into thousands.
const LONG_BYTES = 10_000;
const MAX_PIECES = 300;

/** Cuts bytes into chunks: from a single chunk to one for each byte. */
function cut(bytes: string, random: Random): string[] {
  const picked = random.pick([bytes.length, bytes.length, 700, 100, 20, 1]);
  const most = bytes.length > LONG_BYTES ? Math.max(picked, Math.ceil(bytes.length / MAX_PIECES)) : picked;
  if (most === 1 && bytes.length < 600) return [...bytes];
  const chunks: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = most === bytes.length ? most : 1 + random.below(Math.max(most, 20) * 2);
    chunks.push(bytes.slice(at, at + size));
    at += size;
  }
  return chunks;
}
