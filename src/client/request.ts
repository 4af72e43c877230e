/** Sends one request, and never a second one. */
import type { CallOptions, ClientOptions } from './options.ts';

/** A request, but for its options. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly body: unknown;
}

/** Sends a request with `fetch`. Rejects with the errors of `fetch` and of the client's `headers`. */
export async function send({ method, url, body }: SentRequest, call: CallOptions, options: ClientOptions): Promise<Response> {
  const { headers: always, fetch: hostFetch = fetch, timeoutMs, ...init } = options;
  // Begins here, so that the time covers the client's `headers`.
  const signal = signalOf(call.signal, call.timeoutMs ?? timeoutMs);
  const headers = new Headers(typeof always === 'function' ? await unlessAborted(always(), signal) : always);
  new Headers(call.headers).forEach((value, name) => headers.set(name, value));
  const hasBytes = isBytes(body);
  // Without a body too: servers refuse a POST of another origin that has no type, since a page can send it without a preflight.
  if (takesBody(method) && !hasBytes && !headers.has('content-type')) headers.set('content-type', 'application/json');
  return hostFetch(url, {
    // The credentials, if it has any.
    ...init,
    method,
    headers,
    // A redirect is an answer as any other: `fetch` would send the request again, or make a GET of it.
    redirect: 'manual',
    body: hasBytes ? body : JSON.stringify(body),
    duplex: 'half',
    signal,
  } as RequestInit);
}

/** Whether a request with this method may have a body. */
export function takesBody(method: string): boolean {
  return method.startsWith('P') || method === 'QUERY';
}

/** Settles as the promise, or rejects with the reason of a signal that aborts before. */
function unlessAborted<T>(value: T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort);
    // The host's signal may be one for many calls.
    Promise.resolve(value).then(resolve, reject).then(() => signal?.removeEventListener('abort', abort));
  });
}

function isBytes(body: unknown): body is Blob {
  return /(Uint8Array|Buffer|Blob|File|Stream)]$/.test(({}).toString.call(body));
}

function signalOf(signal: AbortSignal | undefined, timeoutMs: number | undefined): AbortSignal | undefined {
  if (!timeoutMs) return signal;
  const timeout = AbortSignal.timeout(timeoutMs);
  return signal ? AbortSignal.any([signal, timeout]) : timeout;
}
