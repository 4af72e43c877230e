/** Calls `server.fetch` in this engine, and prints what is wrong. */
import { ApiServer, reply, stringId } from '../../dist/index.js';

const PIECE = 'x'.repeat(64 * 1024);
const PIECES = 160;

let leave;
const left = new Promise((resolve) => (leave = resolve));

async function* pieces() {
  for (let count = 0; count < PIECES; count += 1) yield PIECE;
}

const server = new ApiServer('/v1', { logger: { info() {}, error: console.error } });
server.registerEndpoint('/pet', {
  id: stringId,
  schema: (body) => ({ name: String(Object(body).name) }),
  create: ({ name }) => name,
  get: (id, { signal }) => {
    if (id === 'stream') return reply(200, pieces());
    if (id !== 'wait') return { name: id };
    signal.addEventListener('abort', () => leave('left'));
    return new Promise(() => {});
  },
});
server.mount('/length', async (request, response) => {
  let length = 0;
  for await (const chunk of request) length += chunk.length;
  response.setHeader('Set-Cookie', ['a=b', 'c=d']);
  response.end(String(length));
});

function upload() {
  let count = 0;
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(new TextEncoder().encode(PIECE));
      if ((count += 1) === PIECES) controller.close();
    },
  });
}

const nameOf = (call) => call.then(() => 'resolved', ({ name }) => name);

const CALLS = {
  'a path': [async () => (await server.fetch('/v1/pet/rex')).text(), '{"name":"rex"}'],
  'a Request': [async () => (await server.fetch(new Request('http://localhost/v1/pet/rex'))).text(), '{"name":"rex"}'],
  HEAD: [async () => {
    const { status, headers } = await server.fetch('/v1/pet/rex', { method: 'HEAD' });
    return `${status} ${headers.get('content-length')}`;
  }, '200 14'],
  'a Create': [async () => {
    const { status, headers } = await server.fetch('/v1/pet', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"name":"ant"}' });
    return `${status} ${headers.get('location')}`;
  }, '201 /v1/pet/ant'],
  'an error': [async () => (await server.fetch('/v1/nothing')).headers.get('content-type'), 'application/problem+json'],
  'a body as a stream': [async () => (await server.fetch('/length', { method: 'POST', body: upload(), duplex: 'half' })).text(), String(PIECE.length * PIECES)],
  'several cookies': [async () => (await server.fetch('/length')).headers.getSetCookie().join(), 'a=b,c=d'],
  'a response as a stream': [async () => (await (await server.fetch('/v1/pet/stream')).text()).length, PIECE.length * PIECES],
  'an invalid URL': [() => nameOf(server.fetch('v1')), 'TypeError'],
  'a signal': [async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 10);
    return `${await nameOf(server.fetch('/v1/pet/wait', { signal: controller.signal }))}, ${await left}`;
  }, 'AbortError, left'],
  stop: [async () => {
    const before = server.fetch('/v1/pet/rex');
    const stopped = server.stop();
    const after = await nameOf(server.fetch('/v1/pet/rex'));
    await stopped;
    return `${(await before).status}, ${after}`;
  }, '200, TypeError'],
};

const wrong = [];
for (const [what, [call, expected]] of Object.entries(CALLS)) {
  const got = await call();
  if (got !== expected) wrong.push(`${what}: ${got}`);
}
console.log(`wrong: ${JSON.stringify(wrong)}`);
