/**
 * Whether 1 MiB of JSON can be made so hard to read that it costs many times what ordinary records cost. Each contender's own
 * reader gets the bytes; its time is divided by that of ordinary records in the same round.
 */
import fastify from 'fastify';
import { CONTENDERS } from '../../contenders/contender.js';
import { readJsonAsServer } from '../../library.js';
import { median } from '../../statistics.js';
import { HOSTILE, ORDINARY } from '../json-inputs.js';

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
