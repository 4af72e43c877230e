/**
 * The mistakes that the compiler finds in a declaration once it knows all of its types. A message takes the place of the type of a wrong
 * property, so the compiler's error ends with the message. `tests/types/wrong-programs.md` has a program for each.
 *
 * A rule is a line of a table. Its name is what the rule is for, and its type is a message, or `never` where the declaration is right:
 *
 *   EndpointRules   the property of an endpoint that has the message
 *   OptionRules     the option of an operation that has the message
 *   ResultRules     the option of an operation with which the rule is asked. The message is at `run`
 *   PlainRules      how a kind sends its result, if no option changes that. The message is at `run`, or at the function
 *
 * Two types read the tables. `Mistakes` finds whether an endpoint may have a mistake, and only then `Messages` finds where it is: without
 * `Mistakes`, there would be a third more instantiations. So a new rule is a line of a table, and the type of its mistake below. Most
 * endpoints have no other options with rules than `query`, `input` and `run`. The rules of these stand in `CommonRules` too, which asks for
 * all operations at once. An operation with any other option that has a rule is `Undecided`: `Messages` decides.
 */
import type { ApiError } from '../errors/api-error.ts';
import type { Limited, SchemaInput, UsedBy } from './contract.ts';
import type { ApiEndpoint, PathMistake } from './declaration.ts';
import type { AnyDecoder, Decoded, EachDecoder, OutputDecoder } from './decoder.ts';
import type { DefinedEndpoint } from './defined-endpoint.ts';
import type { IdCodec } from './id-codec.ts';
import type { InterceptedCall, Interceptors, WithoutContext } from './interceptor.ts';
import type { FindingKinds, ItemKinds, KindsWith, NamedKinds, ReadingKinds, RowOf } from './kinds.ts';
import type { Admitted, HeadersIn, IdOf, ItemId, OperationOptions, ParamsOf, InterceptorAdds } from './operation-forms.ts';
import type { AcceptedBy, MissingResult } from './operation-results.ts';
import type { Created, Reply, ReturnedProblem, SuccessStatus } from './reply.ts';
import type { ApiRequest } from './request.ts';
import type { NamesWithoutJson, UnsendableNames } from './sendable-names.ts';
import type { SYNONYMS } from '../util/similar-name.ts';

type OptionNames = keyof OperationOptions | keyof OptionRules | 'run';

interface EndpointRules<Whole = any> {
  readonly context: ContextMistake<Whole>;
  readonly scopes: ScopesMistake<Whole, Whole>;
  readonly schema: DateMistake<OptionOf<Whole, 'schema'>>;
}

// A rule sees a literal only where `operation-forms` has literals for the option, as for `method`. A `summary: ''` is a `string` here.
interface OptionRules<Whole = any, Kind = any, Options = any> {
  readonly context: ContextMistake<Options>;
  readonly scopes: ScopesMistake<Whole, Options>;
  readonly query: QueryMistake<Options>;
  readonly headers: UnsendableMistake<OptionOf<Options, 'headers'>, 'headers are strings'>;
  readonly input: HasNoBody<Kind, Options> extends true ? NotAnOption<'input'> : DateMistake<OptionOf<Options, 'input'>>;
  readonly method: Kind extends NamedKinds ? never : NotAnOption<'method'>;
  readonly cache: CachingMistake<Kind, Options, 'cache'>;
  readonly etag: CachingMistake<Kind, Options, 'etag'>;
}

/** A function has no options: of these rules, it only has `use`, where its endpoint has that. An options object always has `run`. */
interface ResultRules<Whole = any, Kind = any, Options = any, Result = any> {
  readonly run: InputMistake<Whole, Kind, Options>;
  readonly output: OutputMistake<OptionOf<Options, 'output'>, Result> | CreatedMistake<Whole, Result>;
  readonly errors: ProblemMistake<Options, Result>;
  readonly responseHeaders: HeadersMistake<Kind, Options, Result>;
  readonly use: UseMistake<Whole, Options, Whole>;
}

