/** Upgrades: the requests that are handed to the user's handlers, and the responses to the others. */
import type { EventEmitter } from 'node:events';
import { ApiServer, stringId, type ApiServerOptions, type UpgradeHandler } from '../../src/index.ts';
import { readEcho, makeEchoHandler, SWITCH_HEADERS, makeUpgrade } from '../support/upgrades.ts';
import { Zoo } from '../support/zoo.ts';
import { assert, head, message, RawClient, type RawResponse, send, sendUntilClosed, serve, suite } from '../support/facts.ts';

interface Chat {
  readonly port: number;
  readonly server: ApiServer;
  readonly zoo: Zoo;
  readonly errors: readonly Error[];
  readonly infos: readonly string[];
  /** The arguments of each handler. */
  readonly targets: readonly string[];
}

/** A zoo with a chat at `/chat`, at the path of its pets, and deeper. */
async function serveChat(use: (chat: Chat) => Promise<void>, options: ApiServerOptions = {}): Promise<void> {
  const targets: string[] = [];
  const zoo = new Zoo();
  zoo.pets.set(1, { name: 'Rex', legs: 4 });
  await serve((server) => {
    zoo.register(server);
    server.registerEndpoint('/animal', { id: stringId, get: (name) => name });
    for (const route of ['/chat', '/v1/pet', '/chat/deep']) {
      server.registerUpgrade(route, makeEchoHandler((_socket, target) => targets.push(`${route}: ${target}`)));
    }
    server.registerUpgrade('/other', makeEchoHandler(), { protocol: 'Echo/1.0' });
  }, ({ port, server, errors, infos }) => use({ port, server, zoo, errors, infos, targets }), options);
}

const handed = suite('H6: the upgrades that a handler takes');
for (const [target, seen] of [
  ['/chat', '/chat: / of /chat'],
  ['/chat?room=1', '/chat: /?room=1 of /chat?room=1'],
  ['/chat/a/b', '/chat: /a/b of /chat/a/b'],
  ['/chat/deep/a', '/chat/deep: /a of /chat/deep/a'],
  ['http://a/chat/a', '/chat: /a of /chat/a'],
  ['/v1/pet/1', '/v1/pet: /1 of /v1/pet/1'],
] as const) {
  handed(`${target}: ${seen}`, () => serveChat(async ({ port, targets, zoo }) => {
    const client = await RawClient.send(port, makeUpgrade(target));
    assert.is(await readEcho(client, 'hello'), 'hello');
    assert.equal(targets, [seen]);
    assert.is(zoo.invoked, 0);
  }));
}
for (const [why, lines] of [
  ['in another case', ['connection: upgrade', 'upgrade: WEBSOCKET']],
  ['in a list', ['Connection: keep-alive, Upgrade', 'Upgrade: h2c, websocket']],
  ['in two lines', ['Connection: Upgrade', 'Upgrade: h2c', 'Upgrade: websocket']],
] as const) {
  handed(`the protocol may be named ${why}`, () => serveChat(async ({ port }) => {
    const client = await RawClient.send(port, makeUpgrade('/chat', lines));
    assert.is(await readEcho(client, 'hello'), 'hello');
  }));
}
handed('the protocol is the one that the user has named', () => serveChat(async ({ port }) => {
  const client = await RawClient.send(port, makeUpgrade('/other', ['Connection: Upgrade', 'Upgrade: echo/1.0']));
  assert.is(await readEcho(client, 'hello'), 'hello');
  client.destroy();
  assert.is((await send(port, makeUpgrade('/other'))).status, 404);
}));
handed('bytes after the request are the head of the new protocol', () => serveChat(async ({ port }) => {
  const client = await RawClient.send(port, `${makeUpgrade('/chat')}early `);
  assert.is((await client.response()).status, 101);
  client.send('late');
  assert.is(await client.bytes(10), 'early late');
}));
handed('a handler may be registered while the server runs, and connections are open', () => serve(() => {}, async ({ server, port }) => {
  const client = await RawClient.send(port, makeUpgrade('/chat', ['Connection: keep-alive']));
  assert.is((await client.response()).status, 404);
  server.registerUpgrade('/chat', makeEchoHandler());
  client.send(makeUpgrade('/chat'));
  assert.is(await readEcho(client, 'hello'), 'hello');
  client.destroy();
  assert.is((await send(port, makeUpgrade('/v1/other'))).status, 404);
}));
handed('a server that is started again has its handlers', () => serveChat(async ({ server }) => {
  await server.stop();
  const started = await server.start('127.0.0.1:0');
  assert.ok(started.ok);
  const client = await RawClient.connect(Number(new URL(started.url).port));
  client.send(makeUpgrade('/chat'));
  assert.is(await readEcho(client, 'hello'), 'hello');
  client.destroy();
}));
handed('each is logged at registration, and is among the routes', async () => {
  await serve((server) => server.registerUpgrade('/chat', makeEchoHandler()), async ({ server, infos }) => {
    assert.equal(infos, ['route: UPGRADE /chat']);
    assert.equal(server.routes, [{ method: 'UPGRADE', path: '/chat' }]);
  });
});

