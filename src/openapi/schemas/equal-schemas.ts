/**
 * Which targets have the same content, also where they refer to themselves and to each other.
 *
 * A library writes a recursive schema once for each decoder that contains it, under a name that it makes up. All of them are one
 * component. Two targets are first taken as equal if their texts are, whatever they refer to. Then classes are split until all that the
 * members of a class refer to is equal too, as automata are minimized.
 */
import { canonicalText } from './json-schema.ts';
import type { Target } from './local-schema.ts';
import type { SidedSchema } from './sided-schema.ts';
import { writeSchema } from './written-schema.ts';

/** The text of a target without its references, which stand between its parts. */
export interface Cut {
  readonly parts: readonly string[];
  readonly references: readonly Target[];
}

/** The texts of all targets. */
export function cutTargets(all: readonly SidedSchema[]): ReadonlyMap<Target, Cut> {
  return new Map(all.flatMap((of) => of.local.targets.map((target) => [target, cutOf(target, of)] as const)));
}

/** The number of the class of each target. */
export function classesOf(cuts: ReadonlyMap<Target, Cut>): ReadonlyMap<Target, number> {
  const texts = new Map([...cuts].map(([target, { parts }]) => [target, JSON.stringify([target.userName, parts])]));
  let classes: ReadonlyMap<Target, number> = new Map();
  for (let count = 0, before = -1; before < count;) {
    before = count;
    const numbers = new Map<string, number>();
    const split = new Map<Target, number>();
    for (const [target, { references }] of cuts) {
      const key = `${references.map((referred) => classes.get(referred)).join()} ${texts.get(target)}`;
      const number = numbers.get(key) ?? numbers.size;
      numbers.set(key, number);
      split.set(target, number);
    }
    classes = split;
    count = numbers.size;
  }
  return classes;
}

function cutOf(target: Target, of: SidedSchema): Cut {
  const referred: Target[] = [];
  const written = writeSchema(target.schema, of, (each) => `#${referred.push(each) - 1}`);
  const parts = canonicalText(written).split(/"#\/components\/schemas\/#(\d+)"/);
  const references = parts.flatMap((part, index) => (index % 2 === 1 ? referred[Number(part)] ?? [] : []));
  return { parts: parts.filter((_, index) => index % 2 === 0), references };
}
