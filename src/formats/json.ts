/**
 * JSON under media types of its own. It stays JSON: every check of a JSON body holds, and only the name of its type differs.
 *
 *   { input: json(Patch, { types: ['application/json-patch+json'] }), run: (id, patch) => store.change(id, patch) }
 */
import type { Decoded, DecoderInput, StandardSchemaV1 } from '../declaration/decoder.ts';
import { checkJsonTypes, makeFormat } from '../declaration/define-format.ts';
import { Rejection } from '../errors/problem.ts';
import { parseJsonBody, parseJsonString } from '../http/json.ts';
import { type Checked, checkString, option, required, type Shape, shape } from '../util/options.ts';
import { createDecoder, type ItemDecoder, readAll, valueOrThrow } from './items.ts';

/**
 * The options of `json`.
 *
 * @example
 * ```ts
 * const options: JsonOptions = { types: ['application/scim+json', 'application/json'] };
 * defineEndpoint({ id: integerId, patch: { input: json(Pet, options), run: () => true } });
 * ```
 */
export interface JsonOptions {
  /** The media types that a body may have: `application/json`, and types that end in `+json`. Results have the first. */
  readonly types: readonly string[];
}

/** JSON with media types of its own. To the compiler it is a schema. */
export interface TypedJson<D> extends StandardSchemaV1<DecoderInput<D>, Decoded<D>> {}

/** `json(decoder, options)`: {@link JsonOptions}. */
export const JSON_OPTIONS: Shape<Checked<JsonOptions>> = shape({
  types: required(option('media types of JSON', checkJsonTypes, []), "['application/vnd.api+json']"),
});

/**
 * Gives JSON its own media types, as an `input`, an `output`, or the `schema` of an endpoint. The option `jsonTypes` of the server gives
 * them to all operations.
 *
 * A body must have one of these types, with no charset or UTF-8; any other gets 415. One without a `Content-Type` is accepted.
 *
 * @example
 * ```ts
 * const geo = json(z.object({ type: z.literal('Feature') }), { types: ['application/geo+json'] });
 * defineEndpoint({ get: { output: geo, run: () => ({ type: 'Feature' } as const) } });
 * ```
 * @throws `TypeError` for an invalid decoder, and for a type that is not of JSON, such as `text/plain`: a page of any origin can send that.
 */
export function json<D extends ItemDecoder>(decoder: D, options: JsonOptions): TypedJson<D> {
  const { types } = JSON_OPTIONS.check(options, 'options');
  const decode = createDecoder<Decoded<D>>(decoder);
  // A format for `byType`. Everywhere else, registration reads `decoder` and `types` of it, and the body is read as any other JSON.
  return makeFormat({ kind: 'json', decoder }, {
    types,
    decode: async (body, _request, { validationStatus: status, uniqueKeys }) => {
      return decode(valueOrThrow(parseJsonBody(await readAll(body), uniqueKeys)), { status });
    },
    jsonSchema: (schemaOf) => schemaOf(decoder),
  });
}

/**
 * Parses JSON that is within a body, such as a field of a form, with the checks of a body: numbers that a double cannot hold exactly, keys
 * named `__proto__` and too deep a nesting are errors. As a transform of Zod it adds an issue of the field.
 *
 * @example
 * ```ts
 * // With Zod, for a field of a form: z.string().transform(parseJson).pipe(Pet)
 * const pet: Pet = parseJson('{"name":"Rex","legs":4}');
 * ```
 * @throws `SyntaxError` for such an error without a `context`, `TypeError` if `text` is not a string.
 */
export function parseJson(text: string, context?: { addIssue(message: string): unknown }): any {
  const value = parseJsonString(checkString(text, 'text'), false);
  if (!(value instanceof Rejection)) return value;
  const message = String(value.problem.detail).replace(/^.*the body/, 'the text');
  if (typeof context?.addIssue !== 'function') throw new SyntaxError(message);
  context.addIssue(message);
}
