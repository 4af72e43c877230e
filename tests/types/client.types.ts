/** The types that a client infers from the type of an API. Compiling this file is the test. */
import { client, wait, type ByteBody, type ClientCall, type ClientProblem, type ClientWithIds, type Failed, type Json, type Operations, type OtherFailure, type ProblemError, type Succeeded, type SuccessStatus } from '../../src/client/index.ts';
import { integerId, stringId, uint64Id, type DefinedEndpoint, type IdCodec } from '../../src/index.ts';
import type { Api, Pets } from './client-endpoints.types.ts';
import { same, type Pet as PlainPet } from './schemas.ts';

type Wire = { name: string; legs: number; born: string; tag?: string; seen: (string | null)[] };

const api = client<Api>('/v1', { timeoutMs: 5000, headers: () => ({ authorization: 'Bearer x' }), retries: { attempts: 3, maxDelayMs: 5 } });
const north = api('/zoo/:zoo/pet', { zoo: 'north' }, { id: integerId });
interface Named extends Api {}
const named = client<Named>('/v1')('/zoo/:zoo/pet', { zoo: 'north' }, { id: integerId });
same<typeof named, typeof north>(true);
same<Awaited<typeof api>, typeof api>(true);
same<Awaited<typeof north>, typeof north>(true);
same<Awaited<typeof north.custom>, typeof north.custom>(true);
const { signal } = new AbortController();

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
// @ts-expect-error no such property
north.custom.search.run();
// @ts-expect-error a different type of id
north.get('1');
// @ts-expect-error the id is missing
north.delete();
// @ts-expect-error a body of a different shape
north.create({ name: 1, born: '' });
// @ts-expect-error a property that the body does not have
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
// @ts-expect-error a query of a different shape
north.list({ query: { tag: 1 } });
// @ts-expect-error a property that the query does not have
north.list({ query: { tags: 'x' } });
// @ts-expect-error no such option
north.get(1, { timeout: 3 });

// ---- Places.

declare const dateId: IdCodec<Date>;
const textual = await api('/zoo/:zoo/pet', { zoo: 'north' }).create({ name: 'x', born: '2020' });
same<typeof textual, string>(true);
// @ts-expect-error a path that is not registered
api('/zoos');
// @ts-expect-error the parameter is missing
api('/zoo/:zoo/pet');
// @ts-expect-error a parameter of a different type
api('/zoo/:zoo/pet', { zoo: 1 });
// @ts-expect-error a parameter that the path does not have
api('/zoo/:zoo/pet', { zoo: 'north', cage: 1 });
// @ts-expect-error no parameters here
api('/shown', { zoo: 'north' });
// @ts-expect-error a codec of a different type
api('/shown', {}, { id: integerId });
// @ts-expect-error a codec that nothing asks for
api('/shown', {}, { ids: uint64Id });
// @ts-expect-error a codec of a parameter of a different type
api('/zoo/:zoo/pet', { zoo: 'north' }, { params: { zoo: integerId } });
// @ts-expect-error a singleton is at `one`
api('/settings');
// @ts-expect-error only singletons are at `one`
api.one('/shown');
// @ts-expect-error a singleton has no codec of ids
api.one('/settings', {}, { id: integerId });
// @ts-expect-error an id that is a Date needs its codec
api('/days');
// @ts-expect-error and its own
api('/days', {}, { id: stringId });
// @ts-expect-error a parameter that is a Date needs its codec
api.one('/nights/:on/:name', { on: new Date(), name: 'x' });
// @ts-expect-error no such option
client<Api>('', { timeout: 3 });

// ---- The codecs of all ids, once.
interface Mixed extends Pick<Api, '/days' | '/zoo/:zoo/pet' | '/shown' | '/settings' | '/' | '/nights/:on/:name'> {}
const codecs = { '/days': dateId, '/zoo/:zoo/pet': integerId, '/shown': uint64Id } as const;
const mixed: ClientWithIds<Mixed> = client<Mixed>('/v1', { ids: codecs, timeoutMs: 5 });
const numbered = mixed('/zoo/:zoo/pet', { zoo: 'north' });
const unfed = { name: 'x', born: '' };
const ofMixed = [await numbered.create(unfed), await mixed('/days').create(unfed), await mixed('/').create(unfed)] as const;
same<typeof ofMixed, readonly [number, Date, string | { queued: string }]>(true);
await numbered.get(ofMixed[0]);
await mixed('/shown').get(7n);
same<typeof mixed[' types'], readonly [api: Mixed, hasIds: true] | undefined>(true);
same<ReturnType<typeof mixed.one<'/settings'>>, ReturnType<typeof api.one<'/settings'>>>(true);
await mixed('/days', {}, { id: dateId }).get(new Date());
await mixed.one('/nights/:on/:name', { on: new Date(), name: 'x' }, { params: { on: dateId } }).get();
// @ts-expect-error an id is a number then, and not its string
await numbered.get('7');
// @ts-expect-error a parameter that is a Date still needs its codec
mixed.one('/nights/:on/:name', { on: new Date(), name: 'x' });
// @ts-expect-error a client has all ids or none
client<Mixed>('', { ids: { '/days': dateId } });
// @ts-expect-error a codec of a different type
client<Mixed>('', { ids: { ...codecs, '/shown': integerId } });
// @ts-expect-error a path that the API does not have
client<Mixed>('', { ids: { '/days': dateId, '/zoo/:zoo/pet': integerId, '/shown': uint64Id, '/show': uint64Id } });
// @ts-expect-error a client without ids has strings
const lacking: ClientWithIds<Mixed> = client<Mixed>('');

