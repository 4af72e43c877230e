/** The docstrings of the public names of the package and of their properties, read from the sources. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A property or a method of a type. */
export interface Property {
  readonly name: string;
  /** As it is written, on one line. */
  readonly type: string;
  readonly isOptional: boolean;
  readonly doc: string;
  /** Of `@default` and `@since`. */
  readonly byDefault: string | undefined;
  readonly since: string | undefined;
}

/** A name that is declared in a file. */
export interface Declared {
  readonly name: string;
  readonly kind: string;
  readonly doc: string;
  readonly since: string | undefined;
  readonly properties: readonly Property[];
  /** The names of the types that it extends. */
  readonly extended: readonly string[];
}

const DECLARATION = /^(?:\/\*\*((?:(?!\*\/)[^])*)\*\/\n)?(?:export )?(?:declare )?(?:async )?(interface|type|class|abstract class|function\*?|const|let) (\w+)/gm;
const PROPERTY = /^ {2}(?:\/\*\*((?:(?!\*\/)[^])*)\*\/\n {2})?(?:(?:readonly|get|static|async|override|declare|abstract) )*([A-Za-z]\w*)(?:<[^]{0,400}?>(?=\())?(\??)([(:])/gm;
const NOT_PUBLIC = ['constructor', 'private', 'protected', 'return'];

/** The declarations that a file exports, by their names. A name that is declared several times has the docstrings of all. */
export function readDeclarations(source: string): Map<string, Declared> {
  const found = new Map<string, Declared>();
  for (const match of source.matchAll(DECLARATION)) {
    const [whole, comment, kind = '', name = ''] = match;
    const before = found.get(name);
    const body = source.slice(match.index + whole.length);
    const extended = kind === 'type' ? [] : findParents(body);
    const hasBody = kind === 'interface' || kind.endsWith('class') || (kind === 'type' && /^[^;]*= \{\n/.test(body));
    const [, inner = ''] = /^(?:(?!\{\}\n)[^])*?\{\n([^]*?)^\}/m.exec(body) ?? [];
    const properties = hasBody ? readProperties(inner) : [];
    const { doc, since } = readComment(comment);
    found.set(name, { name, kind, doc: before?.doc || doc, since: before?.since ?? since, properties: before?.properties ?? properties, extended });
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
    found.set(name, { name, isOptional: optional === '?', type: `${mark === '(' ? '(' : ''}${type}`.replaceAll(/\s+/g, ' ').trim(), ...readComment(comment) });
  }
  return [...found.values()];
}

/** A docstring on one line, without what follows its first tag. */
function readComment(comment = ''): { readonly doc: string; readonly byDefault: string | undefined; readonly since: string | undefined } {
  // Indented lines are code.
  const text = comment.replaceAll(/^ *\* ?/gm, '').replaceAll(/^ {2,}.*$/gm, '').trim();
  const tag = (name: string): string | undefined => new RegExp(`@${name} ([^@\n]*)`).exec(text)?.[1]?.trim();
  const [doc = ''] = text.split(/(?:^|\s)@(?=[a-z]+)/);
  return { doc: doc.replaceAll(/\s+/g, ' ').trim(), byDefault: tag('default'), since: tag('since') };
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
