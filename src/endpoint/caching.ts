/**
 * The declarations of a read-only operation for caches (RFC 9111), and for the conditions that caches send (RFC 9110 section 13):
 *
 *   cache: { maxAgeSeconds: 60 }   ->   Cache-Control: max-age=60
 *   etag: 'body'                   ->   ETag, a hash of the bytes that are sent
 */
import { CONDITION_HEADERS, type FormatTag, loadTagFormatter, RANGE_HEADERS } from '../http/preconditions.ts';
import type { Checked } from '../util/options.ts';
import type { CacheOptions } from '../declaration/cache-options.ts';
import { formatKinds, type OperationKind } from '../declaration/kinds.ts';
import { type AnyContextFunction, listContextHeaders } from './context.ts';
import { capitalize, type HeaderReader, listDecodedHeaders } from './header-names.ts';
import type { DeclaredOutputs } from './outputs.ts';

// Caches compare these themselves.
const COMPARED = new Set([CONDITION_HEADERS, RANGE_HEADERS].flatMap(({ reads = [] }) => reads.map((name) => name.toLowerCase())));

/** An operation, as far as it decides how its responses are cached. */
interface CachedOperation extends HeaderReader {
  readonly kind: OperationKind;
  readonly outputs: DeclaredOutputs | undefined;
  readonly endpoint: { readonly versions: unknown };
  readonly context: AnyContextFunction | undefined;
}

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
  constructor(operation: CachedOperation, cache: Checked<CacheOptions> | undefined, etag: 'body' | undefined, path: string) {
    const { kind, outputs, endpoint: { versions }, context } = operation;
    const declared = cache === undefined ? 'etag' : 'cache';
    if (!kind.reads) {
      throw new TypeError(`${path}.${declared} is not allowed: only ${formatKinds(({ reads }) => reads)} can have it`);
    }
    if (outputs?.isEndless === true) throw new TypeError(`${path}.${declared} is not allowed: events are never cached`);
    if (etag !== undefined && kind.readsItem && versions !== undefined) {
      throw new TypeError(`${path}.etag is not allowed: the ETag of an item is its version, by endpoint.version`);
    }
    if (etag !== undefined && outputs?.isSequence === true) {
      throw new TypeError(`${path}.etag is not allowed: its output is a stream, and the bytes of a stream are not known in advance`);
    }
    const scope = cache?.scope ?? (context === undefined ? undefined : 'private');
    if (cache !== undefined && scope !== 'private' && outputs?.hasViews === true) {
      throw new TypeError(`${path}.cache must have the scope private: views of its output are for one caller each`);
    }
    this.control = cache && formatCacheControl(cache, scope);
    this.privateControl = cache && formatCacheControl(cache, 'private');
    this.vary = cache === undefined ? [] : formatVary(operation, cache.vary, path);
    this.formatTag = etag && loadTagFormatter();
  }
}

function formatCacheControl(cache: Checked<CacheOptions>, scope: CacheOptions['scope']): string {
  const { maxAgeSeconds, staleWhileRevalidateSeconds: stale } = cache;
  const directives = [scope ?? [], `max-age=${maxAgeSeconds}`, stale === undefined ? [] : `stale-while-revalidate=${stale}`];
  return directives.flat().join(', ');
}

/** The headers that the context may read, those that are decoded, and those that the user names. */
function formatVary(operation: CachedOperation, named: readonly string[] | undefined, path: string): readonly string[] {
  const decoded = listDecodedHeaders(operation, path);
  const unknown = decoded.find(({ names }) => names.length === 0);
  if (unknown !== undefined && named === undefined) {
    throw new TypeError(`${path}.cache.vary is required, because ${unknown.path} has no JSON Schema: list the headers that it reads`);
  }
  const all = [...listContextHeaders(operation).map(capitalize), ...decoded.flatMap(({ names }) => names), ...(named ?? [])];
  const unique = new Map(all.map((name) => [name.toLowerCase(), name]));
  const names = [...unique].filter(([lowerCase]) => !COMPARED.has(lowerCase)).map(([, name]) => name);
  return names.length === 0 ? [] : ['Vary', names.join(', ')];
}