const days = api('/days', {}, { id: dateId });
const madeDay = await days.create({ name: 'x', born: '' });
same<typeof madeDay, Date>(true);
const day = await days.get(madeDay);
same<typeof day, string>(true);
const night = await api.one('/nights/:on/:name', { on: new Date(), name: 'x' }, { params: { on: dateId } }).get();
same<typeof night, string>(true);

const setting = api.one('/settings');
const created = await setting.create({ name: 'x', born: '' });
same<typeof created, undefined>(true);
const set = await setting.get();
same<typeof set, Wire>(true);
await setting.update({ name: 'x', born: '' });
await setting.patch({});
await setting.custom.reset();
// @ts-expect-error an operation that is not declared
setting.delete();

const followed = api.one('/profiles/:name/follow', { name: 'x' });
const following = await followed.create();
same<typeof following, { following: string }>(true);
const unfollowed = await followed.delete(undefined);
same<typeof unfollowed, { following: false }>(true);

const visited = await api.one('/zoo/:zoo/visit/:pet', { zoo: 'x', pet: 1 }).get();
same<typeof visited, { pet: number; zoo: string }>(true);
// @ts-expect-error one of two parameters
api.one('/zoo/:zoo/visit/:pet', { zoo: 'x' });

const spelt = api('/');
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

const output = api('/shown', {}, { id: uint64Id });
const page = await output.list();
same<typeof page, { limit: number; tag?: string }>(true);
const part = await output.get(1n);
same<typeof part, { part: string } | { name?: string; legs?: number; born?: string; tag?: string; seen?: (string | null)[] }>(true);
const queuedPage = await output.create('anything');
same<typeof queuedPage, { limit: number; tag?: string } | undefined>(true);
const csv = await output.delete(1n);
same<typeof csv, string>(true);

// Writes that response with a body.
interface PageBack {
  limit: number;
  tag?: string;
}
declare const newPet: Parameters<typeof writes.create>[0];
const writes = api('/written', {}, { id: integerId });
const createdPage = await writes.create(newPet);
same<typeof createdPage, PageBack>(true);
const updatedAt = await writes.update(1, newPet);
same<typeof updatedAt, { at: string }>(true);
const patchedPage = await writes.patch(1, { grams: '1' });
same<typeof patchedPage, PageBack | undefined>(true);
const deletedPage = await writes.delete(1);
same<typeof deletedPage, PageBack>(true);
const startedPage = await writes.custom.start();
same<typeof startedPage, PageBack>(true);
const resetNothing = await writes.custom.reset();
same<typeof resetNothing, undefined>(true);
const createdOrId = await api('/creating', {}, { id: integerId }).create(newPet);
same<typeof createdOrId, number | { item: string }>(true);

// `optional` lets the body be left out.
const portion = await output.update(1n);
same<typeof portion, { limit: number; tag?: string } | undefined>(true);
await output.update(1n, { grams: '1' });
await output.update(1n, undefined, { signal });
// @ts-expect-error an optional body of a different shape
output.update(1n, { grams: 1 });

const body = api('/bodies');
same<Parameters<typeof body.custom.portion>[0], { grams: string }>(true);
same<Parameters<typeof body.custom.callable>[0], Json<PlainPet>>(true);
same<Parameters<typeof body.custom.decoded>[0], Json<PlainPet>>(true);
same<Parameters<typeof body.custom.dated>[0], { name: string; legs: number; born: string; tag?: string; seen: readonly (string | null)[] }>(true);
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

const instance = client<{ '/pets': Pets & DefinedEndpoint }>('')('/pets');
const kept = await instance.get(1);
same<typeof kept, Wire>(true);
same<keyof typeof instance, 'get' | 'delete'>(true);
same<typeof instance, Operations<Pets & DefinedEndpoint>>(true);

// ---- Safe results.

