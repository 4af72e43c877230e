/**
 * Load over TCP: how much a server answers, how late, and how much CPU that takes.
 *
 * autocannon takes more CPU than the servers do and limits the requests per second, so the CPU of the server's process
 * says more than they do.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { startChild } from '../contenders/child.js';
import { BASELINE, byName, CONTENDERS, takeTurns, withProven } from '../contenders/contenders.js';
import { OPERATIONS } from '../contenders/operations.js';
import { median, ratiosOf } from '../statistics.js';
import { showRatio } from '../tables.js';

const ROUNDS = 5;
// Connections are opened, and code gets warm, before the counting begins.
const BEFORE_MS = 150;
const COUNTED_MS = 500;

// Operation, connections, requests that a connection sends at once.
const LOADS = {
  'Get, 64 connections': ['Get', 64, 1],
  'Create, 40 B, 64 connections': ['Create, 40 B', 64, 1],
  'Get, 64 connections, 10 pipelined': ['Get', 64, 10],
  'Get, 1,000 connections': ['Get', 1000, 1],
  'Get, 1,000 connections, 10 pipelined': ['Get', 1000, 10],
};

// What each figure is, and its decimals.
const FIGURES = { cpu: ['CPU of a request, µs', 1], p99: ['p99 latency, ms', 2], perSecond: ['requests per second', 0] };

export const title = 'Over TCP: load from autocannon';

export function run() {
  return withProven(async (contenders) => {
    const load = startChild(new URL('../load.js', import.meta.url));
    try {
      const data = {};
      for (const [name, [of, connections, pipelining]] of Object.entries(LOADS)) {
        console.error(`tcp: ${name}`);
        const setting = { operation: OPERATIONS.findIndex((each) => each.name === of), connections, pipelining };
        const measure = (contender) => measureOnce(load, contender, setting);
        // In the first round all are still cold.
        data[name] = figuresOf(await takeTurns({ contenders, warmUp: 1, rounds: ROUNDS }, measure));
      }
      return data;
    } finally {
      await load.end();
    }
  });
}

async function measureOnce(load, { child, port }, setting) {
  await load.ask('start', { port, ...setting });
  await sleep(BEFORE_MS);
  const count = () => Promise.all([load.ask('count'), child.ask('cpu')]);
  await count();
  await sleep(COUNTED_MS);
  const [figures, microseconds] = await count();
  await load.ask('stop');
  return { ...figures, cpu: microseconds / figures.requests };
}

function figuresOf(rounds) {
  const column = (name, key) => rounds[name].map((each) => each[key]);
  return byName((name) => Object.fromEntries(Object.keys(FIGURES).map((key) => {
    return [key, { median: median(column(name, key)), ratio: ratiosOf(column(name, key), column(BASELINE, key)) }];
  })));
}

export function tableOf(data) {
  return {
    notes: `Medians of ${ROUNDS} rounds of ${COUNTED_MS} ms. Then the ratio to ${BASELINE} in the same round, with its quartiles.`,
    columns: ['Load', 'Figure', ...CONTENDERS],
    rows: Object.entries(data).flatMap(([load, figures]) => Object.entries(FIGURES).map(([key, [what, digits]]) => {
      return [load, what, ...CONTENDERS.map((name) => cell(name, figures[name][key], digits))];
    })),
  };
}

function cell(name, { median: middle, ratio }, digits) {
  const figure = middle.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return name === BASELINE ? figure : `${figure} · ${showRatio(ratio)}`;
}
