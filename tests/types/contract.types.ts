/** The type of `api`: the wire contract of its operations, and the names of its parts. Compiling this file is the test. */
import { client, type BodyOf, type ByteBody, type ClientProblem, type ProblemOf, type ResultOf } from '../../src/client/index.ts';
import { bytes, defineEndpoint, integerId, reply, stringId, type ApiServer, type IdCodec, type Interceptor, type StandardSchemaV1, wildcardId, type WildcardCodec } from '../../src/index.ts';
import { events, ndjson } from '../../src/formats/index.ts';
import { idempotent, memoryIdempotencyStore, pages, type IdempotencyStore } from '../../src/interceptors/index.ts';
import { portionSchema, same } from './schemas.ts';

/** The properties of the problems of `idempotent`. */
type InUse = { code: 'idempotency_key_in_use' };
type Reused = { code: 'idempotency_key_reused' };
interface Pet {
  readonly name: string;
  readonly born: Date;
  readonly tags: readonly string[];
}
interface NewPet {
  name: string;
  born: Date | string;
  tags: string[];
}
type Wire = { name: string; born: string; tags: string[] };
type Sent = { name: string; born: Date | string; tags: readonly string[] };
declare const brand: unique symbol;
type Name = string & { readonly [brand]: 'Name' };
declare const petSchema: StandardSchemaV1<NewPet, Pet>;
declare const branded: StandardSchemaV1<{ readonly name: Name; readonly legs: number & { readonly [brand]: 'Legs' } }>;
declare const conflictSchema: StandardSchemaV1<unknown, { readonly current: Date }>;
declare const pageSchema: StandardSchemaV1<{ tags: string[]; limit?: number | string }, { tags: string[] }>;
declare const at: Map<number, Pet>;
declare const keys: IdempotencyStore;
declare const server: ApiServer;
declare const anyStatus: number;

const api = server.registerEndpoints({
  '/pet': defineEndpoint({
    id: integerId,
    schema: petSchema,
    create: { use: idempotent(keys), errors: { 409: conflictSchema, 422: null }, run: (pet) => at.set(1, pet).size },
    list: { use: pages({ cursor: ({ name }: Pet) => name }), run: () => [...at.values()] },
    get: (id) => at.get(id),
    update: (id, pet) => void at.set(id, pet),
    patch: { input: portionSchema, optional: true, run: (id) => (id > 1 ? reply(202, { queued: id }) : undefined) },
    delete: (id) => (id > 2 ? reply(anyStatus, 'x') : at.delete(id)),
    version: ({ name }) => name,
    requireIfMatch: true,
    custom: { search: { input: portionSchema, query: pageSchema, run: () => [...at.values()] }, upload: { input: bytes({ types: ['image/*'] }), run: () => true }, import: { input: ndjson(petSchema), run: () => 1 } },
    itemCustom: { rename: { input: branded, run: (_id, { name, legs }) => ({ name, legs }) } },
  }),
  '/file': defineEndpoint({ id: wildcardId, get: (id) => id }),
  '/day/:zoo': defineEndpoint({
    params: { zoo: stringId }, schema: petSchema, create: () => {}, get: { output: events({ fed: conflictSchema }), run: async function* () {} },
  }),
});

type Key<Pet> = Pet extends { readonly create: infer Op } ? Op : never;
same<Key<(typeof api)['/pet']>, { body: Sent; id: number; 409: { current: string } | InUse; 422: null | Reused; idempotencyKey?: string }>(true);
same<(typeof api)['/pet']['get'], { 200: Wire }>(true);
same<(typeof api)['/pet']['update'], { body: Sent; ifMatch: string; 204: undefined }>(true);
same<(typeof api)['/pet']['delete'], { ifMatch: string; '2xx': string; 204: undefined }>(true);
same<(typeof api)['/pet']['patch'], { body?: { grams: string } | undefined; ifMatch: string; 202: { queued: number }; 204: undefined }>(true);
same<(typeof api)['/pet']['custom']['search'], { body: { grams: string }; query: { tags: readonly string[]; limit?: number | string }; 200: Wire[] }>(true);
same<(typeof api)['/pet']['id'], IdCodec<number>>(true);
// A brand is of the server alone: what it says is not in JSON, and its symbol has no name elsewhere.
same<(typeof api)['/pet']['itemCustom']['rename'][200], { name: string; legs: number }>(true);
same<(typeof api)['/file'], { id: WildcardCodec; get: { 200: string } }>(true);
same<(typeof api)['/day/:zoo']['one'], {
  params: { zoo: IdCodec<string> }; create: { body: Sent; 201: undefined }; get: { 200: AsyncIterable<{ id?: string; event: 'fed'; data: { current: string } }> };
}>(true);

