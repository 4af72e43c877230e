/**
 * A client from the type of a whole API:
 *
 *   const api = client<Api>('https://api.example/v1');
 *   const pet = await api('/zoo/:zoo/pet', { zoo: 3 }).get(1);   ->   GET https://api.example/v1/zoo/3/pet/1
 */
import type { IdCodec } from '../declaration/id-codec.ts';
import { makeOperations } from './operations.ts';
import type { ClientOptions } from './options.ts';
import type { Client, ClientWithIds, IdsOf } from './paths.ts';
import { check, fillPath, type CodecsByName } from './url.ts';

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
 * @throws `TypeError` if the base is not a string, or has a query or a fragment, and if `fetch` is not a function. The client throws it for
 * a path that does not begin with `/`.
 */
export function client<Api = never>(base: string, options?: ClientOptions): Client<Api>;
/**
 * Makes a client with the codecs of all ids that are not strings, by path. `create` resolves to an id as its codec parses it, and calls of
 * a path need no codec.
 *
 * @example
 * ```ts
 * type Zoo = Pick<Api, '/pet'>;
 * const api = client<Zoo>('https://api.example/v1', { ids: { '/pet': integerId } });
 * const id: number = await api('/pet').create({ name: 'Rex', legs: 4 });
 * ```
 * @throws `TypeError` as without `ids`, and for one that is not a codec.
 */
export function client<Api = never>(base: string, options: ClientOptions & { readonly ids: IdsOf<Api> }): ClientWithIds<Api>;
export function client(base: string, { ids = {}, ...options }: ClientOptions & { readonly ids?: CodecsByName } = {}): object {
  check(typeof base === 'string' && !/[?#]/.test(base), `the base must be a string without "?" and "#": "${base}"`);
  // The global `fetch` is looked for when a request is sent.
  check(typeof (options.fetch ?? check) === 'function', 'fetch must be a function: server.fetch');
  for (const [path, codec] of Object.entries(ids)) {
    check(typeof codec?.parse === 'function' && typeof codec.format === 'function', `ids must have a codec of "${path}"`);
  }
  const root = base.replace(/\/$/, '');
  const at = (hasId: boolean) => (path: string, params?: Readonly<Record<string, unknown>>, codecs: AnyCodecs = {}): object => {
    return makeOperations(root + fillPath(path, params, codecs.params), hasId, codecs.id ?? ids[path], options);
  };
  const all: any = at(true);
  all.one = at(false);
  return all;
}

interface AnyCodecs {
  readonly id?: IdCodec<any>;
  readonly params?: CodecsByName;
}
