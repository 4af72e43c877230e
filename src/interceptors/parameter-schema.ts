/** Decoders of query parameters and headers that documents can describe. */
import type { StandardSchemaResult, StandardSchemaV1 } from '../endpoint/standard-schema.ts';

/** A decoder with the JSON Schema of its input. */
export interface ParameterSchema<Output> extends StandardSchemaV1<unknown, Output> {
  readonly '~standard': StandardSchemaV1<unknown, Output>['~standard'] & {
    readonly jsonSchema: { readonly input: () => object; readonly output: () => object };
  };
}

/** Query parameters or headers as decoders get them. A repeated query parameter is a list. */
export type SentParameters = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Makes a decoder. `jsonSchema` describes the object that it takes. */
export function parameterSchema<Output>(
  jsonSchema: object, validate: (parameters: SentParameters) => StandardSchemaResult<Output>,
): ParameterSchema<Output> {
  const describe = (): object => jsonSchema;
  return {
    '~standard': {
      version: 1,
      vendor: 'restpoint',
      validate: (parameters) => validate(parameters as SentParameters),
      jsonSchema: { input: describe, output: describe },
    },
  };
}
