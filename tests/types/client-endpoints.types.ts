/**
 * The declarations whose clients `client.types.ts` checks. They are in a separate file, so that it can also check them against the
 * compiler's output for this file.
 */
import { type ApiServer, bytes, created, defineEndpoint, integerId, reply, stringId, uint64Id, type IdCodec, type StandardSchemaV1 } from '../../src/index.ts';
import { callablePetSchema, decodePet, portionSchema } from './schemas.ts';

export interface Pet {
  readonly name: string;
  readonly legs: number;
  readonly born: Date;
  readonly tag?: string | undefined;
  readonly feed: () => void;
  readonly seen: readonly (Date | undefined)[];
}
type SentPet = { name: string; legs?: number; born: string };
declare const pet: Pet;
declare const petSchema: StandardSchemaV1<SentPet, Pet>;
declare const changeSchema: StandardSchemaV1<Partial<SentPet>, Partial<Pet>>;
declare const pageSchema: StandardSchemaV1<{ limit?: unknown; tag?: string }, { limit: number; tag?: string }>;
declare const searchSchema: StandardSchemaV1<{ text: string; tags?: string[] }, { text: string; tags: string[] }>;
declare const partSchema: StandardSchemaV1<{ part: Date }>;
declare function signedIn(request: { readonly signal: AbortSignal }): Promise<{ readonly name: string }>;

// Every kind of operation, with parameters and a context.
export const pets = defineEndpoint({
  id: integerId,
  params: { zoo: stringId },
  context: signedIn,
  schema: petSchema,
  create: (item, request) => item.legs + request.context.name.length,
  list: { query: pageSchema, output: (all: (Pet & { limit: number })[]) => all, run: async ({ query }) => [{ ...pet, limit: query.limit }] },
  get: { output: (item: Pet) => item, run: (id) => (id > 3 ? pet : id > 2 ? undefined : reply(200, pet, { ETag: '"1"' })) },
  update: (id, item) => void [id, item],
  patch: { input: changeSchema, run: (id, change) => (change.legs === id ? reply(200, pet) : reply(204)) },
  delete: (id) => id > 1,
  custom: {
    search: { input: changeSchema, query: searchSchema, output: (all: Map<number, Partial<Pet>>) => all, run: (change) => new Map([[1, change]]) },
    count: { output: (found: { pets: bigint; at: Date; most: number | undefined }) => found, run: () => ({ pets: 1n, at: new Date(), most: undefined as undefined | number }) },
    find: { query: searchSchema, run: ({ query }) => query.tags.length },
    echo: { input: (json: unknown) => String(json), run: (text) => text },
    nothing: { run: () => reply(204) },
    total: ({ context }) => ({ total: context.name.length }),
  },
  itemCustom: {
    wake: { run: (id) => ({ id }) },
    feed: { input: (json: unknown): { kg: number } => ({ kg: Number(json) }), run: async (id, food) => [id, food.kg] as const },
  },
});

// A singleton's operations take no id, and its Create resolves to nothing.
export const settings = defineEndpoint({
  schema: petSchema, create: () => {}, get: { output: (item: Pet) => item, run: () => pet }, update: (item) => void item, patch: { input: changeSchema, run: () => {} },
  custom: { reset: { run: () => true } },
});

// Parameters and no id, no schema, and replies instead of plain results.
export const follow = defineEndpoint({
  params: { name: stringId },
  create: { run: ({ params }) => reply(200, { following: params.name }) },
  delete: () => reply(200, { following: false }),
});

// Several parameters, in any order.
export const visit = defineEndpoint({ params: { pet: integerId, zoo: stringId }, get: ({ params }) => params });

