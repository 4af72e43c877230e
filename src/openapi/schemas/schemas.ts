/**
 * The schemas of a document: converts each decoder once, and shows it wherever it is used.
 *
 * Components can be named when all decoders are known. So `reserve` returns an empty object, and `finish` fills it.
 */
import { Components } from './components.ts';
import { convert, type SchemaConverter, type DecoderSide } from './conversion.ts';
import { DecoderSchema, type Owner } from './decoder-schema.ts';
import type { JsonSchema } from './json-schema.ts';

interface Decoder {
  readonly owner: Owner;
  readonly sides: Map<DecoderSide, DecoderSchema>;
}

export class Schemas {
  /** Whether the document can have the schema of each item of a sequence. */
  readonly hasItemSchemas: boolean;
  readonly #jsonSchema: SchemaConverter | undefined;
  readonly #onWarning: (message: string) => unknown;
  readonly #items: ReadonlySet<unknown>;
  readonly #decoders = new Map<unknown, Decoder>();
  /** The schemas of the document. Others are only compared with them. */
  readonly #shown = new Set<DecoderSchema>();
  readonly #reserved: { readonly target: object; readonly schema: JsonSchema; readonly decoder: DecoderSchema }[] = [];

  /** `items` are the schemas of endpoints, which are components wherever they are used. */
  constructor(
    jsonSchema: SchemaConverter | undefined, onWarning: (message: string) => unknown, items: ReadonlySet<unknown>, hasItemSchemas: boolean,
  ) {
    this.hasItemSchemas = hasItemSchemas;
    this.#jsonSchema = jsonSchema;
    this.#onWarning = onWarning;
    this.#items = items;
  }

  /** Describes one side of a decoder, or of a codec's `schema`. */
  describe(decoder: unknown, side: DecoderSide, owner: Owner): JsonSchema {
    const schema = this.use(decoder, side, owner);
    if (this.#items.has(decoder)) schema.promoteRoot();
    return this.reserve(schema, schema.root);
  }

  /** Converts one side of a decoder. Calls `onWarning` if that fails. */
  use(value: unknown, side: DecoderSide, owner: Owner): DecoderSchema {
    const decoder = this.#decoders.get(value) ?? { owner, sides: new Map() };
    this.#decoders.set(value, decoder);
    const schema = this.#convert(value, side, decoder);
    if (this.#shown.has(schema)) return schema;
    this.#shown.add(schema);
    for (const problem of schema.problems) this.#onWarning(`${owner.at}${problem}`);
    return schema;
  }

  /** Reports a gap of the document. */
  report(problem: string): void {
    this.#onWarning(problem);
  }

  /** An object of the document that `finish` fills with a part of a schema. */
  reserve(decoder: DecoderSchema, schema: JsonSchema): JsonSchema {
    const target = {};
    this.#reserved.push({ target, schema, decoder });
    return target;
  }

  /** Fills the reserved objects. Returns the components. Throws `TypeError` if two have the same name. */
  finish(): Record<string, JsonSchema> {
    const components = new Components([...this.#shown]);
    for (const { target, schema, decoder } of this.#reserved) Object.assign(target, components.show(schema, decoder));
    return components.schemas;
  }

  #convert(value: unknown, side: DecoderSide, decoder: Decoder): DecoderSchema {
    const known = decoder.sides.get(side);
    if (known !== undefined) return known;
    const input = side === 'output' ? this.#convert(value, 'input', decoder) : undefined;
    const schema = new DecoderSchema(convert(value, side, this.#jsonSchema), side, decoder.owner, input);
    decoder.sides.set(side, schema);
    return schema;
  }
}
