/** Decoders of query parameters and header fields that documents can describe. */
import type { StandardSchemaResult, StandardSchemaV1 } from '../endpoint/standard-schema.ts';

/** A decoder with the JSON Schema of what it takes. */
export interface FieldSchema<Output> extends StandardSchemaV1<unknown, Output> {
  readonly '~standard': StandardSchemaV1<unknown, Output>['~standard'] & {
    readonly jsonSchema: { readonly input: () => object; readonly output: () => object };
  };
}

/** The fields of a request as decoders get them: a query parameter that comes again has a list. */
export type SentFields = Readonly<Record<string, string | readonly string[] | undefined>>;

/** `jsonSchema` describes the object of the fields. */
export function fieldSchema<Output>(jsonSchema: object, validate: (fields: SentFields) => StandardSchemaResult<Output>): FieldSchema<Output> {
  const describe = (): object => jsonSchema;
  return {
    '~standard': { version: 1, vendor: 'restpoint', validate: (fields) => validate(fields as SentFields), jsonSchema: { input: describe, output: describe } },
  };
}
