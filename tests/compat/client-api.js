/** The servers that the calls of a client reach. At `/modules` they serve the modules that a page imports. */
import { readFileSync } from 'node:fs';
import { bearer } from '../../dist/auth/index.js';
import { ApiServer, bytes, defineEndpoint, integerId, reply } from '../../dist/index.js';
import { startZoo } from './zoo-server.js';

const DIST = new URL('../../dist/', import.meta.url);
const MODULE = /^(?:(?:client|declaration)\/[a-z-]+|client-calls|client-zoo-calls|cors-calls)\.js$/;
const SILENT = { info: () => {}, error: () => {} };
const any = (json) => json;
/** Lets pages of any origin call a server, and import the client from it. */
const FOR_PAGES = { cors: { origins: '*' } };

/** Starts the example, for `client-zoo-calls.js`. */
export function startZooForPages() {
  return startZoo({ prepare: serveModules, options: FOR_PAGES });
}

/** Starts a server with the operations that the example lacks, for `client-calls.js`. */
export async function startClientApi() {
  const server = new ApiServer('/v1', { logger: SILENT, ...FOR_PAGES });
  serveModules(server);
  server.registerEndpoint('/pet', petEndpoint());
  server.registerEndpoint('/job', jobEndpoint());
  server.registerEndpoint('/settings', defineEndpoint({ schema: any, create: () => {} }));
  const started = await server.start('127.0.0.1:0');
  if (!started.ok) throw new Error(started.error);
  return { url: started.url, stop: () => server.stop() };
}

function serveModules(server) {
  server.mount('/modules', modules);
}

/** Serves the modules that pages import. */
export function modules(request, response) {
  const name = request.url.slice(1);
  if (!MODULE.test(name)) response.writeHead(404).end();
  else {
    response.writeHead(200, { 'Content-Type': 'text/javascript' });
    response.end(readFileSync(new URL(name, name.includes('/') ? DIST : import.meta.url)));
  }
}

/** The status of work that is done when it is asked for twice. */
function jobEndpoint() {
  let polls = 0;
  return defineEndpoint({
    id: integerId,
    get: () => {
      polls += 1;
      return polls % 2 === 1 ? reply(202, { state: 'running' }, { 'Retry-After': '1' }) : reply(303, undefined, { Location: '/v1/pet/1' });
    },
  });
}

function petEndpoint() {
  const pets = new Map();
  let gets = 0;
  return defineEndpoint({
    id: integerId,
    context: bearer((token) => token === 'secret'),
    schema: any,
    create: (pet) => pets.set(1, pet).size,
    list: ({ query }) => query.getAll('tag'),
    get: (id) => {
      gets += 1;
      return pets.get(id);
    },
    patch: { input: any, run: (id, change) => reply(200, { ...pets.get(id), ...change }) },
    custom: {
      count: { run: () => pets.size },
      gets: { run: () => gets },
      dated: { run: () => ({ born: new Date('2020-02-02'), tag: undefined, seen: [undefined] }) },
      photo: { input: bytes(), run: (body) => reply(200, body) },
      wait: { run: ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(null))) },
      start: { run: () => reply(202, undefined, { Location: '/v1/job/1' }) },
      moved: { run: () => reply(303, undefined, { Location: '/v1/pet/1' }) },
    },
    itemCustom: { feed: { input: any, run: (id, food) => [id, food] } },
  });
}
