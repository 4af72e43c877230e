/** The server that the calls of `client-calls.js` reach. At `/modules` it serves the modules that a page imports. */
import { readFileSync } from 'node:fs';
import cors from 'cors';
import { bearer } from '../../dist/auth/index.js';
import { ApiServer, bytes, defineEndpoint, integerId, reply } from '../../dist/index.js';

const DIST = new URL('../../dist/', import.meta.url);
const SILENT = { info: () => {}, error: () => {} };
const any = (json) => json;

/** Starts the server. Pages of any origin may call it. */
export async function startClientApi() {
  const pets = new Map();
  const server = new ApiServer('/v1', { logger: SILENT });
  server.use(cors({ exposedHeaders: ['ETag'] }));
  server.registerEndpoint('/pet', defineEndpoint({
    id: integerId,
    context: bearer((token) => token === 'secret'),
    schema: any,
    create: (pet) => pets.set(1, pet).size,
    list: ({ query }) => query.getAll('tag'),
    get: (id) => (pets.has(id) ? reply(200, pets.get(id), { ETag: '"1"' }) : undefined),
    update: (id, pet) => void pets.set(id, pet),
    patch: { input: any, run: (id, change) => reply(200, { ...pets.get(id), ...change }) },
    delete: (id) => pets.delete(id),
    custom: {
      count: { run: () => pets.size },
      photo: { input: bytes(), run: (body) => reply(200, body) },
      wait: { run: ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(null))) },
      moved: { run: () => reply(303, undefined, { Location: '/v1/pet/1' }) },
    },
    itemCustom: { feed: { input: any, run: (id, food) => [id, food] } },
  }));
  server.registerHandler('/modules', (request, response) => {
    const name = request.url.slice(1);
    if (!/^(?:client|codecs|endpoint)\/[a-z-]+\.js$|^client-calls\.js$/.test(name)) response.writeHead(404).end();
    else {
      response.writeHead(200, { 'Content-Type': 'text/javascript' });
      response.end(readFileSync(new URL(name, name.includes('/') ? DIST : import.meta.url)));
    }
  });
  const started = await server.start('127.0.0.1:0');
  if (!started.ok) throw new Error(started.error);
  return { url: started.url, stop: () => server.stop() };
}
