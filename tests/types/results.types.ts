/** A10 O8 O25 O19: Results of operations: outputs, statuses, replies, and what JSON would lose. Compiling this file is the test. */
import { ApiServer, created, defineEndpoint, integerId, reply, stringId, type ApiRequest, type Created, type Format, type StandardSchemaV1 } from '../../src/index.ts';
import { same, type Pet } from './schemas.ts';

declare const petSchema: StandardSchemaV1<unknown, Pet>;
declare const newSchema: StandardSchemaV1<unknown, { name: string }>;
/** Sends less than is stored. */
declare const shown: StandardSchemaV1<Pet, { name: string }>;
declare const allShown: StandardSchemaV1<Pet[]>;
declare const stored: Map<number, Pet>;
declare function timed<A extends unknown[], T>(run: (...args: A) => T): (...args: A) => T;
const server = new ApiServer('');

// ---- One decoder as output, of every kind. Literals and properties are held against what it takes.
const outputs = defineEndpoint({
  id: integerId,
  list: { output: allShown, run: () => [{ name: 'Rex', legs: 4 }] },
  get: { output: shown, run: (id) => stored.get(id) },
  create: { input: newSchema, output: shown, run: ({ name }) => ({ name, legs: 4 }) },
  update: { input: newSchema, output: shown, run: async (id, { name }) => ({ name, legs: id }) },
  patch: { input: newSchema, output: shown, run: (id, { name }) => (id > 1 ? reply(200, { name, legs: id }) : false) },
  delete: { output: shown, run: (id) => stored.get(id) ?? false },
  custom: { search: { input: newSchema, output: allShown, run: () => [...stored.values()] }, wrapped: { output: shown, run: timed((request) => (same<typeof request, ApiRequest>(true), { name: 'Rex', legs: 4 })) } },
  itemCustom: { feed: { output: shown, run: (id) => ({ name: 'Rex', legs: id }) } },
});
same<ReturnType<(typeof outputs)['itemCustom']['feed']['run']>, { name: string; legs: number }>(true);
server.registerEndpoint('/pet', outputs);
// @ts-expect-error a list of a different shape
defineEndpoint({ id: integerId, list: { output: allShown, run: () => [{ nmae: 'Rex', legs: 4 }] } });
// @ts-expect-error a create of a different shape
defineEndpoint({ id: integerId, create: { input: newSchema, output: shown, run: (pet) => pet } });
// @ts-expect-error a create with output gives no id
defineEndpoint({ id: integerId, create: { input: newSchema, output: shown, run: () => 7 } });
// @ts-expect-error an update of a different shape
defineEndpoint({ id: integerId, update: { input: newSchema, output: shown, run: () => ({ nmae: 1 }) } });
// @ts-expect-error an update that gives nothing
defineEndpoint({ id: integerId, update: { input: newSchema, output: shown, run: () => {} } });
// @ts-expect-error a patch of a different shape
defineEndpoint({ id: integerId, patch: { input: newSchema, output: shown, run: async () => ({ name: 'Rex' }) } });
// @ts-expect-error a delete of a different shape
defineEndpoint({ id: integerId, delete: { output: shown, run: () => true } });
// @ts-expect-error an operation with a name of a different shape
defineEndpoint({ custom: { search: { output: shown, run: () => ({ legs: 1 }) } } });
// @ts-expect-error an operation with a name of an item, of a different shape
server.registerEndpoint('/pet', { id: integerId, itemCustom: { feed: { input: newSchema, output: shown, run: () => 'Rex' } } });
// @ts-expect-error `false` is not found for writes alone
defineEndpoint({ id: integerId, list: { output: allShown, run: () => false } });
// @ts-expect-error `null` is not found for get alone
defineEndpoint({ custom: { search: { output: shown, run: () => null } } });
// @ts-expect-error a reply of a different shape than the one output takes
defineEndpoint({ id: integerId, patch: { input: newSchema, output: shown, run: () => reply(200, { nmae: 1 }) } });
// What leads elsewhere needs no output.
defineEndpoint({ id: integerId, get: { output: shown, run: () => reply(304) }, delete: { output: { 200: shown }, run: (id) => (id > 1 ? reply(303, undefined, { Location: '/' }) : false) } });
// A function is compared where its parameter has a type.
defineEndpoint({ id: integerId, list: { output: (all: Pet[]) => all.length, run: () => [...stored.values()] }, delete: { output: (gone) => gone, run: () => 1 } });
// @ts-expect-error it is compared for every kind
defineEndpoint({ id: integerId, list: { output: (all: Pet[]) => all.length, run: () => 'no pets' } });

