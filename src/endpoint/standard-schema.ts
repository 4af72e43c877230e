/** The common interface of schema libraries, copied from https://standardschema.dev as its authors propose. */

/** A Standard Schema, version 1, as Zod, Valibot, ArkType and others have it. */
export interface StandardSchemaV1<Input = unknown, Output = Input> {
  readonly '~standard': StandardSchemaProps<Input, Output>;
}

/** The properties that every Standard Schema has under `~standard`. */
export interface StandardSchemaProps<Input = unknown, Output = Input> {
  /** The version of Standard Schema. */
  readonly version: 1;
  /** The library of the schema, such as `zod`. */
  readonly vendor: string;
  /** Validates a value. */
  readonly validate: (value: unknown) => StandardSchemaResult<Output> | Promise<StandardSchemaResult<Output>>;
  /** The types of the schema. It has no value at run time. */
  readonly types?: { readonly input: Input; readonly output: Output } | undefined;
}

/** The result of a validation: a value or issues. */
export type StandardSchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardSchemaIssue[] };

/** One error in a value, and the path to it. */
export interface StandardSchemaIssue {
  /** The cause of this issue, for people. */
  readonly message: string;
  /** The keys from the root of the value to the issue. */
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
}
