/** Draws the tables of `README.md`, between their markers, and `chart.svg` from the results: `node bench/draw.js`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { drawChart } from './chart.js';
import { goalsTable } from './goals.js';
import { allResults, ltsResults } from './results.js';
import { summaryTable } from './summary.js';
import { formatMarkdown } from './tables.js';

const README = new URL('README.md', import.meta.url);
const SECTIONS = /(<!-- ([\w-]+): drawn by draw\.js -->\n)[^]*?(<!-- \2: end -->)/g;
// Of the other lines of Node, only these parts are shown.
const SHOWN_OF_OTHERS = ['in-process', 'start', 'memory'];

const results = allResults();
const lts = ltsResults(results);
const template = readFileSync(README, 'utf8');
let text = template;
for (const [section, begin, name, end] of template.matchAll(SECTIONS)) {
  const drawn = await sectionOf(name);
  text = text.replace(section, () => `${begin}${drawn}\n${end}`);
}
writeFileSync(README, text);
writeFileSync(new URL('chart.svg', import.meta.url), drawChart(lts));

async function sectionOf(name) {
  if (name === 'summary') return formatMarkdown(summaryTable(lts));
  if (name === 'goals') return formatMarkdown(goalsTable(results));
  if (name !== 'others') return partOf(name, lts, '###');
  const others = results.filter((result) => result !== lts).map(async (result) => {
    const tables = await Promise.all(SHOWN_OF_OTHERS.map((part) => partOf(part, result, '####')));
    return [`### Node ${result.node}`, ...tables].join('\n\n');
  });
  return (await Promise.all(others)).join('\n\n');
}

/** The table of a part for one line of Node, below its heading. */
async function partOf(name, { node, parts }, level) {
  const { title, makeTable } = await import(`./parts/${name}.js`);
  const { date, machine, data } = parts[name];
  const table = makeTable(data);
  const measured = `Node ${node}, ${date}, ${machine}.`;
  return [`${level} ${title}`, formatMarkdown({ ...table, notes: `${measured} ${table.notes}` })].join('\n\n');
}
