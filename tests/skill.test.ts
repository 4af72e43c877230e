/**
 * The tables of imports in `skills/restpoint/SKILL.md` and `llms.txt`: they have every value of every entry, and its arguments in their order.
 * `tests/create/run.js` compiles and runs the programs of the skill, in a project with Zod.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly exports: Readonly<Record<string, { readonly default?: string }>> };
const entries = Object.entries(exports).flatMap(([path, { default: file }]) => (file === undefined ? [] : [{ name: `restpoint${path.slice(1)}`, file }]));
const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts')).map((name) => readFileSync(join('src', name), 'utf8'));

interface Written {
  readonly name: string;
  /** The arguments, as in `reply(status, body, headers)`. `undefined` for a value that is not called. */
  readonly given: string | undefined;
}

interface Row {
  readonly values: readonly Written[];
  /** The types that stand behind the values. */
  readonly types: readonly string[];
}

/** The row of each entry. */
function importsIn(document: string): Map<string, Row> {
  const rows = document.matchAll(/^\| `(restpoint[\w/]*)` \| (.*?)(?:; types (.*))? \|$/gm);
  return new Map([...rows].map(([, entry = '', cell = '', types = '']) => {
    const values = [...cell.matchAll(/`(?:new )?(\w+)(?:<\w+>)?(?:\(([^)]*)\))?`/g)].map(([, name = '', given]) => ({ name, given }));
    return [entry, { values, types: types.match(/\w+/g) ?? [] }];
  }));
}

/** The part of a string up to the end of the brackets that it begins with. */
function inBrackets(text: string): string {
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
function parametersIn(list: string): string {
  let text = list.slice(1, -1).replaceAll(/\/\/.*$/gm, '');
  const names: string[] = [];
  for (let match = PARAMETER.exec(text); match !== null; match = PARAMETER.exec(text)) {
    names.push(match[1]?.replace(/^\{.*/s, 'options') ?? '');
    text = text.slice(match[0].length);
    while (text !== '' && !text.startsWith(',')) text = text.slice(/^[([{<]/.test(text) ? inBrackets(text).length : /^(?:=>|.)/s.exec(text)?.[0].length);
  }
  return names.join(', ');
}

/** The parameters of a function, for each of its signatures; of a class, those of its constructor. */
function signaturesOf(name: string): string[] {
  const begins = new RegExp(`^export (?:async )?function ${name}(?=[<(])|^export class ${name}\\b[^]*?\\n  constructor(?=\\()`, 'gm');
  return sources.flatMap((source) => [...source.matchAll(begins)].map(({ 0: found, index }) => {
    const text = source.slice(index + found.length);
    return parametersIn(inBrackets(text.startsWith('<') ? text.slice(inBrackets(text).length) : text));
  }));
}

const documents = suite('the table of imports');
documents('is compared with parameters as they are written', () => {
  for (const [list, names] of [
    ['()', ''], ['(a: string)', 'a'], ['(a: A<B, C>, b?: (c: D) => E)', 'a, b'], ['(\n  ...ways: Ways\n)', '...ways'], ["(a = 1)", ''],
    ['(base: string, options: Options = {})', 'base, options'], ['(api: Api, { storage }: Options = {})', 'api, options'],
  ] as const) {
    assert.is(parametersIn(list), names, list);
  }
});
for (const file of ['skills/restpoint/SKILL.md', 'llms.txt']) {
  const imports = importsIn(readFileSync(file, 'utf8'));
  for (const { name, file: built } of entries) {
    documents(`of ${file} has every value of ${name}, and no other`, async () => {
      const values = Object.keys(await import(pathToFileURL(join(process.cwd(), built)).href) as object);
      assert.equal(imports.get(name)?.values.map((each) => each.name).toSorted(), values.toSorted());
    });
    documents(`of ${file} has only types of ${name} that it exports`, () => {
      const source = readFileSync(built.replace('./dist/', 'src/').replace(/js$/, 'ts'), 'utf8');
      for (const type of imports.get(name)?.types ?? []) assert.match(source, new RegExp(`^export (?:type )?\\{[^}]*\\b${type}\\b`, 'm'));
    });
    documents(`of ${file} has the arguments of ${name} in their order`, () => {
      for (const { name: value, given } of imports.get(name)?.values ?? []) {
        const signatures = signaturesOf(value);
        if (given === undefined) assert.ok(signatures.length === 0 || /^[A-Z]/.test(value), `${value} without its arguments`);
        else assert.ok(signatures.includes(given), `${value}(${given}), and not one of: ${signatures.join('; ')}`);
      }
    });
  }
  documents(`of ${file} has no other entry`, () => assert.equal([...imports.keys()], entries.map(({ name }) => name)));
}
documents.run();
