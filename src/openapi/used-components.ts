/**
 * The components of a document that `transform` has changed: a schema of an operation that it left out must not stay in a public document.
 */
import type { Components, OpenApiDocument } from './document.ts';
import { mapValues, omitEmpty } from './plain-json.ts';

const PREFIX = '#/components/';

/** Leaves out the components of `made` that nothing refers to any more. What `transform` has added itself stays. */
export function keepUsedComponents(document: OpenApiDocument, { components: made = {} }: OpenApiDocument): OpenApiDocument {
  const { components, ...others } = document;
  if (components === undefined) return others;
  const all = components as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  const used = new Set<string>();
  collectReferences(others, used);
  for (const [kind, each] of Object.entries(all)) {
    for (const name of Object.keys(each)) if (!Object.hasOwn(Object(made[kind as keyof Components]), name)) used.add(`${kind}/${name}`);
  }
  // The loop also visits what it adds.
  for (const path of used) {
    const [kind = '', name = ''] = path.split('/');
    collectReferences(Object(all[kind])[name], used);
  }
  const kept = mapValues(all, (each, kind) => Object.fromEntries(Object.entries(each).filter(([name]) => used.has(`${kind}/${name}`))));
  return { ...others, ...omitEmpty({ components: omitEmpty(kept) }) };
}

/**
 * Collects `schemas/Pet` of each reference, of a discriminator's mapping too, and `securitySchemes/bearer` of each security requirement.
 */
function collectReferences(part: unknown, used: Set<string>): void {
  JSON.stringify(part, (key, value: unknown) => {
    if (typeof value === 'string' && value.startsWith(PREFIX)) used.add(value.slice(PREFIX.length).split('/', 2).join('/'));
    const requirements: readonly unknown[] = key === 'security' && Array.isArray(value) ? value : [];
    for (const scheme of requirements.flatMap((each) => Object.keys(Object(each)))) used.add(`securitySchemes/${scheme}`);
    return value;
  });
}
