/** Decoders: they turn JSON into the value that an operation takes. Each becomes one function at registration. */
import { decodeFailureFrom } from '../errors/decode-failure.ts';
import { decodeFailure, type ErrorAnswer, type ProblemIssue } from '../errors/problem.ts';
import { adopt, isThenable } from '../errors/thrown.ts';
import { formatIn } from './format.ts';
import type { StandardSchemaIssue, StandardSchemaResult, StandardSchemaV1 } from './standard-schema.ts';

/** A value, or a promise of it. */
export type MaybePromise<T> = T | PromiseLike<T>;

/**
 * A Standard Schema whose output is `T`, or a function that returns a `T` or throws.
 *
 * The client gets a 400 with the issues of a schema, or with the message of what a function throws. An `ApiError` keeps its kind.
 * The answer is 500 if a schema throws or a function returns `undefined`.
 */
export type Decoder<T> = StandardSchemaV1<any, T> | ((json: unknown) => MaybePromise<T>);

/** Any decoder. */
export type AnyDecoder = StandardSchemaV1<any, unknown> | ((json: unknown) => unknown);

/** The output of a decoder. A schema can be callable: then the schema's output counts, and not the result of a call. */
export type Decoded<D> = D extends { readonly '~standard': { readonly types?: { readonly output: infer Output } | undefined } }
  ? Output
  : D extends (json: never) => infer Result ? Awaited<Result> : never;

/** Returns the value or a `ErrorAnswer`. Throws a host's `ApiError`, and any error if the decoder itself fails. */
export type Decode = (json: unknown) => MaybePromise<unknown>;

/** Makes a `Decode` of a host's decoder. Throws `TypeError`, whose message begins with `name`, for anything else. */
export function decodeWith(decoder: unknown, name: string): Decode {
  return decodeLocating(decoder, name, pointerTo);
}

/** Makes a `Decode` of a host's decoder of queries, whose issues name the parameter that is wrong. */
export function decodeQueryWith(decoder: unknown, name: string): Decode {
  return decodeLocating(decoder, name, parameterOf);
}

/** Makes a `Decode` of a host's decoder of header fields, whose issues name the field that is wrong. */
export function decodeHeadersWith(decoder: unknown, name: string): Decode {
  return decodeLocating(decoder, name, headerOf);
}

/** Where an issue lies, as a member of a problem's `errors`. */
type Locate = (path: StandardSchemaIssue['path']) => Pick<ProblemIssue, 'pointer' | 'parameter' | 'header'>;

function decodeLocating(decoder: unknown, name: string, locate: Locate): Decode {
  if (formatIn(decoder) !== undefined) throw new TypeError(`${name} cannot be a format`);
  if (isStandardSchema(decoder)) return (json) => validate(decoder, json, locate);
  if (typeof decoder === 'function') return (json) => decodeBy(() => (decoder as (json: unknown) => unknown)(json));
  throw new TypeError(`${name} must be a Standard Schema or a function`);
}

function isStandardSchema(decoder: unknown): decoder is StandardSchemaV1 {
  if ((typeof decoder !== 'object' && typeof decoder !== 'function') || decoder === null) return false;
  return typeof (decoder as Partial<StandardSchemaV1>)['~standard']?.validate === 'function';
}

function validate(schema: StandardSchemaV1, json: unknown, locate: Locate): MaybePromise<unknown> {
  const result = schema['~standard'].validate(json);
  return isThenable(result) ? adopt(result).then((outcome) => valueOrFailure(outcome, locate)) : valueOrFailure(result, locate);
}

function valueOrFailure(result: StandardSchemaResult<unknown>, locate: Locate): unknown {
  if (result.issues !== undefined) return failureOf(result.issues, locate);
  // Else the operation would get `undefined`, which no schema has checked.
  if (!('value' in result)) throw new TypeError('the schema gave neither a value nor issues');
  return result.value;
}

/** Calls a function of the host's that decodes, or throws what it refuses. */
export function decodeBy(decode: () => unknown): MaybePromise<unknown> {
  let value: unknown;
  try {
    value = decode();
  } catch (thrown) {
    return decodeFailureFrom(thrown);
  }
  return isThenable(value) ? adopt(value).then(definedValue, decodeFailureFrom) : definedValue(value);
}

/** Throws for `undefined`: a function with a forgotten `return` would accept every body. */
function definedValue(value: unknown): unknown {
  if (value === undefined) throw new TypeError('the decoder gave undefined, where it must give a value or throw');
  return value;
}

// A body can have an issue for each of its bytes.
const MAX_ISSUES = 100;

// Both lists are copied into arrays. `map` of another class calls the constructor with a length, which ArkType's paths take for an
// item.
function failureOf(issues: readonly StandardSchemaIssue[], locate: Locate): ErrorAnswer {
  const shown = [...issues].slice(0, MAX_ISSUES).map(({ message, path }) => ({ detail: message, ...locate(path) }));
  const invalid = shown.find(({ detail }) => typeof detail !== 'string');
  if (invalid !== undefined) throw new TypeError(`the schema gave an issue whose message is no text: ${typeof invalid.detail}`);
  return decodeFailure(shown.map(({ detail }) => detail).join('; '), shown);
}

/** An RFC 6901 pointer in its fragment form (section 6): `#` for the whole body, `#/legs/0` for a part of it. */
function pointerTo(path: StandardSchemaIssue['path'] = []): { pointer: string } {
  const keys = [...path].map((part) => keyOf(part).toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1'));
  return { pointer: ['#', ...keys.map(encodeURIComponent)].join('/') };
}

/** The name of a parameter; none for the whole query. */
function parameterOf([first]: StandardSchemaIssue['path'] = []): { parameter?: string } {
  return first === undefined ? {} : { parameter: keyOf(first) };
}

/** The name of a header field; none for all of them together. */
function headerOf([first]: StandardSchemaIssue['path'] = []): { header?: string } {
  return first === undefined ? {} : { header: keyOf(first) };
}

function keyOf(part: PropertyKey | { readonly key: PropertyKey }): string {
  return String(typeof part === 'object' ? part.key : part);
}
