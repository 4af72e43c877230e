/** O1 O2 O3 O4 O7 O11 O13: The types that lists, patches, long forms, singletons, queries, contexts and parameters infer. Compiling this file is the test. */
import { ApiServer, defineEndpoint, integerId, stringId, type ApiRequest, type ContextRequest, type StandardSchemaV1 } from '../../src/index.ts';
import { decodePet, petSchema, same, type Pet } from './schemas.ts';

interface User {
  readonly name: string;
}
interface Page {
  readonly limit: number;
  readonly tag?: string;
}
declare const nameSchema: StandardSchemaV1<unknown, User>;
declare const changeSchema: StandardSchemaV1<unknown, Partial<Pet>>;
declare const pageSchema: StandardSchemaV1<unknown, Page>;
declare function signedIn(request: { readonly signal: AbortSignal }): Promise<User>;
declare function timed<A extends unknown[], T>(run: (...args: A) => T): (...args: A) => T;
const server = new ApiServer('');

// Every kind, in both forms, with context, parameters, query and schema together.
const pets = defineEndpoint({
  id: integerId,
  params: { zoo: stringId },
  context: signedIn,
  schema: petSchema,
  create: (pet, request) => {
    same<typeof pet, Pet>(true);
    same<typeof request, ApiRequest<User, { readonly zoo: string }, URLSearchParams, number>>(true);
    same<typeof request.query, URLSearchParams>(true);
    return 1;
  },
  list: { query: pageSchema, summary: 'all of them', run: ({ query, context, params }) => {
    same<typeof query, Page>(true);
    same<typeof context, User>(true);
    same<typeof params.zoo, string>(true);
    return [];
  } },
  get: (id, { context, params }) => (same<typeof id, number>(true), same<typeof context, User>(true), { name: params.zoo, legs: 4 }),
  update: { input: nameSchema, run: (id, pet, { context }) => void [same<typeof id, number>(true), same<typeof pet, User>(true), same<typeof context, User>(true)] },
  patch: { input: changeSchema, run: (id, change, { context }) => void [same<typeof id, number>(true), same<typeof change, Partial<Pet>>(true), same<typeof context, User>(true)] },
  delete: (id, { context }) => void [same<typeof id, number>(true), same<typeof context, User>(true)],
  custom: {
    search: { input: changeSchema, query: pageSchema, run: (change, { query, context }) => [same<typeof change, Partial<Pet>>(true), same<typeof query, Page>(true), same<typeof context, User>(true)] },
    count: { run: ({ context, query }) => [same<typeof context, User>(true), same<typeof query, URLSearchParams>(true)] },
    pages: { query: pageSchema, run: ({ query }) => same<typeof query, Page>(true) },
  },
  itemCustom: {
    feed: { input: changeSchema, run: (id, change, { params }) => (same<typeof id, number>(true), same<typeof change, Partial<Pet>>(true), same<typeof params.zoo, string>(true), id) },
    wake: { run: (id, { context }) => (same<typeof id, number>(true), same<typeof context, User>(true)) },
  },
});
same<keyof typeof pets, 'id' | 'params' | 'context' | 'schema' | 'create' | 'list' | 'get' | 'update' | 'patch' | 'delete' | 'custom' | 'itemCustom'>(true);
same<ReturnType<(typeof pets)['itemCustom']['feed']['run']>, number>(true);

// A singleton's operations get no id.
const settings = defineEndpoint({
  schema: petSchema,
  get: ({ context }) => (same<typeof context, undefined>(true), { name: 'x', legs: 1 }),
  update: (pet, request) => void [same<typeof pet, Pet>(true), same<typeof request, ApiRequest>(true)],
  patch: { input: changeSchema, run: (change) => same<typeof change, Partial<Pet>>(true) },
  delete: (request) => same<typeof request, ApiRequest>(true),
  create: () => {},
});
const follow = defineEndpoint({
  params: { name: stringId },
  context: signedIn,
  create: { run: ({ params, context }) => (same<typeof params.name, string>(true), same<typeof context, User>(true), undefined) },
  delete: ({ params }) => same<typeof params.name, string>(true),
});
const animal = defineEndpoint({ id: stringId, get: (name, request) => [same<typeof name, string>(true), same<typeof request, ApiRequest<undefined, {}, URLSearchParams, string>>(true)] });

// The context function gets the values that are known before it.
defineEndpoint({
  id: integerId,
  params: { zoo: stringId },
  context: (request) => {
    same<typeof request, ContextRequest<{ readonly zoo: string }, number>>(true);
    same<typeof request.itemId, number | undefined>(true);
    return { owner: request.params.zoo };
  },
  get: (_id, { context }) => same<typeof context, { owner: string }>(true),
});

// The parameters of the path are those of the endpoint.
server.registerEndpoint('/zoo/:zoo/pet', pets);
server.registerEndpoint('/profiles/:name/follow', follow);
server.registerEndpoint('/settings', settings);
server.registerEndpoint('/animal', animal);
server.registerEndpoint('/zoo/:zoo/inline', {
  id: integerId,
  params: { zoo: integerId },
  context: signedIn,
  get: (id, { params, context }) => [same<typeof id, number>(true), same<typeof params.zoo, number>(true), same<typeof context, User>(true)],
});
// @ts-expect-error a parameter that the endpoint does not declare
server.registerEndpoint('/zoo/:other/pet', pets);
// @ts-expect-error the path lacks a parameter of the endpoint
server.registerEndpoint('/pet', pets);
// @ts-expect-error an endpoint without parameters
server.registerEndpoint('/zoo/:zoo/animal', animal);

