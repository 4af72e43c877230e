/**
 * Load over TCP: how much a server sends, how late, and how much CPU that takes.
 *
 * autocannon takes more CPU than the servers do and limits the requests per second, so the CPU of the server's process
 * says more than they do.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { startChild } from '../contenders/child.js';
import { BASELINE, byName, takeTurns, withProven } from '../contenders/contenders.js';
import { median, computeRatios } from '../statistics.js';
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
    const data = {};
    for (const [name, setting] of Object.entries(LOADS)) {
      console.error(`tcp: ${name}`);
      // In the first round all are still cold.
      const turns = { contenders, warmUp: 1, rounds: ROUNDS };
      const rounds = await takeTurns(turns, (contender) => measure(load, contender, setting));
      data[name] = byName((contender) => figuresOf(rounds[contender], rounds[BASELINE]));
    }
    await load.end();
    return data;
  });
}

async function measure(load, { child, port }, [name, connections, pipelining]) {
  await load.ask('start', { port, name, connections, pipelining });
  await sleep(BEFORE_MS);
  const count = () => Promise.all([load.ask('count'), child.ask('cpu')]);
  await count();
  await sleep(COUNTED_MS);
  const [figures, microseconds] = await count();
  await load.ask('stop');
  return { ...figures, cpu: microseconds / figures.requests };
}

function figuresOf(rounds, baseline) {
  return Object.fromEntries(Object.keys(FIGURES).map((key) => {
    const values = rounds.map((each) => each[key]);
    return [key, { median: median(values), ratio: computeRatios(values, baseline.map((each) => each[key])) }];
  }));
}

export function makeTable(data) {
  const names = Object.keys(Object.values(data)[0]);
  return {
    notes: `Medians of ${ROUNDS} rounds of ${COUNTED_MS} ms, `
      + `then the ratio to ${BASELINE} in the same round, with its quartiles.`,
    columns: ['Load', 'Figure', ...names],
    rows: Object.entries(data).flatMap(([load, figures]) => Object.entries(FIGURES).map(([key, [what, digits]]) => {
      return [load, what, ...names.map((name) => cell(name, figures[name][key], digits))];
    })),
  };
}

function cell(name, { median: middle, ratio }, digits) {
  const figure = middle.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return name === BASELINE ? figure : `${figure} · ${showRatio(ratio)}`;
}
