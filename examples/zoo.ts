/**
 * A zoo over HTTP: a read-only endpoint, an endpoint with every operation over a store, and a mounted handler.
 *
 *   npm start                                      http://127.0.0.1:8080, pets in zoo.db
 *   PORT=0 HOST=::1 ZOO_DB=other.db npm start      any free port, another address, another file
 *
 * On Ctrl-C and SIGTERM it answers the requests in flight, closes the store and exits with 0.
 */
import { ApiServer, defineEndpoint, integerId, stringId } from 'restpoint';
import { health } from './health.ts';
import { openPets } from './open-pets.ts';
import { decodeMeal, decodePet, decodeSearch } from './pet.ts';

const { HOST, PORT, ZOO_DB } = process.env;
const { pets, kind } = openPets(ZOO_DB || 'zoo.db');
console.log(`store: ${kind}`);

const server = new ApiServer('/v1');

server.registerEndpoint('/animal', defineEndpoint({
  id: stringId,
  get: (name) => ({ name, legs: 4, lethal: false }),
}));

server.registerEndpoint('/pet', defineEndpoint({
  id: integerId,
  schema: decodePet,
  create: (pet) => pets.insert(pet),
  get: (id) => pets.find(id),
  update: (id, pet) => pets.replace(id, pet),
  delete: (id) => pets.remove(id),
  custom: {
    feed: { input: decodeMeal, run: ({ pet, grams }) => pets.feed(pet, grams) },
    search: { input: decodeSearch, run: ({ name }) => pets.search(name) },
  },
}));

server.registerHandler('/health', health);

const started = await server.start({ host: HOST || '127.0.0.1', port: Number(PORT || 8080) });
if (started.ok) {
  // A terminal sends Ctrl-C to npm and to this process, and npm passes it on, so the signal arrives twice.
  let closing: Promise<void> | undefined;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => (closing ??= close()));
  console.log(`\nThe zoo is open at ${started.url}\n\n${suggestions(started.url).join('\n')}\n`);
} else {
  console.error(started.error);
  process.exitCode = 1;
  pets.close();
}

async function close(): Promise<void> {
  await server.stop();
  pets.close();
  console.log('The zoo is closed.');
  // A process that exits by itself stops catching signals shortly before, so the second signal would kill it.
  process.exit();
}

/** Commands to paste, in this order. */
function suggestions(url: string): string[] {
  const json = `-H 'Content-Type: application/json'`;
  return [
    `curl -i '${url}/v1/animal/ant'`,
    `curl -i '${url}/v1/pet' ${json} -d '{"name":"Rex","legs":4,"lethal":false}'`,
    `curl -i '${url}/v1/pet/search' ${json} -d '{"name":"Rex"}'`,
    `curl -i '${url}/health'`,
  ];
}
