/** Where an endpoint is: a path of the API, its parameters, and codecs for what is no text, number or bigint. */
import type { IdCodec, WildcardCodec } from '../endpoint/id-codec.ts';
import type { Operations } from './operations.ts';

/** The operations of an API, by the paths of its endpoints. */
export interface Client<Api> {
  /** The operations of an endpoint whose items have ids. */
  <const Path extends PathsOf<Api>, Codec = undefined>(
    path: Path & WithId<EndpointAt<Api, Path>>, ...place: PlaceOf<EndpointAt<Api, Path>, IdNeed<EndpointAt<Api, Path>, Codec>>
  ): Operations<EndpointAt<Api, Path>, Made<Codec>>;
  /** The operations of a singleton: an endpoint without `id`. */
  readonly one: <const Path extends PathsOf<Api>>(path: Path & WithoutId<EndpointAt<Api, Path>>, ...place: PlaceOf<EndpointAt<Api, Path>, NoId>) => Operations<EndpointAt<Api, Path>>;
}

// The strings are for a client of another type.
type PathsOf<Api> = [Api] extends [never] ? 'write client<typeof api>(base), with what registerEndpoints returned as api'
  : 0 extends 1 & Api ? keyof Api
  : [Api] extends [{ readonly registerEndpoints: unknown }] ? 'give client the type of what registerEndpoints returned, and not that of the server'
  : keyof Api;
type EndpointAt<Api, Path> = Api[Path & keyof Api];

// Only the endpoint at the path is looked at: a union of all paths that have ids would need the types of all endpoints.
type WithId<Endpoint> = [Endpoint] extends [never] ? unknown : 0 extends 1 & Endpoint ? unknown : Endpoint extends { readonly id: unknown } ? unknown : NoPath<'this endpoint has no id: call api.one(path)'>;
type WithoutId<Endpoint> = [Endpoint] extends [never] ? unknown : 0 extends 1 & Endpoint ? unknown : Endpoint extends { readonly id: unknown } ? NoPath<'this endpoint has an id: call api(path)'> : unknown;
// The compiler's message ends with the text.
type NoPath<Text extends string> = { readonly [Name in Text]: never };

/** What a plain Create gives: the id as text, unless its codec is there. */
type Made<Codec> = Codec extends IdCodec<infer Id> ? Id : string;

type Texts = string | number | bigint;
type ParsedBy<Codec> = Codec extends IdCodec<infer Id> ? Id : never;
/** Whether the text of what a codec parses is not the value's own. Of several segments, each is written apart. */
type NeedsCodec<Codec> = Codec extends Wildcard ? true : [ParsedBy<Codec>] extends [Texts] ? false : true;
type Wildcard = Pick<WildcardCodec, ' tail'>;
/** A client may have another codec of the same type: the server's may know more. */
type Like<Codec> = Codec extends Wildcard ? WildcardCodec : IdCodec<ParsedBy<Codec>>;

type IdNeed<Endpoint, Codec> = Endpoint extends { readonly id: infer Own }
  ? NeedsCodec<Own> extends true ? { readonly id: Codec & Like<Own> } : { readonly id?: Codec & Like<Own> }
  : {};

// Of an endpoint with a mistake nothing is known.
type PlaceOf<Endpoint, Id> = 0 extends 1 & Endpoint ? any[] : Endpoint extends { readonly params: infer Params }
  ? {} extends Id & ParamsNeed<Params>
    ? [params: Values<Params>, codecs?: Id & ParamsNeed<Params>]
    : [params: Values<Params>, codecs: Id & ParamsNeed<Params>]
  : {} extends Id ? [params?: NoParams, codecs?: Id] : [params: NoParams, codecs: Id];

type NoId = { readonly id?: never };
type NoParams = { readonly [name: string]: never };
type Values<Params> = { readonly [Name in keyof Params]: ParsedBy<Params[Name]> };
type NeedingCodecs<Params> = { [Name in keyof Params]: NeedsCodec<Params[Name]> extends true ? Name : never }[keyof Params];
type ParamsNeed<Params> = [NeedingCodecs<Params>] extends [never]
  ? { readonly params?: { readonly [Name in keyof Params]?: Like<Params[Name]> } }
  : { readonly params: CodecsOf<Params> };
type CodecsOf<Params> =
  & { readonly [Name in NeedingCodecs<Params>]: Like<Params[Name]> }
  & { readonly [Name in Exclude<keyof Params, NeedingCodecs<Params>>]?: Like<Params[Name]> };
