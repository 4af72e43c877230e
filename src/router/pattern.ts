/**
 * The path templates of routes.
 *
 *   /v1/animal             ->   literal "/v1/animal"
 *   /v1/animal/:id         ->   literal "/v1/animal/", parameter "id"
 *   /zoo/:zoo/pet/:id      ->   literal "/zoo/", parameter "zoo", literal "/pet/", parameter "id"
 *   /file/*path            ->   literal "/file/", wildcard "path"
 *   /repo/*name/tag/:tag   ->   literal "/repo/", wildcard "name", literal "/tag/", parameter "tag"
 *
 * A parameter matches one non-empty segment, and a wildcard one or more: all but those that the template has after it. A template is parsed
 * once, at registration.
 */

/** A parsed path template. */
export interface Pattern {
  readonly template: string;
  /** The template without the names of its parameters: patterns with the same shape match the same paths. */
  readonly shape: string;
  /** The names of the parameters, in order. */
  readonly parameters: readonly string[];
  /** The wildcard: which of the parameters it is, and how many slashes are after it. `undefined` if there is none. */
  readonly wildcard: { readonly at: number; readonly slashesAfter: number } | undefined;
  /**
   * The number of literal characters before each parameter. They are the same in every path that the pattern matches, so the parameters of
   * a path are found without a second search:
   *
   *   let end = 0;
   *   for (const gap of pattern.gaps) {
   *     const start = end + gap;
   *     end = findSegmentEnd(path, start);
   *     // path.slice(start, end) is the next parameter.
   *   }
   */
  readonly gaps: readonly number[];
}

/** Parses a template. Throws `TypeError` if it is not a path, or if the name of a parameter is malformed or used twice. */
export function parsePattern(template: string): Pattern {
  return makePattern(checkPath('pattern', template, (path) => findPathError(path, true) ?? findParameterError(path)));
}

/**
 * Parses a template as `parsePattern` does, and rejects segments that no client sends. `name` is what the message of the `TypeError` calls
 * the path.
 */
export function parseTemplate(name: string, path: unknown): Pattern {
  return makePattern(checkPath(name, path, findTemplateError));
}

/** Checks a path without parameters. `name` is what the message of the `TypeError` calls the path. */
export function parseLiteralPath(name: string, path: unknown): string {
  return checkPath(name, path, (checked) => findPathError(checked) ?? findParameter(checked) ?? findDotSegment(checked));
}

/** A segment of a template. */
export interface Segment {
  /** The segment as it is written, such as `pet` or `:id`. */
  readonly raw: string;
  /** The name of a parameter or a wildcard. */
  readonly name: string | undefined;
  readonly isWildcard: boolean;
}

/** Splits a template into its segments. */
export function splitTemplate(template: string): Segment[] {
  return template.split('/').filter((raw) => raw !== '').map((raw) => {
    const isWildcard = raw.startsWith('*');
    return { raw, name: isWildcard || raw.startsWith(':') ? raw.slice(1) : undefined, isWildcard };
  });
}

/** Replaces the parameters and the wildcard of a template. */
export function fillTemplate(template: string, format: (name: string, isWildcard: boolean) => string): string {
  return template.replaceAll(PARAMETER, (parameter) => format(parameter.slice(1), parameter.startsWith('*')));
}

/** Finds the end of the segment that begins at `start`. */
export function skipSegment(path: string, start: number): number {
  const end = path.indexOf('/', start);
  return end === -1 ? path.length : end;
}

/** Finds the end of a wildcard that `slashes` are after. `0` if the path has fewer. */
export function skipWildcard(path: string, slashes: number): number {
  let end = path.length;
  for (let left = slashes; left > 0 && end > 0; left -= 1) end = path.lastIndexOf('/', end - 1);
  return end;
}

/**
 * Splits a template into the literals before, between and after its parameters. The last is empty if the template ends with a parameter.
 */
export function splitLiterals(template: string): readonly string[] {
  return template.split(PARAMETER);
}

