/**
 * The size of the sources, the tests and the documents. Run, it prints the lines of `.ci/budget.txt` for the files as they are:
 *
 *   npx tsc -p tests --noCheck && node build/tests/support/budget.js
 */
import { readdirSync, readFileSync } from 'node:fs';

/** By what is counted: `src/server lines of code`, `tests words`. */
export type Sizes = ReadonlyMap<string, number>;

const CODE = /\.(?:ts|tsx|js|mjs)$/;
// One that begins in a line of code is rare, and so is its beginning in a string, as in `image/*`, which would hide the code after it.
const COMMENT = /^[ \t]*(?:\/\*[^]*?\*\/|\/\/.*$)/gm;
const LINE = /^(\S+) (\d+) (lines of code|lines|words)$/gm;
// How much more than its number there may be, and how much less before the number is to be lowered, by the unit.
const ROOM: Readonly<Record<string, number>> = { 'lines of code': 0.01, lines: 0.04, words: 0.01 };
const MIN_PART = 0.9;

/** The files of a folder, without installed packages and what tests write. */
function listFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.name === 'node_modules' || entry.name.startsWith('.')) return [];
    return entry.isDirectory() ? listFiles(path) : [path];
  });
}

/** Lines that are neither blank nor a comment. */
export function countCode(text: string): number {
  return text.replace(COMMENT, '').split('\n').filter((line) => line.trim() !== '').length;
}

const countLines = (text: string): number => text.split('\n').length - 1;
const countWords = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length;

/** The sizes of `src` and each of its folders, of `tests` and of `docs`. */
export function measureSizes(): Sizes {
  const sizes = new Map<string, number>();
  const add = (what: string, count: number): void => void sizes.set(what, (sizes.get(what) ?? 0) + count);
  for (const file of listFiles('src').filter((each) => CODE.test(each))) {
    const [, folder = ''] = file.split('/');
    for (const counted of file.includes(`/${folder}/`) ? ['src', `src/${folder}`] : ['src']) add(`${counted} lines of code`, countCode(readFileSync(file, 'utf8')));
  }
  for (const file of listFiles('tests').filter((each) => CODE.test(each))) add('tests lines', countLines(readFileSync(file, 'utf8')));
  // The page of options is made of docstrings.
  for (const page of listFiles('docs').filter((each) => each.endsWith('.md') && each !== 'docs/options.md')) add('docs words', countWords(readFileSync(page, 'utf8')));
  return sizes;
}

/** The sizes that a table allows. */
export function readBudget(table: string): Sizes {
  return new Map([...table.matchAll(LINE)].map(([, folder = '', size, unit = '']) => [`${folder} ${unit}`, Number(size)]));
}

/** What must be done, so that no size is more than its number and its room, or much less. */
export function compareSizes(used: Sizes, allowed: Sizes): string[] {
  return [...new Set([...used.keys(), ...allowed.keys()])].flatMap((what) => {
    const [size, budget] = [used.get(what), allowed.get(what)];
    if (budget === undefined) return [`${what} have no number in .ci/budget.txt: add ${size}`];
    if (size === undefined) return [`${what} have the number ${budget} in .ci/budget.txt, and are gone: remove it`];
    const most = Math.floor(budget * (1 + (ROOM[what.slice(what.indexOf(' ') + 1)] ?? 0)));
    if (size > most) return [`${what}: ${size}, and ${most} are allowed: remove ${size - most}. Raise the number only for a rule that the commit names`];
    return size < budget * MIN_PART ? [`${what}: only ${size}: lower the number ${budget} in .ci/budget.txt, so that they do not come back`] : [];
  });
}

if (process.argv[1]?.endsWith('budget.js') === true) {
  const lines = [...measureSizes()].map(([what, size]) => what.replace(' ', ` ${size} `));
  console.log(lines.toSorted().join('\n'));
}
