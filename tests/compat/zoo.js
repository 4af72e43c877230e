/** The server of every peer: one endpoint with every operation, and two mounts. The library is an argument, so that each engine can load it. */

/** `limits.bodyBytes`. */
export const BODY_BYTES = 256 * 1024;

// Longer than any check waits, so that no check passes only because a connection was destroyed.
const STOP_GRACE_MS = 60_000;

/** The result of `wait` after it has waited: longer than a socket takes at once. */
export const WAITED_FOR = 'x'.repeat(1024 * 1024);

const quiet = { info() {}, error() {} };

/** Creates the server. The Custom operation `wait` calls `onWait`, and responds with its result. `options` are those of `ApiServer`. */
export function zooServer({ ApiError, ApiServer, defineEndpoint, integerId }, onWait = () => 'nothing to wait for', logger = quiet, options = {}) {
  const server = new ApiServer('/v1', { logger, limits: { bodyBytes: BODY_BYTES }, stopGraceMs: STOP_GRACE_MS, ...options });
  const pets = new Map();
  let lastId = 0;
  const find = (id) => {
    if (!pets.has(id)) throw ApiError.notFound();
    return pets.get(id);
  };
  server.registerEndpoint('/pet', defineEndpoint({
    id: integerId,
    schema: decodePet,
    create: (pet) => {
      pets.set(++lastId, pet);
      return lastId;
    },
    get: async (id) => find(id),
    update: (id, pet) => {
      find(id);
      pets.set(id, pet);
    },
    delete: async (id) => {
      find(id);
      pets.delete(id);
    },
    custom: {
      feed: { input: decodeGrams, run: (grams, request) => ({ grams, on: request.query.get('on'), left: request.signal.aborted }) },
      count: { run: () => pets.size },
      fail: { run: () => Promise.reject(new Error('the keeper is ill')) },
      wait: { run: onWait },
    },
  }));
  server.mount('/health', (request, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ method: request.method, below: request.url, whole: request.originalUrl }));
  });
  // Reads the body as a stream, and responds with a stream.
  server.mount('/echo', async (request, response) => {
    for await (const chunk of request) response.write(chunk);
    response.end('.');
  });
  return server;
}

function decodePet(json) {
  const { name, legs } = Object(json);
  if (typeof name !== 'string') throw new Error('name: expected a string');
  if (typeof legs !== 'number') throw new Error('legs: expected a number');
  return { name, legs };
}

function decodeGrams(json) {
  if (typeof json !== 'number') throw new Error('expected a number of grams');
  return json;
}
