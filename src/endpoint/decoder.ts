/** Decoders: they turn JSON into the input of an operation. Registration makes one function of each. */
import { toDecodeRejection, rejectIssues, type ValueSource } from '../errors/decode-failure.ts';
import { type IssueLocation, toPointer, type ValidationStatus, type ValuePath } from '../errors/problem.ts';
import { adopt, isThenable } from '../util/promises.ts';
import { findFormat } from './format.ts';
import type { StandardSchemaResult, StandardSchemaV1 } from './standard-schema.ts';

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

/** The output of a decoder. For a schema that can be called too, it is the schema's output. */
export type Decoded<D> = D extends { readonly '~standard': { readonly types?: { readonly output: infer Output } | undefined } }
  ? Output
  : D extends (json: never) => infer Result ? Awaited<Result> : never;

/** Returns the value or a `Rejection`. Throws an `ApiError` of the user, and the error of a decoder with a bug. */
export type Decode = (json: unknown) => MaybePromise<unknown>;

const BODY_SOURCES: Readonly<Record<ValidationStatus, ValueSource>> = {
  400: { locate: toPointer, status: 400 },
  422: { locate: toPointer, status: 422 },
};

/** Makes a `Decode` of a user's decoder of bodies. Throws `TypeError`, with a message that begins with `name`, for anything else. */
export function createBodyDecoder(decoder: unknown, name: string, status: ValidationStatus = 400): Decode {
  return createDecoder(BODY_SOURCES[status], decoder, name);
}

/** Makes a `Decode` of a user's decoder of queries. Its issues name the wrong parameter. */
export function createQueryDecoder(decoder: unknown, name: string, status: ValidationStatus): Decode {
  return createDecoder({ locate: locateParameter, status }, decoder, name);
}

/** Makes a `Decode` of a user's decoder of headers. Its issues name the wrong header. */
export function createHeadersDecoder(decoder: unknown, name: string, status: ValidationStatus): Decode {
  return createDecoder({ locate: locateHeader, status }, decoder, name);
}

function createDecoder(source: ValueSource, decoder: unknown, name: string): Decode {
  if (findFormat(decoder) !== undefined) throw new TypeError(`${name} must be a schema or a function, not a format`);
  if (isStandardSchema(decoder)) return (json) => validate(decoder, json, source);
  if (isClass(decoder)) {
    const type = decoder.name;
    throw new TypeError(`${name} must be a function, not the class ${type}: (json) => new ${type}(json)`);
  }
  if (typeof decoder === 'function') return (json) => callDecoder(decoder as (json: unknown) => unknown, json, source);
  throw new TypeError(`${name} must be a Standard Schema such as Zod's, or a function: ${describeWrong(decoder)}`);
}

/** Describes a value that is not a decoder. */
function describeWrong(value: unknown): string {
  if (typeof value !== 'object' || value === null) return typeof value;
  // Joi 17, Yup and Superstruct. Tested first, since their schemas have a `type`, as a JSON Schema has.
  if (typeof (value as { readonly validate?: unknown }).validate === 'function') {
    return 'a schema without "~standard". Update its library, or wrap it: (json) => value';
  }
  return ['type', '$schema', '$ref', 'properties'].some((name) => name in value) ? 'a JSON Schema' : 'object';
}

/** Whether a function is a class, which cannot be called without `new`. */
function isClass(value: unknown): value is Function {
  return typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value));
}

/** Whether a value is a Standard Schema, which can be a function. */
export function isStandardSchema(decoder: unknown): decoder is StandardSchemaV1 {
  if ((typeof decoder !== 'object' && typeof decoder !== 'function') || decoder === null) return false;
  return typeof (decoder as Partial<StandardSchemaV1>)['~standard']?.validate === 'function';
}

function validate(schema: StandardSchemaV1, json: unknown, source: ValueSource): MaybePromise<unknown> {
  const result = schema['~standard'].validate(json);
  return isThenable(result) ? adopt(result).then((outcome) => acceptResult(outcome, source)) : acceptResult(result, source);
}

function acceptResult(result: StandardSchemaResult<unknown>, source: ValueSource): unknown {
  if (result.issues !== undefined) return rejectIssues(result.issues, source);
  // Otherwise the operation would get `undefined`, which the schema has not checked.
  if (!('value' in result)) throw new TypeError('the schema returned neither a value nor issues');
  return result.value;
}

/** Calls a user's function, which returns the decoded value, or throws to reject it. */
export function callDecoder<T>(
  decode: (encoded: T) => unknown, encoded: T, source: ValueSource = BODY_SOURCES[400],
): MaybePromise<unknown> {
  let value: unknown;
  try {
    value = decode(encoded);
  } catch (thrown) {
    return toDecodeRejection(thrown, source);
  }
  return isThenable(value) ? adopt(value).then(acceptValue, (thrown: unknown) => toDecodeRejection(thrown, source)) : acceptValue(value);
}

/** Throws for `undefined`: a function with a forgotten `return` would accept every body. */
function acceptValue(value: unknown): unknown {
  if (value === undefined) throw new TypeError('the decoder returned undefined: it must return a value, or throw');
  return value;
}

/** Returns the name of a query parameter; nothing for the whole query. */
function locateParameter([first]: ValuePath): IssueLocation {
  return first === undefined ? {} : { parameter: String(first) };
}

/** Returns the name of a header; nothing for all headers together. */
function locateHeader([first]: ValuePath): IssueLocation {
  return first === undefined ? {} : { header: String(first) };
}
