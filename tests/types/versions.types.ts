/** V5: The versions of an endpoint's items. Compiling this file is the test. */
import { ApiServer, defineEndpoint, integerId, reply, stringId, type ApiRequest, type Interceptor, type StandardSchemaV1 } from '../../src/index.ts';
import { decodePet, petSchema, same, type Pet } from './schemas.ts';

interface User {
  readonly name: string;
}
interface Row extends Pet {
  readonly revision: number;
}
declare function signedIn(request: { readonly signal: AbortSignal }): Promise<User>;
declare const numbered: Interceptor<{ readonly serial: number }>;
declare const pets: Map<number, Pet>;
declare const rows: Map<number, Row>;
declare function shown(row: Row): Pet;
const server = new ApiServer('');

// ---- version takes the item: of the schema, or else of get.
defineEndpoint({ id: integerId, schema: petSchema, get: (id) => pets.get(id), version: (pet) => (same<typeof pet, Pet>(true), pet.legs) });
defineEndpoint({ id: integerId, get: (id) => rows.get(id), version: (row) => (same<typeof row, Row>(true), row.revision) });
defineEndpoint({ id: integerId, get: async (id) => rows.get(id) ?? null, version: (row) => (same<typeof row, Row>(true), `${row.revision}`) });
defineEndpoint({ id: integerId, get: (id) => (id > 1 ? reply(200, { legs: id }) : rows.get(id)), version: (row: Row) => row.revision });
defineEndpoint({ get: () => ({ revision: 1 }), version: ({ revision }) => revision });
defineEndpoint({ id: integerId, get: { run: (id) => rows.get(id) }, version: (row) => (same<typeof row, Row>(true), row.revision) });
// What get returns, before its output.
defineEndpoint({ id: integerId, schema: petSchema, get: { output: shown, run: (id) => rows.get(id) }, version: (row) => (same<typeof row, Row>(true), row.revision) });
defineEndpoint({ id: integerId, get: { output: { 200: shown, 204: null }, run: (id) => rows.get(id) }, version: (row) => (same<typeof row, Row>(true), row.revision) });
server.registerEndpoint('/pet', { id: integerId, schema: petSchema, get: (id) => pets.get(id), version: (pet) => pet.legs });
server.registerEndpoints({
  '/pet': defineEndpoint({ id: integerId, schema: petSchema, get: (id) => pets.get(id), version: (pet) => pet.legs }),
  '/row': defineEndpoint({ id: integerId, get: (id) => rows.get(id), version: (row) => (same<typeof row, Row>(true), row.revision) }),
  '/later': defineEndpoint({ id: integerId, get: { run: async (id) => rows.get(id) ?? null }, version: (row) => (same<typeof row, Row>(true), row.revision) }),
  '/shown': defineEndpoint({ id: integerId, get: { output: shown, run: (id) => rows.get(id) }, version: (row) => (same<typeof row, Row>(true), row.revision) }),
});
// @ts-expect-error another item
server.registerEndpoints({ '/pet': { id: integerId, get: (id: number) => pets.get(id), version: (row: Row) => row.revision } });
// @ts-expect-error another item
defineEndpoint({ id: integerId, get: (id) => pets.get(id), version: (row: Row) => row.revision });
// @ts-expect-error another item than the schema's
defineEndpoint({ id: integerId, schema: petSchema, get: (id) => pets.get(id), version: (row: Row) => row.revision });
// @ts-expect-error no version
defineEndpoint({ id: integerId, schema: petSchema, get: (id) => pets.get(id), version: (pet) => pet });
// @ts-expect-error a promise
defineEndpoint({ id: integerId, schema: petSchema, get: (id) => pets.get(id), version: async (pet) => pet.legs });

