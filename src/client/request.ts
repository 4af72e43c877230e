/** Sends a request, reads its response, and repeats the request where `retries` says so and it is safe. */
import type { IdCodec } from '../endpoint/id-codec.ts';
import type { CallOptions, ClientOptions, ClientHeaders, IdempotencyKey, IfMatch, RetryOptions } from './options.ts';
import type { ProblemError } from './problem-error.ts';
import { readError, readValue } from './response.ts';
import { makeSignal, pause, unlessAborted } from './signal.ts';
import { type Cursor, encodeItems, isStream } from './streams.ts';

/** A request without its options. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly body?: unknown;
  /** Parses the id of a new item. */
  readonly idCodec?: IdCodec<unknown> | undefined;
  /** The position in a stream of events. */
  readonly cursor?: Cursor | undefined;
}

/** The options of any call, and of requests that a cache must not respond to. */
export type SendOptions = CallOptions & IfMatch & IdempotencyKey & { readonly cache?: 'no-cache' };

/** A success: its value, or the response where the call is `raw`. The value of a stream is an iterable of its items. */
export interface Success {
  readonly response: Response;
  readonly value: unknown;
}

/** Whether requests with a method have a body: POST, PUT, PATCH and QUERY. */
export function hasBody(method: string): boolean {
  return /^[PQ]/.test(method);
}

/** Sends a request. Rejects with `ProblemError`, and with the errors of `fetch` and of the user's functions. */
export async function send(request: SentRequest, call: SendOptions, options: ClientOptions): Promise<Success> {
  const { fetch: userFetch = fetch, timeoutMs, retries, headers: given, ...credentials } = options;
  // Begins here, so that the time covers the client's `headers`.
  const signal = makeSignal(call.signal, call.timeoutMs ?? timeoutMs);
  const clientHeaders = typeof given === 'function' ? await unlessAborted(given(), signal) : given;
  const init = { ...credentials, ...makeInit(request, call, clientHeaders), signal };
  const read = async (response: Response): Promise<Success> => {
    if (!response.ok) throw await readError(response, request);
    return { response, value: call.raw ? response : await readValue(response, request) };
  };
  for (let repeated = 0; ; repeated += 1) {
    // Resolves when the request should be sent again. Otherwise throws the error.
    const pauseOrThrow = (error: unknown): Promise<void> => {
      const delay = signal?.aborted ? undefined : computeDelay(repeated, error, init, retries);
      if (delay === undefined) throw error;
      return pause(delay, signal);
    };
    const response = await userFetch(request.url, init as RequestInit).catch(pauseOrThrow);
    // An error of `onResponse` must not repeat the request.
    if (response) await call.onResponse?.(response);
    const success = response && await read(response).catch(pauseOrThrow);
    if (success) return success;
  }
}

/** The options of `fetch` that decide whether a request is sent again. */
interface SentInit {
  readonly method: string;
  readonly headers: Headers;
  readonly body: unknown;
}

function makeInit(
  { method, body, cursor }: SentRequest, call: SendOptions, clientHeaders: ClientHeaders | undefined,
): SentInit & Readonly<Record<string, unknown>> {
  const headers = new Headers();
  const [type, encoded] = encodeBody(body);
  for (const [name, value] of [
    // Even without a body: servers reject a POST of a different origin that has no type, since a page can send it without a preflight.
    ['content-type', hasBody(method) ? type : undefined],
    ...new Headers(clientHeaders),
    ...new Headers(call.headers),
    ['if-match', call.ifMatch],
    // A string of structured fields (RFC 9651).
    ['idempotency-key', call.idempotencyKey && JSON.stringify(call.idempotencyKey)],
    ['last-event-id', cursor?.id],
  ] as const) {
    if (value) headers.set(name, value);
  }
  return {
    method,
    headers,
    // A redirect is a response like any other: `fetch` would send the request again, or make a GET of it.
    redirect: 'manual',
    body: encoded,
    duplex: 'half',
    cache: call.cache,
  };
}

/** A body and its type. Bytes and forms have their own. */
function encodeBody(body: unknown): [type: string | undefined, encoded: unknown] {
  if (/(Uint8Array|Buffer|Blob|File|FormData|Stream)]$/.test(Object.prototype.toString.call(body))) return [undefined, body];
  return isStream(body) ? ['application/x-ndjson', encodeItems(body)] : ['application/json', JSON.stringify(body)];
}

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 60_000;
// A timer with a longer delay ends at once.
const MAX_TIMER_MS = 2 ** 31 - 1;
const REPEATED_STATUSES = [408, 425, 429, 502, 503, 504];

/** The delay before a request is sent again, in milliseconds. `undefined` if it is not. */
function computeDelay(
  repeated: number, error: unknown, { method, headers, body }: SentInit, retries: ClientOptions['retries'] = 0,
): number | undefined {
  const { attempts, maxDelayMs = MAX_DELAY_MS }: RetryOptions = typeof retries === 'object' ? retries : { attempts: retries };
  const isOnce = /^(POST|PATCH)$/.test(method) && !headers.has('idempotency-key');
  // With `If-Match`, the change may have been made: a second request would get 412.
  if (repeated >= attempts || isOnce || headers.has('if-match') || body instanceof ReadableStream) return undefined;
  const { response } = Object(error) as Partial<ProblemError>;
  const retryAfter = response?.headers.get('retry-after');
  if (response && !REPEATED_STATUSES.includes(response.status) && !(retryAfter && response.status === 409)) return undefined;
  const wanted = readDelay(retryAfter);
  const delay = Math.min(FIRST_DELAY_MS * 2 ** repeated, maxDelayMs, MAX_DELAY_MS) * (1 + Math.random()) / 2;
  return wanted > maxDelayMs ? undefined : Math.min(Math.max(wanted, delay), MAX_TIMER_MS);
}

/** The milliseconds of a `Retry-After`, which has seconds or a date. 0 if it is missing or invalid. */
export function readDelay(retryAfter: string | null | undefined): number {
  return Number(retryAfter) * 1000 || Date.parse(`${retryAfter}`) - Date.now() || 0;
}