const untaken = suite('H6: an upgrade that no handler takes');
const H2C = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'];
const BODY = ['Content-Length: 5', ...SWITCH_HEADERS];
for (const [why, request, status] of [
  ['to h2c, of an operation', makeUpgrade('/v1/pet/1', H2C), 200],
  ['to h2c, of an unknown path', makeUpgrade('/chat', H2C), 404],
  ['of an operation without a handler', makeUpgrade('/v1/animal/ant'), 200],
  ['of an unknown path', makeUpgrade('/chatX'), 404],
  ['of an operation, in HTTP/1.0', makeUpgrade('/v1/pet/1').replace('HTTP/1.1', 'HTTP/1.0'), 200],
  ['without Connection: upgrade', makeUpgrade('/v1/pet/1', ['Upgrade: websocket']), 200],
  ['with a body', `${head('GET', '/v1/pet/1', BODY)}hello`, 200],
  ['with chunks', `${head('GET', '/v1/pet/1', ['Transfer-Encoding: chunked', ...SWITCH_HEADERS])}0\r\n\r\n`, 200],
  ['to WebSocket 8', makeUpgrade('/chat', ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 8']), 426],
  ['with an invalid target', makeUpgrade('/chat/%00'), 400],
  ['with two hosts', makeUpgrade('/chat', ['Host: b', ...SWITCH_HEADERS]), 400],
  ['with an expectation', makeUpgrade('/chat', ['Expect: more', ...SWITCH_HEADERS]), 417],
] as const) {
  untaken(`${why} -> ${status}`, () => serveChat(async ({ port, targets }) => {
    const { status: got } = await send(port, request);
    assert.is(got, status);
    assert.equal(targets, []);
  }));
}
untaken('for a host that is not allowed -> 421', () => serveChat(async ({ port, targets, errors }) => {
  assert.is((await send(port, makeUpgrade('/chat'))).status, 421);
  assert.equal([targets, errors.length], [[], 1]);
}, { allowedHosts: ['zoo.example'] }));
untaken('gets the bytes that it gets from a server without handlers', async () => {
  const strings: string[][] = [[], []];
  for (const [index, declare] of [(_: ApiServer) => {}, (server: ApiServer) => server.registerUpgrade('/chat', makeEchoHandler())].entries()) {
    await serve((server) => {
      new Zoo().register(server);
      server.registerEndpoint('/animal', { id: stringId, get: (name) => name });
      declare(server);
    }, async ({ port }) => {
      for (const lines of [SWITCH_HEADERS, H2C]) {
        for (const target of ['/v1/animal/ant', '/v1/pet/1', '/nowhere']) {
          const client = await RawClient.send(port, makeUpgrade(target, lines) + makeUpgrade('/chat'));
          strings[index]?.push((await client.closed()).replace(/Date: .*/, ''));
          client.destroy();
        }
      }
    });
  }
  assert.equal(strings[0], strings[1]);
});
untaken('CONNECT -> 501, as without a handler', () => serveChat(async ({ port }) => assert.is((await send(port, head('CONNECT', 'a:80', SWITCH_HEADERS))).status, 501)));
untaken('is destroyed if the engine emits the event all the same', () => serve((server) => {
  server.registerUpgrade('/chat', makeEchoHandler());
  server.mount('/mount', (request) => {
    const { server: engine } = request.socket as unknown as { readonly server: EventEmitter };
    assert.ok(engine.emit('upgrade', request, request.socket, Buffer.alloc(0)));
  });
}, async ({ port }) => {
  assert.is(await sendUntilClosed(port, makeUpgrade('/mount')), '');
  assert.is((await send(port, makeUpgrade('/chat'))).status, 101);
}));

const rejected = suite('H6: an upgrade handler that is rejected');
for (const [why, route, handler, options, said] of [
  ['a malformed route', 'chat', () => {}, {}, 'route'],
  ['a route with a parameter', '/:room', () => {}, {}, 'route'],
  ['no function', '/chat', 'handler', {}, 'function'],
  ['an unknown option', '/chat', () => {}, { protocols: 'a' }, 'protocols'],
  ['an invalid protocol', '/chat', () => {}, { protocol: 'a b' }, 'options.protocol must be a token, such as chat: a b'],
  ['a protocol that is not a string', '/chat', () => {}, { protocol: 13 }, 'protocol'],
  ['a route that is taken', '/taken', () => {}, {}, 'UPGRADE /taken'],
] as const) {
  rejected(`${why} -> TypeError, and nothing is registered`, () => {
    const server = new ApiServer('', { logger: { info() {}, error() {} } });
    server.registerUpgrade('/taken', makeEchoHandler());
    assert.throws(() => server.registerUpgrade(route, handler as UpgradeHandler, options as {}), (error: unknown) => {
      return error instanceof TypeError && error.message.includes(said);
    });
    assert.equal(server.routes, [{ method: 'UPGRADE', path: '/taken' }]);
  });
}
rejected('a mount may have the same route', () => serve((server) => {
  server.mount('/chat', (_request, response) => response.end('page'));
  server.registerUpgrade('/chat', makeEchoHandler());
}, async ({ port }) => {
  assert.is((await send(port, message('GET', '/chat'))).body, 'page');
  assert.is(((await send(port, makeUpgrade('/chat'))) as RawResponse).status, 101);
}));
