/** O20: Contexts of operations, scopes, and what endpoints share. Compiling this file is the test. */
import { ApiServer, defineEndpoint, endpointWith, integerId, stringId, type ApiRequest, type ContextRequest, type IdCodec, type StandardSchemaV1 } from '../../src/index.ts';
import { anyone, bearer, firstOf } from '../../src/auth/index.ts';
import { decodePet, petSchema, same, type Pet } from './schemas.ts';

interface User {
  readonly name: string;
}
declare const pageSchema: StandardSchemaV1<unknown, { readonly limit: number }>;
declare function signedIn(request: { readonly signal: AbortSignal }): Promise<User>;
declare function visitor(request: { readonly signal: AbortSignal }): User | undefined;
/** A context that knows scopes. */
declare const scoped: ((request: ContextRequest) => Promise<User>) & { readonly security: object };
declare function timed<A extends unknown[], T>(run: (...args: A) => T): (...args: A) => T;
const server = new ApiServer('');

// ---- An operation's own context stands instead of the endpoint's.
const pets = defineEndpoint({
  id: integerId, params: { zoo: stringId }, schema: petSchema, context: visitor,
  create: { context: signedIn, run: (pet, { context, params }) => (same<typeof pet, Pet>(true), same<typeof context, User>(true), same<typeof params.zoo, string>(true), 1) },
  list: { query: pageSchema, context: signedIn, run: ({ context, query }) => [same<typeof context, User>(true), same<typeof query.limit, number>(true)] },
  get: (_id, { context }) => (same<typeof context, User>(true), undefined as Pet | undefined),
  update: { context: signedIn, run: (id, pet, { context }) => void [same<typeof id, number>(true), same<typeof pet, Pet>(true), same<typeof context, User>(true)] },
  patch: { input: decodePet, context: () => 7, run: (_id, _pet, { context }) => void same<typeof context, number>(true) },
  delete: { context: async ({ params }: ContextRequest<{ readonly zoo: string }>) => params.zoo, run: (_id, { context }) => void same<typeof context, string>(true) },
  custom: {
    count: { context: signedIn, run: ({ context }) => same<typeof context, User>(true) },
    find: { input: decodePet, context: signedIn, run: timed((pet, { context }) => [same<typeof pet, Pet>(true), same<typeof context, User>(true)]) },
    all: ({ context }) => same<typeof context, User>(true),
  },
  itemCustom: {
    feed: { context: ({ itemId }: ContextRequest<{}, number>) => itemId, run: (id, { context }) => [same<typeof id, number>(true), same<typeof context, number>(true)] },
  },
});
server.registerEndpoint('/zoo/:zoo/pet', pets);
// One without a context of the endpoint.
defineEndpoint({ id: integerId, get: (_id, { context }) => same<typeof context, undefined>(true), delete: { context: signedIn, run: (_id, { context }) => void same<typeof context, User>(true) } });
server.registerEndpoint('/pet', { id: integerId, schema: petSchema, get: () => null, create: { context: signedIn, run: (pet, { context }) => pet.legs + context.name.length } });
// Also in a defined endpoint, where only some operations have a context.
server.registerEndpoint('/pet', defineEndpoint({
  id: integerId, schema: petSchema,
  list: { query: pageSchema, run: ({ context }) => [same<typeof context, undefined>(true)] },
  create: { context: signedIn, run: async (pet, { context }) => pet.legs + context.name.length },
  custom: { count: ({ context }) => same<typeof context, undefined>(true) },
}));
// `undefined` of `restpoint/auth` admits the caller; of any other function it rejects, as `null` and `false` do.
declare function found(request: ContextRequest): Promise<User | null>;
const byToken = bearer((token): User | undefined => (token === '' ? undefined : { name: token }));
defineEndpoint({
  id: integerId, context: byToken.optional, get: (_id, { context }) => same<typeof context, User | undefined>(true),
  list: { context: anyone, run: ({ context }) => [same<typeof context, undefined>(true)] },
  delete: { context: found, run: (_id, { context }) => void same<typeof context, User>(true) },
  custom: {
    mine: { context: firstOf(visitor, anyone), run: ({ context }) => same<typeof context, User | undefined>(true) },
    own: { context: firstOf(byToken, visitor), run: ({ context }) => same<typeof context, User>(true) },
  },
});
defineEndpoint({ context: anyone, get: ({ context }) => same<typeof context, undefined>(true), custom: { own: { context: byToken, run: ({ context }) => same<typeof context, User>(true) } } });
defineEndpoint({ context: firstOf(visitor, anyone), get: ({ context }) => same<typeof context, User | undefined>(true) });
endpointWith({ context: byToken.optional })({ get: ({ context }) => same<typeof context, User | undefined>(true) });
endpointWith({ context: found })({ get: ({ context }) => same<typeof context, User>(true) });
// `false` rejects the caller, so that no operation gets it.
declare function isAdmin(request: ContextRequest): boolean;
defineEndpoint({ id: integerId, context: isAdmin, get: (_id, { context }) => same<typeof context, true>(true), delete: { context: async (request: ContextRequest) => isAdmin(request), run: (_id, { context }) => void same<typeof context, true>(true) } });
defineEndpoint({ id: integerId, context: (request) => isAdmin(request) && 'ann', get: (_id, { context }) => same<typeof context, 'ann'>(true) });
defineEndpoint({ context: async (request) => isAdmin(request) && signedIn(request), get: ({ context }) => same<typeof context, User>(true), custom: { own: { context: () => false as User | false, run: ({ context }) => same<typeof context, User>(true) } } });
endpointWith({ context: isAdmin })({ get: ({ context }) => same<typeof context, true>(true) });
server.registerEndpoints({ '/admin': defineEndpoint({ context: isAdmin, get: { context: isAdmin, run: ({ context }: ApiRequest<true>) => context } }) });
// Where the parameter of an operation's context has no type, its own type is not known to `run`, which must not take another.
defineEndpoint({ id: integerId, delete: { context: ({ itemId }) => same<typeof itemId, number | undefined>(true), run: (id) => id > 1 } });
// @ts-expect-error run takes another context than the operation's
defineEndpoint({ id: integerId, context: visitor, delete: { context: signedIn, run: (_id: number, { context }: ApiRequest<number>) => context > 1 } });
// @ts-expect-error a context is a function
defineEndpoint({ id: integerId, delete: { context: 'ann', run: () => {} } });
// @ts-expect-error a parameter that the endpoint does not have
defineEndpoint({ id: integerId, delete: { context: ({ params }: ContextRequest<{ readonly zoo: string }>) => params.zoo, run: () => {} } });

