/** The operations of an endpoint as functions, by its contract. */
import type { EndpointContract, FailureStatus } from '../declaration/contract.ts';
import type { DefinedEndpoint } from '../declaration/defined-endpoint.ts';
import type { IdCodec, WildcardCodec } from '../declaration/id-codec.ts';
import type { ConditionalKinds, ItemKinds, KindsWith, NamedKinds, OperationKind, ReadingKinds } from '../declaration/kinds.ts';
import type { SuccessStatus } from '../declaration/reply.ts';
import { makeCall } from './call.ts';
import type {
  ClientOptions, EachOptions, IdempotencyKey, IfMatch, LastEvent, OptionalQuery, QueryParameters, RequestOptions, RequiredIdempotencyKey,
  RequiredIfMatch, RequiredQuery,
} from './options.ts';
import type { ClientProblem } from './problem-error.ts';
import { hasBody, send, type SendOptions } from './request.ts';
import { each, edit, type ListPage, page } from './sequences.ts';
import { escapeSegment, formatQuery, formatSegment } from './url.ts';

type GivenOptions = SendOptions & { readonly query?: QueryParameters };

/** What `wait` and `restpoint/queries`, which only the programs that import them load, read of the calls of an endpoint. */
export interface CallsInternals {
  readonly url: string;
  readonly options: ClientOptions;
  readonly hasId: boolean;
  readonly makeUrl: (isOnItem?: boolean, item?: unknown) => string;
  readonly formatQuery: typeof formatQuery;
}

/** Makes all operations, since at run time it is not known which are declared. */
export function makeOperations(url: string, hasId: boolean, id: IdCodec<any> | undefined, options: ClientOptions): object {
  const makeUrl = (isOnItem?: boolean, item?: unknown, suffix = ''): string => {
    const below = (isOnItem ? formatSegment(item, id) : '') + suffix;
    // The slash at the end of a path is only of the endpoint itself.
    return (below ? url.replace(/\/$/, '') + below : url) || '/';
  };
  const call = (method: string, isOnItem?: boolean, suffix = '') => (...args: unknown[]): object => {
    const item = isOnItem && args.shift();
    const body = hasBody(method) ? args.shift() : undefined;
    const [callOptions = {}] = args as [GivenOptions?];
    const makeRequest = () => ({
      method,
      url: makeUrl(isOnItem, item, suffix) + formatQuery(callOptions.query),
      body,
      // For the id of a new item, which only an operation of the collection makes.
      codec: isOnItem || suffix ? undefined : id,
    });
    return makeCall(method, makeRequest, callOptions, options);
  };
  const readWith = (read: typeof each | typeof page) => (callOptions: GivenOptions = {}): object => {
    return read(makeUrl() + formatQuery(callOptions.query), (request) => send(request, callOptions, options));
  };
  return {
    ' internal': { url, options, hasId, makeUrl, formatQuery } satisfies CallsInternals,
    list: call('GET'),
    create: call('POST'),
    get: call('GET', hasId),
    update: call('PUT', hasId),
    patch: call('PATCH', hasId),
    delete: call('DELETE', hasId),
    custom: makeNamed(call),
    itemCustom: makeNamed(call, hasId),
    each: readWith(each),
    page: readWith(page),
    edit: async (...args: unknown[]) => {
      return edit(makeUrl(hasId, hasId && args.shift()), options, ...args as [change: (value: unknown) => unknown, call?: GivenOptions]);
    },
  } satisfies Record<OperationKind['name'] | 'each' | 'page' | 'edit' | ' internal', object>;
}

/** Operations by name, each with the function of its read: at run time its method is not known either. */
function makeNamed(call: (method: string, isOnItem: boolean | undefined, suffix: string) => object, isOnItem?: boolean): object {
  return new Proxy({}, {
    // JavaScript itself calls some methods, which must not send a request: `await` calls `then`, and `JSON.stringify` calls `toJSON`.
    // Without `toPrimitive`, a conversion to a string would call an operation `toString`.
    get: (_, name) => (name === Symbol.toPrimitive ? () => ''
      : typeof name === 'symbol' || name === 'then' || name === 'toJSON' ? undefined
      : Object.assign(call('POST', isOnItem, escapeSegment(name)), {
        get: call('GET', isOnItem, escapeSegment(name)),
      })),
  });
}

/**
 * The operations that an endpoint declares, each with the id, the body and the options that it takes; `each` and `page` for a list, and
 * `edit` if there are both `get` and `update`. `Made` is the result of a Create without an `output`.
 */
