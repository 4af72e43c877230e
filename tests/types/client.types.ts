/** What a client infers from the type of a declaration. Compiling this file is the test. */
import { client, type ByteBody, type Client, type Json, type ProblemError } from '../../src/client/index.ts';
import { bytes, defineEndpoint, integerId, reply, stringId, uint64Id, type IdCodec, type StandardSchemaV1 } from '../../src/index.ts';
import { callablePetSchema, decodePet, portionSchema, same, type Pet as PlainPet } from './schemas.ts';

interface Pet {
  readonly name: string;
  readonly legs: number;
  readonly born: Date;
  readonly tag?: string | undefined;
  readonly feed: () => void;
  readonly seen: readonly (Date | undefined)[];
}
type SentPet = { name: string; legs?: number; born: string };
type Wire = { name: string; legs: number; born: string; tag?: string; seen: (string | null)[] };
declare const pet: Pet;
declare const petSchema: StandardSchemaV1<SentPet, Pet>;
declare const changeSchema: StandardSchemaV1<Partial<SentPet>, Partial<Pet>>;
declare const pageSchema: StandardSchemaV1<{ limit?: unknown; tag?: string }, { limit: number; tag?: string }>;
declare const searchSchema: StandardSchemaV1<{ text: string; tags?: string[] }, { text: string; tags: string[] }>;
declare function signedIn(request: { readonly signal: AbortSignal }): Promise<{ readonly name: string }>;

// Every kind of operation, with parameters and a context.
export const pets = defineEndpoint({
  id: integerId,
  params: { zoo: stringId },
  context: signedIn,
  schema: petSchema,
  create: (item, request) => item.legs + request.context.name.length,
  list: { query: pageSchema, run: async ({ query }) => [{ ...pet, limit: query.limit }] },
  get: (id) => (id > 3 ? pet : id > 2 ? undefined : reply(200, pet, { ETag: '"1"' })),
  update: (id, item) => [id, item],
  patch: { input: changeSchema, run: (id, change) => (change.legs === id ? reply(200, pet) : reply(204)) },
  delete: (id) => id > 1,
  custom: {
    search: { input: changeSchema, query: searchSchema, run: (change) => new Map([[1, change]]) },
    count: { run: () => ({ pets: 1n, at: new Date(), most: undefined as undefined | number }) },
    find: { query: searchSchema, run: ({ query }) => query.tags.length },
    echo: { input: (json: unknown) => String(json), run: (text) => text },
    nothing: { run: () => {} },
    total: ({ context }) => ({ total: context.name.length }),
  },
  itemCustom: {
    wake: { run: (id) => ({ id }) },
    feed: { input: (json: unknown): { kg: number } => ({ kg: Number(json) }), run: async (id, food) => [id, food.kg] as const },
  },
});
const inZoo = client('/v1', { timeoutMs: 5000, headers: () => ({ authorization: 'Bearer x' }) })<typeof pets>({
  path: '/zoo/:zoo/pet', id: integerId, params: { zoo: stringId },
});
const north = inZoo({ zoo: 'north' });
const { signal } = new AbortController();

same<Awaited<ReturnType<typeof north.create>>, number | Response>(true);
const made = await north.create({ name: 'x', born: '2020' });
same<typeof made, number>(true);
const all = await north.list({ query: { limit: 3, tag: 'x' }, signal });
same<typeof all, { limit: number; name: string; legs: number; born: string; tag?: string; seen: (string | null)[] }[]>(true);
await north.list();
const one = await north.get(1, { signal, timeoutMs: 5, headers: new Headers(), onResponse: ({ status }) => status });
same<typeof one, Wire>(true);
const updated = await north.update(1, { name: 'x', born: '2020' });
same<typeof updated, undefined>(true);
const patched = await north.patch(1, { legs: 3 }, { headers: { 'If-Match': '"1"' } });
same<typeof patched, Wire | undefined>(true);
const deleted = await north.delete(1);
same<typeof deleted, undefined>(true);
const found = await north.custom.search({ legs: 1 }, { query: { text: 'x', tags: ['a', 'b'] } });
same<typeof found, {}>(true);
const counted = await north.custom.count();
same<typeof counted, { pets: never; at: string; most?: number }>(true);
await north.custom.count(undefined, { timeoutMs: 3 });
const length = await north.custom.find(undefined, { query: { text: 'x' } });
same<typeof length, number>(true);
const echoed = await north.custom.echo('x');
same<typeof echoed, string>(true);
const nothing = await north.custom.nothing();
same<typeof nothing, undefined>(true);
const total = await north.custom.total(undefined, { signal });
same<typeof total, { total: number }>(true);
const fed = await north.itemCustom.feed(1, { kg: 3 });
same<typeof fed, [number, number]>(true);
const woken = await north.itemCustom.wake(1);
same<typeof woken, { id: number }>(true);

