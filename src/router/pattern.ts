/**
 * The path templates that routes are registered under.
 *
 *   /v1/animal         ->   literals "v1", "animal"
 *   /v1/animal/:id     ->   literals "v1", "animal", then the parameter "id"
 *   /                  ->   no literal at all
 *
 * A parameter stands for one whole, non-empty segment, and only the last segment can be one: that is every
 * shape an endpoint has, and it is what lets a match be found without ever turning back.
 *
 * A template is parsed once, at registration. Matching never sees its text again.
 */

/** A parsed path template. */
export interface Pattern {
  /** The template as it was given, for messages. */
  readonly text: string;
  readonly literals: readonly string[];
  /** The parameter's name, or `undefined` when the last segment is a literal. */
  readonly parameter: string | undefined;
}

/** Reads a template. Throws `TypeError` when it is no path, or has a parameter that is nameless or not last. */
export function parsePattern(template: string): Pattern {
  const refusal = refusalOfPath(template) ?? refusalOfParameter(template);
  if (refusal !== undefined) throw new TypeError(`pattern ${refusal}: ${JSON.stringify(template)}`);
  const literals = template === '/' ? [] : template.slice(1).split('/');
  const parameter = literals.at(-1)?.startsWith(':') ? literals.pop()?.slice(1) : undefined;
  return { text: template, literals, parameter };
}

function refusalOfParameter(template: string): string | undefined {
  if (template.endsWith('/:')) return 'has a parameter without a name';
  return /\/:.*\//.test(template) ? 'has a parameter that is not last' : undefined;
}

/** Reads a path that must have no parameter. Throws `TypeError`; `name` says in the message what the path is. */
export function parseLiteralPath(name: string, path: unknown): string {
  const refusal = typeof path === 'string' ? refusalOfLiteralPath(path) : 'must be a string';
  if (refusal !== undefined) throw new TypeError(`${name} ${refusal}: ${quote(path)}`);
  return path as string;
}

// URL parsers fold these away, escaped or not, so that no client would ever ask for such a path.
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:\/|$)/i;

function refusalOfLiteralPath(path: string): string | undefined {
  const refusal = refusalOfPath(path);
  if (refusal !== undefined) return refusal;
  if (path.includes('/:')) return 'must not have a segment that begins with ":"';
  return DOT_SEGMENT.test(path) ? 'must not have a segment "." or ".."' : undefined;
}

// What no request path can hold as it is sent: RFC 3986 leaves these out of a path, or gives them another meaning.
const UNSENDABLE = /[^\x21-\x7e]|[?#\\]/;

/** Says why a text can be no path of segments, or `undefined` when it can. `/` alone is the path of none. */
function refusalOfPath(path: string): string | undefined {
  if (!path.startsWith('/')) return 'must begin with "/"';
  if (UNSENDABLE.test(path)) return 'has a character that no request path can hold';
  if (path !== '/' && (path.includes('//') || path.endsWith('/'))) return 'has an empty segment';
  return undefined;
}

/** A value as it should stand in a message: text in quotes, the rest by its type. */
function quote(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : typeof value;
}
