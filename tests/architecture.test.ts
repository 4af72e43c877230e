/**
 * Imports in src point in one direction only:
 *
 *   router              ->   no other folder of src
 *   http/headers        ->   no other file of src: errors import it, and http imports errors
 *   errors              ->   http/headers
 *   http                ->   errors
 *   endpoint/id-codec   ->   nothing: clients have it without the server
 *   endpoint, and endpoint/declared, which refer to each other   ->   errors, router, http
 *   server/settings     ->   errors, http
 *   server/node-internals   ->   no other folder of src
 *   server/connection   ->   server/node-internals, errors, http
 *   server/reply        ->   server/connection, server/node-internals, server/settings, errors, http
 *   server/listening    ->   server/reply, server/connection, server/node-internals, server/settings, errors, http
 *   server/operation    ->   all of these but server/listening
 *   server              ->   all of these
 *   auth                ->   errors, http, endpoint
 *   client              ->   the types of endpoint and errors, and at run time nothing
 *   codecs              ->   endpoint/id-codec
 *   openapi, and openapi/schemas   ->   errors, http, router, endpoint
 *   node                ->   nothing. All other files get Node's modules from it
 *   index               ->   endpoint, server, http and errors, which have the public names
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

// A statement may have several lines, of which the last has the specifier. The other two forms have no `from`.
function specifiers(source: string): string[] {
  const found = source.matchAll(/^(?:import|export|\})[^;'"]*\sfrom\s*['"](.+?)['"]|^import\s*['"](.+?)['"]|\b(?:import|require)\(\s*['"](.+?)['"]/gm);
  return [...found].map(([, from, alone, called]) => from ?? alone ?? called ?? '');
}

/** The files that a file imports, by their names in src. A file outside of src begins with `../`. */
function importsOf(name: string): string[] {
  const own = (specifiersOf.get(name) ?? []).filter((specifier) => specifier.startsWith('.'));
  return own.map((specifier) => relative(SRC, join(SRC, dirname(name), specifier)).split(sep).join('/'));
}

/** The folder of a file in src. A file directly in src is a room of its own, and so is one that `ROOMS` names. */
function roomOf(name: string): string {
  return name.includes('/') && !Object.hasOwn(ROOMS, name) ? dirname(name) : name;
}

