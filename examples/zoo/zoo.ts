/** A zoo, and the bodies that clients send about zoos. */
import { integer, object, optional, text, type ValueOf, withRevision } from './schema.ts';

/** No two zoos have the same name. */
export type Zoo = ValueOf<typeof Zoo>;
export const Zoo = object('Zoo', { name: text, city: text });

/** A zoo as the store has it. Clients get its revision as `ETag`. */
export const StoredZoo = withRevision(object('StoredZoo', { id: integer(1, Number.MAX_SAFE_INTEGER), name: text, city: text }));

/** New values. Properties that are left out do not change. */
export const ZooChange = object('ZooChange', { name: optional(text), city: optional(text) });
