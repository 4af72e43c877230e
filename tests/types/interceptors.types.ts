/** N3: Interceptors in a declaration: what they add to the request, and what they need of it. Compiling this file is the test. */
import { ApiServer, defineEndpoint, endpointWith, integerId, stringId, type ApiRequest, type InterceptedCall, type Interceptor, type Interceptors } from '../../src/index.ts';
import { decodePet, petSchema, same, type Pet } from './schemas.ts';

interface User {
  readonly name: string;
}
interface Transaction {
  insert(pet: Pet): number;
}
declare function signedIn(request: { readonly signal: AbortSignal }): Promise<User>;
declare function timed<A extends unknown[], T>(run: (...args: A) => T): (...args: A) => T;
declare function inTransaction(store: Map<number, Pet>): Interceptor<{ readonly tx: Transaction }>;
declare const numbered: Interceptor<{ readonly serial: number }>;
declare const logged: Interceptor;
declare const audited: Interceptor<{}, ApiRequest<User, any, any>>;
declare const pets: Map<number, Pet>;
const server = new ApiServer('');

// ---- Of an operation: one, or a list.
defineEndpoint({
  id: integerId, schema: petSchema, context: signedIn,
  create: { use: inTransaction(pets), run: (pet, { tx, context }) => (same<typeof tx, Transaction>(true), same<typeof context, User>(true), tx.insert(pet)) },
  list: { use: [inTransaction(pets), numbered, logged], run: ({ tx, serial }) => [same<typeof tx, Transaction>(true), same<typeof serial, number>(true)] },
  get: { use: numbered, run: (id, { serial }) => pets.get(id + serial) },
  update: { use: [numbered], run: (id, pet, { serial }) => void [same<typeof id, number>(true), same<typeof pet, Pet>(true), same<typeof serial, number>(true)] },
  patch: { input: decodePet, use: numbered, run: (_id, pet, { serial }) => void [same<typeof pet, Pet>(true), same<typeof serial, number>(true)] },
  delete: { use: [logged], run: (id, request) => void [same<typeof id, number>(true), same<typeof request, ApiRequest<User, {}, URLSearchParams, number>>(true)] },
  custom: {
    pay: { input: decodePet, use: [inTransaction(pets), numbered], run: (pet, { tx, serial }) => [tx.insert(pet), same<typeof serial, number>(true)] },
    find: { input: decodePet, use: numbered, run: timed((pet, { serial }) => [same<typeof pet, Pet>(true), same<typeof serial, number>(true)]) },
    count: ({ context }) => context.name,
  },
  itemCustom: { feed: { use: numbered, run: (id, { serial }) => [same<typeof id, number>(true), same<typeof serial, number>(true)] } },
});
server.registerEndpoint('/pet', { id: integerId, list: { use: numbered, run: ({ serial }) => [same<typeof serial, number>(true)] } });
// @ts-expect-error nothing adds it
defineEndpoint({ id: integerId, list: { use: logged, run: ({ serial }) => [serial] } });
// @ts-expect-error that of another operation
defineEndpoint({ id: integerId, list: { use: numbered, run: () => [] }, get: (_id, { serial }) => serial });
// @ts-expect-error no interceptor
defineEndpoint({ id: integerId, list: { use: 7, run: () => [] } });
// @ts-expect-error no list of interceptors
defineEndpoint({ id: integerId, list: { use: [logged, {}], run: () => [] } });
// @ts-expect-error still an operation whose result is sent
defineEndpoint({ custom: { pay: { use: logged, run: () => {} } } });

