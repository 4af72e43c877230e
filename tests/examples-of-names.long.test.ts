/** The docstrings of the public values, which an editor shows with their names: each has an example, and all examples in `src` compile. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Declaration, type Docstring, readDeclarations } from '../scripts/docstrings.ts';
import { compileExamples, findExamples, readExamples } from './support/name-examples.ts';
import { ENTRY_NAMES, readEntry } from '../scripts/docstrings.ts';
import { assert, suite } from './support/facts.ts';

const examples = suite('the examples of docstrings');

// Its second line is wrong.
const WRONG = `
/**
 * Makes a server.
 *
 * @example
 * \`\`\`ts
 * const other = new ApiServer('/v1');
 * other.begin();
 * \`\`\`
 */
`;

examples('compile, and a wrong one is reported with its file, line and column', async () => {
  const all = readExamples();
  assert.ok(all.length > 40, `${all.length} examples`);
  const errors = await compileExamples([...all, ...findExamples('src/wrong.ts', WRONG)]);
  assert.equal(errors, ["src/wrong.ts:8:10: error TS2339: Property 'begin' does not exist on type 'ApiServer'."]);
});
examples('stand in fences', () => {
  for (const [comment, line] of [
    ['/**\n * @example\n * start();\n */\n', 2],
    ['/**\n * @example\n *\n * start();\n */\n/**\n * @example\n * ```ts\n * stop();\n * ```\n */\n', 2],
    ['/**\n * Begins.\n *\n * @example `start()`\n */\n', 4],
    ['/**\n * @example\n * ```js\n * start();\n * ```\n */\n', 2],
  ] as const) {
    assert.throws(() => findExamples('src/a.ts', comment), new RegExp(`^src/a\\.ts:${line}: @example is not followed by a fence: `), comment);
  }
});

/** What a docstring of a value lacks. */
function findMistakes({ doc, example }: Docstring, name: string): string[] {
  const used = name.split('.').at(-1) ?? '';
  return [
    ...(example === undefined || new RegExp(`\\b${used}\\b`).test(example) ? [] : ['its name in its example']),
    ...(/^[A-Z][a-z]+s\b/.test(doc) ? [] : ['a verb at its beginning: Makes, Reads, Returns']),
    ...(example === undefined ? ['an example'] : []),
    ...(/\bThrows `/.test(doc) ? ['@throws'] : []),
    ...(/\b(?:as|see) (?:above|below)\b/i.test(doc) ? ['whole sentences'] : []),
  ];
}

/** The docstrings of a value, by names: of each signature, and of each method of a class. */
function listDocstrings({ name, kind, signatures, properties }: Declaration): [name: string, docstring: Docstring][] {
  const methods = kind === 'class' ? properties.filter(({ isMethod }) => isMethod) : [];
  return [...signatures.map((each): [string, Docstring] => [name, each]), ...methods.map((each): [string, Docstring] => [`${name}.${each.name}`, each])];
}

const values = suite('the docstrings of public values');
for (const entry of ENTRY_NAMES) {
  values(`of restpoint${entry === '' ? '' : `/${entry}`} say what each does, by a verb and an example, and what it throws by @throws`, async () => {
    const exported = Object.keys(await import(pathToFileURL(join(process.cwd(), 'dist', entry, 'index.js')).href) as object);
    const found = readEntry(entry).filter(({ name }) => exported.includes(name));
    assert.equal(found.map(({ name }) => name).toSorted(), exported.toSorted());
    const mistakes = found.flatMap(listDocstrings).map(([name, docstring]) => [name, findMistakes(docstring, name)]).filter(([, missing]) => missing?.length !== 0);
    assert.equal(mistakes, []);
  });
}
for (const [title, source, expected] of [
  ['a function', '/** Begins. */\nexport function start(): void {\n}\n', ['an example']],
  ['a noun', '/**\n * The start.\n *\n * @example\n * ```ts\n * start();\n * ```\n */\nexport function start(): void {\n}\n',
    ['a verb at its beginning: Makes, Reads, Returns']],
  ['a call', '/**\n * Begins.\n *\n * @example\n * ```ts\n * stop();\n * ```\n */\nexport function start(): void {\n}\n', ['its name in its example']],
  ['an error', '/**\n * Begins. Throws `TypeError`.\n *\n * @example\n * ```ts\n * start();\n * ```\n */\nexport const start = 1;\n', ['@throws']],
  ['a reference', '/**\n * Begins as above.\n *\n * @example\n * ```ts\n * start();\n * ```\n */\nexport const start = 1;\n', ['whole sentences']],
] as const) {
  values(`are found to lack something: ${title}`, () => {
    const declared = readDeclarations(source).get('start');
    assert.equal(declared && listDocstrings(declared).flatMap(([name, docstring]) => findMistakes(docstring, name)), expected);
  });
}
values('are found to lack something: the second signature of a function, and a method', () => {
  const example = ' *\n * @example\n * ```ts\n * start(new Owner());\n * ```\n */\n';
  const overloaded = `/**\n * Begins.\n${example}export function start(a: string): void;\nexport function start(a: number): void;\nexport function start(a: unknown): void {\n}\n`;
  const owner = `/**\n * Serves.\n${example}export class Owner {\n  /** Begins. */\n  start(): void {\n  }\n}\n`;
  const lacking = [...readDeclarations(overloaded + owner).values()].flatMap(listDocstrings).filter(([name, docstring]) => findMistakes(docstring, name).length > 0);
  assert.equal(lacking.map(([name]) => name), ['start', 'Owner.start']);
});
values('are not the only ones: types of options and of stores have an example too, of their own or of a property', () => {
  const isWritten = ({ name }: Declaration): boolean => /(?:Options|Store)$/.test(name);
  const hasOne = ({ example, properties }: Declaration): boolean => [example, ...properties.map((each) => each.example)].some((each) => each !== undefined);
  const all = ENTRY_NAMES.flatMap((entry) => readEntry(entry).filter(isWritten));
  assert.ok(all.length > 40, `${all.length} types`);
  assert.equal(all.filter((each) => !hasOne(each)).map(({ name }) => name), []);
});
