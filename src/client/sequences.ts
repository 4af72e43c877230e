/** What takes several requests: `each` over pages, `edit` without lost updates, and `wait` for long work. */
import type { CallsInternals, ClientCall, ValueOf } from './operations.ts';
import type { CallOptions, ClientOptions, RequestOptions } from './options.ts';
import { ProblemError } from './problem-error.ts';
import { readDelay, send, type SentRequest, type Success } from './request.ts';
import { pause, unlessAborted, useSignal } from './signal.ts';
import { formatQuery } from './url.ts';

/**
 * Has one page of a list, and the queries of the pages beside it. Their values are strings, as in a URL.
 *
 * @example
 * ```ts
 * const formatRest = ({ next }: ListPage<unknown, object>): string => (next ? `More at ?rest=${JSON.stringify(next)}` : 'The end');
 * ```
 */
export interface ListPage<Item, Query> {
  /** The items of this page. */
  readonly items: readonly Item[];
  /** The query of the next page; `undefined` at the end. */
  readonly next: Query | undefined;
  /** The query of the page before; `undefined` if the response has no link to it. */
  readonly prev: Query | undefined;
}

interface LinkedPage {
  readonly items: readonly unknown[];
  /** The URL of the page. A link is followed to the origin of this. */
  readonly here: URL;
  /** Finds a link. Throws `ProblemError` for one that is malformed. */
  readonly locate: (relation: 'next' | 'prev') => URL | undefined;
  readonly fail: (detail: string) => never;
}
type SendPage = (request: SentRequest) => Promise<Success>;

/**
 * The items, page after page. The next page is requested when all items of the page before are used. A link to a different origin is not
 * followed. Throws `ProblemError` at a link that was followed before: the rest of the list cannot be reached.
 */
export async function* each(firstUrl: string, send: SendPage): AsyncGenerator<unknown> {
  const seen = new Set<string>();
  for (let url: string | undefined = firstUrl; url;) {
    seen.add(url);
    const { here, items, locate, fail }: LinkedPage = await readPage(url, send);
    yield* items;
    const next = locate('next');
    url = next && isSameHost(here, next) ? formatUrl(next) : undefined;
    if (seen.has(url as string)) fail('The next page came before.');
  }
}

/** One page. Only the query of a link is used. Throws `ProblemError` if the next page has the query of this one, or none. */
export async function page(url: string, send: SendPage): Promise<ListPage<unknown, object>> {
  const { items, locate, fail } = await readPage(url, send);
  const query = readLinkQuery(locate('next'));
  if (query && url.endsWith(formatQuery(query))) fail('The next page came before.');
  return { items, next: query, prev: readLinkQuery(locate('prev')) };
}

/** Reads a page, which is a list, or an object with `items`. Its links are properties of this object, or in `Link` (RFC 8288). */
async function readPage(url: string, send: SendPage): Promise<LinkedPage> {
  const request = { method: 'GET', url };
  const { response, value } = await send(request);
  const fail = (detail: string): never => {
    throw new ProblemError({ detail }, response, request);
  };
  const links: Record<string, string | undefined> = {};
  let link;
  // Finds the targets of a `Link`, and each `rel`. Matches quoted strings too, to skip them: a title can look like a link (RFC 8288 B.3).
  const parts = /<([^>]*)>?|;\s*rel\s*=\s*(?="?([^";,]*))|"(?:\\.|[^"\\])*"?/gi;
  for (const [, target, relations = ''] of (response.headers.get('link') ?? '').matchAll(parts)) {
    link = target ?? link;
    for (const relation of relations.toLowerCase().split(/\s+/)) links[relation] ??= link;
  }
  const { items = value, ...own } = Object(value) as { readonly [Name in 'items' | 'next' | 'prev']?: unknown };
  if (!Array.isArray(items)) fail('The response is not a list.');
  const { redirected, url: found } = response;
  // After a redirect, the response may have a different origin than the request.
  const here = new URL(url, !redirected && found || NOWHERE);
  const locate = (relation: 'next' | 'prev'): URL | undefined => {
    const target = typeof own[relation] === 'string' && own[relation] || links[relation];
    try {
      return target == null ? undefined : new URL(target, here);
    } catch {
      return fail('The link is not a URL.');
    }
  };
  // Below a base that is only a path, the origin of the request is not known: then a link must not have one.
  if (redirected && !isSameHost(here, here.origin === NOWHERE ? locate('next') ?? here : new URL(found))) {
    fail('The response is of a different origin.');
  }
  return { here, fail, items: items as unknown[], locate };
}

/** Reads the query of a link. A name that is repeated has a list. */
function readLinkQuery(link: URL | undefined): Record<string, string | string[]> | undefined {
  if (!link) return undefined;
  const query: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of link.searchParams) {
    const before = query[name];
    if (Array.isArray(before)) before.push(value);
    else query[name] = before == null ? value : [before, value];
  }
  return { ...query };
}

/**
 * Gets an item, changes it, and puts it with an `If-Match` of the `ETag` that it got. After a 412 it begins again. Resolves to what was
 * stored: the response of the update, or else the body that was sent. If the change is `undefined`, the item stays as it is.
 */
