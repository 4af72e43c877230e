/**
 * One side of a decoder as JSON Schema, and the schemas in it that a `$ref` names:
 *
 *   { "$ref": "#/$defs/Pet", "$defs": { "Pet": … } }          ->   a component, Pet
 *   { "properties": { "boss": { "$ref": "#" } } }             ->   a component, named after the owner of the decoder
 *   { "properties": { "kind": { "$ref": "#/$defs/0" } } }     ->   written where it is referred to. If it refers to itself, a component,
 *                                                                  named after the owner and `kind`
 */
import type { DecoderSide } from '../../declaration/decoder.ts';
import type { Conversion } from '../../endpoint/decoder-json-schema.ts';
import {
  makeResolver, DEFINITIONS, findSchema, forEachSubschema, isReference, isSchema, type JsonSchema, mapKeyword, parsePointer,
} from '../../endpoint/json-schema.ts';
import { findDiscriminator } from './discriminator.ts';

/** The first use of a decoder. Its input and its output have the same owner. */
export interface Owner {
  /** For messages: `body of petCreate`. */
  readonly at: string;
  /** For components without a user's name: the first that is free. */
  readonly names: readonly string[];
}

/** A schema, and the shortest path to it: the schema that contains it, and its keyword and key there. */
export interface Visit {
  readonly schema: JsonSchema;
  readonly from: Visit | undefined;
  readonly keyword: string;
  readonly key: string | undefined;
}

/** A schema that becomes a component. The path leads to its first reference. */
export interface Definition extends Visit {
  /** `undefined` if a library made the name up, such as `__schema0`. */
  readonly userName: string | undefined;
}

// A number, after `_` or a lower-case word: `0`, `__schema0`, `Suspend_1`, `intersection292`. Libraries number the schemas that users have
// not named.
const GENERATED = /^[a-z_]*\d+$|_\d*$/;
// In characters of JSON. Larger schemas stay components: written wherever they are referred to, they could grow without a bound.
const MAX_INLINED = 10_000;
const PLAIN_NAME = /^[A-Za-z][A-Za-z0-9._-]*$/;
const ABSOLUTE_URI = /^[a-z][a-z0-9+.-]*:/i;
// These keywords would change the base of the references below them. `id` is the `$id` of older drafts, and of Zod.
const IDENTIFIERS: ReadonlySet<string> = new Set(['$anchor', '$id', '$schema']);

// JSON Schema draft 2020-12, validation, section 7.3.
const FORMATS: ReadonlySet<string> = new Set([
  'date', 'date-time', 'duration', 'email', 'hostname', 'idn-email', 'idn-hostname', 'ipv4', 'ipv6', 'iri', 'iri-reference', 'time', 'uri',
  'uri-reference', 'uuid',
]);

// Those of a union that says nothing else about a value.
const UNION_KEYWORDS: ReadonlySet<string> = new Set([
  ...DEFINITIONS, ...IDENTIFIERS, 'anyOf', 'deprecated', 'description', 'discriminator', 'examples', 'id', 'oneOf', 'title',
]);

export class DecoderSchema {
  readonly root: JsonSchema;
  readonly side: DecoderSide;
  readonly owner: Owner;
  readonly #rootDefinition: Definition;
  readonly #definitions = new Map<JsonSchema, Definition>();
  readonly #referred = new Map<string, JsonSchema>();
  /** The references that lead nowhere. */
  readonly #dangling = new Set<string>();
  readonly #conversion: Conversion;
  readonly #find: (reference: string) => JsonSchema | undefined;
  /** The schemas of an output that lose their `additionalProperties: false`. */
  readonly #lax: ReadonlySet<JsonSchema>;

