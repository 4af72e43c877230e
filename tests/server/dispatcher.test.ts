/** Responses without an operation: discovery, 405 with `Allow`, 404, and `OPTIONS *`. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiServer, defineEndpoint, stringId, wildcardId } from '../../src/index.ts';
import { RawClient, send } from '../support/raw-client.ts';
import { serve } from '../support/serve.ts';
import { ServerLog } from '../support/server-log.ts';
import { requestFor } from '../support/statuses.ts';
import { Zoo } from '../support/zoo.ts';

const schema = (json: unknown): unknown => json;
const run = (): string => 'ran';
const write = (): void => {};
const ONLY = {
  create: defineEndpoint({ id: stringId, schema, create: run }),
  get: defineEndpoint({ id: stringId, get: run }),
  update: defineEndpoint({ id: stringId, schema, update: write }),
  delete: defineEndpoint({ id: stringId, delete: write }),
  custom: defineEndpoint({ id: stringId, custom: { feed: { run } } }),
  customs: defineEndpoint({ id: stringId, custom: { feed: { run }, wash: { run }, walk: { run } } }),
  all: defineEndpoint({ id: stringId, schema, create: run, get: run, update: write, delete: write, custom: { feed: { run } } }),
  'get and delete': defineEndpoint({ id: stringId, get: run, delete: write }),
} as const;

const discovery = suite('A6 A7: OPTIONS on the path of an endpoint');
for (const [name, collection, item] of [
  ['create', 'POST', ''],
  ['get', '', 'GET'],
  ['update', '', 'PUT'],
  ['delete', '', 'DELETE'],
  ['custom', 'POST', ''],
  ['customs', 'POST, POST, POST', ''],
  ['all', 'POST, POST', 'GET, PUT, DELETE'],
  ['get and delete', '', 'GET, DELETE'],
] as const) {
  discovery(`${name}: 200, empty, Allow "${collection}" and "${item}"`, async () => {
    await serve((server) => server.registerEndpoint('/pet', ONLY[name]), async ({ port }) => {
      for (const [path, allow] of [['/v1/pet', collection], ['/v1/pet/1', item]] as const) {
        const { status, headers, body } = await send(port, requestFor('OPTIONS', path));
        assert.equal([status, headers.get('allow'), headers.get('content-length'), body], [200, allow, '0', '']);
        assert.not(headers.has('content-type'));
      }
    });
  });
}
for (const [name, allow] of [['custom', 'POST'], ['all', 'GET, PUT, DELETE, POST']] as const) {
  discovery(`${name}, at the path of a Custom operation beside items: 200, Allow "${allow}"`, async () => {
    await serve((server) => server.registerEndpoint('/pet', ONLY[name]), async ({ port }) => {
      const { status, headers } = await send(port, requestFor('OPTIONS', '/v1/pet/feed'));
      assert.equal([status, headers.get('allow')], [200, allow]);
    });
  });
}
discovery('an id that the codec would reject -> 200 too', () => serve(new Zoo().register, async ({ port }) => {
  assert.is((await send(port, requestFor('OPTIONS', '/v1/pet/no-number'))).headers.get('allow'), 'GET, PUT, DELETE');
}));
discovery.run();

const lacking = suite('A8 Q2 E5 C17: a known path with a different method');
for (const [name, method, path, allow] of [
  ['all', 'GET', '/v1/pet', 'POST, OPTIONS'],
  ['all', 'PATCH', '/v1/pet', 'POST, OPTIONS'],
  ['all', 'HEAD', '/v1/pet', 'POST, OPTIONS'],
  ['all', 'POST', '/v1/pet/1', 'GET, HEAD, PUT, DELETE, OPTIONS'],
  ['all', 'PATCH', '/v1/pet/1', 'GET, HEAD, PUT, DELETE, OPTIONS'],
  ['all', 'PATCH', '/v1/pet/feed', 'GET, HEAD, POST, PUT, DELETE, OPTIONS'],
  ['create', 'GET', '/v1/pet/1', 'OPTIONS'],
  ['get', 'POST', '/v1/pet', 'OPTIONS'],
  ['get', 'DELETE', '/v1/pet/1', 'GET, HEAD, OPTIONS'],
  ['update', 'HEAD', '/v1/pet/1', 'PUT, OPTIONS'],
  ['delete', 'GET', '/v1/pet/1', 'DELETE, OPTIONS'],
  ['customs', 'PUT', '/v1/pet/feed', 'POST, OPTIONS'],
] as const) {
  lacking(`${name}: ${method} ${path} -> 405, empty, Allow "${allow}"`, async () => {
    await serve((server) => server.registerEndpoint('/pet', ONLY[name]), async ({ port }) => {
      const { status, headers, body } = await send(port, requestFor(method, path));
      assert.equal([status, headers.get('allow'), headers.get('content-length'), body], [405, allow, '0', '']);
      assert.not(headers.has('content-type'));
    });
  });
}
for (const method of ['TRACE', 'PROPFIND', 'M-SEARCH']) {
  for (const path of ['/v1/pet/1', '/v1/nowhere']) {
    lacking(`${method} ${path}: the server has the method nowhere -> 501, and the connection is kept`, async () => {
      await serve((server) => server.registerEndpoint('/pet', ONLY.all), async ({ port }) => {
        const client = await RawClient.send(port, requestFor(method, path) + requestFor('OPTIONS', '/v1/pet/1'));
        const { status, headers } = await client.response();
        assert.equal([status, headers.get('content-type'), headers.get('allow')], [501, 'application/problem+json', undefined]);
        assert.is((await client.response()).status, 200);
      });
    });
  }
}
lacking('every method in Allow is served, and every other is a 405', async () => {
  await serve((server) => server.registerEndpoint('/pet', ONLY.all), async ({ port }) => {
    for (const path of ['/v1/pet', '/v1/pet/1', '/v1/pet/feed']) {
      const { headers } = await send(port, requestFor('PATCH', path));
      const allowed = headers.get('allow')?.split(', ') ?? [];
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
        const { status } = await send(port, requestFor(method, path));
        assert.is(status !== 405, allowed.includes(method), `${method} ${path} -> ${status}`);
      }
    }
  });
});
lacking.run();

const allowed = suite('A8: Allow of a 405 and of OPTIONS');
const feed = { custom: { feed: run } };
for (const [what, endpoint, path, options, rejected] of [
  ['a collection', ONLY.all, '/v1/pet', 'POST, POST', 'POST, OPTIONS'],
  ['an item', ONLY.all, '/v1/pet/1', 'GET, PUT, DELETE', 'GET, HEAD, PUT, DELETE, OPTIONS'],
  ['a collection with only a Custom operation', feed, '/v1/pet', 'POST', 'OPTIONS'],
  ['a Custom operation', feed, '/v1/pet/feed', 'POST', 'POST, OPTIONS'],
  ['a path without an operation', ONLY.get, '/v1/pet', '', 'OPTIONS'],
] as const) {
  allowed(`${what}: the operations "${options}", and the methods "${rejected}"`, () => serve((server) => server.registerEndpoint('/pet', endpoint), async ({ port }) => {
    assert.is((await send(port, requestFor('OPTIONS', path))).headers.get('allow'), options);
    const { status, headers } = await send(port, requestFor('PATCH', path));
    assert.equal([status, headers.get('allow')], [405, rejected]);
  }));
}
allowed.run();

const unknown = suite('A9 Q2: an unknown path');
for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'] as const) {
  unknown(`${method} -> 404, a problem that repeats nothing of the request, and no Allow`, async () => {
    await serve(new Zoo().register, async ({ port }) => {
      const { status, headers, body } = await send(port, requestFor(method, '/v1/secret-name'));
      assert.is(status, 404);
      assert.is(headers.get('content-type'), 'application/problem+json');
      assert.not(headers.has('allow'));
      const { detail, ...properties } = JSON.parse(body) as Record<string, unknown>;
      assert.equal(properties, { type: 'about:blank', title: 'Not Found', status: 404 });
      assert.type(detail, 'string');
      assert.not.match(body, 'secret-name');
    });
  });
}
unknown('HEAD -> 404 with the length of the problem and without its body', () => serve(new Zoo().register, async ({ port }) => {
  const get = await send(port, requestFor('GET', '/nowhere'));
  const head = await send(port, requestFor('HEAD', '/nowhere'));
  assert.equal([head.status, head.headers.get('content-length'), head.body], [404, String(get.body.length), '']);
}));
unknown('a server without routes -> 404 too', async () => {
  await serve(() => {}, async ({ port }) => assert.is((await send(port, requestFor('GET', '/'))).status, 404));
});
unknown.run();

const rootless = suite('P1: a path of an endpoint without the root of the server');
for (const [path, asked, method = 'GET'] of [
  ['/pet/7', '/pet/:id'],
  ['/pet/7?a=1', '/pet/:id'],
  ['/pet', '/pet', 'POST'],
  ['/pet/feed', '/pet/feed', 'POST'],
  ['/pet/%22%C3%A9', '/pet/:id'],
  [`/pet/${'a'.repeat(4000)}`, '/pet/:id'],
  ['/', '/'],
] as const) {
  rootless(`${method} ${path.slice(0, 20)} -> 404, and the log says once which path it could be, by its pattern`, async () => {
    await serve((server) => {
      server.registerEndpoint('/pet', ONLY.all);
      server.registerEndpoint('/', { get: run });
    }, async ({ port, errors }) => {
      for (let times = 0; times < 3; times += 1) assert.is((await send(port, requestFor(method, path))).status, 404);
      assert.is((await send(port, requestFor('GET', '/pet/8'))).status, 404);
      const meant = asked === '/' ? '/v1' : `/v1${asked}`;
      assert.equal(errors.map(({ message }) => message), [`a request for ${asked} gets 404: did you mean ${meant}? Paths begin with the root of the server`]);
      assert.equal(errors.map((error) => [error.stack, Object.hasOwn(error, 'cause')]), [[`Error: ${errors[0]?.message}`, false]]);
    });
  });
}
for (const [why, root, path] of [
  ['no route has it with the root either', '/v1', '/favicon.ico'],
  ['it has the root', '/v1', '/v1/nowhere'],
  ['it has the root twice', '/v1', '/v1/v1/pet/7'],
  ['the server has no root', '', '/zoo/7'],
] as const) {
  rootless(`${path}: ${why} -> 404, and nothing is logged`, () => serve((server) => server.registerEndpoint('/pet', ONLY.all), async ({ port }) => {
    assert.is((await send(port, requestFor('GET', path))).status, 404);
  }, { root }));
}
rootless('a path that is mounted is served, and nothing is logged', () => serve((server) => {
  server.registerEndpoint('/pet', ONLY.all);
  server.mount('/pet', (_request, response) => response.end());
}, async ({ port }) => assert.is((await send(port, requestFor('GET', '/pet/7'))).status, 200)));
rootless.run();

const similar = suite('P1: a path that is similar to the path of an endpoint');
for (const [path, asked, meant] of [
  ['/v1/pet/', '/v1/pet/', '/v1/pet'],
  ['/v1/pet/7/', '/v1/pet/:id/', '/v1/pet/:id'],
  ['/v1/pet/secret/feed/?a=1', '/v1/pet/:id/feed/', '/v1/pet/:id/feed'],
  ['/v1/pets', '/v1/pets', '/v1/pet'],
  ['/v1/pets/secret', '/v1/pets/:id', '/v1/pet/:id'],
  ['/v1/Pet/secret', '/v1/Pet/:id', '/v1/pet/:id'],
  ['/V1/PETS/', '/V1/PETS/', '/v1/pet'],
  ['/v1/pet/secret/Feed', '/v1/pet/:id/Feed', '/v1/pet/:id/feed'],
  ['/v1/box/secret', '/v1/box/:id', '/v1/boxes/:id'],
  ['/v1/category', '/v1/category', '/v1/categories'],
  ['/v1/petshop/openall', '/v1/petshop/openall', '/v1/petShop/openAll'],
  ['/v1/File/secret/a', '/v1/File/*path', '/v1/file/*path'],
  ['/v1/zoos/secret/pets/7', '/v1/zoos/:zoo/pets/:id', '/v1/zoo/:zoo/pet/:id'],
  ['/pets/secret', '/pets/:id', '/v1/pet/:id'],
] as const) {
  similar(`${path} -> 404, and the log says once which one it could be, without what the client has sent for its parameters`, () => serve((server) => {
    server.registerEndpoint('/pet', { id: stringId, get: run, custom: { sum: run }, itemCustom: { feed: run } });
    server.registerEndpoint('/boxes', { id: stringId, get: run });
    server.registerEndpoint('/categories', { get: run });
    server.registerEndpoint('/petShop', { custom: { openAll: run } });
    server.registerEndpoint('/file/*path', { params: { path: wildcardId }, get: run });
    server.registerEndpoint('/zoo/:zoo/pet', { params: { zoo: stringId }, id: stringId, get: run });
  }, async ({ port, errors }) => {
    for (let times = 0; times < 2; times += 1) assert.is((await send(port, requestFor('GET', path))).status, 404);
    const reason = path.startsWith('/pets') ? 'Paths begin with the root of the server' : 'Paths must match exactly';
    assert.equal(errors.map(({ message }) => message), [`a request for ${asked} gets 404: did you mean ${meant}? ${reason}`]);
  }));
}
similar('endpoints with similar paths -> the first', async () => {
  await serve((server) => {
    server.registerEndpoint('/pets', { get: run });
    server.registerEndpoint('/pet', { get: run });
  }, async ({ port, errors }) => {
    for (const path of ['/v1/Pet', '/v1/Pets', '/v1/pet/']) await send(port, requestFor('GET', path));
    assert.equal(errors.map(({ message }) => message), ['a request for /v1/Pet gets 404: did you mean /v1/pets? Paths must match exactly']);
  });
});
similar('a path without an operation -> nothing is logged', () => serve((server) => server.registerEndpoint('/pet', { id: stringId, get: run }), async ({ port }) => {
  assert.is((await send(port, requestFor('GET', '/v1/pet/'))).status, 404);
}));
similar('only the first hundred unknown paths are looked at', async () => {
  for (const [unknown, hints] of [[0, 30], [95, 5], [100, 0]] as const) {
    const log = new ServerLog();
    const server = new ApiServer('', { logger: log.logger });
    for (let at = 0; at < 30; at += 1) server.registerEndpoint(`/pet${at}`, { get: run });
    for (let at = 0; at < unknown; at += 1) await server.fetch(`/unknown/${at}`);
    for (let at = 0; at < 30; at += 1) await server.fetch(`/pet${at}/`);
    assert.is(log.errors.length, hints, `${unknown} unknown`);
    await server.stop();
  }
});
similar('the paths of a large server are known up to the thousandth', async () => {
  const log = new ServerLog();
  const server = new ApiServer('', { logger: log.logger });
  for (let at = 0; at < 1001; at += 1) server.registerEndpoint(`/pet${at}`, { get: run });
  for (const at of [999, 1000]) await server.fetch(`/Pet${at}`);
  assert.equal(log.errors.map(({ message }) => message), ['a request for /Pet999 gets 404: did you mean /pet999? Paths must match exactly']);
});
similar.run();

const asterisk = suite('P6: OPTIONS *');
for (const [why, declare, allow] of [
  ['an empty server', () => {}, 'OPTIONS'],
  ['a server with everything', new Zoo().register, 'GET, HEAD, POST, PUT, DELETE, OPTIONS'],
  ['a server that only deletes', (server: ApiServer) => server.registerEndpoint('/pet', ONLY.delete), 'DELETE, OPTIONS'],
  ['a server with a handler at "/"', (server: ApiServer) => server.mount('/', () => assert.unreachable()), 'OPTIONS'],
] as const) {
  asterisk(`${why}: 200, empty, Allow "${allow}"`, () => serve(declare, async ({ port }) => {
    for (const target of ['*', 'http://zoo.example', 'HTTPS://zoo.example:8443']) {
      const { status, headers, body } = await send(port, requestFor('OPTIONS', target));
      assert.equal([status, headers.get('allow'), headers.get('content-length'), body], [200, allow, '0', '']);
    }
  }));
}
for (const [method, target, expected] of [
  ['OPTIONS', 'http://zoo.example/', 'mounted OPTIONS /'],
  ['OPTIONS', 'http://zoo.example?a=b', 'mounted OPTIONS /?a=b'],
  ['GET', 'http://zoo.example', 'mounted GET /'],
] as const) {
  asterisk(`${method} ${target} is about a path, and not about the server`, async () => {
    await serve((server) => server.mount('/', (request, response) => response.end(`mounted ${request.method} ${request.url}`)), async ({ port }) => {
      assert.is((await send(port, requestFor(method, target))).body, expected);
    });
  });
}
asterisk('OPTIONS http://other, of a host that is not allowed -> 421', () => serve(() => {}, async ({ port, errors }) => {
  assert.is((await send(port, requestFor('OPTIONS', 'http://other.example'))).status, 421);
  assert.is(errors.length, 1);
}, { allowedHosts: ['zoo.example'] }));
asterisk.run();
