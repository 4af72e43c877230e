/**
 * The schemas of a document: converts each decoder once, and shows it wherever it is used.
 *
 * Components can be named when all decoders are known. So the document is made twice: the first time finds its decoders, and after
 * `nameComponents` each schema is as the document has it.
 */
import { SchemaComponents } from './components.ts';
import type { DecoderSide, SchemaConverter } from '../../declaration/decoder.ts';
import { convertDecoder } from '../../endpoint/decoder-json-schema.ts';
import { DecoderSchema, type Owner } from './decoder-schema.ts';
import { type Branch, findDiscriminator } from './discriminator.ts';
import type { JsonSchema } from '../../endpoint/json-schema.ts';
import type { Report } from '../../endpoint/schema-libraries.ts';

interface DescribedDecoder {
  readonly owner: Owner;
  readonly sides: Map<DecoderSide, DecoderSchema>;
}

export class Schemas {
  readonly #jsonSchema: SchemaConverter | undefined;
  readonly #warn: Report;
  readonly #items: ReadonlySet<unknown>;
  readonly #decoders = new Map<unknown, DescribedDecoder>();
  /** The schemas of the document. Others are only compared with them. */
  readonly #shown = new Set<DecoderSchema>();
  #components: SchemaComponents | undefined;

  /** `items` are the schemas of endpoints, which are components wherever they are used. */
  constructor(jsonSchema: SchemaConverter | undefined, warn: Report, items: ReadonlySet<unknown>) {
    this.#jsonSchema = jsonSchema;
    this.#warn = warn;
    this.#items = items;
  }

  /** Describes one side of a decoder, or of a codec's `schema`. */
  describe(decoder: unknown, side: DecoderSide, owner: Owner): JsonSchema {
    const schema = this.use(decoder, side, owner);
    return this.show(schema, schema.root);
  }

  /**
   * Describes an object that has the properties of one of the decoders, or none of them: then it is one of `others`. `toWhole` adds the
   * rest of the object. Lists the schemas of unions, which generators do not read within `allOf`.
   */
  describeWhole(
    decoders: readonly unknown[], ownerOf: (decoder: unknown) => Owner,
    toWhole: (part: JsonSchema) => JsonSchema, others: readonly JsonSchema[],
  ): JsonSchema {
    const branches = decoders.flatMap((each): Branch[] => {
      const decoder = this.use(each, 'output', ownerOf(each));
      return decoder.listAlternatives().map((schema) => ({ decoder, schema, shown: this.#showOpen(decoder, schema) }));
    });
    const whole = [...branches.map(({ shown }) => toWhole(shown)), ...others];
    const isExclusive = others.length === 0 && findDiscriminator(branches) !== undefined;
    return whole.length === 1 ? whole[0] as JsonSchema : { [isExclusive ? 'oneOf' : 'anyOf']: whole };
  }

  /** A part of a schema without what only a whole object can have: its `additionalProperties`, and a discriminator. */
  #showOpen(decoder: DecoderSchema, schema: JsonSchema): JsonSchema {
    const { additionalProperties: _, ...open } = decoder.dereference(schema);
    const { discriminator: _discriminator, ...shown } = this.show(decoder, decoder.isClosed(schema) ? open : schema);
    return shown;
  }

  /** Converts one side of a decoder. Warns if that fails, or loses parts. */
  use(value: unknown, side: DecoderSide, owner: Owner): DecoderSchema {
    const decoder = this.#decoders.get(value) ?? { owner, sides: new Map() };
    this.#decoders.set(value, decoder);
    const schema = this.#convert(value, side, decoder);
    if (this.#items.has(value)) schema.promoteRoot();
    if (this.#shown.has(schema)) return schema;
    this.#shown.add(schema);
    for (const problem of schema.problems) this.#warn(`${owner.at}${problem}`);
    return schema;
  }

  /** A part of a schema, as the document has it. While decoders are found, it is as its library wrote it. */
  show(decoder: DecoderSchema, schema: JsonSchema): JsonSchema {
    return this.#components?.show(schema, decoder) ?? schema;
  }

  /** Names the components. Throws `TypeError` if two have the same name. */
  nameComponents(): void {
    this.#components = new SchemaComponents([...this.#shown]);
  }

  /** The components, sorted by name. */
  get components(): Record<string, JsonSchema> {
    return this.#components?.schemas ?? {};
  }

  #convert(value: unknown, side: DecoderSide, decoder: DescribedDecoder): DecoderSchema {
    const converted = decoder.sides.get(side);
    if (converted !== undefined) return converted;
    const input = side === 'output' ? this.#convert(value, 'input', decoder) : undefined;
    const schema = new DecoderSchema(convertDecoder(value, side, this.#jsonSchema), side, decoder.owner, input);
    decoder.sides.set(side, schema);
    return schema;
  }
}