const response = await north.get(1, { raw: true });
same<typeof response, Response>(true);
const listed = await north.list({ raw: true, query: { tag: 'x' } });
same<typeof listed, Response>(true);
const cooked = await north.get(1, { raw: false });
same<typeof cooked, Wire>(true);
const either = await north.get(1, { raw: Math.random() > 1 });
same<typeof either, Wire | Response>(true);

// @ts-expect-error no such operation
north.custom.nope();
// @ts-expect-error no such member
north.custom.search.run();
// @ts-expect-error another type of id
north.get('1');
// @ts-expect-error the id is missing
north.delete();
// @ts-expect-error a body of another shape
north.create({ name: 1, born: '' });
// @ts-expect-error a member that the body does not have
north.create({ name: 'x', born: '', wings: 2 });
// @ts-expect-error the body is missing
north.update(1);
// @ts-expect-error an operation that takes no body
north.custom.count({});
// @ts-expect-error the query that it needs is missing
north.custom.search({});
// @ts-expect-error the query that it needs is missing
north.custom.search({}, { signal });
// @ts-expect-error the query that it needs is missing
north.custom.find();
// @ts-expect-error a query of another shape
north.list({ query: { tag: 1 } });
// @ts-expect-error a member that the query does not have
north.list({ query: { tags: 'x' } });
// @ts-expect-error no such option
north.get(1, { timeout: 3 });
// @ts-expect-error a parameter of another type
inZoo({ zoo: 1 });
// @ts-expect-error the operations of an endpoint with parameters need them
inZoo.list();

const connect = client('');
// @ts-expect-error a codec of another type
connect<typeof pets>({ path: '/zoo/:zoo/pet', id: stringId, params: { zoo: stringId } });
// @ts-expect-error a codec of a parameter of another type
connect<typeof pets>({ path: '/zoo/:zoo/pet', id: integerId, params: { zoo: integerId } });
// @ts-expect-error no codec of ids
connect<typeof pets>({ path: '/zoo/:zoo/pet', params: { zoo: stringId } });
// @ts-expect-error no codecs of parameters
connect<typeof pets>({ path: '/zoo/:zoo/pet', id: integerId });
// @ts-expect-error no path
connect<typeof pets>({ id: integerId, params: { zoo: stringId } });
// @ts-expect-error no such option
client('', { timeout: 3 });

// A singleton's operations take no id, and its Create gives nothing.
const settings = defineEndpoint({
  schema: petSchema, create: () => 7, get: () => pet, update: (item) => void item, patch: { input: changeSchema, run: () => {} },
  custom: { reset: { run: () => true } },
});
const setting = connect<typeof settings>({ path: '/settings' });
const created = await setting.create({ name: 'x', born: '' });
same<typeof created, undefined>(true);
const set = await setting.get();
same<typeof set, Wire>(true);
await setting.update({ name: 'x', born: '' });
await setting.patch({});
await setting.custom.reset();
// @ts-expect-error an operation that is not declared
setting.delete();
// @ts-expect-error a singleton has no id
connect<typeof settings>({ path: '/settings', id: integerId });
// @ts-expect-error a singleton without parameters
connect<typeof settings>({ path: '/settings', params: { zoo: stringId } });

