/** Finds the fields of a form that are lists, by the JSON Schema of its decoder. */
import type { Properties } from '../util/options.ts';

interface WithJsonSchema {
  readonly '~standard'?: { readonly jsonSchema?: { readonly input?: (options: { readonly target: string }) => unknown } };
}

/**
 * Finds the fields that the schema declares as arrays. `true`: the field is required. Empty for a decoder without a Standard JSON Schema.
 */
export function findListFields(decoder: unknown): ReadonlyMap<string, boolean> {
  const root = convert(decoder);
  const { properties, required } = resolve(root, root);
  const lists = Object.entries(Object(properties) as Properties).filter(([, schema]) => resolve(schema, root)['type'] === 'array');
  return new Map(lists.map(([name]) => [name, Array.isArray(required) && required.includes(name)]));
}

function convert(decoder: unknown): Properties {
  try {
    return Object((decoder as WithJsonSchema)['~standard']?.jsonSchema?.input?.({ target: 'draft-2020-12' })) as Properties;
  } catch {
    // Libraries throw for types that JSON Schema does not have, such as files.
    return {};
  }
}

// So many references in a row are a cycle.
const MAX_HOPS = 10;

/** Follows the references to definitions of the same schema. */
function resolve(schema: unknown, root: Properties): Properties {
  let found = Object(schema) as Properties;
  for (let hops = 0; typeof found['$ref'] === 'string' && hops < MAX_HOPS; hops += 1) {
    const [, name = ''] = /^#\/\$defs\/([^/]+)$/.exec(found['$ref']) ?? [];
    found = Object((Object(root['$defs']) as Properties)[name]) as Properties;
  }
  return found;
}
