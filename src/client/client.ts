/**
 * A client from the type of a declaration:
 *
 *   const api = client('https://api.example/v1');
 *   const pets = api<typeof petEndpoint>({ path: '/pet', id: integerId });
 *   const pet = await pets.get(1);   ->   GET https://api.example/v1/pet/1
 */
import type { IdCodec } from '../endpoint/id-codec.ts';
import { KINDS } from '../endpoint/kinds.ts';
import { errorOf, valueOf } from './answer.ts';
import type { CallOptions, ClientOptions, QueryParameters } from './options.ts';
import type { Client, Place } from './operations.ts';
import { send, takesBody } from './request.ts';
import { pathWith, queryText, segment, segmentsOf } from './url.ts';

/** Makes the client of an endpoint. Throws `TypeError` if the parameters of the path have no codecs, or other codecs. */
export type Connect = <Endpoint>(place: Place<Endpoint>) => Client<Endpoint>;

/**
 * Makes clients of the endpoints below a base: a server's address and root, such as `https://api.example/v1`, or `/v1` in a page. Throws
 * `TypeError` if the base has a query or a fragment.
 *
 * A call resolves to the operation's answer, as JSON carries it. It rejects with `ProblemError` for a non-2xx answer,
 * with `TypeError` for an id that no path can have, and with the errors of `fetch`.
 */
export function client(base: string, options: ClientOptions = {}): Connect {
  if (/[?#]/.test(base)) throw new TypeError(`a base has no query and no fragment: ${base}`);
  const root = base.replace(/\/$/, '');
  const connect = ({ path, id, params }: AnyPlace): unknown => {
    const pathOf = pathWith(path, params ?? {});
    const operations = (values: Values): unknown => operationsAt(root + pathOf(values), id, options);
    return params ? operations : operations({});
  };
  return connect as Connect;
}

type Values = Readonly<Record<string, unknown>>;

interface AnyPlace {
  readonly path: string;
  readonly id?: IdCodec<any> | undefined;
  readonly params?: Readonly<Record<string, IdCodec<any>>> | undefined;
}

/** All operations, since at run time nothing says which are declared. */
function operationsAt(url: string, id: IdCodec<any> | undefined, options: ClientOptions): object {
  const call = (method: string, isOnItem: boolean, suffix = '', madeId?: IdCodec<any>) => async (...args: unknown[]): Promise<unknown> => {
    const item = isOnItem && id ? segmentsOf(id, args.shift()) : '';
    const body = takesBody(method) ? args.shift() : undefined;
    const callOptions = (args[0] ?? {}) as AnyOptions;
    const request = { method, url: (url + item + suffix || '/') + queryText(callOptions.query), body };
    const response = await send(request, callOptions, options);
    await callOptions.onResponse?.(response);
    if (!response.ok) throw await errorOf(response, request);
    return callOptions.raw ? response : valueOf(response, madeId, request);
  };
  return Object.fromEntries(KINDS.map(({ member, method, suffix, answer }) => {
    const isOnItem = suffix.startsWith('/:id');
    const madeId = answer === 'id' ? id : undefined;
    return [member, suffix.endsWith('<name>') ? named((name) => call(method, isOnItem, name)) : call(method, isOnItem, '', madeId)];
  }));
}

type AnyOptions = CallOptions & { readonly query?: QueryParameters };

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
