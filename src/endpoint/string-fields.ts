/**
 * The fields of a query, of headers and of a form, by the JSON Schema of their decoder. A client sends strings, and lists of strings:
 *
 *   { tag: z.array(z.string()) }         ->   a list, even of one: ?tag=a
 *   { owner: z.object({ … }) }           ->   rejected, since no client can send it
 *   { legs: z.number() }                 ->   rejected, unlike z.coerce.number(), which takes a string
 */
import type { StandardSchemaV1 } from '../declaration/decoder.ts';
import { convertDecoder } from './decoder-json-schema.ts';
import type { Lists } from '../http/query.ts';
import { disown, isThenable } from '../util/promises.ts';
import { booleanSchema, makeResolver, isSchema, type JsonSchema } from './json-schema.ts';

/** What a decoder says about its fields. Nothing, if it has no JSON Schema. */
export interface StringFields {
  /** The lists, by name. `true`: the field is required, so one that is not sent is an empty list. */
  readonly lists: ReadonlyMap<string, boolean>;
  /** The names of all fields. */
  readonly names: readonly string[];
  /** Whether other names are possible. */
  readonly isOpen: boolean;
  /** The fields that can only be objects, or lists of objects or lists. */
  readonly objects: readonly string[];
  /** The fields that can only be numbers or booleans, or lists of these, as documents have them. A decoder may convert strings to them. */
  readonly scalars: readonly ScalarField[];
}

interface ScalarField {
  readonly name: string;
  readonly type: 'number' | 'boolean';
  /** Values that the field may accept. */
  readonly samples: readonly unknown[];
}

/** The fields by name, each with the schemas that its object has for it. */
type Fields = Map<string, { readonly schemas: JsonSchema[]; isRequired: boolean }>;
type Types = ReadonlySet<string>;

const ANY: Types = new Set(['any']);

/** Reads the JSON Schema of a decoder's input. */
export function readStringFields(decoder: unknown): StringFields {
  const { schema: root } = convertDecoder(decoder, 'input');
  const reader = new Reader(root);
  const fields = [...reader.listFields(root)];
  const lists = fields.filter(([, { schemas }]) => schemas.every((schema) => reader.isList(schema)));
  const objects = fields.filter(([, { schemas }]) => schemas.every((schema) => reader.isObject(schema)));
  return {
    lists: new Map(lists.map(([name, { isRequired }]) => [name, isRequired])),
    names: fields.map(([name]) => name),
    isOpen: reader.isOpen,
    objects: objects.map(([name]) => name),
    scalars: fields.flatMap(([name, { schemas }]) => reader.findScalar(name, schemas) ?? []),
  };
}

interface ListPaths {
  /** The paths of the schema and of the option `lists`, for messages. */
  readonly schema: string;
  readonly lists: string;
  /** The files of a form, which its schema need not have. */
  readonly files?: ReadonlyMap<string, unknown>;
}

/**
 * Chooses the lists of a query or a form: the fields that are lists to its decoders, and the names in the option `lists`. Each has a second
 * name, `tag[]` for `tag`, as axios and the forms of PHP and Rails send it, unless that is a field. Throws `TypeError` for a name that no
 * decoder has, and for a field that no client can send.
 */
export function chooseLists(decoders: readonly unknown[], named: readonly string[], at: ListPaths): Lists {
  const all = decoders.map((decoder) => readSendable(decoder, at.schema));
  const isUnknown = (name: string): boolean => all.every(({ names, isOpen }) => !isOpen && !names.includes(name));
  const unknown = all.length > 0 ? named.find((name) => at.files?.has(name) !== true && isUnknown(name)) : undefined;
  if (unknown !== undefined) throw new TypeError(`${at.lists} must only have names of the schema: ${JSON.stringify(unknown)}`);
  const lists = new Map([...named.map((name) => [name, false] as const), ...all.flatMap((fields) => [...fields.lists])]);
  const fields = [...lists.keys(), ...all.flatMap(({ names }) => names), ...(at.files?.keys() ?? [])];
  const others = [...lists.keys()].map((name) => [`${name}[]`, name] as const).filter(([name]) => !fields.includes(name));
  return new Map<string, boolean | string>([...lists, ...others]);
}

