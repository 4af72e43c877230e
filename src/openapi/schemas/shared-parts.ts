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

interface PartReference {
  readonly visit: Visit;
  readonly to: SchemaPart;
}

class SchemaPart {
  readonly members: Member[] = [];
  /** The references, by their paths. */
  readonly references = new Map<string, PartReference>();
  /** Set when a different part has been found to be the same. */
  same: SchemaPart | undefined;

  /** The part that stands for this one. */
  get whole(): SchemaPart {
    this.same &&= this.same.whole;
    return this.same ?? this;
  }
}

/** Finds the shared parts of definitions with users' names. The shortest paths come first. */
export function listSharedParts(named: readonly Member[]): SharedPart[] {
  const roots = new Map<string, SchemaPart>();
  const parts = new Map<Definition, SchemaPart>();
  const same: [SchemaPart, SchemaPart][] = [];
  const members = [...named];
  const addTo = (part: SchemaPart, member: Member): SchemaPart => {
    part.members.push(member);
    parts.set(member.definition, part);
    return part;
  };
  const refer = (from: SchemaPart, path: string, reference: PartReference): void => {
    const known = from.references.get(path);
    if (known === undefined) from.references.set(path, reference);
    else same.push([known.to, reference.to]);
  };
  for (const member of named) {
    const key = `${member.decoder.side} ${member.definition.userName}`;
    roots.set(key, addTo(roots.get(key) ?? new SchemaPart(), member));
  }
  // The loop also visits what it adds.
  for (const { definition, decoder } of members) {
    for (const visit of decoder.listParts(definition)) {
      const member = { definition: decoder.findReferredDefinition(visit.schema) as Definition, decoder };
      const known = parts.get(member.definition);
      if (known === undefined) members.push(member);
      refer(parts.get(definition) as SchemaPart, formatPath(visit), { visit, to: known ?? addTo(new SchemaPart(), member) });
    }
  }
  // The same path from the same definition leads to the same part. The loop also visits what it adds.
  for (const [one, other] of same) {
    const [kept, joined] = [one.whole, other.whole];
    if (kept === joined) continue;
    joined.same = kept;
    kept.members.push(...joined.members);
    for (const [path, reference] of joined.references) refer(kept, path, reference);
  }
  return listReached([...roots.values()]);
}

function listReached(roots: readonly SchemaPart[]): SharedPart[] {
  const found = new Map<SchemaPart, SharedPart>();
  const all = [...roots];
  for (const { members: [within], references } of all) {
    for (const { visit, to: { whole } } of references.values()) {
      if (found.has(whole)) continue;
      found.set(whole, { members: whole.members, within: within as Member, visit });
      all.push(whole);
    }
  }
  return [...found.values()];
}

function formatPath({ from, keyword, key = '' }: Visit): string {
  return from === undefined ? '' : `${formatPath(from)}/${keyword}/${key}`;
}
