/** Checks the published modules: their files, their imports, their names, their stack traces, and that no comment is in them. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

// The modules of Node that it loads, by `import` or by `process.getBuiltinModule`. Each one adds a tenth to a third of a
// millisecond to every start, even if Node has loaded it already.
const { getBuiltinModule } = process;
async function load(entry, expectedModules, expectedNames) {
  const loaded = new Set();
  process.getBuiltinModule = (name) => {
    loaded.add(name);
    return getBuiltinModule(name);
  };
  const module = await import(entry);
  process.getBuiltinModule = getBuiltinModule;
  const file = fileURLToPath(import.meta.resolve(entry));
  for (const [, name] of readFileSync(file, 'utf8').matchAll(/\bimport\s*\{[^{}]*\}\s*from\s*"(.*?)"/g)) loaded.add(name);
  assert.deepEqual([...loaded].sort(), expectedModules);
  const exported = Object.entries(module);
  assert.deepEqual(exported.map(([name]) => name), expectedNames);
  // A bundler may rename a class.
  for (const [name, value] of exported) if (typeof value === 'function') assert.equal(value.name, name);
  return module;
}

const restpoint = await load('restpoint', ['./core.js', 'node:async_hooks', 'node:diagnostics_channel', 'node:events', 'node:http', 'node:net', 'node:stream', 'node:timers'], [
  'ApiError', 'ApiServer', 'bytes', 'created', 'defineEndpoint', 'defineFormat', 'endpointWith', 'integerId', 'problem', 'reply', 'stringId',
  'uint64Id', 'uuidId', 'views', 'wildcardId',
]);
const auth = await load('restpoint/auth', ['../core.js', 'node:crypto'], ['anyone', 'apiKey', 'basic', 'bearer', 'cookie', 'firstOf', 'secretsEqual']);
await load('restpoint/checks', ['../core.js', '../document.js'], ['checks']);
await load('restpoint/client', [], ['ProblemError', 'client', 'integerId', 'stringId', 'toFormData', 'uint64Id', 'uuidId', 'wait', 'wildcardId']);
await load('restpoint/formats', ['../core.js'], ['attachment', 'byType', 'createDecoder', 'events', 'form', 'json', 'mergePatch', 'ndjson', 'parseJson', 'ranges', 'readAll']);
const { pages } = await load('restpoint/interceptors', ['../core.js', 'node:crypto'], ['dateKey', 'idempotent', 'memoryIdempotencyStore', 'memoryRates', 'pages', 'rateLimit']);
await load('restpoint/mcp', ['../core.js', '../document.js'], ['mcpHandler']);
await load('restpoint/openapi', ['../core.js', '../document.js', 'node:crypto'], ['openApi', 'openApiHandler', 'swaggerUiHandler']);
await load('restpoint/postgres', ['../core.js', 'node:crypto'], ['inTransaction', 'isDatabaseUnavailable', 'keyset', 'mapInvalidValue', 'mapUnavailable', 'postgresEvents', 'postgresIdempotencyStore', 'postgresRates', 'postgresTables', 'transaction']);
await load('restpoint/queries', [], ['ConflictError', 'merge', 'queries']);

const files = readdirSync(dirname(fileURLToPath(import.meta.resolve('restpoint'))), { recursive: true });
assert.deepEqual(files.filter((name) => name.endsWith('.js')).sort(), ['auth/index.js', 'checks/index.js', 'client/index.js', 'core.js', 'document.js', 'formats/index.js', 'index.js', 'interceptors/index.js', 'mcp/index.js', 'openapi/index.js', 'postgres/index.js', 'queries/index.js']);

// The entries share their classes, or the server would respond with 500.
assert.throws(() => auth.bearer(() => 'ann')({ raw: { rawHeaders: [] } }), restpoint.ApiError);
const server = new restpoint.ApiServer('');
const list = { use: pages({ cursor: (item) => item }), run: () => restpoint.reply(200, ['a']) };
server.registerEndpoint('/name', { id: restpoint.stringId, list });
assert.equal(await (await server.fetch('/name')).text(), '["a"]');

// A name in a frame leads to the line of the source.
assert.throws(() => new restpoint.ApiServer('/a b'), ({ stack }) => {
  const frames = [...stack.matchAll(/at (?:new )?([\w.]+) \(.*\/dist\/(?:core|index)\.js:/g)].map(([, name]) => name);
  assert.deepEqual(frames.slice(0, 4), ['checkPath', 'parseLiteralPath', 'parseRoot', 'ApiServer']);
  return true;
});
for (const name of files.filter((each) => each.endsWith('.js'))) {
  const code = readFileSync(new URL(name, import.meta.resolve('restpoint')), 'utf8');
  assert.equal(/^\s*\/\/ |\/\*[*\s]/m.exec(code), null, name);
  assert.ok(code.split('\n').every((line) => line.length < 1000), `${name} has a long line`);
}
console.log('the stack traces of the module name its functions');
