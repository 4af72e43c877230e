/**
 * Whether a text of a mebibyte can be made so hard to read that it costs many times what an ordinary one costs. Each
 * contender's own reader of JSON gets the bytes; the times are divided by those of ordinary records, read by the same
 * reader in the same round.
 */
import fastify from 'fastify';
import { parseJson } from '../../../build/modules/server/json.js';
import { Refused } from '../../../build/modules/server/refused.js';
import { HOSTILE, ORDINARY } from '../json-inputs.js';

const WARM_UP = 2;
const ROUNDS = 7;

const parseSecurely = fastify().getDefaultJsonParser('error', 'error');
const READERS = [
  parseJson,
  (bytes) => JSON.parse(bytes.toString()),
  (bytes) => {
    let read;
    parseSecurely(undefined, bytes.toString(), (error, value) => (read = error ?? value));
    return read;
  },
];

export const title = 'Time to read 1 MiB, beside 1 MiB of ordinary records';

export async function measure() {
  for (const [what, text, isRead] of HOSTILE) {
    if (parseJson(Buffer.from(text)) instanceof Refused === isRead) throw new Error(`${what}: is not what it should be`);
  }
  const ordinary = Buffer.from(ORDINARY);
  const rows = HOSTILE.map(([what, text]) => [what, ratios(Buffer.from(text), ordinary)]);
  const worst = READERS.map((_, index) => Math.max(...rows.map(([, figures]) => figures[index])));
  const times = READERS.map((read) => median(Array.from({ length: ROUNDS }, () => timed(read, ordinary))));
  return [
    ['ordinary records, ms', times.map((time) => time.toFixed(1))],
    ...rows.map(([what, figures]) => [what, figures.map((figure) => figure.toFixed(2))]),
    ['the worst of them', worst.map((figure) => figure.toFixed(2))],
  ];
}

function ratios(bytes, ordinary) {
  const rounds = READERS.map(() => []);
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    READERS.forEach((read, index) => rounds[index].push(timed(read, bytes) / timed(read, ordinary)));
  }
  return rounds.map((each) => median(each.slice(WARM_UP)));
}

function timed(read, bytes) {
  const begin = performance.now();
  read(bytes);
  return performance.now() - begin;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}
