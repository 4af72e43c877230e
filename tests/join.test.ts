/** The script that makes the published module of those that tsc emits, on modules made for it and on its real work. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Child } from './support/child.ts';
import { inTemporaryFolder } from './support/temporary.ts';

type Modules = Readonly<Record<string, string>>;

// tsc writes a map beside each module. This one has one segment, which is all that it takes to be a map.
const MAP = JSON.stringify({ version: 3, sources: ['../src/some.ts'], names: [], mappings: 'AAAA' });

/** Joins modules with these texts, and gives what the script printed with its exit code. */
async function joinModules(folder: string, modules: Modules, map = MAP): Promise<{ code: number | null; output: string }> {
  const output = join(folder, 'joined');
  await mkdir(output);
  // As in the package, `.js` stands for an ES module.
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  for (const [path, text] of Object.entries(modules)) {
    const file = join(folder, 'modules', path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `${text}\n//# sourceMappingURL=some.js.map`);
    await writeFile(`${file}.map`, map);
  }
  const child = new Child(['scripts/join.js', join(folder, 'modules'), output], { NODE_V8_COVERAGE: '' });
  return { code: await child.exit(), output: child.output };
}

async function joined(modules: Modules, use: (exported: Readonly<Record<string, unknown>>, code: string) => void): Promise<void> {
  await inTemporaryFolder(async (folder) => {
    const { code, output } = await joinModules(folder, modules);
    assert.is(code, 0, output);
    const file = join(folder, 'joined', 'index.js');
    use(await import(pathToFileURL(file).href), await readFile(file, 'utf8'));
  });
}

const joins = suite('joining modules');

joins('what index.js exports is exported, and nothing else', async () => {
  const modules = {
    'index.js': "export { a, C } from './a.js';",
    'a.js': 'export const a = 1;\nexport const hidden = 2;\nexport class C {\n}',
  };
  await joined(modules, (exported) => assert.equal(Object.keys(exported), ['C', 'a']));
});

joins('a module finds what it imports, from a folder above or below, whatever comes first', async () => {
  const modules = {
    'index.js': "export { twice } from './below/twice.js';\nexport { one } from './one.js';",
    'below/twice.js': "import { one } from '../one.js';\nexport function twice() {\n    return one + one;\n}",
    'one.js': 'export const one = 1;',
  };
  await joined(modules, ({ twice }) => assert.is((twice as () => number)(), 2));
});

joins('a module that two others import runs once', async () => {
  const modules = {
    'index.js': "export { a } from './a.js';\nexport { b } from './b.js';",
    'a.js': "import { shared } from './shared.js';\nexport const a = shared;",
    'b.js': "import { shared } from './shared.js';\nexport const b = shared;",
    'shared.js': 'export const shared = {};',
  };
  await joined(modules, ({ a, b }) => assert.is(a, b));
});

joins('all of it stands in one scope, with nothing around it', async () => {
  const modules = {
    'index.js': "export { a } from './a.js';",
    'a.js': "import { B } from './b.js';\n// Why.\nexport async function a() {\n    return new B();\n}",
    'b.js': 'export let count = 0;\nexport class B {\n    at = (count += 1);\n}',
  };
  await joined(modules, (_exported, code) => {
    const lines = ['       let count = 0;', '       class B {', '    at = (count += 1);', '}', '', '', '// Why.'];
    assert.ok(code.startsWith([...lines, '       async function a() {', '    return new B();', '}', ''].join('\n')), code);
  });
});

joins('a name in a function or a class may be any', async () => {
  const modules = {
    'index.js': "export { a } from './a.js';\nexport { b } from './b.js';",
    'a.js': 'export const a = (b) => b;',
    'b.js': 'export function b() {\n    const a = 1;\n    const URL = 2;\n    return a + URL;\n}',
  };
  await joined(modules, ({ a, b }) => assert.is((a as (value: unknown) => unknown)(b), b));
});

joins("what is imported of Node's modules is imported once, renamed where it was", async () => {
  const modules = {
    'index.js': "export { a } from './a.js';\nexport { b } from './b.js';",
    'a.js': "import { basename, join as joinPaths } from 'node:path';\nexport const a = joinPaths(basename('/x/y'), 'z');",
    'b.js': "import { basename } from 'node:path';\nexport const b = basename('/x/y');",
  };
  await joined(modules, ({ a, b }, code) => {
    assert.equal([a, b], ['y/z', 'y']);
    assert.equal(code.match(/^import .*$/gm), ["import { basename, join as joinPaths } from 'node:path';"]);
  });
});
joins.run();

