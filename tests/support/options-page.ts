/** The page `docs/options.md`, made of the tables of options. Run, it writes the page. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listOptions, type NamedOption, OPTION_TABLES } from './option-tables.ts';

export const OPTIONS_PAGE: string = join('docs', 'options.md');

const HEAD = `# Every option

What each option can be, and its default. An unknown option and a wrong value throw a \`TypeError\` that names the option. Your editor shows
what an option does; [reference.md](reference.md#options) has the options of the server. Times end in \`Ms\` and are in milliseconds, sizes end
in \`Bytes\`.
`;

export function makeOptionsPage(): string {
  const sections = Object.entries(OPTION_TABLES).map(([call, shape]) => {
    const rows = listOptions(shape).map((option) => `| \`${option.name}\` | ${formatNumbers(option.values)} | ${formatDefault(option)} |`);
    return `\n## \`${call}\`\n\n| Option | Values | Default |\n|---|---|---|\n${rows.join('\n')}\n`;
  });
  return HEAD + sections.join('');
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