// ---- Of an endpoint: for each of its operations, with their own.
defineEndpoint({
  id: integerId, params: { zoo: stringId }, schema: petSchema, use: [numbered, logged],
  create: (pet, { serial }) => (same<typeof pet, Pet>(true), serial),
  list: ({ serial, params }) => [same<typeof serial, number>(true), params.zoo],
  get: { use: inTransaction(pets), run: (id, { serial, tx, params }) => (same<typeof serial, number>(true), same<typeof tx, Transaction>(true), same<typeof params.zoo, string>(true), pets.get(id)) },
  update: timed((_id, _pet, { serial }) => void same<typeof serial, number>(true)),
  delete: (_id, { serial }) => void same<typeof serial, number>(true),
  custom: { count: ({ serial }) => serial, find: { input: decodePet, run: (pet, { serial }) => [pet.legs, serial] } },
  itemCustom: { feed: { use: inTransaction(pets), run: (id, { serial, tx }) => [id, serial, same<typeof tx, Transaction>(true)] } },
});
const settings = defineEndpoint({ use: numbered, get: ({ serial }) => same<typeof serial, number>(true) });
server.registerEndpoint('/settings', settings);
server.registerEndpoints({ '/settings': settings, '/count': defineEndpoint({ custom: { count: { use: numbered, run: ({ serial }) => serial } } }) });
// One that is written where it stands adds nothing that the compiler knows.
defineEndpoint({ use: { around: async (call, run) => call.encode(await run()) }, get: { use: { around: (call, run) => (call.kind === 'get' ? run() : 7) }, run: (request) => same<typeof request, ApiRequest>(true) } });
class Counting {
  count = 0;
  around(_call: InterceptedCall, run: () => Promise<unknown>): Promise<unknown> {
    this.count += 1;
    return run();
  }
}
defineEndpoint({ use: new Counting(), get: (request) => same<typeof request, ApiRequest>(true) });
// @ts-expect-error nothing adds it
defineEndpoint({ use: logged, get: ({ serial }) => serial });
// @ts-expect-error no interceptor
defineEndpoint({ use: {}, get: () => 1 });

// ---- What one needs of the request has to be there.
declare const inZoo: Interceptor<{}, { readonly params: { readonly zoo: string } }>;
declare const committed: Interceptor<{}, ApiRequest & { readonly tx: Transaction }>;
defineEndpoint({ id: integerId, context: signedIn, use: audited, list: { use: [audited], run: () => [1] }, get: () => 1 });
defineEndpoint({ id: integerId, list: { context: signedIn, use: audited, run: () => [1] }, get: () => 1 });
defineEndpoint({ params: { zoo: stringId }, use: inZoo, get: () => 1 });
defineEndpoint({ use: inTransaction(pets), get: { use: committed, run: () => 1 } });
// @ts-expect-error no context
defineEndpoint({ id: integerId, list: { use: audited, run: () => [1] } });
// @ts-expect-error another context
defineEndpoint({ id: integerId, context: () => 7, list: { use: [logged, audited], run: () => [1] } });
// @ts-expect-error the operation's context is another one
defineEndpoint({ id: integerId, context: signedIn, list: { context: () => 7, use: audited, run: () => [1] } });
// @ts-expect-error no context of the endpoint, whose operations it is for
defineEndpoint({ use: audited, get: () => 1 });
// @ts-expect-error one operation has another context
defineEndpoint({ context: signedIn, use: audited, get: () => 1, custom: { count: { context: () => 7, run: () => 1 } } });
// @ts-expect-error no such parameter
defineEndpoint({ use: inZoo, get: () => 1 });
// @ts-expect-error nothing adds a transaction
defineEndpoint({ custom: { pay: { use: committed, run: () => 1 } } });

// ---- Of endpoints that share them: for each operation, with its own.
const define = endpointWith({ params: { zoo: stringId }, context: signedIn, use: [inTransaction(pets), audited] });
const inZoos = define({
  id: integerId, schema: petSchema,
  create: (pet, { tx, context }) => (same<typeof pet, Pet>(true), same<typeof tx, Transaction>(true), same<typeof context, User>(true), tx.insert(pet)),
  list: { use: numbered, run: ({ tx, serial, params }) => [same<typeof tx, Transaction>(true), same<typeof serial, number>(true), params.zoo] },
  get: { output: decodePet, run: (id, { tx }) => (same<typeof id, number>(true), same<typeof tx, Transaction>(true), pets.get(id)) },
  update: timed((id, pet, { tx }) => void [same<typeof id, number>(true), same<typeof pet, Pet>(true), same<typeof tx, Transaction>(true)]),
  delete: (_id, { tx }) => void same<typeof tx, Transaction>(true),
  custom: { count: ({ tx }) => same<typeof tx, Transaction>(true), pay: { input: decodePet, run: (pet, { tx }) => [same<typeof pet, Pet>(true), tx.insert(pet)] } },
  itemCustom: { feed: { use: numbered, run: (id, { tx, serial }) => [same<typeof id, number>(true), same<typeof tx, Transaction>(true), serial] } },
});
same<keyof typeof inZoos & ('use' | 'context' | 'params'), 'use' | 'context' | 'params'>(true);
server.registerEndpoints({ '/zoo/:zoo/pet': inZoos }, { use: logged });
// Those of an endpoint stand instead of the shared ones.
const counted = endpointWith({ use: inTransaction(pets) });
counted({ get: { use: committed, run: () => 1 } });
counted({ use: numbered, get: ({ serial }) => same<typeof serial, number>(true) });
counted({ use: [], get: (request) => same<typeof request, ApiRequest>(true) });
endpointWith({ use: new Counting() })({ get: (request) => same<typeof request, ApiRequest>(true) });
endpointWith({ use: { around: async (call, run) => call.encode(await run()) } })({ id: integerId, get: (id, request) => [same<typeof id, number>(true), same<typeof request, ApiRequest<undefined, {}, URLSearchParams, number>>(true)] });
// @ts-expect-error the shared ones are replaced
counted({ use: numbered, get: ({ tx }) => tx });
// @ts-expect-error nothing adds it
counted({ get: ({ serial }) => serial });
// @ts-expect-error no interceptor
endpointWith({ use: 7 });
// @ts-expect-error no list of interceptors
endpointWith({ use: [logged, {}] });
// @ts-expect-error a shared one needs a context, which the endpoint has not
endpointWith({ use: audited })({ get: () => 1 });
// @ts-expect-error one operation has another context
endpointWith({ context: signedIn, use: audited })({ get: () => 1, custom: { count: { context: () => 7, run: () => 1 } } });
// @ts-expect-error still an operation whose result is sent
counted({ custom: { pay: () => {} } });

