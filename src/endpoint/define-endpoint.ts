/** How the compiler infers a declaration. */
import type { CheckedDeclaration } from './checked-declaration.ts';
import type { ApiEndpoint } from './declaration.ts';
import type { AnyDecoder } from './decoder.ts';

/**
 * An endpoint that the compiler infers and checks. `Endpoint` is its type, and `Known` all of it but functions whose parameters have no types:
 * what the types of those parameters follow from.
 */
export type Declaration<Endpoint, Id, Schema, Known, Context, Params, Item> =
  Inferred<Endpoint, Known> & ApiEndpoint<Id, Schema, Known, Context, Params, Item>;

type Inferred<Endpoint, Known> = [Endpoint] extends [never] ? Endpoint & KnownIn<Known> : CheckedDeclaration<Endpoint>;

// The compiler infers nothing from an object that has such a function, but each of its members by itself: those of the endpoint, of its
// operations, and of its operations by name.
type KnownIn<Known> = {
  readonly [Member in keyof Known]: Known[Member] & {
    readonly [Name in keyof Known[Member]]: Known[Member][Name] & { readonly [Part in keyof Known[Member][Name]]: Known[Member][Name][Part] };
  };
};

/** Returns the endpoint as it is, with all types inferred and checked. */
export function defineEndpoint<
  Schema extends AnyDecoder | undefined, Id = unknown, Context = undefined, Params = {}, Item = unknown, Known = {}, Endpoint = unknown,
>(
  // The compiler infers a wrapper's arguments from the last of several signatures: that of `ApiEndpoint`.
  endpoint: Declaration<Endpoint, Id, Schema, Known, Context, Params, Item>,
): Itself<Endpoint>;
export function defineEndpoint(endpoint: unknown): unknown {
  return endpoint;
}

// In a call of `registerEndpoint`, the compiler would infer the arguments of wrappers from its parameter, before it knows their types.
type Itself<T> = [T] extends [infer Same] ? Same : never;