interface PlainRules<Whole = any, Result = any> {
  readonly id: CreateMistake<Whole, Result>;
  readonly item: JsonMistake<Exclude<Result, undefined | null>> | UndefinedMistake<Whole, Result>;
  readonly json: JsonMistake<Result>;
  readonly nothing: UnsentMistake<Result, boolean | undefined | void> | NoFalseMistake<Result>;
}
type PlainRuleOf<Kind> = Kind extends FindingKinds ? 'item' : RowOf<Kind>['result'];
// Kinds with the same rule become a union.
type KindsByRule = { readonly [Kind in KindsWith<unknown> as PlainRuleOf<Kind>]: Kind };

type OptionOf<Options, Name> = Options[Name & keyof Options];
type NotAnOption<Name extends string> = `${Name} is not an option of this operation`;

// ---- Whether there is a mistake.

/**
 * `unknown` for an endpoint without a mistake, and else the messages at their properties. The parameter of `defineEndpoint` is an
 * intersection with it. `Whole` has also what the endpoint shares with others, by `endpointWith`.
 */
export type CheckedDeclaration<Endpoint, Whole = Endpoint> =
  IsNever<Mistakes<Endpoint, Whole>> extends AcceptedInGeneric<Mistakes<Endpoint, Whole>> ? unknown : Messages<Endpoint, Whole>;

type IsNever<Type> = [Type] extends [never] ? true : false;
/**
 * `true`, since `Never` is always `never`. But in a generic function of the user, where the compiler does not know the types yet, it cannot
 * tell this from `IsNever`, as it compares two conditional types part by part: it accepts the endpoint.
 */
type AcceptedInGeneric<Type> = IsNever<Type & Never<Type>>;
type Never<Type> = Type extends unknown ? never : never;

/** The mistakes of an endpoint. `Messages` decides one with `use`, its own or a shared one, and one with a name that it cannot have. */
type Mistakes<Endpoint, Whole> = keyof Endpoint | (keyof Whole & 'use') extends Exclude<keyof ApiEndpoint<any, any>, 'use'>
  ? EndpointRules<Whole>[keyof Endpoint & keyof EndpointRules] | CommonRules<Endpoint, Whole>[keyof CommonRules]
  : Undecided;

/** Stands for an operation that only `Messages` can decide. A symbol, since no operation can return one. */
type Undecided = symbol;
type UndecidedIf<Mistake> = Mistake extends string ? Undecided : never;

/** The rules of these options, for all operations at once: the plain rules alone take a fifth of the instantiations of `Messages`. */
interface CommonRules<Endpoint = any, Whole = any> {
  readonly query: QueryMistake<OperationsIn<Endpoint, KindsWith<unknown>>>;
  readonly input: UnusedInput<Endpoint[keyof Endpoint & UnnamedKindsWithoutBody]>;
  readonly run: SchemaMistake<Whole, keyof Endpoint>
    | { [Rule in keyof KindsByRule]: PlainRules<Whole, ResultsOf<Endpoint, KindsByRule[Rule]>>[Rule] }[keyof KindsByRule];
}
type DecidedOptions = keyof CommonRules | Exclude<OptionNames, keyof OptionRules | keyof ResultRules>;

type UnnamedKindsWithoutBody = Exclude<KindsWith<{ readonly decoder: undefined }>, NamedKinds>;
type UnusedInput<Declared> = Declared extends { readonly input: unknown } ? Undecided : never;

type OperationsIn<Endpoint, Kinds> =
  Endpoint[keyof Endpoint & Exclude<Kinds, NamedKinds>] | EachOf<Endpoint[keyof Endpoint & Kinds & NamedKinds]>;
type EachOf<Named> = Named extends object ? Named[keyof Named] : never;

type ResultsOf<Endpoint, Kinds> =
  | DecidedResult<OperationsIn<Endpoint, Kinds & ItemKinds>, [...IdOf<IdIn<Endpoint>>, request: ApiRequest<any, any, any>]>
  | DecidedResult<OperationsIn<Endpoint, Exclude<Kinds, ItemKinds>>, [request: ApiRequest<any, any, any>]>;
// Without `input`, `run` takes no more than `Arguments`, or `InputMistake` may find a mistake.
type DecidedResult<Declared, Arguments extends unknown[]> = Declared extends (...args: never) => infer Result
  ? ResultOrUndecided<KnownResult<Result>>
  : keyof Declared extends DecidedOptions
    ? Declared extends { readonly input: unknown; readonly run: (...args: never) => infer Result }
      ? ResultOrUndecided<KnownResult<Result>> | UndecidedIf<DateMistake<Declared['input']>>
      : Declared extends { readonly run: (...args: Arguments) => infer Result } ? ResultOrUndecided<KnownResult<Result>> : Undecided
  : Undecided;
