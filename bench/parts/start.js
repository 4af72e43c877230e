/**
 * The time from the start of a process to its first response, and the part of it that the import takes. Each contender is a process that
 * serves the pets and asks itself for one (`contenders/first-response.js`). They take turns.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { BASELINE, byName, takeTurns } from '../contenders/contenders.js';
import { median, spread } from '../statistics.js';

const PROGRAM = fileURLToPath(new URL('../contenders/first-response.js', import.meta.url));
const ROUNDS = 31;

export const title = 'Start';

export async function run() {
  const starts = await takeTurns({ warmUp: 3, rounds: ROUNDS }, startOnce);
  return byName((name) => ({
    responseMs: spread(starts[name].map(({ responseMs: responseMs }) => responseMs)),
    importMs: median(starts[name].map(({ importMs }) => importMs)),
    overBaselineMs: spread(starts[name].map(({ responseMs: responseMs }, round) => responseMs - starts[BASELINE][round].responseMs)),
  }));
}

async function startOnce({ name }) {
  // hrtime is one clock for all processes of a machine.
  const begin = process.hrtime.bigint();
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, name]);
  const { importMs, end, response } = JSON.parse(stdout);
  if (!response.includes('{"name":"Rex","legs":4,"lethal":false}')) throw new Error(`${name} responded ${response}`);
  return { responseMs: Number(BigInt(end) - begin) / 1e6, importMs };
}

export function makeTable(data) {
  const ms = (value) => `${value.toFixed(1)} ms`;
  return {
    notes: `Medians of ${ROUNDS} rounds. The difference is calculated for each round; its quartiles are in brackets.`,
    columns: ['', 'first response after', 'import', `difference from ${BASELINE}`],
    rows: Object.entries(data).map(([name, { responseMs, importMs, overBaselineMs: [lower, middle, upper] }]) => {
      const more = name === BASELINE ? '' : `${ms(middle)} (${lower.toFixed(1)} to ${upper.toFixed(1)})`;
      return [name, ms(responseMs[1]), ms(importMs), more];
    }),
  };
}
