/**
 * Interceptors run an operation, and can change its request and its result. A transaction is one:
 *
 *   const inTransaction = (store: Store): Interceptor<{ readonly tx: Transaction }> => ({
 *     around: (call, run) => store.transaction((tx) => run({ tx })),
 *   });
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { ResponseHeaders } from '../util/headers.ts';
import type { AnyDecoder, MaybePromise } from './decoder.ts';
import type { OperationKind } from './kinds.ts';
import type { Route } from './request.ts';

/** The options of `run`. */
export interface RunOptions {
  /**
   * The input of the operation, in place of `call.input`, where that is a stream, as with `bytes()`: such as the same stream with a hash
   * that is computed on the way, or a file that a virus scanner has passed.
   *
   * @example
   * ```ts
   * async function* scanned(body: AsyncIterable<Uint8Array>) {
   *   for await (const chunk of body) {
   *     if (Buffer.from(chunk).includes('EICAR')) throw ApiError.status(422, 'The file has a virus.');
   *     yield chunk;
   *   }
   * }
   * const virusScan: Interceptor = {
   *   errors: { 422: null },
   *   around: (call, run) => run({}, { input: scanned(call.input as AsyncIterable<Uint8Array>) }),
   * };
   * ```
   */
  readonly input?: AsyncIterable<unknown>;
}

/**
 * Runs the next interceptor, or the operation. Adds the properties of `adds` to its `request`, and replaces its input by `options.input`,
 * if that is there. Resolves with its result.
 */
export type Run<Adds = {}> =
  {} extends Adds ? (adds?: Adds, options?: RunOptions) => Promise<unknown> : (adds: Adds, options?: RunOptions) => Promise<unknown>;

/** A whole response. `body` is a string, bytes, or a stream of these; `undefined` for none. */
export interface OperationResponse {
  /** The status. */
  readonly status: number;
  /** The headers. */
  readonly headers: ResponseHeaders;
  /** The body: a string, bytes, a stream, or `undefined` for none. */
  readonly body: unknown;
}

/** A call of an operation, as an interceptor sees it. */
export interface InterceptedCall<Needs = any> {
  /** The request, as the operation gets it. */
  readonly request: Needs;
  /** `undefined` for an operation whose path has no id. */
  readonly id: unknown;
  /** The decoded body, or the stream by which an outer interceptor has replaced it. */
  readonly input: unknown;
  /** The body as it was received. `undefined` without a body, and for a format, unless `idempotent` needs it too. */
  readonly body: Uint8Array | undefined;
  /** The query, as decoded by the interceptor's `query`. */
  readonly query: any;
  /** The headers, as decoded by the interceptor's `headers`. */
  readonly headers: any;
  /** The route that matched. */
  readonly route: Route;
  /** The target of the request, with its query. */
  readonly target: string;
  /** The `Content-Type` of the request. This and `target` are cheaper to read here than from `request.raw`. */
  readonly contentType: string | undefined;
  /** The kind of the operation, such as `create` or `custom`. */
  readonly kind: OperationKind['name'];
  /** The name of a Custom operation; empty for the others. */
  readonly name: string;
  /** Encodes a result as it would be sent: applies `output`, and writes JSON. Rejects with `ApiError.notFound()` for a missing item. */
  encode(result: unknown): Promise<OperationResponse>;
  /**
   * Makes a response that `around` can return, of one that was stored.
   *
   * @throws `TypeError` for a status, a header or a body that `reply` rejects.
   */
  response(stored: OperationResponse): OperationResponse;
  /**
   * Adds headers to the response, even to an error or a timeout. A response keeps the headers that it has itself.
   *
   * @throws `TypeError` for headers that are not valid, or that describe the body.
   */
  addHeaders(headers: ResponseHeaders): void;
}

/** A request whose route has matched. Its caller, its parameters, its query and its body are not known yet. */
export interface MatchedRequest {
  /** Node's own request. The server reads its body. */
  readonly raw: IncomingMessage;
  /** The id of the request. `undefined` without the option `requestId` of the server. */
  readonly id: string | undefined;
  /** The headers, as Node has them. To read them from `raw` costs more: that makes Node's request ready for any use. */
  readonly headers: IncomingHttpHeaders;
  /** The route that matched. */
  readonly route: Route;
  /** The address at the other end of the connection, which may be a proxy's. `undefined` for a Unix socket, and for `fetch`. */
  readonly address: string | undefined;
  /** The address of the client, as the option `proxy` of the server says: without it, `address`. */
  readonly client: string | undefined;
  /** Aborts when the client leaves before the response, and when the operation takes too long. */
  readonly signal: AbortSignal;
}

// Only a type: no value has it. Without it, the compiler would merge the types of interceptors in a list. A symbol, so that editors do not
// suggest it.
declare const ADDS: unique symbol;

