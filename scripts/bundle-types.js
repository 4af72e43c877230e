/**
 * Bundles the declarations that tsc emitted: a file for each entry of the package. What several entries reach is in `core.d.ts`, so that a
 * class is the same type in all of them, or in `common.d.ts` if an entry for pages reaches it too: pages lack the types of Node. Comments
 * stay, and what no entry reaches is left out.
 *
 * The compiler emits declarations for what users export. They name the types that an entry exports. Others are written out if they are aliases
 * that no file exports: so each file has copies of the client's.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { DECLARATION, namesIn, splitStatements, withoutComments } from './declarations.js';

const IMPORT = /^import (?:type )?\{([^]*)\} from '([^']+)';$/;
const EXPORT = /^export (type )?\{([^]*)\}(?: from '([^']+)')?;$/;
const FOR_PAGES = ['client/index.d.ts', 'queries/index.d.ts'];
/** Modules whose aliases each file has for itself. */
const COPIED = /^client\//;

/** Replaces the declarations in a folder by the ones of its entries, such as `auth/index.d.ts`. */
export function bundleTypes(folder, entries) {
  const files = readdirSync(folder, { recursive: true }).map((name) => name.replaceAll('\\', '/')).filter((name) => /\.d\.ts(?:\.map)?$/.test(name));
  const texts = files.filter((name) => name.endsWith('.ts')).map((name) => [name, readFileSync(join(folder, name), 'utf8')]);
  const bundles = makeBundles(new Map(texts), entries);
  for (const name of files) rmSync(join(folder, name));
  for (const [name, text] of bundles) writeFileSync(join(folder, name), text);
}

/** The declarations of entries, by their files, from those of all modules. */
export function makeBundles(texts, entries) {
  const modules = new Map([...texts].map(([file, text]) => [file, readModule(file, text)]));
  const reached = reachSymbols(modules, entries);
  const exported = new Set(entries.flatMap((entry) => [...modules.get(entry).exported.values()].map(({ file, name }) => findSymbol(modules, file, name))));
  const symbols = [...reached.keys()].sort((a, b) => (a.file === b.file ? a.order - b.order : a.file < b.file ? -1 : 1));
  for (const symbol of symbols) {
    const by = reached.get(symbol);
    symbol.bundle = by.size === 1 ? [...by][0] : FOR_PAGES.some((entry) => by.has(entry)) ? 'common.d.ts' : 'core.d.ts';
  }
  const isCopied = (symbol) => COPIED.test(symbol.file) && reached.get(symbol).size > 1 && !exported.has(symbol) && symbol.statements.every(({ code }) => code.startsWith('type '));
  const bundles = new Set(symbols.filter((symbol) => !isCopied(symbol)).map(({ bundle }) => bundle).concat(entries));
  const files = [...bundles].map((bundle) => {
    const own = new Set(symbols.filter((symbol) => symbol.bundle === bundle && !isCopied(symbol)));
    // The loop also gets what it adds.
    for (const symbol of own) {
      for (const [, named] of namedBy(modules, symbol)) {
        if (isCopied(named)) own.add(named);
        else if (named.bundle !== bundle) named.isImported = true;
      }
    }
    return [bundle, symbols.filter((symbol) => own.has(symbol)).map((symbol) => (isCopied(symbol) ? { ...symbol, bundle, original: symbol } : symbol))];
  });
  nameSymbols(files, exported);
  return new Map(files.map(([bundle, own]) => [bundle, formatBundle(modules, bundle, own, entries.includes(bundle))]));
}

/** A module: its own symbols by name, where its other names come from, and what it exports of others. */
function readModule(file, text) {
  const module = { symbols: new Map(), imported: new Map(), exported: new Map() };
  const resolve = (source = `./${posix.basename(file)}`) => {
    return source.startsWith('.') ? posix.join(posix.dirname(file), source.replace(/(?<!\.d)\.[jt]s$/, '.d.ts')) : source;
  };
  for (const statement of splitStatements(text)) {
    const [comments] = /^(?:\s*(?:\/\*[^]*?\*\/|\/\/.*))*\s*/.exec(statement);
    const code = statement.slice(comments.length);
    const [, imported, source] = IMPORT.exec(code) ?? [];
    const [, isType, exported, from] = EXPORT.exec(code) ?? [];
    const [, name] = DECLARATION.exec(code) ?? [];
    if (name !== undefined) {
      const symbol = module.symbols.get(name) ?? { file, name, order: module.symbols.size, statements: [] };
      // The comment of the file may come before it.
      symbol.statements.push({ comment: comments.match(/\/\*\*(?:[^*]|\*(?!\/))*\*\/\s*$/)?.[0].trim(), code: code.replace(/^export /, ''), isExported: code.startsWith('export ') });
      module.symbols.set(name, symbol);
      if (code.startsWith('export ')) module.exported.set(name, { file, name });
    } else if (imported !== undefined) {
      for (const [original, local] of namesIn(imported)) module.imported.set(local, { file: resolve(source), name: original });
    } else if (exported !== undefined) {
      for (const each of exported.split(',')) {
        for (const [original, as] of namesIn(each)) {
          module.exported.set(as, { file: resolve(from), name: original, isType: isType !== undefined || /^\s*type /.test(each) });
        }
      }
    } else throw new Error(`${file}: ${code}`);
  }
  return module;
}