const rejecting = api('/rejecting', {}, { id: integerId });
const safe = await rejecting.create({ name: 'x' }, { safe: true });
if (safe.ok) same<typeof safe, Succeeded<201, number>>(true);
else if (safe.status === 409) {
  same<typeof safe.problem.current, number>(true);
  same<typeof safe.problem.at, string>(true);
  same<typeof safe.problem.title, string>(true);
} else if (safe.status === 422) same<typeof safe, Failed<422, ClientProblem & { readonly status: 422 }>>(true);
else {
  same<typeof safe.problem, ClientProblem>(true);
  same<500 extends typeof safe.status ? true : false, true>(true);
  // @ts-expect-error the problem of a different status
  safe.problem.current.toFixed();
}
const put = await rejecting.update(1, { name: 'x' }, { safe: true, ifMatch: '"1"' });
switch (put.status) {
  case 200: {
    same<typeof put.value, { limit: number; tag?: string }>(true);
    break;
  }
  case 204: {
    same<typeof put.value, undefined>(true);
    break;
  }
  case 409: {
    same<typeof put.problem.current, number>(true);
    break;
  }
  default: same<typeof put.ok, false>(true);
}
const found206 = await rejecting.get(1, { safe: true });
if (found206.ok) {
  same<typeof found206, Succeeded<200, { name: string }> | Succeeded<206, { part: 1 }>>(true);
  same<typeof found206.etag, string | undefined>(true);
}
const safeDelete = await north.delete(1, { safe: true });
if (safeDelete.ok) same<typeof safeDelete, Succeeded<204, undefined>>(true);
const safeRaw = await north.get(1, { safe: true, raw: true });
if (safeRaw.ok) same<typeof safeRaw.value, Response>(true);
await north.update(1, { name: 'x', born: '' }, { ifMatch: '"1"' });
await north.itemCustom.feed(1, { kg: 3 }, { ifMatch: '"1"' });
await setting.update({ name: 'x', born: '' }, { ifMatch: '"1"' });
// @ts-expect-error a get has no ifMatch
north.get(1, { ifMatch: '"1"' });
// @ts-expect-error nor has a create
north.create({ name: 'x', born: '' }, { ifMatch: '"1"' });

// ---- Pages and changes.

for await (const item of rejecting.each({ query: { text: 'x' }, signal })) same<typeof item, { at: string }>(true);
// @ts-expect-error a query of a different shape
rejecting.each({ query: { text: 1 } });
// @ts-expect-error no such option
rejecting.each({ raw: true });
// @ts-expect-error an endpoint without a list
setting.each();
const edited = await rejecting.edit(1, (item) => {
  same<typeof item, { name: string } | { part: 1 }>(true);
  return 'name' in item ? { name: item.name } : undefined;
}, { timeoutMs: 1 });
export const storedName: { name: string } | { part: number } | { limit: number } | { name?: string; legs?: number; born?: string } = edited;
const set2 = await setting.edit(async (item) => ({ ...item, name: 'x' }));
export const setName: string = set2.name;
// @ts-expect-error a change of a different shape
rejecting.edit(1, () => ({ nmae: 'x' }));
// @ts-expect-error no get here
followed.edit(() => undefined);

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
same<ReturnType<typeof failure.is>, boolean>(true);
export const messages: readonly string[] | undefined = failure.fields['owner/name'];
export const pointers: (string | undefined)[] | undefined = failure.problem.errors?.map(({ pointer }) => pointer);

// What is waited for has the type of `get`.
const waited = await wait(north, '/v1/job/1', { signal });
same<typeof waited, Wire>(true);
const waitedRaw = await wait(north, null, { raw: true, onResponse: ({ status }) => status });
same<typeof waitedRaw, Response>(true);
// @ts-expect-error the client has no get: api(path) has
wait(api, '/v1/job/1');
// @ts-expect-error a response of another origin is not known
wait(north, new URL('https://api.example/v1/job/1'));
// @ts-expect-error it always rejects with a problem
wait(north, '/v1/job/1', { safe: true });

// The types that stand in the declarations of what programs export.
const callGet: ClientCall<[id: number], { 200: { name: string } }, string> = async () => ({ name: 'x' }) as never;
const calledGet = await callGet(1, { safe: true });
same<typeof calledGet, Succeeded<200, { name: string }> | OtherFailure<never>>(true);
type CallParts = typeof callGet extends ClientCall<infer Leading, infer Op, infer Made, infer More> ? [Leading, Op, Made, More] : never;
same<CallParts, [[id: number], { 200: { name: string } }, string, {}]>(true);
// @ts-expect-error an id of a different type
callGet('1');
same<Extract<SuccessStatus, 199 | 200 | 299 | 300>, 200 | 299>(true);
