/**
 * What a server does under load over TCP: how much it answers, how late, and how much of the processor that takes.
 *
 * autocannon asks each contender in turn, in short rounds; it takes more of the processor than the servers do, so what it
 * reaches is bounded by itself, and the CPU time of the server process says more than the requests per second do.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Child } from '../contenders/child.js';
import { CONTENDERS, withContenders, YARDSTICK } from '../contenders/contender.js';
import { OPERATIONS } from '../contenders/operations.js';
import { median, ratiosOf } from '../report/statistics.js';

const ROUNDS = 5;
// Connections are opened, and code gets warm, before the counting begins.
const BEFORE_MS = 150;
const COUNTED_MS = 500;

const GET = OPERATIONS.findIndex(({ name }) => name === 'Get');
const CREATE = OPERATIONS.findIndex(({ name }) => name === 'Create, 40 B');
const LOADS = [
  { operation: GET, connections: 64, pipelining: 1 },
  { operation: CREATE, connections: 64, pipelining: 1 },
  { operation: GET, connections: 64, pipelining: 10 },
  { operation: GET, connections: 1000, pipelining: 1 },
  { operation: GET, connections: 1000, pipelining: 10 },
];

const FIGURES = [
  { key: 'perSecond', what: 'requests per second', format: (value) => Math.round(value).toLocaleString('en') },
  { key: 'cpu', what: 'CPU of a request, µs', format: (value) => value.toFixed(1) },
  { key: 'p50', what: 'p50, ms', format: (value) => value.toFixed(2) },
  { key: 'p99', what: 'p99, ms', format: (value) => value.toFixed(2) },
  { key: 'p999', what: 'p99.9, ms', format: (value) => value.toFixed(2) },
];

export const title = 'Over TCP: load from autocannon';

export function run({ progress }) {
  return withContenders(async (contenders) => {
    const cold = new Set(LOADS.map(({ operation }) => operation));
    const steps = progress((LOADS.length * ROUNDS + cold.size) * contenders.length);
    const load = new Child(new URL('../tcp/load.js', import.meta.url), 'load');
    try {
      const results = [];
      for (const setting of LOADS) {
        const first = cold.delete(setting.operation) ? 0 : 1;
        results.push({ name: nameOf(setting), ...setting, figures: await measure(load, contenders, setting, first, steps) });
      }
      return report(results);
    } finally {
      await load.end();
    }
  });
}

/** Gives the figures of each contender. A round 0, in which all are still cold, is not among them. */
async function measure(load, contenders, setting, first, steps) {
  const rounds = contenders.map(() => []);
  for (let round = first; round <= ROUNDS; round += 1) {
    for (let turn = 0; turn < contenders.length; turn += 1) {
      const index = (turn + round) % contenders.length;
      steps.show(`${nameOf(setting)}, round ${round} of ${ROUNDS}, ${contenders[index].name}`);
      const figures = await measureOnce(load, contenders[index], setting);
      if (round > 0) rounds[index].push(figures);
      steps.step();
    }
  }
  return rounds.map((figures, index) => ({ name: CONTENDERS[index], ...columnsOf(figures, rounds[YARDSTICK]) }));
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

function columnsOf(rounds, yardstick) {
  return Object.fromEntries(FIGURES.map(({ key }) => {
    const values = rounds.map((figures) => figures[key]);
    return [key, { median: median(values), ratio: ratiosOf(values, yardstick.map((figures) => figures[key])) }];
  }));
}

function report(results) {
  const rows = results.flatMap(({ figures, ...setting }) => FIGURES.map(({ key, what, format }) => [
    nameOf(setting), what, ...figures.map((figure, index) => cell(figure[key], index, format)),
  ]));
  return {
    columns: ['Load', 'Figure', ...CONTENDERS],
    rows,
    notes: [`Medians of ${ROUNDS} rounds of ${COUNTED_MS} ms each; in brackets the median of the ratios to by hand in the same round.`],
    data: { rounds: ROUNDS, countedMs: COUNTED_MS, results },
  };
}

function nameOf({ operation, connections, pipelining }) {
  return `${OPERATIONS[operation].name}, ${connections.toLocaleString('en')} connections${pipelining === 1 ? '' : `, ${pipelining} pipelined`}`;
}

function cell(figure, index, format) {
  return index === YARDSTICK ? format(figure.median) : `${format(figure.median)} (${figure.ratio.median.toFixed(2)})`;
}
