/** The option `cache` of a read-only operation (RFC 9111). */
import { checkHeaderNames } from '../util/headers.ts';
import { type Checked, integer, option, required, type Shape, shape } from '../util/options.ts';

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

/** `cache: of an operation`: {@link CacheOptions}. */
export const CACHE_OPTIONS: Shape<Checked<CacheOptions>> = shape({
  maxAgeSeconds: required(integer(0, MAX_SECONDS), '60'),
  scope: option<CacheOptions['scope']>("'public', 'private'", checkScope, undefined),
  staleWhileRevalidateSeconds: integer(0, MAX_SECONDS),
  vary: option<CacheOptions['vary']>('a list of header names', checkHeaderNames, undefined),
}, 'such as { maxAgeSeconds: 60 }');

function checkScope(value: unknown, path: string): CacheOptions['scope'] {
  if (value === 'public' || value === 'private') return value;
  throw new TypeError(`${path} must be public or private: ${String(value)}`);
}
