/**
 * The zoo, served by the `fetch` of its server: by `Bun.serve` or `Deno.serve`, which print `listening <port>`, and in a Worker, which imports
 * it. Besides the zoo, it has a stream, events, forms, and a Get that waits until its client leaves.
 */
import { events, form } from '../../dist/formats/index.js';
import * as restpoint from '../../dist/index.js';
import { registerForms } from './form-requests.js';
import { zooServer } from './zoo.js';

const { reply, stringId } = restpoint;
const PIECE = 'x'.repeat(64 * 1024);

const PIECES = 160;

async function* pieces() {
  for (let count = 0; count < PIECES; count += 1) yield PIECE;
}

async function* ticks() {
  for (let tick = 1; tick <= 3; tick += 1) {
    yield { id: String(tick), data: { tick } };
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

let waiting = 0;
let left = 0;

/** Counts a client, and when it leaves. `workerd` calls no timers for it after that. */
function count({ signal }) {
  waiting += 1;
  signal.addEventListener('abort', () => (left += 1));
}

async function* endless() {
  for (;;) {
    yield { data: {} };
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export const server = zooServer(restpoint, undefined, { info() {}, error: console.error });
server.registerEndpoint('/stream', { get: () => reply(200, pieces(), { 'Content-Type': 'text/plain' }) });
server.registerEndpoint('/event', { get: { output: events((data) => data), run: () => ticks() } });
server.registerEndpoint('/endless', { get: { output: events((data) => data), run: (request) => {
  count(request);
  return endless();
} } });
server.registerEndpoint('/left', { get: () => ({ waiting, left }) });
server.registerEndpoint('/waiter', {
  id: stringId,
  get: (_id, request) => {
    count(request);
    return new Promise((resolve) => request.signal.addEventListener('abort', () => resolve(undefined)));
  },
});
registerForms(server, form);
server.mount('/length', async (request, response) => {
  let length = 0;
  for await (const chunk of request) length += chunk.length;
  response.end(String(length));
});

if (globalThis.Bun !== undefined) {
  const { port } = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: server.fetch });
  console.log(`listening ${port}`);
} else if (globalThis.Deno !== undefined) {
  Deno.serve({ hostname: '127.0.0.1', port: 0, onListen: ({ port }) => console.log(`listening ${port}`) }, server.fetch);
}
