/**
 * A client from the type of a whole API:
 *
 *   const api = client<Api>('https://api.example/v1');
 *   const pet = await api('/zoo/:zoo/pet', { zoo: 3 }).get(1);   ->   GET https://api.example/v1/zoo/3/pet/1
 */
import type { IdCodec } from '../endpoint/id-codec.ts';
import type { OperationKind } from '../endpoint/kinds.ts';
import { makeCall } from './call.ts';
import { each } from './each.ts';
import { edit } from './edit.ts';
import type { ClientOptions, QueryParameters } from './options.ts';
import type { Client } from './paths.ts';
import { hasBody, send, type SendOptions } from './request.ts';

/**
 * Makes the client of an API below a base: a server's address and root, such as `https://api.example/v1`, or `/v1` in a page.
 *
 * A call resolves to the operation's result, as JSON carries it. It rejects with `ProblemError` for a non-2xx response, with `TypeError`
 * for an id that no path can have, and with the errors of `fetch`.
 *
 * @example
 * ```ts
 * const api = client<Api>('https://api.example/v1', { headers: { Authorization: 'Bearer abc' } });
 * const id = await api('/pet').create({ name: 'Rex', legs: 4 });
 * const { legs } = await api('/pet').get(id);
 * ```
 * @throws `TypeError` if the base has a query or a fragment.
 */
export function client<Api = never>(base: string, options: ClientOptions = {}): Client<Api> {
  if (/[?#]/.test(base)) throw new TypeError(`the base must not have a query or a fragment: ${base}`);
  const root = base.replace(/\/$/, '');
  const at = (hasId: boolean) => (path: string, params?: Readonly<Record<string, unknown>>, codecs: AnyCodecs = {}): object => {
    return makeOperations(root + fillPath(path, params, codecs.params), hasId, codecs.id, options);
  };
  return Object.assign(at(true), { one: at(false) }) as Client<any>;
}

type ParamCodecs = Readonly<Record<string, IdCodec<any>>>;

interface AnyCodecs {
  readonly id?: IdCodec<any>;
  readonly params?: ParamCodecs;
}

type AnyOptions = SendOptions & { readonly query?: QueryParameters };

/** Makes all operations, since at run time it is not known which are declared. */
function makeOperations(url: string, hasId: boolean, id: IdCodec<any> | undefined, options: ClientOptions): object {
  const makeUrl = (isOnItem: boolean, item: unknown, suffix = ''): string => {
    return url + (isOnItem ? formatSegment(item, id) : '') + suffix || '/';
  };
  const call = (method: string, isOnItem = false, suffix = '') => (...args: unknown[]): object => {
    const item = isOnItem ? args.shift() : undefined;
    const body = hasBody(method) ? args.shift() : undefined;
    const [callOptions = {}] = args as [AnyOptions?];
    const idCodec = isOnItem || suffix ? undefined : id;
    const makeRequest = () => ({ method, url: makeUrl(isOnItem, item, suffix) + formatQuery(callOptions.query), body, idCodec });
    return makeCall(method, makeRequest, callOptions, options);
  };
  return {
    // For `wait`, which only the programs that import it load.
    ' target': [url, options],
    create: call('POST'),
    list: call('GET'),
    search: call('QUERY'),
    get: call('GET', hasId),
    update: call('PUT', hasId),
    patch: call('PATCH', hasId),
    delete: call('DELETE', hasId),
    custom: makeNamed((suffix) => call('POST', false, suffix)),
    itemCustom: makeNamed((suffix) => call('POST', hasId, suffix)),
    each: ({ query, ...callOptions }: AnyOptions = {}) => {
      return each(makeUrl(false, undefined) + formatQuery(query), (request) => send(request, callOptions, options));
    },
    edit: async (...args: unknown[]) => {
      const item = hasId ? args.shift() : undefined;
      const [change, callOptions] = args as [(value: unknown) => unknown, AnyOptions?];
      return edit(makeUrl(hasId, item), options, change, callOptions);
    },
  } satisfies Record<OperationKind['name'] | 'each' | 'edit' | ' target', object>;
}

/** Operations by name. JavaScript itself calls some methods, which must not send a request. */
function makeNamed(makeOperation: (suffix: string) => unknown): object {
  return new Proxy({}, {
    get(_, name) {
      // Without it, a conversion to a string would call an operation `toString`.
      if (name === Symbol.toPrimitive) return () => '';
      // `await` calls `then`, and `JSON.stringify` calls `toJSON`.
      return typeof name === 'symbol' || name === 'then' || name === 'toJSON' ? undefined : makeOperation(escapeSegment(name));
    },
  });
}

/**
 * Makes a segment, with its slash. Throws `TypeError` for a string that is not a segment of a URL: empty, `.`, `..`, or half a surrogate
 * pair.
 */
function escapeSegment(text: string): string {
  if (/^\.{0,2}$|\p{Cs}/u.test(text)) throw new TypeError(`a path cannot have the id or parameter "${text}"`);
  return `/${encodeURIComponent(text)}`;
}

/** Formats the segment of an id or a parameter. Throws `TypeError` for a value that is missing, or needs a codec and has none. */
function formatSegment(value: unknown, codec: IdCodec<any> | undefined): string {
  // A parameter may have the name of a method, such as `constructor`: its codec is then a function.
  const text = codec?.format?.(value) ?? (/^(string|number|bigint)$/.test(typeof value) ? value as string : '');
  if (!codec || !(' tail' in codec)) return escapeSegment(text);
  // A wildcard has several segments.
  return text.split('/').map((part) => (codec.emptySegments && text && !part ? '/' : escapeSegment(part))).join('');
}

/** Puts parameters into a sub-path. Throws `TypeError` if one is missing. */
function fillPath(path: string, params: Readonly<Record<string, unknown>> = {}, codecs: ParamCodecs = {}): string {
  // The sub-path `/` is the root itself.
  return path === '/' ? '' : path.replace(/\/[:*]([^/]+)/g, (_, name: string) => formatSegment(params[name], codecs[name]));
}

/** Formats a query, with its `?`. An empty one is an empty string. */
function formatQuery(query: QueryParameters = {}): string {
  const search = new URLSearchParams();
  for (const [name, given] of query instanceof URLSearchParams ? query : Object.entries(query)) {
    for (const value of [given].flat()) {
      // A date of a different window is not an instance of `Date` here.
      if (value != null) search.append(name, (value as Partial<Date>).toISOString?.() ?? value as string);
    }
  }
  return String(search) && `?${search}`;
}
