/** What is inferred from a declaration, and what is refused. Compiling this file is the test. */
import {
  ApiServer,
  defineEndpoint,
  integerId,
  stringId,
  uint64Id,
  uuidId,
  type ApiRequest,
} from '../../src/index.ts';
import { callablePetSchema, decodePet, decodePetLater, petSchema, portionSchema, same, type Pet } from './schemas.ts';

const server = new ApiServer('/v1');

// The id's type comes from its codec, and from nothing else.
defineEndpoint({ id: stringId, get: (name, request) => [same<typeof name, string>(true), same<typeof request, ApiRequest>(true)] });
defineEndpoint({ id: uint64Id, get: (id) => same<typeof id, bigint>(true), delete: (id) => same<typeof id, bigint>(true) });
defineEndpoint({ id: uuidId, get: (id) => same<typeof id, string>(true) });
// @ts-expect-error a handler can not decide the id's type
defineEndpoint({ id: integerId, get: (id: string) => id });
// @ts-expect-error without a codec there is no id
defineEndpoint({ get: () => 1 });

// The item's type is the schema's output, whatever form the schema has.
defineEndpoint({ id: integerId, schema: petSchema, create: (pet) => (same<typeof pet, Pet>(true), 1) });
defineEndpoint({ id: integerId, schema: callablePetSchema, create: (pet) => (same<typeof pet, Pet>(true), 1) });
defineEndpoint({ id: integerId, schema: decodePet, create: (pet) => (same<typeof pet, Pet>(true), 1) });
defineEndpoint({ id: integerId, schema: decodePetLater, create: (pet) => (same<typeof pet, Pet>(true), 1) });
defineEndpoint({ id: integerId, schema: (json) => (same<typeof json, unknown>(true), decodePet(json)), create: (pet) => {
  same<typeof pet, Pet>(true);
  return 1;
} });
defineEndpoint({ id: integerId, schema: decodePet, update: (id, pet, request) => {
  same<typeof id, number>(true);
  same<typeof pet, Pet>(true);
  same<typeof request, ApiRequest>(true);
} });
// @ts-expect-error create needs a schema
defineEndpoint({ id: integerId, create: (pet: Pet) => pet.legs });
// @ts-expect-error update needs a schema
defineEndpoint({ id: integerId, update: (id: number, pet: Pet) => [id, pet] });
// @ts-expect-error create gives an id of another type
defineEndpoint({ id: integerId, schema: petSchema, create: (pet) => pet.name });
// @ts-expect-error create gives a promise of an id of another type
defineEndpoint({ id: integerId, schema: petSchema, create: async (pet) => pet.name });
// @ts-expect-error create takes another item than the schema gives
defineEndpoint({ id: integerId, schema: petSchema, create: (pet: { wings: number }) => pet.wings });
// @ts-expect-error get gives another shape than the schema's
defineEndpoint({ id: integerId, schema: petSchema, get: () => ({ name: 'ant' }) });
// @ts-expect-error get gives a promise of another shape than the schema's
defineEndpoint({ id: integerId, schema: petSchema, get: async () => ({ name: 'ant', legs: '6' }) });
// @ts-expect-error get may give nothing, which is for ApiError.notFound to say
defineEndpoint({ id: integerId, schema: petSchema, get: (id) => new Map<number, Pet>().get(id) });
// @ts-expect-error create gives an id of another type, beside a function that leaves its parameter's type out
defineEndpoint({ id: integerId, schema: (json) => decodePet(json), create: (pet) => pet.name });
// @ts-expect-error a schema is no text
defineEndpoint({ id: integerId, schema: 'pet', get: () => 1 });
// @ts-expect-error a misspelt operation
defineEndpoint({ id: integerId, get: () => 1, remove: () => {} });
// @ts-expect-error an operation is a function
defineEndpoint({ id: integerId, get: 'ant' });

// Synchronous and asynchronous operations are both accepted.
defineEndpoint({ id: integerId, schema: petSchema, create: async () => 1, get: async () => ({ name: 'ant', legs: 6 }) });
defineEndpoint({ id: integerId, schema: petSchema, create: () => 1, get: () => ({ name: 'ant', legs: 6 }) });

// Each Custom operation has an input and an output of its own.
const everything = defineEndpoint({
  id: integerId,
  schema: petSchema,
  create: () => 1,
  get: () => ({ name: 'ant', legs: 6 }),
  update: async () => {},
  delete: () => {},
  custom: {
    feed: { input: portionSchema, run: ({ grams }, request) => (same<typeof grams, number>(true), request.signal.aborted) },
    adopt: { input: callablePetSchema, run: (pet) => (same<typeof pet, Pet>(true), pet.name) },
    check: { input: decodePet, run: async (pet) => (same<typeof pet, Pet>(true), pet.legs) },
    count: { run: () => 2 },
    query: { run: (request) => (same<typeof request, ApiRequest>(true), request.query.get('q')) },
  },
});
// @ts-expect-error run takes another input than its decoder gives
defineEndpoint({ id: integerId, custom: { feed: { input: portionSchema, run: (portion: { litres: number }) => portion } } });
// @ts-expect-error without input, run gets only the request
defineEndpoint({ id: integerId, custom: { feed: { run: (portion: { grams: number }) => portion } } });
// @ts-expect-error a misspelt member of a Custom operation
defineEndpoint({ id: integerId, custom: { feed: { inptu: portionSchema, run: () => 1 } } });
// @ts-expect-error a Custom operation without run
defineEndpoint({ id: integerId, custom: { feed: { input: portionSchema } } });
// @ts-expect-error a Custom operation's input is a decoder
defineEndpoint({ id: integerId, custom: { feed: { input: 7, run: () => 1 } } });

// registerEndpoint infers the same from a literal, and takes what defineEndpoint gave and instances of classes.
server.registerEndpoint('/pet', everything);
server.registerEndpoint('/pet', {
  id: integerId,
  schema: petSchema,
  create: (pet) => (same<typeof pet, Pet>(true), 1),
  custom: { feed: { input: portionSchema, run: ({ grams }) => same<typeof grams, number>(true) } },
});
// @ts-expect-error create needs a schema here too
server.registerEndpoint('/pet', { id: integerId, create: (pet: Pet) => pet.legs });

class Animals {
  readonly id = stringId;

  get(name: string): Pet {
    return { name, legs: 4 };
  }
}
server.registerEndpoint('/animal', new Animals());

class Pets {
  readonly id = integerId;
  readonly schema = petSchema;
  readonly custom = {
    feed: { input: portionSchema, run: (portion: { grams: number }) => portion.grams },
    count: { run: () => 1 },
  };

  async create(pet: Pet): Promise<number> {
    return pet.legs;
  }

  async get(id: number): Promise<Pet> {
    return { name: 'ant', legs: id };
  }
}
server.registerEndpoint('/pet', new Pets());
defineEndpoint(new Pets());

class Misfits {
  readonly id = integerId;

  get(id: string): string {
    return id;
  }
}
// @ts-expect-error a class whose get takes another id than its codec gives
server.registerEndpoint('/misfit', new Misfits());