// For each operation alone: in the results of all, the `false` of a neighbour would hide the mistake.
type ResultOrUndecided<Result> = Result | UndecidedIf<NoFalseMistake<Result>>;

/** The result that a promise has. Left out if it can be anything, such as `any`: in a union it would hide all others. */
type KnownResult<Result> = unknown extends Result ? never
  : Result extends { readonly then: unknown }
    ? Result extends Promise<infer Value> ? KnownResult<Value> : Limited<Awaited<Result>>
  : Result;

// ---- Where the mistakes are.

// `as` keeps the compiler from inferring the type of an endpoint from this.
type Messages<Endpoint, Whole> = {
  readonly [Name in UnknownProperties<Endpoint> as Name]:
    `${Name & string} is not a property of an endpoint${Name extends 'path' ? PathHint : Hint<Name, keyof ApiEndpoint<any, any>>}`;
} & {
  readonly [Kind in keyof Endpoint & KindsWith<unknown> as Kind]?: Kind extends NamedKinds
    ? { readonly [Name in keyof Endpoint[Kind] as Name]?: MistakeOrUnknown<OperationMessage<Whole, Kind, Endpoint[Kind][Name]>> }
    : MistakeOrUnknown<OperationMessage<Whole, Kind, Endpoint[Kind]>>;
} & EndpointMessages<Whole, keyof Endpoint>;
export type EndpointMessages<Whole, Names = keyof Whole> =
  MistakeOrUnknown<MessagesAt<Pick<EndpointRules<Whole>, Names & keyof EndpointRules>>>;

type MessagesAt<Rules> = [Rules[keyof Rules]] extends [never] ? never
  : { readonly [Name in keyof Rules as [Rules[Name]] extends [never] ? never : Name]-?: Rules[Name] };
type MistakeOrUnknown<Mistake> = [Mistake] extends [never] ? unknown : Mistake;

// Nothing is known of an operation that may be missing, as in the type `ApiEndpoint`.
type OperationMessage<Whole, Kind, Declared> = undefined extends Declared ? never
  : Declared extends (...args: never) => infer Result
    ? SchemaMistake<Whole, Kind> | ResultMistake<Whole, Kind, {}, KnownResult<Result>>
  : Declared extends { readonly run: (...args: never) => infer Result } ? MessagesAt<{
    readonly [Name in keyof Declared]-?: Name extends 'run' ? ResultMistake<Whole, Kind, Declared, KnownResult<Result>>
      : Name extends keyof OptionRules ? OptionRules<Whole, Kind, Declared>[Name]
      : Name extends OptionNames ? never : `${NotAnOption<Name & string>}${Hint<Name, OptionNames>}`;
  }> : never;
type ResultMistake<Whole, Kind, Options, Result> =
  | PlainMistake<Whole, Kind, Options, Result>
  | ResultRules<Whole, Kind, Options, Result>[(keyof Options | (keyof Whole & 'use')) & keyof ResultRules];

// An instance of a class may have properties of its own. Unlike the type of an object literal, its type is not assignable to an index
// signature.
type UnknownProperties<Endpoint> = Endpoint extends Readonly<Record<string, unknown>>
  ? Exclude<keyof Endpoint, keyof ApiEndpoint<any, any>> : never;

type PathHint = ": its path is its key in registerEndpoints({ '/pet': … })";
/** The name that was probably meant: the word for it here, or with a letter more, less or different, or with two that are swapped. */
export type Hint<Name, Names> = [Similar<Name, Names>] extends [never] ? '' : `: did you mean ${Similar<Name, Names>}?`;
type Synonyms = typeof SYNONYMS;
type Similar<Name, Each> = Lowercase<Name & string> extends infer Word extends keyof Synonyms ? Synonyms[Word] & Each
  : Each extends string ? IsSimilar<`${Lowercase<Name & string>} `, `${Lowercase<Each>} `> extends true ? Each : never : never;
type IsSimilar<A, B> = [A, B] extends [`${infer First}${infer Rest}`, `${infer Other}${infer Others}`]
  ? First extends Other ? IsSimilar<Rest, Others> : Rest extends B | Others ? true : A extends Others ? true
    : [Rest, Others] extends [`${Other}${infer Last}`, `${First}${infer Same}`] ? [Last] extends [Same] ? true : false : false
  : true;

