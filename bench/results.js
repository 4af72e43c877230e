/** The results: one small file for each line of Node, `results/<version>.json`, with the figures of each part. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';

const FOLDER = new URL('results/', import.meta.url);
const majorOf = (version) => Number(/\d+/.exec(version)[0]);

/** Returns the results of each line of Node, the oldest first. */
export function allResults() {
  mkdirSync(FOLDER, { recursive: true });
  const results = readdirSync(FOLDER).map((name) => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')));
  return results.sort((one, other) => majorOf(one.node) - majorOf(other.node));
}

/** Replaces the figures of a part for this line of Node. */
export function keep(part, data) {
  const node = process.versions.node;
  const before = allResults().find((result) => majorOf(result.node) === majorOf(node));
  const now = { date: new Date().toISOString().slice(0, 10), machine: `${cpus().length} cores of ${cpus()[0]?.model}` };
  if (before !== undefined) rmSync(new URL(`${before.node}.json`, FOLDER));
  writeFileSync(new URL(`${node}.json`, FOLDER), textOf({ node, parts: { ...before?.parts, [part]: { ...now, data } } }));
}

/** JSON with a line for each row of a table, and no more digits than the machine is good for. */
function textOf({ node, parts }) {
  const round = (_key, value) => (typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value);
  const rowsOf = (data) => Object.entries(data).map(([key, row]) => `  ${Array.isArray(data) ? '' : `${JSON.stringify(key)}: `}${JSON.stringify(row, round)}`).join(',\n');
  const texts = Object.entries(parts).map(([name, { data, ...about }]) => {
    const [open, close] = Array.isArray(data) ? ['[', ']'] : ['{', '}'];
    return ` ${JSON.stringify(name)}: {${JSON.stringify(about).slice(1, -1)}, "data": ${open}\n${rowsOf(data)}\n ${close}}`;
  });
  return `{"node": ${JSON.stringify(node)}, "parts": {\n${texts.join(',\n')}\n}}\n`;
}
