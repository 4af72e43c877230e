/** The Parameter Objects of an operation: those in its path, then those of its query. */
import { membersOf } from '../errors/members.ts';
import { ownerOf, type DescribedOperation } from './described-endpoint.ts';
import { given } from './schemas/plain.ts';
import { booleanSchema, isSchema, type JsonSchema } from './schemas/json-schema.ts';
import type { Schemas } from './schemas/schemas.ts';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly description?: string;
  readonly required?: true;
  readonly style?: 'form';
  readonly explode?: true;
  readonly schema: JsonSchema;
}

/** `names` are those that the parameters of the path have in the document. */
export function parametersOf(operation: DescribedOperation, names: readonly string[], schemas: Schemas): Parameter[] {
  const inPath = operation.pattern.parameters.map((own, index): Parameter => {
    return { name: names[index] ?? own, in: 'path', required: true, schema: schemaOfCodec(operation, own, schemas) };
  });
  return [...inPath, ...queryParametersOf(operation, schemas)];
}

/** The schema of a codec's text: any string, unless the codec says more. `name` is a parameter of the sub-path, or `id`. */
export function schemaOfCodec(operation: DescribedOperation, name: string, schemas: Schemas): JsonSchema {
  const { params = {}, id } = operation.endpoint.members;
  const own = membersOf(params, 'endpoint.params');
  const { schema } = membersOf(Object.hasOwn(own, name) ? own[name] : id, 'codec');
  return schema === undefined ? { type: 'string' } : schemas.place(schemas.use(schema, 'input', ownerOf(operation, name)));
}

function queryParametersOf(operation: DescribedOperation, schemas: Schemas): Parameter[] {
  const { query } = operation.members;
  if (query === undefined) return [];
  const sided = schemas.use(query, 'input', ownerOf(operation, 'query'));
  const root = sided.local.dereferenced(sided.local.root);
  const { properties } = root;
  if (!isSchema(properties) || !isPlainObject(root)) {
    return [{ name: 'query', in: 'query', style: 'form', explode: true, schema: schemas.place(sided) }];
  }
  const required = Array.isArray(root['required']) ? root['required'].map(String) : [];
  // A name can be required without a schema.
  return [...new Set([...Object.keys(properties), ...required])].map((name): Parameter => {
    const part = Object.hasOwn(properties, name) ? properties[name] : true;
    const property = isSchema(part) ? part : booleanSchema(part === true);
    const { description } = property as { readonly description?: string };
    const isRequired = required.includes(name) ? ({ required: true } as const) : {};
    return { name, in: 'query', ...given({ description }), ...isRequired, schema: schemas.place(sided, property) };
  });
}

const DEPENDING = ['$ref', 'allOf', 'anyOf', 'dependentSchemas', 'if', 'oneOf', 'patternProperties'];

/** Whether an object has the properties that it names, and no others that depend on something. */
function isPlainObject(schema: JsonSchema): boolean {
  const { type = 'object', additionalProperties: others } = schema;
  const hasTypedOthers = isSchema(others) && Object.keys(others).length > 0;
  return type === 'object' && !hasTypedOthers && !DEPENDING.some((keyword) => keyword in schema);
}