/** Reads the fields of a query, headers or a form. Throws `TypeError`, with `path` in the message, for one that no client can send. */
export function readSendable(decoder: unknown, path: string): StringFields {
  const fields = readStringFields(decoder);
  const [object] = fields.objects;
  if (object !== undefined) {
    throw new TypeError(`${path}.${object} must not be an object: clients send strings and lists of strings. Take a string, and parse it`);
  }
  const scalar = fields.scalars.find(({ name, samples }) => samples.some((sample) => needsValue(decoder, name, sample)));
  if (scalar === undefined) return fields;
  const { name, type } = scalar;
  const fix = `Convert them, as ${type === 'number' ? 'z.coerce.number()' : 'z.stringbool()'} does`;
  throw new TypeError(`${path}.${name} must not be a ${type}: clients send strings and lists of strings. ${fix}`);
}

/** Whether a decoder accepts a value of a field, and not its string: `z.number()` has the same JSON Schema as `z.coerce.number()`. */
function needsValue(decoder: unknown, name: string, value: unknown): boolean {
  const sent = Array.isArray(value) ? value.map(String) : String(value);
  return accepts(decoder, name, value) === true && accepts(decoder, name, sent) === false;
}

/** Whether a decoder finds no issue at a field. `undefined` if that is not known at once. */
function accepts(decoder: unknown, name: string, value: unknown): boolean | undefined {
  try {
    const result = (decoder as StandardSchemaV1)['~standard'].validate({ [name]: value });
    if (!isThenable(result)) return result.issues?.some(({ path: [first] = [] }) => first === name || Object(first).key === name) !== true;
    disown(result);
  } catch {
    // A decoder without the other fields may throw.
  }
  return undefined;
}

/** Reads each schema once, also one that refers to itself. */
class Reader {
  /** Whether a schema allows fields that it does not name. */
  isOpen = false;
  readonly #resolve: (reference: string) => JsonSchema | undefined;
  readonly #fields = new Map<JsonSchema, Fields>();
  readonly #types = new Map<JsonSchema, Types>();

  constructor(root: JsonSchema) {
    this.#resolve = makeResolver(root);
  }

  /** Lists the fields of an object, with those of its parts and of its alternatives. */
  listFields(schema: JsonSchema): Fields {
    const known = this.#fields.get(schema);
    if (known !== undefined) return known;
    const fields: Fields = new Map();
    this.#fields.set(schema, fields);
    const { properties, required, additionalProperties: others = false, patternProperties } = schema;
    const parts = this.#listParts(schema);
    const unions = listUnions(schema);
    const isEmpty = properties === undefined && parts.length === 0 && unions.length === 0;
    if (isEmpty || others !== false || patternProperties !== undefined) this.isOpen = true;
    for (const [name, part] of Object.entries(Object(properties) as JsonSchema)) {
      const isRequired = Array.isArray(required) && required.includes(name);
      fields.set(name, { schemas: [isSchema(part) ? part : booleanSchema(part === true)], isRequired });
    }
    for (const part of parts) addFields(fields, this.listFields(part));
    for (const union of unions) {
      const all = union.map((alternative) => this.listFields(alternative));
      const either: Fields = new Map();
      for (const each of all) addFields(either, each);
      for (const [name, field] of either) field.isRequired = all.every((each) => each.get(name)?.isRequired === true);
      addFields(fields, either);
    }
    return fields;
  }

