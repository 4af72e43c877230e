/**
 * Results that depend on the caller: a function chooses one of several views for each request, never the first that accepts the result.
 *
 *   { output: views([StaffPet, Pet], ({ context }: ApiRequest<User>) => (context.isStaff ? StaffPet : Pet)), run: (id) => store.find(id) }
 */
import { findInternals } from '../util/internals.ts';
import { checkFunction } from '../util/options.ts';
import type { Decoded, DecoderInput, OutputDecoder, StandardSchemaV1 } from './decoder.ts';
import { NO_SCHEMA } from './define-format.ts';

/** What only this package reads of views. */
export interface ViewInternals {
  readonly views: readonly OutputDecoder[];
  readonly choose: (request: unknown) => unknown;
}

/** An output that `views` made. To the compiler it is a schema. */
export interface Views<D> extends StandardSchemaV1<DecoderInput<D>, Decoded<D>> {}

/**
 * Makes an output of several decoders, of which `choose` returns one for each request. A result that it rejects, and a decoder that is
 * not in the list, is a logged 500: nothing of the result is sent. Documents have all views. For a list, write views of lists.
 *
 * @example
 * ```ts
 * const PublicPet = z.object({ name: z.string() });
 * const StaffPet = z.object({ name: z.string(), owner: z.string() });
 * const context = bearer((token) => ({ isStaff: token === 'staff' }));
 * const output = views([StaffPet, PublicPet], ({ context }: ApiRequest<{ isStaff: boolean }>) => (context.isStaff ? StaffPet : PublicPet));
 * defineEndpoint({ id: integerId, context, get: { output, run: () => ({ name: 'Rex', owner: 'ann' }) } });
 * ```
 * @throws `TypeError` if `choose` is not a function.
 */
export function views<const All extends readonly [OutputDecoder, ...OutputDecoder[]], Request>(
  all: All, choose: (request: Request) => All[number],
): Views<All[number]> {
  checkFunction(choose, 'choose');
  // As of a format, so that it is rejected wherever a decoder is expected.
  return { '~standard': NO_SCHEMA, ' internal': { kind: 'views', views: all, choose } } as Views<All[number]>;
}

/** Finds the views of an output. `undefined` if it has none. */
export function findViews(output: unknown): ViewInternals | undefined {
  const internals = findInternals<ViewInternals>(output);
  return internals?.views === undefined ? undefined : (internals as ViewInternals);
}
