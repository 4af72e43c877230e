/** How a format is made: of parts, and of bytes. */
import { isJsonType } from '../http/media-type.ts';
import { checkHeaders, type ResponseHeaders } from '../util/headers.ts';
import { anything, type Checked, checkStrings, functionOr, option, shape, type Shape, strings } from '../util/options.ts';
import { checkSync } from '../util/promises.ts';
import type { StandardSchemaV1 } from './decoder.ts';
import type { Encoded, Format, FormatInternals, FormatParts } from './format.ts';

/** `defineFormat(parts)`: {@link FormatParts}. */
export const FORMAT_PARTS: Shape<Checked<FormatParts>> = shape({
  types: option<FormatParts['types']>('media types', checkTypes, undefined),
  decode: functionOr<NonNullable<FormatParts['decode']>>(),
  encode: functionOr<NonNullable<FormatParts['encode']>>(),
  headers: option<FormatParts['headers']>('headers', checkFormatHeaders, undefined),
  jsonSchema: functionOr<NonNullable<FormatParts['jsonSchema']>>(),
  isSequence: anything('a boolean'),
});

/**
 * Makes a format of its parts, for `input`, `output` or both: a body that is not one JSON value.
 *
 * @example
 * ```ts
 * const csv = defineFormat({
 *   types: ['text/csv'],
 *   decode: async (body) => (await readAll(body)).toString().split('\n').map((line) => line.split(',')),
 *   encode: (rows: readonly string[][]) => rows.map((row) => row.join(',')).join('\n'),
 * });
 * ```
 * @throws `TypeError` for an unknown or a wrong part, and for a format that can neither decode nor encode.
 */
export function defineFormat<Given = any, Read = any>(parts: FormatParts<Given, Read>): Format<Given, Read> {
  return makeFormat({ kind: 'own' }, parts);
}

type SchemaOf = Parameters<NonNullable<FormatParts['jsonSchema']>>[0];

/** Makes a format, as `defineFormat` does, with a kind by which types tell formats apart. */
export function makeFormat<Given, Read, const Kind extends string>(
  internals: FormatInternals<Kind>, parts: FormatParts<Given, Read>,
): Format<Given, Read, Kind> {
  const { types, decode, encode, headers, jsonSchema, isSequence } = FORMAT_PARTS.check(parts, 'format');
  if (decode === undefined && encode === undefined) throw new TypeError('format must have decode or encode');
  return Object.freeze({
    ' internal': internals,
    '~standard': NO_SCHEMA as StandardSchemaV1.Props<Given, Read>,
    types,
    // Bound, since they are methods of the user's object.
    decode: decode?.bind(parts) as FormatParts<Given, Read>['decode'],
    encode: encode?.bind(parts),
    headers,
    jsonSchema: jsonSchema && ((schemaOf: SchemaOf) => checkSync(jsonSchema.call(parts, schemaOf), 'format.jsonSchema')),
    isSequence,
  });
}

function checkFormatHeaders(headers: unknown): ResponseHeaders {
  checkHeaders(headers);
  return headers as ResponseHeaders;
}

/** A format can be given in place of a schema, so it has the interface of one. The server never calls it. */
export const NO_SCHEMA: StandardSchemaV1.Props<any, any> = {
  version: 1,
  vendor: 'restpoint',
  validate: () => ({ issues: [{ message: 'a format can only be the input or the output of an operation' }] }),
};

const RANGE = /^[\w!#$&^.+-]+\/(?:\*|[\w!#$&^.+-]+)$/;

/** Checks media types and ranges of them. Returns them in lower case. */
export function checkTypes(value: unknown, path: string): readonly string[] {
  const types = checkStrings(value, path);
  const wrong = types.find((type) => !RANGE.test(type));
  if (wrong === undefined) return types.map((type) => type.toLowerCase());
  throw new TypeError(`a type must be a media type, such as image/png or image/*: ${JSON.stringify(wrong)}`);
}

/** Checks media types of JSON. Returns them in lower case. */
export function checkJsonTypes(value: unknown, path: string): readonly string[] {
  const types = checkTypes(value, path);
  const wrong = types.find((type) => !isJsonType(type));
  if (wrong === undefined && types.length > 0) return types;
  throw new TypeError(`${path} must have types of JSON, such as application/json or application/vnd.api+json: ${wrong ?? 'it has none'}`);
}

/**
 * The options of `bytes`.
 *
 * @example
 * ```ts
 * const options: BytesOptions = { types: ['image/png', 'image/jpeg'] };
 * defineEndpoint({ id: integerId, update: { input: bytes(options), run: async (_id, _image) => true } });
 * ```
 */
export interface BytesOptions {
  /** The media types that are accepted, such as `image/png`, or `image/*` for all of its subtypes. @default any */
  readonly types?: readonly string[];
}

/** `bytes(options)`: {@link BytesOptions}. */
export const BYTES_OPTIONS: Shape<Checked<BytesOptions>> = shape({ types: strings() });

/** A format that `bytes` made. As an `output`, it takes the body of a `reply`. */
export interface Bytes extends Format<Encoded, AsyncIterable<Uint8Array>, 'bytes'> {
  /** In lower case; `undefined` for any. */
  readonly types: readonly string[] | undefined;
}

/**
 * Gives an operation its body as an `AsyncIterable<Uint8Array>`, as the client sends it and no faster than it is iterated.
 *
 * A body with any other `Content-Type` gets 415. A body without one is `application/octet-stream`. The iteration throws if the body becomes
 * longer than `limits.bodyBytes`, which is a 413, and if the client leaves. An operation may leave a part of the body unread.
 *
 * As an `output` it declares the type of the bytes of a `reply`, which are sent unchanged.
 *
 * @example
 * ```ts
 * import { createWriteStream } from 'node:fs';
 * import { pipeline } from 'node:stream/promises';
 *
 * server.registerEndpoint('/photo', {
 *   update: {
 *     input: bytes({ types: ['image/png'] }),
 *     limits: { bodyBytes: 10_000_000 },
 *     run: (body) => pipeline(body, createWriteStream('rex.png')),
 *   },
 * });
 * ```
 * @throws `TypeError` for an unknown option, and for a type that is not a media type.
 */
export function bytes(options: BytesOptions = {}): Bytes {
  const { types } = BYTES_OPTIONS.check(options, 'options');
  return makeFormat({ kind: 'bytes' }, { types, decode: (body) => body, encode: (body: Encoded) => body }) as Bytes;
}