  /** `input` is the other side of an output. */
  constructor(conversion: Conversion, side: DecoderSide, owner: Owner, input?: DecoderSchema) {
    const { schema } = conversion;
    this.root = schema;
    this.side = side;
    this.owner = owner;
    this.#conversion = conversion;
    this.#find = makeResolver(schema);
    this.#rootDefinition = { schema, from: undefined, keyword: '', key: undefined, userName: readRootName(schema) };
    if (this.#rootDefinition.userName !== undefined) this.#defineRoot();
    this.#findDefinitions();
    this.#inlineGenerated();
    this.#lax = input === undefined ? new Set() : findLaxSchemas(this, input);
  }

  /** Why its JSON Schema is missing or incomplete. The message begins with `owner.at`. */
  get problems(): string[] {
    const { failure, gaps } = this.#conversion;
    if (failure !== undefined) return [` has no JSON Schema: ${failure}`];
    const dangling = [...this.#dangling].map((reference) => `: its JSON Schema refers to ${reference}, which is missing`);
    return [...(gaps.length === 0 ? [] : [` has parts without a JSON Schema: ${gaps.join('; ')}`]), ...dangling];
  }

  /** The root first, then the others, shortest path first. */
  get definitions(): Definition[] {
    const root = this.#definitions.get(this.root);
    const others = [...this.#definitions.values()].filter((definition) => definition !== root);
    return root === undefined ? others : [root, ...others];
  }

  findDefinition(schema: JsonSchema): Definition | undefined {
    return this.#definitions.get(schema);
  }

  /** The definition that a schema refers to. */
  #findReferredDefinition(schema: JsonSchema): Definition | undefined {
    const referred = this.findReferred(schema);
    return referred === undefined ? undefined : this.#definitions.get(referred);
  }

  /** The references of a definition to others, and to itself. */
  listReferences({ schema: whole }: Definition): { readonly visit: Visit; readonly to: Definition }[] {
    const visits: Visit[] = [{ schema: whole, from: undefined, keyword: '', key: undefined }];
    for (const visit of visits) {
      forEachSubschema(visit.schema, (schema, keyword, key) => visits.push({ schema, from: visit, keyword, key }));
    }
    return visits.flatMap((visit) => {
      const to = this.#findReferredDefinition(visit.schema);
      return to === undefined ? [] : [{ visit, to }];
    });
  }

  /** Makes the root a component, if it is more than a reference or a single value. */
  promoteRoot(): void {
    const isCompound = ['properties', 'anyOf', 'oneOf', 'allOf'].some((keyword) => keyword in this.root);
    if (isCompound && !('$ref' in this.root)) this.#defineRoot();
  }

  /** Finds the target of a reference. `undefined` if it is not in this document. */
  findReferred({ $ref: reference }: JsonSchema): JsonSchema | undefined {
    if (typeof reference !== 'string') return undefined;
    const found = this.#referred.get(reference);
    if (found !== undefined) return found;
    const schema = this.#resolve(reference);
    if (schema !== undefined) this.#referred.set(reference, schema);
    return schema;
  }

  /** The schema itself, or the one that it refers to, directly or through other references. */
  dereference(schema: JsonSchema): JsonSchema {
    let found = schema;
    // More hops than references: a cycle.
    for (let left = this.#referred.size; left > 0; left -= 1) {
      const next = this.findReferred(found);
      if (next === undefined) return found;
      found = next;
    }
    return found;
  }

  /** Copies one of its schemas for the document, without the keywords that only its own document needs. `referenceTo` gives references. */
  write(schema: JsonSchema, referenceTo: (definition: Definition) => string): JsonSchema {
    const inAllOf = new Set<JsonSchema>();
    const write = (part: JsonSchema): JsonSchema => {
      const definition = this.#findReferredDefinition(part);
      if (definition !== undefined && isReference(part)) return { $ref: referenceTo(definition) };
      const inlined = definition === undefined ? this.findReferred(part) : undefined;
      if (inlined !== undefined) {
        const { $ref: _, allOf = [], ...others } = part;
        return write(isReference(part) ? inlined : { ...others, allOf: [inlined, ...allOf as readonly JsonSchema[]] });
      }
      const written: Record<string, unknown> = {};
      for (const keyword of Object.keys(part)) {
        if (!this.#isWritten(keyword, part)) continue;
        if (keyword === '$ref' && definition !== undefined) written[keyword] = referenceTo(definition);
        else written[keyword] = mapKeyword(keyword, part[keyword], keyword === 'allOf' ? writePart : write);
      }
      const discriminator = inAllOf.has(part) ? undefined : this.#findDiscriminator(part, written);
      return discriminator === undefined ? written : { ...written, discriminator };
    };
    // Generators of types drop the property of a discriminator within `allOf`, and so the whole union.
    const writePart = (part: JsonSchema): JsonSchema => {
      const union = '$ref' in part && !isReference(part) ? part : this.dereference(part);
      if (inAllOf.has(union) || this.#findDiscriminator(union, union) === undefined) return write(part);
      inAllOf.add(union);
      const written = write(union);
      inAllOf.delete(union);
      return written;
    };
    return write(schema);
  }

  #findDiscriminator(schema: JsonSchema, written: JsonSchema): object | undefined {
    const branches = schema['discriminator'] === undefined ? listUnion(schema) : [];
    const shown = listUnion(written);
    return findDiscriminator(branches.map((branch, at) => ({ schema: branch, shown: shown[at] as JsonSchema, decoder: this })));
  }

  /** Lists the schemas of which a value has one: those of a union and of the unions in it, or else the root. */
  listAlternatives(): JsonSchema[] {
    const visited = new Set([this.root]);
    const found: JsonSchema[] = [];
    // The loop also visits what it adds.
    for (const schema of visited) {
      const whole = this.dereference(schema);
      const union = Object.keys(whole).every((keyword) => UNION_KEYWORDS.has(keyword)) ? listUnion(whole) : [];
      if (union.length === 0) found.push(schema);
      for (const each of union) visited.add(each);
    }
    return found;
  }

  /** Whether a schema says which other properties an object can have. */
  isClosed(schema: JsonSchema): boolean {
    const whole = this.dereference(schema);
    const others = JSON.stringify(whole['additionalProperties']) as string | undefined;
    return this.#isWritten('additionalProperties', whole) && ![undefined, 'true', '{}'].includes(others);
  }

  #isWritten(keyword: string, schema: JsonSchema): boolean {
    if (keyword === 'id') return typeof schema[keyword] !== 'string';
    if (keyword === '$ref') return !this.#dangling.has(String(schema[keyword]));
    // Tools that generate examples would fill a page with random letters by such a pattern.
    if (keyword === 'pattern') return !FORMATS.has(String(schema['format']));
    if (keyword === 'additionalProperties') return !this.#lax.has(schema);
    return !IDENTIFIERS.has(keyword) && !(DEFINITIONS.has(keyword) && isSchema(schema[keyword]));
  }

  #resolve(reference: string): JsonSchema | undefined {
    const schema = this.#find(reference);
    // An absolute URI can have a target elsewhere.
    if (schema === undefined && !ABSOLUTE_URI.test(reference)) this.#dangling.add(reference);
    // Valibot writes the root once more where it refers to itself.
    const isGenerated = schema !== undefined && GENERATED.test(parsePointer(reference)?.[1] ?? '');
    const root = { ...this.root, $schema: undefined, $defs: undefined, definitions: undefined };
    return isGenerated && JSON.stringify(schema) === JSON.stringify(root) ? this.root : schema;
  }

  /** Visits each schema that can be reached from the root once, breadth first. */
  #findDefinitions(): void {
    const visits: Visit[] = [this.#rootDefinition];
    const seen = new Set<JsonSchema>();
    for (const visit of visits) {
      const { schema } = visit;
      if (seen.has(schema)) continue;
      seen.add(schema);
      const referred = this.findReferred(schema);
      if (referred === this.root) this.#defineRoot();
      if (referred !== undefined && !this.#definitions.has(referred)) {
        const definition = { ...visit, schema: referred, userName: readUserName(String(schema['$ref'])) };
        this.#definitions.set(referred, definition);
        visits.push(definition);
      }
      forEachSubschema(schema, (part, keyword, key) => {
        const isKnown = isReference(part) && this.#findReferredDefinition(part) !== undefined;
        if (!isKnown) visits.push({ schema: part, from: visit, keyword, key });
      });
    }
  }

  /** Inlines the definitions with generated names, unless their references form a cycle. Begins with the ones that refer to no other. */
  #inlineGenerated(): void {
    if (![...this.#definitions.values()].some(({ userName }) => userName === undefined)) return;
    const referrers = new Map<Definition, Definition[]>();
    const left = new Map<Definition, number>();
    const sizes = new Map<Definition, number>();
    const ended: Definition[] = [];
    for (const definition of this.#definitions.values()) {
      const references = this.listReferences(definition);
      for (const { to } of references) addTo(referrers, to, definition);
      left.set(definition, references.length);
      sizes.set(definition, JSON.stringify(definition.schema).length);
      if (references.length === 0) ended.push(definition);
    }
    // The loop also visits what it adds.
    for (const definition of ended) {
      const size = sizes.get(definition) ?? 0;
      const isInlined = definition.userName === undefined && definition.schema !== this.root && size <= MAX_INLINED;
      if (isInlined) this.#definitions.delete(definition.schema);
      for (const referrer of referrers.get(definition) ?? []) {
        if (isInlined) sizes.set(referrer, (sizes.get(referrer) ?? 0) + size);
        const count = (left.get(referrer) ?? 0) - 1;
        left.set(referrer, count);
        if (count === 0) ended.push(referrer);
      }
    }
  }

  #defineRoot(): void {
    if (!this.#definitions.has(this.root)) this.#definitions.set(this.root, this.#rootDefinition);
  }
}

function addTo<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** The schemas of a union. Empty for other schemas. */
function listUnion({ anyOf, oneOf }: JsonSchema): readonly JsonSchema[] {
  const [union = [], other] = [anyOf, oneOf].filter(Array.isArray);
  return other === undefined && union.every(isSchema) ? union : [];
}

/** The user's name of a whole schema. */
function readRootName({ $id, id = $id }: JsonSchema): string | undefined {
  return typeof id === 'string' && PLAIN_NAME.test(id) ? id : undefined;
}

/** The name in `#/$defs/<name>`, unless a library made it up. */
function readUserName(reference: string): string | undefined {
  const [keyword = '', name = '', ...more] = parsePointer(reference) ?? [];
  return DEFINITIONS.has(keyword) && more.length === 0 && !GENERATED.test(name) ? name : undefined;
}

/**
 * Finds the schemas of an output with an `additionalProperties: false` that the input does not have in the same position.
 *
 * Zod writes it into every output, since parsing removes other properties. A client that checks it would reject the next version of the
 * server, with one more property. If the input has it too, the user asked for it.
 */
function findLaxSchemas(output: DecoderSchema, input: DecoderSchema): ReadonlySet<JsonSchema> {
  const lax = new Set<JsonSchema>();
  const strict = new Set<JsonSchema>();
  const partners = new Map<JsonSchema, Set<JsonSchema | undefined>>();
  const visits: [out: JsonSchema, into: JsonSchema | undefined][] = [];
  const visit = (schema: JsonSchema, partner: JsonSchema | undefined): void => {
    const out = (isReference(schema) ? output.findReferred(schema) : undefined) ?? schema;
    const into = partner && input.dereference(partner);
    const inputs = partners.get(out) ?? new Set();
    if (!inputs.has(into)) visits.push([out, into]);
    partners.set(out, inputs.add(into));
  };
  visit(output.root, input.root);
  // The loop also visits what it adds.
  for (const [out, into] of visits) {
    if (isClosed(out)) (isClosed(into) ? strict : lax).add(out);
    const referred = output.findReferred(out);
    if (referred !== undefined) visit(referred, into);
    forEachSubschema(out, (part, keyword, key) => visit(part, into && findSchema(into, key === undefined ? [keyword] : [keyword, key])));
  }
  // The same schema may be used several times. One strict use is enough.
  for (const schema of strict) lax.delete(schema);
  return lax;
}

function isClosed(schema: JsonSchema | undefined): boolean {
  return schema?.['additionalProperties'] === false;
}
