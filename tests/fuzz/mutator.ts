/** Breaks bytes, one character for each: flips, inserts, deletes, duplicates and splices them. */
import type { Random } from '../support/random.ts';

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

/** Mutates bytes in one to three places. A splice takes its second half from `other`. */
export function mutate(bytes: string, other: string, random: Random): string {
  let mutated = bytes;
  for (const mutation of random.list(1, 3, () => random.pick(MUTATIONS))) {
    mutated = mutation(mutated, random.below(mutated.length), random, other);
  }
  return mutated;
}
