/**
 * A client from the type of a whole API:
 *
 *   const api = client<Api>('https://api.example/v1');
 *   const pet = await api('/zoo/:zoo/pet', { zoo: 3 }).get(1);   ->   GET https://api.example/v1/zoo/3/pet/1
 */
import type { IdCodec } from '../endpoint/id-codec.ts';
import type { Kind, RowOf } from '../endpoint/kinds.ts';
import { each } from './each.ts';
import { edit } from './edit.ts';
import type { ClientOptions, QueryParameters } from './options.ts';
import type { Client } from './places.ts';
import type { ProblemError } from './problem-error.ts';
import { send, type SendOptions, type SentRequest } from './request.ts';
import { pathWith, queryText, segment, segmentOf, type Codecs } from './url.ts';

/**
 * Makes the client of an API below a base: a server's address and root, such as `https://api.example/v1`, or `/v1` in a page. Throws
 * `TypeError` if the base has a query or a fragment.
 *
 * A call resolves to the operation's answer, as JSON carries it. It rejects with `ProblemError` for a non-2xx answer,
 * with `TypeError` for an id that no path can have, and with the errors of `fetch`.
 */
export function client<Api>(base: string, options: ClientOptions = {}): Client<Api> {
  if (/[?#]/.test(base)) throw new TypeError(`a base has no query and no fragment: ${base}`);
  const root = base.replace(/\/$/, '');
  const at = (isSingleton: boolean) => (path: string, params?: Readonly<Record<string, unknown>>, codecs: AnyCodecs = {}): object => {
    return operationsAt(root + pathWith(path, params, codecs.params), isSingleton, codecs.id, options);
  };
  return Object.assign(at(false), { one: at(true) }) as Client<any>;
}

interface AnyCodecs {
  readonly id?: IdCodec<any>;
  readonly params?: Codecs;
}

type AnyOptions = SendOptions & { readonly query?: QueryParameters };

/** The method of each operation, with a slash if it is on an item. The table of kinds says more than a client needs, and is larger. */
const OPERATIONS = {
  create: 'POST', list: 'GET', search: 'QUERY', get: 'GET/', update: 'PUT/', patch: 'PATCH/', delete: 'DELETE/', custom: 'POST', itemCustom: 'POST/',
} as const satisfies {
  readonly [Member in Kind['member']]: `${RowOf<Member>['method']}${RowOf<Member>['suffix'] extends `/:id${string}` ? '/' : ''}`;
};

/** All operations, since at run time nothing says which are declared. */
function operationsAt(url: string, isSingleton: boolean, id: IdCodec<any> | undefined, options: ClientOptions): object {
  const itemUrl = (args: unknown[]): string => url + (isSingleton ? '' : segmentOf(args.shift(), id));
  const call = (operation: string, made?: IdCodec<any>, suffix = '') => async (...args: unknown[]): Promise<unknown> => {
    const [method = '', isOnItem] = operation.split(/(?=\/)/);
    const path = (isOnItem ? itemUrl(args) : url) + suffix || '/';
    const body = /^[PQ]/.test(method) ? args.shift() : undefined;
    const [callOptions = {}] = args as [AnyOptions?];
    return resultOf({ method, url: path + queryText(callOptions.query), body, made }, callOptions, options);
  };
  const operations = Object.entries(OPERATIONS).map(([member, operation]) => [
    member,
    /ustom$/.test(member) ? named((name) => call(operation, undefined, name)) : call(operation, member === 'create' ? id : undefined),
  ]);
  return {
    ...Object.fromEntries(operations),
    each: ({ query, ...callOptions }: AnyOptions = {}) => each((url || '/') + queryText(query), (request) => send(request, callOptions, options)),
    edit: async (...args: unknown[]) => {
      const path = itemUrl(args) || '/';
      const [change, callOptions = {}] = args as [(item: unknown) => unknown, AnyOptions?];
      return edit(path, change, callOptions, options);
    },
  };
}

async function resultOf(request: SentRequest, call: SendOptions, options: ClientOptions): Promise<unknown> {
  try {
    const { response: { status, headers }, value } = await send(request, call, options);
    return call.safe ? { ok: true, status, value, etag: headers.get('etag') ?? undefined } : value;
  } catch (error) {
    const { status, problem, response } = Object(error) as Partial<ProblemError>;
    // A success that cannot be read has no problem of the server's.
    if (!call.safe || !response || response.ok) throw error;
    return { ok: false, status, problem };
  }
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
