/**
 * What turns a body's JSON into the value that an operation takes: a Standard Schema, or a function that throws.
 * Either becomes one function at registration, so that no request asks again which it is.
 */
import { argumentText, isApiError, textOf } from '../errors/api-error.ts';
import type { ProblemIssue } from '../errors/problem.ts';
import { adopt, isThenable } from '../errors/thenable.ts';
import type { StandardSchemaIssue, StandardSchemaResult, StandardSchemaV1 } from './standard-schema.ts';

/** A value, or a promise of it. */
export type MaybePromise<T> = T | PromiseLike<T>;

/**
 * A Standard Schema whose output is `T`, or a function that gives a `T` or throws. What the function throws goes to the client
 * with a 400, but for an `ApiError`, which keeps its kind; when it gives `undefined`, it has failed: 500. A schema refuses by its
 * issues; when it throws, it has failed.
 */
export type Decoder<T> = StandardSchemaV1<any, T> | ((json: unknown) => MaybePromise<T>);

/**
 * What a decoder gives. The schema is looked for first: some libraries make their schemas callable, and a
 * call's result is not the schema's output.
 */
export type Decoded<D> = D extends { readonly '~standard': { readonly types?: { readonly output: infer Output } | undefined } }
  ? Output
  : D extends (json: never) => infer Result ? Awaited<Result> : never;

/** What a decoder or a codec refused: the text that the client gets, and where the issues lie. */
export class Refusal {
  readonly detail: string;
  readonly issues: readonly ProblemIssue[] | undefined;

  constructor(detail: string, issues?: readonly ProblemIssue[]) {
    this.detail = detail;
    this.issues = issues;
  }
}

/**
 * A decoder made ready: gives the value, or a `Refusal`. What it throws, or rejects with, is no refusal: an `ApiError`, whose
 * kind says what it is, or a failure of the decoder's own.
 */
export type Decode = (json: unknown) => MaybePromise<unknown>;

/** Makes a decoder ready. `name` says in the `TypeError` for anything else what it was given as. */
export function decodeWith(decoder: unknown, name: string): Decode {
  if (isStandardSchema(decoder)) return (json) => validate(decoder, json);
  if (typeof decoder === 'function') return (json) => call(decoder as (json: unknown) => unknown, json);
  throw new TypeError(`${name} must be a Standard Schema or a function`);
}

function isStandardSchema(decoder: unknown): decoder is StandardSchemaV1 {
  if ((typeof decoder !== 'object' && typeof decoder !== 'function') || decoder === null) return false;
  return typeof (decoder as Partial<StandardSchemaV1>)['~standard']?.validate === 'function';
}

function validate(schema: StandardSchemaV1, json: unknown): MaybePromise<unknown> {
  const result = schema['~standard'].validate(json);
  return isThenable(result) ? adopt(result).then(outcome) : outcome(result);
}

function outcome(result: StandardSchemaResult<unknown>): unknown {
  if (result.issues !== undefined) return refusalFor(result.issues);
  // Without this, what no schema has looked at would reach the operation as `undefined`.
  if (!('value' in result)) throw new TypeError('the schema gave neither a value nor issues');
  return result.value;
}

function call(decode: (json: unknown) => unknown, json: unknown): MaybePromise<unknown> {
  let value: unknown;
  try {
    value = decode(json);
  } catch (thrown) {
    return refusalOf(thrown);
  }
  return isThenable(value) ? adopt(value).then(decodedValue, refusalOf) : decodedValue(value);
}

/** Throws where a function gave nothing: a forgotten `return`, say, which would let every body past. */
function decodedValue(value: unknown): unknown {
  if (value === undefined) throw new TypeError('the decoder gave undefined, where it must give a value or throw');
  return value;
}

/** What a function threw in order to refuse, with its own message. Throws an `ApiError` again, since that has a kind. */
export function refusalOf(thrown: unknown): Refusal {
  if (isApiError(thrown)) throw thrown;
  return new Refusal(argumentText(textOf(thrown)));
}

// A hostile body can be wrong in as many places as it has bytes; its answer need not name them all.
const MAX_ISSUES = 100;

function refusalFor(issues: readonly StandardSchemaIssue[]): Refusal {
  const named = issues.slice(0, MAX_ISSUES).map(({ message, path }) => ({ detail: message, pointer: pointerTo(path) }));
  const nonsense = named.find(({ detail }) => typeof detail !== 'string');
  if (nonsense !== undefined) throw new TypeError(`the schema gave an issue whose message is no text: ${typeof nonsense.detail}`);
  return new Refusal(argumentText(named.map(({ detail }) => detail).join('; ')), named);
}

/** An RFC 6901 pointer in its fragment form (section 6): `#` for the whole body, `#/legs/0` for a part of it. */
function pointerTo(path: StandardSchemaIssue['path'] = []): string {
  const keys = path.map((part) => String(typeof part === 'object' ? part.key : part));
  return ['#', ...keys.map((key) => encodeURIComponent(key.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1')))].join('/');
}
