/** The Parameter Objects of an operation: in its path, its query and its headers. */
import type { DecoderSide } from '../declaration/decoder.ts';
import { type IdCodec, isWildcard } from '../declaration/id-codec.ts';
import { getRest } from '../endpoint/codec.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import type { Operation } from '../endpoint/operation.ts';
import type { Properties } from '../util/options.ts';
import { comparesVersions } from '../endpoint/versions.ts';
import type { CONDITION_HEADERS } from '../http/preconditions.ts';
import { describeOwner } from './names.ts';
import { booleanSchema, isSchema, type JsonSchema } from '../endpoint/json-schema.ts';
import type { Owner } from './schemas/decoder-schema.ts';
import type { Schemas } from './schemas/schemas.ts';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description?: string;
  readonly deprecated?: true;
  readonly required?: true;
  readonly style?: 'form' | 'simple';
  readonly explode?: true;
  readonly schema: JsonSchema;
}

/** Describes the parameters. `names` are the names of the path's parameters in the document. */
export function describeParameters(operation: Operation, names: readonly string[], schemas: Schemas): Parameter[] {
  const inPath = operation.pattern.parameters.map((own, index): Parameter => {
    const { schema } = findCodec(operation.endpoint, own);
    const text = schema === undefined ? {} : describeText(schema, 'input', describeOwner(operation, own, schema), schemas);
    return { name: names[index] ?? own, in: 'path', ...text, required: true, schema: describeCodec(operation, own, schemas) };
  });
  const headers = describeQueryOrHeaders(operation, 'header', schemas);
  const declared = headers.map(({ name }) => name.toLowerCase());
  const conditions = describeConditions(operation).filter(({ name }) => !declared.includes(name.toLowerCase()));
  return [...inPath, ...describeQueryOrHeaders(operation, 'query', schemas), ...headers, ...conditions];
}

const IF_MATCH: Parameter = makeCondition('If-Match', 'The entity tags of the versions that the request is for, or *.');
const IF_NONE_MATCH: Parameter = makeCondition('If-None-Match', 'The entity tags of the versions that the request is not for, or *.');

function makeCondition(name: (typeof CONDITION_HEADERS.reads)[number], description: string): Parameter {
  return { name, in: 'header', description, schema: { type: 'string' } };
}

/** The conditions on the version of an item. */
function describeConditions(operation: Operation): Parameter[] {
  const { kind, getTag: tagOf, conditions, caching } = operation;
  if (conditions === 'required') return [{ ...IF_MATCH, required: true }, IF_NONE_MATCH];
  if (comparesVersions(operation)) return [IF_MATCH, IF_NONE_MATCH];
  const isTagged = (kind.reads && tagOf !== undefined) || caching?.formatTag !== undefined;
  return isTagged ? [IF_NONE_MATCH] : [];
}

/** The codec of a parameter: `id`, or one of the sub-path. */
export function findCodec({ declared: { id, params } }: Endpoint, name: string): Partial<IdCodec<unknown>> {
  return Object({ id, ...Object(params) }[name]) as Partial<IdCodec<unknown>>;
}

// A path has no empty segment, and the server rejects these characters.
const SEGMENT: JsonSchema = { type: 'string', minLength: 1, pattern: '^[^\\x00\\r\\n]+$' };

/** Describes the string of a codec: any that a path can have, unless the codec says more. */
export function describeCodec(operation: Operation, name: string, schemas: Schemas): JsonSchema {
  const codec = findCodec(operation.endpoint, name);
  if (codec.schema !== undefined) return schemas.describe(codec.schema, 'input', describeOwner(operation, name, codec.schema));
  return isWildcard(codec) ? { type: 'string', pattern: getRest(codec.emptySegments === true).source } : SEGMENT;
}

type ParameterText = Pick<Parameter, 'description' | 'deprecated'>;

/** What the schema of a decoder says of its parameter, or of its header. */
export function describeText(decoder: unknown, side: DecoderSide, owner: Owner, schemas: Schemas): ParameterText {
  const schema = schemas.use(decoder, side, owner);
  return readText(schema.dereference(schema.root));
}

/** Pages of documents show it at the parameter. */
function readText({ description, deprecated }: JsonSchema): ParameterText {
  return { ...(typeof description === 'string' && { description }), ...(deprecated === true && { deprecated }) };
}

const PROPERTIES = { query: 'query', header: 'headers' } as const;
const STYLES = { query: 'form', header: 'simple' } as const;

/** Describes the parameters of the interceptors and of the operation. Of two with the same name, the first counts: headers in any case. */
function describeQueryOrHeaders(operation: Operation, where: 'query' | 'header', schemas: Schemas): Parameter[] {
  const { interceptors = [], options: members } = operation;
  const parameters = [...interceptors.map((interceptor) => interceptor.declared), members].flatMap((each) => {
    const decoder = (each as Properties)[PROPERTIES[where]];
    return decoder === undefined ? [] : describeDecoder(operation, where, decoder, schemas);
  });
  const names = parameters.map(({ name }) => (where === 'header' ? name.toLowerCase() : name));
  return parameters.filter((_, at) => names.indexOf(names[at] as string) === at);
}

function describeDecoder(operation: Operation, where: 'query' | 'header', decoder: unknown, schemas: Schemas): Parameter[] {
  const schema = schemas.use(decoder, 'input', describeOwner(operation, PROPERTIES[where], decoder));
  const object = schema.dereference(schema.root);
  const { properties } = object;
  if (!isSchema(properties) || !hasPlainProperties(object)) {
    return [{ name: PROPERTIES[where], in: where, style: STYLES[where], explode: true, schema: schemas.show(schema, schema.root) }];
  }
  const required = Array.isArray(object['required']) ? object['required'].map(String) : [];
  // A name can be required without a schema.
  return [...new Set([...Object.keys(properties), ...required])].map((name): Parameter => {
    const part = Object.hasOwn(properties, name) ? properties[name] : true;
    const property = isSchema(part) ? part : booleanSchema(part === true);
    return {
      name, in: where,
      ...readText(schema.dereference(property)),
      ...(required.includes(name) ? { required: true } : {}),
      schema: schemas.show(schema, property),
    };
  });
}

const DEPENDING = ['$ref', 'allOf', 'anyOf', 'dependentSchemas', 'if', 'oneOf', 'patternProperties'];

/** Whether an object has the properties that it names, and no others that depend on something. */
export function hasPlainProperties(schema: JsonSchema): boolean {
  const { type = 'object', additionalProperties: others } = schema;
  const hasTypedOthers = isSchema(others) && Object.keys(others).length > 0;
  return type === 'object' && !hasTypedOthers && !DEPENDING.some((keyword) => keyword in schema);
}
