/**
 * Whether 1 MiB of JSON can be made so hard to read that it costs many times as much as ordinary records. Each contender's own
 * reader gets the bytes; its time is divided by that of ordinary records in the same round.
 */
import fastify from 'fastify';
import { CONTENDERS } from '../../contenders/contenders.js';
import { readJsonAsServer } from '../../library.js';
import { median } from '../../statistics.js';

const SIZE = 2 ** 20;
const list = (item) => `[${Array(Math.floor(SIZE / (item.length + 1)) - 1).fill(item).join(',')}]`;
const keys = (nameOf, value = 1) => `{${Array.from({ length: 50_000 }, (_, index) => `"${nameOf(index)}":${value}`).join(',')}}`;

const ORDINARY = Buffer.from(list('{"name":"animal","legs":4,"weight":31.25,"lethal":false}'));
const HOSTILE = {
  '200,000 nested arrays': '['.repeat(200_000) + ']'.repeat(200_000),
  '524,288 nested arrays': '['.repeat(SIZE / 2) + ']'.repeat(SIZE / 2),
  '262,143 nested arrays, and numbers': `${'[1,'.repeat(SIZE / 4 - 1)}1${']'.repeat(SIZE / 4 - 1)}`,
  'nested objects': `${'{"a":'.repeat(SIZE / 6)}1${'}'.repeat(SIZE / 6)}`,
  'nested objects, with escapes': `${'{"\\u0061":'.repeat(SIZE / 12)}1${'}'.repeat(SIZE / 12)}`,
  'empty arrays': list('[]'),
  '50,000 keys': keys((index) => `key ${index}`),
  '50,000 keys, with escapes': keys((index) => `\\u0061${index}`),
  '50,000 keys, with escapes, and `1e100` as values': keys((index) => `\\u0061${index}`, '1e100'),
  '50,000 keys that are numbers': keys((index) => index * 80_000),
  'one string of `\\u0041`': `"${'\\u0041'.repeat(SIZE / 6 - 1)}"`,
  'one string of U+FFFD': `"${'\ufffd'.repeat(SIZE / 3 - 1)}"`,
  'one number of a million digits': '1'.repeat(SIZE),
  'a fraction of a million digits': `0.${'1'.repeat(SIZE - 2)}`,
  'integers of 17 digits, exact': list(String(2n ** 54n)),
  'integers of 300 digits, exact': list(String(2n ** 996n)),
  '`1e100` again and again': list('1e100'),
  '`"__proto__"` as values': list('"__proto__"'),
};
const REJECTED_BY_RESTPOINT = ['524,288 nested arrays', 'one number of a million digits'];
const WARM_UP = 2;
const ROUNDS = 7;

const parseSecurely = fastify().getDefaultJsonParser('error', 'error');
// Hono and Polka's handler read JSON as the hand-written handler does.
const READERS = [
  readJsonAsServer,
  (bytes) => JSON.parse(bytes.toString()),
  (bytes) => parseSecurely(undefined, bytes.toString(), () => {}),
];

export const title = 'Time to read 1 MiB, beside 1 MiB of ordinary records';

export function rows() {
  const ratios = Object.entries(HOSTILE).map(([what, text]) => {
    const bytes = Buffer.from(text);
    const isRejected = readJsonAsServer(bytes) === undefined;
    if (isRejected !== REJECTED_BY_RESTPOINT.includes(what)) throw new Error(`${what}: ${isRejected ? 'rejected' : 'read'}`);
    return [what, READERS.map((read) => computeMedian(() => timed(read, bytes) / timed(read, ORDINARY)))];
  });
  const times = READERS.map((read) => computeMedian(() => timed(read, ORDINARY)));
  const worst = READERS.map((_, index) => Math.max(...ratios.map(([, figures]) => figures[index])));
  return [['ordinary records, ms', times], ...ratios, ['the worst of them', worst]].map(([what, figures]) => {
    return [what, ...CONTENDERS.map((_, index) => figures[index]?.toFixed(2) ?? 'as hand-written')];
  });
}

function computeMedian(measure) {
  return median(Array.from({ length: WARM_UP + ROUNDS }, measure).slice(WARM_UP));
}

function timed(read, bytes) {
  const begin = performance.now();
  read(bytes);
  return performance.now() - begin;
}
