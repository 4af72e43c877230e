/**
 * Which `additionalProperties: false` of an output is meant.
 *
 * Zod writes it into every output, since parsing has removed other properties. It says nothing about what the server may send in its
 * next version, and a client would refuse that. If the input has it at the same place, the user asked for it.
 */
import type { LocalSchema } from './local-schema.ts';
import { subschemasOf, type JsonSchema } from './json-schema.ts';

/** The schemas of an output whose `additionalProperties: false` its input lacks. */
export function laxSchemas(output: LocalSchema, input: LocalSchema): ReadonlySet<JsonSchema> {
  const closed: JsonSchema[] = [];
  const strict = new Set<JsonSchema>();
  const seen = new Map<JsonSchema, Set<JsonSchema | undefined>>();
  const visits: [out: JsonSchema, into: JsonSchema | undefined][] = [[output.root, input.root]];
  for (const [out, written] of visits) {
    const into = written === undefined ? undefined : input.dereferenced(written);
    const partners = seen.get(out) ?? new Set();
    if (partners.has(into)) continue;
    seen.set(out, partners.add(into));
    if (isClosed(out)) closed.push(out);
    if (isClosed(out) && isClosed(into)) strict.add(out);
    const referred = output.referred(out);
    if (referred !== undefined) visits.push([referred, into]);
    visits.push(...pairsOf(out, into));
  }
  // The same schema may stand at several places. One strict place is enough.
  return new Set(closed.filter((schema) => !strict.has(schema)));
}

/** The subschemas of an output, each with that of the input at the same place. */
function pairsOf(out: JsonSchema, into: JsonSchema | undefined): [JsonSchema, JsonSchema | undefined][] {
  const parts = into === undefined ? [] : subschemasOf(into);
  return subschemasOf(out).map(({ keyword, key, schema }) => {
    return [schema, parts.find((part) => part.keyword === keyword && part.key === key)?.schema];
  });
}

function isClosed(schema: JsonSchema | undefined): boolean {
  return schema?.['additionalProperties'] === false;
}
