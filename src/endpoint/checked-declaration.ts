/**
 * What the compiler checks of a declaration once it knows all of its types. A wrong operation, or a member that does not exist, has a text in
 * place of its type: the compiler's message ends with it.
 */
import type { ApiError } from '../errors/api-error.ts';
import type { ApiEndpoint, SubPath } from './declaration.ts';
import type { DefinedEndpoint } from './defined-endpoint.ts';
import type { IdCodec } from './id-codec.ts';
import type { InterceptedCall, Interceptors } from './interceptor.ts';
import type { FindingKinds, KindsWith, RowOf } from './kinds.ts';
import type { Admitted, Has, HeadersIn, IdOf, OperationOptions, ParamsOf, UsedBy } from './operation-forms.ts';
import type { FoundFault, IdFault, JsonFault, MissingResult, NothingFault, ResultFault } from './operation-results.ts';
import type { Reply } from './reply.ts';
import type { ApiRequest } from './request.ts';

type Members = keyof ApiEndpoint<any, any>;
type ReadMembers = keyof OperationOptions | 'run' | 'query' | 'context';
type LongMembers = ReadMembers | 'input';
type MembersOf<Member> = RowOf<Member> extends { readonly decoder: undefined } ? ReadMembers : LongMembers;
/** The members of an endpoint that are objects of operations by name. */
type NamedMembers = KindsWith<{ readonly suffix: `${string}<name>` }>;
type PlainMembers = Exclude<KindsWith<unknown>, NamedMembers>;
type MembersOnItem = KindsWith<{ readonly suffix: `/:id${string}` }>;
type SchemaMembers = KindsWith<{ readonly decoder: 'schema' }>;

/**
 * An endpoint as it has to be: anything if nothing is wrong, and else the texts.
 *
 * In a generic function of a host the compiler does not know yet whether there are faults. Then it can decide only that the two conditions on
 * them are related, since it compares their parts. So the endpoint is accepted there.
 */
export type CheckedDeclaration<Endpoint, Whole = Endpoint> =
  None<Suspicions<Endpoint, Whole>> extends None<Suspicions<Endpoint, Whole> & Never<Suspicions<Endpoint, Whole>>> ? unknown : RejectedDeclaration<Endpoint, Whole>;

type None<Type> = [Type] extends [never] ? true : false;
type Never<Type> = Type extends unknown ? never : never;

// ---- Whether there can be a fault, for all operations at once. It finds each fault, and may find more.

// The kinds by what their results mean, and by whether they have a body.
type JsonReads = Exclude<KindsWith<{ readonly result: 'json'; readonly decoder: undefined }>, FindingKinds>;
type JsonWrites = Exclude<KindsWith<{ readonly result: 'json'; readonly decoder: 'input' | 'schema' }>, NamedMembers>;
type NamedOfAll = KindsWith<{ readonly suffix: '/<name>' }>;
type NamedOfItem = KindsWith<{ readonly suffix: '/:id/<name>' }>;
type Writes = KindsWith<{ readonly result: 'nothing'; readonly decoder: 'input' | 'schema' }>;
type Removes = KindsWith<{ readonly result: 'nothing'; readonly decoder: undefined }>;
type Creates = KindsWith<{ readonly result: 'id' }>;

/** Stands for what has to be looked at more closely. No operation can return it. */
type Unclear = symbol;

type At<Endpoint, Name> = Endpoint[keyof Endpoint & Name];
type EachOf<Named> = Named extends object ? Named[keyof Named] : never;

type Suspicions<Endpoint, Whole> = keyof Endpoint | (keyof Whole & 'use') extends Exclude<Members, 'scopes' | 'use'>
  ? JsonFault<
      | ReadResult<At<Endpoint, JsonReads>> | NamedResult<At<Endpoint, JsonWrites> | EachOf<At<Endpoint, NamedOfAll>>>
      | ItemResult<EachOf<At<Endpoint, NamedOfItem>>>
    >
    | FoundFault<Endpoint, ReadResult<At<Endpoint, FindingKinds>>>
    | NothingFault<WriteResult<At<Endpoint, Writes>> | ReadResult<At<Endpoint, Removes>>>
    | IdFault<Endpoint, WriteResult<At<Endpoint, Creates>>>
    | (Endpoint extends { readonly schema: unknown } ? never : At<Endpoint, SchemaMembers>)
    | (Endpoint extends WithWildcard ? At<Endpoint, NamedOfItem> : never)
    | ContextFault<Endpoint>
    | VersionFault<Endpoint> | RequiredFault<Endpoint>
  : Unclear;

