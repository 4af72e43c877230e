/**
 * Load over TCP: how much a server answers, how late, and how much CPU that takes.
 *
 * autocannon takes more CPU than the servers do and limits the requests per second, so the CPU of the server's process
 * says more than they do.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Child } from '../contenders/child.js';
import { BASELINE, CONTENDERS, inTurn, withContenders } from '../contenders/contender.js';
import { OPERATIONS } from '../contenders/operations.js';
import { median, ratiosOf, showRatio } from '../statistics.js';

const ROUNDS = 5;
// Connections are opened, and code gets warm, before the counting begins.
const BEFORE_MS = 150;
const COUNTED_MS = 500;

const GET = OPERATIONS.findIndex(({ name }) => name === 'Get');
const CREATE = OPERATIONS.findIndex(({ name }) => name === 'Create, 40 B');
const LOADS = {
  'Get, 64 connections': { operation: GET, connections: 64, pipelining: 1 },
  'Create, 40 B, 64 connections': { operation: CREATE, connections: 64, pipelining: 1 },
  'Get, 64 connections, 10 pipelined': { operation: GET, connections: 64, pipelining: 10 },
  'Get, 1,000 connections': { operation: GET, connections: 1000, pipelining: 1 },
  'Get, 1,000 connections, 10 pipelined': { operation: GET, connections: 1000, pipelining: 10 },
};

const FIGURES = { cpu: ['CPU of a request, µs', 1], p99: ['p99 latency, ms', 2], perSecond: ['requests per second', 0] };

export const title = 'Over TCP: load from autocannon';

export function run({ progress }) {
  return withContenders(async (contenders) => {
    const load = new Child(new URL('../load.js', import.meta.url));
    try {
      const data = {};
      for (const [name, setting] of Object.entries(LOADS)) {
        progress(name);
        data[name] = await measure(load, contenders, setting);
      }
      return data;
    } finally {
      await load.end();
    }
  });
}

async function measure(load, contenders, setting) {
  const rounds = Object.fromEntries(CONTENDERS.map((name) => [name, []]));
  await inTurn(contenders, 1 + ROUNDS, async (contender, round) => {
    const figures = await measureOnce(load, contender, setting);
    // In the first round all are still cold.
    if (round > 0) rounds[contender.name].push(figures);
  });
  return Object.fromEntries(CONTENDERS.map((name) => [name, figuresOf(rounds[name], rounds[BASELINE])]));
}

async function measureOnce(load, { child, port }, setting) {
  await load.ask('start', { port, ...setting });
  await sleep(BEFORE_MS);
  await Promise.all([load.ask('beginCount'), child.ask('beginCount')]);
  await sleep(COUNTED_MS);
  const [figures, microseconds] = await Promise.all([load.ask('endCount'), child.ask('endCount')]);
  await load.ask('stop');
  return { ...figures, cpu: microseconds / figures.requests };
}

function figuresOf(rounds, baseline) {
  const column = (figures, key) => figures.map((each) => each[key]);
  return Object.fromEntries(Object.keys(FIGURES).map((key) => [key, { median: median(column(rounds, key)), ratio: ratiosOf(column(rounds, key), column(baseline, key)) }]));
}

export function tableOf(data) {
  const rows = Object.entries(data).flatMap(([load, figures]) => Object.entries(FIGURES).map(([key, [what, digits]]) => {
    return [load, what, ...CONTENDERS.map((name) => cell(name, figures[name][key], digits))];
  }));
  return {
    notes: `Medians of ${ROUNDS} rounds of ${COUNTED_MS} ms. Then the ratio to ${BASELINE} in the same round, with its quartiles.`,
    columns: ['Load', 'Figure', ...CONTENDERS],
    rows,
  };
}

function cell(name, { median, ratio }, digits) {
  const figure = median.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return name === BASELINE ? figure : `${figure} · ${showRatio(ratio)}`;
}
