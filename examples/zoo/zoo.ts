/** A zoo, and the bodies that clients send about zoos. */
import { members, optional, text } from './decode.ts';
import type { Change } from './store/store.ts';

export interface Zoo {
  /** No two zoos have the same. */
  readonly name: string;
  readonly city: string;
}

export function decodeZoo(json: unknown): Zoo {
  const { name, city } = members(json);
  return { name: text('name', name), city: text('city', city) };
}

export function decodeZooChange(json: unknown): Change<Zoo> {
  const { name, city } = members(json);
  return {
    name: optional(name, (value) => text('name', value)),
    city: optional(city, (value) => text('city', value)),
  };
}
