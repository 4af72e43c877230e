/** The types that a client infers from the type of a declaration. Compiling this file is the test. */
import { client, type ByteBody, type Client, type Json, type ProblemError } from '../../src/client/index.ts';
import { integerId, stringId, uint64Id } from '../../src/index.ts';
import type { Pets, bodies, follow, pets, replies, settings, shown, visit } from './client-endpoints.types.ts';
import { same, type Pet as PlainPet } from './schemas.ts';

type Wire = { name: string; legs: number; born: string; tag?: string; seen: (string | null)[] };

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
// @ts-expect-error a path without its parameter
connect<typeof pets>({ path: '/pet', id: integerId, params: { zoo: stringId } });
// @ts-expect-error a path with a longer name
connect<typeof pets>({ path: '/zoo/:zoos/pet', id: integerId, params: { zoo: stringId } });
// @ts-expect-error no path
connect<typeof pets>({ id: integerId, params: { zoo: stringId } });
// @ts-expect-error no such option
client('', { timeout: 3 });

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

const followed = connect<typeof follow>({ path: '/profiles/:name/follow', params: { name: stringId } })({ name: 'x' });
const following = await followed.create();
same<typeof following, { following: string }>(true);
const unfollowed = await followed.delete(undefined);
same<typeof unfollowed, { following: boolean }>(true);

const visited = await connect<typeof visit>({ path: '/zoo/:zoo/visit/:pet', params: { zoo: stringId, pet: integerId } })({ zoo: 'x', pet: 1 }).get();
same<typeof visited, { pet: number; zoo: string }>(true);
// @ts-expect-error a path with one of them
connect<typeof visit>({ path: '/zoo/:zoo/visit', params: { zoo: stringId, pet: integerId } });

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
const later = [await spelt.custom.thenable(), await spelt.custom.nested()];
same<typeof later, string[]>(true);
const sometimesLater = await spelt.custom.sometimesLater();
same<typeof sometimesLater, number | string>(true);
const anyLater = await spelt.custom.anyLater();
same<typeof anyLater, any>(true);
const unknown = await spelt.custom.unknown();
same<typeof unknown, unknown>(true);

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
// @ts-expect-error text is not bytes
body.custom.upload('text');
// @ts-expect-error `await` would call it
body.custom.then();

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
