/**
 * Limits how often a client may call operations:
 *
 *   RateLimit-Policy: "default";q=100;w=60     100 requests in 60 seconds
 *   RateLimit: "default";r=50;t=1              50 are left, and one more in a second
 *
 * (draft-ietf-httpapi-ratelimit-headers-10). One over the limit gets 429 with `Retry-After`.
 */
import type { MaybePromise } from '../declaration/decoder.ts';
import type { Interceptor, MatchedRequest, RequestInterceptor } from '../declaration/interceptor.ts';
import { ApiError } from '../errors/api-error.ts';
import { toNetwork } from '../http/client-address.ts';
import type { InterceptedOperation, InterceptorInternals } from '../endpoint/checked-interceptor.ts';
import type { ResponseHeaders } from '../util/headers.ts';
import {
  checkInteger, checkObject, checkShortName, formatValue, functionOr, integer, oneOf, option, required, type Shape, shape,
} from '../util/options.ts';
import { cryptoModule } from '../node.ts';
import { joinObjects } from '../util/join-objects.ts';
import { after, checkSync, recover } from '../util/promises.ts';
import { memoryRates, type RatePolicy, type RateStore, type RateTaken } from './rate-stores.ts';

interface CommonRateOptions {
  /** How many requests in `windowSeconds`. All of them may come at once. Then the quota grows steadily again. */
  readonly limit: number;
  /** In how many seconds an empty quota is whole again. */
  readonly windowSeconds: number;
  /**
   * The name of the policy in headers: letters, digits, `.`, `_` and `-`. Two limits of one operation need different names. Limits with
   * the same name, `limit` and `windowSeconds` share their quotas in a store.
   *
   * @default "default"
   */
  readonly name?: string;
  /** Counts requests. `memoryRates()` counts the requests of one process. @default memoryRates() */
  readonly store?: RateStore;
  /**
   * What to do when the store fails: `'reject'` responds with a logged 503, `'allow'` lets the request through, and logs nothing. A
   * function gets the error, and returns one of the two.
   *
   * @default "reject"
   */
  readonly onStoreError?: OnStoreError | ((error: unknown) => OnStoreError);
}

type OnStoreError = 'reject' | 'allow';

/**
 * The options of `rateLimit`, for limits that hold before the caller is known.
 *
 * @example
 * ```ts
 * const options: RateLimitOptions = { limit: 100, windowSeconds: 60 };
 * defineEndpoint({ id: integerId, use: rateLimit(options), get: (id) => db.find(id) });
 * ```
 */
export interface RateLimitOptions extends CommonRateOptions {
  /** Counts the requests of each address, before authentication; `'caller'` counts by caller, after it. */
  readonly by?: 'address';
  /**
   * Whose quota a request takes from. A store gets the hash of a key that is longer than 128 characters, or not ASCII, since a client may
   * have chosen it.
   *
   * @default the client's address, `request.client`
   */
  readonly key?: (request: RateLimitRequest) => MaybePromise<string>;
  /** How much a request takes: a whole number from 0 to `limit`. 0 only sends the headers. @default 1 */
  readonly cost?: number | ((request: RateLimitRequest) => MaybePromise<number>);
}

/**
 * The options of `rateLimit`, for limits of callers. `Needs` is the request that `key` and `cost` take.
 *
 * @example
 * ```ts
 * const key = ({ context }: ApiRequest<User>): string => context.id;
 * const options: CallerRateLimitOptions<ApiRequest<User>> = { by: 'caller', key, limit: 10, windowSeconds: 1 };
 * defineEndpoint({ id: integerId, context: signedIn, use: rateLimit(options), get: (id) => db.find(id) });
 * ```
 */
export interface CallerRateLimitOptions<Needs = any> extends CommonRateOptions {
  /** Counts the requests of each caller, after authentication. */
  readonly by: 'caller';
  /** Whose quota a request takes from: `({ context }: ApiRequest<User>) => context.id`. */
  readonly key: (request: Needs) => MaybePromise<string>;
  /** How much a request takes: a whole number from 0 to `limit`. 0 only sends the headers. @default 1 */
  readonly cost?: number | ((request: Needs) => MaybePromise<number>);
}

/** A request whose caller is not known yet. */
export interface RateLimitRequest extends MatchedRequest {
  /**
   * The address of the client, as the option `proxy` of the server says. One of IPv6 is its network of 64 bits: `20010db800000000/64`.
   * Empty where there is no address, as for a Unix socket without a proxy, and for `fetch`: all such requests share one quota.
   */
  readonly client: string;
}

type Errors = { readonly 429: null };

/** An interceptor that `rateLimit` made. */
export interface RateLimit extends RequestInterceptor {
  /** The errors that the interceptor can cause, for documents and clients. */
  readonly errors: Errors;
}

/** An interceptor that `rateLimit` made, for a limit of callers. */
export interface CallerRateLimit<Needs> extends Interceptor<{}, Needs> {
  /** The errors that the interceptor can cause, for documents and clients. */
  readonly errors: Errors;
}

