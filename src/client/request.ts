/** Sends a request, reads its answer, and repeats it where the client may and is told to. */
import type { IdCodec } from '../endpoint/id-codec.ts';
import { errorOf, valueOf } from './answer.ts';
import type { CallOptions, ClientOptions, HeaderFields, IdempotencyKey, IfMatch } from './options.ts';
import { delayBefore, type SentInit } from './retry.ts';
import { pause, signalOf, unlessAborted } from './signal.ts';
import { bodyOf, type Cursor, isStream } from './streams.ts';

/** A request, but for its options. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly body?: unknown;
  /** Parses the id of a new item. */
  readonly made?: IdCodec<unknown> | undefined;
  /** Where a stream of events is. */
  readonly cursor?: Cursor | undefined;
}

/** The options of any call, and whether a cache may answer. */
export type SendOptions = CallOptions & IfMatch & IdempotencyKey & { readonly cache?: 'no-cache' };

/** A success: its value, or the response where the call is `raw`. The value of a stream is an iterable of its items. */
export interface Success {
  readonly response: Response;
  readonly value: unknown;
}

/** Sends a request. Rejects with `ProblemError`, and with the errors of `fetch` and of the host's functions. */
export async function send(request: SentRequest, call: SendOptions, options: ClientOptions): Promise<Success> {
  const { fetch: hostFetch = fetch, timeoutMs, retries, headers: always, ...credentials } = options;
  // Begins here, so that the time covers the client's `headers`.
  const signal = signalOf(call.signal, call.timeoutMs ?? timeoutMs);
  const fields = typeof always === 'function' ? await unlessAborted(always(), signal) : always;
  const init = { ...credentials, ...initOf(request, call, fields), signal };
  const read = async (response: Response): Promise<Success> => {
    if (!response.ok) throw await errorOf(response, request);
    return { response, value: call.raw ? response : await valueOf(response, request) };
  };
  for (let repeated = 0; ; repeated += 1) {
    // Resolves to nothing if the request is to be sent again.
    const failed = (error: unknown): Promise<void> => {
      const delay = signal?.aborted ? undefined : delayBefore(repeated, error, init, retries);
      if (delay === undefined) throw error;
      return pause(delay, signal);
    };
    const response = await hostFetch(request.url, init as RequestInit).catch(failed);
    // The host's own errors repeat nothing.
    if (response) await call.onResponse?.(response);
    const success = response && await read(response).catch(failed);
    if (success) return success;
  }
}

function initOf({ method, body, cursor }: SentRequest, call: SendOptions, always: HeaderFields | undefined): SentInit & Readonly<Record<string, unknown>> {
  const headers = new Headers();
  const [type, sent] = encoded(body);
  for (const [name, value] of [
    // Without a body too: servers refuse a POST of another origin that has no type, since a page can send it without a preflight.
    ['content-type', /^[PQ]/.test(method) ? type : undefined],
    ...new Headers(always),
    ...new Headers(call.headers),
    ['if-match', call.ifMatch],
    // A string of structured fields (RFC 9651).
    ['idempotency-key', call.key && JSON.stringify(call.key)],
    ['last-event-id', cursor?.id],
  ] as const) {
    if (value) headers.set(name, value);
  }
  return {
    method,
    headers,
    // A redirect is an answer as any other: `fetch` would send the request again, or make a GET of it.
    redirect: 'manual',
    body: sent,
    duplex: 'half',
    cache: call.cache,
  };
}

/** A body and its type. That of bytes is their own. */
function encoded(body: unknown): [type: string | undefined, sent: unknown] {
  if (/(Uint8Array|Buffer|Blob|File|Stream)]$/.test(({}).toString.call(body))) return [undefined, body];
  return isStream(body) ? ['application/x-ndjson', bodyOf(body)] : ['application/json', JSON.stringify(body)];
}
