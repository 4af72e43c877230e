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
import type { ResponseHeaders } from '../util/headers.ts';
import { isJsonType, parseMediaType } from '../http/media-type.ts';
import { findInternals } from '../util/internals.ts';
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
  /** The user's decoder of JSON that `json` has given media types. */
  readonly decoder?: unknown;
  /** The formats of a body that can have several, of which its media type names one. */
  readonly alternatives?: readonly Format[];
  /** Returns the same format, in which JSON has these media types unless `json` says otherwise. */
  readonly withJsonTypes?: (types: readonly string[] | undefined) => Format;
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

/** The headers that a format adds, and that clients may need. */
export function listAddedHeaders({ headers = {}, ' internal': { addedHeaders } }: Format): readonly string[] {
  return addedHeaders ?? Object.keys(headers);
}

/** Returns the decoder if it is a format, even of a different copy of this package; else `undefined`. */
export function findFormat(decoder: unknown): Format | undefined {
  const isFormat = typeof decoder === 'object' && findInternals<FormatInternals>(decoder)?.kind !== undefined;
  return isFormat ? (decoder as Format) : undefined;
}

/** Returns the decoder that `json` has given media types, and these; any other decoder as it is. */
export function unwrapJson(declared: unknown): { readonly decoder: unknown; readonly types?: Format['types'] } {
  const format = findFormat(declared);
  return format?.[' internal'].kind === 'json' ? { decoder: format[' internal'].decoder, types: format.types } : { decoder: declared };
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
