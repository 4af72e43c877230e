/** Registration: its rejections, that a rejection registers nothing, and registration while the server runs. */
import { ApiServer, defineEndpoint, stringId } from '../../src/index.ts';
import { Zoo } from '../support/zoo.ts';
import { assert, message, requestFor, send, serve, suite } from '../support/facts.ts';

const QUIET = { logger: { info: () => {}, error: () => {} } };
const run = (): string => 'ran';
const getter = defineEndpoint({ id: stringId, get: run });
const poster = defineEndpoint({ id: stringId, get: run, custom: { feed: { run } } });

/** Asserts that an action throws a `TypeError` whose message contains this text. */
function assertTypeError(action: () => void, text: string): void {
  assert.throws(action, (error: unknown) => error instanceof TypeError && error.message.includes(text), text);
}

const BAD_PATHS = [
  ['animal', 'no slash in front'],
  ['', 'an empty string'],
  ['//', 'only slashes'],
  ['/a//b', 'an empty segment'],
  ['/:id', 'a parameter'],
  ['/a/:id/b', 'a parameter within'],
  ['/a?b', 'a question mark'],
  ['/a#b', 'a hash'],
  ['/a\\b', 'a backslash'],
  ['/a b', 'a space'],
  ['/a\tb', 'a tab'],
  ['/a\u0000b', 'a NUL'],
  ['/a\u007fb', 'a DEL'],
  ['/caf\u00e9', 'a letter outside ASCII'],
  ['/a/./b', 'a dot segment'],
  ['/..', 'two dots'],
  ['/a/%2E%2e', 'two dots, escaped'],
] as const;

const subpaths = suite('P2: an invalid sub-path or route of a handler');
for (const [path, why] of BAD_PATHS as readonly (readonly [path: string, why: string])[]) {
  subpaths(`${why}: TypeError with the value, and no route: ${JSON.stringify(path)}`, () => {
    const server = new ApiServer('/v1', QUIET);
    assertTypeError(() => server.registerEndpoint(path, getter), `sub-path`);
    assertTypeError(() => server.registerEndpoint(path, getter), JSON.stringify(path));
    assertTypeError(() => server.mount(path, run), JSON.stringify(path));
    assert.equal(server.routes, []);
  });
}
for (const value of [undefined, null, 7, ['/a']] as const) {
  subpaths(`${JSON.stringify(value)}, which is not a string -> TypeError, and no route`, () => {
    const server = new ApiServer('/v1', QUIET);
    assertTypeError(() => Reflect.apply(server.registerEndpoint, server, [value, getter]), typeof value);
    assertTypeError(() => Reflect.apply(server.mount, server, [value, run]), typeof value);
    assert.equal(server.routes, []);
  });
}

const names = suite('P2: the name of an operation');
for (const name of ['', '.', '..', 'a/b', 'a b', 'a%20b', ':id', 'caf\u00e9', 'a?', 'a+b', 'a\n']) {
  names(`${JSON.stringify(name)} -> TypeError with the name, and no route`, () => {
    const server = new ApiServer('/v1', QUIET);
    const endpoint = defineEndpoint({ id: stringId, get: run, custom: { good: { run }, [name]: { run } } });
    assertTypeError(() => server.registerEndpoint('/pet', endpoint), JSON.stringify(name));
    assert.equal(server.routes, []);
  });
}
for (const name of ['...', '.a', '~', 'A-Z_0.9', '__proto__']) {
  names(`${name} is served at its own path`, async () => {
    const endpoint = defineEndpoint({ id: stringId, custom: Object.fromEntries([[name, { run: () => name }]]) });
    await serve((server) => server.registerEndpoint('/pet', endpoint), async ({ port }) => {
      assert.is((await send(port, requestFor('POST', `/v1/pet/${name}`))).body, JSON.stringify(name));
    });
  });
}

