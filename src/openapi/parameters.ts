/** The Parameter Objects of an operation: those in its path, then those of its query. */
import type { Operation } from '../endpoint/operation.ts';
import type { Properties } from '../util/options.ts';
import { comparesVersions } from '../endpoint/versions.ts';
import { codecSchemaOf, ownerOf } from './operations.ts';
import { booleanSchema, isSchema, type JsonSchema } from './schemas/json-schema.ts';
import type { Schemas } from './schemas/schemas.ts';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description?: string;
  readonly required?: true;
  readonly style?: 'form' | 'simple';
  readonly explode?: true;
  readonly schema: JsonSchema;
}

/** `names` are those that the parameters of the path have in the document. */
export function parametersOf(operation: Operation, names: readonly string[], schemas: Schemas): Parameter[] {
  const inPath = operation.pattern.parameters.map((own, index): Parameter => {
    return { name: names[index] ?? own, in: 'path', required: true, schema: schemaOfCodec(operation, own, schemas) };
  });
  const headers = fieldParametersOf(operation, 'header', schemas);
  const declared = headers.map(({ name }) => name.toLowerCase());
  const conditions = conditionParametersOf(operation).filter(({ name }) => !declared.includes(name.toLowerCase()));
  return [...inPath, ...fieldParametersOf(operation, 'query', schemas), ...headers, ...conditions];
}

const IF_MATCH: Parameter = conditionParameter('If-Match', 'The entity tags of the versions that the request is for, or *.');
const IF_NONE_MATCH: Parameter = conditionParameter('If-None-Match', 'The entity tags of the versions that the request is not for, or *.');

function conditionParameter(name: string, description: string): Parameter {
  return { name, in: 'header', description, schema: { type: 'string' } };
}

/** The conditions on the version of an item. */
function conditionParametersOf(operation: Operation): Parameter[] {
  const { kind: { method }, tagOf, conditions } = operation;
  if (comparesVersions(operation)) return [conditions === 'required' ? { ...IF_MATCH, required: true } : IF_MATCH, IF_NONE_MATCH];
  return method === 'GET' && tagOf !== undefined ? [IF_NONE_MATCH] : [];
}

/** The schema of a codec's text: any string, unless the codec says more. `name` is a parameter of the sub-path, or `id`. */
export function schemaOfCodec(operation: Operation, name: string, schemas: Schemas): JsonSchema {
  const schema = codecSchemaOf(operation.endpoint, name);
  return schema === undefined ? { type: 'string' } : schemas.schemaOf(schema, 'input', ownerOf(operation, name, schema));
}

const MEMBERS = { query: 'query', header: 'headers' } as const;
const STYLES = { query: 'form', header: 'simple' } as const;

/** The parameters of the interceptors and of the operation. Of two with one name, the first counts: it takes the other's place. */
function fieldParametersOf(operation: Operation, place: 'query' | 'header', schemas: Schemas): Parameter[] {
  const { interceptors = [], members } = operation;
  const decoders = [...interceptors.map((interceptor) => interceptor.members), members].map((each) => (each as Properties)[MEMBERS[place]]);
  const parameters = decoders.filter((decoder) => decoder !== undefined).flatMap((decoder) => parametersIn(operation, place, decoder, schemas));
  return parameters.filter(({ name }, at) => parameters.findIndex((other) => other.name === name) === at);
}

function parametersIn(operation: Operation, place: 'query' | 'header', decoder: unknown, schemas: Schemas): Parameter[] {
  const schema = schemas.use(decoder, 'input', ownerOf(operation, MEMBERS[place], decoder));
  const object = schema.dereferenced(schema.root);
  const { properties } = object;
  if (!isSchema(properties) || !isPlainObject(object)) {
    return [{ name: MEMBERS[place], in: place, style: STYLES[place], explode: true, schema: schemas.place(schema, schema.root) }];
  }
  const required = Array.isArray(object['required']) ? object['required'].map(String) : [];
  // A name can be required without a schema.
  return [...new Set([...Object.keys(properties), ...required])].map((name): Parameter => {
    const part = Object.hasOwn(properties, name) ? properties[name] : true;
    const property = isSchema(part) ? part : booleanSchema(part === true);
    const { description } = property;
    return {
      name, in: place,
      ...(typeof description === 'string' ? { description } : {}),
      ...(required.includes(name) ? { required: true } : {}),
      schema: schemas.place(schema, property),
    };
  });
}

const DEPENDING = ['$ref', 'allOf', 'anyOf', 'dependentSchemas', 'if', 'oneOf', 'patternProperties'];

/** Whether an object has the properties that it names, and no others that depend on something. */
function isPlainObject(schema: JsonSchema): boolean {
  const { type = 'object', additionalProperties: others } = schema;
  const hasTypedOthers = isSchema(others) && Object.keys(others).length > 0;
  return type === 'object' && !hasTypedOthers && !DEPENDING.some((keyword) => keyword in schema);
}
