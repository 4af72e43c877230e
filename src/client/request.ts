/** Sends a request, reads its response, and repeats the request where `retries` says so and it is safe. */
import type { IdCodec } from '../declaration/id-codec.ts';
import type { CallOptions, ClientHeaders, ClientOptions, IdempotencyKey, IfMatch, LastEvent, RetryOptions } from './options.ts';
import { ProblemError, type RequestTarget } from './problem-error.ts';
import { MAX_PAUSE_MS, pause, unlessAborted, useSignal } from './signal.ts';
import { type Cursor, encodeItems, isIterable, readEvents, readItems, readLines } from './streams.ts';

/** A request without its options. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly body?: unknown;
  /** Parses the id of a new item. */
  readonly codec?: IdCodec<unknown> | undefined;
  /** The position in a stream of events. */
  readonly cursor?: Cursor | undefined;
}

/** The options of any call, and of requests that a cache must not respond to. */
export type SendOptions = CallOptions & IfMatch & IdempotencyKey & LastEvent & { readonly cache?: 'no-cache' };

/** A success: its value, or the response where the call is `raw`. The value of a stream is an iterable of its items. */
export interface Success {
  readonly response: Response;
  readonly value: unknown;
}

/** Whether requests with a method have a body: POST, PUT and PATCH. */
export function hasBody(method: string): boolean {
  return /^P/.test(method);
}

/** Sends a request. Rejects with `ProblemError`, and with the errors of `fetch` and of the user's functions. */
export async function send(request: SentRequest, call: SendOptions, options: ClientOptions): Promise<Success> {
  const { fetch: clientFetch = fetch, timeoutMs: clientMs, retries, headers: given, ...init } = options;
  const timeoutMs = call.timeoutMs ?? clientMs;
  // Begins here, so that the time covers the client's `headers`. The caller reads the body of a raw response in the same time. A stream
  // goes on after it: then the time limits the wait for each of its lines.
  return useSignal(call.signal, timeoutMs, async (signal) => {
    const clientHeaders = typeof given === 'function' ? await unlessAborted(given(), signal) : given;
    const sent = { ...init, ...makeInit(request, call, clientHeaders, signal) };
    for (let repeated = 0; ; repeated += 1) {
      const again = (error: unknown): Promise<void> => pauseOrThrow(error, repeated, request.url, sent, retries);
      const response = await (call.fetch ?? clientFetch)(request.url, sent as RequestInit).catch(again);
      // An error of `onResponse` must not repeat the request.
      if (response) await call.onResponse?.(response);
      const success = response && await readValue(response, request, call.raw, timeoutMs).then((value) => ({ response, value }), again);
      if (success) return success;
    }
  }, call.raw);
}

/** The options of `fetch` that decide whether a request is sent again. */
interface SentInit {
  readonly method: string;
  readonly headers: Headers;
  readonly body: unknown;
  readonly signal: AbortSignal | undefined;
}

function makeInit(
  { method, body, cursor }: SentRequest, call: SendOptions, clientHeaders: ClientHeaders | undefined, signal: AbortSignal | undefined,
): SentInit & Readonly<Record<string, unknown>> {
  const headers = new Headers();
  // Blobs, forms, streams and bytes are known by a method or tag: in a test environment with a DOM, they need not be of a class of here.
  const { arrayBuffer, getAll = arrayBuffer, getReader = getAll } = Object(body) as Readonly<Record<string, unknown>>;
  const isEncoded = typeof getReader === 'function' || /(8Array|Buffer)]$/.test(({}).toString.call(body));
  const isItems = isIterable(body);
  for (const [name, value] of [
    // Even without a body: servers reject a POST of a different origin that has no type, since a page can send it without a preflight.
    ['content-type', hasBody(method) && !isEncoded && (isItems ? 'application/x-ndjson' : 'application/json')],
    ...new Headers(clientHeaders),
    ...new Headers(call.headers),
    ['if-match', call.ifMatch],
    // A string of structured fields (RFC 9651).
    ['idempotency-key', call.idempotencyKey && JSON.stringify(call.idempotencyKey)],
    // As bytes of UTF-8.
    ['last-event-id', cursor?.id && unescape(encodeURIComponent(cursor.id))],
  ] as const) {
    if (value) headers.set(name, value);
  }
  return {
    method,
    headers,
    // A redirect is a response like any other: `fetch` would send the request again, or make a GET of it.
    redirect: 'manual',
    body: isEncoded ? body : isItems ? encodeItems(body) : JSON.stringify(body),
    duplex: 'half',
    cache: call.cache,
    signal,
  };
}

/** A timer with a longer delay ends at once. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1;

/** The statuses of errors that can go away. */
const PASSING_STATUSES = [408, 425, 429, 502, 503, 504];

