/**
 * Formats: bodies that are not one JSON value. A format is an `input` or an `output`, as a decoder is:
 *
 *   const messagePack = defineFormat({
 *     types: ['application/vnd.msgpack'],
 *     decode: async (body) => unpack(await readAll(body)),
 *     encode: (value: unknown) => pack(value),
 *   });
 *
 * The server reads its types, and calls `decode` or `encode`. It knows nothing else of any format.
 */
import { checkHeaders, type ResponseHeaders } from '../util/headers.ts';
import { isJsonType, parseMediaType } from '../http/media-type.ts';
import { anything, type Checked, checkStrings, functionOr, option, shape, type Shape, strings } from '../util/options.ts';
import { findInternals } from '../util/internals.ts';
import { checkSync } from '../util/promises.ts';
import type { AnyDecoder, MaybePromise, StandardSchemaV1 } from './decoder.ts';
import type { ChosenBody } from './reply.ts';
import type { ApiRequest } from './request.ts';

/**
 * A body as it is sent: strings and bytes, whole or as a stream, or `ranges` of them. The server reads a stream as fast as the client takes
 * it, and closes it.
 */
export type Encoded = string | Uint8Array | AsyncIterable<string | Uint8Array> | ChosenBody;

/** The state of the server that an encoder may need. */
export interface Encoding {
  /** Aborts when the server begins to stop. An endless stream ends then. */
  readonly stopping: AbortSignal;
}

/** The options of the server that a decoder may need. */
export interface Decoding {
  /** The status for values that a decoder rejects. */
  readonly validationStatus: 400 | 422;
  /** Whether an object of JSON may have a key only once. */
  readonly uniqueKeys: boolean;
}

/**
 * The parts of a format. With `decode` it can be an `input`, with `encode` an `output`.
 *
 * @example
 * ```ts
 * const lines: FormatParts<string[]> = { types: ['text/csv'], encode: (rows) => rows.join('\r\n') };
 * defineEndpoint({ get: { output: defineFormat(lines), run: () => ['name,legs', 'Rex,4'] } });
 * ```
 */
export interface FormatParts<Given = any, Read = unknown> {
  /**
   * The media types of a body, such as `image/png`, or `image/*` for all of its subtypes. The first that is not a range is the
   * `Content-Type` of an encoded body. Without one, it is `application/octet-stream`.
   *
   * @default any
   */
  readonly types?: readonly string[] | undefined;
  /**
   * Returns the value of a body. An error that it throws gets 400 with its message; an `ApiError` keeps its kind. The iteration of the body
   * throws if the body becomes too long, and if the client leaves.
   */
  readonly decode?:
    | ((body: AsyncIterable<Uint8Array>, request: ApiRequest<any, any, any>, decoding: Decoding) => MaybePromise<Read>)
    | undefined;
  /** Returns the body of a value. An error that it throws is a logged 500. */
  readonly encode?: ((value: Given, encoding: Encoding) => MaybePromise<Encoded>) | undefined;
  /** Headers of an encoded body. Headers of a `reply` with the same names replace them. */
  readonly headers?: ResponseHeaders | undefined;
  /** Returns the JSON Schema of a body for documents. `schemaOf` returns the JSON Schema of a decoder. */
  readonly jsonSchema?: ((schemaOf: (decoder: AnyDecoder | ((value: any) => unknown)) => object) => object) | undefined;
  /** Whether a body is a sequence of items, and `jsonSchema` describes one of them. */
  readonly isSequence?: boolean | undefined;
}

/** A body that is not one JSON value. To the compiler it is a decoder: it encodes a `Given`, and decodes a `Read`. */
export interface Format<Given = any, Read = unknown, Kind extends string = string>
  extends FormatParts<Given, Read>, StandardSchemaV1<Given, Read> {
  readonly ' internal': FormatInternals<Kind>;
}

/** What only this package reads of a format. */
export interface FormatInternals<Kind extends string = string> {
  readonly kind: Kind;
  /** The files of a form, by the names of their fields. */
  readonly files?: ReadonlyMap<string, FileField>;
  /** Checks an input when the operation has ended. Throws for a mistake of the operation. */
  readonly checkAfterRun?: (input: unknown) => void;
  /** The headers that it adds, and that clients may need. All of its `headers`, unless this says which. */
  readonly addedHeaders?: readonly string[];
  /** The silence after which events have a comment. Tests shorten it. */
  readonly heartbeatMs?: number;
}

/** A field of a form that is a file, or a list of files. */
export interface FileField {
  readonly types?: readonly string[] | undefined;
  readonly isList: boolean;
}

type SchemaOf = Parameters<NonNullable<FormatParts['jsonSchema']>>[0];

/** The headers that a format adds, and that clients may need. */
export function listAddedHeaders({ headers = {}, ' internal': { addedHeaders } }: Format): readonly string[] {
  return addedHeaders ?? Object.keys(headers);
}

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
    jsonSchema: jsonSchema === undefined ? undefined : (schemaOf: SchemaOf) => checkSync(jsonSchema.call(parts, schemaOf), 'format.jsonSchema'),
    isSequence,
  });
}

function checkFormatHeaders(headers: unknown): ResponseHeaders {
  checkHeaders(headers);
  return headers as ResponseHeaders;
}

// A format can be given in place of a schema, so it has the interface of one. The server never calls it.
const NO_SCHEMA: StandardSchemaV1.Props<any, any> = {
  version: 1,
  vendor: 'restpoint',
  validate: () => ({ issues: [{ message: 'a format can only be the input or the output of an operation' }] }),
};

/** Returns the decoder if it is a format, even of a different copy of this package; else `undefined`. */
export function findFormat(decoder: unknown): Format | undefined {
  const isFormat = typeof decoder === 'object' && findInternals<FormatInternals>(decoder)?.kind !== undefined;
  return isFormat ? (decoder as Format) : undefined;
}

const OCTETS = 'application/octet-stream';

/** Whether a request may have this `Content-Type`. A body without one is `application/octet-stream` (RFC 9110 section 8.3). */
export function acceptsType({ types }: Pick<Format, 'types'>, contentType: string = OCTETS): boolean {
  if (types === undefined) return true;
  const type = parseMediaType(contentType);
  // A range such as `image/*` is not the type of a body.
  if (type === undefined || type.endsWith('/*')) return false;
  // JSON is always UTF-8 (RFC 8259 section 8.1), so any other charset is rejected.
  if (JSON_TYPE.test(type) && !isJsonType(contentType)) return false;
  return types.some((range) => (range.endsWith('/*') ? type.startsWith(range.slice(0, -1)) : type === range));
}

/** Returns the `Content-Type` of a body that a format has encoded. */
export function chooseContentType({ types = [] }: Pick<Format, 'types'>): string {
  return types.find((type) => !type.endsWith('/*')) ?? OCTETS;
}

const JSON_TYPE = /^application\/json$|\+json$/;
const RANGE = /^[\w!#$&^.+-]+\/(?:\*|[\w!#$&^.+-]+)$/;

/** Checks media types and ranges of them. Returns them in lower case. */
export function checkTypes(value: unknown, path: string): readonly string[] {
  const types = checkStrings(value, path);
  const wrong = types.find((type) => !RANGE.test(type));
  if (wrong === undefined) return types.map((type) => type.toLowerCase());
  throw new TypeError(`a type must be a media type, such as image/png or image/*: ${JSON.stringify(wrong)}`);
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
