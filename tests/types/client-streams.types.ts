/** The streams, forms, keys and pages of a client. Compiling this file is the test. */
import { client, toFormData } from '../../src/client/index.ts';
import { events, form, ndjson } from '../../src/formats/index.ts';
import { defineEndpoint, integerId, reply, type ApiRequest, type StandardSchemaV1 } from '../../src/index.ts';
import { idempotent, memoryIdempotencyStore, pages, rateLimit } from '../../src/interceptors/index.ts';
import { decodePet, petSchema, same } from './schemas.ts';

interface Row {
  readonly at: Date;
}
declare const rows: AsyncIterable<Row>;
const asRow = (json: unknown): Row => json as Row;
const asCount = (json: unknown): { readonly count: number } => json as { readonly count: number };

const streams = defineEndpoint({
  id: integerId,
  list: { output: ndjson((row: Row) => row), run: () => rows },
  get: { output: events(asCount), run: () => [{ data: { count: 1 }, id: '7' }] },
  custom: {
    all: { output: events({ made: asRow, gone: asCount }), run: () => [{ event: 'gone', data: { count: 1 } } as const] },
    latest: { method: 'GET', output: { 200: events(asCount), 204: null }, run: () => (Math.random() > 0.5 ? reply(204) : [{ data: { count: 1 } }]) },
    some: { output: { 200: ndjson(asCount), 204: null }, run: () => (Math.random() > 0.5 ? reply(204) : [{ count: 1 }]) },
    replied: { output: { 200: ndjson(asCount) }, run: () => reply(200, [{ count: 1 }]) },
    load: { input: ndjson(asRow), run: async () => ({ loaded: 1 }) },
    pets: { input: ndjson(petSchema), run: async () => 1 },
  },
});
declare const takenSchema: StandardSchemaV1<unknown, { readonly code: 'taken'; readonly seat: number }>;
const keyed = defineEndpoint({
  id: integerId,
  schema: petSchema,
  create: { use: idempotent(memoryIdempotencyStore()), run: () => 1 },
  list: { use: pages({ cursor: (pet: { readonly legs: number }) => pet.legs, codec: integerId }), run: () => [{ name: 'ant', legs: 6 }] },
  patch: { input: decodePet, use: [idempotent(memoryIdempotencyStore(), { required: true })], run: () => {} },
  custom: {
    pay: { use: idempotent(memoryIdempotencyStore(), { required: true }), run: () => 1 },
    book: { use: idempotent(memoryIdempotencyStore()), errors: { 409: takenSchema }, run: () => 1 },
  },
});
const feeds = defineEndpoint({ get: { output: events(asCount), run: () => [{ data: { count: 1 } }, { id: '7' }] } });
const api = client<{ '/stream': typeof streams; '/keyed': typeof keyed; '/feed': typeof feeds }>('');
const feed = api.one('/feed');

// ---- A stream is iterated.
const of = api('/stream');
for await (const row of of.list()) same<typeof row, { at: string }>(true);
for await (const event of of.get(1, { signal: AbortSignal.timeout(9) })) same<typeof event, { id?: string; event: string; data: { count: number } }>(true);
for await (const event of of.custom.all()) {
  if (event.event === 'made') same<typeof event.data, { at: string }>(true);
  else same<typeof event, { id?: string; event: 'gone'; data: { count: number } }>(true);
}
// @ts-expect-error the properties of an item are in data
for await (const { count } of of.get(1)) void count;
// @ts-expect-error of a row they are its own, and it has no data
for await (const { data } of of.list()) void data;

// ---- Events begin after an id.
for await (const { id } of of.get(1, { lastEventId: '7' })) same<typeof id, string | undefined>(true);
for await (const { event } of of.custom.latest.get({ lastEventId: '7', query: { a: 1 } })) same<typeof event, string>(true);
for await (const { data } of feed.get({ lastEventId: undefined, timeoutMs: 9 })) same<typeof data, { count: number }>(true);
for await (const { data } of of.custom.latest.get()) same<typeof data, { count: number }>(true);
const resumed = await feed.get({ lastEventId: '7', safe: true });
if (resumed.ok) for await (const { id } of resumed.value) same<typeof id, string | undefined>(true);
// @ts-expect-error an id is a string
feed.get({ lastEventId: 7 });
// @ts-expect-error rows have no ids
of.list({ lastEventId: '7' });
// @ts-expect-error only a GET is sent again
of.custom.all(undefined, { lastEventId: '7' });
// @ts-expect-error a list of items is not a stream
api('/keyed').list({ lastEventId: '7' });

for await (const row of of.custom.some()) same<typeof row, { count: number }>(true);
for await (const row of of.custom.replied()) same<typeof row, { count: number }>(true);
const awaited = await of.list();
for await (const row of awaited) same<typeof row, { at: string }>(true);
const safe = await of.list({ safe: true });
if (safe.ok) for await (const row of safe.value) same<typeof row, { at: string }>(true);
const raw = await of.list({ raw: true });
same<typeof raw, Response>(true);
// @ts-expect-error a stream is not a promise
void of.list().then();
// @ts-expect-error a list that is a stream has no pages
of.each();
// @ts-expect-error nor a page
of.page();

