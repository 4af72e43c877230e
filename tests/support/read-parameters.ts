/** Reads the strings of a pattern's parameters in a path, as a handler does. */
import { skipSegment, skipWildcard, type Pattern } from '../../src/router/pattern.ts';

/** The strings in order. The pattern must match the path. */
export function readParameters({ gaps, wildcard }: Pattern, path: string): string[] {
  let end = 0;
  return gaps.map((gap, at) => {
    const start = end + gap;
    end = wildcard?.at === at ? skipWildcard(path, wildcard.slashesAfter) : skipSegment(path, start);
    return path.slice(start, end);
  });
}
