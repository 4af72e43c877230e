/** The interceptors of an operation after their check. */
import type { InterceptedCall } from '../declaration/interceptor.ts';
import type { HeaderNames } from '../util/headers.ts';
import { anything, formatValue, functionOr, type Properties, type Shape, shape, strings, type UserFunction } from '../util/options.ts';
import { findInternals } from '../util/internals.ts';
import type { ValidationStatus } from '../errors/problem.ts';
import { makeHeadersDecoder, makeQueryDecoder, type Decode } from './decoder.ts';
import type { JsonSchema } from './json-schema.ts';
import { checkErrors, type ErrorsByStatus } from './outputs.ts';

/** An operation, before an interceptor is used for it. */
export interface InterceptedOperation extends Pick<InterceptedCall, 'kind' | 'name'> {
  /** The operation in messages: `endpoint.custom.pay`. */
  readonly path: string;
  /** The method of its route: `GET`. The named operations of a kind have different ones. */
  readonly method: string;
  /** Whether callers are identified: by a `context` of the operation or of its endpoint. */
  readonly hasContext: boolean;
  /** Whether an `output` is a format of a sequence, such as `events` or `ndjson`, whose body is a stream. */
  readonly sendsStream: boolean;
}

/** What the interceptors of this package say of themselves. */
export interface InterceptorInternals extends Pick<HeaderNames, 'lists'> {
  /** The headers that it adds to each response, errors included, each with its description, for documents. */
  readonly addedHeaders?: Readonly<Record<string, string>>;
  /** The headers that it adds only to successes, each with its description, for documents. */
  readonly resultHeaders?: Readonly<Record<string, string>>;
  /** The properties that it adds to the request. */
  readonly properties?: readonly string[];
  /** Its `around`, if that waits for each promise that it gets: none of them is watched, and a list in pages takes .86 of the time. */
  readonly around?: Function;
  /** Whether it sends stored responses, for which the conditions of the request are not compared. */
  readonly replays?: boolean;
  /** Whether it needs `call.body` for formats too. The whole body is then read before a format decodes it. */
  readonly readsBody?: boolean;
  /** Changes the JSON Schema of successful results, for documents: where `around` sends other JSON than the operation returns. */
  readonly describeResult?: (schema: JsonSchema) => JsonSchema;
  /** Called at registration, with each operation that it will run. Throws `TypeError` to reject the operation. */
  readonly check?: (operation: InterceptedOperation) => void;
}

/**
 * What limits the run of an operation: what the interceptors of this package read of a call, and a store of `idempotent` gets.
 *
 * @example
 * ```ts
 * const shared = (store: IdempotencyStore, locks: { take(signal?: AbortSignal): Promise<() => void> }): IdempotencyStore => ({
 *   once: async (claim, run, conditions?: RunConditions) => {
 *     const release = await locks.take(conditions?.signal);
 *     return store.once(claim, run, conditions).finally(release);
 *   },
 * });
 * ```
 */
export interface RunConditions {
  /** Aborts at the deadline of the operation, and when the client has left. */
  readonly signal: AbortSignal;
  /** `limits.operationMs` of the operation, in milliseconds. 0 is no limit. */
  readonly operationMs: number;
  /**
   * Calls `get` for the conditions of the request, such as `If-Match`, and rejects if they are not met. `undefined` if there is nothing to
   * compare. Whoever holds a connection while the operation runs calls this before it takes one, each time: `get` may need one, too.
   * Without this call, they are compared just before the operation runs.
   */
  readonly compare: (() => Promise<void>) | undefined;
}

/** What the interceptors of this package read of a call. */
export interface CallInternals extends RunConditions {
  /** Logs a failure in one line, with the route. */
  readonly logLine: (message: string) => void;
}

/** An interceptor of the user after its check. */
export interface CheckedInterceptor {
  /** Its path in messages: `endpoint.get.use[0]`. */
  readonly path: string;
  /** The user's object. Documents read options from it that requests do not need. */
  readonly declared: Properties;
  readonly around: UserFunction | undefined;
  readonly onRequest: UserFunction | undefined;
  readonly decodeQuery: Decode | undefined;
  readonly decodeHeaders: Decode | undefined;
  /** The errors that it declares, by status. */
  readonly errors: ErrorsByStatus;
  readonly scopes: readonly string[];
  /** What one of this package says of itself. */
  readonly internals: Partial<InterceptorInternals>;
}

