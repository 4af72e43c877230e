/** A generic wrapper around an operation infers as the bare function does. Compiling this file is the test. */
import { ApiServer, defineEndpoint, integerId, stringId, type ApiRequest } from '../../src/index.ts';
import { callablePetSchema, decodePet, decodePetLater, petSchema, portionSchema, same, type Pet } from './schemas.ts';

const server = new ApiServer('/v1');

declare function timed<A extends unknown[], T>(run: (...args: A) => T): (...args: A) => T;
declare function retried<A extends unknown[], T>(run: (...args: A) => T | PromiseLike<T>): (...args: A) => Promise<T>;
const unchanged = <A extends unknown[], T>(run: (...args: A) => T): ((...args: A) => T) => run;
declare function bound<This, A extends unknown[], T>(run: (this: This, ...args: A) => T): (this: This, ...args: A) => T;
declare function withUser<A extends unknown[], T>(run: (user: { readonly name: string }, ...args: A) => T): (...args: A) => Promise<Awaited<T>>;
declare function whole<Run extends (...args: never[]) => unknown>(run: Run): Run;
declare const pets: Map<number, Pet>;

// Every operation, alone and with others.
defineEndpoint({ id: stringId, get: timed((name, request) => [same<typeof name, string>(true), same<typeof request, ApiRequest<undefined, {}, URLSearchParams, string>>(true)]) });
defineEndpoint({ id: integerId, delete: timed((id, request) => void [same<typeof id, number>(true), same<typeof request, ApiRequest<undefined, {}, URLSearchParams, number>>(true)]) });
defineEndpoint({ id: integerId, schema: petSchema, create: timed((pet, request) => (same<typeof pet, Pet>(true), same<typeof request, ApiRequest<undefined, {}, URLSearchParams, number>>(true), 1)) });
defineEndpoint({ id: integerId, schema: petSchema, update: timed((id, pet) => void [same<typeof id, number>(true), same<typeof pet, Pet>(true)]) });
defineEndpoint({ id: integerId, schema: petSchema, get: timed((id) => (same<typeof id, number>(true), { name: 'ant', legs: id })) });
defineEndpoint({ id: integerId, schema: petSchema, get: timed((id) => pets.get(id)) });
defineEndpoint({ id: integerId, schema: petSchema, get: retried(async (id) => pets.get(id)) });
defineEndpoint({
  id: integerId,
  schema: decodePet,
  create: timed((pet) => (same<typeof pet, Pet>(true), pet.legs)),
  get: retried((id) => (same<typeof id, number>(true), { name: 'ant', legs: id })),
  update: retried(async (id, pet, request) => void [same<typeof id, number>(true), same<typeof pet, Pet>(true), same<typeof request, ApiRequest<undefined, {}, URLSearchParams, number>>(true)]),
  delete: withUser(async (user, id) => void [same<typeof user, { readonly name: string }>(true), same<typeof id, number>(true)]),
  custom: { count: { run: timed((request) => same<typeof request, ApiRequest>(true)) } },
});

// In a call of registerEndpoint, too.
server.registerEndpoint('/pet', defineEndpoint({ id: integerId, schema: decodePet, create: timed((pet) => (same<typeof pet, Pet>(true), pet.legs)) }));
server.registerEndpoint('/pet', defineEndpoint({
  id: integerId,
  schema: petSchema,
  create: timed((pet, request) => (same<typeof pet, Pet>(true), same<typeof request, ApiRequest<undefined, {}, URLSearchParams, number>>(true), pets.set(1, pet).size)),
  get: timed((id) => (same<typeof id, number>(true), pets.get(id))),
  update: timed((id, pet) => void [same<typeof id, number>(true), same<typeof pet, Pet>(true)]),
  custom: { feed: { input: portionSchema, run: timed(({ grams }) => same<typeof grams, number>(true)) } },
}));

