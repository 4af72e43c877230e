/**
 * The path templates of routes.
 *
 *   /v1/animal             ->   literal "/v1/animal"
 *   /v1/animal/:id         ->   literal "/v1/animal/", parameter "id"
 *   /zoo/:zoo/pet/:id      ->   literal "/zoo/", parameter "zoo", literal "/pet/", parameter "id"
 *   /file/*path            ->   literal "/file/", wildcard "path"
 *
 * A parameter matches one non-empty segment, and a wildcard all that are left: one or more. A template is parsed once, at registration.
 */

/** A parsed path template. */
export interface Pattern {
  /** The template. */
  readonly text: string;
  /** The template without the names of its parameters: patterns with the same shape match the same paths. */
  readonly shape: string;
  /** The names of the parameters, in order. */
  readonly parameters: readonly string[];
  /** Whether the last parameter is a wildcard, whose text is the rest of the path. */
  readonly hasWildcard: boolean;
  /**
   * The number of characters before each parameter, from the end of the one before it. They are the same in every path that the pattern
   * matches, so a parameter's text is found without a second look-up:
   *
   *   let end = 0;
   *   for (const gap of pattern.gaps) {
   *     const start = end + gap;
   *     end = segmentEnd(path, start);
   *     // path.slice(start, end) is the text of the next parameter.
   *   }
   */
  readonly gaps: readonly number[];
}

/** Parses a template. Throws `TypeError` if it is no path, or if the name of a parameter is malformed or used twice. */
export function parsePattern(template: string): Pattern {
  return patternOf(check('pattern', template, (path) => pathError(path) ?? parameterError(path)));
}

/**
 * Parses a path that may have parameters, as `parsePattern` does, and refuses segments that no client sends. Throws `TypeError`, whose
 * message calls the path `name`.
 */
export function parseTemplate(name: string, path: unknown): Pattern {
  return patternOf(check(name, path, (text) => pathError(text) ?? parameterError(text) ?? strayError(text) ?? bracesError(text) ?? dotSegmentError(text)));
}

/** Checks a path that must have no parameter. Throws `TypeError`, whose message begins with `name`. */
export function parseLiteralPath(name: string, path: unknown): string {
  return check(name, path, (text) => pathError(text) ?? literalError(text) ?? dotSegmentError(text));
}

/** A segment of a template. A parameter and a wildcard have a name. */
export interface Segment {
  readonly text: string;
  readonly name: string | undefined;
  readonly isWildcard: boolean;
}

/** Splits a template into its segments. */
export function splitTemplate(template: string): Segment[] {
  return template.split('/').filter((text) => text !== '').map((text) => {
    const isWildcard = text.startsWith('*');
    return { text, name: isWildcard || text.startsWith(':') ? text.slice(1) : undefined, isWildcard };
  });
}

/** Replaces the parameters and the wildcard of a template. */
export function fillTemplate(template: string, format: (name: string, isWildcard: boolean) => string): string {
  return template.replaceAll(PARAMETER, (parameter) => format(parameter.slice(1), parameter.startsWith('*')));
}

/** The end of the segment of a path that begins at `start`. */
export function segmentEnd(path: string, start: number): number {
  const end = path.indexOf('/', start);
  return end === -1 ? path.length : end;
}

/** The texts before, between and after the parameters. The last is empty if the pattern ends with a parameter. */
export function literalsOf({ text }: Pick<Pattern, 'text'>): readonly string[] {
  return text.split(PARAMETER);
}

// Most patterns of a large API have no parameter, and then no lists either.
const NONE: readonly never[] = [];
const PARAMETER = /(?<=\/)[:*][^/]*/g;
const IN_BRACES = /\/\{([^/{}]*)\}(?:\/|$)/;
const WILDCARD = /\/\*[^/]*$/;
// A wildcard that is not the last segment.
const EARLY_WILDCARD = /\/\*[^/]*\//;
const PARAMETER_NAME = /^[A-Z_a-z][0-9A-Z_a-z]*$/;

function patternOf(text: string): Pattern {
  const literals = literalsOf({ text });
  return {
    text,
    shape: literals.length === 1 ? text : text.replaceAll(PARAMETER, ([mark = '']) => mark),
    parameters: namesOf(text),
    hasWildcard: WILDCARD.test(text),
    gaps: literals.length === 1 ? NONE : literals.slice(0, -1).map(({ length }) => length),
  };
}

function namesOf(text: string): readonly string[] {
  return text.match(PARAMETER)?.map((parameter) => parameter.slice(1)) ?? NONE;
}

/** Returns a path that has no error. Throws `TypeError` for any other value. */
function check(name: string, path: unknown, errorOf: (path: string) => string | undefined): string {
  const error = typeof path === 'string' ? errorOf(path) : 'must be a string';
  if (error !== undefined) throw new TypeError(`${name} ${error}: ${quote(path)}`);
  return path as string;
}

function parameterError(path: string): string | undefined {
  const names = namesOf(path);
  if (names.includes('')) return 'has a parameter without a name';
  if (!names.every((name) => PARAMETER_NAME.test(name))) {
    return 'has a parameter whose name begins with a digit, or is not of A-Z a-z 0-9 _';
  }
  if (EARLY_WILDCARD.test(path)) return 'has a wildcard that is not its last segment';
  return new Set(names).size < names.length ? 'has two parameters of one name' : undefined;
}

/** A name with a misplaced `:` or `*` would be a literal segment that nobody meant. */
function strayError(path: string): string | undefined {
  return /[:*]/.test(path.replaceAll(PARAMETER, '')) ? 'has ":" or "*" within a segment' : undefined;
}

/** The form that OpenAPI and URI templates have: a client would send the braces escaped, and the route would never match. */
function bracesError(path: string): string | undefined {
  const [, name] = IN_BRACES.exec(path) ?? [];
  return name === undefined ? undefined : `has a parameter in braces, where ":${name}" is meant`;
}

function literalError(path: string): string | undefined {
  if (path.includes('/:')) return 'must not have a segment that begins with ":"';
  return path.includes('/*') ? 'must not have a segment that begins with "*"' : undefined;
}

// URL parsers remove these segments, escaped or not, so no client sends such a path.
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:\/|$)/i;

function dotSegmentError(path: string): string | undefined {
  return DOT_SEGMENT.test(path) ? 'must not have a segment "." or ".."' : undefined;
}

// A request path cannot have these characters: RFC 3986 excludes them from a path, or gives them another meaning.
const UNSENDABLE = /[^\x21-\x7e]|[?#\\]/;

/** Why a text is no path. `undefined` if it is one. `/` is a path without segments. */
function pathError(path: string): string | undefined {
  if (!path.startsWith('/')) return 'must begin with "/"';
  if (UNSENDABLE.test(path)) return 'has a character that no request path can hold';
  if (path.includes('//')) return 'has an empty segment';
  return path !== '/' && path.endsWith('/') ? 'must not end with "/"' : undefined;
}

/** Formats a value for a message: text in quotes, anything else by its type. */
function quote(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : typeof value;
}
