/** The docstrings of the public names of the package and of their properties, read from the sources. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A docstring. */
export interface Docstring {
  /** On one line, without what follows its first tag. */
  readonly doc: string;
  /** Of `@default`, `@since` and `@throws`. */
  readonly byDefault: string | undefined;
  readonly since: string | undefined;
  readonly throws: string | undefined;
  readonly hasExample: boolean;
}

/** A property or a method of a type. */
export interface Property extends Docstring {
  readonly name: string;
  /** As it is written, on one line. */
  readonly type: string;
  readonly isOptional: boolean;
  readonly isMethod: boolean;
}

/** A name that is declared in a file. Its docstring is the longest of its declarations. */
export interface Declared extends Docstring {
  readonly name: string;
  readonly kind: string;
  /** The docstrings of a function that an editor shows: one for each signature. Of any other name, its docstring. */
  readonly signatures: readonly Docstring[];
  readonly properties: readonly Property[];
  /** The names of the types that it extends. */
  readonly extended: readonly string[];
}

const DECLARATION = /^(?:\/\*\*((?:(?!\*\/)[^])*)\*\/\n)?(?:export )?(?:declare )?(?:async )?(interface|type|class|abstract class|function\*?|const|let) (\w+)/gm;
const PROPERTY = /^ {2}(?:\/\*\*((?:(?!\*\/)[^])*)\*\/\n {2})?(?:(?:readonly|get|static|async|override|declare|abstract) )*([A-Za-z]\w*)(?:<[^]{0,400}?>(?=\())?(\??)([(:])/gm;
const NOT_PUBLIC = ['constructor', 'private', 'protected', 'return'];

/** The declarations of a file, by their names. */
export function readDeclarations(source: string): Map<string, Declared> {
  const found = new Map<string, Declared>();
  for (const match of source.matchAll(DECLARATION)) {
    const [whole, comment, kind = '', name = ''] = match;
    const before = found.get(name);
    const body = source.slice(match.index + whole.length);
    const extended = kind === 'type' ? [] : findParents(body);
    const hasBody = kind === 'interface' || kind.endsWith('class') || (kind === 'type' && /^[^;]*= \{\n/.test(body));
    const [block = '', inner = ''] = /(?<![^])(?:(?!\{\}\n)[^])*?\{\n([^]*?)^\}/m.exec(body) ?? [];
    // `{ … }['listener']` is the type of a property, and has none itself.
    const properties = hasBody && body[block.length] !== '[' ? readProperties(inner) : [];
    const docstring = readComment(comment);
    const longest = before === undefined || before.doc.length < docstring.doc.length ? docstring : before;
    // The last declaration of an overloaded function is its implementation, which no editor shows.
    const isImplementation = before !== undefined && kind === 'function' && comment === undefined && /^[^;]*? \{\n/.test(body);
    const signatures = [...before?.signatures ?? [], ...(isImplementation ? [] : [docstring])];
    const { doc, byDefault, since, throws, hasExample } = longest;
    found.set(name, { name, kind, doc, byDefault, since, throws, hasExample, signatures, properties: before?.properties ?? properties, extended });
  }
  return found;
}

/** The types behind `extends` in the rest of a declaration: `<T extends A> extends Omit<B, 'b'>, C<D> {` has B and C. */
function findParents(rest: string): string[] {
  const head = rest.slice(0, rest.search(/\{\}?\n/)).replaceAll(/\b(?:Omit|Pick)<(\w+)[^<>]*>/g, '$1');
  let depth = 0;
  let outside = '';
  for (const character of head.replaceAll('=>', '')) {
    if (character === '<') depth += 1;
    if (depth === 0) outside += character;
    if (character === '>') depth -= 1;
  }
  return / extends ([^]*)/.exec(outside)?.[1]?.match(/\w+/g) ?? [];
}

function readProperties(body: string): Property[] {
  const found = new Map<string, Property>();
  for (const match of body.matchAll(PROPERTY)) {
    const [whole, comment = '', name = '', optional, mark = ''] = match;
    if (NOT_PUBLIC.includes(name) || comment.includes('@internal') || found.has(name)) continue;
    const rest = body.slice(match.index + whole.length);
    const [type = ''] = /^[^]*?(?=;\n(?: {0,2}\S|\n|$)|;$| \{\n|$(?![^]))/.exec(rest) ?? [];
    const isMethod = mark === '(' && !/\bget \w+\($/.test(whole);
    found.set(name, { name, isOptional: optional === '?', isMethod, type: `${mark === '(' ? '(' : ''}${type}`.replaceAll(/\s+/g, ' ').trim(), ...readComment(comment) });
  }
  return [...found.values()];
}

function readComment(comment = ''): Docstring {
  // Indented lines after an empty one are code.
  const text = comment.replaceAll(/^ *\* ?/gm, '').replaceAll(/(?<=^\n)(?: {2,}.*\n?)+/gm, '').trim();
  const tag = (name: string): string | undefined => new RegExp(`@${name} ([^@\n]*)`).exec(text)?.[1]?.trim();
  const [doc = ''] = text.split(/(?:^|\s)@(?=[a-z]+)/);
  const [, throws] = /^@throws ([^]*?)(?=^@|(?![^]))/m.exec(text) ?? [];
  return {
    doc: doc.replaceAll(/\s+/g, ' ').trim(),
    byDefault: tag('default'),
    since: tag('since'),
    throws: throws?.replaceAll(/\s+/g, ' ').trim(),
    hasExample: /^@example\n```ts\n/m.test(text),
  };
}

/** Every declaration of `src`, by its name, and by its file with its name: `interceptors/pages/CommonOptions`. */
export function readSources(): Map<string, Declared> {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  return new Map(files.flatMap((file) => {
    const folder = file.replaceAll('\\', '/').replace(/\.ts$/, '');
    return [...readDeclarations(readFileSync(join('src', file), 'utf8'))].flatMap(([name, declared]) => [[name, declared], [`${folder}/${name}`, declared]] as const);
  }));
}

/** The names that an entry exports, in the order of its source, with their declarations. */
export function readEntry(index: string): Declared[] {
  const source = readFileSync(index, 'utf8');
  const all = readSources();
  return [...source.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)';$/gm)].flatMap(([, list = '', file = '']) => {
    const declared = readDeclarations(readFileSync(join(dirname(index), file), 'utf8'));
    return list.split(',').map((each) => each.trim().replace(/^type /, '')).filter((each) => each !== '').map((each) => {
      const [declaredName = '', name = declaredName] = each.split(' as ');
      const found = declared.get(declaredName) ?? all.get(declaredName);
      if (found === undefined) throw new Error(`nothing declares ${declaredName}, which ${index} exports`);
      return { ...found, name };
    });
  });
}
