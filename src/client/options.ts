/** The options of all calls of a client, and of one call. */

/** Headers. Not `HeadersInit`: only the DOM's types have it. */
export type ClientHeaders = Readonly<Record<string, string>> | Headers;

/**
 * The options of all calls of a client.
 *
 * @example
 * ```ts
 * let token = 'abc';
 * const options: ClientOptions = {
 *   headers: () => ({ Authorization: `Bearer ${token}` }),
 *   timeoutMs: 10_000,
 *   retries: { attempts: 3, maxDelayMs: 5_000 },
 * };
 * const api = client<Api>('https://api.example/v1', options);
 * ```
 */
export interface ClientOptions {
  /** Sends the requests in place of the global `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Headers of every request, or a function that returns them or a promise of them, called for each call. */
  readonly headers?: ClientHeaders | (() => ClientHeaders | Promise<ClientHeaders>) | undefined;
  /**
   * How long a call may take until its response is read, in milliseconds; 0 for no limit. For a stream, how long it may take until its
   * head, and then until each line, such as an event or a comment.
   * @default 0
   */
  readonly timeoutMs?: number | undefined;
  /** Whether a browser sends cookies, as for `fetch`. */
  readonly credentials?: 'include' | 'omit' | 'same-origin' | undefined;
  /** Maximum retries of requests that are safe to repeat: their number, or with the longest delay. @default 0 */
  readonly retries?: number | RetryOptions | undefined;
}

/**
 * When a request is repeated: GET, and PUT and DELETE without `If-Match`, after a network error, after 408, 425, 429, 502, 503 and 504, and
 * after 409 with `Retry-After`.
 *
 * @example
 * ```ts
 * const retries: RetryOptions = { attempts: 3, maxDelayMs: 5_000 };
 * client<Api>('https://api.example/v1', { retries });
 * ```
 */
export interface RetryOptions {
  /** Maximum retries. */
  readonly attempts: number;
  /** In milliseconds. A request is not repeated if `Retry-After` is longer. @default 60,000 */
  readonly maxDelayMs?: number | undefined;
}

/**
 * The options of every request.
 *
 * @example
 * ```ts
 * const options: RequestOptions = { timeoutMs: 1_000, headers: { 'X-Trace': 'abc' } };
 * await client<Api>('https://api.example/v1')('/pet').get(1, options);
 * ```
 */
export interface RequestOptions {
  /** Ends the call with its reason, by default an `AbortError`. */
  readonly signal?: AbortSignal | undefined;
  /** Sends the requests in place of the client's `fetch`, such as one that reports the progress of an upload. */
  readonly fetch?: ClientOptions['fetch'];
  /** Replaces the client's. With `raw`, it covers the body too. */
  readonly timeoutMs?: number | undefined;
  /** Added to the client's headers. One of the same name replaces it. */
  readonly headers?: ClientHeaders | undefined;
  /** Called with every response, before its body is read. To read the body here, `clone()` the response. */
  readonly onResponse?: ((response: Response) => unknown) | undefined;
}

/**
 * The options of one call.
 *
 * @example
 * ```ts
 * const options: CallOptions = { signal: AbortSignal.timeout(1_000), headers: { 'X-Trace': 'abc' } };
 * await client<Api>('https://api.example/v1')('/pet').get(1, options);
 * ```
 */
export interface CallOptions<Raw extends boolean = boolean, Safe extends boolean = boolean> extends RequestOptions {
  /** Resolves to the `Response` of a success, with its body unread: for streams and bytes. */
  readonly raw?: Raw | undefined;
  /** Resolves to `{ ok, status, value }` or `{ ok, status, problem }`, in place of rejecting with `ProblemError`. */
  readonly safe?: Safe | undefined;
}

/**
 * The options of a call that changes an item.
 *
 * @example
 * ```ts
 * const options: IfMatch = { ifMatch: '"3"' };
 * await client<Api>('https://api.example/v1')('/pet').update(1, { name: 'Rex', legs: 3 }, options);
 * ```
 */
export interface IfMatch {
  /** The `ETag` of the item that is to be changed. If it has changed since, the call gets 412. */
  readonly ifMatch?: string | undefined;
}

/** The same for an operation that rejects a change without it. */
export type RequiredIfMatch = {
  /** The `ETag` of the item that is to be changed. If it has changed since, the call gets 412; without it, 428. */
  readonly ifMatch: string;
};

/** The options of a call that gets events. */
export type LastEvent = {
  /** The `id` of an event, such as the last one before a restart: the events after it follow. Sent as `Last-Event-ID`. */
  readonly lastEventId?: string | undefined;
};

/** The options of a call that may be repeated, since the operation runs once for each key. */
export type IdempotencyKey = {
  /** Sent as `Idempotency-Key`. Repeat a call with the same key, and use a new one for every other call, such as `crypto.randomUUID()`. */
  readonly idempotencyKey?: string | undefined;
};

/** The same for an operation that rejects a request without a key. */
export type RequiredIdempotencyKey = {
  readonly idempotencyKey: string;
};

/** A value in a query. `null` and `undefined` are left out. */
type QueryValue = string | number | boolean | bigint | Date | null | undefined;

/** A query of an operation that declares none. `null` and `undefined` are left out, a list is sent as several parameters. */
export type QueryParameters = URLSearchParams | Readonly<Record<string, QueryValue | readonly QueryValue[]>>;

/** The options of an operation that needs a query. */
export type RequiredQuery<Query, Raw extends boolean, Safe extends boolean> = CallOptions<Raw, Safe> & {
  /** The query: `{ query: { legs: 4, tag: ['a', 'b'] } }` is `?legs=4&tag=a&tag=b`. `null` and `undefined` are left out. */
  readonly query: Query;
};

/** The options of any other operation. */
export type OptionalQuery<Query, Raw extends boolean, Safe extends boolean> = CallOptions<Raw, Safe> & {
  /** The query: `{ query: { legs: 4, tag: ['a', 'b'] } }` is `?legs=4&tag=a&tag=b`. `null` and `undefined` are left out. */
  readonly query?: Query | undefined;
};

/**
 * The options of `each` and `page`.
 *
 * @example
 * ```ts
 * const options: EachOptions<QueryParameters> = { signal: AbortSignal.timeout(60_000) };
 * for await (const { name } of client<Api>('https://api.example/v1')('/pet').each(options)) console.log(name);
 * ```
 */
export interface EachOptions<Query> extends RequestOptions {
  /** The query of the first page: `{ query: { limit: 100 } }`. `page` also takes the `next` of the page before. */
  readonly query?: Query | undefined;
}

/** The body of an operation with `input: bytes()`. It is sent as it is. */
export type ByteBody = Blob | ArrayBuffer | Uint8Array | ReadableStream<Uint8Array>;
