/**
 * Measures restpoint beside a hand-written `node:http` handler and other frameworks:
 *
 *   npm run bench                          all parts, in less than ten minutes
 *   npm run bench -- in-process router     some of them
 *
 * Each part is a module of `parts/` with a `title`, `run({ progress })`, which resolves to its figures, and
 * `tableOf(figures)`. The figures go to `results/`; the tables of `README.md` and `chart.svg` are drawn from there.
 */
import { cpus } from 'node:os';
import { drawChart } from './chart.js';
import { draw, markdownOf } from './readme.js';
import { keep } from './results.js';

const PARTS = ['in-process', 'tcp', 'router', 'start', 'memory', 'size'];

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !PARTS.includes(name));
if (unknown.length > 0) throw new Error(`no such part: ${unknown.join(', ')}; there are ${PARTS.join(', ')}`);

console.log(`Node ${process.version}, ${cpus().length} cores of ${cpus()[0]?.model}.`);
for (const name of asked.length > 0 ? asked : PARTS) {
  const part = await import(`./parts/${name}.js`);
  const data = await part.run({ progress: (text) => console.error(`${name}, ${clock()}: ${text}`) });
  keep(name, data);
  draw(name, part);
  console.log(`\n${part.title}\n\n${markdownOf(part.tableOf(data))}`);
}
drawChart();
console.log(`\nAll of it took ${clock()}.`);

function clock() {
  const seconds = Math.round(performance.now() / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
