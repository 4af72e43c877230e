/** K2: `pages` and `idempotent` in a declaration. Compiling this file is the test. */
import { ApiServer, defineEndpoint, integerId, reply, stringId, uuidId, type ApiRequest, type IdCodec } from '../../src/index.ts';
import { client } from '../../src/client/index.ts';
import {
  dateKey, idempotent, memoryIdempotencyStore, pages, rateLimit, type IdempotencyStore, type Page, type PageDirection, type PagesOptions, type RunConditions, type SortedPage,
  type WithIdempotencyKey,
} from '../../src/interceptors/index.ts';
import { decodePet, petSchema, same, type Pet } from './schemas.ts';

interface User {
  readonly name: string;
}
interface Transaction {
  insert(pet: Pet): number;
}
interface StoredPet extends Pet {
  readonly id: number;
}
declare function signedIn(request: { readonly signal: AbortSignal }): Promise<User>;
declare const keys: IdempotencyStore<{ readonly tx: Transaction }>;
declare const after: IdCodec<readonly [number, string]>;
declare function decodeTag(query: unknown): { readonly tag: string };
declare const pets: readonly StoredPet[];
const server = new ApiServer('');

// ---- A store around another one passes on what the server says of the run; one that does not need it leaves it out.
const around = (store: IdempotencyStore): IdempotencyStore => ({
  once: (claim, run, conditions) => (same<typeof conditions, RunConditions | undefined>(true), store.once(claim, run, conditions)),
});
const without = (store: IdempotencyStore): IdempotencyStore => ({ once: (claim, run) => store.once(claim, run) });
idempotent(around(without(memoryIdempotencyStore())));
const byId = ({ id }: StoredPet): number => id;
const byUser = ({ context }: ApiRequest<User>): string => context.name;

// ---- request.page
const coded = { cursor: byId, codec: integerId } satisfies PagesOptions<StoredPet, typeof integerId>;
defineEndpoint({ id: integerId, list: { use: pages(coded), run: ({ page }) => (same<typeof page, Page<number>>(true), pets) } });
pages({ cursor: (pet) => pet.name } satisfies PagesOptions<StoredPet>);
// @ts-expect-error a codec of numbers
export const wrongCursor: PagesOptions<StoredPet, typeof integerId> = { cursor: (pet) => pet.name, codec: integerId };
defineEndpoint({ id: integerId, list: { use: pages({ cursor: byId }), run: ({ page }) => (same<typeof page, Page>(true), same<typeof page.after, string | undefined>(true), pets.slice(0, page.take)) } });
defineEndpoint({ id: integerId, list: { use: pages({ cursor: byId, codec: integerId, max: 7, default: 3 }), run: ({ page }) => (same<typeof page, Page<number>>(true), pets) } });
defineEndpoint({
  id: integerId, params: { zoo: stringId }, context: signedIn,
  list: {
    use: pages({ cursor: ({ id, name }: StoredPet) => [id, name] as const, codec: after, limit: 'first', after: 'cursor' }), output: (items: readonly StoredPet[]) => items,
    run: async ({ page, params, context, query }) => (same<typeof page, Page<readonly [number, string]>>(true), same<typeof query, URLSearchParams>(true), [params.zoo, context.name], pets),
  },
});
defineEndpoint({ id: integerId, list: { use: pages({ cursor: byId }), output: { 200: (items: readonly StoredPet[]) => items }, run: () => reply(200, pets, { 'X-Total': '7' }) } });
server.registerEndpoint('/pet', { id: integerId, list: { use: [pages({ cursor: byId })], run: ({ page }) => pets.slice(page.take) } });
// @ts-expect-error cursor has to be given
pages({ max: 7 });
// @ts-expect-error a date is not a string and no number
pages({ cursor: (item: { readonly born: Date }) => item.born });
// @ts-expect-error the codec is of a different type
pages({ cursor: byId, codec: stringId });
// @ts-expect-error an unknown option
pages({ cursor: byId, maximum: 7 });

