/**
 * The components of a document, one for each definition of its decoders, and their names:
 *
 *   a name of the user                  ->   stays. Decoders with the same name share one component
 *   a name that a library generated     ->   the name of the owner, or of the user's definition that contains it, and the properties of the
 *                                            path: PetParent. Decoders with the same definition share one component
 *   an input that differs               ->   PetInput, and the output is Pet
 */
import { joinPascal, toComponentName } from '../names.ts';
import { isSame, sortByName } from '../plain-json.ts';
import type { DecoderSide } from '../../declaration/decoder.ts';
import type { DecoderSchema, Definition, Owner, Visit } from './decoder-schema.ts';
import type { JsonSchema } from '../../endpoint/json-schema.ts';
import { listSharedParts, type SharedPart } from './shared-parts.ts';

/** A schema that has the name of a component. */
interface Variant {
  readonly schema: JsonSchema;
  readonly decoder: DecoderSchema;
}

/** The path to a schema as a part of a name: only its properties, or all its keywords where two schemas would have the same name. */
interface PathName {
  readonly properties: string;
  readonly keywords: string;
}

interface Component {
  readonly name: string;
  /** The owner of the decoder that has the generated name. `undefined` for a name of the user. */
  readonly owner: Owner | undefined;
  readonly first: Variant;
  readonly variants: Readonly<Record<DecoderSide, Variant[]>>;
  readonly references: Record<DecoderSide, string>;
  /** The components with an input that refers to this one. */
  readonly referrers: Component[];
}

export class SchemaComponents {
  readonly #byName = new Map<string, Component>();
  readonly #byDefinition = new Map<Definition, Component>();
  readonly #pathNames = new Map<Visit, PathName>();
  /** The owners of parts of definitions, by the name of the component that contains them. */
  readonly #owners = new Map<string, Owner>();
  /** The components with an input that differs from the output, or that refers to such a component. */
  readonly #split = new Set<Component>();

