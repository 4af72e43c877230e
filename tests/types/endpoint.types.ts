/** The types that a declaration infers, and the declarations that are rejected. Compiling this file is the test. */
import { ApiServer, defineEndpoint, integerId, stringId, uint64Id, uuidId, type ApiRequest, type Decoder } from '../../src/index.ts';
import { callablePetSchema, decodePet, decodePetLater, optionalPetSchema, petSchema, portionSchema, same, type Pet } from './schemas.ts';

const server = new ApiServer('/v1');
declare const pets: Map<number, Pet>;

// Only the codec decides the type of the id.
defineEndpoint({ id: stringId, get: (name, request) => [same<typeof name, string>(true), same<typeof request, ApiRequest<undefined, {}, URLSearchParams, string>>(true)] });
defineEndpoint({ id: uint64Id, get: (id) => same<typeof id, bigint>(true), delete: (id) => same<typeof id, bigint>(true) });
defineEndpoint({ id: uuidId, get: (id) => same<typeof id, string>(true) });
// @ts-expect-error a handler cannot decide the id's type
defineEndpoint({ id: integerId, get: (id: string) => id });

// The item's type is the schema's output, for every form of schema.
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
  same<typeof request, ApiRequest<undefined, {}, URLSearchParams, number>>(true);
} });
// @ts-expect-error create needs a schema
defineEndpoint({ id: integerId, create: (pet: Pet) => pet.legs });
// @ts-expect-error update needs a schema
defineEndpoint({ id: integerId, update: (id: number, pet: Pet) => [id, pet] });
// @ts-expect-error create returns an id of a different type
defineEndpoint({ id: integerId, schema: petSchema, create: (pet) => pet.name });
// @ts-expect-error create returns a promise of an id of a different type
defineEndpoint({ id: integerId, schema: petSchema, create: async (pet) => pet.name });
// @ts-expect-error create takes another item than the schema's output
defineEndpoint({ id: integerId, schema: petSchema, create: (pet: { wings: number }) => pet.wings });
// @ts-expect-error get returns a different shape than the schema's
defineEndpoint({ id: integerId, schema: petSchema, get: () => ({ name: 'ant' }) });
// @ts-expect-error get returns a promise of a different shape than the schema's
defineEndpoint({ id: integerId, schema: petSchema, get: async () => ({ name: 'ant', legs: '6' }) });
// @ts-expect-error get returns nothing, as with a forgotten return
defineEndpoint({ id: integerId, schema: petSchema, get: (id) => { pets.get(id); } });
// It may give null as well for a missing item.
defineEndpoint({ id: integerId, schema: petSchema, get: (id) => pets.get(id) ?? null });
// @ts-expect-error create returns an id of a different type, next to a function without a parameter type
defineEndpoint({ id: integerId, schema: (json) => decodePet(json), create: (pet) => pet.name });
// @ts-expect-error a schema is not a string
defineEndpoint({ id: integerId, schema: 'pet', get: () => 1 });
// @ts-expect-error a misspelt operation
defineEndpoint({ id: integerId, get: () => 1, remove: () => {} });
// @ts-expect-error an operation is a function
defineEndpoint({ id: integerId, get: 'ant' });

// Synchronous and asynchronous operations are both accepted.
defineEndpoint({ id: integerId, schema: petSchema, create: async () => 1, get: async () => ({ name: 'ant', legs: 6 }) });
defineEndpoint({ id: integerId, schema: petSchema, create: () => 1, get: () => ({ name: 'ant', legs: 6 }) });

// get may return or promise undefined for a missing item. version takes only the item.
defineEndpoint({ id: integerId, schema: petSchema, get: (id) => pets.get(id) });
defineEndpoint({ id: integerId, schema: petSchema, get: async (id) => pets.get(id), version: (pet) => (same<typeof pet, Pet>(true), pet.name) });
defineEndpoint({ id: integerId, schema: decodePetLater, get: (id) => Promise.resolve(pets.get(id)), version: (pet: Pet) => pet.name });
defineEndpoint({ id: integerId, schema: optionalPetSchema, get: (id) => pets.get(id), version: (pet) => (same<typeof pet, Pet>(true), pet.name) });
defineEndpoint({ id: integerId, get: (id) => pets.get(id), version: (pet) => (same<typeof pet, Pet>(true), pet.name) });
defineEndpoint({ id: integerId, get: async (id) => pets.get(id), version: (pet) => (same<typeof pet, Pet>(true), pet.name) });
defineEndpoint({ id: integerId, get: (id) => pets.get(id) ?? Promise.resolve(undefined), version: (pet) => (same<typeof pet, Pet>(true), pet.name) });
defineEndpoint({ id: integerId, get: (id) => (id > 0 ? pets.get(id) ?? null : undefined), version: (pet) => (same<typeof pet, Pet>(true), '') });
defineEndpoint({ id: integerId, version: ({ name }: Pet) => name, get: (id) => pets.get(id) });
defineEndpoint({ id: integerId, get: () => undefined, version: (nothing) => (same<typeof nothing, never>(true), '') });
// @ts-expect-error get returns a different shape than the schema's, or undefined
defineEndpoint({ id: integerId, schema: petSchema, get: (id) => pets.get(id)?.name });
// @ts-expect-error version takes a different type than get returns, apart from undefined
defineEndpoint({ id: integerId, get: (id) => pets.get(id), version: (item: { wings: number }) => `${item.wings}` });
// @ts-expect-error create returns an id, never undefined
defineEndpoint({ id: integerId, schema: petSchema, create: (pet) => pets.get(pet.legs)?.legs });

