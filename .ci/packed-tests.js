/**
 * Readies compiled tests to run on the installed package in place of `src`:
 *
 *   npx tsc -p tests --outDir <folder in a project that has the package> && node .ci/packed-tests.js <the same folder>
 *
 * `src` is replaced by one module that exports what the package does. Test files that import another module of `src`, or
 * nothing of the package, are removed. An import that this overlooks fails when the tests run: nothing of `src` is left.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const [, , folder = ''] = process.argv;
const root = resolve(folder);
const src = join(root, 'src');
const index = join(src, 'index.js');

/** What a file imports: files of ours by their paths, all else by its name. */
function importsOf(file) {
  const statements = readFileSync(file, 'utf8').matchAll(/^(?:import|export) (?:.* from )?'(.+)';$/gm);
  return [...statements].map(([, name]) => (name.startsWith('.') ? resolve(dirname(file), name) : name));
}

/** Collects what a file imports, and what that imports, and so on. The public index is not looked into. */
function collectImports(file, found = new Set()) {
  for (const name of importsOf(file)) {
    if (found.has(name)) continue;
    found.add(name);
    if (name.startsWith(root) && name !== index) collectImports(name, found);
  }
  return found;
}

function runsOnPackage(test) {
  const imported = [...collectImports(test)];
  const importsPackage = imported.some((name) => name === index || name === 'restpoint');
  return importsPackage && imported.every((name) => name === index || !name.startsWith(src));
}

const files = readdirSync(join(root, 'tests'), { recursive: true }).map((name) => join(root, 'tests', name));
const tests = files.filter((file) => file.endsWith('.test.js'));
const left = tests.filter((test) => !runsOnPackage(test));
for (const test of left) rmSync(test);
rmSync(src, { recursive: true });
mkdirSync(src);
writeFileSync(index, "export * from 'restpoint';\n");
writeFileSync(join(root, 'package.json'), '{ "type": "module" }\n');
console.log(`${tests.length - left.length} of ${tests.length} test files run on the package`);
for (const test of left) console.log(`left out: ${relative(root, test)}`);