  /** Throws `TypeError` if two different schemas have the same name. */
  constructor(all: readonly DecoderSchema[]) {
    const definitions = all.flatMap((decoder) => decoder.definitions.map((definition) => ({ definition, decoder })));
    // Names of users first, so that no generated name takes one.
    for (const { definition, decoder } of definitions) {
      if (definition.userName !== undefined) this.#add(definition, decoder, toComponentName(definition.userName));
    }
    const generating = new Set(definitions.filter(({ definition }) => definition.userName === undefined).map(({ decoder }) => decoder));
    const named = definitions.filter(({ definition, decoder }) => definition.userName !== undefined && generating.has(decoder));
    for (const part of listSharedParts(named)) this.#addPart(part);
    for (const { definition, decoder } of definitions) {
      if (this.#byDefinition.has(definition)) continue;
      const { owner } = decoder;
      this.#add(definition, decoder, this.#findFreeName(this.#namePath(definition), owner, decoder), owner);
    }
    this.#splitSides();
  }

  /** A schema as the document shows it: a reference to its component, or the schema itself. */
  show(schema: JsonSchema, decoder: DecoderSchema): JsonSchema {
    const definition = decoder.findDefinition(schema);
    return definition === undefined ? this.#write({ schema, decoder }) : { $ref: this.#refer(definition, decoder) };
  }

  /** All components, sorted by name. */
  get schemas(): Record<string, JsonSchema> {
    const entries = [...this.#byName.values()].flatMap((component) => {
      const { name, first, variants: { input: [input = first], output: [output = first] } } = component;
      const entry = [name, this.#write(output)] as const;
      return this.#split.has(component) ? [entry, [`${name}Input`, this.#write(input)] as const] : [entry];
    });
    return sortByName(Object.fromEntries(entries));
  }

  #add(definition: Definition, decoder: DecoderSchema, name: string, owner?: Owner): void {
    const variant = { schema: definition.schema, decoder };
    const reference = `#/components/schemas/${name}`;
    const component: Component = this.#byName.get(name) ?? {
      name, owner, first: variant, variants: { input: [], output: [] }, references: { input: reference, output: reference }, referrers: [],
    };
    component.variants[decoder.side].push(variant);
    this.#byName.set(name, component);
    this.#byDefinition.set(definition, component);
  }

  #addPart({ members, within, visit }: SharedPart): void {
    const [{ decoder }] = members as [SharedPart['members'][number]];
    const { name: base } = this.#byDefinition.get(within.definition) as Component;
    const root = members.find(({ definition, decoder: { root: whole } }) => definition.schema === whole);
    const owner = root?.decoder.owner ?? this.#owners.get(base) ?? { at: decoder.owner.at, names: [base] };
    if (root === undefined) this.#owners.set(base, owner);
    const name = this.#findFreeName(this.#namePath(root?.definition ?? visit), owner, decoder);
    for (const member of members) this.#add(member.definition, member.decoder, name, owner);
  }

  /** Finds a name that is not taken. The input and the output of an owner can share one. */
  #findFreeName({ properties, keywords }: PathName, owner: Owner, decoder: DecoderSchema): string {
    const { side } = decoder;
    const candidates = owner.names.map(toComponentName).flatMap((name) => [name + properties, name + keywords]);
    const free = [...candidates, `${candidates[0]}Schema`].find((name) => {
      const taken = this.#byName.get(name);
      return taken === undefined || (taken.owner === owner && taken.variants[side].length === 0);
    });
    if (free !== undefined) return free;
    const [name = ''] = candidates;
    throw makeSchemaConflict(name, this.#byName.get(name)?.first.decoder, decoder);
  }

  /** Paths have their beginnings in common, so each part is named once. */
  #namePath(visit: Visit): PathName {
    const parts: Visit[] = [];
    let named = visit;
    for (; named.from !== undefined && !this.#pathNames.has(named); named = named.from) parts.push(named);
    let name = this.#pathNames.get(named) ?? { properties: '', keywords: '' };
    for (const part of parts.reverse()) {
      name = extendPath(name, part);
      this.#pathNames.set(part, name);
    }
    return name;
  }

  #splitSides(): void {
    for (const component of this.#byName.values()) if (this.#differs(component)) this.#split.add(component);
    // The loop also visits what it adds.
    for (const { referrers } of this.#split) {
      for (const referrer of referrers) if (referrer.variants.output.length > 0) this.#split.add(referrer);
    }
    for (const { name, references } of this.#split) {
      if (this.#byName.has(`${name}Input`)) {
        throw new TypeError(`component ${name}Input is a different schema than the input of ${name}. Give it a different id or title`);
      }
      references.input += 'Input';
    }
  }

  #differs(component: Component): boolean {
    const { variants: { input, output } } = component;
    // Most components have only one schema, and nothing to compare.
    if (input.length + output.length < 2) return false;
    const [inputContent, outputContent] = [this.#readContent(component, 'input'), this.#readContent(component, 'output')];
    return input.length > 0 && output.length > 0 && !isSame(inputContent, outputContent);
  }

  /** The schema of one side. Its references have no side yet. Throws `TypeError` if there are two different ones. */
  #readContent(component: Component, side: DecoderSide): JsonSchema | undefined {
    const variants = component.variants[side];
    const contents = variants.map(({ schema, decoder }) => decoder.write(schema, (definition) => {
      if (side === 'input') this.#byDefinition.get(definition)?.referrers.push(component);
      return this.#refer(definition, decoder);
    }));
    const other = contents.findIndex((content) => !isSame(content, contents[0]));
    if (other !== -1) throw makeSchemaConflict(component.name, variants[0]?.decoder, variants[other]?.decoder);
    return contents[0];
  }

  #write({ schema, decoder }: Variant): JsonSchema {
    return decoder.write(schema, (definition) => this.#refer(definition, decoder));
  }

  #refer(definition: Definition, { side }: DecoderSchema): string {
    return this.#byDefinition.get(definition)?.references[side] ?? '';
  }
}

function makeSchemaConflict(name: string, one: DecoderSchema | undefined, other: DecoderSchema | undefined): TypeError {
  const places = `one in ${one?.owner.at}, the other in ${other?.owner.at}`;
  return new TypeError(`component ${name} has two different schemas: ${places}. Give one of them its own id or title`);
}

/** Names the path to a part of a schema. */
function extendPath({ properties, keywords }: PathName, { keyword, key = '' }: Visit): PathName {
  const isProperty = keyword === 'properties';
  // Counted from 1, as people do.
  const position = /^\d+$/.test(key) ? `${keyword}${Number(key) + 1}` : `${keyword} ${key}`;
  const word = toComponentName(joinPascal([isProperty ? key : position]));
  return { properties: isProperty ? properties + word : properties, keywords: keywords + word };
}
