/** The types that queries infer from a client. Compiling this file is the test. */
import { client, type ListPage, type ProblemError, type QueryParameters } from '../../src/client/index.ts';
import { defineEndpoint, integerId, wildcardId, type ApiServer, type StandardSchemaV1 } from '../../src/index.ts';
import { events, mergePatch } from '../../src/formats/index.ts';
import {
  ConflictError, merge, queries, type CallError, type ChangedItem, type ChangeOptions, type InfiniteOptions, type QueryClientLike, type ReadOptions,
} from '../../src/queries/index.ts';
import { same } from './schemas.ts';

interface Pet { id: number; name: string; legs: number }
type Draft = { name: string; legs: number };
declare function schemaOf<Value>(): StandardSchemaV1<Value>;
declare function schemaOfInput<Input, Value>(): StandardSchemaV1<Input, Value>;
const Draft = schemaOf<Draft>();
declare const pet: Pet;
const registered = (undefined as unknown as ApiServer).registerEndpoints({
  '/pet': defineEndpoint({
    id: integerId,
    schema: Draft,
    create: () => 1,
    list: { query: undefined as unknown as StandardSchemaV1<{ legs?: string | number }, { legs?: number }>, run: () => [pet] },
    get: (id) => (id === 1 ? pet : undefined),
    update: () => true,
    patch: { input: schemaOf<Partial<Draft>>(), run: () => true },
    delete: { errors: { 409: schemaOf<{ wings: number }>() }, run: () => true },
    custom: { reset: () => ({ count: 1 }), nearest: { method: 'GET', run: () => pet } },
    itemCustom: {
      feed: { input: schemaOf<{ grams: number }>(), run: () => ({ fed: true }) },
      visits: { method: 'GET', run: () => [1] },
    },
  }),
  '/zoo/:zoo/pet': defineEndpoint({ params: { zoo: integerId }, id: integerId, get: () => pet }),
  '/file': defineEndpoint({ id: wildcardId, get: () => 'text' }),
  '/part': defineEndpoint({
    id: integerId, get: () => ({ name: 'x', born: '2020-01-01', nick: undefined as string | undefined, home: { street: 'a', city: 'b' } }),
    patch: { input: mergePatch(schemaOf<{ name: string; born: string; nick?: string; home: { street: string; city: string } }>()), run: () => true },
    update: { input: schemaOf<{ name: string; born: number }>(), run: () => true },
    itemCustom: { rename: { input: schemaOf<{ name: number }>(), run: () => true } },
  }),
  '/coerced': defineEndpoint({ id: integerId, get: () => ({ born: '2020-01-01' }), update: { input: schemaOfInput<{ born: unknown }, { born: Date }>(), run: () => true } }),
  '/tagged': defineEndpoint({
    id: integerId, get: () => ({ tags: ['a'], homes: [{ rooms: ['b'] }] }),
    update: { input: schemaOf<{ tags: readonly string[]; homes: readonly { readonly rooms: readonly string[] }[] }>(), run: () => true },
    patch: { input: schemaOf<{ homes: readonly { readonly rooms: readonly number[] }[] }>(), run: () => true },
  }),
  '/settings': defineEndpoint({ schema: Draft, get: () => ({ name: 'x', legs: 1 }), update: () => true }),
  '/change': defineEndpoint({ get: { output: events({ changed: schemaOf<{ id: number; pet: Pet | null }>() }), run: async function* () {} } }),
});
type Api = typeof registered;
const api = client<Api>('/v1', { ids: { '/pet': integerId, '/part': integerId, '/coerced': integerId, '/tagged': integerId, '/zoo/:zoo/pet': integerId, '/file': wildcardId } });
const q = queries(api, { also: { '/zoo/:zoo/pet': ['/pet'] }, idOf: ({ number }) => number, name: 'zoo' });
const plain = queries(client<Api>('/v1'))('/pet');
const pets = q('/pet');
declare const cache: QueryClientLike;
type DataOf<Read> = Read extends ReadOptions<infer Data, any> ? Data : never;
type ArgumentsOf<Change> = Change extends ChangeOptions<infer Arguments, any, any> ? Arguments : never;
type ResultOfChange<Change> = Change extends ChangeOptions<any, infer Data, any> ? Data : never;
const dataOf = <Read>(_: Read): DataOf<Read> => undefined as never;

// ---- Reads take the arguments of their calls.
const [found, list, nearest, visits] = [
  dataOf(pets.get(1)), dataOf(pets.list({ query: { legs: 4 } })), dataOf(pets.custom.nearest.get()), dataOf(pets.itemCustom.visits.get(1)),
];
same<typeof found, Pet>(true);
same<typeof list, Pet[]>(true);
same<typeof nearest, Pet>(true);
same<typeof visits, number[]>(true);
declare const maybe: number | undefined;
pets.get(maybe, { timeoutMs: 5 });
pets.itemCustom.visits.get(maybe);
plain.get('7');
q('/zoo/:zoo/pet', { zoo: 3 }).get(7);
q('/file').get('a/b');
const settings = dataOf(q.one('/settings').get());
same<typeof settings, Draft>(true);
const pages: InfiniteOptions<Pet, { legs?: string | number }, CallError<Api['/pet']['list']>> = pets.pages({ query: { legs: 4 } });
const page: Promise<ListPage<Pet, { legs?: string | number }>> = pages.queryFn({ pageParam: undefined });
// @ts-expect-error a wrong id
pets.get('x');
// @ts-expect-error a wrong query
pets.list({ query: { legs: true } });
// @ts-expect-error a wrong query of pages
pets.pages({ query: { legs: true } });
// @ts-expect-error an operation that is not declared
q('/zoo/:zoo/pet', { zoo: 3 }).list();
// @ts-expect-error a parameter is missing
q('/zoo/:zoo/pet');
// @ts-expect-error no such path
q('/pat');
// @ts-expect-error a singleton
q('/settings');
// @ts-expect-error not a singleton
q.one('/pet');
// @ts-expect-error a stream is not a query
q.one('/change').get();
// @ts-expect-error a Response cannot be kept
pets.get(1, { raw: true });

