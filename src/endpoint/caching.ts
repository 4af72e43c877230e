/**
 * The declarations of a read-only operation for caches (RFC 9111), and for the conditions that caches send (RFC 9110 section 13):
 *
 *   cache: { maxAgeSeconds: 60 }   ->   Cache-Control: max-age=60
 *   etag: 'body'                   ->   ETag, a hash of the bytes that are sent
 */
import { type FormatTag, loadTagFormatter } from '../http/etag.ts';
import { checkHeaderNames } from '../http/header-names.ts';
import { type Checked, integer, option, required, type Shape, shape } from '../util/options.ts';
import { listCredentialHeaders } from './context.ts';
import { capitalize, listDecodedHeaders } from './header-names.ts';
import type { Operation } from './operation.ts';

/**
 * The options of `cache`. An unknown name throws `TypeError`.
 *
 * @example
 * ```ts
 * const cache: CacheOptions = { maxAgeSeconds: 60, scope: 'public', staleWhileRevalidateSeconds: 600 };
 * defineEndpoint({ id: integerId, get: { cache, run: (id) => db.find(id) } });
 * ```
 */
export interface CacheOptions {
  /**
   * How long caches may send the response again without asking the server, in seconds, up to a year. With 0 they ask each time:
   * `etag: 'body'` makes the response to that small.
   */
  readonly maxAgeSeconds: number;
  /**
   * `'private'`: only the client itself may keep the response, such as a browser. `'public'`: proxies and CDNs too.
   *
   * @default 'private' with a `context`. Otherwise all caches may keep the response, except to a request with `Authorization`
   */
  readonly scope?: 'public' | 'private';
  /**
   * How long after `maxAgeSeconds` a cache may still send the response while it asks for a new one, in seconds (RFC 5861).
   *
   * @default not at all
   */
  readonly staleWhileRevalidateSeconds?: number;
  /**
   * Request headers that the response depends on, in addition to credentials and what `headers` reads. Caches keep one response
   * for each of their values.
   *
   * @default []
   */
  readonly vary?: readonly string[];
}

// RFC 9111 has no maximum, but more than a year is a mistake in the unit.
const MAX_SECONDS = 31_536_000;

export const CACHE_OPTIONS: Shape<Checked<CacheOptions>> = shape({
  maxAgeSeconds: required(integer(0, MAX_SECONDS), '60'),
  scope: option<CacheOptions['scope']>("'public', 'private'", checkScope, undefined),
  staleWhileRevalidateSeconds: integer(0, MAX_SECONDS),
  vary: option<CacheOptions['vary']>('a list of header names', checkHeaderNames, undefined),
});

function checkScope(value: unknown, path: string): CacheOptions['scope'] {
  if (value === 'public' || value === 'private') return value;
  throw new TypeError(`${path} must be public or private: ${String(value)}`);
}

// Caches compare these themselves.
const COMPARED = new Set(['if-match', 'if-modified-since', 'if-none-match', 'if-range', 'if-unmodified-since', 'range']);

export class Caching {
  /** The `Cache-Control` of a success. `undefined` without `cache`. */
  readonly control: string | undefined;
  /** The same for a response with `Set-Cookie`, which is for one client only. */
  readonly privateControl: string | undefined;
  /** The header `Vary`, if there is one. */
  readonly vary: readonly string[];
  /** Makes the entity tag of a body. `undefined` without `etag`. */
  readonly formatTag: FormatTag | undefined;

  /** Throws `TypeError` for an operation with responses that caches cannot keep, or that cannot have a tag. */
  constructor(operation: Operation, cache: Checked<CacheOptions> | undefined, etag: 'body' | undefined, path: string) {
    const { kind: { method, name }, outputs, endpoint: { versions }, context } = operation;
    const declared = cache === undefined ? 'etag' : 'cache';
    if (method !== 'GET' && method !== 'QUERY') {
      throw new TypeError(`${path}.${declared} is not allowed: only get, list and search can have it`);
    }
    if (outputs?.isEndless === true) throw new TypeError(`${path}.${declared} is not allowed: events are never cached`);
    if (etag !== undefined && name === 'get' && versions !== undefined) {
      throw new TypeError(`${path}.etag is not allowed: the ETag of an item is its version, by endpoint.version`);
    }
    if (etag !== undefined && outputs?.isSequence === true) {
      throw new TypeError(`${path}.etag is not allowed: its output is a stream, and the bytes of a stream are not known in advance`);
    }
    const scope = cache?.scope ?? (context === undefined ? undefined : 'private');
    this.control = cache && formatControl(cache, scope);
    this.privateControl = cache && formatControl(cache, 'private');
    this.vary = cache === undefined ? [] : formatVary(operation, cache.vary, path);
    this.formatTag = etag && loadTagFormatter();
  }
}

function formatControl({ maxAgeSeconds, staleWhileRevalidateSeconds: stale }: Checked<CacheOptions>, scope: CacheOptions['scope']): string {
  const directives = [scope ?? [], `max-age=${maxAgeSeconds}`, stale === undefined ? [] : `stale-while-revalidate=${stale}`];
  return directives.flat().join(', ');
}

/** The headers with the credentials of callers, those that are decoded, and those that the user names. */
function formatVary(operation: Operation, named: readonly string[] | undefined, path: string): readonly string[] {
  const decoded = listDecodedHeaders(operation, path);
  const unknown = decoded.find(({ names }) => names.length === 0);
  if (unknown !== undefined && named === undefined) {
    throw new TypeError(`${path}.cache.vary is required, because ${unknown.path} has no JSON Schema: list the headers that it reads`);
  }
  const { context } = operation;
  // A function of the user may read any header, but most read one of these.
  const isUnknown = context !== undefined && (context.security === undefined || context[' readsOthers'] === true);
  const credentials = listCredentialHeaders(operation).map(capitalize);
  const all = [...credentials, ...(isUnknown ? ['Authorization', 'Cookie'] : []), ...decoded.flatMap(({ names }) => names), ...(named ?? [])];
  const unique = new Map(all.map((name) => [name.toLowerCase(), name]));
  const names = [...unique].filter(([lowerCase]) => !COMPARED.has(lowerCase)).map(([, name]) => name);
  return names.length === 0 ? [] : ['Vary', names.join(', ')];
}
