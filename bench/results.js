/** The results: one small file for each line of Node, `results/<version>.json`, with the figures of each part. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { BEFORE } from './contenders/contenders.js';

export const MACHINE = `${cpus().length} cores of ${cpus()[0]?.model}`;

/** The newest line of Node that is measured and has long-term support. The README shows its figures in full. */
const LTS = 24;

const FOLDER = new URL('results/', import.meta.url);
const readMajor = ({ node }) => Number.parseInt(node, 10);

/** Returns the results of each line of Node, the oldest first. */
export function allResults() {
  const results = readdirSync(FOLDER).map((name) => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')));
  return results.sort((one, other) => readMajor(one) - readMajor(other));
}

/** Returns the results of the newest line with long-term support. */
export function ltsResults(results) {
  return results.find((result) => readMajor(result) === LTS);
}

/** Replaces the figures of a part for this line of Node. Those of the commit before are left out. */
export function keep(part, data) {
  const { node } = process.versions;
  const before = allResults().find((result) => readMajor(result) === readMajor({ node }));
  if (before !== undefined) rmSync(new URL(`${before.node}.json`, FOLDER));
  const figures = { date: new Date().toISOString().slice(0, 10), machine: MACHINE, data };
  writeFileSync(new URL(`${node}.json`, FOLDER), textOf({ node, parts: { ...before?.parts, [part]: figures } }));
}

/** JSON with a line for each row of a table, and no more digits than the machine is good for. */
function textOf(result) {
  const shorten = (key, value) => {
    if (key === BEFORE) return undefined;
    return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
  };
  return `${JSON.stringify(result, shorten, 1).replace(/\n {5,}|\n {4}(?=[\]}])/g, '')}\n`;
}
