/**
 * Interceptors run an operation, and can change its request and its result. A transaction is one:
 *
 *   const inTransaction = (store: Store): Interceptor<{ readonly tx: Transaction }> => ({
 *     around: (call, run) => store.transaction((tx) => run({ tx })),
 *   });
 */
import type { ResponseHeaders } from '../http/headers.ts';
import { anything, boolean, formatValue, functionOr, type Properties, required, type Shape, shape, strings, type UserFunction } from '../util/options.ts';
import type { ValidationStatus } from '../errors/problem.ts';
import { type AnyDecoder, type Decode, createHeadersDecoder, createQueryDecoder, type MaybePromise } from './decoder.ts';
import type { OperationKind } from './kinds.ts';
import type { Route } from './routes.ts';

/** The options of `run`. */
export interface RunOptions {
  /**
   * The input of the operation, in place of `call.input`, where that is a stream, as with `bytes()`: such as the same stream with a hash that is
   * computed on the way, or a file that a virus scanner has passed.
   *
   * @example
   * ```ts
   * async function* scanned(body: AsyncIterable<Uint8Array>) {
   *   for await (const chunk of body) {
   *     if (hasVirus(chunk)) throw ApiError.status(422, 'The file has a virus.');
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
 * Runs the next interceptor, or the operation. Its `request` has the properties of `adds`, and its input is that of `options`, if it has one. Promises
 * its result.
 */
export type Run<Adds = {}> =
  {} extends Adds ? (adds?: Adds, options?: RunOptions) => Promise<unknown> : (adds: Adds, options?: RunOptions) => Promise<unknown>;

/** A whole response. `body` is a string, bytes, or a stream of these; `undefined` for none. */
export interface OperationResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: unknown;
}

/** A call of an operation, as an interceptor sees it. */
export interface InterceptedCall<Needs = any> {
  readonly request: Needs;
  /** `undefined` for an operation whose path has none. */
  readonly id: unknown;
  /** The decoded body, or the stream that an outer interceptor gives in place of it. */
  readonly input: unknown;
  /** The body as it was received. A format reads it piece by piece, unless an interceptor has `readsBody`: then, and without a body, it is `undefined`. */
  readonly body: Uint8Array | undefined;
  /** The query, as decoded by the interceptor's `query`. */
  readonly query: any;
  /** The headers, as decoded by the interceptor's `headers`. */
  readonly headers: any;
  readonly route: Route;
  /** The target of the request, with its query. */
  readonly target: string;
  /** The `Content-Type` of the request. To read this and the target from `request.raw` costs more: that makes Node's request ready for any use. */
  readonly contentType: string | undefined;
  readonly kind: OperationKind['name'];
  /** The name of a Custom operation; empty for the others. */
  readonly name: string;
  /** Encodes a result as it would be sent: applies `output`, and writes JSON. Rejects with `ApiError.notFound()` for an item that is missing. */
  encode(result: unknown): Promise<OperationResponse>;
  /** Makes a response that can be returned, such as one that was stored. Throws `TypeError` for a status, a header or a body that no reply can have. */
  response(stored: OperationResponse): OperationResponse;
  /** Resolves when the last byte of the reply has been sent, or the client has left. */
  readonly sent: Promise<void>;
}

// Only a type: no value has it. It keeps the interceptors of a list apart. A symbol, so that editors do not suggest it in an object.
declare const ADDS: unique symbol;

/**
 * Runs an operation: an option `use` of the operation, of its endpoint, or of the options of `registerEndpoints`. `Adds` is what it adds to
 * the `request` of the operation, and `Needs` the request that it needs.
 */
export interface Interceptor<Adds = {}, Needs = any> {
  readonly [ADDS]?: (adds: Adds) => Adds;
  /**
   * Called in place of the operation, which `run` runs. Its result is sent as if the operation had returned it, and its error as if the
   * operation had thrown it. It may call `run` not at all, or again. A response of the call, and a changed copy of one,
   * is sent as it is. `undefined` where `run` has a result, or has not ended, is a logged 500: a `return` is missing.
   */
  readonly around: (call: InterceptedCall<Needs>, run: Run<Adds>) => MaybePromise<unknown>;
  /** Decodes its own part of the query. The operation's decoder gets the query without the names that are in the result. */
  readonly query?: AnyDecoder;
  /** The same for headers, by their names in lower case. */
  readonly headers?: AnyDecoder;
  /**
   * The statuses that it may fail with, for documents. An error with one of them that it throws itself, and has not got from `run`, need not be
   * what `errors` of the operation declares.
   */
  readonly errors?: Readonly<Record<number, AnyDecoder | null>>;
  /** The scopes that a caller needs, besides those of the operation. */
  readonly scopes?: readonly string[];
  /** Whether `call.body` is needed for formats too. They then decode a body that has been read to its end. */
  readonly readsBody?: boolean;
  /** Called at registration, with each operation that will run in it. Refuses one by throwing `TypeError`. */
  readonly check?: (operation: InterceptedOperation) => void;
}