/** An interceptor with `around`. */
export type RunningInterceptor = CheckedInterceptor & { readonly around: UserFunction };

/** An interceptor with `onRequest`. */
export type EarlyInterceptor = CheckedInterceptor & { readonly onRequest: UserFunction };

type Unchecked = { readonly [Name in 'query' | 'headers' | 'errors']: unknown };

type CheckedInterceptorOptions = Pick<CheckedInterceptor, 'around' | 'onRequest' | 'scopes'>;

/** `an interceptor`: {@link Interceptor}. */
export const INTERCEPTOR_OPTIONS: Shape<Unchecked & CheckedInterceptorOptions> = shape({
  around: functionOr(),
  onRequest: functionOr(),
  query: anything('a decoder'),
  headers: anything('a decoder'),
  errors: anything('decoders by status'),
  scopes: strings([]),
});
const NO_INTERCEPTORS: readonly CheckedInterceptor[] = [];

/** Checks the option `use`: an interceptor, or a list of them. Throws `TypeError`, which names the wrong one. */
export function checkInterceptors(use: unknown, path: string, status: ValidationStatus): readonly CheckedInterceptor[] {
  if (use === undefined) return NO_INTERCEPTORS;
  if (!Array.isArray(use)) return [checkInterceptor(use, path, status)];
  return use.map((each, at) => checkInterceptor(each, `${path}[${at}]`, status));
}

/** Throws `TypeError` if two interceptors of an operation add the same property to its request, such as two of `idempotent`. */
export function checkProperties(interceptors: readonly CheckedInterceptor[]): void {
  const added = new Map<string, string>();
  for (const { path, internals: { properties = [] } } of interceptors) {
    for (const name of properties) {
      const other = added.get(name);
      if (other !== undefined) throw new TypeError(`${path} must not be used with ${other}: both add request.${name}`);
      added.set(name, path);
    }
  }
}

/** Throws for middleware, which has three parameters. No function of an interceptor gets more than two arguments. */
function checkNoMiddleware(value: unknown, path: string): void {
  if (typeof value !== 'function' || value.length < 3) return;
  // A function that is written in its place has the name of the option.
  const name = path.endsWith(`.${value.name}`) || value.name === '' ? '(request, response, next) => …' : value.name;
  throw new TypeError(`${path} must not be middleware, which takes (request, response, next): write server.use(${name})`);
}

function checkInterceptor(value: unknown, path: string, status: ValidationStatus): CheckedInterceptor {
  if (typeof value !== 'object' || value === null) {
    checkNoMiddleware(value, path);
    const around = typeof value === 'function' && value.name !== '' ? value.name : '(call, run) => run()';
    throw new TypeError(`${path} must be an interceptor, such as { around: ${around} }: ${formatValue(value)}`);
  }
  const { around, onRequest, query, headers, errors, scopes } = INTERCEPTOR_OPTIONS.check(value, path);
  checkNoMiddleware(around, `${path}.around`);
  checkNoMiddleware(onRequest, `${path}.onRequest`);
  if (around === undefined) {
    if (onRequest === undefined) throw new TypeError(`${path} needs around or onRequest: { around: (call, run) => run() }`);
    const unread = Object.entries({ query, headers }).find(([, given]) => given !== undefined);
    if (unread !== undefined) throw new TypeError(`${path}.${unread[0]} needs ${path}.around: onRequest is called before it is decoded`);
  }
  return {
    path,
    declared: value as Properties,
    around,
    onRequest,
    decodeQuery: query === undefined ? undefined : makeQueryDecoder(query, `${path}.query`, status),
    decodeHeaders: headers === undefined ? undefined : makeHeadersDecoder(headers, `${path}.headers`, status),
    errors: checkErrors(errors, `${path}.errors`),
    scopes,
    internals: findInternals<InterceptorInternals>(value) ?? {},
  };
}
