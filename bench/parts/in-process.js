/**
 * The time of a request without the kernel: every operation of every contender, over connections in memory.
 *
 * Each contender has a process of its own. They take turns in short rounds, so that other work on the machine falls on all
 * of them alike, and each is compared with the hand-written handler in the same round.
 */
import { BASELINE, CONTENDERS, inTurn, withContenders } from '../contenders/contender.js';
import { OPERATIONS } from '../contenders/operations.js';
import { median, ratiosOf, showRatio } from '../statistics.js';

// What V8 compiles, and when, is partly luck and lasts for the life of a process, so there are several lives.
const LIVES = 3;
const ROUNDS = 11;
const ROUND_MS = 30;
// All operations are warmed up before any is measured, as in a server that serves all of them.
const WARM_UPS = [250, 250, 250];

export const title = 'In process: the time of a request';

export async function run({ progress }) {
  const times = OPERATIONS.map(() => Object.fromEntries(CONTENDERS.map((name) => [name, []])));
  for (let life = 1; life <= LIVES; life += 1) {
    await withContenders(async (contenders) => {
      for (const { child, answers } of contenders) await child.ask('connect', answers.map(({ bytes }) => bytes));
      progress(`life ${life} of ${LIVES}: warming up`);
      await warmUp(contenders);
      for (const [operation, { name }] of OPERATIONS.entries()) {
        progress(`life ${life} of ${LIVES}: ${name}`);
        await inTurn(contenders, ROUNDS, async (contender) => {
          times[operation][contender.name].push(await round(contender, operation, ROUND_MS));
        });
      }
    });
  }
  return Object.fromEntries(OPERATIONS.map(({ name }, operation) => [name, figuresOf(times[operation])]));
}

async function warmUp(contenders) {
  for (const contender of contenders) contender.ns = OPERATIONS.map(() => undefined);
  for (const milliseconds of WARM_UPS) {
    for (const operation of OPERATIONS.keys()) {
      for (const contender of contenders) contender.ns[operation] = await round(contender, operation, milliseconds);
    }
  }
}

/** Sends as many requests as fit into the time, by what one took at the last warm-up. */
function round({ child, ns }, operation, milliseconds) {
  const requests = ns[operation] === undefined ? 20 : Math.max(20, Math.round((milliseconds * 1e6) / ns[operation] / 20) * 20);
  return child.ask('round', { operation, requests });
}

function figuresOf(times) {
  return Object.fromEntries(CONTENDERS.map((name) => [name, { us: median(times[name]) / 1000, ratio: ratiosOf(times[name], times[BASELINE]) }]));
}

export function tableOf(data) {
  return {
    notes: `Medians of ${LIVES * ROUNDS} rounds in ${LIVES} lives of each process. First the ratio to ${BASELINE}, with its quartiles; less is faster. Then the time.`,
    columns: ['Operation', ...CONTENDERS],
    rows: Object.entries(data).map(([operation, figures]) => [operation, ...CONTENDERS.map((name) => cell(name, figures[name]))]),
  };
}

function cell(name, { us, ratio }) {
  const time = `${us.toFixed(us < 100 ? 1 : 0)} µs`;
  return name === BASELINE ? time : `${showRatio(ratio)} · ${time}`;
}
