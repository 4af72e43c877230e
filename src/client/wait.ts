/** Waits for work that an operation has only begun: for a 202 with the `Location` of a status. */
import type { Call, ValueOf } from './call-types.ts';
import { formatUrl, isSameHost, NOWHERE } from './location.ts';
import type { CallOptions, ClientOptions, RequestOptions } from './options.ts';
import type { ProblemError } from './problem-error.ts';
import { readDelay, send } from './request.ts';
import { pause } from './signal.ts';

// The delays add up to a quarter to half a minute, in which a server can restart.
const RETRIES = 7;
const MAX_REDIRECTS = 20;
const MIN_DELAY_MS = 1000;
const MAX_DELAY_MS = 3_600_000;

/** What `get` of an endpoint resolves to. */
type Got<Of> = Of extends { readonly get: Call<any, infer Op, infer Made> } ? ValueOf<Op, Made> : unknown;

/** The operations of an endpoint. Only the client itself has `one`. */
interface NotClient {
  readonly one?: never;
}

/** The operations of an endpoint: its URL, and the options of the client. */
interface WithTarget {
  readonly ' target': readonly [url: string, options: ClientOptions];
}

/**
 * Waits for work that goes on after the response of an operation, and resolves to the `Response` with its result, since `raw` is `true`.
 *
 * @example
 * ```ts
 * const reports = client<Api>('https://api.example/v1')('/report');
 * const started = await reports.create({ year: 2026 }, { raw: true });
 * const response = await wait(reports, started.headers.get('Location'), { raw: true });
 * ```
 * @throws `ProblemError` for a response that is an error, and `TypeError` for a location that is missing or has a different origin.
 */
export function wait<Of extends object>(
  operations: Of & NotClient, location: string | null, options: RequestOptions & { readonly raw: true },
): Promise<Response>;
/**
 * Waits for work that goes on after the response of an operation, such as a 202 with the `Location` of a status. Resolves to the result, as
 * the `get` of an endpoint does. `operations` are the endpoint's, as in `api('/report')`.
 *
 * It gets the status after each `Retry-After`, or else each second, until the response is not a 202 and has no `Retry-After`. It follows
 * redirects within the origin of the client's base. `signal` ends it. A request is repeated up to seven times unless the client's `retries` say
 * otherwise, and `timeoutMs` is for a request with its repetitions.
 *
 * @example
 * ```ts
 * const reports = client<Api>('https://api.example/v1')('/report');
 * const started = await reports.create({ year: 2026 }, { raw: true });
 * const report = await wait(reports, started.headers.get('Location'), { signal: AbortSignal.timeout(60_000) });
 * ```
 * @throws `ProblemError` for a response that is an error, and `TypeError` for a location that is missing or has a different origin.
 */
export function wait<Of extends object>(operations: Of & NotClient, location: string | null, options?: RequestOptions): Promise<Got<Of>>;
export async function wait(operations: object, location: string | null, call: CallOptions = {}): Promise<unknown> {
  if (!location) throw new TypeError('wait needs the Location of a response: it is missing');
  const [base, options] = (operations as WithTarget)[' target'];
  const page = (globalThis as { readonly location?: { readonly href: string; readonly origin: string } }).location;
  const start = new URL(base, page?.href ?? NOWHERE);
  let url = start;
  const go = (target: string): void => {
    url = new URL(target, url);
    // `fetch` sends nothing to a URL with a user.
    if (!isSameHost(start, url) || url.username + url.password !== '') throw new TypeError(`the location must have the origin of the base: ${target}`);
  };
  go(location);
  let isHidden = false;
  const fetchStatus = (target: string, init: RequestInit): Promise<Response> => {
    return (options.fetch ?? fetch)(target, isHidden ? letFollow(init, start.origin === page?.origin) : init);
  };
  for (let redirects = 0; ;) {
    const request = { method: 'GET', url: formatUrl(url) };
    // A cache would give the same status again.
    const waiting = { ...call, cache: 'no-cache' } as const;
    const success = await send(request, waiting, { ...options, retries: options.retries ?? RETRIES, fetch: fetchStatus }).catch((error: unknown) => {
      const { status, response } = Object(error) as Partial<ProblemError>;
      const next = /^3/.test(`${status}`) ? response?.headers.get('location') : undefined;
      // A browser hides the status of a redirect, and where it leads.
      isHidden = status === 0;
      redirects += 1;
      if (redirects > MAX_REDIRECTS || !(next || isHidden)) throw error;
      go(next ?? '');
    });
    if (!success) continue;
    const { response, value } = success;
    if (isHidden) go(response.url);
    const retryAfter = response.headers.get('retry-after');
    if (response.status !== 202 && !retryAfter) return value;
    // The body of a stream would keep its connection.
    if (!response.bodyUsed) response.body?.cancel().catch(() => {});
    await pause(Math.min(Math.max(readDelay(retryAfter), MIN_DELAY_MS), MAX_DELAY_MS), call.signal);
  }
}

/**
 * Lets a browser follow redirects. Within the page's own origin, it follows no others. To a different origin, it sends only
 * `Authorization`, which it removes itself when a redirect leaves that origin.
 */
function letFollow(init: RequestInit, isOwn: boolean): RequestInit {
  const headers = [...init.headers as Headers].filter(([name]) => isOwn || name === 'authorization');
  return { ...init, headers, redirect: 'follow', mode: isOwn ? 'same-origin' : 'cors' };
}