/** What a name of a module stands for: a symbol, or a name of an external module. */
function findSymbol(modules, file, name) {
  const module = modules.get(file);
  if (module === undefined) {
    if (file.endsWith('.d.ts')) throw new Error(`${file} is missing`);
    return { file, name, isExternal: true };
  }
  const own = module.symbols.get(name);
  if (own !== undefined) return own;
  const from = module.imported.get(name) ?? module.exported.get(name);
  return from === undefined ? undefined : findSymbol(modules, from.file, from.name);
}

/** The symbols that the code of a symbol names, by the names that they have there. */
function namedBy(modules, { file, name, statements }) {
  const module = modules.get(file);
  const code = statements.map((each) => withoutComments(each.code).replaceAll(/'[^'\n]*'/g, "''")).join('\n');
  const names = new Set(code.match(/[A-Za-z_$][\w$]*/g));
  names.delete(name);
  return [...names].filter((each) => module.symbols.has(each) || module.imported.has(each)).map((each) => [each, findSymbol(modules, file, each)]);
}

/**
 * The symbols that the entries reach, each with the entries that do. A module stays whole: what it does not export stays hidden, so that the
 * compiler writes such types out when it emits declarations of users.
 */
function reachSymbols(modules, entries) {
  const reached = new Map();
  const reach = (symbol, entry) => {
    if (symbol.isExternal || reached.get(symbol)?.has(entry)) return;
    reached.set(symbol, (reached.get(symbol) ?? new Set()).add(entry));
    for (const [, named] of namedBy(modules, symbol)) reach(named, entry);
    for (const other of modules.get(symbol.file).symbols.values()) {
      if (!reached.has(other)) continue;
      reach(other, entry);
      for (const each of reached.get(other)) reach(symbol, each);
    }
  };
  for (const entry of entries) {
    for (const { file, name } of modules.get(entry).exported.values()) reach(findSymbol(modules, file, name), entry);
  }
  return reached;
}

/** Gives the symbols of each bundle names that differ. One that an entry exports keeps its own. */
function nameSymbols(files, exported) {
  for (const [, own] of files) {
    const names = new Set();
    for (const symbol of [...own].sort((a, b) => exported.has(b) - exported.has(a))) {
      symbol.named = addName(names, symbol.name);
      if (symbol.named !== symbol.name && exported.has(symbol)) throw new Error(`two entries export ${symbol.name}: ${symbol.file}`);
    }
  }
}

/** Adds a name to those that are taken, with a number if it is one of them. */
function addName(taken, name) {
  let free = name;
  for (let count = 2; taken.has(free); count += 1) free = `${name}${count}`;
  taken.add(free);
  return free;
}

function formatBundle(modules, bundle, own, isEntry) {
  const taken = new Set(own.map(({ named }) => named));
  const imports = new Map();
  const copies = new Map(own.filter(({ original }) => original !== undefined).map((copy) => [copy.original, copy]));
  const nameHere = (named) => {
    const symbol = copies.get(named) ?? named;
    if (symbol.bundle === bundle) return symbol.named;
    const [source, name] = symbol.isExternal ? [symbol.file, symbol.name] : [specifierOf(bundle, symbol.bundle), symbol.named];
    const names = imports.get(source) ?? new Map();
    imports.set(source, names);
    if (!names.has(name)) names.set(name, addName(taken, name));
    return names.get(name);
  };
  const declarations = own.map((symbol) => {
    const renamed = new Map([[symbol.name, symbol.named], ...namedBy(modules, symbol).map(([local, named]) => [local, nameHere(named)])]);
    const isShared = symbol.original === undefined && !isEntry;
    return symbol.statements.map(({ comment, code, isExported }) => {
      return `${comment === undefined ? '' : `${comment}\n`}${isShared && (isExported || symbol.isImported) ? 'export ' : ''}${renameIn(code, renamed)}\n`;
    }).join('');
  });
  const lines = [...imports].sort(([a], [b]) => (a < b ? -1 : 1)).map(([source, names]) => {
    const list = [...names].map(([name, here]) => (name === here ? name : `${name} as ${here}`)).sort();
    return `import type { ${list.join(', ')} } from '${source}';\n`;
  });
  return [...lines, ...declarations, ...(isEntry ? formatExports(modules, bundle) : ['export {};\n'])].join('');
}

function formatExports(modules, entry) {
  const lists = new Map();
  for (const [as, { file, name, isType }] of modules.get(entry).exported) {
    const { named, bundle } = findSymbol(modules, file, name);
    const item = `${isType ? 'type ' : ''}${named === as ? as : `${named} as ${as}`}`;
    lists.set(bundle, [...lists.get(bundle) ?? [], item]);
  }
  return [...lists].map(([bundle, items]) => `export { ${items.join(', ')} }${bundle === entry ? '' : ` from '${specifierOf(entry, bundle)}'`};\n`);
}

function specifierOf(from, to) {
  const path = posix.relative(posix.dirname(from), to).replace(/\.d\.ts$/, '.js');
  return path.startsWith('.') ? path : `./${path}`;
}

/** Renames what the code of a declaration names. A name before a colon is a property. */
function renameIn(code, renamed) {
  const changed = [...renamed].filter(([from, to]) => from !== to);
  if (changed.length === 0) return code;
  const pattern = new RegExp(`(?<![\\w$.'"])(${changed.map(([from]) => from).join('|')})(?![\\w$'"]|\\??:)`, 'g');
  return code.replaceAll(pattern, (name) => renamed.get(name));
}
