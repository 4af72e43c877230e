/**
 * The path templates of routes.
 *
 *   /v1/animal         ->   literals "v1", "animal"
 *   /v1/animal/:id     ->   literals "v1", "animal", then the parameter "id"
 *   /                  ->   no literals
 *
 * A parameter matches one non-empty segment. Only the last segment can be a parameter, so matching never backtracks.
 * A template is parsed once, at registration.
 */

/** A parsed path template. */
export interface Pattern {
  /** The template, for messages. */
  readonly text: string;
  readonly literals: readonly string[];
  /** The parameter's name. `undefined` if the last segment is a literal. */
  readonly parameter: string | undefined;
}

/** Parses a template. Throws `TypeError` if it is no path, or has a parameter without a name or before its last segment. */
export function parsePattern(template: string): Pattern {
  const error = pathError(template) ?? parameterError(template);
  if (error !== undefined) throw new TypeError(`pattern ${error}: ${JSON.stringify(template)}`);
  const literals = template === '/' ? [] : template.slice(1).split('/');
  const parameter = literals.at(-1)?.startsWith(':') ? literals.pop()?.slice(1) : undefined;
  return { text: template, literals, parameter };
}

function parameterError(template: string): string | undefined {
  if (template.endsWith('/:')) return 'has a parameter without a name';
  return /\/:.*\//.test(template) ? 'has a parameter that is not last' : undefined;
}

/** Checks a path that must have no parameter. Throws `TypeError`, whose message begins with `name`. */
export function parseLiteralPath(name: string, path: unknown): string {
  const error = typeof path === 'string' ? literalPathError(path) : 'must be a string';
  if (error !== undefined) throw new TypeError(`${name} ${error}: ${quote(path)}`);
  return path as string;
}

// URL parsers remove these segments, escaped or not, so no client sends such a path.
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:\/|$)/i;

function literalPathError(path: string): string | undefined {
  const error = pathError(path);
  if (error !== undefined) return error;
  if (path.includes('/:')) return 'must not have a segment that begins with ":"';
  return DOT_SEGMENT.test(path) ? 'must not have a segment "." or ".."' : undefined;
}

// A request path cannot have these characters: RFC 3986 excludes them from a path, or gives them another meaning.
const UNSENDABLE = /[^\x21-\x7e]|[?#\\]/;

/** Why a text is no path. `undefined` if it is one. `/` is a path without segments. */
function pathError(path: string): string | undefined {
  if (!path.startsWith('/')) return 'must begin with "/"';
  if (UNSENDABLE.test(path)) return 'has a character that no request path can hold';
  if (path !== '/' && (path.includes('//') || path.endsWith('/'))) return 'has an empty segment';
  return undefined;
}

/** Formats a value for a message: text in quotes, anything else by its type. */
function quote(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : typeof value;
}
