/** The operation `search`. Compiling this file is the test. */
import { ApiServer, defineEndpoint, integerId, reply, type ApiRequest, type StandardSchemaV1 } from '../../src/index.ts';
import { decodePet, petSchema, portionSchema, same, type Pet } from './schemas.ts';

interface User {
  readonly name: string;
}
declare const pageSchema: StandardSchemaV1<unknown, { readonly limit: number }>;
declare function signedIn(request: { readonly signal: AbortSignal }): Promise<User>;
declare function timed<A extends unknown[], T>(run: (...args: A) => T): (...args: A) => T;
const server = new ApiServer('');

defineEndpoint({ id: integerId, search: { input: petSchema, run: (pet, request) => [same<typeof pet, Pet>(true), same<typeof request, ApiRequest>(true)] } });
defineEndpoint({ id: integerId, schema: petSchema, search: { input: portionSchema, run: timed(({ grams }) => [same<typeof grams, number>(true)]) } });
server.registerEndpoint('/pet', {
  id: integerId, context: signedIn,
  search: { input: decodePet, query: pageSchema, run: (pet, { context, query }) => [same<typeof pet, Pet>(true), same<typeof context, User>(true), same<typeof query.limit, number>(true)] },
});
// It needs no id and no input. The schema is not that of its body.
defineEndpoint({ search: { input: decodePet, run: async (pet) => pet.legs } });
defineEndpoint({ schema: petSchema, search: { run: (request) => same<typeof request, ApiRequest>(true) } });
defineEndpoint({ search: { input: decodePet, output: petSchema, run: (pet) => (pet.legs > 4 ? reply(202, pet) : pet) } });
server.registerEndpoints({ '/pet': defineEndpoint({ search: { input: decodePet, run: (pet) => pet } }) });
// @ts-expect-error it has no short form
defineEndpoint({ id: integerId, search: () => 1 });
// @ts-expect-error without input, run gets no body
defineEndpoint({ id: integerId, schema: petSchema, search: { run: (pet: Pet, _request: ApiRequest) => pet } });
// @ts-expect-error it gives nothing
defineEndpoint({ id: integerId, search: { input: decodePet, run: () => {} } });
// @ts-expect-error a bigint is not JSON
defineEndpoint({ id: integerId, search: { input: decodePet, run: () => [1n] } });
// @ts-expect-error no id comes before the body
defineEndpoint({ id: integerId, search: { input: decodePet, run: (id: number, pet: Pet) => [id, pet] } });
// @ts-expect-error another result than its output
defineEndpoint({ id: integerId, search: { input: decodePet, output: (pet: Pet) => pet.name, run: () => 7 } });
// @ts-expect-error an unknown option
defineEndpoint({ id: integerId, search: { inpt: decodePet, run: () => 7 } });
