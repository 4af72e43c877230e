/**
 * Whether 1 MiB of JSON can be made so hard to read that it costs many times what ordinary records cost. Each contender's own
 * reader gets the bytes; its time is divided by that of ordinary records in the same round.
 */
import fastify from 'fastify';
import { CONTENDERS } from '../../contenders/contender.js';
import { readJsonAsServer } from '../../library.js';
import { median } from '../../statistics.js';

const SIZE = 2 ** 20;
const list = (item) => `[${Array(Math.floor(SIZE / (item.length + 1)) - 1).fill(item).join(',')}]`;
const keys = (nameOf, value = 1) => `{${Array.from({ length: 50_000 }, (_, index) => `"${nameOf(index)}":${value}`).join(',')}}`;

const ORDINARY = list('{"name":"animal","legs":4,"weight":31.25,"lethal":false}');
// What it is, the text, and whether restpoint reads it.
const HOSTILE = [
  ['200,000 nested arrays', '['.repeat(200_000) + ']'.repeat(200_000), true],
  ['524,288 nested arrays', '['.repeat(SIZE / 2) + ']'.repeat(SIZE / 2), false],
  ['262,143 nested arrays, and numbers', `${'[1,'.repeat(SIZE / 4 - 1)}1${']'.repeat(SIZE / 4 - 1)}`, true],
  ['nested objects', `${'{"a":'.repeat(SIZE / 6)}1${'}'.repeat(SIZE / 6)}`, true],
  ['nested objects, with escapes', `${'{"\\u0061":'.repeat(SIZE / 12)}1${'}'.repeat(SIZE / 12)}`, true],
  ['empty arrays', list('[]'), true],
  ['50,000 keys', keys((index) => `key ${index}`), true],
  ['50,000 keys, with escapes', keys((index) => `\\u0061${index}`), true],
  ['50,000 keys, with escapes, and `1e100` as values', keys((index) => `\\u0061${index}`, '1e100'), true],
  ['50,000 keys that are numbers', keys((index) => index * 80_000), true],
  ['one string of `\\u0041`', `"${'\\u0041'.repeat(SIZE / 6 - 1)}"`, true],
  ['one string of U+FFFD', `"${'\ufffd'.repeat(SIZE / 3 - 1)}"`, true],
  ['one number of a million digits', '1'.repeat(SIZE), false],
  ['a fraction of a million digits', `0.${'1'.repeat(SIZE - 2)}`, true],
  ['integers of 17 digits, exact', list(String(2n ** 54n)), true],
  ['integers of 300 digits, exact', list(String(2n ** 996n)), true],
  ['`1e100` again and again', list('1e100'), true],
  ['`"__proto__"` as values', list('"__proto__"'), true],
];
const WARM_UP = 2;
const ROUNDS = 7;

const parseSecurely = fastify().getDefaultJsonParser('error', 'error');
// Hono and Polka's handler read JSON as the hand-written handler does.
const READERS = {
  restpoint: readJsonAsServer,
  'hand-written': (bytes) => JSON.parse(bytes.toString()),
  fastify(bytes) {
    let read;
    parseSecurely(undefined, bytes.toString(), (error, value) => (read = error ?? value));
    return read;
  },
};

export const title = 'Time to read 1 MiB, beside 1 MiB of ordinary records';

export function measure() {
  for (const [what, text, isRead] of HOSTILE) {
    if ((readJsonAsServer(Buffer.from(text)) !== undefined) !== isRead) throw new Error(`${what}: expected ${isRead ? 'to be read' : 'to be refused'}`);
  }
  const ordinary = Buffer.from(ORDINARY);
  const rows = HOSTILE.map(([what, text]) => [what, ratios(Buffer.from(text), ordinary)]);
  const worst = Object.keys(READERS).map((_, index) => Math.max(...rows.map(([, figures]) => figures[index])));
  const times = Object.values(READERS).map((read) => median(Array.from({ length: ROUNDS }, () => timed(read, ordinary))));
  const cells = (figures, digits) => CONTENDERS.map((_, index) => figures[index]?.toFixed(digits) ?? 'as hand-written');
  return [['ordinary records, ms', cells(times, 1)], ...rows.map(([what, figures]) => [what, cells(figures, 2)]), ['the worst of them', cells(worst, 2)]];
}

function ratios(bytes, ordinary) {
  const rounds = Object.keys(READERS).map(() => []);
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    Object.values(READERS).forEach((read, index) => rounds[index].push(timed(read, bytes) / timed(read, ordinary)));
  }
  return rounds.map((each) => median(each.slice(WARM_UP)));
}

function timed(read, bytes) {
  const begin = performance.now();
  read(bytes);
  return performance.now() - begin;
}
