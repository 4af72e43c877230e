/**
 * Imports in src point down. Each room imports only from those below it:
 *
 *   index               the public names
 *   server                          `ApiServer`, start and stop
 *   server/dispatch                 from the head of a request to its target
 *   server/operation                from a matched route to its response
 *   server/listeners                middleware, mounts, request listeners: what Node's messages are made for
 *   server/exchange/memory/node     Node's messages for these carriers, when a listener asks for them
 *   server/exchange/node            the carrier of a connection of Node
 *   server/exchange/node/internals  code that depends on undocumented behaviour of Node
 *   server/exchange/memory          the carriers of `fetch` and of nested calls
 *   server/exchange                 `Exchange`, one request and its one response
 *   server/settings                 the options of the server, checked
 *   endpoint            what registration makes of a declaration
 *   declaration         what a user declares, and what the compiler rejects in it
 *   http                the RFCs as plain functions
 *   router              path templates and their values: it imports nothing
 *   errors              `ApiError` and problems
 *   util                checks of options and headers, promises, buffers, timers: it imports nothing of src
 *
 *   checks                  an entry: client, openapi, endpoint and the folders below it
 *   mcp                     an entry: openapi, endpoint and the folders below it
 *   postgres                an entry: the types of interceptors and formats, endpoint and the folders below it
 *   auth, formats, interceptors, openapi   entries: endpoint and the folders below it
 *   client                  an entry: types of declaration and errors, and nothing of these at run time
 *   queries                 an entry: types of client, and nothing of these at run time
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { assert, suite } from './support/facts.ts';

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

const BELOW_OPTIONS = ['http', 'errors', 'util'];
const DECLARATION = ['declaration', 'declaration/id-codec.ts'];
const BELOW_ENDPOINT = [...DECLARATION, 'router', ...BELOW_OPTIONS];
const BELOW_SERVER = ['endpoint', ...BELOW_ENDPOINT, 'node.ts'];
// The rooms of the server, from the highest to the lowest. `settings` needs no endpoint.
const SERVER_ROOMS = ['server', 'server/dispatch', 'server/operation', 'server/listeners', 'server/exchange/memory/node', 'server/exchange/node', 'server/exchange/node/internals', 'server/exchange/memory', 'server/exchange', 'server/settings'];
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  util: ['util'],
  errors: ['errors', 'util'],
  router: ['router'],
  http: ['http', 'errors', 'util', 'node.ts'],
  // Clients have it without the server.
  'declaration/id-codec.ts': [],
  declaration: [...DECLARATION, ...BELOW_OPTIONS],
  endpoint: ['endpoint', ...BELOW_ENDPOINT],
  ...Object.fromEntries(SERVER_ROOMS.map((room, at) => [room, [...SERVER_ROOMS.slice(at), ...BELOW_SERVER]])),
  'server/settings': ['server/settings', 'declaration', ...BELOW_OPTIONS],
  auth: ['auth', 'endpoint', ...DECLARATION, ...BELOW_OPTIONS, 'node.ts'],
  client: ['client', ...DECLARATION, 'errors', 'util'],
  formats: ['formats', 'endpoint', ...DECLARATION, ...BELOW_OPTIONS, 'node.ts'],
  interceptors: ['interceptors', 'endpoint', ...DECLARATION, ...BELOW_OPTIONS, 'node.ts'],
  postgres: ['postgres', 'interceptors', 'formats', 'endpoint', ...DECLARATION, ...BELOW_OPTIONS, 'node.ts'],
  'openapi/schemas': ['openapi/schemas', 'openapi', 'errors', 'endpoint', ...DECLARATION, 'util'],
  openapi: ['openapi', 'openapi/schemas', 'endpoint', ...BELOW_ENDPOINT, 'node.ts'],
  mcp: ['mcp', 'openapi', 'openapi/schemas', 'endpoint', ...BELOW_ENDPOINT],
  checks: ['checks', 'client', 'openapi', 'openapi/schemas', 'endpoint', ...BELOW_ENDPOINT],
  queries: ['queries', 'client', ...DECLARATION],
  'node.ts': [],
  'index.ts': [...SERVER_ROOMS, 'endpoint', ...DECLARATION, 'http', 'errors', 'util'],
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
  reading(`${JSON.stringify(source)} -> [${expected.join(', ')}]`, () => assert.equal(specifiers(source), expected));
}
reading('finds every room of src, and every imported file', () => {
  const names = [...specifiersOf.keys()];
  assert.equal([...new Set(names.map(roomOf))].sort(), Object.keys(ROOMS).sort());
  assert.equal(names.flatMap(importsOf).filter((name) => !specifiersOf.has(name)), []);
  assert.ok(importsOf('index.ts').includes('server/api-server.ts'));
});
for (const [imports, expected] of [
  [{ a: ['b'], b: ['c'], c: [] }, []],
  [{ a: ['b'], b: ['a'], c: ['a'] }, [['a', 'b']]],
  [{ a: ['b'], b: ['c'], c: ['a'], d: ['e'], e: ['d'] }, [['a', 'b', 'c'], ['d', 'e']]],
] as const) {
  reading(`${JSON.stringify(imports)} has the circles ${JSON.stringify(expected)}`, () => {
    assert.equal(listCircles(Object.keys(imports), (name) => [...imports[name as 'a']]), expected);
  });
}

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
  // A cycle of values could be loaded in no order.
  rules(`${name} is in no cycle of values`, () => assert.is(findPath(name, name, valuesImportedBy)?.join(' -> '), undefined));
}
rules('there is no circle of imports, types included, but of a class and its parts', () => {
  const circles = listCircles([...specifiersOf.keys()], importsOf);
  assert.equal(circles.filter((circle) => !isClassWithParts(circle)), []);
});
for (const name of specifiersOf.keys()) {
  if (!/^(?:checks|formats|interceptors|mcp|openapi|postgres|queries)\//.test(name)) continue;
  rules(`${name} is not loaded by programs that do not import its entry`, () => assert.is(findPath('index.ts', name)?.join(' -> '), undefined));
}
// The core speaks HTTP. Node's messages are there for carriers, for listeners, and in the types that users have.
const WITH_MESSAGES = /^(?:server\/(?:exchange|listeners)|declaration|endpoint|openapi|mcp)\/|^server\/settings\/(?:logged-request|problem-formatter|tls-options)\.ts$/;
for (const name of specifiersOf.keys()) {
  if (WITH_MESSAGES.test(name)) continue;
  rules(`${name} knows neither IncomingMessage nor ServerResponse`, () => {
    assert.not.match(readFileSync(join(SRC, name), 'utf8'), /IncomingMessage|ServerResponse/);
  });
}
for (const name of specifiersOf.keys()) {
  if (!/^server\/exchange\/(?:memory\/)?[^/]+$/.test(name)) continue;
  rules(`${name} loads nothing of Node: a call in memory needs none of its modules`, () => {
    const loaded = loadedWith(name).filter((each) => each === 'node.ts' || /^server\/(?:exchange\/(?:memory\/)?node|listeners)\//.test(each));
    assert.equal(loaded, []);
  });
}

// A test's mock timers replace the global ones, and its environment the global classes. The client's pauses, and what a test of a database waits
// for, are the test's to advance.
const TIMERS = ['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'clearImmediate', 'nextTick', 'performance'];
const OF_THE_ENVIRONMENT = ['util/promises.ts: type', 'endpoint/result-json.ts: Error', 'server/exchange/memory/fetch.ts: URLSearchParams, ArrayBuffer, ReadableStream'];
/** The sources without their comments. */
const codes = [...specifiersOf.keys()].map((name) => [name, readFileSync(join(SRC, name), 'utf8').replaceAll(/\/\*\*[^]*?\*\/|\/\/.*/g, '')] as const);
rules('timers are those of util/timers.ts, in what a server goes on by', () => {
  const found = codes.filter(([name]) => /^(?:checks|endpoint|formats|http|mcp|server)\//.test(name)).flatMap(([name, code]) => {
    const imported = /^import \{(.*)\} from '.*\/util\/timers\.ts';$/m.exec(code)?.[1]?.split(',').map((each) => each.trim()) ?? [];
    return TIMERS.filter((timer) => new RegExp(`(?<![.\\w'])(?:process\\.)?${timer}[(.]`).test(code) && !imported.includes(timer)).map((timer) => `${name}: ${timer}`);
  });
  assert.equal(found, []);
});
rules('instanceof asks for classes of src, and for promises that src has made', () => {
  const own = new Set(codes.flatMap(([, code]) => [...code.matchAll(/\bclass (\w+)/g)].map(([, name]) => name)));
  const found = codes.flatMap(([name, code]) => {
    const types = [...code.matchAll(/ instanceof (\w+)/g)].map(([, type = '']) => type).filter((type) => type !== 'Promise' && !own.has(type));
    return types.length === 0 ? [] : `${name}: ${types.join(', ')}`;
  });
  assert.equal(found.sort(), OF_THE_ENVIRONMENT.sort());
});

