/** The pets, served by restpoint with its defaults, from the file that a user of the package imports. */
import { ApiError, ApiServer, integerId, stringId } from '../../dist/index.js';
import { BAD_PAGE, flawOfMeal, flawOfPet, KEEPER, pageOf } from './pets.js';

const logger = { info() {}, error() {} };

export async function open(pets, { timeMs } = {}) {
  const limits = timeMs === undefined ? {} : { headersMs: timeMs, requestMs: timeMs };
  const server = new ApiServer('/v1', { logger, limits });
  server.registerEndpoint('/pet', {
    id: integerId,
    schema: (json) => checked(json, flawOfPet(json)),
    create: (pet) => pets.create(pet),
    list: { query: (query) => page(query), run: ({ query }) => pets.list(query) },
    get: (id) => pets.find(id),
    update: (id, pet) => found(pets.update(id, pet)),
    delete: (id) => found(pets.delete(id)),
    custom: { feed: { input: (json) => checked(json, flawOfMeal(json)), run: (meal) => pets.feed(meal) } },
  });
  server.registerEndpoint('/own', { id: integerId, context: () => KEEPER, get: (id, { context }) => pets.findOwn(context, id) });
  server.registerEndpoint('/room', { id: stringId, get: (id) => pets.room(id) });
  const started = await server.start('127.0.0.1:0');
  if (!started.ok) throw new Error(started.error);
  return { port: started.address.port, close: () => server.stop() };
}

function checked(json, flaw) {
  if (flaw !== undefined) throw new Error(flaw);
  return json;
}

function page(query) {
  const read = pageOf(query);
  if (read === undefined) throw new Error(BAD_PAGE);
  return read;
}

function found(wasThere) {
  if (!wasThere) throw ApiError.notFound();
}

const idle = { endpoints: 0 };

/** Registers endpoints with all five operations on a server that is not started. All have the same functions. */
export function register(count) {
  const custom = { feed: { run: () => 1 } };
  const endpoint = { id: integerId, schema: (json) => json, create: () => 1, get: () => 1, update() {}, delete() {}, custom };
  idle.server ??= new ApiServer('/v1', { logger });
  const end = idle.endpoints + count;
  for (; idle.endpoints < end; idle.endpoints += 1) idle.server.registerEndpoint(`/resource${idle.endpoints}`, endpoint);
}
