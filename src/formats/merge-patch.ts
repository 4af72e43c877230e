/**
 * JSON Merge Patch (RFC 7396): a part of an item that says how to change it. `null` removes a property.
 *
 *   { input: mergePatch(Pet), run: async (id, change) => store.replace(id, await change(await store.find(id))) }
 */
import { ApiError } from '../errors/api-error.ts';
import type { Decoded } from '../endpoint/decoder.ts';
import { type Format, createFormat } from '../endpoint/format.ts';
import { parseJson } from '../http/json.ts';
import { createDecoder, type DecoderInput, type ItemDecoder, readAll, valueOrThrow } from './items.ts';
import { stringifyItem } from './ndjson.ts';

/** A change of an item as a client sends it. `null` removes a property, so only optional properties can be `null`. */
export type Merge<T> = T extends readonly unknown[]
  ? T
  : T extends object ? { readonly [K in keyof T]?: Merge<T[K]> | ({} extends Pick<T, K> ? null : never) } : T;

/** A format that `mergePatch` made. */
export type MergePatch<D> = Format<Merge<DecoderInput<D>>, (current: Decoded<D>) => Promise<Decoded<D>>, 'patch'>;

// Walking a more deeply nested value would overflow the stack.
const MAX_DEPTH = 1000;

/**
 * Makes a merge patch (RFC 7396) the input of `patch`. The operation gets a function that applies it to the JSON of an item, and decodes
 * the result with `item`. If `item` rejects the result, the function rejects with an `ApiError` that has the server's `validationStatus`,
 * 400 by default.
 *
 * A body of type `application/json` is read as a merge patch, too.
 *
 * @example
 * ```ts
 * defineEndpoint({
 *   id: integerId,
 *   patch: {
 *     input: mergePatch(Pet),
 *     run: async (id, change) => {
 *       const pet = await db.find(id);
 *       return pet !== undefined && db.replace(id, await change(pet));
 *     },
 *   },
 * });
 * ```
 * @throws `TypeError` if `item` is not a decoder.
 */
export function mergePatch<D extends ItemDecoder>(item: D): MergePatch<D> {
  const decode = createDecoder<Decoded<D>>(item);
  return createFormat('patch', {
    types: ['application/merge-patch+json', 'application/json'],
    decode: async (body, _request, { validationStatus: status, uniqueKeys }) => {
      const patch = valueOrThrow(parseJson(await readAll(body), uniqueKeys));
      return async (current: Decoded<D>) => decode(applyPatch(JSON.parse(stringifyItem(current)), patch), { status });
    },
    // JSON Schema cannot express that all properties of a schema become optional.
    jsonSchema: () => ({ type: 'object', description: 'A JSON Merge Patch (RFC 7396).' }),
  });
}

type JsonObject = Readonly<Record<string, unknown>>;

/** Applies a merge patch to a JSON value (RFC 7396 section 2), and changes neither. Both must come from `JSON.parse`. */
export function applyPatch(target: unknown, patch: unknown, depth = 0): unknown {
  if (!isObject(patch)) return patch;
  if (depth > MAX_DEPTH) throw ApiError.argument('the merge patch is nested too deeply');
  const merged = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, applyPatch(merged.get(name), value, depth + 1));
  }
  return Object.fromEntries(merged);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
