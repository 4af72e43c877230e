/** A function, an option or an endpoint of the type `any`, `unknown` or `never` does not hide the mistakes of others. Compiling this file is the test. */
import { client } from '../../src/client/index.ts';
import { defineEndpoint, endpointWith, integerId, stringId, type ApiServer, type Interceptor } from '../../src/index.ts';
import { petSchema, same } from './schemas.ts';

declare const any: any;
declare const unknown: unknown;
declare const server: ApiServer;
const untyped = (json: unknown): any => json;

// ---- Results.
// @ts-expect-error a bigint beside `any`
defineEndpoint({ get: () => ({ a: any, b: 1n }) });
// @ts-expect-error a Map beside `unknown`, deeper
defineEndpoint({ id: integerId, list: async () => [{ a: { a: unknown, b: new Map() }, b: any }] });
// @ts-expect-error an error in a tuple with `any`
defineEndpoint({ custom: { a: { run: () => [any, new Error('a')] as const } } });
// @ts-expect-error a Map, where the other result is a promise of `any`
defineEndpoint({ custom: { a: () => (any ? Promise.resolve(any) : new Map()) } });
// @ts-expect-error a Map beside `any`
defineEndpoint({ custom: { a: () => new Map(), b: () => any } });
// @ts-expect-error nothing beside a promise of `unknown`
defineEndpoint({ itemCustom: { a: async () => undefined }, id: integerId, custom: { b: async () => unknown } });
// @ts-expect-error a bigint beside what a decoder without types returns
defineEndpoint({ id: integerId, list: () => [1n], custom: { search: { input: untyped, run: (json) => json } } });
// @ts-expect-error a result that is not sent beside `any`
defineEndpoint({ id: integerId, schema: petSchema, delete: () => 'x', update: { input: untyped, run: (): any => 1 } });
// @ts-expect-error an error beside an operation of which nothing is known
defineEndpoint({ custom: { a: () => new Error('a'), b: any } });
// @ts-expect-error a header that is missing, beside `any`
defineEndpoint({ custom: { a: { responseHeaders: { 'X-A': (a: unknown) => Number(a) }, run: () => 1 }, b: () => any } });
// Right beside all of these.
defineEndpoint({
  id: integerId, schema: petSchema, create: (pet) => pet.legs, get: () => any, list: async () => unknown, update: (): any => 1, delete: () => unknown,
  custom: { a: () => any, b: any, c: { input: untyped, run: (json) => json.name }, d: { output: any, run: () => 1 } },
});

// ---- Interceptors.
declare const tx: Interceptor<{ readonly tx: object }>;
declare const needsTx: Interceptor<{}, { readonly tx: object }>;
declare const limit: { readonly around: (call: object, run: () => unknown) => unknown; readonly errors: { readonly 429: typeof petSchema } };
declare const never: never;
// @ts-expect-error an interceptor that needs what no other adds, beside `any`
defineEndpoint({ get: { use: [any, needsTx], run: () => 1 } });
// @ts-expect-error the same beside `any` of the endpoint
defineEndpoint({ use: any, get: { use: needsTx, run: () => 1 } });
// @ts-expect-error the same beside `never` of the endpoint
defineEndpoint({ use: never, get: { use: needsTx, run: () => 1 } });
// @ts-expect-error the same for all endpoints
server.registerEndpoints({ '/a': defineEndpoint({ get: () => 1 }) }, { use: [any, needsTx] });
defineEndpoint({
  id: integerId, use: [any, tx, never], get: (_id, { tx }) => same<typeof tx, object>(true), currentVersion: (_id, { tx }) => same<typeof tx, object>(true),
  update: { input: untyped, use: any, run: (_id, _pet, { tx }) => same<typeof tx, object>(true) },
  delete: { use: [needsTx, any], run: () => {} },
});
defineEndpoint({ id: integerId, patch: { input: untyped, use: any, run: () => {} }, delete: { use: tx, run: () => {} }, currentVersion: (_id, { tx }) => same<typeof tx, object | undefined>(true) });
endpointWith({ use: [tx, any] })({ get: ({ tx }) => same<typeof tx, object>(true) });

// ---- Clients.
const api = server.registerEndpoints({
  '/a': defineEndpoint({ id: integerId, list: { use: [any, limit], errors: { 409: petSchema }, run: () => [1] }, get: () => any, delete: any }),
  '/b/:zoo': any, '/c/:zoo': defineEndpoint({ params: any, get: () => 1 }),
});
type Wire = { name: string; legs: number };
same<(typeof api)['/a']['list'], { 200: number[]; 409: Wire; 429: Wire }>(true);
same<(typeof api)['/a']['get'], { 200: any }>(true);
const calls = client<typeof api>('/v1');
const list = await calls('/a').list();
same<typeof list, number[]>(true);
// @ts-expect-error an id of a different type, beside an endpoint of which nothing is known
await calls('/a').get({});
// @ts-expect-error a path that no endpoint has
calls('/d');
// @ts-expect-error a plain object
server.registerEndpoints({ '/a': any, '/b': { get: () => 1 } });
// @ts-expect-error a path with other parameters
server.registerEndpoints({ '/a': any, '/b': defineEndpoint({ params: { zoo: stringId }, get: () => 1 }) });
