/** Reads the strings of a pattern's parameters in a path, as a handler does. */
import { skipSegment, type Pattern } from '../../src/router/pattern.ts';

/** The strings in order. The pattern must match the path. */
export function readParameters({ gaps, hasWildcard }: Pattern, path: string): string[] {
  let end = 0;
  return gaps.map((gap, at) => {
    const start = end + gap;
    end = hasWildcard && at === gaps.length - 1 ? path.length : skipSegment(path, start);
    return path.slice(start, end);
  });
}
