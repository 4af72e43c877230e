/** What registration makes of decoders: one function of each. */
import { toDecodeRejection, rejectIssues, type ValueSource } from '../errors/decode-failure.ts';
import { toPointer, type ValidationStatus } from '../errors/problem.ts';
import { adopt, isThenable } from '../util/promises.ts';
import type { MaybePromise, StandardSchemaV1 } from '../declaration/decoder.ts';
import { findFormat } from '../declaration/format.ts';

/**
 * Returns the value or a `Rejection`. Throws an `ApiError` of the user, and the error of a decoder with a bug. Only views read `request`.
 */
export type Decode = (json: unknown, request?: unknown) => MaybePromise<unknown>;

const BODY_SOURCES: Readonly<Record<ValidationStatus, ValueSource>> = {
  400: { locate: toPointer, status: 400 },
  422: { locate: toPointer, status: 422 },
};

/** Makes a `Decode` of a user's decoder of bodies. Throws `TypeError`, with a message that begins with `name`, for anything else. */
export function makeBodyDecoder(decoder: unknown, name: string, status: ValidationStatus = 400): Decode {
  return makeDecoder(BODY_SOURCES[status], decoder, name);
}

/** Makes a `Decode` of a user's decoder of queries. Its issues name the wrong parameter. */
export function makeQueryDecoder(decoder: unknown, name: string, status: ValidationStatus): Decode {
  return makeDecoder({ locate: ([first]) => (first === undefined ? {} : { parameter: String(first) }), status }, decoder, name);
}

/** Makes a `Decode` of a user's decoder of headers. Its issues name the wrong header. */
export function makeHeadersDecoder(decoder: unknown, name: string, status: ValidationStatus): Decode {
  return makeDecoder({ locate: ([first]) => (first === undefined ? {} : { header: String(first) }), status }, decoder, name);
}

function makeDecoder(source: ValueSource, decoder: unknown, name: string): Decode {
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
  if (Object.values(value).some(isStandardSchema)) return 'an object of schemas. Write z.object({ … })';
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

function acceptResult(result: StandardSchemaV1.Result<unknown>, source: ValueSource): unknown {
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
