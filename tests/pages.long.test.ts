/** The pages for readers: their words, where they lead, and what their programs need. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeOptionsPage } from '../scripts/options-page.ts';
import { readFences } from './support/markdown.ts';
import { PAGES } from './support/pages.ts';
import { assert, suite } from './support/facts.ts';

/** Words of a dialect, which a reader stumbles over, with the words in place of them. */
const DIALECT: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\banswer(?:s|ed|ing)?\b/i, 'response, respond, get'],
  [/\brefus\w+/i, 'reject'],
  [/\bhost's\b/i, 'your code'],
  [/\btexts\b/i, 'strings'],
  [/\bmembers?\b/i, 'property'],
  [/\bfaults?\b|\bmend(?:s|ed|ing)?\b/i, 'error, fix'],
  [/\bheader fields?\b/i, 'headers'],
  [/(?<!\bthere )\b(?:is|are) no\b(?! longer\b)/i, 'is not a'],
  [/\b(?:that|those) of\b/i, 'the noun again'],
];
/** Lists, which nobody reads to their end, and the list of pages. */
const LISTS = ['docs/http.md', 'docs/messages.md', 'docs/recipes.md'];
/** The name of a package, by the name that programs import. */
const PACKAGES: Readonly<Record<string, string>> = { '@jest/globals': 'jest', 'aws-lambda': '@types/aws-lambda' };

const docs = PAGES.map((name) => join('docs', name));
const read = (path: string): string => readFileSync(path, 'utf8');

/** A document without its code, the addresses of its links and the names of tests in them. */
function proseOf(markdown: string): string {
  const lines = (code: string): string => code.replaceAll(/[^\n]/g, '');
  return markdown.replaceAll(/^```.*?^```$/gms, lines).replaceAll(/`[^`\n]*`/g, '``').replaceAll(/\]\([^)]*\)/g, ']()');
}

/** The words of the dialect in a document, each with its line. */
function dialectIn(markdown: string): string[] {
  return proseOf(markdown).split('\n').flatMap((line, at) => DIALECT.flatMap(([pattern, instead]) => {
    const found = pattern.exec(line);
    return found ? [`line ${at + 1}: ${found[0]}: write ${instead}`] : [];
  }));
}

/** The names of the packages that a program imports. */
function packagesOf(code: string): string[] {
  const imported = [...code.matchAll(/(?:\bfrom|^import) '([^'.][^']*)'/gm)].map(([, name = '']) => name);
  const names = imported.filter((name) => !name.startsWith('node:')).map((name) => name.split('/').slice(0, name.startsWith('@') ? 2 : 1).join('/'));
  return [...new Set(names)].map((name) => PACKAGES[name] ?? name);
}

/** The packages that a page says to install before a program, and those that it shows. */
function installedBefore(markdown: string, code: string): string[] {
  const before = markdown.slice(0, markdown.indexOf(code));
  const workspaces = [...before.matchAll(/"name": "(@[^"]+)"/g)].map(([, name = '']) => name);
  return [...before.matchAll(/npm install ([^`\n#]+)/g)].flatMap(([, names = '']) => names.trim().split(' ')).map((name) => name.replace(/(?<=.)@.+/, '')).concat(workspaces);
}

const words = suite('the words of the documents');
words('of the dialect are found in prose, and not in code or links', () => {
  assert.equal(dialectIn('The answer is no array.\n\n```text\nrefused\n```\n\n`answer` [a](b "that of c") There is no body.'), [
    'line 1: answer: write response, respond, get', 'line 1: is no: write is not a',
  ]);
});
for (const path of ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'STABILITY.md', 'llms.txt', join('skills', 'restpoint', 'SKILL.md'), ...docs]) {
  words(`of ${path} are the words that readers know`, () => assert.equal(dialectIn(read(path)), []));
}
words('of docs/options.md are too', async () => assert.equal(dialectIn(await makeOptionsPage()), []));

const next = suite('the end of a page');
for (const path of docs.filter((name) => !LISTS.includes(name))) {
  next(`${path} leads to a next page`, () => {
    const [, last = ''] = /\n(?:## )?Next\b((?!.*^## ).*)$/ms.exec(read(path)) ?? [];
    assert.match(last, /\]\([\w-]+\.md[^)]*\)/);
    assert.ok(last.includes('|') || last.trim().split('\n').length <= 2, last);
  });
}

const programs = suite('the programs of a page');
programs('are found with the packages that they import and that the page installs', () => {
  const code = "// a.ts\nimport { z } from 'zod';\nimport x, {\n  type Y,\n} from '@b/c/d';\nimport 'node:test';\nimport './e.ts';\n";
  assert.equal(packagesOf(code), ['zod', '@b/c']);
  assert.equal(installedBefore(`Run \`npm install zod e@12\`\n${code}\`npm install f\``, code), ['zod', 'e']);
});
programs('are not on pages of reference', () => {
  for (const path of ['docs/reference.md', 'docs/http.md', 'docs/http-overview.md', 'docs/messages.md']) {
    assert.equal(readFences(read(path)).filter(({ language }) => language === 'ts'), [], path);
  }
});
for (const path of docs.filter((name) => !/guide|types/.test(name))) {
  const page = read(path);
  const shown = readFences(page).filter(({ language }) => language === 'ts');
  const [first] = shown;
  if (first === undefined) continue;
  programs(`${path} says how to run the first one, and which Node that takes`, () => {
    const before = page.slice(0, page.indexOf(first.text));
    assert.match(before,
      /`npm install restpoint[^`]*`(?: and `npm install --save-dev [^`]*`)?,\s+then[^.]*`node [^`]*\.ts`\s+\(\[Node 22\.18 or later\]\(recipes\.md\)\)/);
  });
  programs(`${path} says to install each package that they import, before they do`, () => {
    for (const { text } of shown) {
      const installed = installedBefore(page, text);
      assert.equal(packagesOf(text).filter((name) => !installed.includes(name)), [], text.split('\n', 1)[0]);
    }
  });
}
