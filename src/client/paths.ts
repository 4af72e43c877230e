/** The path of an endpoint, its parameters, and the codecs of values that are not strings, numbers or bigints. */
import type { IdCodec, WildcardCodec } from '../declaration/id-codec.ts';
import type { Operations } from './operations.ts';

/** The operations of an API, by the paths of its endpoints. */
export interface Client<Api> extends AnyClient<Api, false> {}

/**
 * A client with the codecs of all ids: its `create` resolves to ids of the types that the server declares.
 *
 * @example
 * ```ts
 * const addRex = (api: ClientWithIds<Api>): Promise<number> => api('/pet').create({ name: 'Rex', legs: 4 });
 * ```
 */
export interface ClientWithIds<Api> extends AnyClient<Api, true> {}

export interface AnyClient<Api, HasIds> {
  readonly ' types'?: readonly [api: Api, hasIds: HasIds];
  /** The operations of an endpoint whose items have ids. */
  <const Path extends PathsOf<Api>, Codec = undefined>(
    path: Path & PathWithId<EndpointAt<Api, Path>>,
    ...rest: PathArguments<EndpointAt<Api, Path>, IdCodecOption<EndpointAt<Api, Path>, Codec, HasIds>>
  ): Operations<EndpointAt<Api, Path>, Codec extends IdCodec<infer Id> ? Id : HasIds extends true ? IdAt<EndpointAt<Api, Path>> : string>;
  /** The operations of a singleton: an endpoint without `id`. */
  readonly one: <const Path extends PathsOf<Api>>(
    path: Path & PathWithoutId<SingletonAt<Api, Path>>, ...rest: PathArguments<SingletonAt<Api, Path>, { readonly id?: never }>
  ) => Operations<SingletonAt<Api, Path>>;
}

// The strings are the compiler's messages for a type that is not an API.
export type PathsOf<Api> = [Api] extends [never] ? 'write client<typeof api>(base), where api is the result of registerEndpoints'
  : 0 extends 1 & Api ? keyof Api
  : [Api] extends [void] ? 'give client the type of the result of registerEndpoints: registerEndpoint returns nothing'
  : [Api] extends [{ readonly registerEndpoints: unknown }]
    ? 'give client the type of the result of registerEndpoints, not of the server'
  : keyof Api;
export type EndpointAt<Api, Path> = Api[Path & keyof Api];
/** The singleton at a path, which may be beside items. */
export type SingletonAt<Api, Path> = 0 extends 1 & Api[Path & keyof Api] ? any
  : Api[Path & keyof Api] extends { readonly one: infer One } ? One : Api[Path & keyof Api];

// These read only the endpoint at the path: a union of all paths with ids would resolve the types of all endpoints.
export type PathWithId<Endpoint> = HasId<Endpoint> extends false ? WrongPath<'this endpoint has no id: call api.one(path)'> : unknown;
export type PathWithoutId<Endpoint> = HasId<Endpoint> extends true ? WrongPath<'this endpoint has an id: call api(path)'> : unknown;
/** `unknown` for an unknown path, which has its own message, and for an endpoint with a mistake. */
export type HasId<Endpoint> = [Endpoint] extends [never] ? unknown : 0 extends 1 & Endpoint ? unknown
  : Endpoint extends { readonly id: unknown } ? true : false;
// The compiler's message ends with the name of the property.
type WrongPath<Message extends string> = { readonly [Name in Message]: never };

/** The arguments after the path. An endpoint with a mistake accepts any. */
export type PathArguments<Endpoint, IdOption> = 0 extends 1 & Endpoint ? any[]
  : Endpoint extends { readonly params: infer Params }
    ? {} extends IdOption & ParamCodecsOption<Params>
      ? [params: ParamValues<Params>, codecs?: IdOption & ParamCodecsOption<Params>]
      : [params: ParamValues<Params>, codecs: IdOption & ParamCodecsOption<Params>]
    : {} extends IdOption ? [params?: NoParams, codecs?: IdOption] : [params: NoParams, codecs: IdOption];

type NoParams = { readonly [name: string]: never };
type ParamValues<Params> = { readonly [Name in keyof Params]: Parsed<Params[Name]> };
type Parsed<Codec> = Codec extends IdCodec<infer Id> ? Id : never;

/** The codecs of ids that are not plain strings, by path. */
export type IdsOf<Api> = {
  readonly [Path in keyof Api as Api[Path] extends { readonly id: IdCodec<string> & { readonly ' internal'?: never } } ? never
    : HasId<Api[Path]> extends true ? Path : never]: Api[Path] extends { readonly id: infer Own } ? SameCodec<Own> : never;
};
export type IdAt<Endpoint> = Endpoint extends { readonly id: infer Own } ? Parsed<Own> : never;

/** The codec of ids, if the client cannot format them. */
export type IdCodecOption<Endpoint, Codec, HasIds = false> = Endpoint extends { readonly id: infer Own }
  ? [NeedsCodec<Own>, HasIds] extends [true, false] ? { readonly id: Codec & SameCodec<Own> } : { readonly id?: Codec & SameCodec<Own> }
  : {};
type ParamCodecsOption<Params> = {} extends NeededCodecs<Params>
  ? { readonly params?: SameCodecs<Params> } : { readonly params: SameCodecs<Params> & NeededCodecs<Params> };
type SameCodecs<Params> = { readonly [Name in keyof Params]?: SameCodec<Params[Name]> };
// Not by `keyof`: what TypeScript 5 emits for `one` would not compile.
type NeededCodecs<Params> = {
  readonly [Name in keyof Params as NeedsCodec<Params[Name]> extends true ? Name : never]: SameCodec<Params[Name]>;
};

/** Whether the client cannot format a value with `String`: it is an object, or has several segments, which are escaped separately. */
type NeedsCodec<Codec> = Codec extends Wildcard ? true : [Parsed<Codec>] extends [string | number | bigint] ? false : true;
/** A codec for the same values. The server's own codec may depend on code of the server. */
type SameCodec<Codec> = Codec extends Wildcard ? WildcardCodec : IdCodec<Parsed<Codec>>;
type Wildcard = Pick<WildcardCodec, ' internal'>;
