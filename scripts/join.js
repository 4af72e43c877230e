/**
 * Makes one module of those that tsc emitted, since Node takes time to find, read and link each:
 *
 *   node scripts/join.js <folder of the emitted modules> <folder of the one module>
 *
 * Each keeps a scope of its own, and its lines and columns, so that what tsc's source maps say of them stays true:
 *
 *   import { Refused } from './refused.js';
 *   export function reply() { … }
 *
 * becomes `const { reply } = (() => { … return { reply }; })();`, behind the same for `refused.js`. What `index.js`
 * exports is what the one module exports. Whatever is written in another form than these is refused.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { JoinedMap } from './joined-map.js';

const ENTRY = 'index.js';
const LIST = String.raw`\{ ([\w$, ]+) \} from '([^']+)';$`;
const IMPORT = new RegExp(`^import ${LIST}`);
const REEXPORT = new RegExp(`^export ${LIST}`);
const DECLARATION = /^export (?=(?:(?:async )?function\*?|class|const) ([\w$]+)\b)/;
const OTHER = /^\s*(?:import|export)\b|\bimport\s*[(.]/;
const COMMENT = /^\s*(?:\/\/|\/?\*|$)/;

class Joined {
  #input;
  #output;
  /** The names that each module exports, by its path; `undefined` while what it imports is being added. */
  #exports = new Map();
  /** Where each name comes from that every module sees. */
  #origins = new Map();
  #builtins = new Map();
  #lines = [];
  #map = new JoinedMap();

  constructor(input, output) {
    this.#input = input;
    this.#output = output;
  }

  /** Adds a module behind those that it imports, unless it is there. Gives the names that it exports. */
  add(path) {
    if (this.#exports.has(path)) return this.#exports.get(path) ?? fail(path, 'imports itself by some way round');
    this.#exports.set(path, undefined);
    const names = [];
    const lines = this.#read(path).trimEnd().split('\n').map((line, index) => {
      return this.#translate(line, { path, place: `${path}:${index + 1}`, names });
    });
    this.#exports.set(path, names);
    if (path === ENTRY) return names;
    for (const name of names) this.#claim(name, path);
    this.#lines.push(`const { ${names.join(', ')} } = (() => {`, ...lines, `return { ${names.join(', ')} };`, '})();');
    const { sources: [emittedFrom], mappings } = JSON.parse(this.#read(`${path}.map`));
    const source = relative(this.#output, resolve(this.#input, posix.dirname(path), emittedFrom));
    this.#map.append(source.split(sep).join('/'), ['', ...mappings.split(';')], lines.length + 3);
    return names;
  }

  /** Writes the one module, with these exports, and its source map. */
  write(exported) {
    const imports = [...this.#builtins].map(([from, names]) => `import { ${[...names].join(', ')} } from '${from}';`);
    const end = [`export { ${exported.join(', ')} };`, `//# sourceMappingURL=${ENTRY}.map`, ''];
    mkdirSync(this.#output, { recursive: true });
    writeFileSync(join(this.#output, ENTRY), [...imports, ...this.#lines, ...end].join('\n'));
    writeFileSync(join(this.#output, `${ENTRY}.map`), this.#map.format(ENTRY, imports.length));
  }

  #read(path) {
    return readFileSync(join(this.#input, path), 'utf8');
  }

  /** The line that stands for a line of a module. */
  #translate(line, module) {
    const [, imported, from] = IMPORT.exec(line) ?? [];
    if (imported !== undefined) return this.#import(imported, from, module);
    const [, reexported, origin] = REEXPORT.exec(line) ?? [];
    if (reexported !== undefined && module.path === ENTRY) {
      module.names.push(...namesOf(reexported));
      return this.#import(reexported, origin, module);
    }
    const [exporting = '', declared] = DECLARATION.exec(line) ?? [];
    if (declared !== undefined) module.names.push(declared);
    const rest = ' '.repeat(exporting.length) + line.slice(exporting.length);
    if (OTHER.test(rest) || (module.path === ENTRY && !COMMENT.test(rest))) fail(module.place, `can not be joined: ${line}`);
    return rest.startsWith('//# sourceMappingURL=') ? '' : rest;
  }

  /** Sees to it that what a module imports stands before it; the line of the import is empty then. */
  #import(list, from, { path, place }) {
    const names = namesOf(list);
    if (from.startsWith('node:')) {
      for (const name of names) this.#claim(name.split(' as ').at(-1), `${from} ${name}`);
      this.#builtins.set(from, new Set([...(this.#builtins.get(from) ?? []), ...names]));
      return '';
    }
    const exported = from.startsWith('.') ? this.add(posix.join(posix.dirname(path), from)) : [];
    const missing = names.find((name) => !exported.includes(name));
    if (missing !== undefined) fail(place, `${from} exports no ${missing}`);
    return '';
  }

  /** Refuses a name that means something else already, which only some of the modules would expect. */
  #claim(name, origin) {
    const taken = this.#origins.get(name) ?? (name in globalThis ? 'the global object' : origin);
    if (taken !== origin) fail(origin, `${name} is also a name of ${taken}`);
    this.#origins.set(name, origin);
  }
}

function namesOf(list) {
  return list.split(',').map((name) => name.trim()).filter((name) => name !== '');
}

function fail(place, why) {
  throw new Error(`${place}: ${why}`);
}

const [, , input, output] = process.argv;
const joined = new Joined(input, output);
joined.write(joined.add(ENTRY));
// What does not load is no build.
await import(pathToFileURL(resolve(output, ENTRY)).href);
