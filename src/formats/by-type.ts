/**
 * A body of several formats, of which its `Content-Type` names one:
 *
 *   { input: byType(Pet, form(Pet)), run: (pet) => store.insert(pet) }
 *
 *   application/json                    ->   Pet
 *   application/x-www-form-urlencoded   ->   form(Pet)
 */
import type { Decoded, DecoderInput } from '../declaration/decoder.ts';
import { makeFormat } from '../declaration/define-format.ts';
import { acceptsType, findFormat, type Format } from '../declaration/format.ts';
import { findRequestHead } from '../endpoint/context.ts';
import { findHeader } from '../http/head.ts';
import { isJsonType } from '../http/media-type.ts';
import type { ItemDecoder } from './items.ts';
import { json } from './json.ts';

/** A format that `byType` made. */
export interface ByType<All extends readonly unknown[]> extends Format<DecoderInput<All[number]>, Decoded<All[number]>, 'types'> {
  readonly ' types'?: All[number];
}

/**
 * Makes an input of several, of which the `Content-Type` of a body names one: decoders of JSON, `json`, and formats such as `form`. Any
 * other type gets 415, and so does a body without one. Each keeps its checks, and its errors.
 *
 * @example
 * ```ts
 * const PetBody = z.object({ name: z.string(), legs: z.coerce.number() });
 * defineEndpoint({ id: integerId, create: { input: byType(PetBody, form(PetBody)), run: (pet) => db.insert(pet) } });
 * ```
 * @throws `TypeError` for one without media types, and for a media type that two have.
 */
export function byType<All extends readonly [ItemDecoder, ...ItemDecoder[]]>(...decoders: All): ByType<All> {
  return makeByType(decoders) as ByType<All>;
}

/** `jsonTypes`: the media types of a decoder of JSON that has none of its own. */
function makeByType(decoders: readonly ItemDecoder[], jsonTypes: readonly string[] = ['application/json']): Format {
  const formats = decoders.map((each) => {
    const format = findFormat(each);
    return format?.[' internal'].withJsonTypes?.(jsonTypes) ?? format ?? json(each, { types: jsonTypes }) as Format;
  });
  // JSON first: documents, tools and checks prefer the first.
  formats.sort((one, other) => Number(other.types?.some(isJsonType)) - Number(one.types?.some(isJsonType)));
  const types = formats.flatMap((format) => {
    if (format.types !== undefined) return format.types;
    throw new TypeError('byType needs formats with types: bytes({ types: [\'image/png\'] })');
  });
  const twice = types.find((type, at) => types.indexOf(type) !== at);
  if (twice !== undefined) throw new TypeError(`byType has two formats of the type ${twice}`);
  const [{ ' internal': { files } = {}, jsonSchema } = {}] = formats;
  const checkAfterRun = (input: unknown): void => formats.forEach((each) => each[' internal'].checkAfterRun?.(input));
  const withJsonTypes = (own?: readonly string[]): Format => makeByType(decoders, own);
  return makeFormat({ kind: 'types', alternatives: formats, withJsonTypes, checkAfterRun, ...(files && { files }) }, {
    types,
    decode: (body, request, decoding) => {
      const type = findHeader(findRequestHead(request).rawHeaders, 'content-type');
      return formats.find((format) => acceptsType(format, type))?.decode?.(body, request, decoding);
    },
    jsonSchema,
  });
}
