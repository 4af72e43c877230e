/**
 * One side of a decoder as JSON Schema, and the schemas in it that a `$ref` names. Each of those becomes a component:
 *
 *   { "$ref": "#/$defs/Pet", "$defs": { "Pet": … } }          ->   Pet, which is the name that the user gave
 *   { "properties": { "boss": { "$ref": "#" } } }             ->   the root, named after its owner
 *   { "properties": { "kind": { "$ref": "#/$defs/0" } } }     ->   named after its owner and `kind`
 */
import { DEFINITIONS, keysOf, resolvePointer, subschemasOf, type JsonSchema, type Subschema } from './json-schema.ts';

/** A schema that becomes a component. */
export interface Target {
  readonly schema: JsonSchema;
  /** The name that the user gave. `undefined` for one that a library made up, such as `__schema0`. */
  readonly userName: string | undefined;
  /** The properties on the shortest way to the schema. */
  readonly words: readonly string[];
  /** The same with every other keyword on the way, for schemas that would have one name. */
  readonly longWords: readonly string[];
}

type Way = Pick<Target, 'words' | 'longWords'>;

// Of Valibot; Zod; Effect; ArkType. Those of ArkType differ from process to process.
const GENERATED = new RegExp([
  '^\\d+$',
  '^__schema\\d+$',
  '^(?:Arrays|Declaration|Filter|Objects|Suspend|Transformation|Tuple|Union)_\\d*$',
  '^(?:alias|cyclic|divisor|domain|intersection|max|min|morph|pattern|predicate|proto|sequence|structure|type|union|unit)\\d+$',
].join('|'));
const PLAIN_NAME = /^[A-Za-z][A-Za-z0-9._-]*$/;
const START: Way = { words: [], longWords: [] };

export class LocalSchema {
  readonly root: JsonSchema;
  readonly #targets = new Map<JsonSchema, Target>();
  /** The references that lead nowhere. */
  readonly dangling: string[] = [];
  #cachedRootText: string | undefined;

  constructor(root: JsonSchema) {
    this.root = root;
    if (this.#rootName !== undefined) this.#addTarget('#', root, START);
    this.#findTargets();
  }

  /** The root first, then those with the shortest way. */
  get targets(): Target[] {
    const root = this.#targets.get(this.root);
    const others = [...this.#targets.values()].filter((target) => target !== root);
    return root === undefined ? others : [root, ...others];
  }

  /** Makes the root a component, if it is more than a reference or a single value. */
  promoteRoot(): void {
    const isCompound = ['properties', 'anyOf', 'oneOf', 'allOf'].some((keyword) => keyword in this.root);
    if (isCompound && !('$ref' in this.root)) this.#addTarget('#', this.root, START);
  }

  targetAt(schema: JsonSchema | undefined): Target | undefined {
    return schema === undefined ? undefined : this.#targets.get(schema);
  }

  /** What a schema refers to. `undefined` if it refers to nothing here. */
  referred({ $ref: reference }: JsonSchema): JsonSchema | undefined {
    if (typeof reference !== 'string') return undefined;
    const [, name = ''] = keysOf(reference);
    const schema = resolvePointer(this.root, reference);
    // Valibot writes the root once more where it refers to itself.
    return schema !== undefined && GENERATED.test(name) && JSON.stringify(schema) === this.#rootText ? this.root : schema;
  }

  /** The schema itself, or what it refers to, directly or through other references. */
  dereferenced(schema: JsonSchema): JsonSchema {
    const seen = new Set<JsonSchema>();
    let found = schema;
    for (let next = this.referred(found); next !== undefined && !seen.has(next); next = this.referred(found)) {
      seen.add(next);
      found = next;
    }
    return found;
  }

  get #rootName(): string | undefined {
    const { $id, id = $id } = this.root;
    return typeof id === 'string' && PLAIN_NAME.test(id) ? id : undefined;
  }

  get #rootText(): string {
    return (this.#cachedRootText ??= JSON.stringify(withoutDefinitions(this.root)));
  }

  /** Visits all schemas that can be reached from the root, breadth first. */
  #findTargets(): void {
    const visits: (Way & { readonly schema: JsonSchema })[] = [{ schema: this.root, ...START }];
    for (const { schema, ...way } of visits) {
      const { $ref: reference } = schema;
      const referred = this.referred(schema);
      if (typeof reference === 'string' && referred === undefined) this.#addDangling(reference);
      if (typeof reference === 'string' && referred !== undefined && !this.#targets.has(referred)) {
        this.#addTarget(reference, referred, way);
        if (referred !== this.root) visits.push({ schema: referred, ...way });
      }
      for (const part of subschemasOf(schema)) visits.push({ schema: part.schema, ...wayTo(part, way) });
    }
  }

  #addTarget(reference: string, schema: JsonSchema, way: Way): void {
    if (this.#targets.has(schema)) return;
    const [, name] = keysOf(reference);
    const isOfRoot = schema === this.root;
    const given = name === undefined || GENERATED.test(name) || !isDefinition(reference) ? undefined : name;
    this.#targets.set(schema, { schema, userName: isOfRoot ? this.#rootName : given, ...(isOfRoot ? START : way) });
  }

  #addDangling(reference: string): void {
    // A whole URI is the user's own business.
    if (!/^[a-z][a-z0-9+.-]*:/i.test(reference)) this.dangling.push(reference);
  }
}

function isDefinition(reference: string): boolean {
  const [keyword = '', , ...more] = keysOf(reference);
  return DEFINITIONS.has(keyword) && more.length === 0;
}

function wayTo({ keyword, key }: Subschema, { words, longWords }: Way): Way {
  if (keyword === 'properties') return { words: [...words, key], longWords: [...longWords, key] };
  // Counted from 1, as people do.
  const position = /^\d+$/.test(key) ? `${keyword}${Number(key) + 1}` : `${keyword} ${key}`;
  return { words, longWords: [...longWords, position] };
}

function withoutDefinitions(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => keyword !== '$schema' && !DEFINITIONS.has(keyword)));
}
