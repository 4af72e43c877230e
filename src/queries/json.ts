/** Values as JSON has them. */

/** Whether a value is an object of JSON: not a list, a date or a form. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return ({}).toString.call(value) === '[object Object]';
}

/** Formats a value. A form, and a database, may give the names of an object in a different order. */
export function formatJson(value: unknown): string | undefined {
  return JSON.stringify(value, (_, part: unknown) => {
    return isObject(part) ? Object.fromEntries(Object.keys(part).sort().map((name) => [name, part[name]])) : part;
  });
}