// The input of a Custom operation, for each form of its decoder.
defineEndpoint({ id: integerId, custom: { feed: { input: portionSchema, run: timed(({ grams }, request) => [same<typeof grams, number>(true), same<typeof request, ApiRequest>(true)]) } } });
defineEndpoint({ id: integerId, custom: { adopt: { input: callablePetSchema, run: timed((pet) => same<typeof pet, Pet>(true)) } } });
defineEndpoint({ id: integerId, custom: { check: { input: decodePet, run: timed((pet) => same<typeof pet, Pet>(true)) } } });
defineEndpoint({ id: integerId, custom: { check: { input: decodePetLater, run: timed((pet) => same<typeof pet, Pet>(true)) } } });
defineEndpoint({ id: integerId, custom: { check: { input: (json: unknown) => decodePet(json), run: timed((pet) => same<typeof pet, Pet>(true)) } } });
defineEndpoint({ id: integerId, custom: { check: { run: timed((pet) => same<typeof pet, Pet>(true)), input: decodePet } } });
defineEndpoint({ id: integerId, custom: { feed: { input: portionSchema, run: retried(({ grams }) => (same<typeof grams, number>(true), grams)) } } });
defineEndpoint({ id: integerId, custom: { feed: { input: portionSchema, run: retried(async ({ grams }) => (same<typeof grams, number>(true), grams)) } } });
defineEndpoint({ id: integerId, custom: { feed: { input: portionSchema, run: unchanged(({ grams }) => same<typeof grams, number>(true)) } } });
defineEndpoint({ id: integerId, custom: { feed: { input: portionSchema, run: bound(({ grams }) => same<typeof grams, number>(true)) } } });
defineEndpoint({ id: integerId, custom: { feed: { input: portionSchema, run: timed(retried(({ grams }) => same<typeof grams, number>(true))) } } });
defineEndpoint({ id: integerId, custom: { feed: { input: portionSchema, run: withUser((user, { grams }) => [same<typeof user, { readonly name: string }>(true), same<typeof grams, number>(true)]) } } });

// Without input, run gets only the request.
defineEndpoint({ id: integerId, custom: { count: { run: timed((request) => same<typeof request, ApiRequest>(true)) } } });
defineEndpoint({ id: integerId, custom: { count: { run: retried(async (request) => same<typeof request, ApiRequest>(true)) } } });
defineEndpoint({ id: integerId, custom: { count: { run: unchanged((request) => same<typeof request, ApiRequest>(true)) } } });
defineEndpoint({ id: integerId, custom: { count: { run: bound((request) => same<typeof request, ApiRequest>(true)) } } });
defineEndpoint({ id: integerId, custom: { count: { run: timed(retried((request) => same<typeof request, ApiRequest>(true))) } } });
defineEndpoint({ id: integerId, custom: { count: { run: withUser((user, request) => [user, same<typeof request, ApiRequest>(true)]) } } });
defineEndpoint({ id: integerId, custom: { count: { run: timed(() => 1) } } });

// Several, wrapped and bare, with and without input.
const everything = defineEndpoint({
  id: integerId,
  schema: petSchema,
  create: timed(() => 1),
  get: (id) => (same<typeof id, number>(true), { name: 'ant', legs: id }),
  custom: {
    feed: { input: portionSchema, run: timed(({ grams }) => same<typeof grams, number>(true)) },
    adopt: { input: callablePetSchema, run: (pet) => same<typeof pet, Pet>(true) },
    check: { input: decodePet, run: retried(async (pet) => (same<typeof pet, Pet>(true), pet.legs)) },
    count: { run: timed((request) => same<typeof request, ApiRequest>(true)) },
    query: { run: (request) => same<typeof request, ApiRequest>(true) },
  },
});
server.registerEndpoint('/pet', everything);
server.registerEndpoint('/pet', {
  id: integerId,
  schema: petSchema,
  get: timed((id) => (same<typeof id, number>(true), { name: 'ant', legs: id })),
  custom: {
    feed: { input: portionSchema, run: timed(({ grams }) => same<typeof grams, number>(true)) },
    count: { run: timed((request) => same<typeof request, ApiRequest>(true)) },
  },
});

// version takes the awaited result of a wrapped get.
defineEndpoint({ id: integerId, get: timed((id) => ({ legs: id })), version: (item: { legs: number }) => `${item.legs}` });
defineEndpoint({ id: integerId, get: timed((id) => pets.get(id)), version: (pet: Pet) => pet.name });
defineEndpoint({ id: integerId, get: retried((id) => pets.get(id)), version: (pet: Pet) => pet.name });
defineEndpoint({
  id: integerId,
  custom: {
    count: { run: timed(() => 2) },
    later: { run: retried(() => 2) },
    feed: { input: portionSchema, run: timed(({ grams }) => ({ fed: grams })) },
  },
});
// @ts-expect-error version takes a different type than the wrapped get returns
defineEndpoint({ id: integerId, get: timed((id) => ({ legs: id })), version: (item: { wings: number }) => `${item.wings}` });