// ---- request.tx
defineEndpoint({
  id: integerId, schema: petSchema,
  create: { use: idempotent(keys), run: (pet, { tx }) => (same<typeof tx, Transaction>(true), tx.insert(pet)) },
  patch: { use: idempotent(keys, { required: true }), input: decodePet, run: (_id, pet, { tx }) => void tx.insert(pet) },
  custom: { pay: { use: idempotent(memoryIdempotencyStore()), input: decodePet, run: (pet, request) => (same<typeof request, ApiRequest & WithIdempotencyKey<false>>(true), pet.legs) } },
  itemCustom: { feed: { use: [idempotent(keys)], run: (id, { tx }) => (same<typeof tx, Transaction>(true), id) } },
});
defineEndpoint({
  id: integerId, schema: petSchema,
  create: { use: idempotent(keys), run: (_pet, { idempotencyKey }) => (same<typeof idempotencyKey, string | undefined>(true), 1) },
  patch: { use: [idempotent(keys, { required: true })], input: decodePet, run: (_id, _pet, { idempotencyKey }) => void same<typeof idempotencyKey, string>(true) },
});
// @ts-expect-error without idempotent there is no key
defineEndpoint({ id: integerId, schema: petSchema, create: (_pet, { idempotencyKey }) => [idempotencyKey].length });
// @ts-expect-error memoryIdempotencyStore adds nothing else
defineEndpoint({ schema: petSchema, custom: { pay: { use: idempotent(memoryIdempotencyStore()), run: ({ tx }) => [tx] } } });
// @ts-expect-error a store has once
idempotent({});
// @ts-expect-error an unknown option
memoryIdempotencyStore({ maximum: 7 });

// ---- caller is required where there is a context
defineEndpoint({ id: integerId, schema: petSchema, context: signedIn, create: { use: idempotent(keys, { caller: byUser }), run: (pet, { tx, context }) => tx.insert({ ...pet, name: context.name }) } });
defineEndpoint({ custom: { pay: { context: signedIn, use: [idempotent(keys, { caller: byUser, required: true })], run: ({ tx }) => tx.insert({ name: '', legs: 0 }) } } });
defineEndpoint({ custom: { pay: { use: idempotent(keys, { caller: ({ raw }: ApiRequest) => String(raw.headers['x-user']) }), run: ({ tx }) => tx.insert({ name: '', legs: 0 }) } } });
// @ts-expect-error caller needs another context
defineEndpoint({ context: () => 7, custom: { pay: { use: idempotent(keys, { caller: byUser }), run: () => 1 } } });
// @ts-expect-error caller gives a string
idempotent(keys, { caller: ({ context }: ApiRequest<User>) => context });

// ---- The query that a client sends.
const paged = defineEndpoint({ id: integerId, list: { use: pages({ cursor: byId, limit: 'first' }), run: () => pets } });
const filtered = defineEndpoint({ id: integerId, list: { use: [pages({ cursor: byId })], query: decodeTag, run: () => pets } });
const api = client<{ '/paged': typeof paged; '/filtered': typeof filtered }>('/v1');
const listed = await api('/paged').list({ query: { first: 3, after: 7n, tag: 'others are not declared' } });
same<typeof listed, { id: number; name: string; legs: number }[]>(true);
void api('/filtered').list({ query: { limit: 3, after: 'x', tag: 'a' } });
void api('/filtered').list();
// @ts-expect-error a limit is a number
void api('/paged').list({ query: { first: true } });
// @ts-expect-error of a different name
void api('/filtered').list({ query: { first: 3 } });

