/**
 * The option `cors`: which pages of other origins may call the server (WHATWG Fetch, section 3.2).
 *
 *   cors: { origins: ['https://app.example'] }
 */
import { boolean, type Checked, checkStrings, integer, option, required, type Shape, shape } from '../util/options.ts';
import { checkHeaderNames } from '../util/headers.ts';

/**
 * The origins of pages. A function is called with one origin, as the browser sends it.
 *
 * @example
 * ```ts
 * const origins: CorsOrigins = (origin) => origin.endsWith('.app.example');
 * new ApiServer('/v1', { cors: { origins } });
 * ```
 */
export type CorsOrigins = '*' | readonly string[] | ((origin: string) => boolean);

/**
 * The options of `cors`. An unknown name throws `TypeError`.
 *
 * @example
 * ```ts
 * const cors: CorsOptions = { origins: ['https://app.example'], credentials: true, maxAgeSeconds: 600 };
 * new ApiServer('/v1', { cors });
 * ```
 */
export interface CorsOptions {
  /**
   * The origins of the pages that may call the server: a list, a function that returns `true` for one of them, or `'*'` for any. Any page
   * may then call it as a client without cookies could.
   *
   * The function must decide by the origin only, since caches keep one response for each. It is not called for `null`, the origin of
   * sandboxed pages and of files. A list can have `'null'`.
   *
   * @example
   * ```ts
   * const isOurs = (origin: string) => /^https:\/\/[a-z0-9-]+\.app\.example$/.test(origin);
   * const server = new ApiServer('/v1', { cors: { origins: isOurs } });
   * ```
   */
  readonly origins: CorsOrigins;
  /**
   * Lets the pages send cookies, and read the responses to such requests. Not with `origins: '*'`.
   *
   * @default false
   */
  readonly credentials?: boolean;
  /**
   * How long a browser may remember the response to a preflight, in seconds.
   *
   * @default 600
   */
  readonly maxAgeSeconds?: number;
  /**
   * Request headers that pages may send, in addition to the declared ones: for middleware, mounts, and operations whose `headers` is a
   * function.
   *
   * @default []
   */
  readonly allowHeaders?: readonly string[];
  /**
   * Response headers that pages may read, in addition to the server's and the declared ones.
   *
   * @default []
   */
  readonly exposeHeaders?: readonly string[];
}

/** The options after their check. */
export interface CheckedCors extends Omit<Checked<CorsOptions, Exclude<keyof CorsOptions, 'origins'>>, 'origins'> {
  readonly origins: '*' | ReadonlySet<string> | ((origin: string) => unknown);
}

const NO_NAMES: readonly string[] = [];

/** `cors: options`: {@link CorsOptions}. */
export const CORS_OPTIONS: Shape<CheckedCors> = shape({
  origins: required(option("`'*'`, a list of origins, or a function", checkOrigins, undefined), "['https://app.example']"),
  credentials: boolean(),
  maxAgeSeconds: integer(0, 86_400, 600),
  allowHeaders: option('a list of header names', checkHeaderNames, NO_NAMES),
  exposeHeaders: option('a list of header names', checkHeaderNames, NO_NAMES),
});

/** Checks the option `cors`. */
export function checkCors(value: unknown, path: string): CheckedCors {
  const checked = CORS_OPTIONS.check(value, path);
  if (checked.origins === '*' && checked.credentials) {
    const why = "'*' would trust every page with the cookies of its visitors";
    throw new TypeError(`${path}.credentials needs a list of origins, or a function: ${why}`);
  }
  return checked;
}

function checkOrigins(value: unknown, path: string): CheckedCors['origins'] {
  if (value === '*' || typeof value === 'function') return value as CheckedCors['origins'];
  if (!Array.isArray(value)) throw new TypeError(`${path} must be '*', a list of origins, or a function: ${String(value)}`);
  return new Set(checkStrings(value, path).map((origin, at) => checkOrigin(origin, `${path}[${at}]`)));
}

// An origin as browsers serialize it. No comma, which joins two header lines, and no character that a careless function takes for the end
// of a host.
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/(?:[a-z0-9._~-]+|\[[0-9a-f:.]+\])(?::\d+)?$/;
// `URL` serializes only these. Apps and extensions have others, such as capacitor://localhost.
const SPECIAL = /^(?:https?|wss?|ftp|file|blob):/i;

/** Browsers send an origin as one string, so any other spelling would never be found. */
function checkOrigin(origin: string, path: string): string {
  if (origin === 'null' || (ORIGIN.test(origin) && !SPECIAL.test(origin))) return origin;
  if (origin.includes('*')) throw new TypeError(`${path} must not have a wildcard: ${JSON.stringify(origin)}. Use a function`);
  const meant = URL.canParse(origin) ? new URL(origin).origin : 'null';
  if (meant === origin) return origin;
  const example = meant === 'null' ? '"https://app.example"' : JSON.stringify(meant);
  throw new TypeError(`${path} must be an origin as browsers send it, such as ${example}: ${JSON.stringify(origin)}`);
}

// The name of a host has up to 253 characters. Without a limit, a client could fill a cache with the responses to origins of 16 KB each.
const MAX_LENGTH = 300;

/** Whether a value of `Origin` is one origin, and not `null`. */
export function isOrigin(value: string): boolean {
  return value.length <= MAX_LENGTH && ORIGIN.test(value);
}

// A property of the request: with all requests in a `WeakMap`, a Get takes 1.5 times as long on Node 20, and 1.4 times on Node 26.
const IS_LISTED: unique symbol = Symbol('isFromListedOrigin');

type MarkedRequest = { [IS_LISTED]?: true };

/** Marks a request as sent by a page whose origin `cors` lists. */
export function markListedOrigin(request: object): void {
  (request as MarkedRequest)[IS_LISTED] = true;
}

/** Whether the page that has sent a request has an origin that `cors` lists. `false` for `'*'`, which lists nobody. */
export function isFromListedOrigin(request: object): boolean {
  return (request as MarkedRequest)[IS_LISTED] === true;
}
