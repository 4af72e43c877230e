/** The page `docs/options.md`, made of the tables of options, of docstrings and of compiled examples. Run, it writes the page. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Property, readSources } from './docstrings.ts';
import { escape } from './names-page.ts';
import { listOptions, type NamedOption, OPTION_NOTES, OPTION_TABLES, OPTION_TYPES } from './option-tables.ts';

export const OPTIONS_PAGE: string = join('docs', 'options.md');

const EXAMPLES = join('tests', 'types', 'option-examples.types.ts');
const UNITS: readonly (readonly [RegExp, string])[] = [[/Ms$/, 'ms'], [/[bB]ytes$/, 'bytes'], [/Seconds$/, 'seconds']];
const LONGEST_TYPE = 90;

const HEAD = `# Every option

What each option can be, its unit, its default and its meaning, with an example of each call. An unknown option and a wrong value throw a \`TypeError\` that names the
option. An option without a version has been there since 0.1. The options of the typed client are types only: [every name](names.md#restpointclient) has them.
The examples are parts of programs that compile.
`;

export function makeOptionsPage(): string {
  const sources = readSources();
  const examples = readExamples();
  const calls = Object.entries(OPTION_TABLES);
  const contents = calls.map(([call]) => `[${call.replace(/\(.*/, '')}](#${slugify(call)})`).join(' · ');
  const sections = calls.map(([call, shape]) => {
    const types = (OPTION_TYPES[call] ?? []).flatMap((name) => sources.get(name) ?? []);
    const describe = (name: string): Property | undefined => {
      const own = types.flatMap(({ properties }) => properties).filter((property) => property.name === name.split('.').at(-1));
      return own.find(({ doc }) => doc !== '') ?? own[0];
    };
    const rows = listOptions(shape).map((option) => makeRow(option, OPTION_NOTES[`${call}.${option.name}`], describe(option.name)));
    const example = examples.get(call);
    const shown = example === undefined ? '' : `\n\`\`\`ts\n${example}\n\`\`\`\n`;
    return `\n## \`${call}\`\n\n| Option | Values | Default | Meaning |\n|---|---|---|---|\n${rows.join('\n')}\n${shown}`;
  });
  return `${HEAD}\n${contents}\n${sections.join('')}`;
}

function makeRow(option: NamedOption, note: string | undefined, property: Property | undefined): string {
  const [, unit] = UNITS.find(([names]) => names.test(option.name)) ?? [];
  const values = `${formatValues(option, property)}${unit === undefined || option.values.startsWith('`') ? '' : `, in ${unit}`}`;
  const since = property?.since === undefined ? '' : ` Since ${property.since}.`;
  // A default that follows from others is in words.
  const byDefault = formatDefault(option) || (property?.byDefault ?? '');
  return `| \`${option.name}\` | ${values} | ${escape(byDefault)} | ${escape(note ?? property?.doc ?? '')}${since} |`;
}

/** The type of a function, else what the table says. */
function formatValues({ values }: NamedOption, property: Property | undefined): string {
  const type = property?.type ?? '';
  if (values === 'a function' && type.includes('=>') && type.length <= LONGEST_TYPE) return `\`${type.replaceAll('|', '\\|')}\``;
  return formatNumbers(values);
}

/** The examples, by their calls. */
export function readExamples(): Map<string, string> {
  const [, ...parts] = readFileSync(EXAMPLES, 'utf8').split(/^\/\/ ---- /m);
  return new Map(parts.map((part) => {
    const [call = '', ...lines] = part.trim().split('\n');
    return [call, lines.join('\n')];
  }));
}

/** The anchor of a heading, as GitHub makes it. */
function slugify(heading: string): string {
  return heading.toLowerCase().replaceAll(/[^\w -]/g, '').replaceAll(' ', '-');
}

function formatNumbers(values: string): string {
  return values.replace(/ to Infinity$/, ' and up').replaceAll(/\d{4,}/g, (digits) => Number(digits).toLocaleString('en'));
}

/** The default as a document says it. A default that follows from others is left out. */
export function formatDefault({ byDefault, isRequired }: NamedOption): string {
  if (isRequired === true) return '**required**';
  if (byDefault === undefined || byDefault === '' || typeof byDefault === 'function') return '';
  if (byDefault === Infinity) return 'no limit';
  if (byDefault === console) return '`console`';
  if (typeof byDefault === 'number') return byDefault.toLocaleString('en');
  const written = JSON.stringify(byDefault);
  return written === '[]' || written === '{}' ? 'none' : `\`${written.replaceAll('"', "'")}\``;
}

if (process.argv[1]?.endsWith('options-page.js') === true) writeFileSync(OPTIONS_PAGE, makeOptionsPage());
