/** Redraws the tables of `bench/README.md`: what stands between the markers of a part is replaced by its newest results. */
import { readFileSync, writeFileSync } from 'node:fs';
import { newest } from './results.js';

const README = new URL('../README.md', import.meta.url);

/** A result's table in Markdown. */
export function tableOf({ columns, rows }) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(columns), `|${'---|'.repeat(columns.length)}`, ...rows.map(line)].join('\n');
}

/** Draws the parts of these names. A part without markers gets them at the end of the file. */
export function drawReadme(names) {
  let text = readFileSync(README, 'utf8');
  for (const name of names) {
    const [begin, end] = [`<!-- ${name}: drawn by run.js -->`, `<!-- ${name}: end -->`];
    if (!text.includes(begin)) text += `\n${begin}\n${end}\n`;
    const from = text.indexOf(begin) + begin.length;
    text = `${text.slice(0, from)}\n${sectionOf(name)}\n${text.slice(text.indexOf(end, from))}`;
  }
  writeFileSync(README, text);
}

function sectionOf(name) {
  const lines = newest(name);
  const tables = lines.map(({ node, date, machine, result }) => {
    return `Node ${node.slice(1)}, ${machine.cores} cores of ${machine.cpu}, ${date}:\n\n${tableOf(result)}\n`;
  });
  const { title, notes } = lines.at(-1).result;
  return `### ${title}\n\n${notes.join(' ')}\n\n${tables.join('\n')}`;
}
