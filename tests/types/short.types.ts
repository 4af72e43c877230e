/** Short forms of operations with a name: the inferred types, and the rejected declarations. Compiling this file is the test. */
import { ApiServer, defineEndpoint, integerId, stringId, type ApiRequest } from '../../src/index.ts';
import { decodePet, petSchema, same, type Pet } from './schemas.ts';
declare function timed<A extends unknown[], T>(run: (...args: A) => T): (...args: A) => T;
declare function signedIn(request: { readonly signal: AbortSignal }): Promise<{ name: string }>;
const server = new ApiServer('/v1');
type Asked<Id = any> = ApiRequest<{ name: string }, { readonly zoo: string }, URLSearchParams, Id>;

// Alone, they get the id where there is one, and the request.
defineEndpoint({ id: integerId, custom: { count: () => 1 } });
defineEndpoint({ id: integerId, custom: { count: (request) => same<typeof request, ApiRequest>(true) } });
defineEndpoint({ id: integerId, custom: { count: timed((request) => same<typeof request, ApiRequest>(true)) } });
defineEndpoint({ id: integerId, custom: { count: timed(() => 1) } });
defineEndpoint({ id: integerId, itemCustom: { feed: (id, request) => [same<typeof id, number>(true), same<typeof request, ApiRequest<undefined, {}, URLSearchParams, number>>(true)] } });
defineEndpoint({ id: integerId, itemCustom: { feed: timed((id, request) => [same<typeof id, number>(true), same<typeof request, ApiRequest<undefined, {}, URLSearchParams, number>>(true)]) } });

// Beside long forms, bare and wrapped, with context, parameters and schema together.
const pets = defineEndpoint({
  id: integerId, params: { zoo: stringId }, context: signedIn, schema: petSchema,
  get: (id) => same<typeof id, number>(true),
  custom: {
    a: (request) => same<typeof request, Asked>(true),
    b: { input: decodePet, run: (pet, request) => [same<typeof pet, Pet>(true), same<typeof request, Asked>(true)] },
    c: { run: (request) => same<typeof request, Asked>(true) },
    d: timed((request) => same<typeof request, Asked>(true)),
    e: { input: decodePet, run: timed((pet, request) => [same<typeof pet, Pet>(true), same<typeof request, Asked>(true)]) },
    f: async () => 1,
  },
  itemCustom: {
    a: (id, request) => [same<typeof id, number>(true), same<typeof request, Asked<number>>(true)],
    b: { input: decodePet, run: (id, pet, request) => [same<typeof id, number>(true), same<typeof pet, Pet>(true), same<typeof request, Asked<number>>(true)] },
    c: timed((id, request) => [same<typeof id, number>(true), same<typeof request, Asked<number>>(true)]),
    d: (id) => id,
    e: async () => '',
  },
});
server.registerEndpoint('/a/:zoo', pets);
same<ReturnType<(typeof pets)['itemCustom']['d']>, number>(true);
same<ReturnType<(typeof pets)['custom']['f']>, Promise<number>>(true);
server.registerEndpoint('/a/:zoo', {
  id: integerId, params: { zoo: stringId }, context: signedIn,
  custom: { a: (request) => same<typeof request, Asked>(true), b: { input: decodePet, run: timed((pet, request) => [same<typeof pet, Pet>(true), same<typeof request, Asked>(true)]) } },
  itemCustom: { a: timed((id, request) => [same<typeof id, number>(true), same<typeof request, Asked<number>>(true)]), b: { input: decodePet, run: (id, pet, request) => [same<typeof id, number>(true), same<typeof pet, Pet>(true), same<typeof request, Asked<number>>(true)] } },
});
defineEndpoint({ custom: { count: (request) => same<typeof request, ApiRequest>(true) } });

class Kitchen {
  readonly id = integerId;
  readonly custom = { count: () => 1, more: (request: ApiRequest) => request.query.get('q') };
  readonly itemCustom = { feed: (id: number, request: ApiRequest) => [id, request.route], wake: timed((id: number) => id) };
}
server.registerEndpoint('/k', new Kitchen());
defineEndpoint(new Kitchen());

// @ts-expect-error a function takes no input
defineEndpoint({ id: integerId, custom: { count: (pet: Pet) => pet } });
// @ts-expect-error the id is the codec's
defineEndpoint({ id: integerId, itemCustom: { count: (id: string) => id } });
// @ts-expect-error an operation without an item gets an operation of an item needs an id
defineEndpoint({ id: integerId, custom: { count: (id: number) => id } });
// @ts-expect-error an operation of an item needs an id
defineEndpoint({ itemCustom: { count: () => 1 } });
// @ts-expect-error an operation is a function or an object
defineEndpoint({ id: integerId, custom: { count: 'x' } });
// @ts-expect-error the context is the endpoint's
defineEndpoint({ id: integerId, context: signedIn, custom: { count: (request: ApiRequest<number>) => request } });
// @ts-expect-error a wrapped function takes another id than the codec's
defineEndpoint({ id: integerId, itemCustom: { count: timed((id: string) => id) } });
// @ts-expect-error a function gets nothing after the request
defineEndpoint({ id: integerId, itemCustom: { count: (id: number, request: ApiRequest, more: string) => [id, request, more] } });
class Misfit {
  readonly id = integerId;
  readonly itemCustom = { feed: (id: string) => id };
}
// @ts-expect-error a class with an operation that takes another id than its codec's
server.registerEndpoint('/k', new Misfit());