const taken = suite('P5: a route that is already registered');
taken('the same endpoint twice -> TypeError naming both routes', () => {
  const server = new ApiServer('/v1', QUIET);
  server.registerEndpoint('/pet', getter);
  assertTypeError(() => server.registerEndpoint('/pet', getter), 'route GET /v1/pet/:id conflicts with GET /v1/pet/:id: get of "/pet" and get of "/pet". Declare it once, or under a different sub-path');
});
taken('an operation at the path of another endpoint\'s Create -> TypeError naming it', () => {
  const server = new ApiServer('/v1', QUIET);
  server.registerEndpoint('/pet', poster);
  const create = defineEndpoint({ id: stringId, schema: (json: unknown) => json, create: run });
  assertTypeError(() => server.registerEndpoint('/pet/feed', create), 'route POST /v1/pet/feed conflicts with POST /v1/pet/feed: create of "/pet/feed" and custom.feed of "/pet". Declare it once, or under a different sub-path');
});
const decoding = { id: stringId, schema: (json: unknown) => json };
taken('two endpoints at one path, of which one is in the other\'s way: TypeError naming the two routes', () => {
  const server = new ApiServer('/v1', QUIET);
  server.registerEndpoint('/pet', getter);
  const both = defineEndpoint({ ...decoding, get: run, update: () => {} });
  assert.throws(() => server.registerEndpoint('/pet', both), (error: unknown) => (error as Error).message === 'route GET /v1/pet/:id conflicts with GET /v1/pet/:id: get of "/pet" and get of "/pet". Declare it once, or under a different sub-path');
});
taken('a rejected endpoint registers no routes: not in routes, not in the log, not on the wire', async () => {
  const schema = (json: unknown): unknown => json;
  // Only the last operation of the second endpoint conflicts, and the discovery after it.
  const first = defineEndpoint({ id: stringId, schema, create: run });
  const second = defineEndpoint({ id: stringId, schema, get: run, create: run, delete: () => {}, custom: { wash: { run }, feed: { run } } });
  await serve((server) => server.registerEndpoint('/pet/feed', first), async ({ server, port, infos }) => {
    const [routes, logged] = [server.routes, [...infos]];
    assertTypeError(() => server.registerEndpoint('/pet', second), 'POST /v1/pet/feed');
    assert.equal(server.routes, routes);
    assert.equal(infos, logged);
    for (const [method, path] of [['POST', '/v1/pet'], ['GET', '/v1/pet/1'], ['DELETE', '/v1/pet/1'], ['POST', '/v1/pet/wash'], ['OPTIONS', '/v1/pet']] as const) {
      assert.is((await send(port, requestFor(method, path))).status, 404, `${method} ${path}`);
    }
    assert.is((await send(port, requestFor('OPTIONS', '*'))).headers.get('allow'), 'POST, OPTIONS');
    server.registerEndpoint('/cat', second);
    assert.is((await send(port, requestFor('GET', '/v1/cat/1'))).body, '"ran"');
  });
});
taken('a rejected handler does not replace the first one', async () => {
  await serve((server) => server.mount('/files', (_request, response) => response.end('first')), async ({ server, port }) => {
    assertTypeError(() => server.mount('/files', run), 'route * /files conflicts with * /files');
    assertTypeError(() => Reflect.apply(server.mount, server, ['/other', 'no function']), 'string');
    assert.equal(server.routes, [{ method: '*', path: '/files' }]);
    assert.is((await send(port, requestFor('GET', '/files'))).body, 'first');
    assert.is((await send(port, requestFor('GET', '/other'))).status, 404);
  });
});

const lasting = suite('an endpoint that is changed after its registration');
lasting('keeps its routes and functions, and these see the changed properties', async () => {
  const endpoint = {
    id: { ...stringId },
    name: 'before',
    get(this: { readonly name: string }, id: string): string {
      return `${this.name}: ${id}`;
    },
    custom: { make: { run: (): string => 'made' } },
  };
  await serve((server) => server.registerEndpoint('/thing', endpoint), async ({ server, port }) => {
    const routes = [...server.routes];
    Object.assign(endpoint.id, { parse: () => 'another' });
    Object.assign(endpoint.custom.make, { run: () => 'another' });
    Object.assign(endpoint, { name: 'after', get: () => 'another', delete: () => {}, custom: {} });
    assert.is((await send(port, message('GET', '/v1/thing/ant'))).body, '"after: ant"');
    assert.is((await send(port, message('POST', '/v1/thing/make'))).body, '"made"');
    assert.is((await send(port, message('DELETE', '/v1/thing/ant'))).status, 405);
    assert.equal(server.routes, routes);
  });
});

