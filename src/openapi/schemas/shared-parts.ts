/**
 * Definitions with generated names, within those with a user's name:
 *
 *   { "$ref": "#/$defs/Pet", "$defs": { "Pet": { "properties": { "data": { "$ref": "#/$defs/__schema0" } } }, "__schema0": … } }
 *
 * All decoders with a Pet have the same schema at `data`, whatever they call it. So it is one component, which is named after Pet.
 */
import type { DecoderSchema, Definition, Visit } from './decoder-schema.ts';

/** A definition in a decoder. */
export interface Member {
  readonly definition: Definition;
  readonly decoder: DecoderSchema;
}

/** A schema that several decoders have within the same named definition. */
export interface SharedPart {
  readonly members: readonly Member[];
  /** The first reference to it: the definition with a user's name, or a part of it, and the path from there. */
  readonly within: Member;
  readonly visit: Visit;
}

type PartReference = Omit<SharedPart, 'members'> & { readonly to: Member };

/** Definitions that are the same, with their references to those with generated names, by their paths. */
interface Group {
  readonly members: Member[];
  readonly references: Map<string, PartReference>;
}

/** Finds the shared parts of definitions with users' names. The shortest paths come first. */
export function listSharedParts(named: readonly Member[]): SharedPart[] {
  const groups = new Map<Definition, Group>();
  const members = [...named];
  // The loop also visits what it adds.
  for (const within of members) {
    if (groups.has(within.definition)) continue;
    const references = within.decoder.listReferences(within.definition).filter(({ to }) => to.userName === undefined)
      .map(({ visit, to }): PartReference => ({ within, visit, to: { definition: to, decoder: within.decoder } }));
    groups.set(within.definition, { members: [within], references: new Map(references.map((each) => [formatPath(each.visit), each])) });
    for (const { to } of references) members.push(to);
  }
  const findGroup = ({ definition }: Member): Group => groups.get(definition) as Group;
  const firsts = new Map<string, Member>();
  const same = named.map((member) => {
    const key = `${member.decoder.side} ${member.definition.userName}`;
    const first = firsts.get(key) ?? member;
    firsts.set(key, first);
    return [first, member] as const;
  });
  // The same path from the same definition leads to the same part. The loop also visits what it adds.
  for (const [one, other] of same) {
    const [kept, joined] = [findGroup(one), findGroup(other)];
    if (kept === joined) continue;
    for (const member of joined.members) {
      kept.members.push(member);
      groups.set(member.definition, kept);
    }
    for (const [path, reference] of joined.references) {
      const first = kept.references.get(path);
      if (first === undefined) kept.references.set(path, reference);
      else same.push([first.to, reference.to]);
    }
  }
  const parts: SharedPart[] = [];
  const reached = new Set([...firsts.values()].map(findGroup));
  for (const { references } of reached) {
    for (const { to, ...first } of references.values()) {
      const group = findGroup(to);
      if (!reached.has(group)) parts.push({ members: group.members, ...first });
      reached.add(group);
    }
  }
  return parts;
}

function formatPath({ from, keyword, key = '' }: Visit): string {
  return from === undefined ? '' : `${formatPath(from)}/${keyword}/${key}`;
}