export async function edit(
  url: string, options: ClientOptions, change: (item: unknown) => unknown, call: RequestOptions = {},
): Promise<unknown> {
  return useSignal(call.signal, call.timeoutMs ?? options.timeoutMs, async (signal) => {
    for (let attempt = 1; ; attempt += 1) {
      // A cache would return the outdated tag again.
      const { response, value } = await send({ method: 'GET', url }, { ...call, signal, timeoutMs: 0, cache: 'no-cache' }, options);
      const ifMatch = response.headers.get('etag');
      if (!ifMatch) throw new TypeError(`GET ${url} -> no ETag: edit needs endpoint.version`);
      const body = await unlessAborted(change(value), signal);
      if (body === undefined) return value;
      const put = await send({ method: 'PUT', url, body }, { ...call, signal, timeoutMs: 0, ifMatch }, options).catch((error: unknown) => {
        if ((error as Partial<ProblemError> | undefined)?.status !== 412 || attempt === 20) throw error;
      });
      if (put) return put.value === undefined ? body : put.value;
      // Rivals pause for different times, longer after each attempt.
      await pause(attempt * 25 * Math.random(), signal);
    }
  });
}

// The delays add up to a quarter to half a minute, in which a server can restart.
const RETRIES = 7;
const MAX_REDIRECTS = 20;
const MIN_DELAY_MS = 1000;
const MAX_DELAY_MS = 3_600_000;

/** What `get` of an endpoint resolves to. */
export type Got<Of> = Of extends { readonly get: ClientCall<any, infer Op, infer Made> } ? ValueOf<Op, Made> : unknown;

/** The operations of an endpoint. Only the client itself has `one`. */
interface NotClient {
  readonly one?: never;
}

/**
 * Waits for work that goes on after the response of an operation, such as a 202 with the `Location` of a status. Resolves to the result, as
 * the `get` of an endpoint does; with `raw: true`, to the `Response`. `operations` are the endpoint's, as in `api('/report')`.
 *
 * It gets the status after each `Retry-After`, or else each second, until the response is not a 202 and has no `Retry-After`. It follows
 * redirects within the origin of the client's base. `signal` ends it. A request is repeated up to seven times unless the client's `retries`
 * say otherwise, and `timeoutMs` is for a request with its repetitions.
 *
 * @example
 * ```ts
 * const reports = client<Api>('https://api.example/v1')('/report');
 * const started = await reports.create({ year: 2026 }, { raw: true });
 * const report = await wait(reports, started.headers.get('Location'), { signal: AbortSignal.timeout(60_000) });
 * ```
 * @throws `ProblemError` for a response that is an error, and `TypeError` for a location that is missing or has a different origin.
 */
export function wait<Of extends object, Raw extends boolean = false>(
  operations: Of & NotClient, location: string | null, options?: RequestOptions & { readonly raw?: Raw },
): Promise<Raw extends true ? Response : Got<Of>>;
export async function wait(operations: object, location: string | null, call: CallOptions = {}): Promise<unknown> {
  if (!location) throw new TypeError('wait needs the Location of a response: it is missing');
  const { url: base, options } = (operations as { readonly ' internal': CallsInternals })[' internal'];
  const page = (globalThis as { readonly location?: { readonly href: string; readonly origin: string } }).location;
  const start = new URL(base, page?.href ?? NOWHERE);
  let url = start;
  const go = (target: string): void => {
    const next = URL.canParse(target, url.href) && new URL(target, url);
    // `fetch` sends nothing to a URL with a user.
    if (!next || !isSameHost(start, next) || next.username + next.password !== '') {
      throw new TypeError(`the location must have the origin of the base: ${target}`);
    }
    url = next;
  };
  go(location);
  let isHidden = false;
  const fetchStatus = (target: string, init: RequestInit): Promise<Response> => {
    return (call.fetch ?? options.fetch ?? fetch)(target, isHidden ? letFollow(init, start.origin === page?.origin) : init);
  };
  for (let redirects = 0; ;) {
    const request = { method: 'GET', url: formatUrl(url) };
    // A cache would give the same status again.
    const waiting = { ...call, cache: 'no-cache', fetch: fetchStatus } as const;
    const success = await send(request, waiting, { ...options, retries: options.retries ?? RETRIES }).catch((error: unknown) => {
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
    if (!response.bodyUsed) response.body?.cancel?.().catch(() => {});
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

/** The host of URLs that have none: a base may be only a path, and the response of a custom `fetch` may have no URL. */
export const NOWHERE = 'http://x.invalid';

/** The URL for `fetch`: without `NOWHERE`. The path must not begin with `//`, which would be a host. */
export function formatUrl({ href }: URL): string {
  return href.replace(/^http:..x\.invalid\//, '/').replace(/^\/\//, '/.//');
}

/** Whether credentials for one URL may be sent to the other. `origin` is `null` for every URL that is not of the web, such as `data:`. */
export function isSameHost(one: URL, other: URL): boolean {
  return one.protocol + one.host === other.protocol + other.host;
}
