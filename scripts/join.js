/**
 * Makes one module of those that tsc emitted, since Node takes time to find, read and link each:
 *
 *   node scripts/join.js <folder of the emitted modules> <folder of the one module>
 *
 * Their lines stand one after the other in one scope, each module behind those that it imports. What they import of Node's
 * modules is imported once, on top; every import leaves an empty line, and `export` leaves spaces, so that what tsc's
 * source maps say of lines and columns stays true. What `index.js` exports is what the one module exports.
 *
 * In one scope a name has one meaning: one that is declared twice, or is a global's, is refused. So is whatever is written
 * in another form than the few that are known here.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { JoinedMap } from './joined-map.js';

const ENTRY = 'index.js';
const OF_NODE = /^import \{ ([\w$, ]+?),? \} from '(node:[^']+)';$/;
const OF_OURS = /^(import|export) \{ ([\w$]+(?:, [\w$]+)*),? \} from '(\.[^']+)';$/;
const DECLARATION = /^(export )?(?:(?:async )?function\*?|class|const|let|var) ([\w$]+)/;
const SEVERAL_OR_PATTERN = /^(?:export )?(?:const|let|var) .*(?:, [\w$]+(?: = |;$)|[}\]] = )/;
// What is inside of a declaration, the end of one, and comments.
const OTHER = /^(?:$|\s|[\])}]+;?$|\/[/*])/;
const IMPORT_IN_CODE = /\bimport(?:\(|\.meta\b)/;

class Joined {
  #input;
  #output;
  /** Whether a module, by its path, is there with all that it imports. */
  #added = new Map();
  /** Where each name is declared or imported. */
  #places = new Map();
  #builtins = new Map();
  #exported = [];
  #lines = [];
  #map = new JoinedMap();

  constructor(input, output) {
    this.#input = input;
    this.#output = output;
    this.#add(ENTRY);
  }

  /** Writes the one module and its source map. */
  write() {
    const imports = [...this.#builtins].map(([from, names]) => `import { ${[...names].join(', ')} } from '${from}';`);
    const end = [`export { ${this.#exported.join(', ')} };`, `//# sourceMappingURL=${ENTRY}.map`, ''];
    mkdirSync(this.#output, { recursive: true });
    writeFileSync(join(this.#output, ENTRY), [...imports, ...this.#lines, ...end].join('\n'));
    writeFileSync(join(this.#output, `${ENTRY}.map`), this.#map.format(ENTRY, imports.length));
  }

  #read(path) {
    return readFileSync(join(this.#input, path), 'utf8');
  }

  /** Adds a module behind those that it imports, unless it is there. */
  #add(path) {
    if (this.#added.get(path) === false) fail(path, 'imports itself by some way round');
    if (this.#added.has(path)) return;
    this.#added.set(path, false);
    const lines = this.#read(path).trimEnd().split('\n').map((line, index) => this.#translate(line, path, `${path}:${index + 1}`));
    this.#added.set(path, true);
    this.#lines.push(...lines);
    const { sources: [emittedFrom], mappings } = JSON.parse(this.#read(`${path}.map`));
    const source = relative(this.#output, resolve(this.#input, posix.dirname(path), emittedFrom));
    this.#map.append(source.split(sep).join('/'), mappings.split(';'), lines.length);
  }

  /** The line that stands for a line of a module. */
  #translate(line, path, place) {
    const [, ofNode, builtin] = OF_NODE.exec(line) ?? [];
    const [, keyword, ofOurs, module] = OF_OURS.exec(line) ?? [];
    if (builtin !== undefined) this.#import(ofNode.split(', '), builtin, place);
    if (module !== undefined) this.#add(posix.join(posix.dirname(path), module));
    if (keyword === 'export' && path === ENTRY) this.#exported.push(ofOurs);
    if (builtin !== undefined || module !== undefined || line.startsWith('//# sourceMappingURL=')) return '';
    const [, exporting = '', name] = DECLARATION.exec(line) ?? [];
    const isKnown = name === undefined ? OTHER.test(line) : path !== ENTRY && !SEVERAL_OR_PATTERN.test(line);
    if (!isKnown || IMPORT_IN_CODE.test(line)) fail(place, `can not be joined: ${line}`);
    if (name !== undefined) this.#claim(name, place);
    return ' '.repeat(exporting.length) + line.slice(exporting.length);
  }

  #import(names, from, place) {
    const known = this.#builtins.get(from) ?? new Set();
    this.#builtins.set(from, known);
    for (const name of names.filter((each) => !known.has(each))) {
      known.add(name);
      this.#claim(name.split(' as ').at(-1), place);
    }
  }

  /** Refuses a name that means something else already, which only some of the modules would expect. */
  #claim(name, place) {
    const taken = name in globalThis ? 'the global object' : this.#places.get(name);
    if (taken !== undefined) fail(place, `${name} is also a name of ${taken}`);
    this.#places.set(name, place);
  }
}

function fail(place, why) {
  throw new Error(`${place}: ${why}`);
}

const [, , input, output] = process.argv;
new Joined(input, output).write();
// What does not load is no build.
await import(pathToFileURL(resolve(output, ENTRY)).href);
