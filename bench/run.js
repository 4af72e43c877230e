/**
 * Measures restpoint beside a hand-written `node:http` handler and other frameworks:
 *
 *   npm run bench                          all parts, in a quarter of an hour
 *   npm run bench -- in-process router     some of them
 *
 * Each part is a module of `parts/` with a `title`, `run()`, which resolves to its figures, and `makeTable(figures)`. The
 * figures go to `results/`. `draw.js` draws the tables of `README.md` and the chart from there.
 */
import { keep, MACHINE } from './results.js';
import { formatMarkdown } from './tables.js';

const PARTS = ['in-process', 'heads', 'tcp', 'router', 'start', 'memory', 'growth', 'size'];

const asked = process.argv.slice(2);
console.log(`Node ${process.version}, ${MACHINE}.`);
for (const name of asked.length > 0 ? asked : PARTS) {
  const { title, run, makeTable } = await import(`./parts/${name}.js`);
  const data = await run();
  keep(name, data);
  console.log(`\n${title}, ${Math.round(performance.now() / 1000)} s after the start\n\n${formatMarkdown(makeTable(data))}`);
}
await import('./draw.js');
