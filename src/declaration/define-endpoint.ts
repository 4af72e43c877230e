/** How the compiler infers a declaration. */
import type { ErrorMapper } from '../errors/api-error.ts';
import { anything, type Checked, checkObject, isPlainObject, type Properties, type Shape, shape } from '../util/options.ts';
import type { CheckedDeclaration, EndpointMessages, Hint } from './checked-declaration.ts';
import type { ApiEndpoint } from './declaration.ts';
import type { AnyDecoder } from './decoder.ts';
import type { DefinedEndpoint } from './defined-endpoint.ts';
import type { Interceptors } from './interceptor.ts';
import type { ContextFunction, ParamCodecs } from './operation-forms.ts';

/**
 * The types that the compiler infers of an endpoint, each by itself. `known` is the endpoint without the functions that have untyped
 * parameters: the types of these parameters follow from it.
 */
type InferredTypes = Readonly<Record<'id' | 'schema' | 'context' | 'params' | 'item' | 'known', unknown>>;

/** An endpoint of the type `Endpoint`, which the compiler infers and checks. `Whole` and `Known` have also what it shares with others. */
export type Declaration<Endpoint, Of extends InferredTypes, Whole = Endpoint, Known = Of['known']> =
  & InferredEndpoint<Endpoint, Of['known'], Whole>
  & ApiEndpoint<Of['id'], Of['schema'], Known, Of['context'], Of['params'], Of['item']>;

type InferredEndpoint<Endpoint, Known, Whole> = [Endpoint] extends [never] ? Endpoint & KnownIn<Known>
  : Endpoint extends DefinedEndpoint ? unknown : CheckedDeclaration<Endpoint, Whole>;

// The compiler infers nothing from an object with such a function as a whole, but it infers each property separately: of the endpoint, of
// its operations, and of its named operations.
type KnownIn<Known> = {
  readonly [Property in keyof Known]: Known[Property] & {
    readonly [Name in keyof Known[Property]]: Known[Property][Name] & {
      readonly [Part in keyof Known[Property][Name]]: Known[Property][Name][Part];
    };
  };
};

/**
 * Infers and checks the types of an endpoint, and returns it as it is.
 *
 * @example
 * ```ts
 * const pet = defineEndpoint({
 *   id: integerId,
 *   schema: Pet,
 *   create: (pet) => db.insert(pet), // POST /v1/pet: 201 with Location
 *   get: (id) => db.find(id), // GET /v1/pet/7: 200, or 404 for undefined
 *   delete: (id) => db.delete(id), // DELETE /v1/pet/7: 204, or 404 for false
 * });
 * server.registerEndpoints({ '/pet': pet });
 * ```
 */
export function defineEndpoint<
  Endpoint, Schema extends AnyDecoder | undefined, Id = unknown, Context = undefined, Params = {}, Item = unknown, Known = {},
>(
  // The compiler infers a wrapper's arguments from the last of several signatures, here the signature in `ApiEndpoint`.
  endpoint: Declaration<Endpoint, { id: Id; schema: Schema; context: Context; params: Params; item: Item; known: Known }>,
): Itself<Endpoint>;
export function defineEndpoint(endpoint: unknown): unknown {
  return endpoint;
}

// Within a call of `registerEndpoint`, the compiler would infer the arguments of wrappers from the parameter of that call, before it
// knows their types: `infer` prevents this. A wrong declaration has the type `unknown` there. It becomes `never`, so that the only error
// is at the declaration.
type Itself<T> = [T] extends [infer Same] ? unknown extends Same ? never : Same & DefinedEndpoint : never;

/** The properties that endpoints can share. */
interface SharedProperties<Context, Params> {
  readonly params?: Params & ParamCodecs;
  readonly context?: ContextFunction<Context, Params, unknown>;
  readonly use?: Interceptors;
  readonly mapError?: ErrorMapper;
}

type CheckedShared<Base> = {
  readonly [Name in Exclude<keyof Base, keyof SharedProperties<unknown, unknown>> as Name]:
    `${Name & string} is not a property that endpoints can share${Hint<Name, keyof SharedProperties<unknown, unknown>>}`;
};

/** An endpoint with the properties of `Base`, unless it has its own. */
export type EndpointWith<Base, Endpoint> = Endpoint & {
  readonly [Name in keyof Base as Name extends keyof Endpoint ? never : Name]: Base[Name];
};

/**
 * The types that the compiler knows of such an endpoint before it reads its functions. It has the interceptors of `Base`, unless it has
 * its own.
 */
type KnownWith<Base, Known> = Base extends { readonly use: infer Use }
  ? 'use' extends keyof Known ? Known : Known & { readonly use: Use }
  : Known;

/** What `endpointWith` returns: a `defineEndpoint` for endpoints with the properties of `Base`. */
export interface DefineEndpointWith<Base, BaseContext, BaseParams> {
  <Endpoint, Schema extends AnyDecoder | undefined, Id = unknown, Context = BaseContext, Params = BaseParams, Item = unknown, Known = {}>(
    endpoint: Declaration<
      Endpoint, { id: Id; schema: Schema; context: Context; params: Params; item: Item; known: Known },
      EndpointWith<Base, Endpoint>, KnownWith<Base, Known>
    >,
  ): unknown extends Endpoint ? never : Itself<EndpointWith<Base, Endpoint>>;
}

/** `endpointWith(options)`: {@link ApiEndpoint}. */
export const SHARED_OPTIONS: Shape<Checked<SharedProperties<unknown, unknown>>> = shape({
  params: anything('codecs by name'),
  context: anything('a function'),
  use: anything('interceptors'),
  mapError: anything('a function'),
});

/**
 * Returns a `defineEndpoint` for endpoints that share these properties. An endpoint's own property replaces the shared one, even `use`.
 * Interceptors of an operation run inside the shared ones.
 *
 * @example
 * ```ts
 * const define = endpointWith({ params: { zoo: stringId }, context: signedIn });
 * const pet = define({
 *   id: integerId,
 *   get: (id, { params: { zoo }, context: user }) => ({ id, zoo, keeper: user.id }),
 * });
 * server.registerEndpoints({ '/zoo/:zoo/pet': pet });
 * ```
 * @throws `TypeError` for a property other than `params`, `context`, `use` and `mapError`. The function that it returns throws `TypeError`
 * for an instance of a class.
 */
export function endpointWith<Base, BaseContext = undefined, BaseParams = {}>(
  base: ([Base] extends [never] ? Base : CheckedShared<Base>) & SharedProperties<BaseContext, BaseParams> & EndpointMessages<Base>,
): DefineEndpointWith<Base, BaseContext, BaseParams>;
export function endpointWith(base: unknown): (endpoint: never) => unknown {
  SHARED_OPTIONS.check(base, 'endpointWith');
  const shared = Object.entries(base as Properties);
  return (endpoint: unknown) => {
    const own = checkObject(endpoint, 'endpoint');
    // A copy of an instance would lose its methods and its private fields.
    if (!isPlainObject(own)) {
      throw new TypeError(
        'endpointWith takes a plain object, not an instance of a class: give that to defineEndpoint, with the shared properties in it',
      );
    }
    return { ...own, ...Object.fromEntries(shared.filter(([name]) => own[name] === undefined)) };
  };
}
