/** The page `docs/names.md`, made of the docstrings of the public names. Run, it writes the page. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Declared, type Docstring, type Property, readEntry } from './docstrings.ts';

export const NAMES_PAGE: string = join('docs', 'names.md');

/** The entries of the package, by their folders in `src`. */
export const ENTRY_NAMES = ['', 'auth', 'checks', 'client', 'codecs', 'formats', 'interceptors', 'mcp', 'observers', 'openapi'] as const;

const FIRST_VERSION = '0.1';
const LONGEST_TYPE = 100;

const HEAD = `# Every name

Every name that the package exports, with the properties of its types. Your editor shows the same. [options.md](options.md) has the values, units and defaults of
options, with examples. A name without a version has been there since ${FIRST_VERSION}.
`;

/** The public names of an entry. */
export function readNames(entry: string): Declared[] {
  return readEntry(join('src', entry, 'index.ts'));
}

export function makeNamesPage(): string {
  return HEAD + ENTRY_NAMES.map((entry) => makeSection(entry === '' ? 'restpoint' : `restpoint/${entry}`, readNames(entry))).join('');
}

function makeSection(title: string, names: readonly Declared[]): string {
  const isType = ({ kind }: Declared): boolean => kind === 'interface' || kind === 'type';
  const values = names.filter((name) => !isType(name)).flatMap(makeRows);
  const types = names.filter(isType).flatMap(makeRows);
  const table = (heading: string, rows: readonly string[]): string => {
    return rows.length === 0 ? '' : `\n${heading}\n\n| Name | Type | Meaning |\n|---|---|---|\n${rows.join('\n')}\n`;
  };
  return `\n## \`${title}\`\n${table('Values:', values)}${table('Types:', types)}`;
}

function makeRows({ name, kind, extended, properties, ...docstring }: Declared): string[] {
  const parents = extended.length === 0 ? '' : ` of ${extended.map((each) => `\`${each}\``).join(', ')}`;
  const first = `| **\`${name}\`** | ${kind}${parents} | ${describe(docstring)} |`;
  return [first, ...properties.map((property) => makeRow(name, property))];
}

function makeRow(owner: string, { name, type, isOptional, ...docstring }: Property): string {
  const shown = type.length > LONGEST_TYPE || type === '' ? '' : `\`${type.replaceAll('|', '\\|')}\``;
  return `| \`${owner}.${name}${isOptional ? '?' : ''}\` | ${shown} | ${describe(docstring)} |`;
}

function describe({ doc, byDefault, throws, since }: Docstring): string {
  const facts = [doc, byDefault && `Default: ${byDefault}.`, throws && `Throws ${throws}`, since && `Since ${since}.`];
  return escape(facts.filter((fact) => fact !== undefined && fact !== '').join(' '));
}

export function escape(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/<(?=[a-z])(?![^`]*`(?:[^`]*`[^`]*`)*[^`]*$)/gi, '&lt;');
}

if (process.argv[1]?.endsWith('names-page.js') === true) writeFileSync(NAMES_PAGE, makeNamesPage());
