/** The header lines of a message, as Node has them: names and values alternate, repeated lines are still there. */

/** Whether a name is that of a field, given in lower case. */
export function isField(name: string, lowerCase: string): boolean {
  return name === lowerCase || name.toLowerCase() === lowerCase;
}

/** The value of a field. Repeated lines are joined, so that none is missed. */
export function fieldValue(rawHeaders: readonly string[], lowerCase: string): string | undefined {
  let found: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === lowerCase.length && isField(name, lowerCase)) found = joinLines(found, rawHeaders[at + 1] ?? '');
  }
  return found;
}

/** Several lines of one field make one list (RFC 9110 section 5.3). */
export function joinLines(previous: string | undefined, value: string): string {
  return previous === undefined ? value : `${previous}, ${value}`;
}
