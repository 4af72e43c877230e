/** Endpoints whose operation runs in interceptors. */
import { type AnyDecoder, type ApiServer, type Interceptor, type Interceptors, type OperationOptions, stringId } from '../../src/index.ts';
import { message } from './messages.ts';

export type Around = Interceptor<any>['around'];

/** Declares a list that runs in these interceptors. */
export const declareList = (
  use: Interceptors, run: (request: any) => unknown = () => 'plain', properties: OperationOptions & { readonly query?: AnyDecoder } = {},
) => (server: ApiServer): void => server.registerEndpoint('/pet', { id: stringId, list: { use, run, ...properties } });

/** A request for it, with a query. */
export const LIST = message('GET', '/v1/pet?limit=3&tag=a');

/** A decoder of the parameter `limit`, and of nothing else. */
export const decodeLimit = ({ limit }: any): { limit: number } => {
  if (limit !== undefined && !/^\d+$/.test(limit)) throw new Error('no limit');
  return { limit: Number(limit ?? 7) };
};

/** A schema that rejects properties with other names. */
export const makeStrictSchema = (names: readonly string[]) => ({
  '~standard': {
    version: 1 as const, vendor: 'tests',
    validate: (value: any) => {
      const other = Object.keys(value).find((name) => !names.includes(name));
      return other === undefined ? { value } : { issues: [{ message: `no ${other}`, path: [other] }] };
    },
  },
});
