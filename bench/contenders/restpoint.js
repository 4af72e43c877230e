/** The pets, served by restpoint with its defaults. */
import { flawOfMeal, flawOfPet } from './pets.js';

// The parent process says where the library is, so that no further module is loaded here.
const { ApiError, ApiServer, integerId, stringId } = await import(process.argv[3]);

export async function open(pets, { timeMs } = {}) {
  const limits = timeMs === undefined ? {} : { headersMs: timeMs, requestMs: timeMs };
  const server = new ApiServer('/v1', { logger: { info() {}, error() {} }, limits });
  server.registerEndpoint('/pet', endpointOf(pets));
  server.registerEndpoint('/room', { id: stringId, get: (id) => pets.room(id) });
  const started = await server.start('127.0.0.1:0');
  if (!started.ok) throw new Error(started.error);
  return { port: started.address.port, close: () => server.stop() };
}

function endpointOf(pets) {
  return {
    id: integerId,
    schema: (json) => checked(json, flawOfPet(json)),
    create: (pet) => pets.create(pet),
    get: (id) => pets.find(id),
    update: (id, pet) => found(pets.update(id, pet)),
    delete: (id) => found(pets.delete(id)),
    custom: { feed: { input: (json) => checked(json, flawOfMeal(json)), run: (meal) => pets.feed(meal) } },
  };
}

/** Registers endpoints with all five operations on a server that is not started; they share their functions. */
export function registrar() {
  const server = new ApiServer('/v1', { logger: { info() {}, error() {} } });
  const endpoint = { id: integerId, schema: (json) => json, create: () => 1, get: () => 1, update() {}, delete() {}, custom: { feed: { run: () => 1 } } };
  let registered = 0;
  return (count) => {
    for (const end = registered + count; registered < end; registered += 1) server.registerEndpoint(`/resource${registered}`, endpoint);
  };
}

function checked(json, flaw) {
  if (flaw !== undefined) throw new Error(flaw);
  return json;
}

function found(wasThere) {
  if (!wasThere) throw ApiError.notFound();
}
