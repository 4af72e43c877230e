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
 */
export function toFormData<Fields extends object>(fields: Fields): FormData & { readonly ' fields'?: Fields } {
  const form = new FormData();
  for (const [name, given] of Object.entries(fields)) {
    for (const value of [given].flat()) {
      if (value != null) form.append(name, (value as Partial<Date>).toISOString?.() ?? value as string);
    }
  }
  return form;
}