/** Waits until the request should be sent again. Otherwise throws the error. */
async function pauseOrThrow(
  error: unknown, repeated: number, url: string, { method, headers, body, signal }: SentInit, retries: ClientOptions['retries'] = 0,
): Promise<void> {
  const { attempts = retries as number, maxDelayMs = MAX_PAUSE_MS } = Object(retries) as Partial<RetryOptions>;
  const { response, name } = Object(error) as Partial<ProblemError>;
  const retryAfter = response?.headers.get('retry-after');
  const wanted = readDelay(retryAfter);
  // Without a response, the connection has failed. A 409 with a `Retry-After` can go away.
  const isPassing = !response || PASSING_STATUSES.includes(response.status) || (response.status === 409 && retryAfter);
  // A lost POST, PATCH or part may have taken effect, and so may any change with `If-Match`, which would get 412 if it is sent again.
  const isChange = ['POST', 'PATCH'].includes(method) || headers.has('content-range');
  const isUnsafe = (isChange && !headers.has('idempotency-key')) || headers.has('if-match');
  const isStream = (body as Partial<ReadableStream>)?.getReader;
  if (signal?.aborted || repeated >= attempts || wanted > maxDelayMs || !isPassing || isUnsafe || isStream) {
    // The message of `fetch` is only "fetch failed", or "terminated".
    if ((name as string) === 'TypeError') (error as Error).message += `: ${url}`;
    throw error;
  }
  const delay = Math.min(250 * 2 ** repeated, maxDelayMs, MAX_PAUSE_MS) * (1 + Math.random()) / 2;
  await pause(Math.min(Math.max(wanted, delay), MAX_TIMER_MS), signal);
}

/** The milliseconds of a `Retry-After`, which has seconds or a date. 0 if it is missing or invalid. */
export function readDelay(retryAfter: string | null | undefined): number {
  return Number(retryAfter) * 1000 || Date.parse(retryAfter as string) - Date.now() || 0;
}

/**
 * Reads the value of a success: JSON, or a string, which `idCodec` parses if it is the id of a new item. An empty body is `undefined`.
 * Throws `ProblemError` for malformed JSON, and for a response that no operation sends, such as a page of a proxy.
 */
export async function readValue(
  response: Response, request: SentRequest, isRaw: boolean | undefined, timeoutMs: number | undefined,
): Promise<unknown> {
  if (!response.ok) throw await readError(response, request);
  if (isRaw) return response;
  const type = readMediaType(response);
  const fail = (detail: string): never => {
    throw new ProblemError({ detail }, response, request);
  };
  const parseJson = (json: string): unknown => {
    try {
      return JSON.parse(json);
    } catch {
      return fail('The response is not JSON.');
    }
  };
  const isItems = type.endsWith('ndjson');
  if (isItems || type.endsWith('event-stream')) {
    const { body } = response;
    // React Native has no body, and node-fetch a stream of Node.
    if (body !== null && !(body?.pipeThrough as unknown && globalThis.TextDecoderStream)) fail('The response is not a ReadableStream.');
    const lines = readLines(body, timeoutMs);
    return isItems ? readItems(lines, parseJson) : readEvents(lines, parseJson, request.cursor);
  }
  const text = await response.text();
  if (!text) return undefined;
  if (/[/+]json$/.test(type)) return parseJson(text);
  if (!type || type.endsWith('html')) fail(`The response is "${type}", not JSON.`);
  // A Create with a `reply` has a different status or type.
  return response.status === 201 && request.codec ? request.codec.parse(text) : text;
}

const MAX_ERROR_BYTES = 65_536;

/** Reads the error of a response that is not a success. */
async function readError(response: Response, target: RequestTarget): Promise<ProblemError> {
  // React Native has no body, and node-fetch a stream of Node.
  const reader = response.body?.getReader?.();
  // Not a `Blob`: a test environment with a DOM has one that the `Response` of Node does not take.
  const bytes = new Uint8Array(MAX_ERROR_BYTES);
  let length = 0;
  for (let step; reader && length < MAX_ERROR_BYTES && !(step = await reader.read()).done; length += step.value.length) {
    bytes.set(step.value.subarray(0, MAX_ERROR_BYTES - length), length);
  }
  // Rejects if the connection has broken since.
  reader?.cancel().catch(() => {});
  const body = reader ? bytes.slice(0, length) : await response.text();
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const type = readMediaType(response);
  let properties: [name: string, value: unknown][] = [];
  try {
    if (/[/+]json$/.test(type) && /^\s*{/.test(text)) {
      // A property of a problem that has a different type is ignored (RFC 9457 section 3.1). In other JSON, such as from a server with
      // `formatProblem`, the properties can mean anything.
      properties = Object.entries(JSON.parse(text)).filter(([name, value]) => !/problem\+/.test(type) || (
        name === 'errors' ? Array.isArray(value) : typeof value === 'string' || !/^(type|title|detail|instance)$/.test(name)
      ));
    }
  } catch {
    // Malformed, or cut off after `MAX_ERROR_BYTES`.
  }
  // No `Response` can be made with the status 0 of a browser, or with one over 599.
  const kept = /^[2-5]/.test(`${response.status}`) ? new Response(text ? body : null, response) : response;
  return new ProblemError(Object.fromEntries(properties), kept, target);
}

/** Reads the media type without its parameters: their values may look like a different type. */
function readMediaType({ headers }: Response): string {
  return (headers.get('content-type') ?? '').toLowerCase().replace(/[\s,;].*/, '');
}