// ---- Scopes need a context that knows them: that of the operation, or else of the endpoint.
defineEndpoint({ id: integerId, context: scoped, scopes: ['pet:read'], get: () => null, delete: { scopes: ['pet:write'], run: (_id, { context }) => void same<typeof context, User>(true) } });
defineEndpoint({ id: integerId, get: () => null, delete: { scopes: ['pet:write'], context: scoped, run: (_id, { context }) => void same<typeof context, User>(true) } });
defineEndpoint({ id: integerId, context: scoped, scopes: ['pet:read'], get: { scopes: [], context: visitor, run: () => null }, custom: { count: { scopes: ['a'], run: () => 1 } } });
// @ts-expect-error a list of strings
defineEndpoint({ id: integerId, context: scoped, delete: { scopes: 'pet:write', run: () => {} } });

// ---- What endpoints share.
const define = endpointWith({ params: { zoo: stringId }, context: signedIn });
const shared = define({
  id: integerId, schema: petSchema,
  create: (pet, { context, params }) => (same<typeof pet, Pet>(true), same<typeof context, User>(true), same<typeof params, { readonly zoo: string }>(true), 1),
  list: { query: pageSchema, run: ({ query, context, params }) => [same<typeof query.limit, number>(true), same<typeof context, User>(true), params.zoo] },
  get: (id, { context }) => (same<typeof id, number>(true), same<typeof context, User>(true), undefined as Pet | undefined),
  update: { context: visitor, run: (id, pet, { context }) => void [same<typeof id, number>(true), same<typeof pet, Pet>(true), same<typeof context, User>(true)] },
  custom: { find: { input: decodePet, run: timed((pet, { context }) => [same<typeof pet, Pet>(true), same<typeof context, User>(true)]) }, all: ({ params }) => params.zoo },
  itemCustom: { feed: (id, { params }) => [id, params.zoo] },
});
same<keyof typeof shared, 'id' | 'schema' | 'create' | 'list' | 'get' | 'update' | 'custom' | 'itemCustom' | 'params' | 'context'>(true);
same<(typeof shared)['context'], typeof signedIn>(true);
server.registerEndpoint('/zoo/:zoo/pet', shared);
server.registerEndpoint('/zoo/:zoo/pet', define({ id: integerId, get: (id, { params, context }) => (same<typeof id, number>(true), [params.zoo, context.name]) }));
// Within the map that is registered too.
server.registerEndpoints({
  '/me': endpointWith({ context: signedIn })({ get: { output: (user: unknown) => ({ user }), run: ({ context }) => ({ user: (same<typeof context, User>(true), context) }) } }),
  '/zoo/:zoo/keeper': define({ get: ({ params, context }) => [same<typeof context, User>(true), params.zoo] }),
});
// Properties of its own come first.
const own = define({ id: stringId, context: visitor, params: { aquarium: integerId }, get: (_id, { context, params }) => (same<typeof context, User>(true), params.aquarium) });
same<(typeof own)['context'], typeof visitor>(true);
server.registerEndpoint('/aquarium/:aquarium/fish', own);
endpointWith({ mapError: (thrown) => (same<typeof thrown, unknown>(true), undefined) })({ get: ({ context }) => same<typeof context, undefined>(true) });
endpointWith({ params: { zoo: integerId }, context: ({ params }) => (same<typeof params.zoo, number>(true), params.zoo) })({ get: ({ context }) => same<typeof context, number>(true) });
endpointWith({ context: scoped })({ scopes: ['a'], get: () => 1 });
// @ts-expect-error a path without the parameter that they share
server.registerEndpoint('/pet', shared);
// @ts-expect-error a property that is misspelt
endpointWith({ contxt: signedIn });
// @ts-expect-error a property that endpoints cannot share
endpointWith({ id: integerId });
// @ts-expect-error a misspelt operation
define({ id: integerId, gett: () => 1 });
// @ts-expect-error a result that is not sent
define({ id: integerId, schema: petSchema, update: (id) => id });

