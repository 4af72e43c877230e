/** A copy of `request` has what its type says. Compiling this file is the test. */
import { defineEndpoint, integerId, stringId, type ApiRequest, type ContextRequest, type Interceptor } from '../../src/index.ts';
import { same } from './schemas.ts';

declare const inTransaction: Interceptor<{ readonly tx: number }>;
declare function signedIn(request: ContextRequest): Promise<{ readonly name: string }>;
defineEndpoint({
  id: integerId, params: { zoo: stringId }, context: signedIn, use: inTransaction,
  get: (_id, { params, ...rest }) => (same<keyof typeof rest, 'context' | 'tx'>(true), [params.zoo, rest.context.name, rest.tx]),
});
// @ts-expect-error a copy has no getters
defineEndpoint({ get: ({ params, ...rest }) => [params, rest.raw.url] });
// @ts-expect-error a copy has no getters
defineEndpoint({ id: integerId, get: { query: (query: unknown) => query as { n: number }, run: (_id, { ...rest }) => rest.query.n } });
// @ts-expect-error nor has one by spreading
defineEndpoint({ get: (request) => ({ ...request }).signal.aborted });
// @ts-expect-error nor has that of a context
defineEndpoint({ context: ({ params, ...rest }: ContextRequest) => [params, rest.signal], get: () => 1 });
// A whole request, and its properties by name, are as ever.
defineEndpoint({ get: ({ raw, route, query, lastEventId, ifMatch, signal }) => [raw.url, route.path, query.get('x'), lastEventId, ifMatch, signal.aborted] });
export const passed = (request: ApiRequest): string | undefined => request.raw.url;
export const made = ({ raw, route, query, signal }: ApiRequest): ApiRequest => ({ raw, id: undefined, route, query, signal, lastEventId: undefined, ifMatch: undefined, ifNoneMatch: undefined, client: undefined, baseUrl: '', urlOf: () => '', context: undefined, params: {} });
// The id of `urlOf` is of the endpoint. A custom operation may be of an endpoint with any id.
defineEndpoint({ id: integerId, get: (id, { urlOf }) => urlOf(id), list: ({ urlOf, client, baseUrl }) => [urlOf(1), client?.length, baseUrl.length] });
// @ts-expect-error a string is not an id
defineEndpoint({ id: integerId, get: (id, { urlOf }) => [id, urlOf('7')] });
