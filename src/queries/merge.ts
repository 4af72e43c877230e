/** The change of a form: what its user has changed, put into the newest item. */
import { formatJson } from './json.ts';

/**
 * Reports that others have changed what the user of a form has changed too: `merge` throws it, and nothing is sent.
 *
 * @example
 * ```ts
 * const findNewest = (error: unknown): unknown => (error instanceof ConflictError ? error.newest : undefined);
 * ```
 */
export class ConflictError<Item = unknown> extends Error {
  override readonly name = 'ConflictError';
  /** The item as it is now. Show it, and then merge into it. */
  declare readonly newest: Item;
  /** The properties that both have changed. */
  declare readonly fields: readonly (keyof Item & string)[];

  /** Makes the error of an item and its properties. */
  constructor(newest: Item, fields: readonly (keyof Item & string)[]) {
    super(`Others have changed ${fields.join(', ')}.`);
    this.newest = newest;
    this.fields = fields;
  }
}

/**
 * Makes a change for `edit`: puts `mine`, what the user of a form has changed, into the newest item. `seen` is the item that the user has
 * seen. What others have changed since then is kept. `undefined` removes a property.
 *
 * @example
 * ```ts
 * const saveLegs = (seen: StoredPet, legs: number) => client<Api>('/v1')('/pet').edit(seen.id, merge(seen, { legs }));
 * ```
 * @throws The change throws `ConflictError` if others have changed a property of `mine` in a different way.
 */
export function merge<Item extends object>(
  seen: Item, mine: { readonly [Name in keyof Item]?: Item[Name] | undefined },
): (newest: Item) => Item {
  return (newest) => {
    const differ = (name: keyof Item, one: Partial<Item>, other: Partial<Item>): boolean => {
      return formatJson(one[name]) !== formatJson(other[name]);
    };
    const changed = (Object.keys(mine) as (keyof Item & string)[]).filter((name) => differ(name, mine, seen));
    const fields = changed.filter((name) => differ(name, newest, seen) && differ(name, newest, mine));
    if (fields[0] !== undefined) throw new ConflictError(newest, fields);
    return { ...newest, ...Object.fromEntries(changed.map((name) => [name, mine[name]])) };
  };
}