// Its parts by name.
same<ResultOf<typeof api, '/pet', 'get'>, Wire>(true);
same<ResultOf<typeof api, '/pet', 'create'>, string>(true);
same<ResultOf<typeof api, '/pet', 'patch'>, { queued: number } | undefined>(true);
same<ResultOf<typeof api, '/pet', 'custom.upload'>, boolean>(true);
same<ResultOf<typeof api, '/day/:zoo', 'create'>, undefined>(true);
same<BodyOf<typeof api, '/pet', 'create'>, Sent>(true);
same<BodyOf<typeof api, '/pet', 'patch'>, { grams: string } | undefined>(true);
same<BodyOf<typeof api, '/pet', 'get'>, undefined>(true);
same<BodyOf<typeof api, '/pet', 'custom.upload'>, ByteBody>(true);
same<BodyOf<typeof api, '/pet', 'custom.import'>, AsyncIterable<Sent>>(true);
type With<Status, Properties = unknown> = ClientProblem & { readonly status: Status } & Properties;
same<ProblemOf<typeof api, '/pet', 'create', 409>, With<409, InUse> | With<409, { current: string }>>(true);
same<ProblemOf<typeof api, '/pet', 'create', 422>, With<422> | With<422, Reused>>(true);
same<ProblemOf<typeof api, '/pet', 'create'>, With<409, InUse> | With<409, { current: string }> | With<422> | With<422, Reused>>(true);
same<ProblemOf<typeof api, '/pet', 'get'>, ClientProblem>(true);
same<ProblemOf<typeof api, '/pet', 'create', 404>, ClientProblem>(true);

// What interceptors fail with, of an operation and of its endpoint. Of one without known statuses nothing is known.
declare const unknownErrors: Interceptor;
const limited = { around: (_call: unknown, run: () => Promise<unknown>) => run(), errors: { 429: conflictSchema, 503: null } } as const;
const used = server.registerEndpoints({
  '/a': defineEndpoint({
    id: integerId, use: limited, get: (id) => id,
    custom: { pay: { use: [idempotent(memoryIdempotencyStore(), { required: true }), unknownErrors], run: () => 1 }, go: { use: unknownErrors, errors: { 410: null }, run: () => 1 } },
  }),
  '/b': defineEndpoint({ custom: { pay: { use: idempotent(memoryIdempotencyStore(), { caller: () => 'ann', required: true }), run: () => 1 } } }),
});
same<(typeof used)['/a']['get'], { 200: number; 429: { current: string }; 503: null }>(true);
same<(typeof used)['/a']['custom']['pay'], { 200: number; 409: InUse; 422: Reused; 429: { current: string }; 503: null; idempotencyKey: string }>(true);
same<(typeof used)['/b']['one']['custom']['pay'], { 200: number; 409: InUse; 422: Reused; 429: null; 503: null; idempotencyKey: string }>(true);
same<(typeof used)['/a']['custom']['go'], { 200: number; 410: null; 429: { current: string }; 503: null }>(true);
same<ProblemOf<typeof used, '/a', 'get', 429>['current'], string>(true);
// @ts-expect-error no such operation
export type Missing = ResultOf<typeof api, '/pet', 'custom.feed'>;
// @ts-expect-error no such path
export type Nowhere = BodyOf<typeof api, '/pets', 'get'>;

// A create whose 201 has no body: a client gets nothing, and `Location` has the id.
const noted = server.registerEndpoints({ '/note': defineEndpoint({ id: integerId, create: { input: portionSchema, output: { 201: null }, run: () => 1 } }) });
same<(typeof noted)['/note']['create'], { body: { grams: string }; 201: undefined }>(true);

// The client without a codec: what `create` gives, the operations of an item take.
const pets = client<typeof api>('/v1')('/pet');
declare const sent: Sent;
const id = await pets.create(sent, { idempotencyKey: 'x' });
same<typeof id, string>(true);
const pet = await pets.get(id);
same<typeof pet, Wire>(true);
await pets.get(1);
await pets.update(id, sent, { ifMatch: '"1"' });
await pets.patch(id, undefined, { ifMatch: '"1"' });
await pets.delete(id, { ifMatch: '"1"' });
await pets.edit(id, (item) => ({ ...item, born: new Date(item.born) }));
await pets.itemCustom.rename(id, { name: 'x' as Name, legs: 4 as BodyOf<typeof api, '/pet', 'itemCustom.rename'>['legs'] });
const typed = client<typeof api>('/v1')('/pet', {}, { id: integerId });
// @ts-expect-error with the codec, an id is what it parses
await typed.get(id);
// @ts-expect-error a text is not a key of several segments
client<typeof api>('/v1')('/file', {}, { id: stringId });

// With `requireIfMatch`, a change needs `ifMatch`, or `edit`.
// @ts-expect-error no options
await pets.update(1, sent);
// @ts-expect-error no ifMatch
await pets.update(1, sent, { timeoutMs: 5 });
// @ts-expect-error an ifMatch that may be missing
await pets.update(1, sent, { ifMatch: undefined });
// @ts-expect-error no options
await pets.delete(1);
// @ts-expect-error no options
await pets.patch(1, { grams: '1' });

// A named operation, with its body and its query.
const found = await pets.custom.search({ grams: '1' }, { query: { tags: ['a'] } });
same<typeof found, Wire[]>(true);
const safely = await pets.custom.search({ grams: '1' }, { query: { tags: ['a'] as const }, safe: true });
if (safely.ok) same<typeof safely.value, Wire[]>(true);
// @ts-expect-error the query that it needs is missing
await pets.custom.search({ grams: '1' });
// @ts-expect-error a body of a different shape
await pets.custom.search({ grams: 1 }, { query: { tags: [] } });

// A list that is only sent may be `readonly`.
const tags: readonly string[] = ['a'];
await pets.create({ name: 'x', born: new Date(), tags });
await pets.list({ query: { limit: 1, more: tags } });