  /** Whether a value can only be a list, or `null`, which no client can send. */
  isList(schema: JsonSchema): boolean {
    return isOnly(this.#listTypes(schema), 'array', 'null');
  }

  /** Whether a value can only be an object, or a list of objects or lists. */
  isObject(schema: JsonSchema): boolean {
    if (!this.isList(schema)) return isOnly(this.#listTypes(schema), 'object', 'null');
    const lists = this.#listItems(schema);
    return lists.length > 0 && lists.every((items) => this.isList(items) || isOnly(this.#listTypes(items), 'object', 'array', 'null'));
  }

  /** Finds out whether a field can only be a number or a boolean, or a list of these. */
  findScalar(name: string, schemas: readonly JsonSchema[]): ScalarField | undefined {
    const isList = schemas.every((schema) => this.isList(schema));
    const each = isList ? schemas.flatMap((schema) => this.#listItems(schema)) : schemas;
    const types = each.map((schema) => this.#listTypes(schema));
    const type = types.every((has) => isOnly(has, 'boolean', 'null')) ? 'boolean'
      : types.every((has) => isOnly(has, 'number', 'integer', 'null') || isOnly(has, 'integer', 'null')) ? 'number' : undefined;
    if (type === undefined || each.length === 0) return undefined;
    const given = each.flatMap((schema) => [schema['minimum'], schema['maximum'], ...listValues(schema)]);
    const samples = [...given.filter((value) => typeof value === type), ...(type === 'number' ? [1, 0, 1n] : [true, false])];
    return { name, type, samples: isList ? samples.map((sample) => [sample]) : samples };
  }

  /** Lists the types that a value can have. */
  #listTypes(schema: JsonSchema): Types {
    const known = this.#types.get(schema);
    if (known !== undefined) return known;
    this.#types.set(schema, ANY);
    const { type } = schema;
    const parts = [...listUnions(schema).map((union) => new Set(union.flatMap((each) => [...this.#listTypes(each)]))),
      ...this.#listParts(schema).map((part) => this.#listTypes(part))];
    const values = listValues(schema);
    const types = type !== undefined ? new Set([type].flat().map(String))
      : values.length > 0 ? new Set(values.map((value) => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value)))
      : parts.find((each) => !each.has('any')) ?? ANY;
    this.#types.set(schema, types);
    return types;
  }

  /** Lists the schemas of the items of a list. */
  #listItems(schema: JsonSchema): JsonSchema[] {
    return [...this.#listAlternatives(schema, new Set())].flatMap(({ items }) => (isSchema(items) ? [items] : []));
  }

  /** Adds the schemas that a value can have, each of them once. */
  #listAlternatives(schema: JsonSchema, found: Set<JsonSchema>): Set<JsonSchema> {
    if (found.has(schema)) return found;
    found.add(schema);
    for (const each of [...listUnions(schema).flat(), ...this.#listParts(schema)]) this.#listAlternatives(each, found);
    return found;
  }

  /** Lists the schemas that hold together with this one. */
  #listParts({ $ref: reference, allOf }: JsonSchema): JsonSchema[] {
    const referred = typeof reference === 'string' ? this.#resolve(reference) : undefined;
    return [...(referred === undefined ? [] : [referred]), ...listSchemas(allOf)];
  }
}

/** Lists the alternatives of a schema. */
function listUnions({ anyOf, oneOf }: JsonSchema): JsonSchema[][] {
  return [anyOf, oneOf].map(listSchemas).filter((union) => union.length > 0);
}

/** Lists the only values that a schema allows. */
function listValues({ const: only, enum: values }: JsonSchema): unknown[] {
  return only !== undefined ? [only] : Array.isArray(values) ? values : [];
}

function listSchemas(value: unknown): JsonSchema[] {
  return Array.isArray(value) ? value.filter(isSchema) : [];
}

function addFields(fields: Fields, others: Fields): void {
  for (const [name, { schemas, isRequired }] of others) {
    const field = fields.get(name);
    if (field === undefined) {
      fields.set(name, { schemas: [...schemas], isRequired });
    } else {
      field.schemas.push(...schemas);
      field.isRequired ||= isRequired;
    }
  }
}

/** Whether all types are expected, and one of them is the first. */
function isOnly(types: Types, first: string, ...others: readonly string[]): boolean {
  return types.has(first) && [...types].every((type) => type === first || others.includes(type));
}