// ---- Items as a body.
const sum = await of.custom.load((async function* () { yield { at: '2020' }; })());
same<typeof sum, { loaded: number }>(true);
await of.custom.pets((async function* () { yield { name: 'ant', legs: 6 }; })());
// @ts-expect-error a list instead of a stream: it looks like one JSON value
await of.custom.load([{ at: '2020' }]);
// @ts-expect-error items of a different shape
await of.custom.load((async function* () { yield { at: 1 }; })());
// @ts-expect-error items of a different shape than the schema's
await of.custom.pets((async function* () { yield { name: 1 }; })());

// ---- A key is for operations that are idempotent.
const at = api('/keyed');
await at.create({ name: 'ant', legs: 6 }, { idempotencyKey: 'k' });
await at.create({ name: 'ant', legs: 6 });
await at.patch(1, { name: 'ant', legs: 6 }, { idempotencyKey: 'k', ifMatch: '"1"' });
await at.custom.pay(undefined, { idempotencyKey: 'k', safe: true });
// The 409 of `idempotent` and the operation's own are distinguished by their `code`.
const booked = await at.custom.book(undefined, { safe: true });
if (!booked.ok && booked.status === 409) {
  if (booked.problem.code === 'taken') same<typeof booked.problem.seat, number>(true);
  else same<typeof booked.problem.code, 'idempotency_key_in_use'>(true);
}
// @ts-expect-error a key is needed
await at.custom.pay();
// @ts-expect-error a key is needed, in each operation of a list of interceptors too
await at.patch(1, { name: 'ant', legs: 6 }, { ifMatch: '"1"' });
// @ts-expect-error a key is a string
await at.create({ name: 'ant', legs: 6 }, { idempotencyKey: 7 });
// @ts-expect-error pages make no operation idempotent
await at.list({ idempotencyKey: 'k' });
// @ts-expect-error this operation is not idempotent
await of.custom.load(rows as never, { idempotencyKey: 'k' });

// ---- Pages have their query, and items.
for await (const pet of at.each({ query: { limit: 10, after: 7 } })) same<typeof pet, { name: string; legs: number }>(true);
const paged = await at.page({ query: { limit: 10 } });
same<typeof paged.items, readonly { name: string; legs: number }[]>(true);
if (paged.next) await at.page({ query: paged.next, signal: AbortSignal.timeout(9) });
if (paged.prev) await at.list({ query: paged.prev });
// @ts-expect-error a page has no statuses
at.page({ safe: true });
// @ts-expect-error a limit is a number
at.each({ query: { limit: 'all' } });

// Forms: of what the schema takes.
declare const uploadSchema: StandardSchemaV1<{ readonly name: string; readonly legs: unknown; readonly photo: File; readonly scans?: File[] }>;
type FormValue = string | number | boolean | bigint | Date | Blob | null | undefined;
const uploads = defineEndpoint({
  custom: {
    take: { input: form(uploadSchema, { files: { photo: {}, scans: {} } }), run: () => 1 },
    any: { input: form((fields: any) => fields as object), run: () => 1 },
  },
});
const atUploads = client<{ '/upload': typeof uploads }>('').one('/upload').custom;
same<Parameters<typeof atUploads.take>[0], FormData & {
  readonly ' types'?: { readonly name: string; readonly legs: FormValue | readonly FormValue[]; readonly photo: Blob; readonly scans?: readonly Blob[] };
}>(true);
await atUploads.take(toFormData({ name: 'Rex', legs: 4, photo: new Blob([]), scans: [new File([], 'a')] }));
await atUploads.take(new FormData());
await atUploads.any(toFormData({ anything: 1 }));
// @ts-expect-error a photo is missing
await atUploads.take(toFormData({ name: 'Rex', legs: 4 }));
// @ts-expect-error a photo is not a string
await atUploads.take(toFormData({ name: 'Rex', legs: 4, photo: 'a.png' }));
// @ts-expect-error not as JSON
await atUploads.take({ name: 'Rex', legs: 4, photo: new Blob([]) });

// An interceptor in a list may be a subtype of the others, and has its effect all the same.
const limited = defineEndpoint({
  id: integerId,
  schema: petSchema,
  context: () => ({ name: 'ann' }),
  create: {
    use: [
      rateLimit({ by: 'caller', key: ({ context }: ApiRequest<{ name: string }>) => context.name, limit: 1, windowSeconds: 1 }),
      idempotent(memoryIdempotencyStore(), { caller: ({ context }: ApiRequest<{ name: string }>) => context.name, required: true }),
    ],
    run: () => 1,
  },
});
const keyedAndLimited = client<{ '/limited': typeof limited }>('')('/limited');
await keyedAndLimited.create({ name: 'ant', legs: 6 }, { idempotencyKey: 'k' });
// @ts-expect-error The key is required.
await keyedAndLimited.create({ name: 'ant', legs: 6 });