// If the compiler infers a type too late for the function next to it, the type is unknown. It can be written explicitly.
// @ts-expect-error The result of the wrapped get is not known.
defineEndpoint({ id: integerId, get: timed((id) => id), version: (item) => `${item.length}` });
defineEndpoint({ id: integerId, get: timed((id) => [id]), version: (item: number[]) => `${item.length}` });
defineEndpoint({ id: integerId, schema: (json) => decodePet(json), create: timed((pet) => (same<typeof pet, unknown>(true), 1)) });
defineEndpoint({ id: integerId, schema: (json: unknown) => decodePet(json), create: timed((pet) => (same<typeof pet, Pet>(true), 1)) });
// @ts-expect-error a wrapper whose only type is the whole function needs explicit types
defineEndpoint({ id: integerId, custom: { feed: { input: portionSchema, run: whole(({ grams }) => grams) } } });
defineEndpoint({ id: integerId, custom: { feed: { input: portionSchema, run: whole(({ grams }: { grams: number }) => grams) } } });

// A method of a class with explicit types.
declare const kitchen: {
  serve(portion: { grams: number }, request: ApiRequest): Promise<number>;
  count(): number;
  find(id: number): Pet;
  store(pet: Pet): Promise<number>;
};
class Kitchen {
  readonly id = integerId;
  readonly schema = petSchema;
  readonly get = timed((id: number) => kitchen.find(id));
  readonly custom = { feed: { input: portionSchema, run: timed((portion: { grams: number }) => portion.grams) }, count: { run: retried(() => 1) } };
}
server.registerEndpoint('/pet', new Kitchen());
defineEndpoint({ id: integerId, schema: petSchema, create: timed(kitchen.store), get: retried(kitchen.find) });
defineEndpoint({ id: integerId, custom: { feed: { input: portionSchema, run: timed(kitchen.serve) }, count: { run: timed(kitchen.count) } } });
defineEndpoint({ id: integerId, custom: { feed: { input: portionSchema, run: timed(kitchen.serve.bind(kitchen)) }, count: { run: retried(kitchen.count.bind(kitchen)) } } });

// A wrapped function is rejected like a bare one.
// @ts-expect-error a wrapped run takes another input than its decoder's output
defineEndpoint({ id: integerId, custom: { feed: { input: portionSchema, run: timed((portion: { litres: number }) => portion) } } });
// @ts-expect-error a wrapped method takes another input than its decoder's output
defineEndpoint({ id: integerId, custom: { feed: { input: petSchema, run: timed(kitchen.serve) } } });
// @ts-expect-error an asynchronous wrapped run takes another input than its decoder's output
defineEndpoint({ id: integerId, custom: { feed: { input: portionSchema, run: retried(async (portion: { litres: number }) => portion) } } });
// @ts-expect-error a run that is wrapped twice takes another input than its decoder's output
defineEndpoint({ id: integerId, custom: { feed: { input: portionSchema, run: timed(unchanged((portion: { litres: number }) => portion)) } } });
// @ts-expect-error a wrapped run reads a property that its decoder's output lacks
defineEndpoint({ id: integerId, custom: { feed: { input: portionSchema, run: timed((portion) => portion.litres) } } });
// @ts-expect-error without input, a wrapped run gets only the request
defineEndpoint({ id: integerId, custom: { feed: { run: timed((portion: { grams: number }) => portion) } } });
// @ts-expect-error without input, a wrapped run gets nothing after the request
defineEndpoint({ id: integerId, custom: { feed: { run: timed((request: ApiRequest, more: string) => [request, more]) } } });
// @ts-expect-error a wrapped get takes another id than its codec's
defineEndpoint({ id: integerId, get: timed((id: string) => id) });
// @ts-expect-error a wrapped get returns a different shape than the schema's
defineEndpoint({ id: integerId, schema: petSchema, get: timed(() => ({ name: 'ant' })) });
// @ts-expect-error a wrapped get promises a different shape than the schema's
defineEndpoint({ id: integerId, schema: petSchema, get: retried(() => ({ name: 'ant', legs: '6' })) });
// @ts-expect-error a wrapped create returns an id of a different type
defineEndpoint({ id: integerId, schema: petSchema, create: timed((pet) => pet.name) });
// @ts-expect-error a wrapped create promises an id of a different type
defineEndpoint({ id: integerId, schema: petSchema, create: retried((pet) => pet.name) });
// @ts-expect-error a wrapped create needs a schema
defineEndpoint({ id: integerId, create: timed((pet: Pet) => pet.legs) });
// @ts-expect-error a wrapped update takes another item than the schema's output
defineEndpoint({ id: integerId, schema: petSchema, update: timed((id: number, pet: { wings: number }) => [id, pet]) });