/**
 * Runs an operation. It is given as `use` of the operation, of its endpoint, or of `registerEndpoints`. `Adds` is the type of the
 * properties that it adds to the `request` of the operation, and `Needs` the type of the request that it needs.
 *
 * @example
 * ```ts
 * const timed: Interceptor<{ readonly startedMs: number }> = {
 *   around: async (call, run) => {
 *     const startedMs = performance.now();
 *     const result = await run({ startedMs });
 *     call.addHeaders({ 'Server-Timing': `run;dur=${performance.now() - startedMs}` });
 *     return result;
 *   },
 * };
 * defineEndpoint({ id: integerId, use: timed, get: (id) => db.find(id) });
 * ```
 */
export interface Interceptor<Adds = {}, Needs = any> {
  readonly [ADDS]?: (adds: Adds) => Adds;
  /**
   * Called in place of the operation, which `run` runs. Its result is sent as if the operation had returned it, and its error as if the
   * operation had thrown it. It need not call `run`, and may call it again. A response from `call.encode` or `call.response`, or a changed
   * copy of one, is sent as it is. Returning `undefined` when `run()` had a result, or has not ended, is a logged 500: a forgotten
   * `return`.
   */
  readonly around: (call: InterceptedCall<Needs>, run: Run<Adds>) => MaybePromise<unknown>;
  /** Called before authentication, as in a `RequestInterceptor`. */
  readonly onRequest?: OnRequest;
  /** Decodes its own part of the query. The names in its result are removed from the query that the operation's decoder gets. */
  readonly query?: AnyDecoder;
  /** Decodes its own headers in the same way, by their names in lower case. */
  readonly headers?: AnyDecoder;
  /**
   * The statuses of the errors that it throws, for documents. The operation's `errors` do not check these errors.
   */
  readonly errors?: Readonly<Record<number, AnyDecoder | readonly AnyDecoder[] | null>>;
  /** The scopes that a caller needs, in addition to the operation's. */
  readonly scopes?: readonly string[];
}

/**
 * Rejects a request by throwing an `ApiError`, and returns headers for the response, even for a 401 and a 413.
 *
 * @example
 * ```ts
 * const onRequest: OnRequest = ({ headers }) => {
 *   if (headers['user-agent'] === undefined) throw ApiError.status(403, 'A User-Agent is required.');
 * };
 * defineEndpoint({ id: integerId, use: { onRequest }, get: (id) => db.find(id) });
 * ```
 */
export type OnRequest = (request: MatchedRequest) => MaybePromise<ResponseHeaders | undefined | void>;

/**
 * Sees each request of an operation before its caller is known: an option `use` as an `Interceptor`, which can have an `onRequest` too.
 *
 * @example
 * ```ts
 * const closedAtNight: RequestInterceptor = {
 *   errors: { 503: null },
 *   onRequest: () => {
 *     if (new Date().getUTCHours() < 6) throw ApiError.status(503, 'Closed until 6:00 UTC.', { headers: { 'Retry-After': '3600' } });
 *   },
 * };
 * ```
 */
export interface RequestInterceptor extends Pick<Interceptor, 'errors' | 'scopes'> {
  /**
   * Called when the route has matched, before authentication, parameters, query and body. Not called for paths and methods that no
   * operation has.
   */
  readonly onRequest: OnRequest;
  /** Not here: an `Interceptor` has it. */
  readonly around?: undefined;
}

// With the empty tuple, the compiler infers a tuple: in an array it would drop an interceptor whose type is a subtype of the others.
/** The option `use`: an interceptor, or a list of them, outermost first. */
export type Interceptors = AnyInterceptor | readonly [] | readonly AnyInterceptor[];
type AnyInterceptor = Interceptor<any> | RequestInterceptor;

/** The properties that the interceptors in `use` add to the request; `unknown` if they add nothing, or nothing is known of them. */
export type AddedBy<Use> = [Use] extends [never] ? unknown : unknown extends Use ? unknown
  : Use extends readonly unknown[] ? Together<Use> : AddsOf<Use>;
type AddsOf<Each> = Each extends { readonly [ADDS]?: ((adds: never) => infer Adds) | undefined }
  ? {} extends Adds ? unknown : Adds
  : unknown;
// The compiler infers an intersection for the parameter of a union of functions. In a union of interceptors, `any` would hide the others.
type Together<List extends readonly unknown[]> =
  { [Index in keyof List]: (adds: AddedBy<List[Index]>) => void }[number] extends (adds: infer All) => void ? All : never;

/** The request of an operation without a `context`, as an interceptor needs it that cannot tell callers apart. */
export interface WithoutContext {
  /** No context. */
  readonly context?: undefined;
}