// ---- Options.

/** Whether it takes no body: by its kind, or by the method of a named operation. */
type HasNoBody<Kind, Declared> = RowOf<Kind> extends { readonly decoder: undefined } ? true
  : Declared extends { readonly method: 'GET' } ? true : false;

// The type of a whole declaration, such as `ApiEndpoint`, only says that it may have the option.
type CachingMistake<Kind, Options, Name extends string> = Kind extends ReadingKinds ? never
  : Options extends { readonly method: 'GET' } ? never : undefined extends OptionOf<Options, Name> ? never : NotAnOption<Name>;

// ---- Bodies.

type SchemaMistake<Whole, Kind> = Whole extends { readonly schema: unknown } ? never
  : Kind extends KindsWith<{ readonly decoder: 'schema' }> ? `${Kind} needs endpoint.schema or input` : never;

// A format decides itself what its body can have.
type DateMistake<Decoder> = unknown extends SchemaInput<Decoder> ? never : Decoder extends { readonly ' internal': unknown } ? never
  : `JSON has no value for ${NamesWithoutJson<SchemaInput<Decoder>>}: decode a string, as z.coerce.date() and z.coerce.bigint() do`;

// A function with more parameters than arguments.
type InputMistake<Whole, Kind, Options> = 'input' extends keyof Options ? never
  : RowOf<Kind> extends { readonly decoder: undefined } ? never
  : [RowOf<Kind>, Whole] extends [{ readonly decoder: 'schema' }, { readonly schema: AnyDecoder }] ? never
  : Options extends {
    readonly run: (...args: [...IdOf<ItemId<Kind, IdIn<Whole>>>, request: InterceptedRequest<any, any, Whole, Options>]) => unknown;
  } ? never
  : 'without input, run gets no body: declare input';

type IdIn<Endpoint> = Endpoint extends { readonly id: IdCodec<infer Id> } ? Id : unknown;

/** The request of an operation, with the properties that the interceptors in `User` and in `Options` add. */
type InterceptedRequest<Context, Params, User, Options> =
  ApiRequest<Context, Params, any> & InterceptorAdds<User> & InterceptorAdds<Options> & HeadersIn<Options>;

// ---- Queries and headers.

type QueryMistake<Options> = Options extends { readonly query: infer Decoder }
  ? UnsendableMistake<Decoder, 'a query has strings and lists of strings'> : never;
// As elsewhere here, a message about a name needs no condition: with `never` for the name, it is `never` itself.
type UnsendableMistake<Decoder, Rule extends string> =
  `${Rule}: ${UnsendableNames<SchemaInput<Decoder>>} accepts none. Convert the string, as z.coerce does`;

// ---- Contexts.

// A function or a class, such as one of `restpoint/auth` that was not called.
type ContextMistake<Options> = OptionOf<Options, 'context'> extends (...args: never) => infer Result
  ? [Extract<KnownResult<Result>, ((...args: never) => unknown) | (abstract new (...args: never) => unknown)>] extends [never] ? never
    : 'a function is not a caller: write context: signedIn, not context: () => signedIn'
  : never;

// ---- Interceptors and scopes.

/** An interceptor of an object `User` that needs a different request than the operation has. */
type UseMistake<Whole, Options, User> = NeedsMistake<
  UsedBy<User> | UsedBy<Options>,
  InterceptedRequest<Admitted<DeclaredContext<Options, DeclaredContext<Whole, undefined>>>, ParamsOf<ParamCodecsIn<Whole>>, User, Options>
>;
type NeedsMistake<Each, Request> = Each extends { readonly around: (call: InterceptedCall<infer Needs>, ...args: never) => unknown }
  ? [Request] extends [Needs] ? never : [Needs] extends [WithoutContext] ? NeedsCaller : MissingMistake<Missing<Request, Needs>>
  : never;
type NeedsCaller = 'beside a context, idempotent needs caller: ({ context }: ApiRequest<User>) => context.id';
type MissingMistake<Name> = [Name] extends [never] ? 'use needs a different request than this operation has'
  : `use needs request.${Name & string}, which is missing here or has a different type`;
