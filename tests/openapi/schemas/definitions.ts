/** Schemas with many definitions. */

export type Name = (index: number) => string;
export type Schema = Readonly<Record<string, unknown>> & { readonly $defs: object };
export const user: Name = (index) => `Pet${index}`;
export const generateName: Name = (index) => `__schema${index}`;
export const text = { type: 'string' };
export const reference = (name: string): object => ({ $ref: `#/$defs/${name}` });

export function makeProperties(count: number, entryOf: (index: number) => [string, object]): Record<string, object> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => entryOf(index)));
}

/** Definitions of which each refers to some that follow it, and the last to the first. */
export function makeRing(count: number, name: Name, references: number): Schema {
  const properties = (index: number): object => makeProperties(references, (step) => [`p${step}`, reference(name((index + step + 1) % count))]);
  const $defs = makeProperties(count, (index) => [name(index), { type: 'object', properties: properties(index), additionalProperties: false }]);
  return { ...reference(name(0)), $defs };
}

/** Definitions to which the root refers. */
export function star(count: number, name: Name): Schema {
  return { properties: makeProperties(count, (index) => [`p${index}`, reference(name(index))]), $defs: makeProperties(count, (index) => [name(index), text]) };
}

/** The schema as an input and as an output. With a changed definition, the sides differ. */
export function makeSides(schema: Schema, changed?: string): readonly [Schema, Schema] {
  return [schema, changed === undefined ? schema : { ...schema, $defs: { ...schema.$defs, [changed]: text } }];
}