// ---- rateLimit: an interceptor of every operation, or of those whose callers it knows.
const perAddress = rateLimit({ limit: 1, windowSeconds: 1, key: ({ client, address }) => (same<typeof client, string>(true), address ?? client) });
const perUser = rateLimit({ limit: 1, windowSeconds: 1, by: 'caller', key: byUser });
defineEndpoint({ context: signedIn, use: [perAddress, perUser], get: ({ context }) => same<typeof context, User>(true) });
defineEndpoint({ use: perAddress, get: () => 1 });
// @ts-expect-error the limit needs a different context
defineEndpoint({ context: () => 7, use: perUser, get: () => 1 });
// @ts-expect-error a limit of callers needs a key
rateLimit({ limit: 1, windowSeconds: 1, by: 'caller' });
// @ts-expect-error a key is a string
rateLimit({ limit: 1, windowSeconds: 1, key: ({ address }) => address });
// @ts-expect-error neither around nor onRequest
defineEndpoint({ use: { errors: { 429: null } }, get: () => 1 });

// ---- Lists that clients can sort.
interface Dated extends StoredPet {
  readonly born: Date;
  readonly owner: string | null;
  readonly chip?: string;
}
declare const dated: readonly Dated[];
const cursor = ({ id }: Dated): number => id;
defineEndpoint({
  id: integerId,
  list: {
    use: pages({ cursor, sort: ['name', 'born'] }),
    run: ({ page }) => {
      same<typeof page, SortedPage<{ readonly name: string; readonly born: string }>>(true);
      same<typeof page.by, 'name' | 'born' | undefined>(true);
      same<typeof page.descending, boolean>(true);
      if (page.by !== undefined && page.after !== undefined) same<typeof page.after.key, string>(true);
      return dated;
    },
  },
});
defineEndpoint({
  id: integerId,
  list: {
    use: pages({ cursor, codec: integerId, sort: { name: stringId, legs: integerId, born: dateKey }, prev: true }),
    run: ({ page: { by, after } }) => {
      same<NonNullable<typeof after>['id'], number>(true);
      if (by === 'legs') same<NonNullable<typeof after>['key'], number>(true);
      if (by === 'born') same<NonNullable<typeof after>['key'], Date>(true);
      if (by === undefined) same<NonNullable<typeof after>['key'], undefined>(true);
      return dated;
    },
  },
});
defineEndpoint({ id: integerId, list: { use: pages({ cursor, prev: true }), run: ({ page }) => (same<typeof page, Page & PageDirection>(true), dated) } });
pages({ cursor: (item: any) => item.id, sort: ['anything'] });
// @ts-expect-error not a property
pages({ cursor, sort: ['nam'] });
// @ts-expect-error a property that can be null
pages({ cursor, sort: ['owner'] });
// @ts-expect-error a property that can be missing
pages({ cursor, sort: ['chip'] });
// @ts-expect-error not a property
pages({ cursor, sort: { nam: stringId } });
// @ts-expect-error a codec of a different type
pages({ cursor, sort: { legs: uuidId } });
// @ts-expect-error without a name
pages({ cursor, sort: [] });

const sorted = defineEndpoint({
  id: integerId, list: { use: pages({ cursor, sort: ['name', 'born'], prev: true, envelope: true }), query: decodeTag, run: () => dated },
});
const sortedApi = client<{ '/sorted': typeof sorted }>('/v1');
const enveloped = await sortedApi('/sorted').list({ query: { sort: '-born', limit: 3, before: 'x', tag: 'a' } });
type Sent = { id: number; name: string; legs: number; born: string; owner: string | null; chip?: string };
same<typeof enveloped.items, Sent[]>(true);
same<typeof enveloped, { items: Sent[]; next?: string; prev?: string }>(true);
const emptied = defineEndpoint({ id: integerId, list: { use: pages({ cursor, envelope: true }), run: () => (dated.length > 0 ? dated : reply(204)) } });
const perhaps = await client<{ '/emptied': typeof emptied }>('/v1')('/emptied').list();
same<typeof perhaps, { items: Sent[]; next?: string; prev?: string } | undefined>(true);
for await (const item of sortedApi('/sorted').each({ query: { sort: 'name' } })) same<typeof item, Sent>(true);
// @ts-expect-error not a sort
void sortedApi('/sorted').list({ query: { sort: 'id' } });
// @ts-expect-error the list cannot be sorted
void api('/paged').list({ query: { sort: 1n, first: '' } });
