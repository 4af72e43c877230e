/** Checks the published module: what it is made of, its names, and where its stack traces lead. Needs `--enable-source-maps`. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

// What the module loads of Node's, by `import` or by `process.getBuiltinModule`. Each takes a tenth to a third of a millisecond of
// every start, even where Node has it loaded already.
const { getBuiltinModule } = process;
const loaded = new Set();
process.getBuiltinModule = (name) => {
  loaded.add(name);
  return getBuiltinModule(name);
};
const restpoint = await import('restpoint');
process.getBuiltinModule = getBuiltinModule;

const file = fileURLToPath(import.meta.resolve('restpoint'));
const files = readdirSync(dirname(file), { recursive: true });
assert.deepEqual(files.filter((name) => name.endsWith('.js')), ['index.js']);

for (const [, name] of readFileSync(file, 'utf8').matchAll(/^import .* from ["'](.*)["'];$/gm)) loaded.add(name);
assert.deepEqual([...loaded].sort(), ['node:async_hooks', 'node:http', 'node:net']);

const exported = Object.entries(restpoint);
assert.deepEqual(exported.map(([name]) => name), ['ApiError', 'ApiServer', 'defineEndpoint', 'integerId', 'stringId', 'uint64Id', 'uuidId']);
// A bundler may give a class another name.
for (const [name, value] of exported) if (typeof value === 'function') assert.equal(value.name, name);

/** The text of `src` at which each frame of a stack points. */
function textsAt(stack) {
  const frames = stack.matchAll(/\((?:file:\/\/)?([^()]+\/src\/[^()]+):(\d+):(\d+)\)/g);
  return [...frames].map(([, path, line, column]) => readFileSync(path, 'utf8').split('\n')[line - 1]?.slice(column - 1));
}

assert.throws(() => new restpoint.ApiServer('/a b'), ({ stack }) => {
  const [thrown, called, constructed] = textsAt(stack);
  assert.match(thrown, /^(?:new )?TypeError\(`\$\{name\}/);
  assert.match(called, /^parseLiteralPath\('root', root\)/);
  assert.match(constructed, /^parseRoot\(root\)/);
  return true;
});
console.log('one module, whose stack traces lead to src');
