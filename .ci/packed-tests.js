/**
 * Prepares compiled tests to run on the installed package instead of `src`:
 *
 *   cp -r build <folder in a project that has the package> && node .ci/packed-tests.js <the same folder>
 *
 * Replaces `src` by a module for each entry, which exports what the package exports. Removes the test files that import another module of `src`,
 * those that do not import the package at all, and those that read this repository. If this misses one of them, the test fails: `src` is gone.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const [, , folder = ''] = process.argv;
const root = resolve(folder);
const src = join(root, 'src');
const index = join(src, 'index.js');
/** The entries of the package, by the modules of `src` that they stand for. */
const entries = new Map([
  [index, 'restpoint'],
  ...['auth', 'checks', 'client', 'formats', 'interceptors', 'mcp', 'openapi', 'postgres', 'queries'].map((name) => [join(src, name, 'index.js'), `restpoint/${name}`]),
]);
/** What these files test is texts, tools and programs of this repository, which they read or start. `tests/support/facts.ts` imports the package, so their imports do not show it. */
const READS_REPOSITORY = /^(?:[^/]+\.test|scripts\/|examples\/cluster|server\/node\/(?:headers|settle-shapes|whole-response))/;

/** The imports of a file: our files as absolute paths, packages by name. */
function importsOf(file) {
  const statements = readFileSync(file, 'utf8').matchAll(/^(?:import|export) (?:.* from )?'(.+)';$/gm);
  // A source in a string imports `.ts`.
  return [...statements].filter(([, name]) => !name.endsWith('.ts')).map(([, name]) => (name.startsWith('.') ? resolve(dirname(file), name) : name));
}

/** Collects the imports of a file, and theirs in turn. Does not follow the entries. */
function collectImports(file, found = new Set()) {
  for (const name of importsOf(file)) {
    if (found.has(name)) continue;
    found.add(name);
    if (name.startsWith(root) && !entries.has(name)) collectImports(name, found);
  }
  return found;
}

function runsOnPackage(test) {
  if (READS_REPOSITORY.test(relative(join(root, 'tests'), test).replaceAll('\\', '/'))) return false;
  const imported = [...collectImports(test)];
  const importsPackage = imported.some((name) => entries.has(name) || name === 'restpoint');
  return importsPackage && imported.every((name) => entries.has(name) || !name.startsWith(src));
}

const files = readdirSync(join(root, 'tests'), { recursive: true }).map((name) => join(root, 'tests', name));
const tests = files.filter((file) => file.endsWith('.test.js'));
const left = tests.filter((test) => !runsOnPackage(test));
for (const test of left) rmSync(test);
rmSync(src, { recursive: true });
for (const [module, entry] of entries) {
  mkdirSync(dirname(module), { recursive: true });
  writeFileSync(module, `export * from '${entry}';\n`);
}
writeFileSync(join(root, 'package.json'), '{ "type": "module" }\n');
console.log(`${tests.length - left.length} of ${tests.length} test files run on the package`);
for (const test of left) console.log(`left out: ${relative(root, test)}`);