// version takes the schema's output. Without a schema, it takes the awaited result of get.
defineEndpoint({ id: integerId, schema: petSchema, version: (pet) => (same<typeof pet, Pet>(true), pet.name), get: (id) => ({ name: 'ant', legs: id }) });
defineEndpoint({ id: integerId, schema: decodePetLater, get: async () => ({ name: 'ant', legs: 6 }), version: (pet) => (same<typeof pet, Pet>(true), pet.name) });
defineEndpoint({ id: integerId, get: (id) => ({ legs: id }), version: (item) => (same<typeof item, { legs: number }>(true), `${item.legs}`) });
defineEndpoint({ id: integerId, get: async (id) => ({ legs: id }), version: (item) => (same<typeof item, { legs: number }>(true), `${item.legs}`) });
defineEndpoint({ id: integerId, get: (id) => pets.get(id) ?? Promise.reject(new Error()), version: (pet) => (same<typeof pet, Pet>(true), '') });
defineEndpoint({ id: integerId, version: (item) => (same<typeof item, number[]>(true), ''), get: () => [6] });
// @ts-expect-error In front of get, the compiler does not know its result.
defineEndpoint({ id: integerId, version: (item) => `${item.length}`, get: (id) => [id] });
defineEndpoint({ id: integerId, version: (item) => JSON.stringify(item), get: (id) => [id] });
defineEndpoint({ id: integerId, get: (id) => ({ legs: id }), version: JSON.stringify });
defineEndpoint({ id: integerId, get: (id) => ({ legs: id }), version: ({ legs }: { legs: number | string }) => `{"legs":${legs}}` });
defineEndpoint({ id: integerId, version: ({ legs }: { legs: number }) => `{"legs":${legs}}`, get: (id) => ({ legs: id }) });
defineEndpoint({ id: integerId, version: ({ legs }: { legs: number }) => `{"legs":${legs}}`, get: async (id) => ({ legs: id }) });
// @ts-expect-error version takes a different type than the schema's
defineEndpoint({ id: integerId, schema: petSchema, get: (id) => ({ name: 'ant', legs: id }), version: (pet: { wings: number }) => `${pet.wings}` });
// @ts-expect-error version takes a different type than get returns
defineEndpoint({ id: integerId, get: (id) => ({ legs: id }), version: (item: { wings: number }) => `${item.wings}` });
// @ts-expect-error version takes a different type than get promises
defineEndpoint({ id: integerId, get: async (id) => ({ legs: id }), version: (item: { wings: number }) => `${item.wings}` });
// @ts-expect-error version takes a different type than get, declared after it, returns
defineEndpoint({ id: integerId, version: (item: { wings: number }) => `${item.wings}`, get: (id) => ({ legs: id }) });
// @ts-expect-error version returns a string or a number
defineEndpoint({ id: integerId, get: (id) => [id], version: (item) => item });
// @ts-expect-error version does not promise its string
defineEndpoint({ id: integerId, get: (id) => id, version: async () => '' });
// @ts-expect-error a misspelt version
defineEndpoint({ id: integerId, get: (id) => id, versoin: () => '' });

// Each Custom operation has its own input and output.
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
// @ts-expect-error a misspelt option of a Custom operation
defineEndpoint({ id: integerId, custom: { count: { run: () => 2, versoin: () => '' } } });
// @ts-expect-error run takes another input than its decoder's output
defineEndpoint({ id: integerId, custom: { feed: { input: portionSchema, run: (portion: { litres: number }) => portion } } });
// @ts-expect-error without input, run gets only the request
defineEndpoint({ id: integerId, custom: { feed: { run: (portion: { grams: number }) => portion } } });
// @ts-expect-error a misspelt property of a Custom operation
defineEndpoint({ id: integerId, custom: { feed: { inptu: portionSchema, run: () => 1 } } });
// @ts-expect-error a Custom operation without run
defineEndpoint({ id: integerId, custom: { feed: { input: portionSchema } } });
// @ts-expect-error a Custom operation's input is a decoder
defineEndpoint({ id: integerId, custom: { feed: { input: 7, run: () => 1 } } });