// Shared, since most patterns of a large API have no parameter.
const NONE: readonly never[] = [];
const PARAMETER = /(?<=\/)[:*][^/]*/g;
const IN_BRACES = /\/\{([^/{}]*)\}(?:\/|$)/;
const WILDCARD = /\/\*[^/]*(.*)/s;
const SECOND_WILDCARD = /\/\*.*\/\*/;
const PARAMETER_NAME = /^[A-Z_a-z][0-9A-Z_a-z]*$/;

function makePattern(template: string): Pattern {
  const literals = splitLiterals(template);
  return {
    template,
    shape: literals.length === 1 ? template : template.replaceAll(PARAMETER, ([mark = '']) => mark),
    parameters: listParameterNames(template),
    wildcard: findWildcard(template),
    gaps: literals.length === 1 ? NONE : literals.slice(0, -1).map(({ length }) => length),
  };
}

function findWildcard(template: string): Pattern['wildcard'] {
  const [whole, after = ''] = WILDCARD.exec(template) ?? [];
  if (whole === undefined) return undefined;
  return { at: listParameterNames(template.slice(0, -whole.length)).length, slashesAfter: after.split('/').length - 1 };
}

function listParameterNames(template: string): readonly string[] {
  return template.match(PARAMETER)?.map((parameter) => parameter.slice(1)) ?? NONE;
}

/** Returns the path. Throws `TypeError` if it is not a string, or if `findError` finds an error. */
function checkPath(name: string, path: unknown, findError: (path: string) => string | undefined): string {
  const error = typeof path === 'string' ? findError(path) : 'must be a string';
  if (error !== undefined) throw new TypeError(`${name} ${error}: ${quote(path)}`);
  return path as string;
}

function findTemplateError(path: string): string | undefined {
  return findPathError(path, true) ?? findParameterError(path) ?? findStrayMark(path) ?? findBraces(path) ?? findDotSegment(path);
}

function findParameterError(path: string): string | undefined {
  const names = listParameterNames(path);
  if (names.includes('')) return 'has a parameter without a name';
  if (!names.every((name) => PARAMETER_NAME.test(name))) {
    return 'has a parameter with a name that is not of A-Z a-z 0-9 _, or begins with a digit';
  }
  if (SECOND_WILDCARD.test(path)) return 'has two wildcards: where the first ends would not be clear';
  return new Set(names).size < names.length ? 'has two parameters with the same name' : undefined;
}

/** Rejects `:` and `*` within a segment. They would be literal characters, and in `/pet:id` nobody means that. */
function findStrayMark(path: string): string | undefined {
  return /[:*]/.test(path.replaceAll(PARAMETER, '')) ? 'must only have ":" and "*" at the beginning of a segment' : undefined;
}

/** Rejects `{id}`, the syntax of OpenAPI: clients send braces escaped, so the route would never match. */
function findBraces(path: string): string | undefined {
  const [, name] = IN_BRACES.exec(path) ?? [];
  return name === undefined ? undefined : `has a parameter in braces, where ":${name}" is meant`;
}

function findParameter(path: string): string | undefined {
  if (path.includes('/:')) return 'must not have a segment that begins with ":"';
  return path.includes('/*') ? 'must not have a segment that begins with "*"' : undefined;
}

// URL parsers remove these segments, escaped or not, so no client sends such a path.
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:\/|$)/i;

function findDotSegment(path: string): string | undefined {
  return DOT_SEGMENT.test(path) ? 'must not have a segment "." or ".."' : undefined;
}

// A request path cannot have these characters: RFC 3986 excludes them from a path, or gives them a different meaning.
const UNSENDABLE = /[^\x21-\x7e]|[?#\\]/;

/** Finds out why a string is not a path. `/` is a path without segments. `canEndWithSlash`: the slash belongs to the path. */
function findPathError(path: string, canEndWithSlash = false): string | undefined {
  if (!path.startsWith('/')) return 'must begin with "/"';
  if (UNSENDABLE.test(path)) return 'has a character that must be percent-encoded';
  if (path.includes('//')) return 'has an empty segment';
  return !canEndWithSlash && path !== '/' && path.endsWith('/') ? 'must not end with "/"' : undefined;
}

/** Formats a value for a message: a string in quotes, anything else by its type. */
function quote(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : typeof value;
}
