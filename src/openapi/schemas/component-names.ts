/**
 * Names the schemas that become components:
 *
 *   a name that the user gave           ->   as it is
 *   a name that a library made up       ->   the owner's, and the properties on the way: PetParent
 *   the input, where it differs         ->   PetInput, and the output is Pet
 */
import { componentName, pascalCase } from '../names.ts';
import { classesOf, cutTargets, type Cut } from './equal-schemas.ts';
import { canonicalText, type JsonSchema } from './json-schema.ts';
import type { Target } from './local-schema.ts';
import type { DecoderUse, SidedSchema } from './sided-schema.ts';
import type { NameOf } from './written-schema.ts';

export interface NamedComponent {
  readonly name: string;
  readonly target: Target;
  readonly of: SidedSchema;
}

export interface ComponentNames {
  readonly nameOf: NameOf;
  readonly components: readonly NamedComponent[];
}

/** One side of a component. */
interface Variant {
  readonly text: string;
  /** The names of the components that it refers to. */
  readonly references: readonly string[];
  readonly place: string;
  /** `undefined` for a component of our own. */
  readonly component: Omit<NamedComponent, 'name'> | undefined;
}

interface Sides {
  input?: Variant;
  output?: Variant;
}

/** Throws `TypeError` if two components have one name and not the same content. */
export function nameComponents(all: readonly SidedSchema[], own: Readonly<Record<string, JsonSchema>>): ComponentNames {
  const cuts = cutTargets(all);
  const bases = baseNames(all, Object.keys(own), classesOf(cuts));
  const sidesByBase = new Map<string, Sides>();
  for (const [base, schema] of Object.entries(own)) {
    const text = textOf([canonicalText(schema)], []);
    sidesByBase.set(base, { output: { text, references: [], place: 'the server', component: undefined } });
  }
  for (const of of all) {
    for (const target of of.local.targets) {
      addVariant(sidesByBase, bases.get(target) ?? '', variantOf(target, of, cuts.get(target), bases), of);
    }
  }
  const differing = differingBases(sidesByBase);
  for (const base of differing) {
    if (sidesByBase.has(`${base}Input`)) throw new TypeError(`component ${base}Input is a schema of its own, and the input of ${base}`);
  }
  const nameOf: NameOf = (target, { side }) => {
    const base = bases.get(target) ?? '';
    return side === 'input' && differing.has(base) ? `${base}Input` : base;
  };
  return { nameOf, components: [...sidesByBase].flatMap(([base, sides]) => componentsOf(base, sides, differing.has(base))) };
}

/** The names of all targets, without the side. Those of users come first, so that no generated name takes one. */
function baseNames(
  all: readonly SidedSchema[], reserved: readonly string[], classes: ReadonlyMap<Target, number>,
): Map<Target, string> {
  const bases = new Map<Target, string>();
  const takers = new Map<string, DecoderUse | undefined>(reserved.map((name) => [name, undefined]));
  const targets = all.flatMap((of) => of.local.targets.map((target) => ({ of, target })));
  for (const { target: { userName }, target } of targets) {
    if (userName === undefined) continue;
    const name = componentName(userName);
    bases.set(target, name);
    takers.set(name, undefined);
  }
  nameGenerated(targets.filter(({ target }) => !bases.has(target)), bases, takers, classes);
  return bases;
}

/** Names what libraries have named. Equal schemas get one name, and so do the two sides of a decoder. */
function nameGenerated(
  targets: readonly { readonly of: SidedSchema; readonly target: Target }[], bases: Map<Target, string>,
  takers: Map<string, DecoderUse | undefined>, classes: ReadonlyMap<Target, number>,
): void {
  const namesByClass = new Map<string, string>();
  const usedBySchema = new Map<SidedSchema, Set<string>>();
  for (const { of, target } of targets) {
    const sideOfClass = `${of.side} ${classes.get(target)}`;
    const used = usedBySchema.get(of) ?? new Set();
    const isFree = (each: string): boolean => !used.has(each) && (!takers.has(each) || takers.get(each) === of.decoder);
    const name = namesByClass.get(sideOfClass) ?? freeName(target, of, isFree);
    bases.set(target, name);
    namesByClass.set(sideOfClass, name);
    usedBySchema.set(of, used.add(name));
    if (!takers.has(name)) takers.set(name, of.decoder);
  }
}

/** The first free name of a target, by the places where its decoder is used. */
function freeName({ words, longWords }: Target, of: SidedSchema, isFree: (name: string) => boolean): string {
  const names = of.decoder.owners.flatMap((owner) => owner.names);
  const [first = ''] = names;
  for (const name of names) {
    for (const each of [words, longWords]) {
      const candidate = componentName(pascalCase([name, ...each]));
      if (isFree(candidate)) return candidate;
    }
  }
  const plain = componentName(pascalCase([first, ...words]));
  if (isFree(`${plain}Schema`)) return `${plain}Schema`;
  throw new TypeError(`component ${plain} is of two schemas; one of them is ${placeOf(of)}`);
}

function placeOf({ decoder: { owners: [owner] } }: SidedSchema): string {
  return owner?.place ?? '';
}

function variantOf(target: Target, of: SidedSchema, cut: Cut | undefined, bases: ReadonlyMap<Target, string>): Variant {
  const references = (cut?.references ?? []).map((referred) => bases.get(referred) ?? '');
  return { text: textOf(cut?.parts ?? [], references), references, place: placeOf(of), component: { target, of } };
}

function textOf(parts: readonly string[], references: readonly string[]): string {
  return JSON.stringify([parts, references]);
}

function addVariant(sidesByBase: Map<string, Sides>, base: string, variant: Variant, { side }: SidedSchema): void {
  const sides = sidesByBase.get(base) ?? {};
  sidesByBase.set(base, sides);
  const known = (sides[side] ??= variant);
  if (known.text === variant.text) return;
  throw new TypeError(`component ${base} has two contents: one in ${known.place}, another in ${variant.place}`);
}

/** The names whose input is not their output, in itself or in what it refers to. */
function differingBases(sidesByBase: ReadonlyMap<string, Sides>): ReadonlySet<string> {
  const both = [...sidesByBase].flatMap(([base, { input, output }]) => (input && output ? [{ base, input, output }] : []));
  const differing = new Set(both.filter(({ input, output }) => input.text !== output.text).map(({ base }) => base));
  for (let before = -1; before < differing.size;) {
    before = differing.size;
    for (const { base, input } of both) if (input.references.some((name) => differing.has(name))) differing.add(base);
  }
  return differing;
}

function componentsOf(base: string, { input, output }: Sides, differs: boolean): NamedComponent[] {
  const named = [
    { name: base, variant: output ?? input },
    { name: `${base}Input`, variant: differs ? input : undefined },
  ];
  return named.flatMap(({ name, variant }) => (variant?.component === undefined ? [] : { name, ...variant.component }));
}
