/** Forms: what operations with `form` take. */

/**
 * Makes a form of an object, for an operation whose `input` is a `form`. A list sends its name once for each item. `undefined` and `null`
 * are left out, a `Date` is sent as ISO 8601, and other values as strings. The `FormData` of an HTML form can be sent as it is.
 *
 * @example
 * ```ts
 * const photo = new File([new Uint8Array([137, 80, 78, 71])], 'rex.png', { type: 'image/png' });
 * await client<Api>('https://api.example/v1')('/photo').create(toFormData({ name: 'Rex', photo }));
 * ```
 * @throws `TypeError` for an object other than a `Date` or a `Blob`, which a form cannot have.
 */
export function toFormData<Fields extends object>(fields: Fields): FormData & { readonly ' types'?: Fields } {
  return append(new FormData(), fields);
}

/**
 * Appends values. A list sends its name once for each value; `undefined` and `null` are left out. Throws `TypeError` for an object that
 * would be sent as `[object Object]`.
 */
export function append<To extends { append(name: string, value: string): void }>(to: To, values: object): To {
  for (const [name, given] of Symbol.iterator in values ? values as Iterable<[string, unknown]> : Object.entries(values)) {
    for (const value of [given].flat()) {
      // A date of a different window is not an instance of `Date` here.
      const sent = (value as Partial<Date>)?.toISOString?.() ?? value as string;
      if (`${sent}` === '[object Object]') throw new TypeError(`${name} must not be an object: send a string`);
      if (value != null) to.append(name, sent);
    }
  }
  return to;
}