export type Operations<Endpoint, Made = string> = ContractOf<Endpoint> extends infer Own
  ? 0 extends 1 & Own ? any
    : Own extends { readonly id: IdCodec<infer Id> }
      ? EndpointCalls<Own, [id: Own['id'] extends WildcardCodec ? Id : Id | Made], Made>
      : EndpointCalls<Own, [], undefined>
  : never;

/** The type of an API has contracts. A type that is written by hand may have results of `defineEndpoint`. */
export type WholeContract<Endpoint> = Endpoint extends DefinedEndpoint ? EndpointContract<Endpoint> : Endpoint;
/** Of items beside a singleton, the items. */
export type ContractOf<Endpoint> = 0 extends 1 & Endpoint ? any : ItemsOf<WholeContract<Endpoint>>;
type ItemsOf<Contract> = Contract extends { readonly id: unknown } ? Contract
  : Contract extends { readonly one: infer One } ? One : Contract;

/**
 * The calls of an endpoint, one for each operation of its contract. Its kind says what comes before the options (`KindCall`), its contract
 * what the options and the results are (`Options`, `Returned`). `Endpoint` is this contract. `Id` is the parameter of the id:
 * `[id: number]`, or `[]` for a singleton.
 */
// Type literals: what a program exports could not name an interface. Not one mapped type: editors show no docstrings of its properties.
type EndpointCalls<Endpoint, Id extends unknown[], Made> =
  & ('create' extends keyof Endpoint ? {
    /**
     * `POST` of a new item. Resolves to its id: as a string, or as the codec parses it if one was given. With `output`, it resolves to the
     * item:
     *
     *   const id = await pets.create({ name: 'Rex', legs: 4 });
     *
     * The id of a singleton is `undefined`. Rejects with `ProblemError` if the response is not a success, as all calls do.
     */
    readonly create: KindCall<'create', Id, Endpoint['create'], Made>;
  } : unknown)
  & ('list' extends keyof Endpoint ? {
    /** `GET` of the list: `await pets.list({ query: { legs: 4 } })`. Only one page, if the list has pages: `each` has all of them. */
    readonly list: KindCall<'list', Id, Endpoint['list'], Made>;
  } : unknown)
  & ('get' extends keyof Endpoint ? {
    /**
     * `GET` of an item by its id: `await pets.get(1)`; of a singleton: `await hours.get()`. `{ safe: true }` gives the status in place of
     * rejecting:
     *
     *   const found = await pets.get(1, { safe: true });
     *   if (found.ok) show(found.value, found.etag);
     */
    readonly get: KindCall<'get', Id, Endpoint['get'], Made>;
  } : unknown)
  & ('update' extends keyof Endpoint ? {
    /**
     * `PUT` of a whole item: `await pets.update(1, pet, { ifMatch })`; of a singleton without the id. `edit` does it without lost updates.
     */
    readonly update: KindCall<'update', Id, Endpoint['update'], Made>;
  } : unknown)
  & ('patch' extends keyof Endpoint ? {
    /** `PATCH` of a part of an item: `await pets.patch(1, { legs: 3 })`; of a singleton without the id. */
    readonly patch: KindCall<'patch', Id, Endpoint['patch'], Made>;
  } : unknown)
  & ('delete' extends keyof Endpoint ? {
    /** `DELETE` of an item by its id: `await pets.delete(1)`; of a singleton without it. */
    readonly delete: KindCall<'delete', Id, Endpoint['delete'], Made>;
  } : unknown)
  & ('custom' extends keyof Endpoint ? {
    /**
     * Operations by name: `await pets.custom.count()`. A named read has its method: `await pets.custom.nearest.get({ query: { city } })`.
     */
    readonly custom: NamedCalls<'custom', Id, Endpoint['custom'], Made>;
  } : unknown)
  & ('itemCustom' extends keyof Endpoint ? {
    /**
     * `POST` of an operation of an item: `await pets.itemCustom.feed(1, { grams: 20 })`. A named read has its method:
     * `pets.itemCustom.visits.get(1)`.
     */
    readonly itemCustom: NamedCalls<'itemCustom', Id, Endpoint['itemCustom'], Made>;
  } : unknown)
  & (Endpoint extends { readonly list: infer List } ? [StreamIn<ValueOf<List, never>>] extends [never] ? {
    /**
     * The items of the list, page after page: it follows `Link` with `rel="next"`, or `next` of an envelope, to the same origin. Each page
     * is asked for when the items before it are used; `timeoutMs` is for each.
     */
    readonly each: (options?: EachOptions<QueryIn<List>>) => AsyncIterable<ItemOf<ValueOf<List, never>>>;
    /**
     * One page of the list, and `next`, the query of the next page as strings:
     *
     *   const { items, next } = await pets.page({ query: { limit: 20 } });
     *   const more = next && await pets.page({ query: next });
     *
     * Only the query of a link is used: `each` follows pages that differ by their paths.
     */
    readonly page: (options?: EachOptions<QueryIn<List>>) => Promise<ListPage<ItemOf<ValueOf<List, never>>, QueryIn<List>>>;
  } : unknown : unknown)
  & (Endpoint extends { readonly get: infer Get; readonly update: infer Update } ? {
    /**
     * Gets the item, changes it, and puts it with an `If-Match` of the `ETag` that it got. After a 412 it begins again, up to twenty times.
     * Resolves to what was stored: the body of the update's response, or else the body that was sent. If `change` returns `undefined`, the
     * item stays as it is.
     *
     * `change` must compute the new item from the one that it gets. Values from elsewhere, such as those of a form that was opened earlier,
     * overwrite what others have saved since: for a form, keep the `etag` of `get`, and send it with `update`:
     *
     *   const found = await pets.get(1, { safe: true });
     *   if (found.ok && found.etag) await pets.update(1, values, { ifMatch: found.etag });
     *
     * Rejects if the response of the update is lost, since the update may have been made, and with `TypeError` if the item has no `ETag`.
     */
    readonly edit: (...args: [
      ...Id,
      change: (item: ValueOf<Get, never>) => Changing<Update> | PromiseLike<Changing<Update>>,
      options?: RequestOptions,
    ]) => Promise<ValueOf<Get, never> | Stored<ValueOf<Update, never>, Changing<Update>>>;
  } : unknown);