// The members of a long form that say nothing about its result, its context or its scopes.
type CommonMembers = 'run' | 'input' | 'query' | 'lists' | 'headers' | 'optional' | 'errors' | 'limits' | 'summary' | 'description' | 'tags' | 'deprecated' | 'operationId' | 'tool';

type ReadResult<Form> = Form extends (...args: never) => infer Result ? Result
  : keyof Form extends Exclude<CommonMembers, 'input'> ? Form extends { readonly run: (...args: never) => infer Result } ? Result : Unclear
  : Unclear;
type WriteResult<Form> = Form extends (...args: never) => infer Result ? Result : LongResult<Form, never>;
type NamedResult<Form> = Form extends (...args: never) => infer Result ? Result : LongResult<Form, [request: ApiRequest<any, any, any>]>;
type ItemResult<Form> = Form extends (...args: never) => infer Result ? Result : LongResult<Form, [id: any, request: ApiRequest<any, any, any>]>;

/** `Arguments` are those without an input. */
type LongResult<Form, Arguments extends unknown[]> = keyof Form extends CommonMembers
  ? Form extends { readonly input: unknown; readonly run: (...args: never) => infer Result } ? Result
    : Form extends { readonly run: (...args: Arguments) => infer Result } ? [Arguments] extends [never] ? Unclear : Result : Unclear
  : Unclear;

// ---- The faults of each operation, as texts.

/** What is wrong with an operation; `never` if nothing is. It says nothing of a form that is not known, as that of an `ApiEndpoint`. */
type Fault<Whole, Member, Form> = undefined extends Form ? never
  : Form extends (...args: never) => infer Result
    ? SchemaFault<Whole, Member> | ResultFault<Whole, Member, {}, Result> | ScopesFault<Whole, {}> | UseFault<Whole, {}>
    : Form extends { readonly run: (...args: never) => infer Result }
      ? InputFault<Whole, Member, Form> | ResultFault<Whole, Member, Form, Result> | StringifyFault<Member, Form, Result>
        | ScopesFault<Whole, Form> | ContextFault<Form> | UseFault<Whole, Form> | ItemFault<Form, Awaited<Result>>
      : never;

type SchemaOf<Endpoint> = Endpoint extends { readonly schema: infer Schema } ? Schema : undefined;
type IdIn<Endpoint> = Endpoint extends { readonly id: IdCodec<infer Id> } ? Id : unknown;

/** An endpoint whose ids take all the segments that are left. */
interface WithWildcard { readonly id: { readonly ' tail': true } }

type SchemaFault<Whole, Member> = Member extends SchemaMembers
  ? Has<SchemaOf<Whole>> extends true ? never : `${Member} needs endpoint.schema or input`
  : never;

// A function that takes more than it gets.
type InputFault<Whole, Member, Form> = 'input' extends keyof Form ? never
  : RowOf<Member> extends { readonly decoder: undefined } ? never
  : Has<Member extends SchemaMembers ? SchemaOf<Whole> : undefined> extends true ? never
  : Form extends { readonly run: (...args: [...(Member extends MembersOnItem ? IdOf<IdIn<Whole>> : []), request: RequestFor<any, any, Whole, Form>]) => unknown } ? never
  : 'without input, run gets no body: declare input';

// A get of nothing is a 404, which is not written.
type StringifyFault<Member, Form, Result> = Form extends { readonly stringify: (result: infer Written) => string }
  ? [Exclude<Awaited<Result>, MissingResult<Member>>] extends [Written] ? never : 'stringify takes another type than run returns'
  : never;

type ContextFault<Form> = Form extends { readonly context: (...args: never) => infer Context } ? ContextResultFault<Awaited<Context>> : never;
type ContextResultFault<Context> = unknown extends Context ? never : Context extends ApiError | Reply<any, any> ? 'context gives an error or a reply: throw an ApiError' : never;

/** Scopes need a context that knows them. Those of the operation count, or else of the endpoint, and an empty list is none. */
type ScopesFault<Whole, Form> = ScopesOf<Form, ScopesOf<Whole, undefined>> extends readonly string[]
  ? ContextOf<Form, ContextOf<Whole, undefined>> extends { readonly ' scopes': unknown } ? never : 'scopes: the context here knows none, give it getScopes'
  : never;
/** The scopes that a context knows, in place of others. */
type CheckedScopes<Whole, Form> = Form extends { readonly scopes: readonly (infer Scope)[] }
  ? [Scope] extends [KnownScope<ContextOf<Form, ContextOf<Whole, undefined>>>] ? unknown
    : { readonly scopes: readonly KnownScope<ContextOf<Form, ContextOf<Whole, undefined>>>[] }
  : unknown;
