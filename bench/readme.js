/** Redraws the tables of `README.md` between their markers, from the results. */
import { readFileSync, writeFileSync } from 'node:fs';
import { barsTable } from './bars.js';
import { allResults } from './results.js';

const README = new URL('README.md', import.meta.url);

/** A table in Markdown, with its notes above it. */
export function markdownOf({ notes, columns, rows }) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [notes, '', line(columns), `|${'---|'.repeat(columns.length)}`, ...rows.map(line)].join('\n');
}

/** Redraws the section of a part, and the bars. */
export function draw(name, { title, tableOf }) {
  const results = allResults();
  const measured = results.filter(({ parts }) => parts[name] !== undefined);
  const tables = measured.map(({ node, parts: { [name]: { date, machine, data } } }) => ({ about: `Node ${node}, ${date}, ${machine}:`, ...tableOf(data) }));
  const { notes } = tables[0];
  replace(name, [`### ${title}`, notes, ...tables.map(({ about, columns, rows }) => markdownOf({ notes: about, columns, rows }))].join('\n\n'));
  replace('bars', markdownOf(barsTable(results)));
}

function replace(name, section) {
  const text = readFileSync(README, 'utf8');
  const [begin, end] = [`<!-- ${name}: drawn by run.js -->`, `<!-- ${name}: end -->`];
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from === -1 || to === -1) throw new Error(`README.md has no place for ${name}`);
  writeFileSync(README, `${text.slice(0, from)}${begin}\n${section}\n${text.slice(to)}`);
}
