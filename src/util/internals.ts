/**
 * What only this package reads of an object that a user holds: its property `' internal'`. Objects of other copies of this package, of
 * users, and of their tests have none, or a different one.
 */
export function findInternals<Internals>(value: unknown): Partial<Internals> | undefined {
  return (Object(value) as { readonly ' internal'?: Internals })[' internal'];
}
