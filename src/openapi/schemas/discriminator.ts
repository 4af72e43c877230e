/**
 * The Discriminator Object of a union: the property whose value says which of its schemas a value has.
 *
 *   oneOf Cat, with kind "cat", and Dog, with kind "dog"
 *     ->   { propertyName: 'kind', mapping: { cat: '#/components/schemas/Cat', dog: '#/components/schemas/Dog' } }
 */
import { isReference, isSchema, type JsonSchema } from '../../endpoint/json-schema.ts';

/** A schema of a union. */
export interface Branch {
  readonly schema: JsonSchema;
  /** As the document has it. */
  readonly shown: JsonSchema;
  /** Finds what the schema and its parts refer to. */
  readonly decoder: { dereference(schema: JsonSchema): JsonSchema };
}

interface Discriminator {
  readonly propertyName: string;
  /** The schemas that are components, by the values of the property. */
  readonly mapping?: Readonly<Record<string, unknown>>;
}

/** Finds the first property that each schema requires, with strings that no other schema has. `undefined` if there is none. */
export function findDiscriminator(branches: readonly Branch[]): Discriminator | undefined {
  const [first, second] = branches;
  if (first === undefined || second === undefined) return undefined;
  for (const propertyName of listRequired(first)) {
    const values = branches.map((branch) => listStrings(branch, propertyName));
    const all = values.flat();
    if (values.some((strings) => strings.length === 0) || new Set(all).size < all.length) continue;
    const mapping = branches.flatMap(({ shown }, at) => {
      return isReference(shown) ? (values[at] as string[]).map((value) => [value, shown['$ref']]) : [];
    });
    return { propertyName, ...(mapping.length > 0 && { mapping: Object.fromEntries(mapping) as Readonly<Record<string, unknown>> }) };
  }
  return undefined;
}

function listRequired({ schema, decoder }: Branch): string[] {
  const { required } = decoder.dereference(schema);
  return Array.isArray(required) ? required.map(String) : [];
}

/** The only values that a required property can have, if they are strings. */
function listStrings(branch: Branch, name: string): string[] {
  const { decoder, schema } = branch;
  const { properties } = decoder.dereference(schema);
  if (!listRequired(branch).includes(name) || !isSchema(properties) || !Object.hasOwn(properties, name)) return [];
  const { const: only, enum: allowed = [only] } = decoder.dereference(Object(properties[name]) as JsonSchema);
  return Array.isArray(allowed) && allowed.every((value) => typeof value === 'string') ? allowed : [];
}
