/**
 * The table of imports in `skills/restpoint/SKILL.md` and `llms.txt`: every value of every entry, with its arguments, as its index file and
 * its declaration have them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Declaration, ENTRY_NAMES, readEntry } from '../../scripts/docstrings.ts';

/** The document with its table made anew: the rows that begin with the name of an entry, below the heading of the table. */
export function withImportTable(document: string): string {
  const [found, head = ''] = /^(\| Entry \| Values \|\n\|---\|---\|\n)(?:\| .*\n)*/m.exec(document) ?? [];
  if (found === undefined) throw new Error('the document has no table of imports: | Entry | Values |');
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts')).map((name) => readFileSync(join('src', name), 'utf8'));
  const rows = ENTRY_NAMES.map((entry) => {
    const values = readEntry(entry).filter(({ isType }) => !isType);
    return `| \`restpoint${entry === '' ? '' : `/${entry}`}\` | ${values.map((value) => `\`${formatValue(value, sources)}\``).join(', ')} |\n`;
  });
  return document.replace(found, () => `${head}${rows.join('')}`);
}

/** A value as it is used: `reply(status, body, headers)`. A class has `new` if its example has. */
function formatValue({ name, example = '' }: Declaration, sources: readonly string[]): string {
  const signatures = findSignatures(name, sources);
  const isClass = /^[A-Z]/.test(name);
  if (signatures.length === 0 || (isClass && !example.includes(`new ${name}(`))) return name;
  // The last signature of an overloaded function is its implementation, which nobody sees.
  const shown = signatures.length > 1 ? signatures.slice(0, -1) : signatures;
  const longest = shown.reduce((most, next) => (next.split(',').length > most.split(',').length ? next : most));
  return `${isClass ? 'new ' : ''}${name}(${longest.replace('...options', 'options')})`;
}

/** The parameters of a function, for each of its signatures; of a class, those of its constructor. */
function findSignatures(name: string, sources: readonly string[]): string[] {
  const begins = new RegExp(`^export (?:async )?function ${name}(?=[<(])|^export class ${name}\\b[^]*?\\n  constructor(?=\\()`, 'gm');
  return sources.flatMap((source) => [...source.matchAll(begins)].map(({ 0: found, index }) => {
    const text = source.slice(index + found.length);
    return listParameters(takeBrackets(text.startsWith('<') ? text.slice(takeBrackets(text).length) : text));
  }));
}

/** The part of a string up to the end of the brackets that it begins with. */
function takeBrackets(text: string): string {
  let depth = 0;
  for (const [index, character] of [...text].entries()) {
    if ('([{<'.includes(character)) depth += 1;
    else if (')]}'.includes(character) || (character === '>' && text[index - 1] !== '=')) depth -= 1;
    if (depth === 0) return text.slice(0, index + 1);
  }
  throw new Error(`brackets that do not end: ${text.slice(0, 80)}`);
}

const PARAMETER = /^[\s,]*((?:\.\.\.)?\w+|\{[^}]*\})\??:/;

/** The names in a list of parameters: `(a: A, b?: B<C, D>)`. One that is taken apart is called `options`. */
export function listParameters(list: string): string {
  let text = list.slice(1, -1).replaceAll(/\/\/.*$/gm, '');
  const names: string[] = [];
  for (let match = PARAMETER.exec(text); match !== null; match = PARAMETER.exec(text)) {
    names.push(match[1]?.replace(/^\{.*/s, 'options') ?? '');
    text = text.slice(match[0].length);
    while (text !== '' && !text.startsWith(',')) text = text.slice(/^[([{<]/.test(text) ? takeBrackets(text).length : /^(?:=>|.)/s.exec(text)?.[0].length);
  }
  return names.join(', ');
}
