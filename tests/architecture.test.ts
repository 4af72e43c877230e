/**
 * Imports in src point down. Each room imports only from those below it:
 *
 *   index               the public names
 *   server              from the face, `ApiServer`, to the reply of a matched route
 *   server/connection   connections and exchanges
 *   server/node         code that depends on undocumented behaviour of Node
 *   endpoint            declarations, and the model that registration makes from them
 *   http                the RFCs as plain functions
 *   router              path templates and their values: it imports nothing
 *   errors              `ApiError` and problems
 *   http/headers        lists of headers: it imports nothing
 *   util                option checks, promises, buffers: it imports nothing
 *
 *   checks, mcp             entries: openapi, endpoint and the folders below it
 *   auth, codecs, formats, interceptors, observers, openapi   entries: endpoint and the folders below it
 *   client                  an entry: types of endpoint and errors, and nothing of these at run time
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const SRC = join(process.cwd(), 'src');

/** The import specifiers of each file of src, as it writes them: `./api-error.ts`, `node:http`. */
const specifiersOf = new Map(
  readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => [name.split(sep).join('/'), specifiers(readFileSync(join(SRC, name), 'utf8'))]),
);

// A statement may have several lines, of which the last has the specifier. The other two forms have no `from`. Docstrings have examples.
function specifiers(source: string): string[] {
  const found = source.replaceAll(/^ *\/\*\*[^]*?\*\/$/gm, '').matchAll(/^(?:import|export|\})[^;'"]*\sfrom\s*['"](.+?)['"]|^import\s*['"](.+?)['"]|\b(?:import|require)\(\s*['"](.+?)['"]/gm);
  return [...found].map(([, from, alone, called]) => from ?? alone ?? called ?? '');
}

/** The files that a file imports, by their names in src. A file outside of src begins with `../`. */
function importsOf(name: string): string[] {
  return ownFiles(specifiersOf.get(name) ?? [], name);
}

function ownFiles(found: readonly string[], name: string): string[] {
  const own = found.filter((specifier) => specifier.startsWith('.'));
  return own.map((specifier) => relative(SRC, join(SRC, dirname(name), specifier)).split(sep).join('/'));
}

/** The folder of a file in src. A file directly in src is a separate room, and so is one that `ROOMS` names. */
function roomOf(name: string): string {
  return name.includes('/') && !Object.hasOwn(ROOMS, name) ? dirname(name) : name;
}

const BELOW_ENDPOINT = ['http', 'http/headers.ts', 'router', 'errors', 'util'];
const SERVER_OPTIONS = ['server/options.ts', 'server/logger.ts', 'server/logged-error.ts', 'server/problem-formatter.ts', 'server/tls-options.ts'];
const BELOW_OPTIONS = ['http', 'http/headers.ts', 'errors', 'util'];
const BELOW_CONNECTION = [...SERVER_OPTIONS, 'server/node', ...BELOW_OPTIONS, 'node.ts'];
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  util: [],
  'http/headers.ts': [],
  errors: ['errors', 'http/headers.ts', 'util'],
  router: ['router'],
  http: ['http', 'http/headers.ts', 'errors', 'util', 'node.ts'],
  // Clients have it without the server.
  'endpoint/id-codec.ts': [],
  endpoint: ['endpoint', 'endpoint/id-codec.ts', ...BELOW_ENDPOINT],
  'server/node': ['server/node', 'node.ts', 'util'],
  ...Object.fromEntries(SERVER_OPTIONS.map((name) => [name, [...SERVER_OPTIONS, ...BELOW_OPTIONS]])),
  'server/connection': ['server/connection', ...BELOW_CONNECTION],
  server: ['server', 'server/connection', ...BELOW_CONNECTION, 'endpoint', 'router'],
  auth: ['auth', 'endpoint', ...BELOW_OPTIONS, 'node.ts'],
  client: ['client', 'endpoint', 'endpoint/id-codec.ts', 'errors', 'http/headers.ts'],
  codecs: ['endpoint/id-codec.ts'],
  formats: ['formats', 'endpoint', ...BELOW_OPTIONS],
  interceptors: ['interceptors', 'endpoint', 'endpoint/id-codec.ts', ...BELOW_OPTIONS, 'node.ts'],
  'openapi/schemas': ['openapi/schemas', 'openapi', 'errors', 'endpoint', 'util'],
  observers: ['observers', 'endpoint', 'errors', 'util'],
  openapi: ['openapi', 'openapi/schemas', 'endpoint', ...BELOW_ENDPOINT, 'node.ts'],
  mcp: ['mcp', 'openapi', 'openapi/schemas', 'endpoint', ...BELOW_ENDPOINT],
  checks: ['checks', 'openapi', 'openapi/schemas', 'endpoint', ...BELOW_ENDPOINT],
  'node.ts': [],
  'index.ts': ['server', ...SERVER_OPTIONS, 'endpoint', 'endpoint/id-codec.ts', 'http', 'http/headers.ts', 'errors'],
};