/**
 * The call of a kind, by its row in `declaration/kinds`: the id if its path has one, the body if something decodes it, `ifMatch` if it
 * changes an item, and `lastEventId` if it reads events. `Op` is the operation's contract, such as `{ body: Pet; 204: undefined }`.
 */
type KindCall<Kind, Id extends unknown[], Op, Made> = Kind extends ChangingKinds
  ? ClientCall<KindParameters<Kind, Id, Op, IfMatch>, Op, Made, IfMatch>
  : ClientCall<KindParameters<Kind, Id, Op, {}>, Op, Made, Kind extends ReadingKinds ? ResumeOption<Op> : {}>;
type KindParameters<Kind, Id extends unknown[], Op, More> = [
  ...(Kind extends ItemKinds ? Id : []), ...(Kind extends BodyKinds ? BodyParameter<Op, More> : []),
];
type BodyKinds = KindsWith<{ readonly decoder: string }>;
// Also `itemCustom`, for its POST: `NamedCall` has the named reads.
type ChangingKinds = ConditionalKinds | Exclude<ItemKinds, ReadingKinds>;

type NamedCalls<Kind, Id extends unknown[], Ops, Made> = { readonly [Name in Callable<Ops>]: NamedCall<Kind, Id, Ops[Name], Made> };

/** A named operation: a function for a `POST`, and an object with `get` for a read. */
type NamedCall<Kind, Id extends unknown[], Op, Made> = 'method' extends keyof Op
  ? {
    /** `GET` of a named operation: `await pets.custom.nearest.get({ query: { city: 'Utrecht' } })`. */
    readonly get: ClientCall<Kind extends ItemKinds ? Id : [], Op, Made, ResumeOption<Op>>;
  }
  : KindCall<Kind, Id, Op, Made>;

/** The names of operations. `then` is not one of them: an `await` of the object that has them would call it. */
type Callable<Named> = Exclude<keyof Named, 'then' | 'toJSON'>;

type ItemOf<Value> = Value extends readonly (infer Item)[] | { readonly items: readonly (infer Item)[] } ? Item : never;

type Changing<Update> = Update extends { readonly body?: infer Body } ? Body | undefined : undefined;
type Stored<Value, Sent> = Value extends undefined ? Exclude<Sent, undefined> : Value;

// ---- The parts of a contract, by name.

/** The names of the operations of an endpoint: `get`, `custom.feed`. */
export type NamesOf<Endpoint> = {
  [Name in keyof Endpoint & KindsWith<unknown>]: Name extends NamedKinds ? `${Name}.${keyof Endpoint[Name] & string}` : Name;
}[keyof Endpoint & KindsWith<unknown>];
export type OperationAt<Endpoint, Name> = Name extends `${infer Kind extends NamedKinds}.${infer Own}`
  ? Endpoint extends { readonly [Each in Kind]: { readonly [Each in Own]: infer Op } } ? Op : never
  : Endpoint extends { readonly [Each in Name & string]: infer Op } ? Op : never;