// ---- currentVersion gets the id, and the endpoint's context and parameters.
defineEndpoint({
  id: integerId, params: { zoo: stringId }, context: signedIn, schema: petSchema,
  get: (id) => pets.get(id),
  version: (pet) => pet.legs,
  currentVersion: async (id, request) => (same<typeof id, number>(true), same<typeof request, ApiRequest<User, { readonly zoo: string }, URLSearchParams, number>>(true), pets.get(id)?.legs),
  requireIfMatch: true,
  update: (id, pet, { ifMatch, ifNoneMatch }) => {
    same<typeof ifMatch, readonly string[] | '*' | undefined>(true);
    same<typeof ifNoneMatch, readonly string[] | '*' | undefined>(true);
    pets.set(id, pet);
  },
});
defineEndpoint({ get: () => ({ revision: 1 }), version: ({ revision }) => revision, currentVersion: (request) => (same<typeof request, ApiRequest>(true), '1') });
defineEndpoint({ id: stringId, currentVersion: (id) => id, requireIfMatch: true, delete: () => {} });
defineEndpoint({
  id: integerId, schema: petSchema, use: numbered,
  get: (id, { serial }) => pets.get(id + serial), version: (pet) => pet.legs, currentVersion: (id, { serial }) => (same<typeof serial, number>(true), pets.get(id)?.legs), delete: (id) => pets.delete(id),
});
// What the interceptors of one operation add, it has for that operation alone.
defineEndpoint({
  id: integerId, schema: petSchema, currentVersion: (id, { serial = 0 }: ApiRequest & { readonly serial?: number }) => id + serial,
  update: { use: numbered, run: (id, pet) => void pets.set(id, pet) },
});
defineEndpoint({
  id: integerId, schema: petSchema,
  currentVersion: (id, { serial, signal }) => (same<typeof serial, number | undefined>(true), same<typeof signal, AbortSignal>(true), id + (serial ?? 0)),
  update: { use: numbered, run: (id, pet, { serial }) => (same<typeof serial, number>(true), void pets.set(id, pet)) },
  delete: (id) => pets.delete(id),
});
defineEndpoint({ id: integerId, currentVersion: (id, { serial = 0 }) => id + serial, patch: { use: [numbered], input: decodePet, run: () => {} } });
defineEndpoint({ id: integerId, currentVersion: (id, { serial = 0 }) => id + serial, delete: { use: numbered, run: (id) => pets.delete(id) } });
// In front of the change, or after it.
defineEndpoint({ id: integerId, delete: { use: numbered, run: (id) => pets.delete(id) }, currentVersion: (id, { serial = 0 }) => id + serial });
// @ts-expect-error only the operation has it
defineEndpoint({ id: integerId, currentVersion: (id, { serial }) => id + serial, delete: { use: numbered, run: (id) => pets.delete(id) } });
// @ts-expect-error nothing adds it
defineEndpoint({ id: integerId, currentVersion: (id, { tx }) => id, delete: { use: numbered, run: (id) => pets.delete(id) } });
// @ts-expect-error no version
defineEndpoint({ id: integerId, currentVersion: (id) => pets.get(id), delete: () => {} });
// @ts-expect-error another id
defineEndpoint({ id: integerId, currentVersion: (id: string) => id, delete: () => {} });
// @ts-expect-error a yes or a no
defineEndpoint({ id: integerId, currentVersion: (id) => id, requireIfMatch: 'yes', delete: () => {} });

// ---- A get that cannot be asked, where something is changed.
defineEndpoint({ id: integerId, schema: petSchema, get: { use: numbered, run: (id) => pets.get(id) }, version: (pet) => pet.legs });
defineEndpoint({ id: integerId, schema: petSchema, get: { query: decodePet, run: (id) => pets.get(id) }, version: (pet) => pet.legs, create: () => 1 });

// Endpoints without a schema, registered together: the item is what get returns.
new ApiServer('').registerEndpoints({
  '/a': defineEndpoint({ id: integerId, get: (id) => ({ legs: id }), version: ({ legs }) => legs }),
  '/b': defineEndpoint({ id: integerId, get: { run: async (id) => (id > 1 ? { legs: id } : undefined) }, version: ({ legs }) => legs }),
  '/c': defineEndpoint({ get: { output: (pet: { legs: number }) => pet.legs, run: () => ({ legs: 1 }) }, version: ({ legs }) => legs }),
});
class Winged {
  readonly id = integerId;
  get(id: number): { legs: number } { return { legs: id }; }
  version({ wings }: { wings: number }): number { return wings; }
}
// @ts-expect-error version takes another item than get returns
new ApiServer('').registerEndpoints({ '/a': new Winged() });

// ---- It gets what `run` gives, before `output`, also what that leaves out.
interface Stored extends Pet {
  readonly revision: number;
}
declare const stored: Map<number, Stored>;
declare const shownSchema: StandardSchemaV1<Pet, { readonly name: string }>;
defineEndpoint({ id: integerId, get: { output: shownSchema, run: (id) => stored.get(id) }, version: ({ revision }) => same<typeof revision, number>(true) });
defineEndpoint({ id: integerId, schema: petSchema, get: { output: { 200: shownSchema }, run: async (id) => stored.get(id) ?? null }, version: (row) => (same<typeof row, Stored>(true), row.revision) });
defineEndpoint({ get: { output: shownSchema, run: () => (stored.size > 1 ? reply(303, undefined, { Location: '/' }) : { name: 'x', legs: 4, revision: 1 }) }, version: ({ revision }) => revision });
// In front of `get`, it has what `output` takes.
defineEndpoint({ id: integerId, version: (row) => (same<typeof row, Pet>(true), row.legs), get: { output: shownSchema, run: (id) => stored.get(id) } });
new ApiServer('').registerEndpoints({ '/d': defineEndpoint({ get: { output: shownSchema, run: () => ({ name: 'x', legs: 4, revision: 1 }) }, version: ({ revision }) => revision }) });
// @ts-expect-error no property of what run gives
defineEndpoint({ id: integerId, get: { output: shownSchema, run: (id) => stored.get(id) }, version: (row) => row.revisoin });
// @ts-expect-error another result than its output takes
defineEndpoint({ id: integerId, get: { output: shownSchema, run: () => ({ name: 'x', revision: 1 }) }, version: ({ revision }: { revision: number }) => revision });