// ---- A map of outputs: replies by their status, a plain result by that of the operation.
defineEndpoint({
  id: integerId,
  get: { output: { 200: shown }, run: (id) => (id > 1 ? reply(200, { name: 'Rex', legs: id }, { ETag: '"1"' }) : undefined) },
  create: { input: newSchema, output: { 201: shown }, run: ({ name }) => reply(201, { name, legs: 4 }) },
  patch: { input: newSchema, output: { 200: shown, 202: null }, run: async (id, { name }) => (id > 1 ? reply(202) : { name, legs: id }) },
  update: { input: newSchema, output: { 200: shown, 204: null }, run: (id, { name }) => (id > 1 ? undefined : { name, legs: id }) },
});
// @ts-expect-error a reply of a different shape
defineEndpoint({ id: integerId, get: { output: { 200: shown }, run: () => reply(200, { nmae: 'Rex' }) } });
// @ts-expect-error a status that the map lacks
defineEndpoint({ id: integerId, update: { input: newSchema, output: { 204: null }, run: () => reply(202, { a: 1 }) } });
// @ts-expect-error the shape of a different status
defineEndpoint({ id: integerId, custom: { search: { output: { 200: allShown, 202: shown }, run: () => reply(202, stored.get(1)!.legs) } } });
// @ts-expect-error a plain result of a different shape than that of its status
defineEndpoint({ id: integerId, list: { output: { 200: allShown, 202: null }, run: () => ({ queued: true }) } });
// @ts-expect-error a body where there is none
defineEndpoint({ id: integerId, delete: { output: { 204: null }, run: () => reply(204 as const, { a: 1 }) } });

// ---- Without output: get by the schema, writes by what is sent, and all else as JSON.
defineEndpoint({ id: integerId, schema: petSchema, get: async (id) => stored.get(id), update: (id, pet) => void stored.set(id, pet), create: (pet) => (stored.set(1, pet), 1), delete: (id) => stored.delete(id) });
defineEndpoint({ id: integerId, schema: petSchema, update: async () => false, patch: { input: newSchema, run: async () => {} }, delete: async () => true });
defineEndpoint({ id: integerId, schema: petSchema, update: (id, pet) => (id > 1 ? reply(200, pet) : false), create: (pet) => (pet.legs > 4 ? reply(202) : pet.legs) });
defineEndpoint({ schema: petSchema, create: () => {}, get: () => stored.get(1) ?? null });
// @ts-expect-error an update that gives what is not sent
defineEndpoint({ id: integerId, schema: petSchema, update: (id, pet) => ({ ...pet, id }) });
// @ts-expect-error a patch that promises what is not sent
defineEndpoint({ id: integerId, patch: { input: newSchema, run: async () => ({ name: 'Rex' }) } });
// @ts-expect-error a delete that gives what is not sent
defineEndpoint({ id: integerId, delete: (id) => stored.get(id) });
// @ts-expect-error a create that gives more than the id
defineEndpoint({ id: integerId, schema: petSchema, create: (pet) => ({ id: 1, ...pet }) });
// @ts-expect-error a create that gives nothing
defineEndpoint({ id: integerId, schema: petSchema, create: (pet) => { stored.set(1, pet); } });
// @ts-expect-error a create without an id that gives a result
defineEndpoint({ schema: petSchema, create: () => 7 });

