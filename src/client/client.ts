/**
 * A client from the type of a whole API:
 *
 *   const api = client<Api>('https://api.example/v1');
 *   const pet = await api('/zoo/:zoo/pet', { zoo: 3 }).get(1);   ->   GET https://api.example/v1/zoo/3/pet/1
 */
import type { IdCodec } from '../endpoint/id-codec.ts';
import type { Kind } from '../endpoint/kinds.ts';
import { callOf } from './call.ts';
import { each } from './each.ts';
import { edit } from './edit.ts';
import type { ClientOptions, QueryParameters } from './options.ts';
import type { Client } from './places.ts';
import { send, type SendOptions } from './request.ts';
import { pathWith, queryText, segment, segmentOf, type Codecs } from './url.ts';

/**
 * Makes the client of an API below a base: a server's address and root, such as `https://api.example/v1`, or `/v1` in a page. Throws
 * `TypeError` if the base has a query or a fragment.
 *
 * A call resolves to the operation's answer, as JSON carries it. It rejects with `ProblemError` for a non-2xx answer,
 * with `TypeError` for an id that no path can have, and with the errors of `fetch`.
 */
export function client<Api = never>(base: string, options: ClientOptions = {}): Client<Api> {
  if (/[?#]/.test(base)) throw new TypeError(`a base has no query or fragment: ${base}`);
  const root = base.replace(/\/$/, '');
  const at = (hasId: boolean) => (path: string, params?: Readonly<Record<string, unknown>>, codecs: AnyCodecs = {}): object => {
    return operationsAt(root + pathWith(path, params, codecs.params), hasId, codecs.id, options);
  };
  return Object.assign(at(true), { one: at(false) }) as Client<any>;
}

interface AnyCodecs {
  readonly id?: IdCodec<any>;
  readonly params?: Codecs;
}

type AnyOptions = SendOptions & { readonly query?: QueryParameters };

/** All operations, since at run time nothing says which are declared. */
function operationsAt(url: string, hasId: boolean, id: IdCodec<any> | undefined, options: ClientOptions): object {
  const urlOf = (isOnItem: boolean, item: unknown, suffix = ''): string => url + (isOnItem ? segmentOf(item, id) : '') + suffix || '/';
  const call = (method: string, isOnItem = false, suffix = '') => (...args: unknown[]): object => {
    const item = isOnItem && args.shift();
    const body = /^[PQ]/.test(method) ? args.shift() : undefined;
    const [callOptions = {}] = args as [AnyOptions?];
    const made = isOnItem || suffix ? undefined : id;
    return callOf(method, () => ({ method, url: urlOf(isOnItem, item, suffix) + queryText(callOptions.query), body, made }), callOptions, options);
  };
  return {
    create: call('POST'),
    list: call('GET'),
    search: call('QUERY'),
    get: call('GET', hasId),
    update: call('PUT', hasId),
    patch: call('PATCH', hasId),
    delete: call('DELETE', hasId),
    custom: named((suffix) => call('POST', false, suffix)),
    itemCustom: named((suffix) => call('POST', hasId, suffix)),
    each: ({ query, ...callOptions }: AnyOptions = {}) => each((url || '/') + queryText(query), (request) => send(request, callOptions, options)),
    // The id comes first, if there is one.
    edit: async (...args: unknown[]) => edit(urlOf(hasId, hasId && args.shift()), options, ...args as [(value: unknown) => unknown, AnyOptions?]),
  } satisfies Record<Kind['member'] | 'each' | 'edit', object>;
}

/** Operations by name. The language itself calls some methods: those must send nothing. */
function named(operation: (suffix: string) => unknown): object {
  return new Proxy({}, {
    get(_, name) {
      // With it, a conversion to text does not call an operation `toString`.
      if (name === Symbol.toPrimitive) return () => '';
      // `await` calls `then`, and `JSON.stringify` calls `toJSON`.
      return typeof name === 'symbol' || name === 'then' || name === 'toJSON' ? undefined : operation(segment(name));
    },
  });
}
