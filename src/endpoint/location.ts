/** The path of a new item, from the text of its id, for `Location`. */
import type { Endpoint } from './endpoint.ts';

// Clients remove the segments `.` and `..`, and the server refuses a path with NUL, CR or LF.
const UNREACHABLE_IDS: readonly string[] = ['', '.', '..'];
// More than any server takes as a path.
const MAX_ID = 2 ** 16;
const UNREACHABLE_ESCAPES = /%0[0AD]/;

/** Below the path where the item was created. `undefined` if no request can have the id in its path. */
export function locationOf({ itemSuffix }: Endpoint, path: string, idText: string): string | undefined {
  if (idText.length > MAX_ID || !idText.isWellFormed()) return undefined;
  const rest = itemSuffix === '/*id' ? segmentsOf(idText) : segmentOf(idText);
  if (rest === undefined) return undefined;
  return path.endsWith('/') ? path + rest : `${path}/${rest}`;
}

/** `undefined` if no request can have the text as the segments that are left of its path. */
function segmentsOf(text: string): string | undefined {
  const segments = text.split('/').map(segmentOf);
  return segments.includes(undefined) || text.includes('\\') ? undefined : segments.join('/');
}

/** `undefined` if no request can have the text as a segment of its path. */
function segmentOf(text: string): string | undefined {
  const segment = encodeURIComponent(text);
  return (segment === text ? UNREACHABLE_IDS.includes(text) : UNREACHABLE_ESCAPES.test(segment)) ? undefined : segment;
}
