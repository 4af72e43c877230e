/**
 * Valid bodies that differ from a sample in one value:
 *
 *   { name: 'Rex', legs: 4 }   ->   { name: 'Rexa', legs: 4 }, …, { name: 'Rex', legs: 5 }, …
 *
 * Each value is replaced by the values that its schema names, and by similar ones. The result may be invalid.
 */
import { isSchema } from '../openapi/schemas/json-schema.ts';
import type { SchemaValidator } from './schema-validator.ts';

export interface ChangedBody {
  readonly body: unknown;
  /** The property of the body that contains the change. `undefined` if the body is not an object. */
  readonly key: string | undefined;
}

/** The times in a response. A store may write the time of a change, so a different time shows nothing. */
export const TIME: RegExp = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

export function* listChangedBodies(body: unknown, schema: unknown, schemas: SchemaValidator): Generator<ChangedBody> {
  if (!isSchema(body)) {
    for (const changed of listChangedValues(body, schema, schemas)) yield { body: changed, key: undefined };
    return;
  }
  const properties = schemas.listProperties(schema);
  for (const key of new Set([...Object.keys(body), ...Object.keys(properties)])) {
    for (const changed of listChangedValues(body[key], properties[key], schemas)) yield { body: { ...body, [key]: changed }, key };
  }
}

function* listChangedValues(value: unknown, schema: unknown, schemas: SchemaValidator): Generator<unknown> {
  if (isSchema(value)) {
    for (const { body } of listChangedBodies(value, schema, schemas)) yield body;
  } else if (Array.isArray(value)) {
    const [first, ...others] = value as unknown[];
    for (const changed of listChangedValues(first, schemas.findItemSchema(schema), schemas)) yield [changed, ...others];
  } else if (!TIME.test(String(value))) {
    for (const other of [...schemas.listValues(schema), ...listSimilar(value)]) if (other !== value) yield other;
  }
}

function listSimilar(value: unknown): unknown[] {
  if (typeof value === 'boolean') return [!value];
  if (typeof value === 'number') return [value + 1, value - 1];
  // A UUID or an address with a different end is still one.
  return typeof value === 'string' && value !== '' ? [`${value}a`, value.slice(0, -1) + (value.endsWith('1') ? '2' : '1')] : [];
}
