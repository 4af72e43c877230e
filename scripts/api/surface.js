/**
 * The public surface of an entry: the declarations of the names that it exports, as the compiler has written them into `dist`, without
 * comments and private properties.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DECLARATION, namesIn, splitStatements, withoutComments } from '../declarations.js';

const EXPORT = /^export (?:type )?\{([^]*)\} from '([^']+)';$/;
const IMPORT = /^import (?:type )?\{([^]*)\} from '([^']+)';$/;
const PRIVATE = /^ {4}(?:#private|private .*);\n/gm;

/** The surface of the entry whose types are in this file: the imports from other packages that it uses, then its names, sorted. */
export function readSurface(file) {
  const exported = exportsOf(file).map(([name, declared, from]) => ({ name, ...findDeclarations(from, declared, name) }));
  const names = exported.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`${file} exports ${twice} twice`);
  const imports = [...new Set(exported.flatMap(({ imported }) => imported))].sort();
  const declarations = exported.sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ text }) => `${text}\n`);
  return [...imports.map((each) => `${each}\n`), ...(imports.length > 0 ? ['\n'] : []), declarations.join('\n')].join('');
}

/** Each name that a file exports from others, with its name there and that file. */
function exportsOf(file) {
  return statementsOf(file).flatMap((statement) => {
    const [, list, from] = EXPORT.exec(statement) ?? [];
    return list === undefined ? [] : namesIn(list).map(([declared, name]) => [name, declared, resolve(file, from)]);
  });
}

/** The declarations of a name: several for a function with overloads. Follows a file that exports it from a different one. */
function findDeclarations(file, declared, name) {
  const statements = statementsOf(file);
  const found = statements.filter((statement) => DECLARATION.exec(statement)?.[1] === declared);
  if (found.length === 0) {
    const [, inner, from] = exportsOf(file).find(([exported]) => exported === declared) ?? [];
    if (from === undefined) throw new Error(`${file} does not declare ${declared}`);
    return findDeclarations(from, inner, name);
  }
  const own = found.map((statement) => statement.replaceAll(PRIVATE, '').replace(/^(?:export )?(?:declare )?/, '').replace(declared, () => name));
  const text = own.map((statement) => `export ${statement}`).join('\n');
  const imported = statements.flatMap((statement) => {
    const [, list = '', from = '.'] = IMPORT.exec(statement) ?? [];
    const used = from.startsWith('.') ? [] : namesIn(list).filter(([, local]) => new RegExp(`\\b${local}\\b`).test(text));
    return used.map(([original, local]) => `import { ${original === local ? local : `${original} as ${local}`} } from '${from}';`);
  });
  return { text, imported };
}

function resolve(file, specifier) {
  return join(dirname(file), specifier.replace(/\.[jt]s$/, '.d.ts'));
}

const read = new Map();

function statementsOf(file) {
  const known = read.get(file);
  if (known !== undefined) return known;
  const statements = splitStatements(withoutComments(readFileSync(file, 'utf8')));
  read.set(file, statements);
  return statements;
}
