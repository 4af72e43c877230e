/**
 * Valid bodies that differ from a sample in one value:
 *
 *   { name: 'Rex', legs: 4 }   ->   { name: 'Rexa', legs: 4 }, …, { name: 'Rex', legs: 5 }, …
 *
 * A value is replaced by those that its schema names, and by others that are like it. Whether the result is valid is for the caller to check.
 */
import { isSchema } from '../openapi/schemas/json-schema.ts';
import type { SchemaFaults } from './schema-faults.ts';

export interface ChangedBody {
  readonly body: unknown;
  /** The property of the body that has changed, or in which something has. `undefined` if the body is not an object. */
  readonly key: string | undefined;
}

/** Those of a time may have been noted by the store, so they show nothing. */
export const TIME: RegExp = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

export function* changedBodies(body: unknown, schema: unknown, schemas: SchemaFaults): Generator<ChangedBody> {
  if (!isSchema(body)) {
    for (const changed of changedValues(body, schema, schemas)) yield { body: changed, key: undefined };
    return;
  }
  const properties = schemas.propertiesOf(schema);
  for (const key of new Set([...Object.keys(body), ...Object.keys(properties)])) {
    for (const changed of changedValues(body[key], properties[key], schemas)) yield { body: { ...body, [key]: changed }, key };
  }
}

function* changedValues(value: unknown, schema: unknown, schemas: SchemaFaults): Generator<unknown> {
  if (isSchema(value)) {
    for (const { body } of changedBodies(value, schema, schemas)) yield body;
  } else if (Array.isArray(value)) {
    const [first, ...others] = value as unknown[];
    for (const changed of changedValues(first, schemas.itemsOf(schema), schemas)) yield [changed, ...others];
  } else if (!TIME.test(String(value))) {
    for (const other of [...schemas.valuesOf(schema), ...similarTo(value)]) if (other !== value) yield other;
  }
}

function similarTo(value: unknown): unknown[] {
  if (typeof value === 'boolean') return [!value];
  if (typeof value === 'number') return [value + 1, value - 1];
  // With a different end, a UUID or an address stays one.
  return typeof value === 'string' && value !== '' ? [`${value}a`, value.slice(0, -1) + (value.endsWith('1') ? '2' : '1')] : [];
}
