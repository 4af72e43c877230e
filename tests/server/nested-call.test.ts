/** Requests that a handler makes within the request that it serves. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { NestedResponse, NestedRequest } from '../../src/endpoint/handler.ts';
import { ApiError, bytes, reply, stringId, type ApiServer } from '../../src/index.ts';
import { makeCertificate } from '../support/certificate.ts';
import { captureEvents } from '../support/capture-events.ts';
import { connectOverTls } from '../support/tls-client.ts';
import { assert, Gate, RawClient, serve, type ServeOptions, suite, type TestServer } from '../support/facts.ts';

const GET: NestedRequest = { method: 'GET', target: '/v1/pet/ant', headers: ['Host', 'localhost'], body: undefined };
const MAX = 1_000_000;
const PIECE = 200_000;

/** Serves what `declare` registers, and a mount that makes a nested request. `nest` sends the outer request, and resolves with the response. */
async function nestCalls(
  declare: (server: ApiServer) => void, use: (nest: (nested: Partial<NestedRequest>) => Promise<NestedResponse | undefined>, served: TestServer) => Promise<void>, options: ServeOptions = {},
): Promise<void> {
  let nested = GET;
  let received: Promise<NestedResponse | undefined> | undefined;
  await serve((server) => {
    declare(server);
    server.mount('/nest', async (request, response) => {
      received = server[' internal'].nested(nested, { request, response }, MAX);
      await received.catch(() => {});
      response.end();
    });
  }, (served) => use(async (given) => {
    nested = { ...GET, ...given };
    await (await fetch(`${served.url}/nest`)).text();
    return received;
  }, served), options);
}

const pets = (server: ApiServer): void => server.registerEndpoint('/pet', {
  id: stringId,
  get: (id) => (id === 'ant' ? { name: 'ant' } : undefined),
  custom: {
    note: { run: ({ raw }) => ({ sent: raw.headers, from: raw.socket.remoteAddress, port: raw.socket.remotePort }) },
    text: { run: () => reply(200, 'ä'.repeat(400), { 'Content-Type': 'text/plain', ETag: '"1"' }) },
    long: { run: () => 'x'.repeat(MAX) },
    pieces: { run: () => reply(200, pieces(), { 'Content-Type': 'text/plain' }) },
    count: { input: bytes(), run: async (body) => (await buffer(body)).length },
    echo: { input: (json: unknown) => json, run: (json: unknown) => ({ json }) },
    empty: { run: () => reply(204) },
    reject: { run: () => { throw ApiError.status(418); } },
  },
});

async function* yieldLarge(): AsyncGenerator<Buffer> {
  for (let at = 0; at < 3; at += 1) yield Buffer.alloc(PIECE);
}

async function* pieces(): AsyncGenerator<string> {
  yield 'one, ';
  yield 'two';
}

const responds = suite('the response to a nested request');
for (const [what, nested, status, body] of [
  ['a Get', {}, 200, '{"name":"ant"}'],
  ['a Get of no item', { target: '/v1/pet/asp' }, 404, /"Not found\."/],
  ['HEAD', { method: 'HEAD' }, 200, ''],
  ['an unknown path', { target: '/v1/none' }, 404, /Nothing is served/],
  ['a method that is not declared', { method: 'DELETE' }, 405, ''],
  ['a Host that is none', { headers: ['Host', 'a b'] }, 400, /./],
  ['a reply without a body', { method: 'POST', target: '/v1/pet/empty' }, 204, ''],
  ['a rejection', { method: 'POST', target: '/v1/pet/reject' }, 418, /./],
  ['a body', { method: 'POST', target: '/v1/pet/echo', headers: ['Host', 'a', 'content-type', 'application/json'], body: Buffer.from('{"a":1}') },
    200, '{"json":{"a":1}}'],
  ['a body that is streamed', { method: 'POST', target: '/v1/pet/count', body: Buffer.alloc(100_000) }, 200, '100000'],
  ['a string that is not ASCII', { method: 'POST', target: '/v1/pet/text' }, 200, 'ä'.repeat(400)],
  ['a stream', { method: 'POST', target: '/v1/pet/pieces' }, 200, 'one, two'],
] as const) {
  responds(`is that of its operation: ${what}`, () => nestCalls(pets, async (nest, { errors }) => {
    const received = await nest(nested);
    assert.is(received?.status, status);
    if (typeof body === 'string') assert.is(received?.body.toString(), body);
    else assert.match(received?.body.toString() ?? '', body);
    assert.is(errors.length, status === 418 ? 1 : 0);
  }));
}
responds('has its headers', () => nestCalls(pets, async (nest) => {
  const received = await nest({ method: 'POST', target: '/v1/pet/text' });
  assert.equal(['etag', 'content-type', 'content-length', 'location'].map((name) => received?.getHeader(name)), ['"1"', 'text/plain', '800', undefined]);
}));
responds('is whole if it is written in large pieces', () => nestCalls((server) => {
  server.registerEndpoint('/pet', { id: stringId, get: () => reply(200, yieldLarge()) });
}, async (nest) => assert.is((await nest({}))?.body.length, 3 * PIECE)));
responds('is left out if it is too long', () => nestCalls(pets, async (nest) => {
  assert.is(await nest({ method: 'POST', target: '/v1/pet/long' }), undefined);
}));
responds('is none if the connection is closed before its end', () => nestCalls((server) => {
  server.registerEndpoint('/pet', { id: stringId, get: (_: unknown, { raw }: any) => void raw.destroy() } as never);
}, async (nest) => {
  const failure = await nest({}).catch((error: Error) => error);
  assert.is((failure as Error).message, 'the connection was closed before the end of the response');
}));