const late = suite('L4: registration while the server runs');
late('a path is a 404 before and is served after', async () => {
  const zoo = new Zoo();
  await serve(() => {}, async ({ server, port }) => {
    assert.is((await send(port, requestFor('OPTIONS', '/v1/pet'))).status, 404);
    zoo.register(server);
    assert.is((await send(port, requestFor('OPTIONS', '/v1/pet'))).status, 200);
    assert.is((await send(port, requestFor('GET', '/files'))).status, 404);
    server.mount('/files', (_request, response) => response.end('mounted'));
    assert.is((await send(port, requestFor('GET', '/files'))).body, 'mounted');
  });
});
late('an endpoint wins over a mount that had its path', async () => {
  await serve((server) => server.mount('/', (_request, response) => response.end('mounted')), async ({ server, port }) => {
    assert.is((await send(port, requestFor('GET', '/v1/pet/1'))).body, 'mounted');
    server.registerEndpoint('/pet', getter);
    assert.is((await send(port, requestFor('GET', '/v1/pet/1'))).body, '"ran"');
  });
});

const several = suite('registerEndpoints');
const settings = defineEndpoint({ get: run });
several('serves each endpoint at its sub-path, logs all routes in order, and returns the object', async () => {
  const endpoints = { '/pet': poster, '/settings': settings };
  const server = new ApiServer('/v1', QUIET);
  assert.is(server.registerEndpoints(endpoints), endpoints);
  const one = new ApiServer('/v1', QUIET);
  one.registerEndpoint('/pet', poster);
  one.registerEndpoint('/settings', settings);
  assert.equal(server.routes, one.routes);
  await serve((served) => void served.registerEndpoints(endpoints), async ({ port, infos }) => {
    assert.equal(infos.filter((line) => line.startsWith('route: ')).map((line) => line.slice(7)), server.routes.map(({ method, path }) => `${method} ${path}`));
    assert.is((await send(port, requestFor('GET', '/v1/pet/1'))).body, '"ran"');
    assert.is((await send(port, requestFor('GET', '/v1/settings'))).body, '"ran"');
    assert.is((await send(port, requestFor('OPTIONS', '/v1/pet'))).headers.get('allow'), 'POST');
  });
});
for (const [why, endpoints, text] of [
  ['one that conflicts with another endpoint', { '/new': settings, '/pet': getter },
    'route GET /v1/pet/:id conflicts with GET /v1/pet/:id: get of "/pet" and get of "/pet". Declare it once, or under a different sub-path'],
  ['two that conflict with each other', { '/new': getter, '/new/feed': { params: {}, get: run }, '/new/:pet': { params: { pet: stringId }, get: run } },
    'route GET /v1/new/:pet conflicts with GET /v1/new/:id'],
  ['one that is wrong', { '/new': settings, '/other': { get: 7 } }, '"/other": endpoint.get must be a function: number'],
  ['a sub-path that is wrong', { '/new': settings, other: getter }, '"other": sub-path'],
  ['no object', 7, 'endpoints must be an object: 7'],
] as const) {
  several(`of ${why}: TypeError, and none of them is registered`, () => {
    const infos: string[] = [];
    const server = new ApiServer('/v1', { logger: { info: (line) => void infos.push(line), error: () => {} } });
    server.registerEndpoint('/pet', getter);
    const [routes, logged] = [server.routes, [...infos]];
    assertTypeError(() => Reflect.apply(server.registerEndpoints, server, [endpoints]), text);
    assert.equal(server.routes, routes);
    assert.equal(infos, logged);
    server.registerEndpoint('/new', settings);
  });
}
several('with an unknown option: TypeError', () => {
  const server = new ApiServer('/v1', QUIET);
  assertTypeError(() => Reflect.apply(server.registerEndpoints, server, [{ '/settings': settings }, { scope: [] }]), 'options.scope');
});
