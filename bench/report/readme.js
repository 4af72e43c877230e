/**
 * Redraws the tables of the READMEs: what stands between the markers of a part is replaced by its newest results, and what
 * stands between those of the bars by what all parts come to.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { barsTable } from './bars.js';
import { newest } from './results.js';

const README = new URL('../README.md', import.meta.url);
const ROOT_README = new URL('../../README.md', import.meta.url);

/** A result's table in Markdown. */
export function tableOf({ columns, rows }) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(columns), `|${'---|'.repeat(columns.length)}`, ...rows.map(line)].join('\n');
}

/** Draws the parts of these names, and the bars. */
export function drawReadme(names) {
  draw(README, [['bars', tableOf(barsTable())], ...names.map((name) => [name, sectionOf(name)])]);
  draw(ROOT_README, [['bars', tableOf(barsTable())]]);
}

/** Puts sections between their markers. One without markers gets them at the end of the file. */
function draw(file, sections) {
  let text = readFileSync(file, 'utf8');
  for (const [name, section] of sections) {
    const [begin, end] = [`<!-- ${name}: drawn by run.js -->`, `<!-- ${name}: end -->`];
    if (!text.includes(begin)) text += `\n${begin}\n${end}\n`;
    const from = text.indexOf(begin) + begin.length;
    text = `${text.slice(0, from)}\n${section}\n${text.slice(text.indexOf(end, from))}`;
  }
  writeFileSync(file, text);
}

function sectionOf(name) {
  const lines = newest(name);
  const tables = lines.map(({ node, date, machine, result }) => {
    return `Node ${node.slice(1)}, ${machine.cores} cores of ${machine.cpu}, ${date}:\n\n${tableOf(result)}\n`;
  });
  const { title, notes } = lines.at(-1).result;
  return `### ${title}\n\n${notes.join(' ')}\n\n${tables.join('\n')}`;
}