const requests = suite('a nested request');
requests('has its headers, and the address of the outer one', () => nestCalls(pets, async (nest) => {
  const received = await nest({ method: 'POST', target: '/v1/pet/note', headers: ['Host', 'a', 'X-Note', 'b'] });
  const { sent, from, port } = JSON.parse(received?.body.toString() ?? '');
  assert.equal([sent, from, port > 0], [{ host: 'a', 'x-note': 'b' }, '127.0.0.1', true]);
}));
requests('has a socket on which the options of a connection can be set, and have no effect', () => nestCalls((server) => {
  const set = (socket: Socket): Socket => socket.setTimeout(1).setNoDelay().setKeepAlive(true).unref().ref();
  server.registerEndpoint('/pet', { id: stringId, get: (_, { raw }) => ({ isSame: set(raw.socket) === raw.socket, isPaused: raw.socket.pause().resume().isPaused() }) });
}, async (nest) => assert.is((await nest({}))?.body.toString(), '{"isSame":true,"isPaused":false}')));
requests('has the certificate of the client of the outer one', async () => {
  const own = makeCertificate('ann');
  const names: unknown[] = [];
  await serve((server) => {
    server.registerEndpoint('/pet', { id: stringId, get: (_: unknown, { raw: { socket } }: any) => void names.push(socket.getPeerCertificate().subject.CN, socket.encrypted) } as never);
    server.mount('/nest', async (request, response) => {
      await server[' internal'].nested(GET, { request, response }, MAX);
      response.end();
    });
  }, async ({ port }) => {
    const socket = await connectOverTls(port, own);
    socket.write('GET /nest HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    await once(socket.resume(), 'close');
    assert.equal(names, ['ann', true]);
  }, { tls: { ...makeCertificate('zoo'), requestCert: true, ca: own.cert } });
});
requests('is published, and logged, as one of its own', () => captureEvents(async (captured) => {
  await nestCalls(pets, async (nest, { errors }) => {
    await nest({ method: 'POST', target: '/v1/pet/reject' });
    const messages = await captured.waitForEnds(2);
    assert.equal(messages.map(({ route }) => route.path), ['/nest', '/v1/pet/reject']);
    assert.match(String(errors[0]), /reject/);
  });
}));
requests('is limited in time', () => nestCalls((server) => {
  server.registerEndpoint('/pet', { id: stringId, get: { limits: { operationMs: 20 }, run: () => new Promise(() => {}) } } as never);
}, async (nest, { errors }) => {
  assert.is((await nest({}))?.status, 503);
  assert.is(errors.length, 1);
}));
requests('ends when the client of the outer one leaves', async () => {
  const [begun, left] = [new Gate(), new Gate()];
  await nestCalls((server) => server.registerEndpoint('/pet', { id: stringId, get: async (_: unknown, { signal }: any) => {
    signal.addEventListener('abort', () => left.open());
    begun.open();
    await left.passed;
  } } as never), async (_, { port }) => {
    const client = await RawClient.send(port, 'GET /nest HTTP/1.1\r\nHost: a\r\n\r\n');
    await begun.passed;
    client.destroy();
    await left.passed;
  });
});