// registerEndpoint infers the same from a literal. It also takes the result of defineEndpoint and instances of classes.
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

class WrittenPets extends Pets {
  override readonly custom = {
    feed: { input: portionSchema, run: (portion: { grams: number }) => portion.grams },
    count: { run: () => 1 },
    later: { run: async () => 1 },
  };

  version(pet: Pet): string {
    return pet.name;
  }
}
server.registerEndpoint('/pet', new WrittenPets());
defineEndpoint(new WrittenPets());

class FoundPets {
  readonly id = integerId;

  get(id: number): Pet | undefined {
    return pets.get(id);
  }

  version(pet: Pet): string {
    return pet.name;
  }
}
server.registerEndpoint('/pet', new FoundPets());
defineEndpoint(new FoundPets());

class FoundSchemaPets extends FoundPets {
  readonly schema = petSchema;
}
server.registerEndpoint('/pet', new FoundSchemaPets());

class MiswrittenPets extends Pets {
  version(text: string): string {
    return text;
  }
}
// @ts-expect-error a class whose version takes a different type than its schema's output
server.registerEndpoint('/misfit', new MiswrittenPets());

// A checked declaration keeps its own type in a list, with and without version.
const declared = [
  defineEndpoint({ id: integerId, get: (id) => ({ legs: id }), version: ({ legs }) => `${legs}` }),
  defineEndpoint({ id: integerId, get: (id) => [id] }),
  defineEndpoint({ id: integerId, custom: { count: { run: () => 1 } } }),
  everything,
] as const;
server.registerEndpoint('/pet', declared[0]);
server.registerEndpoint('/pet', declared[1]);
server.registerEndpoint('/pet', declared[2]);
server.registerEndpoint('/pet', declared[3]);
same<ReturnType<(typeof declared)[1]['get']>, number[]>(true);

class Misfits {
  readonly id = integerId;

  get(id: string): string {
    return id;
  }
}
// @ts-expect-error a class whose get takes another id than its codec's
server.registerEndpoint('/misfit', new Misfits());

// An instance of a class may have further properties, and an object may not.
class Counters {
  readonly id = integerId;
  readonly limit = 9;

  get(id: number): number {
    return this.next(id);
  }

  next(id: number): number {
    return Math.min(id + 1, this.limit);
  }
}
server.registerEndpoint('/counter', new Counters());
// @ts-expect-error a misspelt operation
server.registerEndpoint('/pet', { id: integerId, get: (id) => id, remove: (id: number) => id });
// @ts-expect-error a misspelt property of an operation
server.registerEndpoint('/pet', { id: integerId, list: { qurey: portionSchema, run: () => [] } });
const misspelt = { id: integerId, get: (id: number) => id, remove: (id: number) => id };
// @ts-expect-error a misspelt operation in a variable
server.registerEndpoint('/pet', misspelt);

// Names of operations may be those of the properties of an operation.
defineEndpoint({
  id: integerId,
  custom: {
    input: { input: portionSchema, run: ({ grams }) => same<typeof grams, number>(true) },
    run: (request) => same<typeof request, ApiRequest>(true),
    query: { run: (request) => same<typeof request, ApiRequest>(true) },
  },
});

// A generic function of the user that declares endpoints, with the type of an item or of an input as its parameter.
export function stored<T>(schema: Decoder<T>, items: Map<number, T>) {
  return defineEndpoint({ id: integerId, schema, create: (item) => items.set(items.size, item).size, get: (id) => items.get(id) });
}
export function echoed<T>(input: (json: unknown) => T) {
  return defineEndpoint({ id: integerId, custom: { echo: { input, run: (value) => same<typeof value, Awaited<T>>(true) } } });
}
server.registerEndpoint('/pet', stored(petSchema, pets));
server.registerEndpoint('/pet', echoed(decodePet));
// @ts-expect-error an input that is not a decoder
defineEndpoint({ id: integerId, custom: { feed: { input: 'grams', run: () => 1 } } });
// @ts-expect-error an input that takes a different type than JSON has
defineEndpoint({ id: integerId, custom: { feed: { input: (grams: number) => grams, run: () => 1 } } });