/**
 * What a call of an operation resolves to, by the type of the API. A named operation is `'custom.<name>'` or `'itemCustom.<name>'`.
 *
 * @example
 * ```ts
 * type FoundPet = ResultOf<Api, '/pet', 'get'>;
 * const describe = ({ name, legs }: FoundPet): string => `${name} has ${legs} legs`;
 * ```
 */
export type ResultOf<Api, Path extends keyof Api, Name extends NamesOf<ContractOf<Api[Path]>>> =
  ValueOf<OperationAt<ContractOf<Api[Path]>, Name>, string>;

/**
 * The body that an operation takes; `undefined` if it takes none.
 *
 * @example
 * ```ts
 * type NewPet = BodyOf<Api, '/pet', 'create'>;
 * const rex: NewPet = { name: 'Rex', legs: 4 };
 * ```
 */
export type BodyOf<Api, Path extends keyof Api, Name extends NamesOf<ContractOf<Api[Path]>>> =
  BodyIn<OperationAt<ContractOf<Api[Path]>, Name>>;

/**
 * The problem of a failure with a status that the operation declares in `errors`; without a status, of any of these.
 *
 * @example
 * ```ts
 * type Declined = ProblemOf<Api, '/payment', 'create', 402>;
 * const formatCode = ({ code }: Declined): string => `The payment was ${code}.`;
 * ```
 */
export type ProblemOf<Api, Path extends keyof Api, Name extends NamesOf<ContractOf<Api[Path]>>, Status extends number = number> =
  ProblemIn<OperationAt<ContractOf<Api[Path]>, Name>, Status>;

/** A success: the result of a call with `safe`. */
export interface Succeeded<Status, Value, Declared = {}> {
  /** Always `true`. */
  readonly ok: true;
  /** The status of the response. */
  readonly status: Status;
  /** The result, as the call without `safe` resolves to it. */
  readonly value: Value;
  /** The `ETag` of the response, for `ifMatch`. */
  readonly etag: string | undefined;
  /** The headers of the response: those that the operation declares, and any other. */
  readonly headers: TypedHeaders<Declared>;
}

/** Headers of a response. `get` knows the types of the declared ones, which are strings on the wire: a number is in digits. */
export type TypedHeaders<Declared> = [keyof Declared] extends [never] ? Headers
  : { get<Name extends keyof Declared>(name: Name): Declared[Name] } & Headers;

/** A failure: the result of a call with `safe` for a response that is not a success. */
export interface Failed<Status, Problem = ClientProblem> {
  /** Always `false`. */
  readonly ok: false;
  /** The status of the response; 0 for a redirect in a browser, which hides it. */
  readonly status: Status;
  /** The problem, as in `ProblemError`. */
  readonly problem: Problem;
}

// An interface, so that editors do not list three hundred statuses.
/**
 * Has the problem of a failure with a status that the operation does not declare.
 *
 * @example
 * ```ts
 * const formatOther = ({ status, problem }: OtherFailure<409>): string => `${status}: ${problem.detail ?? problem.title}`;
 * ```
 */
export interface OtherFailure<Declared> extends Failed<Exclude<FailureStatus, Declared>> {}

// The properties of a contract are statuses: numbers, or `2xx` for any success.
type SuccessKeys<Op> = keyof Op & (SuccessStatus | '2xx');
export type Problems<Op> = Exclude<keyof Op, SuccessStatus> & number;

type ValueIn<Op> = Op[SuccessKeys<Op>];
/** The items of a stream. */
export type StreamIn<Value> = unknown extends Value ? never : Extract<Value, AsyncIterable<unknown>>;

/** The values of all successes. `Made` is the result of a plain Create, whose contract has `id` in place of a status. */
export type ValueOf<Op, Made> = 'id' extends keyof Op ? Op[SuccessKeys<Op>] | Made : Op[SuccessKeys<Op>];

/** The successes of an operation. */
export type Successes<Op, Made> =
  | { [Status in SuccessKeys<Op>]: Succeeded<Status extends '2xx' ? SuccessStatus : Status, Op[Status], HeadersOf<Op>> }[SuccessKeys<Op>]
  | ('id' extends keyof Op ? Succeeded<201, Made, HeadersOf<Op>> : never);