type KnownScope<Context> = Context extends { readonly ' scope'?: infer Scope } ? unknown extends Scope ? string : Exclude<Scope, undefined> : string;

type ScopesOf<Form, Default> = Form extends { readonly scopes: infer Scopes } ? Scopes extends readonly never[] ? undefined : Scopes : Default;
type ContextOf<Form, Default> = Form extends { readonly context: infer Context } ? Context : Default;

/** The request of an operation, with what all of its interceptors add. */
type RequestFor<Context, Params, Whole, Form> = RequestWith<AddsFor<Whole, Form>, Context, Params, Form>;
type RequestWith<Adds, Context, Params, Form> = ApiRequest<Context, Params, any> & Adds & HeadersIn<Form>;
type AddsFor<Whole, Form> = UsedBy<Whole> & UsedBy<Form>;

/** A version that is never sent, or could not be asked for before a change. */
type VersionFault<Endpoint> = 'version' extends keyof Endpoint
  ? 'get' extends keyof Endpoint
    ? 'currentVersion' extends keyof Endpoint ? never
      : keyof Endpoint & Exclude<MembersOnItem, 'get'> extends never ? never
      : (keyof Endpoint & 'use') | (keyof At<Endpoint, 'get'> & ('query' | 'headers' | 'use' | 'scopes')) extends never ? never
      : 'version needs currentVersion: a change cannot ask a get that has query, headers, use or scopes'
    : 'version needs get'
  : never;
type RequiredFault<Endpoint> = 'requireIfMatch' extends keyof Endpoint
  ? keyof Endpoint & ('version' | 'currentVersion') extends never ? 'requireIfMatch needs version' : never
  : never;

/** Interceptors that add a name that every request has, or need a request that this one is not. */
type UseFault<Whole, Form> = 'use' extends keyof Whole | keyof Form ? UsedFault<Whole, Form, EachUsed<Whole> | EachUsed<Form>, AddsFor<Whole, Form>> : never;
type UsedFault<Whole, Form, Each, Adds> =
  | (keyof Adds & (keyof ApiRequest | 'headers') extends infer Names extends string ? `use: it adds request.${Names}, which every request has. Its types are Interceptor<Adds, Needs>` : never)
  | CallerFault<Each, ContextOf<Form, ContextOf<Whole, undefined>>>
  | NeedsFault<Each, RequestWith<Adds, ContextValue<ContextOf<Form, ContextOf<Whole, undefined>>>, ParamsOf<ParamsIn<Whole>>, Form>>;
type EachUsed<User> = User extends { readonly use: infer Use } ? Use extends readonly (infer Each)[] ? Each : Use : never;
type NeedsFault<Each, Request> = Each extends { readonly around: (call: InterceptedCall<infer Needs>, ...args: never) => unknown }
  ? [Request] extends [Needs] ? never : LackingFault<LackingIn<Request, Needs> & string>
  : never;
type LackingFault<Names extends string> = [Names] extends [never] ? 'use: it needs another request than this operation has'
  : `use: it needs request.${Names}, which is missing here or of another type`;
type LackingIn<Request, Needs> = {
  [Name in keyof Needs]: Name extends keyof Request
    ? [Request[Name]] extends [Needs[Name]] ? never : Name
    : {} extends Pick<Needs, Name> ? never : Name;
}[keyof Needs];

/** One that does not tell callers apart, where there are several. */
type CallerFault<Each, Context> = Each extends unknown
  ? ' anyone' extends keyof Each ? Context extends undefined ? never : 'idempotent: caller is required where there is a context' : never
  : never;

/** Pages whose cursor is of other items than the operation returns. */
type ItemFault<Form, Result> = EachUsed<Form> extends infer Each
  ? Each extends { readonly ' item'?: (item: infer Item) => void } ? CursorFault<Item, Exclude<Result, Reply<any>>> : never
  : never;
type CursorFault<Item, Result> = unknown extends Item ? never
  : Result extends readonly (infer Each)[] ? [Each] extends [Item] ? never : 'pages: cursor takes another item than the list gives' : never;

