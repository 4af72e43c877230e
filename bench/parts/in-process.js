/**
 * What a request costs when the kernel has no part in it: every operation, of every contender, over connections in memory.
 *
 * Each contender has a process of its own. They are measured in short rounds, one contender after the other, so that what
 * else the machine does falls on each alike; in every round each is set beside the yardstick in that round.
 */
import { CONTENDERS, withContenders, YARDSTICK } from '../contenders/contender.js';
import { OPERATIONS } from '../contenders/operations.js';
import { median, ratiosOf } from '../report/statistics.js';

const ROUNDS = 41;
const ROUND_MS = 30;
// Every operation is warmed up before any is measured, as a server that serves all of them is.
const WARM_UP_MS = 400;
const WARM_UPS = 3;

export const title = 'In process: time of a request beside the one by hand';

export function run({ progress }) {
  return withContenders(async (contenders) => {
    const steps = progress(OPERATIONS.length * (WARM_UPS + ROUNDS));
    for (const { child } of contenders) await child.ask('connect');
    const requests = await warmUp(contenders, steps);
    const results = [];
    for (const index of OPERATIONS.keys()) results.push(await measure(contenders, index, requests[index], steps));
    return report(results);
  });
}

/** Gives, for each operation, how many requests each contender answers in a round. */
async function warmUp(contenders, steps) {
  const requests = OPERATIONS.map(() => contenders.map(() => 20));
  for (let warmUp = 0; warmUp < WARM_UPS; warmUp += 1) {
    // The last of them is as long as a round, and shows how many go into one.
    const most = warmUp === WARM_UPS - 1 ? ROUND_MS : WARM_UP_MS;
    for (const [operation, { name }] of OPERATIONS.entries()) {
      for (const [index, contender] of contenders.entries()) {
        steps.show(`warming up, ${name}, ${contender.name}`);
        const { ns } = await contender.child.ask('round', { operation, requests: requests[operation][index] });
        requests[operation][index] = Math.max(20, Math.round((most * 1e6) / ns / 20) * 20);
      }
      steps.step();
    }
  }
  return requests;
}

async function measure(contenders, operation, requests, steps) {
  const rounds = contenders.map(() => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let turn = 0; turn < contenders.length; turn += 1) {
      // Whoever is first in one round is last in the next.
      const index = (turn + round) % contenders.length;
      const { name, child } = contenders[index];
      steps.show(`${OPERATIONS[operation].name}, round ${round + 1} of ${ROUNDS}, ${name}`);
      rounds[index].push(await child.ask('round', { operation, requests: requests[index] }));
    }
    steps.step();
  }
  return figuresOf(OPERATIONS[operation].name, rounds);
}

function figuresOf(operation, rounds) {
  const contenders = rounds.map((figures, index) => {
    const column = (key) => figures.map((figure) => figure[key]);
    const beside = (key) => ratiosOf(column(key), rounds[YARDSTICK].map((figure) => figure[key]));
    return { name: CONTENDERS[index], ns: median(column('ns')), ratio: beside('ns'), cpuNs: median(column('cpuNs')), cpuRatio: beside('cpuNs') };
  });
  return { operation, contenders };
}

function report(results) {
  const rows = results.map(({ operation, contenders }) => [operation, ...contenders.map(cell)]);
  return {
    columns: ['Operation', ...CONTENDERS],
    rows,
    notes: [
      `Medians of ${ROUNDS} ratios, with their quartiles, and of the microseconds of a request. By hand is 1; less is faster.`,
      'Every contender has proved that it answers each of these requests as it should; restpoint and by hand with the same bytes.',
    ],
    data: { rounds: ROUNDS, roundMs: ROUND_MS, results },
  };
}

function cell({ ns, ratio }, index) {
  const time = `${microseconds(ns)} µs`;
  if (index === YARDSTICK) return `1 · ${time}`;
  const figure = index < YARDSTICK ? `**${ratio.median.toFixed(2)}**` : ratio.median.toFixed(2);
  return `${figure} (${ratio.lower.toFixed(2)}–${ratio.upper.toFixed(2)}) · ${time}`;
}

function microseconds(ns) {
  return ns < 100_000 ? (ns / 1000).toFixed(1) : (ns / 1000).toFixed(0);
}