// ---- The only status of success in `output` is the status of the plain result.
defineEndpoint({
  id: integerId, schema: petSchema,
  create: { output: { 202: shown }, run: ({ name }) => ({ name, legs: 4 }) },
  update: { output: { 202: shown, 303: null }, run: (id, pet) => (id > 1 ? pet : false) },
  delete: { output: { 205: null }, run: (id) => (id > 1 ? undefined : false) },
  custom: { reset: { output: { 204: null }, run: () => {} }, start: { output: { 202: shown }, run: async () => ({ name: 'Rex', legs: 4 }) } },
  itemCustom: { wake: { output: { 204: null }, run: async () => {} } },
});
// @ts-expect-error 204 has no body
defineEndpoint({ id: integerId, delete: { output: { 204: null }, run: () => ({ gone: 1 }) } });
// @ts-expect-error 204 has no body, for operations with a name too
defineEndpoint({ custom: { reset: { output: { 204: null }, run: () => ({ gone: 1 }) } } });
// @ts-expect-error the plain result has either of two statuses
defineEndpoint({ custom: { start: { output: { 202: shown, 203: shown }, run: () => ({ name: 'Rex', legs: 4 }) } } });
// @ts-expect-error not what the output takes
defineEndpoint({ custom: { start: { output: { 202: shown }, run: () => 7 } } });

// ---- `created` has the id and a body.
const made = created(7, { name: 'Rex' }, { ETag: '"1"' });
same<typeof made, Created<number, { name: string }, { ETag: '"1"' }>>(true);
const bare = created('a');
same<typeof bare, Created<string, undefined>>(true);
defineEndpoint({ id: integerId, schema: petSchema, create: (pet) => created(1, pet) });
defineEndpoint({ id: integerId, schema: petSchema, create: async (pet) => (pet.legs > 1 ? created(1, pet) : 1) });
defineEndpoint({ id: integerId, schema: petSchema, create: { output: shown, run: (pet) => created(1, pet) } });
defineEndpoint({ id: integerId, schema: petSchema, create: { output: { 201: shown }, run: (pet) => created(1, pet) } });
// @ts-expect-error another id type than the endpoint's
defineEndpoint({ id: integerId, schema: petSchema, create: (pet) => created('a', pet) });
// @ts-expect-error another id type, with output
defineEndpoint({ id: integerId, schema: petSchema, create: { output: shown, run: async (pet) => created('a', pet) } });
// @ts-expect-error another body than output takes
defineEndpoint({ id: integerId, schema: petSchema, create: { output: shown, run: () => created(1, { nmae: 1 }) } });
// @ts-expect-error a forgotten await
created(Promise.resolve(1));
// @ts-expect-error an id that may be missing
created(stored.get(1)?.legs);
// @ts-expect-error a body that may be missing
created(1, stored.get(1));

// ---- Replies.
declare const either: 200 | 404;
// @ts-expect-error a failure
reply(404);
// @ts-expect-error a failure with a body
reply(500, { a: 1 });
// @ts-expect-error a status that may be a failure
reply(either);
// @ts-expect-error no status
reply(99);
reply(either as number);

