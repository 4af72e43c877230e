/** The changes of an API that break its clients, and those that do not. Compiling this file is the test. */
import type { Breaking } from '../../src/client/index.ts';
import type { Contract } from '../../src/declaration/contract.ts';
import {
  type ApiServer, bytes, defineEndpoint, type IdCodec, integerId, reply, type StandardSchemaV1, stringId, uint64Id, wildcardId,
} from '../../src/index.ts';
import { idempotent, type IdempotencyStore } from '../../src/interceptors/index.ts';
import { type Same, same } from './schemas.ts';

interface Body { name: string; legs: number }
declare function schema<Input, Output = Input>(): StandardSchemaV1<Input, Output>;
declare function found<Value>(): Value | undefined;
declare const rex: Body;
declare const server: ApiServer;
declare const store: IdempotencyStore;
declare const dateId: IdCodec<Date>;

const pet = {
  id: integerId,
  schema: schema<Body, object>(),
  list: { query: schema<{ limit?: string }>(), run: () => [{ id: 1, ...rex }] },
  get: () => found<Body>(),
  create: () => 1,
  update: () => undefined,
  delete: () => true,
  custom: { count: { input: schema<{ kind: 'cat' | 'dog' }>(), errors: { 409: schema<{ at: number }>() }, run: () => ({ total: 1 }) } },
};
const { delete: _delete, ...undeletable } = pet;
const { list, custom: { count } } = pet;

const compatible = {
  nothing: defineEndpoint(pet),
  'a property in a result': defineEndpoint({ ...pet, get: () => found<Body & { age: number }>() }),
  'an optional property in a body': defineEndpoint({ ...pet, schema: schema<Body & { color?: string }, object>() }),
  'null in a body': defineEndpoint({ ...pet, schema: schema<{ name: string; legs: number | null }, object>() }),
  'a value of an enum in a body': defineEndpoint({ ...pet, custom: { count: { ...count, input: schema<{ kind: 'cat' | 'dog' | 'bird' }>() } } }),
  'an operation': defineEndpoint({ ...pet, itemCustom: { feed: { input: schema<{ grams: number }>(), run: () => ({ ok: true }) } } }),
  'a declared error': defineEndpoint({ ...pet, delete: { errors: { 409: null }, run: () => true } }),
  'an optional query parameter': defineEndpoint({ ...pet, list: { ...list, query: schema<{ limit?: string; legs?: string }>() } }),
  'an optional key': defineEndpoint({ ...pet, create: { use: idempotent(store), run: () => 1 } }),
  'versions': defineEndpoint({ ...pet, version: () => 1 }),
};
const breaking = {
  'a required property in a body': defineEndpoint({ ...pet, schema: schema<Body & { color: string }, object>() }),
  'a property of a body is renamed': defineEndpoint({ ...pet, schema: schema<{ name: string; feet: number }, object>() }),
  'a string in a body is an enum': defineEndpoint({ ...pet, schema: schema<{ name: 'a' | 'b'; legs: number }, object>() }),
  'a narrower enum in a body': defineEndpoint({ ...pet, custom: { count: { ...count, input: schema<{ kind: 'cat' }>() } } }),
  'bytes in place of JSON': defineEndpoint({ ...pet, custom: { count: { ...count, input: bytes({ types: ['image/*'] }) } } }),
  'a property of a result is gone': defineEndpoint({ ...pet, get: () => found<{ name: string }>() }),
  'a wider type in a result': defineEndpoint({ ...pet, get: () => found<{ name: string; legs: number | string }>() }),
  'null in a result': defineEndpoint({ ...pet, get: () => found<{ name: string | null; legs: number }>() }),
  'an optional property in a result': defineEndpoint({ ...pet, get: () => found<{ name: string; legs?: number }>() }),
  'a list is in an envelope': defineEndpoint({ ...pet, list: { ...list, run: () => ({ items: [{ id: 1, ...rex }] }) } }),
  'the result of create': defineEndpoint({ ...pet, create: { output: schema<{ id: number }>(), run: () => ({ id: 1 }) } }),
  'a status of success': defineEndpoint({ ...pet, get: () => (Math.random() > 1 ? reply(204) : rex) }),
  'a different status of success': defineEndpoint({ ...pet, custom: { count: { ...count, output: { 202: schema<{ total: number }>() } } } }),
  'an operation is gone': defineEndpoint(undeletable),
  'the method of a named operation': defineEndpoint({ ...pet, custom: { count: { method: 'GET', run: () => ({ total: 1 }) } } }),
  'a query parameter is required': defineEndpoint({ ...pet, list: { ...list, query: schema<{ limit: string }>() } }),
  'If-Match is required': defineEndpoint({ ...pet, version: () => 1, requireIfMatch: true }),
  'a key is required': defineEndpoint({ ...pet, create: { use: idempotent(store, { required: true }), run: () => 1 } }),
  'the problem of an error': defineEndpoint({ ...pet, custom: { count: { ...count, errors: { 409: schema<{ at: string }>() } } } }),
  'an error is not declared any more': defineEndpoint({ ...pet, custom: { count: { input: count.input, run: count.run } } }),
  'ids are strings': defineEndpoint({ ...pet, id: stringId, create: () => 'a' }),
  'ids need a codec': defineEndpoint({ ...pet, id: dateId, create: () => new Date() }),
  'ids have several segments': defineEndpoint({ ...pet, id: wildcardId, create: () => 'a' }),
};
type PetApi<Endpoint> = Contract<{ '/pet': Endpoint }>;
type Released = PetApi<typeof compatible.nothing>;
/** The rows with other results than expected. The compiler's message names them. */
type Unexpected<Rows, Expected> = { [Row in keyof Rows]: Same<Breaking<Released, PetApi<Rows[Row]>>, Expected> extends true ? never : Row }[keyof Rows];
export const unexpected: never[] = [] as (Unexpected<typeof compatible, never> | Unexpected<typeof breaking, '/pet'>)[];
/** The rows that can be released, and undone. */
type Undone = { [Row in keyof typeof compatible]: Breaking<PetApi<typeof compatible[Row]>, Released> extends never ? Row : never }[keyof typeof compatible];
same<Undone, 'nothing' | 'an optional property in a body' | 'an optional query parameter' | 'versions'>(true);

// Paths, singletons and parameters. A type of `any`, such as one of a missing file, has nothing that clients can rely on.
const endpoints = {
  '/pet': compatible.nothing,
  '/hours': defineEndpoint({ schema: schema<Body, object>(), get: () => rex, update: () => undefined }),
  '/zoo/:zoo/visit': defineEndpoint({ params: { zoo: integerId }, get: () => ({ at: 1 }) }),
};
const api = server.registerEndpoints(endpoints);
type Api = typeof api;
interface Named extends Api {}
same<Breaking<Api, Named>, never>(true);
same<Breaking<Named, Api>, never>(true);
same<Breaking<typeof endpoints, typeof endpoints>, never>(true);
const added = server.registerEndpoints({ ...endpoints, '/cat': compatible.nothing });
same<Breaking<Api, typeof added>, never>(true);
same<Breaking<typeof added, Api>, '/cat'>(true);
const changed = server.registerEndpoints({
  '/pet': compatible.nothing,
  '/hours': defineEndpoint({ id: integerId, schema: schema<Body, object>(), get: () => rex, update: () => undefined }),
  '/zoo/:zoo/visit': defineEndpoint({ params: { zoo: uint64Id }, get: () => ({ at: 1 }) }),
});
same<Breaking<Api, typeof changed>, '/hours' | '/zoo/:zoo/visit'>(true);
same<Breaking<Api, any>, keyof Api>(true);
