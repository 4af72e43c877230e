/** The docstrings of the public names of the package and of their properties, read from the sources. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Readonly<Record<string, unknown>> };

/** The entries of the package, by their folders in `src`. */
export const ENTRY_NAMES: readonly string[] = Object.keys(exports).filter((path) => !path.endsWith('.json')).map((path) => path.replace(/^\.\/?/, ''));

/** A docstring. */
export interface Docstring {
  /** On one line, without what follows its first tag. */
  readonly doc: string;
  /** Of `@default`, `@since` and `@throws`. */
  readonly byDefault: string | undefined;
  readonly since: string | undefined;
  readonly throws: string | undefined;
  /** The code of `@example`. */
  readonly example: string | undefined;
}

/** A property or a method of a type. */
export interface Property extends Docstring {
  readonly name: string;
  /** As it is written, on one line. */
  readonly type: string;
  readonly isMethod: boolean;
}

/** A name that is declared in a file. Its docstring is the longest of its declarations. */
export interface Declaration extends Docstring {
  readonly name: string;
  readonly kind: string;
  /** The docstrings of a function that an editor shows: one for each signature. Of any other name, its docstring. */
  readonly signatures: readonly Docstring[];
  readonly properties: readonly Property[];
}

const DECLARATION = /^(?:\/\*\*((?:(?!\*\/)[^])*)\*\/\n)?(?:export )?(?:declare )?(?:async )?(interface|type|class|abstract class|function\*?|const|let) (\w+)/gm;
const PROPERTY = /^ {2}(?:\/\*\*((?:(?!\*\/)[^])*)\*\/\n {2})?(?:(?:readonly|get|static|async|override|declare|abstract) )*([A-Za-z]\w*)(?:<[^]{0,400}?>(?=\())?\??([(:])/gm;
const NOT_PUBLIC = ['constructor', 'private', 'protected', 'return'];

/** The declarations of a file, by their names. */
export function readDeclarations(source: string): Map<string, Declaration> {
  const found = new Map<string, Declaration>();
  for (const match of source.matchAll(DECLARATION)) {
    const [whole, comment, kind = '', name = ''] = match;
    const before = found.get(name);
    const body = source.slice(match.index + whole.length);
    const hasBody = kind === 'interface' || kind.endsWith('class') || (kind === 'type' && /^[^;]*= \{\n/.test(body));
    const [block = '', inner = ''] = /(?<![^])(?:(?!\{\}\n)[^])*?\{\n([^]*?)^\}/m.exec(body) ?? [];
    // `{ … }['listener']` is the type of a property, and has none itself.
    const properties = hasBody && body[block.length] !== '[' ? readProperties(inner) : [];
    const docstring = readComment(comment);
    const longest = before === undefined || before.doc.length < docstring.doc.length ? docstring : before;
    // The last declaration of an overloaded function is its implementation, which no editor shows.
    const isImplementation = before !== undefined && kind === 'function' && comment === undefined && /^[^;]*? \{\n/.test(body);
    const signatures = [...before?.signatures ?? [], ...(isImplementation ? [] : [docstring])];
    const { doc, byDefault, since, throws, example } = longest;
    found.set(name, { name, kind, doc, byDefault, since, throws, example, signatures, properties: before?.properties ?? properties });
  }
  return found;
}

function readProperties(body: string): Property[] {
  const found = new Map<string, Property>();
  for (const match of body.matchAll(PROPERTY)) {
    const [whole, comment = '', name = '', mark = ''] = match;
    if (NOT_PUBLIC.includes(name) || comment.includes('@internal') || found.has(name)) continue;
    const rest = body.slice(match.index + whole.length);
    const [type = ''] = /^[^]*?(?=;\n(?: {0,2}\S|\n|$)|;$| \{\n|$(?![^]))/.exec(rest) ?? [];
    const isMethod = mark === '(' && !/\bget \w+\($/.test(whole);
    found.set(name, { name, isMethod, type: `${mark === '(' ? '(' : ''}${type}`.replaceAll(/\s+/g, ' ').trim(), ...readComment(comment) });
  }
  return [...found.values()];
}

function readComment(comment = ''): Docstring {
  const lines = comment.replaceAll(/^ *\* ?/gm, '');
  // Indented lines after an empty one are code.
  const text = lines.replaceAll(/(?<=^\n)(?: {2,}.*\n?)+/gm, '').trim();
  const tag = (name: string): string | undefined => new RegExp(`@${name} ([^@\n]*)`).exec(text)?.[1]?.trim();
  const [doc = ''] = text.split(/(?:^|\s)@(?=[a-z]+)/);
  const [, throws] = /^@throws ([^]*?)(?=^@|(?![^]))/m.exec(text) ?? [];
  return {
    doc: doc.replaceAll(/\s+/g, ' ').trim(),
    byDefault: tag('default'),
    since: tag('since'),
    throws: throws?.replaceAll(/\s+/g, ' ').trim(),
    example: /^@example\n```ts\n([^]*?)\n```/m.exec(lines)?.[1],
  };
}

/** Every declaration of `src`, by its name. */
export function readSources(): Map<string, Declaration> {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  return new Map(files.flatMap((file) => [...readDeclarations(readFileSync(join('src', file), 'utf8'))]));
}

/** The names that an entry exports, in the order of its source, with their declarations. */
export function readEntry(entry: string): (Declaration & { readonly isType: boolean })[] {
  const index = join('src', entry, 'index.ts');
  const source = readFileSync(index, 'utf8');
  const all = readSources();
  return [...source.matchAll(/^export (type )?\{([^}]*)\} from '([^']+)';$/gm)].flatMap(([, type, list = '', file = '']) => {
    const declared = readDeclarations(readFileSync(join(dirname(index), file), 'utf8'));
    return list.split(',').map((each) => each.trim()).filter((each) => each !== '').map((each) => {
      const [declaredName = '', name = declaredName] = each.replace(/^type /, '').split(' as ');
      const found = declared.get(declaredName) ?? all.get(declaredName);
      if (found === undefined) throw new Error(`nothing declares ${declaredName}, which ${index} exports`);
      return { ...found, name, isType: type !== undefined || each.startsWith('type ') };
    });
  });
}
