/**
 * The schemas of a document: collects the decoders that the document shows, then names what becomes a component, then writes them.
 *
 * A name can only be given when all are known, so `place` gives an empty object, and `finish` fills it.
 */
import { nameComponents, type ComponentNames } from './component-names.ts';
import { convert, type SchemaSource, type Side } from './conversion.ts';
import type { JsonSchema } from './json-schema.ts';
import { LocalSchema } from './local-schema.ts';
import type { DecoderUse, Owner, SidedSchema } from './sided-schema.ts';
import { laxSchemas } from './strictness.ts';
import { writeSchema } from './written-schema.ts';

export class Schemas {
  readonly #jsonSchema: SchemaSource | undefined;
  readonly #onProblem: (message: string) => unknown;
  readonly #own: Readonly<Record<string, JsonSchema>>;
  readonly #uses = new Map<unknown, DecoderUse>();
  readonly #locals = new Map<unknown, Map<Side, { readonly local: LocalSchema; readonly failure: string | undefined }>>();
  readonly #places: { readonly place: object; readonly schema: JsonSchema; readonly of: SidedSchema }[] = [];

  /** `own` are components that no decoder has. */
  constructor(
    jsonSchema: SchemaSource | undefined, onProblem: (message: string) => unknown, own: Readonly<Record<string, JsonSchema>>,
  ) {
    this.#jsonSchema = jsonSchema;
    this.#onProblem = onProblem;
    this.#own = own;
  }

  /** The schema of one side of a decoder, or of a codec's `schema`. Tells the host if there is none, and should be. */
  use(decoder: unknown, side: Side, owner: Owner): SidedSchema {
    const use = this.#uses.get(decoder) ?? { owners: [], sides: new Map<Side, SidedSchema>() };
    this.#uses.set(decoder, use);
    use.owners.push(owner);
    const known = use.sides.get(side);
    if (known !== undefined) return known;
    const { local, failure } = this.#convert(decoder, side);
    if (failure !== undefined) this.#onProblem(`${owner.place} has no JSON Schema: ${failure}`);
    for (const reference of local.dangling) {
      this.#onProblem(`${owner.place}: its JSON Schema refers to ${reference}, which it does not have`);
    }
    const lax = side === 'input' ? new Set<JsonSchema>() : laxSchemas(local, this.#convert(decoder, 'input').local);
    const sided = { local, side, decoder: use, lax };
    use.sides.set(side, sided);
    return sided;
  }

  /** The place of a schema in the document, or of a part of it. */
  place(of: SidedSchema, schema: JsonSchema = of.local.root): JsonSchema {
    const place = {};
    this.#places.push({ place, schema, of });
    return place;
  }

  /** Fills all places. Returns the components. Throws `TypeError` if two have one name. */
  finish(): Record<string, JsonSchema> {
    const sided = [...this.#uses.values()].flatMap(({ sides }) => [...sides.values()]);
    const names = nameComponents(sided, this.#own);
    for (const { place, schema, of } of this.#places) Object.assign(place, this.#written(schema, of, names));
    const written = names.components.map(({ name, target, of }) => [name, writeSchema(target.schema, of, names.nameOf)] as const);
    return { ...this.#own, ...Object.fromEntries(written) };
  }

  #written(schema: JsonSchema, of: SidedSchema, { nameOf }: ComponentNames): JsonSchema {
    const target = of.local.targetAt(schema);
    return target === undefined ? writeSchema(schema, of, nameOf) : { $ref: `#/components/schemas/${nameOf(target, of)}` };
  }

  #convert(decoder: unknown, side: Side): { readonly local: LocalSchema; readonly failure: string | undefined } {
    const sides = this.#locals.get(decoder) ?? new Map();
    this.#locals.set(decoder, sides);
    const known = sides.get(side);
    if (known !== undefined) return known;
    const { schema, failure } = convert(decoder, side, this.#jsonSchema);
    const converted = { local: new LocalSchema(schema), failure };
    sides.set(side, converted);
    return converted;
  }
}