const MAX = Number.MAX_SAFE_INTEGER;
const QUOTA_EXCEEDED = 'https://iana.org/assignments/http-problem-types#quota-exceeded';
// Milliseconds of a store may be rounded.
const EPSILON = 1e-6;

type UserValue<T> = T | ((request: unknown) => MaybePromise<T>);
type StoreErrorOption = OnStoreError | ((error: unknown) => OnStoreError);

/** The checked options. */
interface CheckedRateOptions {
  readonly limit: number;
  readonly windowSeconds: number;
  readonly by: 'address' | 'caller';
  readonly name: string;
  readonly key: ((request: unknown) => MaybePromise<string>) | undefined;
  readonly cost: UserValue<number>;
  readonly store: RateStore | undefined;
  readonly onStoreError: StoreErrorOption;
}

/** `rateLimit(options)`: {@link RateLimitOptions}, {@link CommonRateOptions}. */
export const RATE_LIMIT_OPTIONS: Shape<CheckedRateOptions> = shape<CheckedRateOptions>({
  limit: required(integer(1, MAX), '100'),
  windowSeconds: required(integer(1, MAX), '60'),
  by: oneOf(['address', 'caller']),
  name: option('letters, digits, `.`, `_` and `-`', checkShortName, 'default'),
  key: functionOr<(request: unknown) => MaybePromise<string>>(),
  cost: option<UserValue<number>>('0 to `limit`, or a function', checkCost, 1),
  store: option<RateStore | undefined>('a store', checkStore, undefined),
  onStoreError: option<StoreErrorOption>('`"reject"`, `"allow"` or a function', checkOnStoreError, 'reject'),
});

/**
 * Makes an interceptor that limits how often operations are called. All operations that use it share its quotas, one for each client. By
 * default a client is an address, and is limited before it is authenticated. `by: 'caller'` limits callers whom the `context` has
 * identified, and counts requests that have been decoded.
 *
 * A client may use its whole quota at once; it then grows steadily (GCRA). One request over the limit gets 429 with `Retry-After`. Each
 * response says what is left: `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10).
 *
 * @example
 * ```ts
 * server.registerEndpoints({ '/pet': pet }, { use: rateLimit({ limit: 100, windowSeconds: 60 }) });
 * defineEndpoint({
 *   id: integerId,
 *   context: signedIn,
 *   use: rateLimit({ by: 'caller', key: ({ context }: ApiRequest<User>) => context.id, limit: 10, windowSeconds: 1 }),
 *   get: (id) => db.find(id),
 * });
 * ```
 * @throws `TypeError` for an invalid option, and at registration with `by: 'caller'` for an operation without a context.
 */
export function rateLimit<By extends 'address' | 'caller' = 'address', Needs = unknown>(
  options: { readonly by?: By } & (By extends 'caller' ? CallerRateLimitOptions<Needs> : RateLimitOptions),
): By extends 'caller' ? CallerRateLimit<Needs> : RateLimit;
export function rateLimit(options: RateLimitOptions | CallerRateLimitOptions): RateLimit | CallerRateLimit<any> {
  const settings = checkRateOptions(options);
  const limiter = new RateLimiter(settings);
  const errors: Errors = { 429: null, ...(settings.store !== undefined && settings.onStoreError !== 'allow' && { 503: null }) };
  // Each limit of an operation has a line of its own.
  const internals: InterceptorInternals = { addedHeaders: ADDED_HEADERS, lists: Object.keys(ADDED_HEADERS) };
  if (settings.by === 'address') {
    const isRead = settings.key !== undefined || typeof settings.cost === 'function';
    return {
      ...{ ' internal': internals },
      errors,
      onRequest: (request) => {
        const client = toNetwork(request.client ?? '');
        return limiter.take(isRead ? joinObjects({ client }, request) : request, client);
      },
    };
  }
  return {
    ...{ ' internal': { ...internals, check: checkCaller } },
    errors,
    around: (call, run) => after(limiter.take(call.request, ''), (headers) => {
      call.addHeaders(headers);
      return run();
    }),
  };
}

function checkCaller({ path, hasContext }: InterceptedOperation): void {
  if (!hasContext) throw new TypeError(`${path} needs a context: rateLimit has by: 'caller'`);
}

const ADDED_HEADERS = {
  'RateLimit-Policy': 'The quota `q` that requests take from, and the seconds `w` in which it is whole again.',
  RateLimit: 'The quota `r` that is left, and the seconds `t` until there is more.',
} as const;

function checkRateOptions(options: unknown): CheckedRateOptions {
  const settings = RATE_LIMIT_OPTIONS.check(options, 'options');
  const { limit, windowSeconds, by, key, cost } = settings;
  checkInteger(windowSeconds, 'options.windowSeconds', 1, Math.floor(MAX / 1000 / limit));
  if (typeof cost === 'number') checkInteger(cost, 'options.cost', 0, limit);
  if (by === 'caller' && key === undefined) throw new TypeError("options.key is required with by: 'caller': ({ context }) => context.id");
  return settings;
}