// ---- Several endpoints at once.
const settings = defineEndpoint({ get: () => ({ theme: 'dark' }) });
class Bank {
  readonly id = stringId;
  get(id: string): { id: string } {
    return { id };
  }
}
const api = server.registerEndpoints({ '/zoo/:zoo/pet': pets, '/zoo/:zoo/more': shared, '/settings': settings, '/bank': defineEndpoint(new Bank()) });
same<keyof typeof api, '/zoo/:zoo/pet' | '/zoo/:zoo/more' | '/settings' | '/bank'>(true);
same<(typeof api)['/settings'], { one: { get: { 200: { theme: string } } } }>(true);
same<(typeof api)['/bank'], { id: IdCodec<string>; get: { 200: { id: string } } }>(true);
server.registerEndpoints({ '/inline': defineEndpoint({ id: integerId, get: (id) => same<typeof id, number>(true) }) });
// @ts-expect-error a path without the endpoint's parameter
server.registerEndpoints({ '/settings': settings, '/pet': pets });
// @ts-expect-error a parameter that the endpoint does not have
server.registerEndpoints({ '/zoo/:zoo/settings': settings });
// @ts-expect-error no endpoint
server.registerEndpoints({ '/settings': 7 });
// @ts-expect-error an endpoint that was never checked
server.registerEndpoints({ '/bank': { id: stringId, get: (id: number) => id } });
// @ts-expect-error a misspelt operation
server.registerEndpoints({ '/bank': { id: stringId, gett: (id: string) => id } });
// @ts-expect-error an unknown option
server.registerEndpoints({ '/settings': settings }, { scope: ['a'] });

// Their scopes hold where the endpoint and the operation have none.
const admin = defineEndpoint({ context: scoped, get: () => 1, custom: { reset: () => 1 } });
server.registerEndpoints({ '/admin': admin }, { scopes: ['admin'] });
server.registerEndpoints({ '/settings': settings }, { scopes: [] });
server.registerEndpoints({ '/open': defineEndpoint({ scopes: [], get: () => 1 }), '/half': defineEndpoint({ custom: { a: { scopes: [], run: () => 1 }, b: { context: scoped, run: () => 1 } } }) }, { scopes: ['admin'] });

// ---- A function is not a caller.
declare const anything: any;
// @ts-expect-error a function that was not called
defineEndpoint({ context: () => signedIn, get: () => 1 });
// @ts-expect-error in a promise
defineEndpoint({ context: async () => signedIn, get: () => 1 });
// @ts-expect-error one of `restpoint/auth`
defineEndpoint({ context: () => byToken, get: ({ context }) => typeof context });
// @ts-expect-error only sometimes
defineEndpoint({ context: (request: ContextRequest) => (request.id === 'a' ? { name: 'Ann' } : signedIn), get: () => 1 });
// @ts-expect-error a class
defineEndpoint({ context: () => ApiServer, get: () => 1 });
// @ts-expect-error a class that cannot be created
defineEndpoint({ context: () => Shape, get: () => 1 });
// @ts-expect-error of an operation
defineEndpoint({ get: { context: () => signedIn, run: () => 1 } });
// @ts-expect-error of a named operation
defineEndpoint({ custom: { count: { context: () => signedIn, run: () => 1 } } });
// @ts-expect-error of an operation beside one of the endpoint
defineEndpoint({ context: visitor, get: { context: () => signedIn, run: ({ context }) => typeof context } });
// @ts-expect-error registered at once
server.registerEndpoint('/a', { context: () => signedIn, get: () => 1 });
// @ts-expect-error shared
endpointWith({ context: () => signedIn });
abstract class Shape {}
endpointWith({ context: signedIn })({ get: ({ context }) => same<typeof context, User>(true) });
endpointWith({ context: () => anything })({ get: () => 1 });
defineEndpoint({ context: () => anything, get: () => 1 });
defineEndpoint({ context: () => anything as unknown, get: () => 1 });
defineEndpoint({ context: () => { throw new Error('nobody'); }, get: () => 1 });
defineEndpoint({ context: () => ({ can: (right: string) => right !== '' }), get: ({ context }) => context.can('read') });
defineEndpoint({ context: (request) => request.signal, get: ({ context }) => same<typeof context, AbortSignal>(true) });
/** In a generic function of the user. */
function registerFor<Caller extends { readonly name: string }>(context: (request: ContextRequest) => Caller): void {
  server.registerEndpoint('/a', defineEndpoint({ context, get: () => 1 }));
}
registerFor(() => ({ name: 'Ann' }));
function registerAny<Caller>(context: (request: ContextRequest) => Promise<Caller>): void {
  server.registerEndpoint('/a', defineEndpoint({ context, get: () => 1 }));
}
registerAny(signedIn);
