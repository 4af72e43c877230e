/** Draws the tables of `README.md`, between their markers, and `chart.svg` from the results: `node bench/draw.js`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { chartOf } from './chart.js';
import { goalsTable } from './goals.js';
import { allResults } from './results.js';
import { markdownOf } from './tables.js';

const README = new URL('README.md', import.meta.url);
const SECTIONS = /(<!-- ([\w-]+): drawn by draw\.js -->\n)[^]*?(<!-- \2: end -->)/g;

const results = allResults();
const template = readFileSync(README, 'utf8');
let text = template;
for (const [section, begin, name, end] of template.matchAll(SECTIONS)) {
  const drawn = name === 'goals' ? markdownOf(goalsTable(results)) : tablesOf(name, await import(`./parts/${name}.js`));
  text = text.replace(section, () => `${begin}${drawn}\n${end}`);
}
writeFileSync(README, text);
writeFileSync(new URL('chart.svg', import.meta.url), chartOf(results.findLast(({ parts }) => parts['in-process'])));

/** A part's tables, one for each line of Node. */
function tablesOf(name, { title, tableOf }) {
  const tables = results.filter(({ parts }) => parts[name]).map(({ node, parts: { [name]: { date, machine, data } } }) => {
    return { ...tableOf(data), measured: `Node ${node}, ${date}, ${machine}:` };
  });
  const texts = tables.map(({ measured, ...table }) => markdownOf({ ...table, notes: measured }));
  return [`### ${title}`, tables[0].notes, ...texts].join('\n\n');
}
