/**
 * Measures restpoint beside a handler by hand and beside its peers:
 *
 *   npm run bench                          all parts, in less than 15 minutes
 *   npm run bench -- in-process router     some of them
 *
 * Each part is a module of `parts/` that exports a `title` and `run({ progress })`, which resolves to
 * `{ columns, rows, notes, data }`: a table for readers, remarks to it, and the figures for programs. The results go to
 * `results/`, and the tables of `README.md` and the chart are drawn from the newest results of each line of Node.
 */
import { cpus } from 'node:os';
import { readdirSync } from 'node:fs';
import { drawChart } from './report/chart.js';
import { progressOf } from './report/progress.js';
import { drawReadme, tableOf } from './report/readme.js';
import { keep } from './report/results.js';

// The order of the table in the README; what a folder holds besides comes after it.
const ORDER = ['in-process', 'tcp', 'router', 'start', 'memory', 'size'];

const there = readdirSync(new URL('parts/', import.meta.url)).map((file) => file.replace(/\.js$/, ''));
const parts = [...ORDER.filter((name) => there.includes(name)), ...there.filter((name) => !ORDER.includes(name))];
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !parts.includes(name));
if (unknown.length > 0) throw new Error(`no such part: ${unknown.join(', ')}; there are ${parts.join(', ')}`);

const begin = performance.now();
console.log(`Node ${process.version}, ${process.arch}, ${cpus().length} cores, ${cpus()[0]?.model}.`);
for (const name of asked.length > 0 ? asked : parts) {
  const { title, run } = await import(`./parts/${name}.js`);
  const partBegin = performance.now();
  const result = { title, ...(await run({ progress: progressOf(name) })) };
  keep(name, result);
  drawReadme([name]);
  console.log(`\n${title}\n\n${tableOf(result)}\n\n${result.notes.join('\n')}\n(${seconds(partBegin)} s)`);
}
drawChart();
console.log(`\nAll of it took ${seconds(begin)} s.`);

function seconds(since) {
  return Math.round((performance.now() - since) / 1000);
}