/** An operation, before an interceptor is used for it. */
export interface InterceptedOperation extends Pick<InterceptedCall, 'kind' | 'name'> {
  /** The operation in messages: `endpoint.custom.pay`. */
  readonly path: string;
  /** Whether callers are identified: by a `context` of the operation or of its endpoint. */
  readonly hasContext: boolean;
  /** Whether an `output` is a format of a sequence, such as `events` or `ndjson`, whose body is a stream. */
  readonly sendsStream: boolean;
}

/** An option `use`: one, or a list whose first is the outermost. */
export type Interceptors = Interceptor<any> | readonly Interceptor<any>[];

/** What the interceptors of an option `use` add to the request, all together; `unknown` if they add nothing. */
export type AddedBy<Use> = Use extends readonly (infer Each)[] ? Together<Each> : AddsOf<Use>;
type AddsOf<Each> = Each extends { readonly [ADDS]?: ((adds: never) => infer Adds) | undefined } ? {} extends Adds ? unknown : Adds : unknown;
// The compiler infers an intersection for a parameter.
type Together<Each> = (Each extends unknown ? (adds: AddsOf<Each>) => void : never) extends (adds: infer All) => void ? All : never;

/** An interceptor of the user's, checked. */
export interface CheckedInterceptor {
  /** Its place in messages: `endpoint.get.use[0]`. */
  readonly path: string;
  /** The user's object. Documents read from it. */
  readonly declared: Properties;
  readonly around: UserFunction;
  readonly decodeQuery: Decode | undefined;
  readonly decodeHeaders: Decode | undefined;
  /** The statuses that it declares. */
  readonly errors: ReadonlySet<number>;
  readonly scopes: readonly string[];
  readonly readsBody: boolean;
  readonly check: UserFunction | undefined;
}

type Unchecked = { readonly [Name in 'query' | 'headers' | 'errors']: unknown };

export const INTERCEPTOR_OPTIONS: Shape<Unchecked & Pick<CheckedInterceptor, 'around' | 'scopes' | 'readsBody' | 'check'>> = shape({
  around: required(functionOr(), '(call, run) => run()'),
  query: anything('a decoder'),
  headers: anything('a decoder'),
  errors: anything('an object'),
  scopes: strings([]),
  readsBody: boolean(),
  check: functionOr(),
});
const NO_INTERCEPTORS: readonly CheckedInterceptor[] = [];

/** The interceptors of an option `use`: one, or a list. Throws `TypeError` that names the wrong one. */
export function checkInterceptors(use: unknown, path: string, status: ValidationStatus): readonly CheckedInterceptor[] {
  if (use === undefined) return NO_INTERCEPTORS;
  return Array.isArray(use) ? use.map((each, at) => checkInterceptor(each, `${path}[${at}]`, status)) : [checkInterceptor(use, path, status)];
}

function checkInterceptor(value: unknown, path: string, status: ValidationStatus): CheckedInterceptor {
  if (typeof value !== 'object' || value === null) {
    const around = typeof value === 'function' && value.name !== '' ? value.name : '(call, run) => run()';
    throw new TypeError(`${path} must be an interceptor, such as { around: ${around} }: ${formatValue(value)}`);
  }
  const { around, query, headers, errors, scopes, readsBody, check } = INTERCEPTOR_OPTIONS.check(value, path);
  return {
    path,
    declared: value as Properties,
    around,
    decodeQuery: query === undefined ? undefined : createQueryDecoder(query, `${path}.query`, status),
    decodeHeaders: headers === undefined ? undefined : createHeadersDecoder(headers, `${path}.headers`, status),
    errors: new Set(Object.keys(Object(errors)).map(Number)),
    scopes,
    readsBody,
    check,
  };
}