// An instance of a class may have members of its own. Unlike an object, it does not have the type of an index signature.
type OthersIn<Endpoint> = Endpoint extends Readonly<Record<string, unknown>> ? Exclude<keyof Endpoint, Members> : never;
// `as` keeps the compiler from inferring the type of an endpoint from this.
type RejectedDeclaration<Endpoint, Whole> = {
  readonly [Name in OthersIn<Endpoint> as Name]: `${Name & string} is not a member of an endpoint`;
} & {
  readonly [Member in keyof Endpoint & PlainMembers as Member]?: RejectedOperation<Fault<Whole, Member, Endpoint[Member]>, Endpoint[Member], MembersOf<Member>> & CheckedScopes<Whole, Endpoint[Member]>;
} & {
  readonly [Member in keyof Endpoint & NamedMembers as Member]?: [Whole, Member] extends [WithWildcard, NamedOfItem] ? 'an item has no operations with names where the id takes all segments' : {
    readonly [Name in keyof Endpoint[Member] as Name]?: RejectedOperation<Fault<Whole, Member, Endpoint[Member][Name]>, Endpoint[Member][Name], LongMembers>
      & CheckedScopes<Whole, Endpoint[Member][Name]>;
  };
} & CheckedScopes<Whole, Endpoint> & CheckedContext<Endpoint> & CheckedVersion<VersionFault<Whole>, RequiredFault<Endpoint>>;

/** A `context`, if there is one, as it has to be. */
export type CheckedContext<Endpoint> = Endpoint extends { readonly context: unknown } ? { readonly context: OrUnknown<ContextFault<Endpoint>> } : unknown;

type CheckedVersion<Version, Required> = [Version | Required] extends [never] ? unknown
  : { readonly version?: OrUnknown<Version>; readonly requireIfMatch?: [Required] extends [never] ? unknown : NoBoolean<Required & string> };
// No boolean is a text: the compiler would say `never`.
type NoBoolean<Text extends string> = { readonly [Name in Text]: never };

type OrUnknown<Fault> = [Fault] extends [never] ? unknown : Fault;

// Excess property checks refuse other members in a literal, but not in a variable. A function may have any members.
type RejectedOperation<Fault, Form, Known> = [Fault] extends [never]
  ? { readonly [Name in Exclude<keyof Form, Known> as Name]: Form extends (...args: never) => unknown ? unknown : `${Name & string} is not a member of this operation` }
  : Form extends { readonly run: unknown } ? { readonly run: Fault } : Fault;

// ---- Several endpoints, by sub-path.

/** Endpoints as they have to be at their sub-paths: `defineEndpoint` has checked each of them. `Scopes` and `Use` are those of all of them. */
export type CheckedEndpoints<Endpoints, Scopes, Use> = CheckedPaths<Endpoints>
  & (Scopes extends readonly never[] ? unknown : { readonly [Path in keyof Endpoints]: OrUnknown<SharedScopesFault<Endpoints[Path], Scopes>> })
  & (Interceptors extends Use ? unknown : { readonly [Path in keyof Endpoints]: OrUnknown<OperationUseFault<Endpoints[Path], { readonly use: Use }, FormsIn<Endpoints[Path]>>> });

type CheckedPaths<Endpoints> = {
  readonly [Path in keyof Endpoints]: [Endpoints[Path]] extends [DefinedEndpoint] ? SubPath<Path, ParamsIn<Endpoints[Path]>> extends Path ? unknown
    : SubPath<Path, ParamsIn<Endpoints[Path]>> : NotDefined;
};

// No object is a string: with a string here, the message about a function whose parameters have no types would say `never`.
interface NotDefined {
  readonly 'wrap each endpoint in defineEndpoint({ … })': never;
  readonly [other: string]: unknown;
}

type ParamsIn<Endpoint> = Endpoint extends { readonly params: infer Params } ? Params : {};
type ContextValue<Context> = Context extends (...args: never) => infer Value ? Admitted<Value> : undefined;

type SharedScopesFault<Endpoint, Scopes> = Endpoint extends { readonly scopes: unknown } ? never
  : OperationScopesFault<Endpoint & { readonly scopes: Scopes }, FormsIn<Endpoint>> | SharedScopeFault<Scopes, KnownScope<ContextOf<Endpoint, undefined>>>;
type SharedScopeFault<Scopes, Known> = Scopes extends readonly (infer Scope)[]
  ? [Scope] extends [Known] ? never : `scopes: the context here knows no ${Exclude<Scope, Known> & string}`
  : never;
type OperationScopesFault<Whole, Form> = Form extends unknown ? ScopesFault<Whole, Form> : never;

type OperationUseFault<Whole, User, Form> = Form extends unknown ? UsedFault<Whole, Form, EachUsed<User>, UsedBy<User>> : never;

/** All operations of an endpoint. */
type FormsIn<Endpoint> = At<Endpoint, PlainMembers> | EachOf<At<Endpoint, NamedMembers>>;