// Parameters and no id, no schema, and replies in place of plain results.
const follow = defineEndpoint({
  params: { name: stringId },
  create: { run: ({ params }) => reply(200, { following: params.name }) },
  delete: () => reply(200, { following: false }),
});
const followed = connect<typeof follow>({ path: '/profiles/:name/follow', params: { name: stringId } })({ name: 'x' });
const following = await followed.create();
same<typeof following, { following: string }>(true);
const unfollowed = await followed.delete(undefined);
same<typeof unfollowed, { following: boolean }>(true);

// Replies: only those of 2xx are given. Bytes and streams are text.
declare const anyStatus: number;
const replies = defineEndpoint({
  id: stringId,
  schema: petSchema,
  create: (item) => (item.legs > 4 ? 'x' : reply(202, { queued: item.born })),
  list: () => (Math.random() > 1 ? reply(303, { at: 1 }) : reply(200, [pet.born])),
  delete: () => reply(anyStatus, { gone: new Date() }),
  custom: {
    bytes: { run: () => reply(200, new Uint8Array(3)) },
    stream: { run: () => reply(200, new ReadableStream(), { 'Content-Type': 'text/csv' }) },
    several: { run: () => reply(Math.random() > 1 ? 200 : 303, 'text') },
    moved: { run: () => reply(303, undefined, { Location: '/' }) },
    nobody: { run: () => reply(202) },
    any: { run: () => JSON.parse('1') },
    unknown: { run: () => JSON.parse('1') as unknown },
    json: { run: () => reply(200, JSON.parse('1')) },
  },
});
const spelt = connect<typeof replies>({ path: '/', id: stringId });
const queued = await spelt.create({ name: 'x', born: '' });
same<typeof queued, string | { queued: string }>(true);
const dates = await spelt.list();
same<typeof dates, string[]>(true);
const gone = await spelt.delete('x');
same<typeof gone, { gone: string }>(true);
const text = [await spelt.custom.bytes(), await spelt.custom.stream(), await spelt.custom.several()];
same<typeof text, string[]>(true);
declare const moved: Awaited<ReturnType<typeof spelt.custom.moved<false>>>;
export const notGiven: never = moved;
const nobody = await spelt.custom.nobody();
same<typeof nobody, undefined>(true);
const anything = [await spelt.custom.any(), await spelt.custom.json()] as const;
same<typeof anything, readonly [any, any]>(true);
const unknown = await spelt.custom.unknown();
same<typeof unknown, unknown>(true);

// `output` is what the client gets, by the status of the answer.
const shown = defineEndpoint({
  id: uint64Id,
  list: { output: pageSchema, run: () => ({}) },
  get: { output: changeSchema, run: (id) => (id > 3n ? reply(206, { part: 1n as unknown as Date }) : reply(200, { born: '' })) },
  create: {
    input: (json: unknown) => json, output: { 202: pageSchema, 204: null },
    run: (json) => (json === 1 ? reply(202, {}) : json === 2 ? reply(204) : 7n),
  },
  delete: { output: { 200: bytes({ types: ['text/csv'] }) }, run: () => reply(200, 'a,b', { 'Content-Type': 'text/csv' }) },
  update: { input: portionSchema, optional: true, output: { 200: pageSchema }, run: (_id, portion) => (portion.grams > 1 ? reply(200, {}) : undefined) },
});
const output = connect<typeof shown>({ path: '/shown', id: uint64Id });
const page = await output.list();
same<typeof page, { limit: number; tag?: string }>(true);
const part = await output.get(1n);
same<typeof part, { part: string } | { name?: string; legs?: number; born?: string; tag?: string; seen?: (string | null)[] }>(true);
const queuedPage = await output.create('anything');
same<typeof queuedPage, bigint | { limit: number; tag?: string } | undefined>(true);
const csv = await output.delete(1n);
same<typeof csv, string>(true);
// `optional` lets the body be left out.
const portion = await output.update(1n);
same<typeof portion, { limit: number; tag?: string } | undefined>(true);
await output.update(1n, { grams: '1' });
await output.update(1n, undefined, { signal });
// @ts-expect-error an optional body of another shape
output.update(1n, { grams: 1 });

