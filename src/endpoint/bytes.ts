/**
 * A body that an operation reads as bytes, as it comes:
 *
 *   { input: bytes({ types: ['image/*'] }), run: (image) => pipeline(image, createWriteStream('pet')) }
 */
import { type Checked, type Shape, shape, strings } from '../util/options.ts';
import { type Encoded, type Format, createFormat } from './format.ts';

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
  return createFormat('bytes', { types, decode: (body) => body, encode: (body: Encoded) => body }) as Bytes;
}
