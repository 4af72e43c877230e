/** Plain JSON: the document has no object of the host's, and no member that JSON lacks. */

/** A deep copy, as JSON carries it. */
export function plainCopy<T extends object>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** The members that are not `undefined`. */
export function withoutUndefined<T extends object>(members: { readonly [Name in keyof T]: T[Name] | undefined }): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}

/** The members in the order of their names. */
export function sorted<T>(members: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(members).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Whether two values mean the same: members, and the names in a schema's `required`, have no order. */
export function isSame(one: unknown, other: unknown): boolean {
  // Libraries write equal schemas alike, so most texts need no sorting, which is slow.
  return one === other || JSON.stringify(one) === JSON.stringify(other) || canonicalText(one) === canonicalText(other);
}

function canonicalText(json: unknown): string {
  return JSON.stringify(json, (key, value: unknown) => {
    if (Array.isArray(value)) return key === 'required' ? value.toSorted() : value;
    return typeof value === 'object' && value !== null ? sorted(value as Readonly<Record<string, unknown>>) : value;
  });
}
