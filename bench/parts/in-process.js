/**
 * The time of a request without the kernel: every operation of every contender, over connections in memory.
 *
 * Each contender has a process of its own. They take turns in short rounds, so that other work on the machine falls on all
 * of them alike, and each is compared with the hand-written handler in the same round.
 */
import { BASELINE, byName, takeTurns, withProven } from '../contenders/contenders.js';
import { ALL_OPERATIONS, OPERATIONS } from '../contenders/operations.js';
import { median, computeRatios } from '../statistics.js';
import { showRatio } from '../tables.js';

// What V8 compiles, and when, is partly luck and lasts for the life of a process, so there are several lives.
const LIVES = 3;
const ROUNDS = 11;
const ROUND_MS = 30;
const WARM_UP_MS = 250;

export const title = 'In process: the time of a request';
export const NOTES = `Medians of ${LIVES * ROUNDS} rounds in ${LIVES} processes of each contender. `
  + `First the ratio to ${BASELINE}, with its quartiles; lower is faster. Then the time.`;

export const run = () => measure(OPERATIONS);

/** Measures some of the operations. */
export async function measure(measured) {
  const operations = measured.map((each) => ALL_OPERATIONS.indexOf(each));
  const times = measured.map(() => byName(() => []));
  for (let life = 1; life <= LIVES; life += 1) {
    console.error(`in-process: life ${life} of ${LIVES}`);
    await withProven(async (contenders) => {
      await warmUp(contenders, operations);
      for (const [at, operation] of operations.entries()) {
        const rounds = await takeTurns({ contenders, rounds: ROUNDS }, (contender) => round(contender, operation, ROUND_MS));
        for (const [name, all] of Object.entries(times[at])) all.push(...rounds[name]);
      }
    });
  }
  const figuresOf = (of) => byName((name) => ({ us: median(of[name]) / 1000, ratio: computeRatios(of[name], of[BASELINE]) }));
  return Object.fromEntries(measured.map(({ name }, at) => [name, figuresOf(times[at])]));
}

/** All operations are warmed up before any is measured, as in a server that serves all of them. */
async function warmUp(contenders, operations) {
  for (const contender of contenders) {
    await contender.child.ask('connect', contender.responses.map(({ bytes }) => bytes));
    contender.ns = [];
  }
  for (const operation of [...operations, ...operations, ...operations]) {
    for (const contender of contenders) contender.ns[operation] = await round(contender, operation, WARM_UP_MS);
  }
}

/** Sends as many requests as fit into the time, estimated from the time of one at the last warm-up. */
function round({ child, ns }, operation, milliseconds) {
  return child.ask('round', { operation, requests: Math.round((milliseconds * 1e6) / (ns[operation] ?? Infinity)) });
}

export function makeTable(data) {
  const names = Object.keys(data[OPERATIONS[0].name]);
  return {
    notes: NOTES,
    columns: ['Operation', ...names],
    rows: Object.entries(data).map(([operation, figures]) => [operation, ...names.map((name) => cell(name, figures[name]))]),
  };
}

export function cell(name, { us, ratio }) {
  const time = `${us.toFixed(us < 100 ? 1 : 0)} µs`;
  return name === BASELINE ? time : `${showRatio(ratio)} · ${time}`;
}
