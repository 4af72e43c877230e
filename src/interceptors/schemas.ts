/** Schemas of what interceptors declare, which documents can describe. */
import type { StandardSchemaV1 } from '../declaration/decoder.ts';

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
  jsonSchema: object, validate: (parameters: SentParameters) => StandardSchemaV1.Result<Output>,
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

/** The schema of the properties of a problem with one `code`, for `errors` of an interceptor. */
export interface ProblemCode<Code extends string> extends StandardSchemaV1<unknown, { readonly code: Code }> {}

/** Makes the schema, for documents: nothing is validated. */
export function problemCode<Code extends string>(code: Code): ProblemCode<Code> {
  const properties = { code: { type: 'string', const: code } };
  return parameterSchema({ type: 'object', required: ['code'], properties }, () => ({ value: { code } }));
}