// ---- What JSON would lose.
interface Tree { name: string; children: Tree[] }
declare const tree: Tree;
declare const anything: any;
declare const unknown: unknown;
class Money {
  readonly #cents = 10n;
  toJSON(): string {
    return String(this.#cents);
  }
}
defineEndpoint({
  id: integerId,
  get: async (id) => ({ born: new Date(), name: id as number | undefined, any: anything, unknown, tags: ['a'] as readonly string[], deep: { a: [{ b: 1 }] }, price: new Money() }),
  list: () => reply(200, [1]),
  custom: { tree: () => tree, any: () => anything, unknown: () => unknown, nothing: () => null, reply: async () => reply(204), ok: { run: async () => ({ ok: true }) } },
});
defineEndpoint({ id: stringId, custom: { lost: { output: (value) => value, run: () => new Map() } } });
// @ts-expect-error nothing of an operation with a name
defineEndpoint({ custom: { reset: { run: () => {} } } });
// @ts-expect-error nothing of its short form
defineEndpoint({ custom: { reset: () => {} } });
// @ts-expect-error a promise of nothing
defineEndpoint({ custom: { reset: async () => {} } });
// @ts-expect-error nothing of one of an item
defineEndpoint({ id: integerId, itemCustom: { reset: (id) => { stored.delete(id); } } });
// @ts-expect-error a list that may be nothing
defineEndpoint({ id: integerId, list: () => (stored.size > 1 ? [] : undefined) });
// @ts-expect-error a get that gives nothing
defineEndpoint({ id: integerId, get: (id) => { stored.get(id); } });
// @ts-expect-error a bigint
defineEndpoint({ id: integerId, get: (id) => ({ id, balance: 10n }) });
// @ts-expect-error a bigint in a list
defineEndpoint({ id: integerId, list: async () => [{ balance: 10n }] });
// @ts-expect-error a forgotten await
defineEndpoint({ id: integerId, get: (id) => ({ pet: Promise.resolve(id) }) });
// @ts-expect-error a Map
defineEndpoint({ id: integerId, list: () => ({ all: new Map<string, number>() }) });
// @ts-expect-error a Set
defineEndpoint({ id: integerId, list: () => ({ all: new Set<string>() }) });
// @ts-expect-error a Set
defineEndpoint({ custom: { all: { input: newSchema, run: () => new Set([1]) } } });
// @ts-expect-error a function
defineEndpoint({ custom: { all: () => ({ then: 1, feed: () => 1 }) } });
// @ts-expect-error a symbol
defineEndpoint({ custom: { all: () => ({ kind: Symbol('a') }) } });
// @ts-expect-error where it is registered
server.registerEndpoint('/pet', { id: integerId, list: () => [10n] });
// @ts-expect-error in a wrapper
defineEndpoint({ id: integerId, list: timed(() => [10n]) });
class Bank {
  readonly id = integerId;
  get(id: number): { balance: bigint } {
    return { balance: BigInt(id) };
  }
}
// @ts-expect-error of a class
server.registerEndpoint('/bank', new Bank());

// A 201 without a body has the `Location` of the id that create returns.
const count = (json: unknown): number => Number(json);
defineEndpoint({ id: integerId, create: { input: count, output: { 201: null }, run: (n) => n } });
defineEndpoint({ id: integerId, create: { input: count, output: { 201: null }, run: async (n) => n } });
defineEndpoint({ id: integerId, create: { input: count, output: { 201: null, 202: Number }, run: (n) => (n > 1 ? reply(202, n) : n) } });
defineEndpoint({ id: integerId, create: { input: count, output: { 201: null }, run: (n) => created(n) } });
// @ts-expect-error another id
defineEndpoint({ id: integerId, create: { input: count, output: { 201: null }, run: (n) => String(n) } });
// @ts-expect-error no id
defineEndpoint({ id: integerId, create: { input: count, output: { 201: null }, run: () => {} } });
defineEndpoint({ create: { input: count, output: { 201: null }, run: () => {} } });
// @ts-expect-error no id
defineEndpoint({ create: { input: count, output: { 201: null }, run: () => 1 } });
defineEndpoint({ id: integerId, update: { input: count, output: { 200: null }, run: () => {} }, custom: { a: { output: { 200: null }, run: () => {} }, b: { output: { 202: null }, run: () => {} } } });

// ---- Dates that a schema makes of strings, or takes beside them. A format decides itself what its body can have.
declare const dated: StandardSchemaV1<{ born: string | Date; at: unknown; on: any; gone: null; lost: never }, { born: Date; count: bigint }>;
defineEndpoint({ id: integerId, schema: dated, create: ({ born }) => born.getTime(), custom: { add: { input: dated, run: ({ count }) => String(count) } } });
declare const packed: Format<{ born: Date }, { born: Date }>;
defineEndpoint({ custom: { add: { input: packed, run: ({ born }) => born }, next: () => 1 } });