const reading = suite('the parser of import lines');
for (const [source, expected] of [
  ["import { a } from './a.ts';", ['./a.ts']],
  ["import type { A } from './a.ts';", ['./a.ts']],
  ["import * as a from './a.ts';", ['./a.ts']],
  ["import {\n  a,\n  b,\n} from './a.ts';\nimport b from 'b';", ['./a.ts', 'b']],
  ["export { a, type A } from './a.ts';", ['./a.ts']],
  ["export * from './a.ts';", ['./a.ts']],
  ["import './a.ts';", ['./a.ts']],
  ['import { a } from "./a.ts" // why', ['./a.ts']],
  ["const a = await import('./a.ts');", ['./a.ts']],
  ["type A = import('./a.ts').A;", ['./a.ts']],
  ["const a = require('a');", ['a']],
  ["// import { a } from './a.ts';\nconst from = './a.ts';", []],
  ["interface A {\n}\n\n/**\n * @example\n * import { b } from 'b';\n */\nexport * from './a.ts';", ['./a.ts']],
] as const) {
  reading(`${JSON.stringify(source)} -> [${expected.join(', ')}]`, () => {
    assert.equal(specifiers(source), expected);
  });
}
reading('finds every room of src, and every imported file', () => {
  const names = [...specifiersOf.keys()];
  assert.equal([...new Set(names.map(roomOf))].sort(), Object.keys(ROOMS).sort());
  assert.equal(names.flatMap(importsOf).filter((name) => !specifiersOf.has(name)), []);
  assert.ok(importsOf('index.ts').includes('server/api-server.ts'));
});
reading.run();

const rules = suite('the imports of src');
for (const [name, specifiersOfName] of specifiersOf) {
  rules(`${name} imports only from ${ROOMS[roomOf(name)]?.join(', ') ?? 'no known room'}`, () => {
    for (const imported of importsOf(name)) assert.ok(ROOMS[roomOf(name)]?.includes(roomOf(imported)), `${name} imports ${imported}`);
  });
  rules(`${name} imports ${roomOf(name) === 'router' ? 'nothing' : "only Node's own modules"} from outside`, () => {
    const outside = specifiersOfName.filter((specifier) => !specifier.startsWith('.'));
    const rejected = outside.filter((specifier) => roomOf(name) === 'router' || !specifier.startsWith('node:'));
    assert.equal(rejected, []);
  });
  rules(`${name} imports Node's values only through node.ts`, () => {
    const values = readFileSync(join(SRC, name), 'utf8').match(/^import (?!type\b)[^;]*? from 'node:.*/gm) ?? [];
    assert.equal(values, []);
  });
  // Types may refer to each other. A cycle of values could be loaded in no order.
  rules(`${name} is in no cycle of values`, () => {
    assert.is(wayFrom(name, name, valuesImportedBy)?.join(' -> '), undefined);
  });
}
for (const name of specifiersOf.keys()) {
  if (!/^(?:checks|formats|interceptors|mcp|observers|openapi)\//.test(name)) continue;
  rules(`${name} is not loaded by programs that do not import its entry`, () => {
    assert.is(wayFrom('index.ts', name)?.join(' -> '), undefined);
  });
}
rules.run();

/** A source without the imports that are only there for the compiler. */
function valuesOnly(source: string): string {
  return source.replace(/^(?:import|export) type\b[^;]*;/gm, '');
}

/** The modules that load with a file: the file itself, its imports at run time, and their imports. */
function loadedWith(name: string, loaded = new Set<string>()): string[] {
  loaded.add(name);
  const imported = specifiersOf.has(name) ? specifiers(valuesOnly(readFileSync(join(SRC, name), 'utf8'))) : [];
  for (const specifier of imported) {
    const next = specifier.startsWith('.') ? join(dirname(name), specifier).split(sep).join('/') : specifier;
    if (!loaded.has(next)) loadedWith(next, loaded);
  }
  return [...loaded].sort();
}

const entries = suite('the modules that load with an entry');
entries('the core loads neither the client nor the entry with the codecs', () => {
  const loaded = loadedWith('index.ts');
  assert.ok(loaded.includes('endpoint/id-codec.ts'));
  assert.equal(loaded.filter((name) => /^(?:client|codecs)\//.test(name)), []);
});
entries('the codecs load without the server', () => {
  assert.equal(loadedWith('codecs/index.ts'), ['codecs/index.ts', 'endpoint/id-codec.ts']);
});
entries('the observers do not load node:http, which an instrumentation may still have to patch', () => {
  assert.equal(loadedWith('observers/index.ts').filter((name) => name === 'node.ts'), []);
});
entries('the client loads nothing but its own files', () => {
  const loaded = loadedWith('client/index.ts');
  assert.ok(loaded.includes('client/request.ts'));
  assert.equal(loaded.filter((name) => !name.startsWith('client/')), []);
});
for (const [source, expected] of [
  ["import type { A } from './a.ts';\nimport { b } from './b.ts';", ['./b.ts']],
  ["export type {\n  A,\n} from './a.ts';\nexport { b } from './b.ts';", ['./b.ts']],
  ["import { type A } from './a.ts';", ['./a.ts']],
] as const) {
  entries(`${JSON.stringify(source)} loads [${expected.join(', ')}]`, () => {
    assert.equal(specifiers(valuesOnly(source)), expected);
  });
}
entries.run();

/** The files that a file imports at run time. */
function valuesImportedBy(name: string): string[] {
  return ownFiles(specifiers(valuesOnly(readFileSync(join(SRC, name), 'utf8'))), name);
}

/** The files on a path of imports from one file to another. */
function wayFrom(start: string, end: string, next: (name: string) => string[] = importsOf): string[] | undefined {
  const ways = [[start]];
  const seen = new Set<string>();
  for (let way = ways.shift(); way !== undefined; way = ways.shift()) {
    for (const imported of next(way.at(-1) ?? start)) {
      if (imported === end) return [...way, imported];
      if (!seen.has(imported)) ways.push([...way, imported]);
      seen.add(imported);
    }
  }
  return undefined;
}