const ROOMS: Readonly<Record<string, readonly string[]>> = {
  errors: ['errors', 'http/headers.ts'],
  router: ['router'],
  'http/headers.ts': [],
  http: ['http', 'http/headers.ts', 'errors', 'node.ts'],
  'endpoint/id-codec.ts': [],
  'endpoint/declared': ['endpoint/declared', 'endpoint', 'endpoint/id-codec.ts', 'errors', 'router', 'http', 'http/headers.ts'],
  endpoint: ['endpoint', 'endpoint/id-codec.ts', 'endpoint/declared', 'errors', 'router', 'http', 'http/headers.ts'],
  'server/node-internals': ['server/node-internals', 'node.ts'],
  'server/connection': ['server/connection', 'server/node-internals', 'errors', 'http', 'http/headers.ts', 'node.ts'],
  'server/settings': ['http/headers.ts', 'server/settings', 'errors', 'http'],
  'server/reply': ['server/reply', 'server/connection', 'server/node-internals', 'server/settings', 'errors', 'http', 'http/headers.ts', 'node.ts'],
  'server/listening': ['server/listening', 'server/reply', 'server/connection', 'server/node-internals', 'server/settings', 'errors', 'http', 'node.ts'],
  'server/operation': ['server/reply', 'server/node-internals', 'endpoint/declared', 'http/headers.ts', 'server/operation', 'node.ts', 'server/settings', 'server/connection', 'endpoint', 'errors', 'router', 'http'],
  server: ['server', 'server/listening', 'server/reply', 'server/node-internals', 'endpoint/declared', 'http/headers.ts', 'node.ts', 'server/settings', 'server/operation', 'server/connection', 'errors', 'router', 'http', 'endpoint'],
  auth: ['auth', 'errors', 'http', 'http/headers.ts', 'endpoint'],
  client: ['client', 'endpoint', 'endpoint/id-codec.ts', 'errors'],
  codecs: ['endpoint/id-codec.ts'],
  'openapi/schemas': ['openapi/schemas', 'openapi', 'errors', 'endpoint'],
  openapi: ['openapi', 'openapi/schemas', 'errors', 'http', 'router', 'endpoint'],
  'node.ts': [],
  'index.ts': ['server', 'server/listening', 'server/settings', 'endpoint', 'endpoint/id-codec.ts', 'errors', 'http', 'http/headers.ts'],
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
    const refused = outside.filter((specifier) => roomOf(name) === 'router' || !specifier.startsWith('node:'));
    assert.equal(refused, []);
  });
  rules(`${name} imports Node's values only through node.ts`, () => {
    const values = readFileSync(join(SRC, name), 'utf8').match(/^import (?!type\b)[^;]*? from 'node:.*/gm) ?? [];
    assert.equal(values, []);
  });
  rules(`${name} is in no import cycle`, () => {
    assert.is(wayFrom(name, name)?.join(' -> '), undefined);
  });
}
for (const name of specifiersOf.keys()) {
  if (!/^(?:openapi)\//.test(name)) continue;
  rules(`${name} is not loaded by hosts that do not import its entry`, () => {
    assert.is(wayFrom('index.ts', name)?.join(' -> '), undefined);
  });
}
rules.run();

/** A source without the imports that are only there for the compiler. */
function valuesOnly(source: string): string {
  return source.replace(/^(?:import|export) type\b[^;]*;/gm, '');
}

/** What loads with a file: the file itself, what it imports at run time, and what these import. */
function loadedWith(name: string, loaded = new Set<string>()): string[] {
  loaded.add(name);
  const imported = specifiersOf.has(name) ? specifiers(valuesOnly(readFileSync(join(SRC, name), 'utf8'))) : [];
  for (const specifier of imported) {
    const next = specifier.startsWith('.') ? join(dirname(name), specifier).split(sep).join('/') : specifier;
    if (!loaded.has(next)) loadedWith(next, loaded);
  }
  return [...loaded].sort();
}

const entries = suite('what loads with an entry');
entries('the core loads neither the client nor the entry with the codecs', () => {
  const loaded = loadedWith('index.ts');
  assert.ok(loaded.includes('endpoint/id-codec.ts'));
  assert.equal(loaded.filter((name) => /^(?:client|codecs)\//.test(name)), []);
});
entries('the codecs load without the server', () => {
  assert.equal(loadedWith('codecs/index.ts'), ['codecs/index.ts', 'endpoint/id-codec.ts']);
});
entries('the client loads nothing but its own files', () => {
  const loaded = loadedWith('client/index.ts');
  assert.ok(loaded.includes('client/request.ts'));
  assert.equal(loaded.filter((name) => !name.startsWith('client/')), []);
});
// The bundles of the entries import it from that of the core, so that `instanceof` knows each `ApiError`.
entries('the other entries take of the errors that all share only what the core exports', () => {
  const taken = ['auth', 'client', 'codecs', 'openapi'].flatMap((room) => readdirSync(join(SRC, room), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => [...readFileSync(join(SRC, room, name), 'utf8').matchAll(/^import \{ (.*) \} from '.*\/api-error\.ts';$/gm)])
    .flatMap(([, names = '']) => names.split(', ')));
  assert.equal([...new Set(taken)], ['ApiError']);
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

/** The files on a path of imports from one file to another. */
function wayFrom(start: string, end: string): string[] | undefined {
  const ways = [[start]];
  const seen = new Set<string>();
  for (let way = ways.shift(); way !== undefined; way = ways.shift()) {
    for (const next of importsOf(way.at(-1) ?? start)) {
      if (next === end) return [...way, next];
      if (!seen.has(next)) ways.push([...way, next]);
      seen.add(next);
    }
  }
  return undefined;
}
