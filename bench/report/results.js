/** The results as they are kept: a file for each day and version of Node, with the parts that were run then. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';

const FOLDER = new URL('../results/', import.meta.url);
const { version } = process;

/** Puts a part into today's file, and leaves the others that are there. */
export function keep(name, result) {
  const date = new Date().toISOString().slice(0, 10);
  const file = new URL(`${date}-${version.slice(1)}.json`, FOLDER);
  const kept = read(file);
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, memoryGiB: Math.round(totalmem() / 2 ** 30), platform: `${process.platform} ${process.arch}` };
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(file, `${JSON.stringify({ node: version, date, machine, parts: { ...kept?.parts, [name]: result } }, rounded, 1)}\n`);
}

/** Gives the newest result of a part for each line of Node: `{ node, date, machine, result }`, the oldest line first. */
export function newest(name) {
  const lines = new Map();
  for (const file of readdirSync(FOLDER).filter((file) => file.endsWith('.json')).sort()) {
    const { node, date, machine, parts } = read(new URL(file, FOLDER));
    if (parts[name] !== undefined) lines.set(Number(/\d+/.exec(node)[0]), { node, date, machine, result: parts[name] });
  }
  return [...lines].sort(([a], [b]) => a - b).map(([, line]) => line);
}

function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

// More digits than the machine is good for would only make the files longer.
function rounded(_key, value) {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value;
}
