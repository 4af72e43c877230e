/** The pets, served by restpoint with its defaults. */
import { ApiError, ApiServer, integerId } from '../../dist/index.js';
import { flawOfMeal, flawOfPet } from './pets.js';

export async function open(pets) {
  const server = new ApiServer('/v1', { logger: { info() {}, error: console.error } });
  server.registerEndpoint('/pet', {
    id: integerId,
    schema: (json) => checked(json, flawOfPet(json)),
    create: (pet) => pets.create(pet),
    get: (id) => found(pets.find(id)),
    update: (id, pet) => void found(pets.update(id, pet)),
    delete: (id) => void found(pets.delete(id)),
    custom: { feed: { input: (json) => checked(json, flawOfMeal(json)), run: (meal) => pets.feed(meal) } },
  });
  const started = await server.start('127.0.0.1:0');
  if (!started.ok) throw new Error(started.error);
  return { port: started.address.port, close: () => server.stop() };
}

function checked(json, flaw) {
  if (flaw !== undefined) throw new Error(flaw);
  return json;
}

function found(result) {
  if (result === undefined || result === false) throw ApiError.notFound();
  return result;
}
