/** Upgrades: the requests that are handed to the user's handlers, and the responses to the others. */
import type { EventEmitter } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiServer, stringId, type ApiServerOptions, type UpgradeHandler } from '../../src/index.ts';
import { head, message } from '../support/messages.ts';
import { RawClient, rawRequest, rawUntilClosed, type RawResponse } from '../support/raw-client.ts';
import { serving } from '../support/serving.ts';
import { echoed, echoing, SWITCH, upgradeOf } from '../support/upgrading.ts';
import { Zoo } from '../support/zoo.ts';

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
async function servingChat(use: (chat: Chat) => Promise<void>, options: ApiServerOptions = {}): Promise<void> {
  const targets: string[] = [];
  const zoo = new Zoo();
  zoo.pets.set(1, { name: 'Rex', legs: 4 });
  await serving((server) => {
    zoo.register(server);
    server.registerEndpoint('/animal', { id: stringId, get: (name) => name });
    for (const route of ['/chat', '/v1/pet', '/chat/deep']) {
      server.registerUpgrade(route, echoing((_socket, target) => targets.push(`${route}: ${target}`)));
    }
    server.registerUpgrade('/other', echoing(), { protocol: 'Echo/1.0' });
  }, ({ port, server, errors, infos }) => use({ port, server, zoo, errors, infos, targets }), options);
}

const handed = suite('the upgrades that a handler takes');
for (const [target, seen] of [
  ['/chat', '/chat: / of /chat'],
  ['/chat?room=1', '/chat: /?room=1 of /chat?room=1'],
  ['/chat/a/b', '/chat: /a/b of /chat/a/b'],
  ['/chat/deep/a', '/chat/deep: /a of /chat/deep/a'],
  ['http://a/chat/a', '/chat: /a of http://a/chat/a'],
  ['/v1/pet/1', '/v1/pet: /1 of /v1/pet/1'],
] as const) {
  handed(`${target}: ${seen}`, async () => {
    await servingChat(async ({ port, targets, zoo }) => {
      const client = await RawClient.connect(port);
      client.send(upgradeOf(target));
      assert.is(await echoed(client, 'hello'), 'hello');
      assert.equal(targets, [seen]);
      assert.is(zoo.invoked, 0);
      client.destroy();
    });
  });
}
for (const [why, lines] of [
  ['in another case', ['connection: upgrade', 'upgrade: WEBSOCKET']],
  ['in a list', ['Connection: keep-alive, Upgrade', 'Upgrade: h2c, websocket']],
  ['in two lines', ['Connection: Upgrade', 'Upgrade: h2c', 'Upgrade: websocket']],
] as const) {
  handed(`the protocol may be named ${why}`, async () => {
    await servingChat(async ({ port }) => {
      const client = await RawClient.connect(port);
      client.send(upgradeOf('/chat', lines));
      assert.is(await echoed(client, 'hello'), 'hello');
      client.destroy();
    });
  });
}
handed('the protocol is the one that the user has named', async () => {
  await servingChat(async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(upgradeOf('/other', ['Connection: Upgrade', 'Upgrade: echo/1.0']));
    assert.is(await echoed(client, 'hello'), 'hello');
    client.destroy();
    assert.is((await rawRequest(port, upgradeOf('/other'))).status, 404);
  });
});
handed('bytes after the request are the head of the new protocol', async () => {
  await servingChat(async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(`${upgradeOf('/chat')}early `);
    assert.is((await client.response()).status, 101);
    client.send('late');
    assert.is(await client.bytes(10), 'early late');
    client.destroy();
  });
});
handed('a handler may be registered while the server runs, and connections are open', async () => {
  await serving(() => {}, async ({ server, port }) => {
    const client = await RawClient.connect(port);
    client.send(upgradeOf('/chat', ['Connection: keep-alive']));
    assert.is((await client.response()).status, 404);
    server.registerUpgrade('/chat', echoing());
    client.send(upgradeOf('/chat'));
    assert.is(await echoed(client, 'hello'), 'hello');
    client.destroy();
    assert.is((await rawRequest(port, upgradeOf('/v1/other'))).status, 404);
  });
});
handed('a server that is started again has its handlers', async () => {
  await servingChat(async ({ server }) => {
    await server.stop();
    const started = await server.start('127.0.0.1:0');
    assert.ok(started.ok);
    const client = await RawClient.connect(Number(new URL(started.url).port));
    client.send(upgradeOf('/chat'));
    assert.is(await echoed(client, 'hello'), 'hello');
    client.destroy();
  });
});
handed('each is logged at registration, and is among the routes', async () => {
  await serving((server) => server.registerUpgrade('/chat', echoing()), async ({ server, infos }) => {
    assert.equal(infos, ['route: UPGRADE /chat']);
    assert.equal(server.routes, [{ method: 'UPGRADE', path: '/chat' }]);
  });
});
handed.run();

