/** The ids of requests: the option of the servers, requests that have ids, and the id of each request by the rules. */
import type { ApiServerOptions } from '../../src/index.ts';
import type { Random } from '../support/random.ts';
import { joinHeader } from './heads.ts';
import type { ReadRequest } from './reference.ts';

/** Whose ids a server takes. */
export type TakenIds = 'of nobody' | 'of all';

const NEW = 'new-1';
const generate = (): string => NEW;

/** The options of the servers that have ids. A call of `server.fetch` counts as a proxy. */
export const ID_OPTIONS: Readonly<Record<TakenIds, Pick<ApiServerOptions, 'requestId' | 'proxy'>>> = {
  'of nobody': { requestId: { generate } },
  'of all': { requestId: { generate }, proxy: { trusted: 1 } },
};

/** The id of a request. `undefined` if the server has none. */
export function requestIdOf(request: ReadRequest): string | undefined {
  if (request.ids === undefined) return undefined;
  const sent = joinHeader(request, 'x-request-id') ?? '';
  return request.ids === 'of all' && /^[A-Za-z0-9_.:+/=@|~-]+$/.test(sent) && sent.length <= 128 ? sent : NEW;
}

const IDS: [string, ...string[]] = [
  '7f3c', '7f3c', 'a', '0', '../../a', 'a:b+c/d=e@f|g~h-i_j.k', '123e4567-e89b-12d3-a456-426614174000', '123E4567-E89B-12D3-A456-426614174000', 'x'.repeat(128),
  'x'.repeat(129), '', 'a b', 'a,b', 'a\tb', '"a"', '<a>', "a' --", '%0d%0a', 'a\xe9', '\xff', '{}', 'a;b', 'new-2', '__proto__',
];

/** The header lines of an id. */
export function idLines(random: Random): string[] {
  const name = random.pick(['X-Request-Id', 'X-Request-Id', 'x-request-id', 'X-REQUEST-ID', 'X_Request_Id']);
  return random.list(1, random.below(6) === 0 ? 2 : 1, () => `${name}: ${random.pick(IDS)}`);
}