type Missing<Request, Needs> = {
  [Name in keyof Needs]: Name extends keyof Request
    ? [Request[Name]] extends [Needs[Name]] ? never : Name
    : {} extends Pick<Needs, Name> ? never : Name;
}[keyof Needs];

type ParamCodecsIn<Endpoint> = Endpoint extends { readonly params: infer Params } ? Params : {};
type DeclaredContext<Options, Default> = Options extends { readonly context: infer Context } ? Context : Default;

type ScopesMistake<Whole, Options> = Options extends { readonly scopes: readonly (infer Scope)[] }
  ? UnknownScope<Exclude<Scope, KnownScope<DeclaredContext<Options, DeclaredContext<Whole, undefined>>>>> : never;
type UnknownScope<Scope> = `getScopes never returns the scope ${Scope & string}`;
type KnownScope<Context> = Context extends { readonly ' types'?: { readonly scope: infer Scope } }
  ? unknown extends Scope ? string : Exclude<Scope, undefined> : string;

// ---- Results.

// `output` decides itself what it takes.
type PlainMistake<Whole, Kind, Options, Result> = 'output' extends keyof Options ? never : PlainRules<Whole, Result>[PlainRuleOf<Kind>];

type CreateMistake<Whole, Result> = CreatedMistake<Whole, Result> | (Whole extends { readonly id: IdCodec<infer Id> }
  ? UnsentMistake<Result, Id, 'create returns the id: for a body, declare output, or return created(id, body)'>
  : UnsentMistake<Result, undefined | void>);

/** A reply with a status that a map of outputs does not have. */
type OutputMistake<Output, Result> = Output extends OutputDecoder ? never
  : Result extends Reply<any, infer Status> ? `output lacks the status ${Exclude<Extract<Status, SuccessStatus>, keyof Output>}` : never;

/** An error that is returned, and that `errors` does not declare. */
type ProblemMistake<Options, Result> = Options extends { readonly errors: infer Errors }
  ? Result extends ReturnedProblem<infer Extensions, infer Status, infer Type> ? UndeclaredMistake<Errors, Extensions, Status, Type> : never
  : never;
type UndeclaredMistake<Errors, Extensions, Status extends number, Type> = Status extends keyof Errors
  ? [EachDecoder<Errors[Status]>] extends [AnyDecoder]
    ? [Extensions & ProblemNames<Status, Type>] extends [DeclaredOutput<EachDecoder<Errors[Status]>>] ? never
      : `the extensions of problem(${Status}) do not match errors`
    : never
  : number extends Status ? never : `errors lacks the status ${Status}`;
/** The properties of RFC 9457, which a schema can name. */
type ProblemNames<Status, Type> =
  { readonly type: Type; readonly status: Status } & Readonly<Record<'title' | 'detail' | 'instance', string>>;
type DeclaredOutput<Decoder> = Decoder extends AnyDecoder
  ? unknown extends AcceptedBy<Decoder> ? Decoded<Decoder> : AcceptedBy<Decoder> : never;

/** A success without the headers that `responseHeaders` declares. */
type HeadersMistake<Kind, Options, Result> = Options extends { readonly responseHeaders: infer Headers }
  ? Result extends MissingResult<Kind> ? never
  : Result extends Reply<any, infer Status, infer Given>
    ? `${Status}` extends `2${string}` ? HeaderMistake<Headers, Given> : never
  : HeaderMistake<Headers, {}> : never;
type HeaderMistake<Headers, Given> = {
  [Name in keyof Headers]: [Name extends keyof Given ? Given[Name] : undefined] extends [DeclaredOutput<Headers[Name]>] ? never
    : `the header ${Name & string} is missing or has a different type: reply(200, body, { '${Name & string}': value })`;
}[keyof Headers];

type CreatedMistake<Whole, Result> = Result extends Created<infer Own, any>
  ? [Own] extends [IdIn<Whole>] ? never : 'created() has a different type of id than the endpoint' : never;

// If `undefined` is allowed, the compiler infers it as the result of a function without `return`.
type UndefinedMistake<Whole, Result> = [Result] extends [never] ? never
  : [Result, Whole] extends [undefined, { readonly schema: unknown }] ? 'get returns only undefined: is a return missing?' : never;

/** A result of a different type than expected, where no result is sent. */
type UnsentMistake<Result, Expected, Message = 'this result is not sent: return nothing, or declare output'> =
  Result extends Expected | Reply<any, any> ? never : IsThrown<Result> extends true ? ErrorReturned : Message;