const untaken = suite('an upgrade that no handler takes');
const H2C = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'];
const BODY = ['Content-Length: 5', ...SWITCH];
for (const [why, request, status] of [
  ['to h2c, of an operation', upgradeOf('/v1/pet/1', H2C), 200],
  ['to h2c, of an unknown path', upgradeOf('/chat', H2C), 404],
  ['of an operation without a handler', upgradeOf('/v1/animal/ant'), 200],
  ['of an unknown path', upgradeOf('/chatX'), 404],
  ['of an operation, in HTTP/1.0', upgradeOf('/v1/pet/1').replace('HTTP/1.1', 'HTTP/1.0'), 200],
  ['without Connection: upgrade', upgradeOf('/v1/pet/1', ['Upgrade: websocket']), 200],
  ['with a body', `${head('GET', '/v1/pet/1', BODY)}hello`, 200],
  ['with chunks', `${head('GET', '/v1/pet/1', ['Transfer-Encoding: chunked', ...SWITCH])}0\r\n\r\n`, 200],
  ['to WebSocket 8', upgradeOf('/chat', ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 8']), 426],
  ['with an invalid target', upgradeOf('/chat/%00'), 400],
  ['with two hosts', upgradeOf('/chat', ['Host: b', ...SWITCH]), 400],
  ['with an expectation', upgradeOf('/chat', ['Expect: more', ...SWITCH]), 417],
] as const) {
  untaken(`${why} -> ${status}`, async () => {
    await servingChat(async ({ port, targets }) => {
      const { status: got } = await rawRequest(port, request);
      assert.is(got, status);
      assert.equal(targets, []);
    });
  });
}
untaken('for a host that is not allowed -> 421', async () => {
  await servingChat(async ({ port, targets }) => {
    assert.is((await rawRequest(port, upgradeOf('/chat'))).status, 421);
    assert.equal(targets, []);
  }, { allowedHosts: ['zoo.example'] });
});
untaken('gets the bytes that it gets from a server without handlers', async () => {
  const strings: string[][] = [[], []];
  for (const [index, declare] of [(_: ApiServer) => {}, (server: ApiServer) => server.registerUpgrade('/chat', echoing())].entries()) {
    await serving((server) => {
      new Zoo().register(server);
      server.registerEndpoint('/animal', { id: stringId, get: (name) => name });
      declare(server);
    }, async ({ port }) => {
      for (const lines of [SWITCH, H2C]) {
        for (const target of ['/v1/animal/ant', '/v1/pet/1', '/nowhere']) {
          const client = await RawClient.connect(port);
          client.send(upgradeOf(target, lines) + upgradeOf('/chat'));
          strings[index]?.push((await client.closed()).replace(/Date: .*/, ''));
          client.destroy();
        }
      }
    });
  }
  assert.equal(strings[0], strings[1]);
});
untaken('CONNECT -> 501, as without a handler', async () => {
  await servingChat(async ({ port }) => {
    assert.is((await rawRequest(port, head('CONNECT', 'a:80', SWITCH))).status, 501);
  });
});
untaken('is destroyed if the engine emits the event all the same', async () => {
  await serving((server) => {
    server.registerUpgrade('/chat', echoing());
    server.mount('/mount', (request) => {
      const { server: engine } = request.socket as unknown as { readonly server: EventEmitter };
      assert.ok(engine.emit('upgrade', request, request.socket, Buffer.alloc(0)));
    });
  }, async ({ port }) => {
    assert.is(await rawUntilClosed(port, upgradeOf('/mount')), '');
    assert.is((await rawRequest(port, upgradeOf('/chat'))).status, 101);
  });
});
untaken.run();

const rejected = suite('an upgrade handler that is rejected');
for (const [why, route, handler, options, said] of [
  ['a malformed route', 'chat', () => {}, {}, 'route'],
  ['a route with a parameter', '/:room', () => {}, {}, 'route'],
  ['no function', '/chat', 'handler', {}, 'function'],
  ['an unknown option', '/chat', () => {}, { protocols: 'a' }, 'protocols'],
  ['an invalid protocol', '/chat', () => {}, { protocol: 'a b' }, 'protocol'],
  ['a protocol that is not a string', '/chat', () => {}, { protocol: 13 }, 'protocol'],
  ['a route that is taken', '/taken', () => {}, {}, 'UPGRADE /taken'],
] as const) {
  rejected(`${why} -> TypeError, and nothing is registered`, () => {
    const server = new ApiServer('', { logger: { info() {}, error() {} } });
    server.registerUpgrade('/taken', echoing());
    assert.throws(() => server.registerUpgrade(route, handler as UpgradeHandler, options as {}), (error: unknown) => {
      return error instanceof TypeError && error.message.includes(said);
    });
    assert.equal(server.routes, [{ method: 'UPGRADE', path: '/taken' }]);
  });
}
rejected('a mount may have the same route', async () => {
  await serving((server) => {
    server.mount('/chat', (_request, response) => response.end('page'));
    server.registerUpgrade('/chat', echoing());
  }, async ({ port }) => {
    assert.is((await rawRequest(port, message('GET', '/chat'))).body, 'page');
    assert.is(((await rawRequest(port, upgradeOf('/chat'))) as RawResponse).status, 101);
  });
});
rejected.run();