// ---- Changes: the variables are the arguments of their calls.
const [create, update, patch, remove, edit, feed, reset] = [
  pets.create(), pets.update({ optimistic: true }), pets.patch(), pets.delete(), pets.edit(), pets.itemCustom.feed(), pets.custom.reset(),
];
same<ArgumentsOf<typeof create>[0], Draft>(true);
same<ResultOfChange<typeof create>, number>(true);
same<ResultOfChange<ReturnType<typeof plain.create>>, string>(true);
void create.mutationFn([{ name: 'x', legs: 4 }], { client: cache });
void update.mutationFn([1, { name: 'x', legs: 4 }, { ifMatch: '"1"' }]);
void patch.mutationFn([1, { legs: 4 }]);
void remove.mutationFn([1]);
void edit.mutationFn([1, (item) => ({ ...item, legs: 3 })]);
void edit.mutationFn([1, merge(pet, { legs: 3 })]);
void q.one('/settings').update({ optimistic: true }).mutationFn([{ name: 'x', legs: 4 }]);
void feed.mutationFn([1, { grams: 3 }]);
same<ResultOfChange<typeof reset>, { count: number }>(true);
pets.update({ optimistic: (item, id, body) => (same<typeof item, Pet>(true), same<typeof id, number>(true), { ...item, ...body }) });
pets.delete({ optimistic: () => undefined });
// @ts-expect-error a wrong body
void create.mutationFn([{ name: 'x' }]);
// @ts-expect-error a list of arguments
void remove.mutationFn(1);
// @ts-expect-error where a new item stands in a list is not known
pets.create({ optimistic: true });
pets.patch({ optimistic: true });
pets.patch({ optimistic: 'merge' });
pets.delete({ optimistic: Math.random() > 0.5 });
q('/part').patch({ optimistic: 'merge' });
q('/part').update({ optimistic: (item, id, { born, ...body }) => ({ ...item, ...body, nick: `${id}`, born: `${born}` }) });
q('/part').itemCustom.rename({ optimistic: true });
q('/coerced').update({ optimistic: true });
q('/tagged').update({ optimistic: true });
// @ts-expect-error a list of numbers would be shown where the item has one of strings
q('/tagged').patch({ optimistic: true });
// @ts-expect-error null would be shown where the item has string or undefined
q('/part').patch({ optimistic: true });
// @ts-expect-error a number would be shown where the item has a string
q('/part').update({ optimistic: true });
// @ts-expect-error a body that is not a patch
pets.update({ optimistic: 'merge' });
// @ts-expect-error a changed item of a different type
pets.update({ optimistic: () => 'x' });
// @ts-expect-error a property that the item does not have
merge(pet, { wings: 3 });

// ---- Errors, by status.
type ErrorOf<Options> = Options extends { readonly throwOnError?: (error: infer Failure) => boolean } ? Failure : never;
declare const failure: ErrorOf<typeof remove>;
if (failure.status === 409) same<typeof failure.problem.wings, number>(true);
else if (failure.status === undefined) same<typeof failure.message, string>(true);
else same<(typeof failure)['response'], Response>(true);
if (failure.status === 404) same<typeof failure extends ProblemError ? true : false, true>(true);
// @ts-expect-error a property that is not declared
if (failure.status === 409) failure.problem.legs;
declare const thrown: unknown;
if (thrown instanceof ConflictError) same<typeof thrown.fields, readonly string[]>(true);
declare const conflict: ErrorOf<typeof edit>;
if (conflict instanceof ConflictError) same<typeof conflict.newest, Pet>(true), same<typeof conflict.fields, readonly (keyof Pet)[]>(true);
merge(pet as Pet & { readonly likes?: string }, { likes: undefined });

// ---- Following.
void pets.follow(cache, (options) => api.one('/change').get(options), ({ event, data }) => (event === 'changed' ? { id: data.id, item: data.pet } : null), { signal: AbortSignal.timeout(5) });
void q.one('/settings').follow(cache, (options) => api.one('/change').get(options), () => ({ item: { name: 'x', legs: 1 } }));
void pets.follow(cache, (options) => api.one('/change').get(options), ({ data }) => ({ id: data.id, item: data.pet }), { version: ({ legs }) => legs });
const changed: ChangedItem<number, Pet> = { id: 1 };
// @ts-expect-error the version of an item is a number or a bigint
void pets.follow(cache, (options) => api.one('/change').get(options), () => null, { version: ({ name }) => name });
// @ts-expect-error an event of a different item
void pets.follow(cache, (options) => api.one('/change').get(options), () => ({ id: 'x' }));

// @ts-expect-error no such path
queries(api, { also: { '/pet': ['/pat'] } });
// @ts-expect-error the calls of an endpoint are not a client
queries(api('/pet'));
const any = queries(client<any>('/v1'));
any('/anything').get(1).queryKey;
export const parameters: QueryParameters = {};
export { changed, page };