// Replies: only those of 2xx are part of the result. Bytes and streams are text.
declare const anyStatus: number;
declare const nestedPromise: Promise<Promise<Date>>;
export const replies = defineEndpoint({
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
    thenable: { run: (): PromiseLike<Date> => Promise.resolve(pet.born) },
    sometimesLater: { run: () => (Math.random() > 1 ? pet.legs : Promise.resolve(pet.born)) },
    anyLater: { run: async () => JSON.parse('1') },
    nested: { run: () => nestedPromise },
  },
});

// `output` is the client's result, by the status of the response.
export const shown = defineEndpoint({
  id: uint64Id,
  list: { output: pageSchema, run: () => ({}) },
  get: { output: { 200: changeSchema, 206: partSchema }, run: (id) => (id > 3n ? reply(206, { part: pet.born }) : reply(200, { born: '' })) },
  create: {
    input: (json: unknown) => json, output: { 202: pageSchema, 204: null }, run: (json) => (json === 1 ? reply(202, {}) : reply(204)),
  },
  delete: { output: { 200: bytes({ types: ['text/csv'] }) }, run: () => reply(200, 'a,b', { 'Content-Type': 'text/csv' }) },
  update: { input: portionSchema, optional: true, output: { 200: pageSchema, 204: null }, run: (_id, portion) => ((portion?.grams ?? 2) > 1 ? reply(200, {}) : undefined) },
});

// Writes that response with a body: by output, and by created.
export const written = defineEndpoint({
  id: integerId,
  schema: petSchema,
  create: { output: pageSchema, run: () => ({ limit: 1 }) },
  update: { output: { 200: (item: { at: Date }) => item }, run: (id) => (id > 1 ? { at: new Date() } : false) },
  patch: { input: portionSchema, output: { 200: pageSchema, 202: null }, run: (id) => (id > 2 ? reply(202) : id > 1 ? { tag: 'a' } : false) },
  delete: { output: pageSchema, run: (id) => (id > 1 ? {} : reply(206, {})) },
  custom: { start: { output: { 202: pageSchema }, run: () => ({}) }, reset: { output: { 204: null }, run: () => {} } },
});
export const creating = defineEndpoint({ id: integerId, schema: petSchema, create: (item) => (item.legs > 1 ? created(1, { item: pet.born }) : 7) });

// Bodies: what a schema takes, else its output in JSON; bytes as they are.
export const bodies = defineEndpoint({
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

// A declaration can be a class.
export class Pets {
  readonly id: IdCodec<number> = integerId;
  readonly kept = new Map<number, Pet>();
  get(id: number): Pet | undefined {
    return this.kept.get(id);
  }
  async delete(id: number): Promise<boolean> {
    return this.kept.delete(id);
  }
}

// ---- The API that has them.

declare const dateId: IdCodec<Date>;
declare const conflictSchema: StandardSchemaV1<unknown, { readonly current: number; readonly at: Date }>;
export const days = defineEndpoint({ id: dateId, create: { input: petSchema, run: () => new Date() }, get: (id) => id });
export const nights = defineEndpoint({ params: { on: dateId, name: stringId }, get: ({ params }) => params.on });
export const rejecting = defineEndpoint({
  id: integerId,
  schema: changeSchema,
  create: { errors: { 409: conflictSchema, 422: null }, run: () => 1 },
  get: (id) => (id > 1 ? reply(206, { part: 1 }) : { name: 'x' }),
  update: { output: { 200: pageSchema, 204: null }, errors: { 409: conflictSchema }, run: (id) => (id > 1 ? { limit: 1 } : undefined) },
  list: { query: searchSchema, run: () => [{ at: new Date() }] },
});
declare const server: ApiServer;
export const api = server.registerEndpoints({
  '/zoo/:zoo/pet': pets, '/settings': settings, '/profiles/:name/follow': follow, '/zoo/:zoo/visit/:pet': visit, '/': replies, '/shown': shown,
  '/written': written, '/creating': creating, '/bodies': bodies, '/days': days, '/nights/:on/:name': nights, '/rejecting': rejecting,
});
export type Api = typeof api;
