/**
 * The components of a document, one for each definition of its decoders, and their names:
 *
 *   the user's                          ->   as it is. Decoders with the same name have one component
 *   made up by a library                ->   the owner's, and the properties on the way: PetParent. Within a definition of the user's,
 *                                            that one's. Decoders with the same definition have one component for it
 *   the input, where it differs         ->   PetInput, and the output is Pet
 */
import { joinPascal, toComponentName } from '../names.ts';
import { isSame, sortByName } from '../plain-json.ts';
import type { DecoderSide } from './conversion.ts';
import type { DecoderSchema, Definition, Owner, Visit } from './decoder-schema.ts';
import type { JsonSchema } from './json-schema.ts';
import { findSharedParts, type SharedPart } from './shared-parts.ts';

/** A schema that has the name of a component. */
interface Variant {
  readonly schema: JsonSchema;
  readonly of: DecoderSchema;
}

/** A way as a part of a name: its properties; and also its other keywords, for two schemas that would have one name. */
interface Way {
  readonly properties: string;
  readonly keywords: string;
}

class Component {
  readonly name: string;
  /** Of the only decoder that can have the name. `undefined` if the name is a user's. */
  readonly owner: Owner | undefined;
  readonly first: Variant;
  readonly variants: Readonly<Record<DecoderSide, Variant[]>> = { input: [], output: [] };
  readonly references: Record<DecoderSide, string>;
  /** The components whose input refers to this one. */
  readonly referrers: Component[] = [];

  constructor(name: string, owner: Owner | undefined, first: Variant) {
    this.name = name;
    this.owner = owner;
    this.first = first;
    this.references = { input: `#/components/schemas/${name}`, output: `#/components/schemas/${name}` };
  }
}

export class Components {
  readonly #byName = new Map<string, Component>();
  readonly #byDefinition = new Map<Definition, Component>();
  readonly #ways = new Map<Visit, Way>();
  /** Of the parts of definitions, by the name of the component that they are within. */
  readonly #owners = new Map<string, Owner>();
  /** The components with an input that differs from the output, or that refers to such a component. */
  readonly #split = new Set<Component>();

  /** Throws `TypeError` if a name has two contents. */
  constructor(all: readonly DecoderSchema[]) {
    const definitions = all.flatMap((of) => of.definitions.map((definition) => ({ definition, of })));
    // First the users' names, so that no other takes one.
    for (const { definition, of } of definitions) {
      if (definition.userName !== undefined) this.#add(definition, of, toComponentName(definition.userName));
    }
    const generating = new Set(definitions.filter(({ definition }) => definition.userName === undefined).map(({ of }) => of));
    const named = definitions.filter(({ definition, of }) => definition.userName !== undefined && generating.has(of));
    for (const part of findSharedParts(named)) this.#addPart(part);
    for (const { definition, of } of definitions) {
      if (!this.#byDefinition.has(definition)) this.#add(definition, of, this.#freeName(this.#findWay(definition), of.owner, of), of.owner);
    }
    this.#splitSides();
  }

  /** A schema as the document shows it: a reference to its component, or the schema itself. */
  shown(schema: JsonSchema, of: DecoderSchema): JsonSchema {
    const definition = of.definitionOf(schema);
    return definition === undefined ? this.#written({ schema, of }) : { $ref: this.#refer(definition, of) };
  }

  /** All components, sorted by name. */
  get schemas(): Record<string, JsonSchema> {
    const entries = [...this.#byName.values()].flatMap((component) => {
      const { name, first, variants: { input: [input = first], output: [output = first] } } = component;
      const entry = [name, this.#written(output)] as const;
      return this.#split.has(component) ? [entry, [`${name}Input`, this.#written(input)] as const] : [entry];
    });
    return sortByName(Object.fromEntries(entries));
  }

  #add(definition: Definition, of: DecoderSchema, name: string, owner?: Owner): void {
    const variant = { schema: definition.schema, of };
    const component = this.#byName.get(name) ?? new Component(name, owner, variant);
    component.variants[of.side].push(variant);
    this.#byName.set(name, component);
    this.#byDefinition.set(definition, component);
  }

