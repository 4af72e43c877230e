/** The pets, served by restpoint. */
import { ApiError, ApiServer, integerId, stringId } from '../../../dist/index.js';
import { BODY_BYTES, flawOf } from './pets.js';

/** Listens on a free port; `timeMs` bounds how long a head and a whole request may take. */
export async function open(pets, { timeMs } = {}) {
  const times = timeMs === undefined ? {} : { headersMs: timeMs, requestMs: timeMs };
  const server = new ApiServer('/v1', { logger: { info() {}, error() {} }, limits: { bodyBytes: BODY_BYTES, ...times } });
  server.registerEndpoint('/pet', { id: integerId, schema: decodePet, create: (pet) => pets.insert(pet), get: (id) => found(pets.find(id)) });
  server.registerEndpoint('/room', { id: stringId, get: (id) => pets.room(id) });
  const started = await server.start('127.0.0.1:0');
  if (!started.ok) throw new Error(started.error);
  return { port: started.address.port, close: () => server.stop() };
}

function decodePet(json) {
  const flaw = flawOf(json);
  if (flaw !== undefined) throw new Error(flaw);
  return json;
}

function found(pet) {
  if (pet === undefined) throw ApiError.notFound();
  return pet;
}