/** The headers that the operation declares. */
type HeadersOf<Op> = 'responseHeaders' extends keyof Op ? Op['responseHeaders'] : {};

/** The problems that are declared, for some of their statuses. */
export type ProblemIn<Op, Status> = Problems<Op> & Status extends never
  ? ClientProblem : { [Each in Problems<Op> & Status]: ProblemWith<Each, Op[Each]> }[Problems<Op> & Status];
// Distributes: for one status, there may be several problems with properties of their own.
type ProblemWith<Status, Properties> = Properties extends null ? WithStatus<Status> : WithStatus<Status> & Properties;
// The status is a literal, so that the compiler tells problems with different statuses apart.
type WithStatus<Status> = ClientProblem & { readonly status: Status };

// ---- The parameters and the result of a call.

/** The result of a call: a promise, or the items of a stream. */
type Returned<Op, Made, Raw, Safe> = [Raw | Safe] extends [false]
  ? [StreamIn<ValueIn<Op>>] extends [never] ? Promise<ValueOf<Op, Made>> : StreamIn<ValueIn<Op>>
  : Promise<SettledCall<Op, Made, Raw, Safe>>;

type SettledCall<Op, Made, Raw, Safe> = Safe extends true
  ? | (Raw extends true ? Succeeded<SuccessStatus, Response, HeadersOf<Op>> : Successes<Op, Made>)
    | { [Status in Problems<Op>]: Failed<Status, ProblemWith<Status, Op[Status]>> }[Problems<Op>]
    | OtherFailure<Problems<Op>>
  : Raw extends true ? Response : ValueOf<Op, Made>;

// One signature for all combinations of `raw` and `safe`: with overloads, the compiler explains a wrong argument only by the last one. No
// alias may stand for it: a program's declarations would have to name that alias.
/**
 * Calls an operation: `Op` is its contract, `Leading` are its parameters before the options, `Made` is the result of a plain `create`, and
 * `More` are the options of its kind.
 *
 * @example
 * ```ts
 * const preload = (get: ClientCall<[id: number], { 200: Pet }, string>): Promise<Pet> => get(1);
 * await preload(client<Api>('https://api.example/v1')('/pet').get);
 * ```
 */
export type ClientCall<Leading extends unknown[], Op, Made, More = {}> = <Raw extends boolean = false, Safe extends boolean = false>(
  ...args: [...Leading, ...Options<Op, Raw, Safe, More>]
) => Returned<Op, Made, Raw, Safe>;

/** The parameter of a body. Without a body it is `undefined`, which may be left out unless required options follow. */
export type BodyParameter<Op, More = {}> = Op extends { readonly body: unknown } ? [body: Op['body']]
  : Options<Op, false, false, More> extends [options: unknown] ? [body: BodyIn<Op>] : [body?: BodyIn<Op>];
/** The body of an operation; `undefined` if it takes none. */
export type BodyIn<Op> = 'body' extends keyof Op ? Op['body'] : undefined;

/** The parameter of the options, which may be left out unless one of them is required. First the case of most operations. */
export type Options<Op, Raw extends boolean, Safe extends boolean, More> =
  keyof Op & ('query' | 'ifMatch' | 'idempotencyKey') extends never ? [options?: OptionalQuery<QueryParameters, Raw, Safe> & More]
  : Op extends { readonly query: unknown } ? [options: RequiredQuery<Op['query'], Raw, Safe> & HeaderOptions<Op, More>]
  : {} extends HeaderOptions<Op, More> ? [options?: OptionalQuery<QueryIn<Op>, Raw, Safe> & HeaderOptions<Op, More>]
  : [options: OptionalQuery<QueryIn<Op>, Raw, Safe> & HeaderOptions<Op, More>];
/** The option of a read of events: the last one that was received. */
type ResumeOption<Op> = Op extends { readonly 200: AsyncIterable<{ readonly event: string }> } ? LastEvent : {};
/** The options that are sent as headers. A contract has `ifMatch` only if it is required: `More` has the optional one. */
type HeaderOptions<Op, More> =
  & ('ifMatch' extends keyof Op ? RequiredIfMatch : More)
  & (Op extends { readonly idempotencyKey: string } ? RequiredIdempotencyKey : 'idempotencyKey' extends keyof Op ? IdempotencyKey : {});
/** The query of an operation. */
export type QueryIn<Op> = 'query' extends keyof Op ? QueryValues<Exclude<Op['query'], undefined>> : QueryParameters;
type QueryValues<Query> = string extends keyof Query ? Exclude<QueryParameters, URLSearchParams> & Query : Query;