  #addPart({ members, within, visit }: SharedPart): void {
    const [{ of }] = members as [SharedPart['members'][number]];
    const { name: base } = this.#byDefinition.get(within.definition) as Component;
    const root = members.find(({ definition, of: { root: whole } }) => definition.schema === whole);
    const owner = root?.of.owner ?? this.#owners.get(base) ?? { at: of.owner.at, names: [base] };
    if (root === undefined) this.#owners.set(base, owner);
    const name = this.#freeName(this.#findWay(root?.definition ?? visit), owner, of);
    for (const member of members) this.#add(member.definition, member.of, name, owner);
  }

  /** A name that is not taken, but for the other side of the same owner. */
  #freeName({ properties, keywords }: Way, owner: Owner, of: DecoderSchema): string {
    const { side } = of;
    const candidates = owner.names.map(toComponentName).flatMap((name) => [name + properties, name + keywords]);
    const free = [...candidates, `${candidates[0]}Schema`].find((name) => {
      const taken = this.#byName.get(name);
      return taken === undefined || (taken.owner === owner && taken.variants[side].length === 0);
    });
    if (free !== undefined) return free;
    const [name = ''] = candidates;
    throw makeConflict(name, this.#byName.get(name)?.first.of, of);
  }

  /** Ways have their beginnings in common, so each of their parts is computed once. */
  #findWay(visit: Visit): Way {
    const parts: Visit[] = [];
    let known = visit;
    for (; known.from !== undefined && !this.#ways.has(known); known = known.from) parts.push(known);
    let way = this.#ways.get(known) ?? { properties: '', keywords: '' };
    for (const part of parts.reverse()) {
      way = extendWay(way, part);
      this.#ways.set(part, way);
    }
    return way;
  }

  #splitSides(): void {
    for (const component of this.#byName.values()) if (this.#differs(component)) this.#split.add(component);
    // The set grows.
    for (const { referrers } of this.#split) {
      for (const referrer of referrers) if (referrer.variants.output.length > 0) this.#split.add(referrer);
    }
    for (const { name, references } of this.#split) {
      if (this.#byName.has(`${name}Input`)) throw new TypeError(`component ${name}Input is a different schema than the input of ${name}`);
      references.input += 'Input';
    }
  }

  #differs(component: Component): boolean {
    const { variants: { input, output } } = component;
    // Most components have one content, with nothing to compare.
    if (input.length + output.length < 2) return false;
    const [inputContent, outputContent] = [this.#readContent(component, 'input'), this.#readContent(component, 'output')];
    return input.length > 0 && output.length > 0 && !isSame(inputContent, outputContent);
  }

  /** The content of one side, whose references have no side yet. Throws `TypeError` if there are two. */
  #readContent(component: Component, side: DecoderSide): JsonSchema | undefined {
    const variants = component.variants[side];
    const contents = variants.map(({ schema, of }) => of.written(schema, (definition) => {
      if (side === 'input') this.#byDefinition.get(definition)?.referrers.push(component);
      return this.#refer(definition, of);
    }));
    const other = contents.findIndex((content) => !isSame(content, contents[0]));
    if (other !== -1) throw makeConflict(component.name, variants[0]?.of, variants[other]?.of);
    return contents[0];
  }

  #written({ schema, of }: Variant): JsonSchema {
    return of.written(schema, (definition) => this.#refer(definition, of));
  }

  #refer(definition: Definition, { side }: DecoderSchema): string {
    return this.#byDefinition.get(definition)?.references[side] ?? '';
  }
}

function makeConflict(name: string, one: DecoderSchema | undefined, other: DecoderSchema | undefined): TypeError {
  return new TypeError(`component ${name} has two contents: one in ${one?.owner.at}, the other in ${other?.owner.at}`);
}

/** The way to a part of a schema. */
function extendWay({ properties, keywords }: Way, { keyword, key = '' }: Visit): Way {
  const isProperty = keyword === 'properties';
  // Counted from 1, as people do.
  const position = /^\d+$/.test(key) ? `${keyword}${Number(key) + 1}` : `${keyword} ${key}`;
  const word = toComponentName(joinPascal([isProperty ? key : position]));
  return { properties: isProperty ? properties + word : properties, keywords: keywords + word };
}
