/** The path of a new item, for `Location`, from its formatted id. */
import type { Endpoint } from './endpoint.ts';

// Clients remove the segments `.` and `..`, and the server rejects a path with NUL, CR or LF.
const UNREACHABLE_IDS: readonly string[] = ['', '.', '..'];
// Longer than any path that servers accept.
const MAX_ID = 2 ** 16;
const UNREACHABLE_ESCAPES = /%0[0AD]/;

/** Returns the path of the item, below the path of its `create`; `undefined` if no request can have the id in its path. */
export function formatLocation({ id, itemSuffix }: Endpoint, path: string, formattedId: string): string | undefined {
  if (formattedId.length > MAX_ID || !formattedId.isWellFormed()) return undefined;
  const rest = itemSuffix === '/*id' ? encodeSegments(formattedId, id?.emptySegments === true) : encodeSegment(formattedId);
  if (rest === undefined) return undefined;
  const location = path.endsWith('/') ? path + rest : `${path}/${rest}`;
  // A reference that begins with two slashes names a host.
  return location.startsWith('//') ? undefined : location;
}

/** Returns `undefined` if no request can have the id as the rest of its path. */
function encodeSegments(id: string, canBeEmpty: boolean): string | undefined {
  const segments = id.split('/').map((segment) => (segment === '' && id !== '' && canBeEmpty ? '' : encodeSegment(segment)));
  return segments.includes(undefined) || id.includes('\\') ? undefined : segments.join('/');
}

/** Returns `undefined` if no request can have the id as a segment of its path. */
function encodeSegment(id: string): string | undefined {
  const segment = encodeURIComponent(id);
  return (segment === id ? UNREACHABLE_IDS.includes(id) : UNREACHABLE_ESCAPES.test(segment)) ? undefined : segment;
}
