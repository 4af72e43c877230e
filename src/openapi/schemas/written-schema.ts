/** Writes a schema for the document: references lead to components, and what belongs to the schema's own document is left out. */
import { DEFINITIONS, isSchema, mapKeyword, type JsonSchema } from './json-schema.ts';
import type { Target } from './local-schema.ts';
import type { SidedSchema } from './sided-schema.ts';

export type NameOf = (target: Target, of: SidedSchema) => string;

// They would give the references below them another base. `id` is what older drafts, and Zod, call `$id`.
const IDENTIFIERS: ReadonlySet<string> = new Set(['$anchor', '$id', '$schema']);

export function writeSchema(schema: JsonSchema, of: SidedSchema, nameOf: NameOf): JsonSchema {
  const members = Object.entries(schema).filter(([keyword, value]) => isWritten(keyword, value, schema, of));
  return Object.fromEntries(members.map(([keyword, value]) => {
    if (keyword === '$ref') return [keyword, referenceOf(schema, of, nameOf)];
    return [keyword, mapKeyword(keyword, value, (subschema) => writeSchema(subschema, of, nameOf))];
  }));
}

function isWritten(keyword: string, value: unknown, schema: JsonSchema, { local, lax }: SidedSchema): boolean {
  if (IDENTIFIERS.has(keyword) || (keyword === 'id' && typeof value === 'string')) return false;
  if (keyword === '$ref') return !local.dangling.includes(String(value));
  if (keyword === 'additionalProperties') return !lax.has(schema);
  return !(DEFINITIONS.has(keyword) && isSchema(value));
}

function referenceOf(schema: JsonSchema, of: SidedSchema, nameOf: NameOf): unknown {
  const target = of.local.targetAt(of.local.referred(schema));
  return target === undefined ? schema['$ref'] : `#/components/schemas/${nameOf(target, of)}`;
}
