/** The path of a new item, from the text of its id, for `Location`. */
import type { Endpoint } from './endpoint.ts';

// Clients remove the segments `.` and `..`, and the server refuses a path with NUL, CR or LF.
const UNREACHABLE_IDS: readonly string[] = ['', '.', '..'];
// More than any server takes as a path.
const MAX_ID = 2 ** 16;
const UNREACHABLE_ESCAPES = /%0[0AD]/;

/** Below the path where the item was created. `undefined` if no request can have the id in its path. */
export function formatLocation({ id, itemSuffix }: Endpoint, path: string, formattedId: string): string | undefined {
  if (formattedId.length > MAX_ID || !formattedId.isWellFormed()) return undefined;
  const rest = itemSuffix === '/*id' ? encodeSegments(formattedId, id?.emptySegments === true) : encodeSegment(formattedId);
  if (rest === undefined) return undefined;
  const location = path.endsWith('/') ? path + rest : `${path}/${rest}`;
  // A reference that begins with two slashes names a host.
  return location.startsWith('//') ? undefined : location;
}

/** `undefined` if no request can have the text as the rest of its path. */
function encodeSegments(text: string, canBeEmpty: boolean): string | undefined {
  const segments = text.split('/').map((segment) => (segment === '' && text !== '' && canBeEmpty ? '' : encodeSegment(segment)));
  return segments.includes(undefined) || text.includes('\\') ? undefined : segments.join('/');
}

/** `undefined` if no request can have the text as a segment of its path. */
function encodeSegment(text: string): string | undefined {
  const segment = encodeURIComponent(text);
  return (segment === text ? UNREACHABLE_IDS.includes(text) : UNREACHABLE_ESCAPES.test(segment)) ? undefined : segment;
}
