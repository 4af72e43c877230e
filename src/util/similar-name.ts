/** Finds the name that was meant: `delet` -> `delete`, `maxage` -> `maxAgeSeconds`, `post` -> `create`. */

/** Words of other frameworks, in lower case, and what they are here. */
export const SYNONYMS = {
  post: 'create', put: 'update', remove: 'delete', getall: 'list', handler: 'run', body: 'input', response: 'output', middleware: 'use',
} as const;

/** Finds the most similar of a few names: a synonym, by two edits at most, one for each three characters, or else by its beginning. */
export function findSimilarName(name: string, names: readonly string[]): string | undefined {
  const given = name.toLowerCase();
  const findWithin = (edits: number): string | undefined => {
    return names.find((allowed) => allowed.length >= 3 * edits && isWithinEdits(edits, given, allowed.toLowerCase()));
  };
  const findLonger = (): string | undefined => names.find((allowed) => given.length > 2 && allowed.toLowerCase().startsWith(given));
  const meant = (SYNONYMS as Readonly<Record<string, unknown>>)[given];
  return findWithin(0) ?? names.find((allowed) => allowed === meant) ?? findWithin(1) ?? findWithin(2) ?? findLonger();
}

/** Whether so many edits make one string of the other: a character more, less or different, or two that are swapped. */
function isWithinEdits(edits: number, one: string, other: string): boolean {
  if (one === other) return true;
  if (one[0] === other[0]) return isWithinEdits(edits, one.slice(1), other.slice(1));
  const isSwapped = one[0] === other[1] && one[1] === other[0];
  const skips = [[1, 0], [0, 1], [1, 1], ...(isSwapped ? [[2, 2]] : [])] as const;
  return edits > 0 && skips.some(([first, second]) => isWithinEdits(edits - 1, one.slice(first), other.slice(second)));
}
