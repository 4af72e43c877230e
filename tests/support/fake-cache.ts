/** A cache of queries with the methods that `restpoint/queries` needs, as far as these tests see them: TanStack's own are in `tests/compat`. */
import { client, type ClientOptions } from '../../src/client/index.ts';
import { queries, type QueriesOptions, type QueryClientLike } from '../../src/queries/index.ts';

interface ReadLike {
  readonly queryKey: readonly unknown[];
  readonly queryFn?: (context: object) => Promise<unknown>;
}
interface Entry extends ReadLike {
  readonly name: string;
  readonly state: { data: unknown };
  /** Counts fetches: only the last one writes. */
  fetches: number;
  loading: Promise<void> | undefined;
}
type Filter = Parameters<QueryClientLike['removeQueries']>[0];

export class FakeCache implements QueryClientLike {
  /** What was done: `invalidate pet 1`, `cancel list`, `remove pet 1`, by the names of the queries. */
  readonly log: string[] = [];
  entries: Entry[] = [];

  /** Adds a query, which is read when it is stale. Without data, it begins to load. */
  add(name: string, read: ReadLike, data?: unknown): Entry {
    const entry: Entry = { name, ...read, state: { data }, fetches: 0, loading: undefined };
    this.entries.push(entry);
    if (data === undefined) void this.#load(entry);
    return entry;
  }

  /** The data of a query. */
  dataOf(name: string): any {
    return this.entries.find((entry) => entry.name === name)?.state.data;
  }

  /** Resolves when everything is read. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
  }

  async invalidateQueries(filter: Filter): Promise<void> {
    await Promise.all(this.#find('invalidate', filter).map(async (entry) => {
      // As TanStack's: a first load goes on, any other begins again.
      if (entry.loading === undefined || entry.state.data !== undefined) void this.#load(entry);
      await entry.loading;
    }));
  }

  async cancelQueries(filter: Filter): Promise<void> {
    for (const entry of this.#find('cancel', { predicate: (query) => (query as Entry).loading !== undefined && filter.predicate(query) })) {
      entry.fetches += 1;
      entry.loading = undefined;
    }
  }

  removeQueries(filter: Filter): void {
    const removed = this.#find('remove', filter);
    this.entries = this.entries.filter((entry) => !removed.includes(entry));
  }

  getQueriesData(filter: Filter): (readonly [readonly unknown[], unknown])[] {
    return this.entries.filter((entry) => filter.predicate(entry)).map(({ queryKey, state }) => [queryKey, state.data] as const);
  }

  getQueryData(queryKey: readonly unknown[]): unknown {
    return this.#at(queryKey)?.state.data;
  }

  setQueryData(queryKey: readonly unknown[], data: unknown): unknown {
    return (this.#at(queryKey)!.state.data = data);
  }

  #at(queryKey: readonly unknown[]): Entry | undefined {
    return this.entries.find((entry) => JSON.stringify(entry.queryKey) === JSON.stringify(queryKey));
  }

  #find(what: string, { predicate }: Filter): Entry[] {
    const found = this.entries.filter(predicate);
    this.log.push(...found.map(({ name }) => `${what} ${name}`));
    return found;
  }

  async #load(entry: Entry): Promise<void> {
    const mine = entry.fetches += 1;
    entry.loading = (async () => {
      const data = await Promise.resolve(entry.queryFn?.({})).catch(() => entry.state.data);
      if (entry.fetches !== mine) return;
      entry.state.data = data ?? entry.state.data;
      entry.loading = undefined;
    })();
    await entry.loading;
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
