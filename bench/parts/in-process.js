/**
 * What a request costs when the kernel has no part in it: every operation, of every contender, over connections in memory.
 *
 * Each contender has a process of its own. They are measured in short rounds, one contender after the other, so that what
 * else the machine does falls on each alike; in every round each is set beside the one by hand in that round.
 */
import { CONTENDERS, withContenders, YARDSTICK } from '../contenders/contender.js';
import { OPERATIONS } from '../contenders/operations.js';
import { median, ratiosOf } from '../report/statistics.js';

// What a process compiles, and when, is partly luck, and stays as it is for its life: so there are several lives.
const LIVES = 3;
const ROUNDS = 11;
const ROUND_MS = 30;
// Every operation is warmed up before any is measured, as a server that serves all of them is.
const WARM_UP_MS = 250;
const WARM_UPS = 3;

export const title = 'In process: time of a request beside the one by hand';

export async function run({ progress }) {
  const steps = progress(LIVES * OPERATIONS.length * (WARM_UPS + ROUNDS));
  const rounds = OPERATIONS.map(() => CONTENDERS.map(() => []));
  for (let life = 0; life < LIVES; life += 1) {
    await withContenders(async (contenders) => {
      await Promise.all(contenders.map(({ child }) => child.ask('connect')));
      const requests = await warmUp(contenders, steps);
      for (const index of OPERATIONS.keys()) await measure(contenders, index, requests[index], rounds[index], steps);
    });
  }
  return report(rounds.map((figures, index) => figuresOf(OPERATIONS[index].name, figures)));
}

/** Gives, for each operation, how many requests each contender answers in a round. */
async function warmUp(contenders, steps) {
  const requests = OPERATIONS.map(() => contenders.map(() => 20));
  for (let warmUp = 0; warmUp < WARM_UPS; warmUp += 1) {
    // The last of them shows how many go into a round.
    const nextMs = warmUp === 0 ? WARM_UP_MS : ROUND_MS;
    for (const [operation, { name }] of OPERATIONS.entries()) {
      for (const [index, contender] of contenders.entries()) {
        steps.show(`warming up, ${name}, ${contender.name}`);
        const { ns } = await contender.child.ask('round', { operation, requests: requests[operation][index] });
        requests[operation][index] = Math.max(20, Math.round((nextMs * 1e6) / ns / 20) * 20);
      }
      steps.step();
    }
  }
  return requests;
}

/** Adds the rounds of an operation to those of the lives before. */
async function measure(contenders, operation, requests, rounds, steps) {
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (let turn = 0; turn < contenders.length; turn += 1) {
      // Whoever is first in one round is last in the next.
      const index = (turn + round) % contenders.length;
      const { name, child } = contenders[index];
      steps.show(`${OPERATIONS[operation].name}, round ${round} of ${ROUNDS}, ${name}`);
      rounds[index].push(await child.ask('round', { operation, requests: requests[index] }));
    }
    steps.step();
  }
}

function figuresOf(operation, rounds) {
  const column = (index, key) => rounds[index].map((figures) => figures[key]);
  const contenders = CONTENDERS.map((name, index) => {
    const ns = column(index, 'ns');
    const byHand = column(YARDSTICK, 'ns');
    const ofLife = (values, life) => values.slice(life * ROUNDS, (life + 1) * ROUNDS);
    return {
      name,
      ns: median(ns),
      ratio: ratiosOf(ns, byHand),
      ratioOfLives: Array.from({ length: LIVES }, (_, life) => ratiosOf(ofLife(ns, life), ofLife(byHand, life)).median),
      cpuNs: median(column(index, 'cpuNs')),
      cpuRatio: ratiosOf(column(index, 'cpuNs'), column(YARDSTICK, 'cpuNs')),
    };
  });
  return { operation, contenders };
}

function report(results) {
  const rows = results.map(({ operation, contenders }) => [operation, ...contenders.map(cell)]);
  return {
    columns: ['Operation', ...CONTENDERS],
    rows,
    notes: [
      `Medians of ${LIVES * ROUNDS} ratios in ${LIVES} lives of each process, with their quartiles, and of the microseconds of a request. By hand is 1; less is faster.`,
      'Every contender has proved that it answers each of these requests as it should; restpoint and by hand with the same bytes.',
    ],
    data: { lives: LIVES, rounds: ROUNDS, roundMs: ROUND_MS, results },
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
