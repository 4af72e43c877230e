/** A cache of queries with the methods that `restpoint/queries` needs, as far as these tests see them: TanStack's own are in `tests/compat`. */
import { client, type ClientOptions } from '../../src/client/index.ts';
import { queries, type QueriesOptions, type QueryClientLike } from '../../src/queries/index.ts';

interface ReadLike {
  readonly queryKey: readonly unknown[];
  readonly queryFn?: (context: any) => Promise<any>;
  readonly getNextPageParam?: (page: any) => unknown;
}
interface Entry extends ReadLike {
  readonly name: string;
  state: { readonly data: any; readonly fetchStatus: 'idle' | 'fetching'; readonly isInvalidated: boolean };
  /** Whether a component shows it: only such a query is read when it is stale. */
  isActive: boolean;
  /** Counts fetches: only the last one writes. */
  fetches: number;
}
type Filter = Parameters<QueryClientLike['removeQueries']>[0];
type Listener = Parameters<ReturnType<QueryClientLike['getQueryCache']>['subscribe']>[0];
type Action = NonNullable<Parameters<Listener>[0]['action']>;

export class FakeCache implements QueryClientLike {
  /** What was done: `invalidate pet 1`, `remove pet 1`, by the names of the queries. */
  readonly log: string[] = [];
  entries: Entry[] = [];
  readonly #listeners: Listener[] = [];

  /** Adds a query, which is read when it is stale. Without data, it begins to load. */
  add(name: string, read: ReadLike, data?: unknown): Entry {
    const entry: Entry = { name, ...read, state: { data, fetchStatus: 'idle', isInvalidated: false }, isActive: true, fetches: 0 };
    this.entries.push(entry);
    if (data === undefined) this.fetch(name);
    return entry;
  }

  /** The data of a query. */
  dataOf(name: string): any {
    return this.#named(name)?.state.data;
  }

  /** Resolves when everything is read. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
  }

  /** Reads a query. As TanStack's, it cancels what is on its way, if there is data. `isMore` is for a next page. */
  fetch(name: string, isMore = false): void {
    void this.#load(this.#named(name)!, isMore);
  }

  getQueryCache() {
    return {
      findAll: ({ predicate }: Filter) => this.entries.filter(predicate),
      subscribe: (listener: Listener) => void this.#listeners.push(listener),
    };
  }

  async invalidateQueries({ predicate }: Filter): Promise<void> {
    const found = this.entries.filter(predicate);
    this.log.push(...found.map(({ name }) => `invalidate ${name}`));
    for (const entry of found) {
      this.#set(entry, { isInvalidated: true }, { type: 'invalidate' });
    }
    await Promise.all(this.entries.filter((entry) => entry.isActive && predicate(entry)).map((entry) => this.#load(entry, false)));
  }

  removeQueries({ predicate }: Filter): void {
    const removed = this.entries.filter(predicate);
    this.log.push(...removed.map(({ name }) => `remove ${name}`));
    this.entries = this.entries.filter((entry) => !removed.includes(entry));
  }

  setQueryData(queryKey: readonly unknown[], data: unknown): unknown {
    const entry = this.entries.find((each) => JSON.stringify(each.queryKey) === JSON.stringify(queryKey))!;
    // A copy of its own, as TanStack's makes one.
    this.#set(entry, { data: structuredClone(data), isInvalidated: false }, { type: 'success', manual: true });
    return entry.state.data;
  }

  #named(name: string): Entry | undefined {
    return this.entries.find((entry) => entry.name === name);
  }

  #set(entry: Entry, state: Partial<Entry['state']>, action: Action): void {
    entry.state = { ...entry.state, ...state };
    // As TanStack's, it tells first that what is shown may change.
    for (const event of [{ query: entry }, { query: entry, action }]) this.#listeners.forEach((listener) => listener(event));
  }

  async #load(entry: Entry, isMore: boolean): Promise<void> {
    if (!entry.queryFn) return;
    const mine = entry.fetches += 1;
    this.#set(entry, { fetchStatus: 'fetching' }, { type: 'fetch', meta: isMore ? { fetchMore: { direction: 'forward' } } : null });
    let read: Partial<Entry['state']> = {};
    try {
      read = { data: await this.#read(entry, isMore) ?? null, isInvalidated: false };
    } catch {
      // As a query whose last retry has failed.
    }
    if (entry.fetches === mine) this.#set(entry, { ...read, fetchStatus: 'idle' }, { type: 'data' in read ? 'success' : 'error' });
  }

  /** Reads a query; of pages the next one, or all. */
  async #read({ queryFn, getNextPageParam, state: { data } }: Entry, isMore: boolean): Promise<unknown> {
    if (!getNextPageParam) return queryFn!({});
    const pages: unknown[] = isMore ? [...data.pages] : [];
    do {
      pages.push(await queryFn!({ pageParam: pages.length > 0 ? getNextPageParam(pages.at(-1)) : undefined }));
    } while (!isMore && pages.length < (data?.pages.length ?? 1) && getNextPageParam(pages.at(-1)));
    return { pages, pageParams: pages.map(() => undefined) };
  }
}

/** A client of `http://zoo/v1` and its queries. `respond` makes the value of a response, or throws; a `Response` is sent as it is. */
export function makeQueried(respond: (request: string, body: any) => unknown = () => [], options: QueriesOptions<any> & ClientOptions & { readonly base?: string } = {}) {
  const sent: string[] = [];
  const { also, name, idOf, client: cache, base = 'http://zoo/v1', ...clientOptions } = options;
  const api = client<any>(base, {
    ...clientOptions,
    fetch: async (url, init) => {
      const { method = '', body, signal } = init as RequestInit;
      const request = `${method} ${String(url).replace(/^.*\/v1/, '')}`;
      sent.push(request);
      signal?.throwIfAborted();
      const value = await respond(request, typeof body === 'string' ? JSON.parse(body) : undefined);
      return value instanceof Response ? value : Response.json(value ?? null, { headers: { ETag: '"1"' } });
    },
  });
  const given = { ...(also && { also }), ...(name !== undefined && { name }), ...(idOf && { idOf }), ...(cache && { client: cache }) };
  return { q: queries<any, false>(api, given), api, sent, cache: new FakeCache() };
}
