/** What documents say about a response of an operation, beside its schema. */
import { type Checked, checkObject, option, type Shape, shape, string } from '../util/options.ts';

/**
 * The description and the examples of a response, for documents. An unknown name throws `TypeError`.
 *
 * @example
 * ```ts
 * const found: ResponseDescription = { description: 'The pet.', examples: { dog: { name: 'Rex', legs: 4 } } };
 * defineEndpoint({ id: integerId, schema: Pet, get: { responses: { 200: found }, run: (id) => db.find(id) } });
 * ```
 */
export interface ResponseDescription {
  /** What the response means, in Markdown. @default a sentence for its status */
  readonly description?: string;
  /** Bodies as they are sent, by names. `restpoint/checks` compares them with the schema. @default none */
  readonly examples?: Readonly<Record<string, unknown>>;
}

/** `responses: of an operation, by status`: {@link ResponseDescription}. */
export const RESPONSE_OPTIONS: Shape<Checked<ResponseDescription>> = shape({
  description: string(),
  examples: option<ResponseDescription['examples']>('values by name', checkObject, undefined),
});
