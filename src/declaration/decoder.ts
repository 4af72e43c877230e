/** Decoders: they turn JSON into the input of an operation. */

/** A value, or a promise of it. */
export type MaybePromise<T> = T | PromiseLike<T>;

/**
 * A Standard Schema whose output is `T`, or a function that returns a `T` or throws.
 *
 * The client gets 400 with the issues of a schema, or with the message of the error that a function throws: with its issues if it has
 * `issues`, as a `ZodError` does. A `TypeError` or a `ReferenceError` without a `code` is a bug of the function: the client gets 400
 * without its message, and it is logged. An `ApiError` keeps its kind. The client gets 500 if a schema throws or a function returns
 * `undefined`.
 *
 * @example
 * ```ts
 * const decodePet: Decoder<Pet> = (json) => {
 *   const { name, legs } = Object(json) as Partial<Pet>;
 *   if (typeof name !== 'string' || typeof legs !== 'number') throw new Error('a pet has a name and legs');
 *   return { name, legs };
 * };
 * ```
 */
export type Decoder<T> = StandardSchemaV1<any, T> | ((json: unknown) => MaybePromise<T>);

/** Any decoder. */
export type AnyDecoder = StandardSchemaV1<any, unknown> | ((json: unknown) => unknown);

/** Checks and changes the result of an operation before it is encoded. The parameter of a function may have any type. */
export type OutputDecoder = StandardSchemaV1<any, unknown> | ((result: any) => unknown);

/** A decoder, or the decoders of a list. */
export type EachDecoder<Declared> = Declared extends readonly (infer Each)[] ? Each : Declared;

/** The output of a decoder. For a schema that can be called too, it is the schema's output. */
export type Decoded<D> = D extends { readonly '~standard': { readonly types?: { readonly output: infer Output } | undefined } }
  ? Output
  : D extends (json: never) => infer Result ? Awaited<Result> : never;

/** The input of a decoder. A schema can be callable: then the schema's input counts. */
export type DecoderInput<D> = D extends { readonly '~standard': { readonly types?: { readonly input: infer Input } | undefined } }
  ? Input
  : D extends (value: infer Value) => unknown ? Value : never;

/** The side of a decoder that the client sends, or that the server sends. */
export type DecoderSide = 'input' | 'output';

/**
 * Returns the JSON Schema of one side of a decoder; `undefined` for a decoder that it does not know.
 *
 * @example
 * ```ts
 * const decodeName = (json: unknown): string => String(json);
 * const jsonSchema: SchemaConverter = (decoder) => (decoder === decodeName ? { type: 'string' } : undefined);
 * const server = new ApiServer('/v1', { jsonSchema });
 * ```
 */
export type SchemaConverter = (decoder: AnyDecoder, side: DecoderSide) => object | undefined;

/** A Standard Schema, version 1, as Zod, Valibot, ArkType and others have it. */
export interface StandardSchemaV1<Input = unknown, Output = Input> {
  /** What every Standard Schema has. */
  readonly '~standard': StandardSchemaV1.Props<Input, Output>;
}

/** The types of a Standard Schema, under the names of its specification. */
export declare namespace StandardSchemaV1 {
  /** The properties that every Standard Schema has under `~standard`. */
  interface Props<Input = unknown, Output = Input> {
    /** The version of Standard Schema. */
    readonly version: 1;
    /** The library of the schema, such as `zod`. */
    readonly vendor: string;
    /** Validates a value. */
    readonly validate: (value: unknown) => Result<Output> | Promise<Result<Output>>;
    /** The types of the schema. It has no value at run time. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  }

  /** The result of a validation: a value or issues. */
  type Result<Output> = { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly Issue[] };

  /** One error in a value, and the path to it. */
  interface Issue {
    /** The cause of this issue, for people. */
    readonly message: string;
    /** The keys from the root of the value to the issue. */
    readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
  }
}