const names = suite('the names of types and functions in src');
names('each is declared in one file', () => {
  const files = new Map<string, string[]>();
  for (const file of specifiersOf.keys()) {
    for (const name of listDeclaredNames(readFileSync(join(SRC, file), 'utf8'))) files.set(name, [...files.get(name) ?? [], file]);
  }
  const repeated = [...files].filter(([, { length }]) => length > 1);
  assert.equal(repeated.map(([name, where]) => `${name}: ${where.join(', ')}`), []);
});
for (const [source, expected] of [
  ['type A = 1;\nexport type B<T> = T;\ninterface C {}\nexport abstract class D {}', ['A', 'B', 'C', 'D']],
  ['export async function a() {}\nfunction* b() {}\nfunction c(): void;\nfunction c() {}', ['a', 'b', 'c']],
  ["  type A = 1;\nexport type { B } from './b.ts';\nconst c = 1;\n// type D", []],
] as const) {
  names(`${JSON.stringify(source)} declares [${expected.join(', ')}]`, () => assert.equal(listDeclaredNames(source), expected));
}

/** The types, classes and functions that a source declares at its top. */
function listDeclaredNames(source: string): string[] {
  const declarations = source.matchAll(/^(?:export )?(?:declare )?(?:abstract |async )?(?:type|interface|class|function\*?) (\w+)/gm);
  return [...new Set([...declarations].map(([, name = '']) => name))];
}

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
entries('the core does not load the client', () => {
  const loaded = loadedWith('index.ts');
  assert.ok(loaded.includes('declaration/id-codec.ts'));
  assert.equal(loaded.filter((name) => /^client\//.test(name)), []);
});
entries('the client loads nothing but its own files and the codecs', () => {
  const loaded = loadedWith('client/index.ts');
  assert.ok(loaded.includes('client/request.ts'));
  assert.equal(loaded.filter((name) => !name.startsWith('client/')), ['declaration/id-codec.ts']);
});
entries('the queries load nothing but their own files', () => assert.equal(loadedWith('queries/index.ts').filter((name) => !name.startsWith('queries/')), []));
for (const [source, expected] of [
  ["import type { A } from './a.ts';\nimport { b } from './b.ts';", ['./b.ts']],
  ["export type {\n  A,\n} from './a.ts';\nexport { b } from './b.ts';", ['./b.ts']],
  ["import { type A } from './a.ts';", ['./a.ts']],
] as const) {
  entries(`${JSON.stringify(source)} loads [${expected.join(', ')}]`, () => assert.equal(specifiers(valuesOnly(source)), expected));
}

/** The files that a file imports at run time. */
function valuesImportedBy(name: string): string[] {
  return ownFiles(specifiers(valuesOnly(readFileSync(join(SRC, name), 'utf8'))), name);
}

/** The circles of imports: the files of each import each other, directly or by others of the circle. */
function listCircles(names: readonly string[], next: (name: string) => string[]): string[][] {
  const below = new Map(names.map((name) => [name, filesBelow(name, next)]));
  const circles = names.map((name) => names.filter((other) => below.get(name)?.has(other) === true && below.get(other)?.has(name) === true));
  return circles.filter((circle, at) => circle.length > 1 && circle[0] === names[at]);
}

/** The files that a file imports, and what they import. */
function filesBelow(name: string, next: (name: string) => string[], below = new Set<string>()): Set<string> {
  for (const imported of next(name)) {
    if (!below.has(imported)) filesBelow(imported, next, below.add(imported));
  }
  return below;
}

/** Whether one file of a circle makes the others at run time, and each of these refers back to the type of that one alone. */
function isClassWithParts(circle: readonly string[]): boolean {
  return circle.some((whole) => circle.every((part) => {
    return part === whole || (valuesImportedBy(whole).includes(part) && importsOf(part).every((name) => name === whole || !circle.includes(name)));
  }));
}

/** The files on a path of imports from one file to another. */
function findPath(start: string, end: string, next: (name: string) => string[] = importsOf): string[] | undefined {
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
