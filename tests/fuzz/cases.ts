/** A case: the sent bytes, their chunks, and how the client leaves. Its seed and number reproduce it. */
import { Random } from '../support/random.ts';
import { STREAMS } from './corpus.ts';
import type { Delivery, Ending } from './delivery.ts';
import { fetchFor, type FetchDraft } from './fetch-cases.ts';
import { lastRequest, makeRequest, makeMiddlewareRequest } from './grammar.ts';
import { leaverFor, type Leaver } from './leaver-cases.ts';

interface CaseOf<Kind extends string> {
  readonly kind: Kind;
  readonly seed: number;
  readonly number: number;
  readonly bytes: string;
  /** Whether the bytes are unchanged output of the grammar. Then no body may be read as a request. */
  readonly isWhole: boolean;
}

/** Requests to the first server, to the one with a short `limits.operationMs`, or to the one with middleware. */
export type StreamCase = CaseOf<'plain' | 'timeout' | 'middleware'> & Delivery;
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
  return makeStream(random, which < 20 ? 'middleware' : 'plain', seed, number, markers);
}

function makeStream(random: Random, kind: 'plain' | 'middleware', seed: number, number: number, markers: readonly string[]): StreamCase {
  const make = kind === 'middleware' ? makeMiddlewareRequest : makeRequest;
  const made = markers.map((marker) => make(random, marker)).join('');
  const isWhole = random.below(2) === 0;
  const beginning = random.below(4) === 0 ? random.pick(STREAMS) : made;
  const ending = endingOf(random);
  const all = (isWhole ? made : mutate(beginning, made, random)) + lastRequest(`last${number}`);
  const bytes = ending === 'wait' || random.below(2) === 0 ? all : all.slice(0, random.below(all.length));
  return { kind, seed, number, bytes, isWhole, ending, chunks: splitBytes(bytes, random) };
}

// An operation that takes two turns of the event loop may be too slow for the server with the short limit.
const TIMEOUT_BASES: [string, ...string[]] = ['/v1/now', '/v1/never'];

function makeTimeout(random: Random, seed: number, number: number, markers: readonly string[]): StreamCase {
  const bytes = markers.map((marker) => makeRequest(random, marker, TIMEOUT_BASES)).join('') + lastRequest(`last${number}`, '/v1/now');
  return { kind: 'timeout', seed, number, bytes, isWhole: true, ending: 'wait', chunks: splitBytes(bytes, random) };
}

function makeLeaver(random: Random, seed: number, number: number, markers: readonly string[]): LeaverCase {
  const { parts, ...leaver } = leaverFor(random, markers);
  return { kind: 'leaver', seed, number, bytes: parts.join(''), ...leaver, chunks: parts.flatMap((part) => splitBytes(part, random)) };
}

function endingOf(random: Random): Ending {
  return random.below(3) > 0 ? 'wait' : random.pick(['half-close', 'reset', 'abandon']);
}

// Longer strings are cut into hundreds of chunks, not into thousands.
const LONG_BYTES = 10_000;
const MAX_PIECES = 300;

/** Cuts bytes into chunks: from a single chunk to one for each byte. */
function splitBytes(bytes: string, random: Random): string[] {
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

const TROUBLE: [string, ...string[]] = [
  '\r', '\n', '\r\n', '\r\n\r\n', '\0', ' ', '\t', ':', ',', ';', '%', '#', '?', '/', '\\', '\x7f', '\xff', '0', '-', '+', '0\r\n\r\n', '*', '"',
  '\r\nTransfer-Encoding: chunked', '\r\nContent-Length: 3', '\r\nConnection: close', '\r\nExpect: 100-continue', '\r\n ', 'HTTP/1.0', 'HEAD ',
];

type Mutation = (bytes: string, at: number, random: Random, other: string) => string;

const MUTATIONS: [Mutation, ...Mutation[]] = [
  (bytes, at, random) => bytes.slice(0, at) + String.fromCharCode((bytes.charCodeAt(at) || 0) ^ (1 << random.below(8))) + bytes.slice(at + 1),
  (bytes, at, random) => bytes.slice(0, at) + String.fromCharCode(random.below(256)) + bytes.slice(at),
  (bytes, at, random) => bytes.slice(0, at) + random.pick(TROUBLE) + bytes.slice(at),
  (bytes, at, random) => bytes.slice(0, at) + random.pick(TROUBLE) + bytes.slice(at + 1),
  (bytes, at, random) => bytes.slice(0, at) + bytes.slice(at + 1 + random.below(8)),
  (bytes, at, random) => bytes.slice(0, at) + bytes.slice(at + random.below(bytes.length - at)),
  (bytes, at, random) => bytes.slice(0, at + random.below(60)) + bytes.slice(at),
  (bytes, at, random, other) => bytes.slice(0, at) + other.slice(random.below(other.length)),
  (bytes, at, random) => bytes.slice(0, at) + bytes.slice(at).replace(/\d+/, (digits) => String(Number(digits) + random.below(5) - 2)),
  (bytes, at) => bytes.slice(0, at) + bytes.slice(at).replace('\r\n', '\n'),
];

/** Breaks bytes, one character for each, in one to three places: flips, inserts, deletes, duplicates and splices them. A splice takes its second half from `other`. */
function mutate(bytes: string, other: string, random: Random): string {
  let mutated = bytes;
  for (const mutation of random.list(1, 3, () => random.pick(MUTATIONS))) {
    mutated = mutation(mutated, random.below(mutated.length), random, other);
  }
  return mutated;
}
