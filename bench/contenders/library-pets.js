/** The pets, served by a build of restpoint with its defaults. */
import { BAD_PAGE, findMealFlaw, findPetFlaw, KEEPER, parsePage } from './pets.js';

const logger = { info() {}, error() {} };

/** Makes a contender from the module of a build. */
export function serveWith({ ApiServer, integerId, stringId }) {
  return { open };

  async function open(pets, { timeMs } = {}) {
    const limits = timeMs === undefined ? {} : { headersMs: timeMs, requestMs: timeMs };
    const server = new ApiServer('/v1', { logger, limits });
    server.registerEndpoint('/pet', {
      id: integerId,
      schema: (json) => checked(json, findPetFlaw(json)),
      create: (pet) => pets.create(pet),
      list: { query: (query) => page(query), run: ({ query }) => pets.list(query) },
      get: (id) => pets.find(id),
      update: (id, pet) => pets.update(id, pet),
      delete: (id) => pets.delete(id),
      custom: { feed: { input: (json) => checked(json, findMealFlaw(json)), run: (meal) => pets.feed(meal) } },
    });
    server.registerEndpoint('/own', { id: integerId, context: () => KEEPER, get: (id, { context }) => pets.findOwn(context, id) });
    server.registerEndpoint('/room', { id: stringId, get: (id) => pets.room(id) });
    const started = await server.start('127.0.0.1:0');
    if (!started.ok) throw new Error(started.error);
    return { port: started.address.port, close: () => server.stop() };
  }
}

function checked(json, flaw) {
  if (flaw !== undefined) throw new Error(flaw);
  return json;
}

function page(query) {
  const read = parsePage(query);
  if (read === undefined) throw new Error(BAD_PAGE.detail);
  return read;
}
