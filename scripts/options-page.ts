/**
 * The page `docs/options.md`. Each table of options in `src` makes a section of it: its docstring has the call and the types of the options,
 * and these have the meanings and an example. The page is not kept in the repository: `npm run options` writes it for the package and the site.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Option, Shape } from '../src/util/options.ts';
import { type Declaration, type Property, readDeclarations, readSources } from './docstrings.ts';

const UNITS: readonly (readonly [RegExp, string])[] = [[/Ms$/, 'ms'], [/[bB]ytes$/, 'bytes'], [/Seconds$/, 'seconds']];
const LONGEST_TYPE = 90;
export const OPTIONS_PAGE = 'docs/options.md';

const HEAD = `# Every option

What each option can be, its unit, its default and its meaning, with an example of each call. An unknown option and a wrong value throw a \`TypeError\` that names the
option. An option without a version has been there since 0.1. The options of the typed client are types only: the hovers of its names have them.
`;

/** An option of a table, with the names of the tables that it is in: `limits.bodyBytes`. */
export interface NamedOption extends Option<unknown> {
  readonly name: string;
}

/** A table of options. */
export interface OptionTable {
  readonly name: string;
  /** The call that takes the options. `undefined` for a table that is part of others. */
  readonly call: string | undefined;
  readonly options: readonly NamedOption[];
  readonly types: readonly Declaration[];
}

/** The tables of `src`, by their calls. Those of `util` are no options. */
export async function readOptionTables(): Promise<OptionTable[]> {
  const sources = readSources();
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'));
  const found: OptionTable[] = [];
  for (const file of files.filter((name) => name.endsWith('.ts') && !name.startsWith('util'))) {
    const text = readFileSync(join('src', file), 'utf8');
    if (!/\bshape\b/.test(text)) continue;
    const declared = readDeclarations(text);
    const exported = await import(new URL(`../src/${file.replace(/ts$/, 'js')}`, import.meta.url).href) as Readonly<Record<string, unknown>>;
    for (const [name, value] of Object.entries(exported)) {
      if (!/^[A-Z_]+$/.test(name) || !(value instanceof Object && 'table' in value)) continue;
      const doc = declared.get(name)?.doc ?? '';
      const types = [...doc.matchAll(/\{@link (\w+)\}/g)].map(([, type = '']) => declared.get(type) ?? sources.get(type));
      if (types.includes(undefined)) throw new Error(`src/${file}: the docstring of ${name} names a type that is not in src`);
      found.push({ name, call: /^`(.+?)`: /.exec(doc)?.[1], options: listOptions(value as Shape<unknown>), types: types as Declaration[] });
    }
  }
  const key = ({ call }: OptionTable): string => (call ?? '').replace(/^(?:new|an?) /, '').toLowerCase();
  return found.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** The options of a table and of the tables in it. */
export function listOptions(shape: Shape<unknown>, path = ''): NamedOption[] {
  return Object.entries(shape.table as Record<string, Option<unknown>>).flatMap(([name, option]): NamedOption[] => {
    return 'table' in option ? listOptions(option as Shape<unknown>, `${path}${name}.`) : [{ ...option, name: `${path}${name}` }];
  });
}

export async function makeOptionsPage(): Promise<string> {
  const tables = (await readOptionTables()).flatMap(({ call, ...table }) => (call === undefined ? [] : [{ ...table, call }]));
  const sections = tables.map(({ call, options, types }) => {
    const rows = options.map((option) => makeRow(option, findProperty(types, option.name)));
    const [example] = types.flatMap((type) => [type, ...type.properties]).flatMap((each) => each.example ?? []);
    const shown = example === undefined ? '' : `\n\`\`\`ts\n${example}\n\`\`\`\n`;
    return `\n## \`${call}\`\n\n| Option | Values | Default | Meaning |\n|---|---|---|---|\n${rows.join('\n')}\n${shown}`;
  });
  return `${HEAD}${sections.join('')}`;
}

/** The property that describes an option: with a docstring, if one of the types has it. */
function findProperty(types: readonly Declaration[], option: string): Property | undefined {
  const found = types.flatMap(({ properties }) => properties).filter(({ name }) => name === option.split('.').at(-1));
  return found.find(({ doc }) => doc !== '') ?? found[0];
}

function makeRow(option: NamedOption, property: Property | undefined): string {
  const [, unit] = UNITS.find(([names]) => names.test(option.name)) ?? [];
  const values = `${formatValues(option, property)}${unit === undefined || option.values.startsWith('`') ? '' : `, in ${unit}`}`;
  const since = property?.since === undefined ? '' : ` Since ${property.since}.`;
  // A default that follows from others is in words.
  const byDefault = formatDefault(option) || (property?.byDefault ?? '');
  return `| \`${option.name}\` | ${values} | ${escapeCell(byDefault)} | ${escapeCell(property?.doc.replace(/:$/, '.') ?? '')}${since} |`;
}
/** The type of a function, else what the table says. */
function formatValues({ values }: NamedOption, property: Property | undefined): string {
  const type = property?.type ?? '';
  if (values === 'a function' && type.includes('=>') && type.length <= LONGEST_TYPE) return `\`${type.replaceAll('|', '\\|')}\``;
  return formatNumbers(values);
}

function formatNumbers(values: string): string {
  return values.replace(/ to Infinity$/, ' and up').replaceAll(/\d{4,}/g, (digits) => Number(digits).toLocaleString('en'));
}

/** The default as a document says it. A default that follows from others is left out. */
function formatDefault({ byDefault, isRequired }: NamedOption): string {
  if (isRequired === true) return '**required**';
  if (byDefault === undefined || byDefault === '' || typeof byDefault === 'function') return '';
  if (byDefault === Infinity) return 'no limit';
  if (byDefault === console) return '`console`';
  if (typeof byDefault === 'number') return byDefault.toLocaleString('en');
  const written = JSON.stringify(byDefault);
  return written === '[]' || written === '{}' ? 'none' : `\`${written.replaceAll('"', "'")}\``;
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/<(?=[a-z])(?![^`]*`(?:[^`]*`[^`]*`)*[^`]*$)/gi, '&lt;');
}

if (process.argv[1]?.endsWith('options-page.js') === true) writeFileSync(OPTIONS_PAGE, await makeOptionsPage());
