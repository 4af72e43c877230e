/** Sends one request, and never a second one. */
import type { CallOptions, ClientOptions } from './options.ts';

/** A request, but for its options. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  /** Whether it may have a body. */
  readonly hasBody: boolean;
  readonly body: unknown;
}

/** Sends a request with `fetch`. Rejects with what `fetch` and the client's `headers` throw. */
export async function send(request: SentRequest, call: CallOptions, options: ClientOptions): Promise<Response> {
  const { method, url } = request;
  // Begins here, so that the time covers the client's `headers`.
  const signal = signalOf(call.signal, call.timeoutMs ?? options.timeoutMs);
  const { headers: always } = options;
  const headers = new Headers(typeof always === 'function' ? await always() : always);
  new Headers(call.headers).forEach((value, name) => headers.set(name, value));
  const body = bodyOf(request, headers);
  const { fetch: given = fetch, credentials } = options;
  return given(url, {
    method,
    headers,
    // A redirect is an answer as any other: `fetch` would send the request again, or make a GET of it.
    redirect: 'manual',
    ...body,
    signal: signal ?? null,
    ...(credentials && { credentials }),
  });
}

interface SentBody {
  readonly body: string | Blob;
  /** `fetch` needs it for a stream. Not all platforms have it in their types. */
  readonly duplex?: 'half';
}

/** A body of bytes as it is, any other as JSON. */
function bodyOf({ hasBody, body }: SentRequest, headers: Headers): SentBody | undefined {
  if (!hasBody) return undefined;
  if (isBytes(body)) return { body, duplex: 'half' };
  // Without a body too: servers refuse a POST of another origin that has no type, since a page can send it without a preflight.
  if (!headers.has('content-type')) headers.set('content-type', 'application/json');
  return body === undefined ? undefined : { body: JSON.stringify(body) };
}

function isBytes(body: unknown): body is Blob {
  return /(Uint8Array|Buffer|Blob|File|Stream)]$/.test(Object.prototype.toString.call(body));
}

function signalOf(signal: AbortSignal | undefined, timeoutMs: number | undefined): AbortSignal | undefined {
  if (!timeoutMs) return signal;
  const timeout = AbortSignal.timeout(timeoutMs);
  return signal ? AbortSignal.any([signal, timeout]) : timeout;
}