// Long forms: with the schema, with an input, without a body.
defineEndpoint({ id: stringId, schema: petSchema, create: { summary: 'as the short form', run: (pet) => (same<typeof pet, Pet>(true), pet.name) } });
defineEndpoint({ id: stringId, schema: petSchema, create: { input: nameSchema, run: (user) => (same<typeof user, User>(true), user.name) } });
defineEndpoint({ id: stringId, create: { run: (request) => (same<typeof request, ApiRequest<undefined, {}, URLSearchParams, string>>(true), 'no body') } });
defineEndpoint({ id: stringId, update: { input: decodePet, run: (id, pet) => void [same<typeof id, string>(true), same<typeof pet, Pet>(true)] } });
defineEndpoint({ id: stringId, get: { query: pageSchema, run: async (id, { query }) => (same<typeof query, Page>(true), id) } });
defineEndpoint({ id: stringId, delete: { query: pageSchema, run: (id, { query }) => void [same<typeof id, string>(true), same<typeof query, Page>(true)] } });

// Operations of an item, alone and beside others, where they are registered at once.
server.registerEndpoint('/a', { id: integerId, itemCustom: { feed: { run: (id) => id } } });
server.registerEndpoint('/b/:z', { id: integerId, params: { z: stringId }, itemCustom: { feed: { run: (id, { params }) => ({ id, ...params }) } } });
server.registerEndpoint('/c', { id: integerId, schema: String, delete: () => {}, itemCustom: { feed: { run: (id, { params }) => ({ id, ...params }) } } });
server.registerEndpoint('/d', { id: integerId, custom: { count: { run: ({ params }) => params } }, itemCustom: { feed: { run: (id, { params }) => ({ id, ...params }) } } });
server.registerEndpoint('/d', { id: integerId, list: ({ params }) => params, itemCustom: { feed: { run: (id, { params }) => ({ id, ...params }) } } });
defineEndpoint({ id: integerId, list: ({ params }) => params, itemCustom: { feed: { run: (id, { params }) => ({ id, ...params }) } } });
server.registerEndpoint('/d', { id: integerId, list: ({ params }) => params, custom: { count: { run: ({ params }) => params } }, itemCustom: { feed: { run: (id, { params }) => ({ id, ...params }) } } });

// Generic wrappers infer as the bare functions do.
defineEndpoint({ id: stringId, custom: { d: { input: pageSchema, run: timed((page) => (same<typeof page, Page>(true), page.limit * 2)) } } });
defineEndpoint({ id: stringId, itemCustom: { e: { input: pageSchema, run: timed((id, page) => (same<typeof id, string>(true), id.length + page.limit)) } } });
defineEndpoint({ id: stringId, patch: { input: changeSchema, run: timed((id, change) => void [same<typeof id, string>(true), same<typeof change, Partial<Pet>>(true)]) } });
defineEndpoint({ id: stringId, list: { query: pageSchema, run: timed(({ query }) => same<typeof query, Page>(true)) } });

class Pets {
  readonly id = stringId;
  readonly #all = new Map<string, Pet>();
  readonly list = { query: pageSchema, run: ({ query }: { readonly query: Page }): Pet[] => [...this.#all.values()].slice(0, query.limit) };

  get(name: string, request: ApiRequest): Pet | undefined {
    return request.signal.aborted ? undefined : this.#all.get(name);
  }
}
server.registerEndpoint('/pets', new Pets());

// @ts-expect-error create returns an id of a different type
defineEndpoint({ id: integerId, schema: petSchema, create: { run: () => 'x' } });
// @ts-expect-error get returns a different shape than the schema's
defineEndpoint({ id: integerId, schema: petSchema, get: { run: () => ({ name: 1 }) } });
// @ts-expect-error patch has the long form only
defineEndpoint({ id: integerId, schema: petSchema, patch: (id: number) => id });
// @ts-expect-error a list needs an id
defineEndpoint({ list: () => [] });
// @ts-expect-error an operation of an item needs an id
defineEndpoint({ itemCustom: { feed: { run: () => 1 } } });
// @ts-expect-error a misspelt operation
defineEndpoint({ id: stringId, gett: (name: string) => ({ name }) });
// @ts-expect-error a misspelt property of a long form
defineEndpoint({ id: stringId, list: { qurey: pageSchema, run: () => [] } });
// @ts-expect-error a misspelt property of an operation with a name
defineEndpoint({ id: stringId, itemCustom: { feed: { inptu: pageSchema, run: () => 1 } } });
// @ts-expect-error a get has no input
defineEndpoint({ id: stringId, get: { input: pageSchema, run: () => 1 } });
// @ts-expect-error run takes another query than its decoder returns
defineEndpoint({ id: stringId, list: { query: pageSchema, run: ({ query }: { query: { wings: number } }) => query } });
// @ts-expect-error run takes another context than the endpoint's
defineEndpoint({ id: stringId, context: signedIn, get: (_id: string, { context }: { context: number }) => context });
