/** Plain JSON: the document has no object of the user, and no property that JSON lacks. */

/** A deep copy, as JSON carries it. */
export function copyPlain<T extends object>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** The same properties, with other values. */
export function mapValues<T, R>(properties: Readonly<Record<string, T>>, change: (value: T, name: string) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, change(value, name)]));
}

/** The properties that are not `undefined`. */
export function omitUndefined<T extends object>(properties: { readonly [Name in keyof T]: T[Name] | undefined }): T {
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined)) as T;
}

/** The properties that are objects with properties. */
export function omitEmpty<T extends object>(properties: T): Partial<T> {
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => Object.keys(value as object).length > 0)) as Partial<T>;
}

/** Sorts properties by their names. */
export function sortByName<T>(properties: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(properties).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Whether two values mean the same: properties, and the names in a schema's `required`, have no order. */
export function isSame(one: unknown, other: unknown): boolean {
  // Libraries write equal schemas alike, so most strings need no sorting, which is slow.
  return one === other || JSON.stringify(one) === JSON.stringify(other) || toCanonicalJson(one) === toCanonicalJson(other);
}

function toCanonicalJson(json: unknown): string {
  return JSON.stringify(json, (key, value: unknown) => {
    if (Array.isArray(value)) return key === 'required' ? value.toSorted() : value;
    return typeof value === 'object' && value !== null ? sortByName(value as Readonly<Record<string, unknown>>) : value;
  });
}