/** A result that is `true` or `undefined`, and never `false`. */
type NoFalseMistake<Result> = true | undefined extends Result
  ? false extends Result ? never : 'for a missing item return false, which is 404: undefined is 204' : never;

type ErrorReturned = 'the result is an error: throw it, or return problem(status)';
/** Whether a value is an error, and not an object that merely has a name and a message. */
type IsThrown<Value> = Value extends ApiError ? true : Value extends Error ? 'cause' | 'stack' extends keyof Value ? true : false : false;

type JsonMistake<Result> = Result extends string | number | boolean | null ? never
  : Result extends readonly unknown[] ? LostPart<Result, number, []>
  : Result extends Reply<any, any> ? never
  : Result extends undefined | void ? 'return a value, or reply(204)'
  : Lost<Result>;

/** The parts of a value that JSON would lose or change, up to four levels deep. `any` and `unknown` can be anything. */
type Lost<Value, Depth extends 0[] = []> = Depth['length'] extends 4 ? never
  : unknown extends Value ? never
  : Value extends string | number | boolean | null | undefined ? never
  : Value extends readonly unknown[] ? LostPart<Value, number, [0, ...Depth]>
  : Value extends Changed ? ChangedMistake<Value, Depth>
  : LostPart<Value, keyof Value & (string | number), [0, ...Depth]>;

// All parts at once, unless one of them can be anything and so would hide the others.
type LostPart<Value, Names extends keyof Value, Depth extends 0[]> = unknown extends Value[Names]
  ? { [Name in keyof Value]-?: Lost<Value[Name], Depth> }[Names] : Lost<Value[Names], Depth>;

// Values that JSON does not write property by property. One condition for all of them, since most values are not.
type Changed = Error | bigint | symbol | { toJSON(...args: never): unknown } | ((...args: never) => unknown) | PromiseLike<unknown>
  | ReadonlyMap<any, any> | ReadonlySet<any> | Iterating;
interface Iterating { next(...args: never): { readonly value: unknown } }

type ChangedMistake<Value, Depth extends 0[]> = Value extends bigint ? 'JSON has no bigint: return a string'
  : Value extends { toJSON(...args: never): infer Json } ? Lost<Json, [0, ...Depth]>
  : Value extends Error ? IsThrown<Value> extends true ? ErrorReturned : LostPart<Value, keyof Value & (string | number), [0, ...Depth]>
  : Value extends symbol | ((...args: never) => unknown) ? 'JSON leaves out functions and symbols'
  : Value extends PromiseLike<unknown> ? 'a promise becomes {} in JSON: await it'
  : Value extends Iterating ? 'an iterator becomes {} in JSON: return a list, [...items]'
  : 'a Map or a Set becomes {} in JSON: return an object or a list';

// ---- Several endpoints, by sub-path.

/** The mistakes of several endpoints at their sub-paths, with the options of all of them. `defineEndpoint` has checked each of them. */
export type CheckedEndpoints<Endpoints, Scopes, Use> = Endpoints extends string
  ? Wrong<'for one endpoint, write registerEndpoint(path, endpoint)'> : {
  readonly [Path in keyof Endpoints]: [Endpoints[Path]] extends [DefinedEndpoint] ? MistakeOrUnknown<
    | PathMistake<Path, ParamCodecsIn<Endpoints[Path]>>
    | ([Scopes] extends [readonly []] ? never : Endpoints[Path] extends { readonly scopes: unknown } ? never
      : ScopesMistake<Endpoints[Path], { readonly scopes: Scopes }>)
    | (Interceptors extends Use ? never
      : SharedUseMistake<Endpoints[Path], { readonly use: Use }, OperationsIn<Endpoints[Path], KindsWith<unknown>>>)
  > : NotDefined;
};
type SharedUseMistake<Endpoint, User, Declared> = Declared extends unknown ? UseMistake<Endpoint, Omit<Declared, 'use'>, User> : never;

// An object, since the intersection of two strings would be `never` in the message.
interface Wrong<Message> { readonly ' message': Message }

// An object, since no object is assignable to it. With a string here, the message about a function with untyped parameters would say
// `never`.
interface NotDefined {
  readonly 'wrap each endpoint in defineEndpoint({ … })': never;
  readonly [other: string]: unknown;
}
