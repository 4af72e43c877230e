/**
 * JSON Merge Patch (RFC 7396): a part of an item that says how to change it. `null` removes a property.
 *
 *   { input: mergePatch(Pet), run: async (id, change) => store.replace(id, await change(await store.find(id))) }
 */
import type { Decoded, DecoderInput } from '../declaration/decoder.ts';
import { makeFormat } from '../declaration/define-format.ts';
import type { Format } from '../declaration/format.ts';
import type { RequestInternals } from '../declaration/request.ts';
import { isJsonObject, parseJsonBody } from '../http/json.ts';
import { findInternals } from '../util/internals.ts';
import { checkAwaited, PromiseWatch, type WatchedPromise } from '../util/promises.ts';
import { createDecoder, type ItemDecoder, readAll, valueOrThrow } from './items.ts';
import { stringifyItem } from './ndjson.ts';

/** A change of an item as a client sends it. `null` removes a property, so only optional properties can be `null`. */
export type Merge<T> = T extends readonly unknown[]
  ? T
  : T extends object ? { readonly [K in keyof T]?: Merge<T[K]> | ({} extends Pick<T, K> ? null : never) } : T;

/** A format that `mergePatch` made. */
export type MergePatch<D> = Format<Merge<DecoderInput<D>>, (current: Decoded<D>) => Promise<Decoded<D>>, 'patch'>;

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
  return makeFormat({ kind: 'patch', checkAfterRun: (change) => endings.get(change as object)?.() }, {
    types: ['application/merge-patch+json', 'application/json'],
    decode: async (body, request, { validationStatus: status, uniqueKeys }) => {
      const patch = valueOrThrow(parseJsonBody(await readAll(body), uniqueKeys));
      const apply = async (current: Decoded<D>): Promise<Decoded<D>> => {
        checkAwaited(current, 'the item that the function of mergePatch takes');
        return decode(applyPatch(JSON.parse(stringifyItem(current)), patch), { status });
      };
      return watchChange(apply, findInternals(request));
    },
    // Here `schemaOf` returns the schema of a change of an item.
    jsonSchema: (schemaOf) => ({ type: 'object', ...schemaOf(item), description: 'A JSON Merge Patch (RFC 7396).' }),
  });
}

type Change<T> = (current: T) => Promise<T>;

// For the function that an operation gets: throws `TypeError` if the operation, which has ended, did not wait for one of its promises.
const endings = new WeakMap<object, () => void>();

function watchChange<T>(apply: Change<T>, request: Partial<RequestInternals> | undefined): Change<T> {
  const watch = new PromiseWatch();
  const promises = new Set<WatchedPromise<T>>();
  let lost: readonly WatchedPromise<T>[] = [];
  const change = (current: T): Promise<T> => {
    const promise: WatchedPromise<T> = watch.watch(apply(current), (thrown) => {
      if (!lost.includes(promise)) request?.logUnawaited?.('the function of mergePatch', thrown);
    });
    promises.add(promise);
    return promise;
  };
  endings.set(change, () => {
    lost = [...promises].filter(({ isAwaited }) => !isAwaited);
    watch.end();
    if (lost.length > 0) {
      throw new TypeError('the function of mergePatch returned a promise, and run did not wait for it: await change(item)');
    }
  });
  return change;
}

/** Applies a merge patch to a JSON value (RFC 7396 section 2), and changes neither. Both must come from `JSON.parse`. */
export function applyPatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  const known = isJsonObject(target) ? target : {};
  const merged: Record<string, unknown> = { ...known };
  for (const name of Object.keys(patch)) {
    const value = patch[name];
    if (value === null) delete merged[name];
    else if (!isJsonObject(value) && name !== '__proto__') merged[name] = value;
    else setProperty(merged, name, applyPatch(Object.hasOwn(known, name) ? known[name] : undefined, value));
  }
  return merged;
}

/** Sets a property, even one named `__proto__`. */
function setProperty(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}
