/**
 * A body that an operation reads as bytes, as it comes:
 *
 *   { input: bytes({ types: ['image/*'] }), run: (image) => pipeline(image, createWriteStream('pet')) }
 */
import { knownMembersOf, textsFrom } from '../errors/members.ts';
import { mediaTypeOf } from '../http/media-type.ts';
import type { StandardSchemaProps, StandardSchemaV1 } from './standard-schema.ts';
import type { Stream } from './stream.ts';

/** The options of `bytes`. */
export interface BytesOptions {
  /** The media types that are accepted, such as `image/png`, or `image/*` for all of its subtypes. Default: any. */
  readonly types?: readonly string[];
}

/** An `input` that `bytes` made. As an `output`, it takes what the body of a `reply` can be. */
export interface Bytes extends StandardSchemaV1<string | Uint8Array | Stream, AsyncIterable<Uint8Array>> {
  /** In lower case; `undefined` for any. */
  readonly types: readonly string[] | undefined;
}

/**
 * Gives an operation its body as an `AsyncIterable<Uint8Array>`, as the client sends it and no faster than it is iterated.
 *
 * Another `Content-Type` is answered 415. A body without one is `application/octet-stream`. The iteration throws if the body becomes
 * longer than `limits.bodyBytes`, which is answered 413, and if the client leaves. An operation may leave a part of the body unread.
 *
 * Throws `TypeError` for an unknown option, and for a type that is none.
 */
export function bytes(options: BytesOptions = {}): Bytes {
  return new BytesInput(options);
}

const VENDOR = 'restpoint';
const RANGE = /^[\w!#$&^.+-]+\/(?:\*|[\w!#$&^.+-]+)$/;

/** The result of `bytes`, as the server uses it. */
export class BytesInput implements Bytes {
  readonly types: readonly string[] | undefined;
  /** It stands where a schema can. It decodes no JSON, and the server does not call it. */
  readonly '~standard': StandardSchemaProps<string | Uint8Array | Stream, AsyncIterable<Uint8Array>> = {
    version: 1,
    vendor: VENDOR,
    validate: () => ({ issues: [{ message: 'bytes can only be the body of a request' }] }),
  };

  constructor(options: BytesOptions) {
    const { types } = knownMembersOf(options, 'options', ['types']);
    this.types = types === undefined ? undefined : textsFrom(types, 'options.types').map(checkedRange);
  }

  /** Whether a request may have this `Content-Type`. */
  accepts(contentType = 'application/octet-stream'): boolean {
    if (this.types === undefined) return true;
    const type = mediaTypeOf(contentType);
    // A wildcard has the characters of a media type, but does not say what the body is.
    return type !== undefined && !type.endsWith('/*') && this.types.some((range) => {
      return range.endsWith('/*') ? type.startsWith(range.slice(0, -1)) : type === range;
    });
  }
}

/** A decoder that `bytes` made; `undefined` for any other. Throws `TypeError` for one of another copy of this package. */
export function bytesInputOf(decoder: unknown, path: string): BytesInput | undefined {
  if (decoder instanceof BytesInput) return decoder;
  const { '~standard': standard } = Object(decoder) as { readonly '~standard'?: { readonly vendor?: unknown } };
  if (standard?.vendor !== VENDOR) return undefined;
  throw new TypeError(`${path} was made by bytes() of another copy of restpoint than the server is of`);
}

function checkedRange(range: unknown): string {
  if (typeof range === 'string' && RANGE.test(range)) return range.toLowerCase();
  throw new TypeError(`a type must be a media type, such as image/png or image/*: ${JSON.stringify(range)}`);
}
