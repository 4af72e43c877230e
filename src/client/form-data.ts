/** Forms: what operations with `form` take. */

/**
 * Makes a form of an object, for an operation whose `input` is a `form`. A list sends its name once for each item. `undefined` and `null`
 * are left out, a `Date` is sent as ISO 8601, and other values as strings. The `FormData` of an HTML form can be sent as it is.
 *
 * @example
 * ```ts
 * await api('/pet').create(toFormData({ name: 'Rex', tags: ['old', 'loud'], photo: input.files[0] }));
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