/** Takes from quotas, as the options say. */
class RateLimiter {
  readonly #settings: CheckedRateOptions;
  readonly #store: RateStore;
  readonly #prefix: string;
  readonly #policyHeader: string;

  constructor(settings: CheckedRateOptions) {
    const { name, limit, windowSeconds, store = memoryRates() } = settings;
    this.#settings = settings;
    this.#store = store;
    this.#prefix = `${name}:${limit}/${windowSeconds}:`;
    this.#policyHeader = `"${name}";q=${limit};w=${windowSeconds}`;
  }

  /** Takes the cost of a request from its quota. Returns the headers that say what is left. Throws an `ApiError` if there is not enough. */
  take(request: unknown, client: string): MaybePromise<ResponseHeaders> {
    const { limit, windowSeconds, key = () => client, cost } = this.#settings;
    return after(key(request), (foundKey) => {
      if (typeof foundKey !== 'string') throw new TypeError(`rateLimit: key must return a string: ${typeof foundKey}`);
      return after(typeof cost === 'function' ? cost(request) : cost, (foundCost) => {
        const policy = { limit, windowSeconds, cost: checkInteger(foundCost, 'rateLimit.cost()', 0, limit) };
        return after(this.#askStore(this.#prefix + shortenKey(foundKey), policy), (taken) => this.#makeHeaders(taken, policy));
      });
    });
  }

  /** Returns `undefined` if the store fails, and the request is let through. */
  #askStore(key: string, policy: RatePolicy): MaybePromise<RateTaken | undefined> {
    return recover(() => after(this.#store.take(key, policy), checkTaken), (thrown) => this.#fail(thrown));
  }

  #fail(thrown: unknown): undefined {
    const { onStoreError } = this.#settings;
    const choice = typeof onStoreError === 'function' ? checkSync(onStoreError(thrown), 'onStoreError', thrown) : onStoreError;
    if (choice === 'allow') return undefined;
    throw ApiError.status(503, 'The rate limit could not be checked.', { cause: thrown, headers: { 'Retry-After': '1' } });
  }

  #makeHeaders(taken: RateTaken | undefined, { limit, windowSeconds, cost }: RatePolicy): ResponseHeaders {
    const policy = { 'RateLimit-Policy': this.#policyHeader };
    if (taken === undefined) return policy;
    const { name } = this.#settings;
    const requestMs = (windowSeconds * 1000) / limit;
    const missing = taken.fullMs / requestMs;
    const left = Math.min(limit, Math.max(0, Math.floor(limit - missing + EPSILON)));
    // A whole quota does not grow.
    const more = left === limit ? '' : `;t=${toSeconds((missing - (limit - left - 1)) * requestMs)}`;
    const headers = { ...policy, RateLimit: `"${name}";r=${left}${more}` };
    if (taken.isAllowed) return headers;
    throw ApiError.status(429, 'Too many requests.', {
      type: QUOTA_EXCEEDED,
      title: 'Request cannot be satisfied as assigned quota has been exceeded',
      extensions: { 'violated-policies': [name] },
      headers: { ...headers, 'Retry-After': toSeconds((missing + cost - limit) * requestMs) },
    });
  }
}

// Keys that are passed to the store as they are: any store accepts them, and they are too short to fill it.
const SHORT_KEY = /^[\x21-\x22\x24-\x7e][\x20-\x7e]{0,127}$/;
const { hash } = cryptoModule();

/** Returns a key, or the hash of one that is long, has other letters than ASCII, or looks like a hash. */
function shortenKey(key: string): string {
  return key === '' || SHORT_KEY.test(key) ? key : `#${hash('sha256', key, 'base64url')}`;
}

/** At least a second: 0 would ask the client for a request at once. */
function toSeconds(ms: number): string {
  return String(Math.max(1, Math.ceil(ms / 1000 - EPSILON)));
}

function checkTaken(taken: RateTaken): RateTaken {
  const { isAllowed, fullMs } = checkObject(taken, 'the result of take()');
  if (typeof isAllowed === 'boolean' && typeof fullMs === 'number' && fullMs >= 0) return taken;
  throw new TypeError(`the result of take() must be { isAllowed, fullMs }: ${formatValue(isAllowed)}, ${formatValue(fullMs)}`);
}

function checkCost(value: unknown, path: string): UserValue<number> {
  return typeof value === 'function' ? value as UserValue<number> : checkInteger(value, path, 0, MAX);
}

function checkStore(value: unknown, path: string): RateStore {
  if (typeof (value as Partial<RateStore> | null)?.take === 'function') return value as RateStore;
  throw new TypeError(`${path} must be a store with take(), such as memoryRates()`);
}

function checkOnStoreError(value: unknown, path: string): StoreErrorOption {
  if (value === 'reject' || value === 'allow' || typeof value === 'function') return value as StoreErrorOption;
  throw new TypeError(`${path} must be "reject", "allow" or a function: ${formatValue(value)}`);
}