const refuses = suite('what can not be joined');
const INDEX = "export { a } from './a.js';";
const B = 'export const b = 2;';
for (const [why, modules, message] of [
  ['a default export', { 'a.js': 'export default 1;' }, /a\.js:1: can not be joined/],
  ['export *', { 'a.js': "export * from './b.js';", 'b.js': B }, /a\.js:1: can not be joined/],
  ['an export of several names', { 'a.js': 'const a = 1;\nexport { a };' }, /a\.js:2: can not be joined/],
  ['an export of a pattern', { 'a.js': 'export const { a } = { a: 1 };' }, /a\.js:1: can not be joined/],
  ['a re-export under another name', { 'index.js': "export { b as a } from './b.js';", 'b.js': B }, /index\.js:1: can not be joined/],
  ['a declaration in index.js', { 'index.js': `${INDEX}\nexport const b = 1;`, 'a.js': 'export const a = 1;' }, /index\.js:2: can not be joined/],
  ['a statement that declares nothing', { 'a.js': 'export const a = 1;\nglobalThis.x = 1;' }, /a\.js:2: can not be joined/],
  ['two declarations in one', { 'a.js': 'export const a = 1, URL = 2;' }, /a\.js:1: can not be joined/],
  ['two declarations in one, without a value', { 'a.js': 'let b, c;\nexport const a = 1;' }, /a\.js:1: can not be joined/],
  ['two declarations in one, over several lines', { 'a.js': 'export const a = {\n    b: 1,\n}, URL = 2;' }, /a\.js:3: can not be joined/],
  ['a declaration of a pattern', { 'a.js': 'const { b } = { b: 1 };\nexport const a = b;' }, /a\.js:1: can not be joined/],
  ['text that looks like code', { 'a.js': 'export const a = `\nb\n`;' }, /a\.js:2: can not be joined/],
  ['a default import', { 'a.js': "import b from './b.js';\nexport const a = b;", 'b.js': B }, /a\.js:1: can not be joined/],
  ['an import of everything', { 'a.js': "import * as b from './b.js';\nexport const a = b;", 'b.js': B }, /a\.js:1: can not be joined/],
  ['an import for its effect', { 'a.js': "import './b.js';\nexport const a = 1;", 'b.js': B }, /a\.js:1: can not be joined/],
  ['an import under another name', { 'a.js': "import { b as c } from './b.js';\nexport const a = c;", 'b.js': B }, /a\.js:1: can not be joined/],
  ['an import of a package', { 'a.js': "import { b } from 'b';\nexport const a = b;" }, /a\.js:1: can not be joined/],
  ['import()', { 'a.js': "export const a = () => import('./b.js');", 'b.js': B }, /a\.js:1: can not be joined/],
  ['import.meta', { 'a.js': 'export const a = import.meta.url;' }, /a\.js:1: can not be joined/],
  ['an export of what is not there', { 'a.js': 'export const b = 1;' }, /SyntaxError/],
  ['modules that import each other', { 'a.js': "import { b } from './b.js';\nexport const a = b;", 'b.js': "import { a } from './a.js';\nexport const b = a;" }, /a\.js: imports itself/],
  ...['function c() {\n}', 'class c {\n}', 'const c = 1;', 'let c;', 'export var c = 1;', "import { join as c } from 'node:path';"].map((text): [string, Modules, RegExp] => {
    const a = "import { b } from './b.js';\nconst c = 2;\nexport const a = b + c;";
    return [`a name that another module has by ${JSON.stringify(text)}`, { 'a.js': a, 'b.js': `${B}\n${text}` }, /a\.js:2: c is also a name of b\.js:2/];
  }),
  ["two of Node's that have one name", { 'a.js': "import { join } from 'node:path';\nimport { join } from 'node:path/posix';\nexport const a = join;" }, /a\.js:2: join is also a name of a\.js:1/],
  ['a name that is a global', { 'a.js': 'export const a = 1;\nclass URL {\n}' }, /a\.js:2: URL is also a name of the global object/],
  ['an imported name that is a global', { 'a.js': "import { URL } from 'node:url';\nexport const a = URL;" }, /a\.js:1: URL is also a name of the global object/],
  ['a module that is not there', { 'a.js': "import { b } from './b.js';\nexport const a = b;" }, /ENOENT/],
] as const satisfies readonly (readonly [string, Modules, RegExp])[]) {
  refuses(`${why}: exit 1, and the place is named`, async () => {
    await inTemporaryFolder(async (folder) => {
      const { code, output } = await joinModules(folder, { 'index.js': INDEX, ...modules });
      assert.is(code, 1, output);
      assert.match(output, message);
    });
  });
}
refuses('a source map that leads to no source or to another, or is longer than its module', async () => {
  for (const mappings of ['A', 'ACAA', 'AAAA;;;AACA']) {
    await inTemporaryFolder(async (folder) => {
      const map = JSON.stringify({ version: 3, sources: ['../src/some.ts'], names: [], mappings });
      const { code, output } = await joinModules(folder, { 'index.js': INDEX, 'a.js': 'export const a = 1;' }, map);
      assert.is(code, 1, output);
      assert.match(output, /some\.ts: not a map that can be joined/);
    });
  }
});
refuses.run();

const published = suite('the published module');
// Each that is imported takes a tenth to a third of a millisecond of every start, even where Node has it loaded already.
published("imports no more of Node's modules than it needs", async () => {
  const code = await readFile(join('dist', 'index.js'), 'utf8');
  const imported = [...code.matchAll(/^import .* from '(.*)';$/gm)].map(([, from]) => from);
  assert.equal(imported.sort(), ['node:async_hooks', 'node:http', 'node:net']);
});
published('its stack traces lead to the lines of src', async () => {
  const program = "import { ApiServer } from 'restpoint'; new ApiServer('/a b');";
  const child = new Child(['--enable-source-maps', '--input-type=module', '--eval', program], { NODE_V8_COVERAGE: '' });
  assert.is(await child.exit(), 1);
  const frames = [...child.output.matchAll(/\((?:file:\/\/)?([^()]+\/src\/[^()]+):(\d+):(\d+)\)/g)];
  const places = frames.map(async ([, file = '', line, column]) => {
    const source = (await readFile(file, 'utf8')).split('\n')[Number(line) - 1] ?? '';
    return source.slice(Number(column) - 1);
  });
  const [thrown = '', called = '', constructed = ''] = await Promise.all(places);
  assert.match(thrown, /^(?:new )?TypeError\(`\$\{name\}/);
  assert.match(called, /^parseLiteralPath\('root', root\)/);
  assert.match(constructed, /^parseRoot\(root\)/);
});
published.run();