// ---- Of several endpoints that are registered together.
const count = defineEndpoint({ get: () => 1 });
const owned = defineEndpoint({ id: integerId, context: signedIn, get: (id) => id, custom: { count: () => 1 } });
const zoned = defineEndpoint({ params: { zoo: stringId }, get: () => 1 });
server.registerEndpoints({ '/count': count, '/owned': owned }, { use: logged });
server.registerEndpoints({ '/count': count, '/owned': owned }, { scopes: [], use: [logged, numbered, inTransaction(pets)] });
server.registerEndpoints({ '/owned': owned }, { use: audited });
server.registerEndpoints({ '/zoo/:zoo': zoned }, { use: [inZoo] });
server.registerEndpoints({ '/count': count }, { use: [inTransaction(pets), committed] });
server.registerEndpoints({ '/count': count }, { use: { around: (call, run) => (call.kind === 'get' ? run() : 7) } });
server.registerEndpoints({ '/count': count }, { use: new Counting() });
export function registered(use: Interceptors): { '/count': { one: { get: { 200: number } } } } {
  return server.registerEndpoints({ '/count': count } as const, { use });
}
// @ts-expect-error no interceptor
server.registerEndpoints({ '/count': count }, { use: 7 });
// @ts-expect-error no list of interceptors
server.registerEndpoints({ '/count': count }, { use: [logged, {}] });
// @ts-expect-error one of the endpoints has no context
server.registerEndpoints({ '/owned': owned, '/count': count }, { use: audited });
// @ts-expect-error one operation has another context
server.registerEndpoints({ '/owned': defineEndpoint({ context: signedIn, get: { context: () => 7, run: () => 1 } }) }, { use: [logged, audited] });
// @ts-expect-error no such parameter
server.registerEndpoints({ '/count': count }, { use: inZoo });
// @ts-expect-error nothing adds a transaction
server.registerEndpoints({ '/count': count }, { use: committed });

// ---- Headers of an operation.
declare function traceOf(headers: unknown): { readonly trace: string };
defineEndpoint({
  id: integerId, schema: petSchema,
  list: { headers: traceOf, use: numbered, run: ({ headers, serial }) => [same<typeof headers, { readonly trace: string }>(true), same<typeof serial, number>(true)] },
  update: { headers: petSchema, run: (_id, _pet, { headers }) => void same<typeof headers, Pet>(true) },
  custom: { pay: { input: decodePet, headers: async (headers: unknown) => String(headers), run: (pet, { headers }) => [same<typeof pet, Pet>(true), same<typeof headers, string>(true)] } },
});
// @ts-expect-error without a decoder there are none
defineEndpoint({ id: integerId, list: ({ headers }) => [headers] });
// @ts-expect-error no decoder
defineEndpoint({ id: integerId, list: { headers: 7, run: () => [1] } });
// @ts-expect-error run takes others
defineEndpoint({ id: integerId, list: { headers: traceOf, run: ({ headers }: ApiRequest & { readonly headers: number }) => [headers] } });