// Bodies: what a schema takes, else its output in JSON; bytes as they are.
const bodies = defineEndpoint({
  id: stringId,
  custom: {
    portion: { input: portionSchema, run: ({ grams }) => grams },
    callable: { input: callablePetSchema, run: ({ legs }) => legs },
    decoded: { input: decodePet, run: ({ legs }) => legs },
    dated: { input: (_json: unknown) => pet, run: () => 1 },
    upload: { input: bytes({ types: ['image/*'] }), run: () => 1 },
    any: { input: (json: any) => json, run: () => 1 },
    then: { run: () => 1 },
  },
  itemCustom: { paged: { query: (_query: unknown) => ({ limit: 10, tags: ['x'] }), run: () => 1 } },
});
const body = connect<typeof bodies>({ path: '/bodies', id: stringId });
same<Parameters<typeof body.custom.portion>[0], { grams: string }>(true);
same<Parameters<typeof body.custom.callable>[0], Json<PlainPet>>(true);
same<Parameters<typeof body.custom.decoded>[0], Json<PlainPet>>(true);
same<Parameters<typeof body.custom.dated>[0], Wire>(true);
same<Parameters<typeof body.custom.upload>[0], ByteBody>(true);
await body.custom.upload(new Blob([]));
await body.custom.upload(new Uint8Array(3), { headers: { 'Content-Type': 'image/png' } });
await body.custom.any({ anything: 1 });
// A decoder of anything may have defaults.
await body.itemCustom.paged('x', undefined, { query: { tags: ['x', 'y'] } });
await body.itemCustom.paged('x');
// @ts-expect-error text is no bytes
body.custom.upload('text');
// @ts-expect-error `await` would call it
body.custom.then();

// A declaration can be a class.
class Pets {
  readonly id: IdCodec<number> = integerId;
  readonly kept = new Map<number, Pet>();
  get(id: number): Pet | undefined {
    return this.kept.get(id);
  }
  async delete(id: number): Promise<boolean> {
    return this.kept.delete(id);
  }
}
const instance = connect<Pets>({ path: '/pets', id: integerId });
const kept = await instance.get(1);
same<typeof kept, Wire>(true);
same<keyof typeof instance, 'get' | 'delete'>(true);
same<typeof instance, Client<Pets>>(true);

// JSON.
type Nested = Date | readonly Nested[];
type SentNested = string | SentNested[];
type Value = null | boolean | number | string | Value[] | { [name: string]: Value };
interface Tree {
  readonly at: Date;
  readonly below: readonly Tree[];
}
interface SentTree {
  at: string;
  below: SentTree[];
}
declare enum Color { Red, Green }
declare const nested: Json<Nested>;
declare const value: Json<Value>;
declare const tree: Json<Tree>;
export const nestings: SentNested = nested;
export const values: Value = value;
export const trees: SentTree = tree;
same<Json<{ a: undefined; b: Set<1>; c: [Date, undefined]; d: any; e: unknown; f: null | Date; g?: bigint }>,
  { b: {}; c: [string, null]; d: any; e: unknown; f: string | null; g?: never }>(true);
same<Json<{ [name: string]: Date }>, { [name: string]: string }>(true);
same<Json<{ readonly a: { toJSON(): { at: Date } }; [Symbol.iterator]: 1; 3: symbol }>, { a: { at: string } }>(true);
same<Json<Color | 'a' | 1 | true>, Color | 'a' | 1 | true>(true);
same<Json<{ kind: 'a'; at: Date } | { kind: 'b' }>, { kind: 'a'; at: string } | { kind: 'b' }>(true);
same<Json<(() => void)[]>, null[]>(true);
same<Json<bigint>, never>(true);
same<Json<URL>, string>(true);

declare const failure: ProblemError;
same<typeof failure.status, number>(true);
same<typeof failure.response, Response>(true);
export const pointers: (string | undefined)[] | undefined = failure.problem.errors?.map(({ pointer }) => pointer);
