/** The process whose memory `parts/memory.js` looks at: one endpoint, served in the way that its argument names. */
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const [, , contender] = process.argv;
const OPERATIONS = { schema: (json) => json, create: () => '1', get: (name) => ({ name }), update() {}, delete() {}, custom: { feed: { run: () => 1 } } };
let registered = 0;

async function serveByHand() {
  const server = createServer((request, response) => {
    const json = JSON.stringify({ name: request.url.slice('/v1/animal/'.length) });
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': json.length }).end(json);
  });
  // As long as restpoint keeps them, so that none closes while the memory is measured.
  server.keepAliveTimeout = 72_000;
  await new Promise((resolve) => server.listen({ port: 0, host: '127.0.0.1', backlog: 1_024 }, resolve));
  return { port: server.address().port, register() {} };
}

async function serveByRestpoint() {
  const { ApiServer, stringId } = await import('../dist/index.js');
  const server = new ApiServer('/v1', { logger: { info() {}, error() {} } });
  server.registerEndpoint('/animal', { id: stringId, get: OPERATIONS.get });
  const started = await server.start('127.0.0.1:0');
  return {
    port: started.address.port,
    register(count) {
      for (const end = registered + count; registered < end; registered += 1) server.registerEndpoint(`/resource${registered}`, { id: stringId, ...OPERATIONS });
    },
  };
}

const { port, register } = contender === 'restpoint' ? await serveByRestpoint() : await serveByHand();

// What is unreachable only through finalizers and weak references takes several collections to go.
async function look() {
  for (let time = 0; time < 5; time += 1) {
    globalThis.gc();
    await sleep(20);
  }
  const { rss, heapUsed, arrayBuffers } = process.memoryUsage();
  return { rss, heap: heapUsed + arrayBuffers };
}

process.on('message', async (message) => {
  if (message.register !== undefined) register(message.register);
  process.send(message.look ? await look() : {});
});
process.on('disconnect', () => process.exit());
process.send({ port });
