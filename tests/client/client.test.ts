/** The request and the result of each operation of a client, against a server that declares it. */
import { client, type ClientOptions, type Operations, integerId, stringId, uint64Id, uuidId, wildcardId } from '../../src/client/index.ts';
import { ApiServer, defineEndpoint, reply } from '../../src/index.ts';
import { serveWithClient, captureError } from '../support/serve-with-client.ts';
import { assert, isTypeError, suite } from '../support/facts.ts';

interface Pet {
  readonly name: string;
  readonly born?: Date;
}
const anyPet = (json: unknown): Pet => json as Pet;
const text = (json: unknown): string => String(json);

const pets = defineEndpoint({
  id: integerId,
  params: { zoo: stringId },
  schema: anyPet,
  create: () => 7,
  list: { query: (query: unknown) => query as { tag?: string }, run: ({ params, query }) => ({ zoo: params.zoo, tag: query.tag }) },
  get: (id) => ({ name: `pet ${id}`, born: new Date(0), ...(id > 4 && { secret: undefined }) }),
  update: () => {},
  patch: { input: text, run: (id, change) => reply(200, { id, change }) },
  delete: () => {},
  custom: {
    count: { run: ({ params }) => ({ zoo: params.zoo }) },
    shout: { input: text, run: (word) => word.toUpperCase() },
    toString: { run: () => 'an operation as any other' },
  },
  itemCustom: { feed: { input: text, run: (id, food) => [id, food] as const }, wake: { run: (id) => id } },
});
const settings = defineEndpoint({
  schema: anyPet, create: () => {}, get: () => ({ name: 'Rex' }), update: () => {}, patch: { input: text, run: () => {} }, delete: () => {},
  custom: { reset: { run: () => null } },
});

function declare(server: ApiServer): void {
  server.registerEndpoint('/zoo/:zoo/pet', pets);
  server.registerEndpoint('/settings', settings);
}
interface Api {
  readonly '/zoo/:zoo/pet': typeof pets;
  readonly '/settings': typeof settings;
}

const JSON_TYPE = 'application/json';
const kinds = suite('a call');
for (const [name, call, sent, given] of [
  ['create', (api) => api.create({ name: 'Rex' }), `POST /v1/zoo/a%2Fb/pet ${JSON_TYPE}`, 7],
  ['list', (api) => api.list(), 'GET /v1/zoo/a%2Fb/pet', { zoo: 'a/b' }],
  ['list with a query', (api) => api.list({ query: { tag: 'a&b' } }), 'GET /v1/zoo/a%2Fb/pet?tag=a%26b', { zoo: 'a/b', tag: 'a&b' }],
  ['get', (api) => api.get(5), 'GET /v1/zoo/a%2Fb/pet/5', { name: 'pet 5', born: '1970-01-01T00:00:00.000Z' }],
  ['update', (api) => api.update(5, { name: 'Rex' }), `PUT /v1/zoo/a%2Fb/pet/5 ${JSON_TYPE}`, undefined],
  ['patch', (api) => api.patch(5, 'x'), `PATCH /v1/zoo/a%2Fb/pet/5 ${JSON_TYPE}`, { id: 5, change: 'x' }],
  ['delete', (api) => api.delete(5), 'DELETE /v1/zoo/a%2Fb/pet/5', undefined],
  ['custom without a body', (api) => api.custom.count(), `POST /v1/zoo/a%2Fb/pet/count ${JSON_TYPE}`, { zoo: 'a/b' }],
  ['custom', (api) => api.custom.shout('ant'), `POST /v1/zoo/a%2Fb/pet/shout ${JSON_TYPE}`, 'ANT'],
  ['custom with the name of a method', (api) => api.custom.toString(), `POST /v1/zoo/a%2Fb/pet/toString ${JSON_TYPE}`, 'an operation as any other'],
  ['itemCustom', (api) => api.itemCustom.feed(5, 'hay'), `POST /v1/zoo/a%2Fb/pet/5/feed ${JSON_TYPE}`, [5, 'hay']],
  ['itemCustom without a body', (api) => api.itemCustom.wake(5), `POST /v1/zoo/a%2Fb/pet/5/wake ${JSON_TYPE}`, 5],
  ['itemCustom with options and no body', (api) => api.itemCustom.wake(5, undefined, { query: { a: 1 } }), `POST /v1/zoo/a%2Fb/pet/5/wake?a=1 ${JSON_TYPE}`, 5],
] as readonly (readonly [string, (api: Operations<typeof pets, number>) => Promise<unknown>, string, unknown])[]) {
  kinds(`${name} -> ${sent}`, () => serveWithClient(declare, async ({ connect, requests }) => {
    assert.equal(await call(connect<Api>()('/zoo/:zoo/pet', { zoo: 'a/b' }, { id: integerId })), given);
    assert.equal(requests, [sent]);
  }));
}

const singleton = suite('a call of a singleton');
for (const [name, call, sent, given] of [
  ['create', (api) => api.create({ name: 'Rex' }), `POST /v1/settings ${JSON_TYPE}`, undefined],
  ['get', (api) => api.get(), 'GET /v1/settings', { name: 'Rex' }],
  ['get with options', (api) => api.get({ query: { a: 1 } }), 'GET /v1/settings?a=1', { name: 'Rex' }],
  ['update', (api) => api.update({ name: 'Rex' }), `PUT /v1/settings ${JSON_TYPE}`, undefined],
  ['patch', (api) => api.patch('x'), `PATCH /v1/settings ${JSON_TYPE}`, undefined],
  ['delete', (api) => api.delete(), 'DELETE /v1/settings', undefined],
  ['custom', (api) => api.custom.reset(), `POST /v1/settings/reset ${JSON_TYPE}`, null],
] as readonly (readonly [string, (api: Operations<typeof settings>) => Promise<unknown>, string, unknown])[]) {
  singleton(`${name} -> ${sent}`, () => serveWithClient(declare, async ({ connect, requests }) => {
    assert.equal(await call(connect<Api>().one('/settings')), given);
    assert.equal(requests, [sent]);
  }));
}

const ids = suite('the id of a Create');
const UUID = '123e4567-e89b-12d3-a456-426614174000';
for (const [name, id, made] of [
  ['stringId', stringId, 'a/b'],
  ['stringId, text that looks like a number', stringId, '7'],
  ['integerId', integerId, -7],
  ['uint64Id', uint64Id, 2n ** 64n - 1n],
  ['uuidId', uuidId, UUID],
  ['a codec with a `this`',
    { prefix: 'p', parse(value: string) { return value.slice(this.prefix.length); }, format(value: string) { return this.prefix + value; } }, 'x'],
] as const) {
  ids(`${name}: ${made} comes back as it was made, and finds the item`, async () => {
    const kept = defineEndpoint({ id: id as typeof stringId, create: { input: anyPet, run: () => made as string }, get: (at) => ({ is: at === made }) });
    interface Kept { readonly '/kept': typeof kept }
    await serveWithClient((server) => server.registerEndpoint('/kept', kept), async ({ connect }) => {
      const all: ClientOptions = { ids: { '/kept': id } } as object;
      for (const api of [connect<Kept>()('/kept', {}, { id: id as typeof stringId }), connect<Kept>(all)('/kept')]) {
        const given = await api.create({ name: 'Rex' });
        assert.is(given, made);
        assert.equal(await api.get(given), { is: true });
      }
    });
  });
}
ids('of a client with ids: wildcards, other paths, calls with a codec of their own', async () => {
  const sent: string[] = [];
  const fetched = async (url: string): Promise<Response> => (sent.push(url), new Response('7', { status: 201, headers: { 'Content-Type': 'text/plain' } }));
  const api = client<any>('', { fetch: fetched, ids: { '/file': wildcardId, '/pet': integerId, 'toString': integerId, ['__proto__']: integerId } });
  const made = [api('/pet').create(), api('/pet', {}, { id: uint64Id }).create(), api('/name').create(), api('/__proto__').create(), api('/pet').custom.feed()];
  assert.equal(await Promise.all(made), [7, 7n, '7', '7', '7']);
  await api('/file').get('a/b');
  assert.is(sent.at(-1), '/file/a/b');
  for (const path of ['toString', '__proto__']) assert.throws(() => api(path), isTypeError(`the path must begin with "/": "${path}"`));
});
for (const codec of [undefined, null, 7, 'integerId', {}, { parse: Number }, { format: String }, { parse: Number, format: 'int64' }]) {
  ids(`by ${JSON.stringify(codec)} -> TypeError`, () => {
    assert.throws(() => client('/v1', { ids: { '/name': stringId, '/pet': codec } } as object), isTypeError('ids must have a codec of "/pet"'));
  });
}
ids('a response that Create spells out is read by its own type, and not by the codec', async () => {
  const spelt = defineEndpoint({
    id: integerId, schema: (json: unknown) => json,
    create: (json) => (json === 1 ? reply(201, { at: new Date(0) }) : json === 2 ? reply(202, 'soon', { 'Content-Type': 'text/plain' }) : reply(204)),
  });
  await serveWithClient((server) => server.registerEndpoint('/spelt', spelt), async ({ connect }) => {
    const api = connect<{ '/spelt': typeof spelt }>()('/spelt', {}, { id: integerId });
    assert.equal(await api.create(1), { at: '1970-01-01T00:00:00.000Z' });
    assert.is(await api.create(2), 'soon');
    assert.is(await api.create(3), undefined);
  });
});

const places = suite('the place of an endpoint');
const root = defineEndpoint({ id: stringId, schema: anyPet, create: () => 'x', get: (id) => ({ name: id }), list: () => [] });
for (const [what, prefix, ending] of [
  ['a root', '/v1', ''],
  ['a root that ends with a slash', '/v1', '/'],
  ['no root', '', ''],
  ['no root, and an address that ends with a slash', '', '/'],
] as const) {
  places(`the sub-path "/" below ${what}`, () => serveWithClient((server) => server.registerEndpoint('/', root), async ({ url, requests }) => {
    const api = client<{ '/': typeof root }>(url + prefix + ending)('/');
    assert.is(await api.create({ name: 'x' }), 'x');
    assert.equal(await api.get('x'), { name: 'x' });
    assert.equal(await api.list({ query: { a: 1 } }), []);
    assert.equal(requests, [`POST ${prefix || '/'} ${JSON_TYPE}`, `GET ${prefix}/x`, `GET ${prefix || '/'}?a=1`]);
  }, { root: prefix }));
}
places('a base without a host is left to the page, and the root alone is "/"', async () => {
  const urls: string[] = [];
  const fetched = async (url: string): Promise<Response> => {
    urls.push(url);
    return Response.json([]);
  };
  await client<{ '/pet': typeof root }>('/v1', { fetch: fetched })('/pet').list();
  for (const base of ['', '/']) await client<{ '/': typeof root }>(base, { fetch: fetched })('/').list({ query: { a: 1 } });
  assert.equal(urls, ['/v1/pet', '/?a=1', '/?a=1']);
});
for (const [what, path, params, codecs] of [
  ['a parameter is missing', '/zoo/:zoo/pet', {}, {}],
  ['all parameters are missing', '/zoo/:zoo/pet', undefined, undefined],
  ['a parameter with the name of a method is missing', '/zoo/:toString/pet', {}, {}],
  ['a parameter that is not a string has no codec', '/zoo/:zoo/pet', { zoo: new Date() }, {}],
  ['the prototype of the parameters is asked for', '/zoo/:__proto__/pet', {}, {}],
] as const) {
  places(`${what} -> TypeError`, () => {
    const at = client<any>('') as unknown as (path: string, params?: object, codecs?: object) => unknown;
    assert.throws(() => at(path, params, codecs), (error: Error) => error instanceof TypeError && /^the path must not have a segment "/.test(error.message));
  });
}
places('an id with a codec is missing -> TypeError, and nothing is sent', () => serveWithClient(declare, async ({ connect, requests }) => {
  const { get } = connect<Api>()('/zoo/:zoo/pet', { zoo: 'x' }, { id: { parse: Number, format: String } }) as unknown as { get(): Promise<unknown> };
  assert.is((await captureError(get()) as Error).message, 'the path must not have a segment "undefined": pass the id');
  assert.equal(requests, []);
}));
places('a non-string id has no codec -> TypeError, and nothing is sent', () => serveWithClient(declare, async ({ connect, requests }) => {
  const { get } = connect<Api>()('/zoo/:zoo/pet', { zoo: 'x' }) as unknown as { get(id: unknown): Promise<unknown> };
  for (const id of [undefined, null, {}, new Date(), true]) {
    const error = await captureError(get(id));
    assert.equal([error instanceof TypeError, (error as Error).message], [true, `the path must not have a segment "${String(id)}": pass the id`]);
  }
  assert.equal(requests, []);
}));
places('ids and parameters without codecs are written as their text', async () => {
  const urls: string[] = [];
  const fetched = async (url: string): Promise<Response> => {
    urls.push(url);
    return Response.json([]);
  };
  const day = defineEndpoint({ id: uint64Id, params: { constructor: integerId, name: stringId }, get: () => 1 });
  const api = client<{ '/:constructor/:name': typeof day }>('', { fetch: fetched });
  await api('/:constructor/:name', { constructor: -7, name: 'a b' }).get(2n ** 64n - 1n);
  assert.equal(urls, ['/-7/a%20b/18446744073709551615']);
});
places('codecs write the parameters and the id', () => {
  const dateId = { parse: (date: string) => new Date(date), format: (date: Date) => date.toISOString().slice(0, 10) };
  const days = defineEndpoint({ id: dateId, params: { on: dateId }, get: (id, { params }) => [id, params.on] });
  return serveWithClient((server) => server.registerEndpoint('/:on/day', days), async ({ connect, requests }) => {
    const api = connect<{ '/:on/day': typeof days }>();
    const at = api('/:on/day', { on: new Date('2020-02-02') }, { id: dateId, params: { on: dateId } });
    assert.equal(await at.get(new Date(0)), ['1970-01-01T00:00:00.000Z', '2020-02-02T00:00:00.000Z']);
    assert.equal(requests, ['GET /v1/2020-02-02/day/1970-01-01']);
  });
});
places('several parameters are each put where the path names them', () => {
  const nested = defineEndpoint({ params: { b: integerId, a: stringId }, get: ({ params }) => params });
  return serveWithClient((server) => server.registerEndpoint('/x/:a/y/:b', nested), async ({ connect, requests }) => {
    const api = connect<{ '/x/:a/y/:b': typeof nested }>();
    assert.equal(await api.one('/x/:a/y/:b', { a: '$&', b: 3 }).get(), { a: '$&', b: 3 });
    assert.equal(requests, ['GET /v1/x/%24%26/y/3']);
  });
});

const named = suite('the object that has the operations with names');
for (const [what, use] of [
  ['an await', async (object) => assert.is(await object, object)],
  ['a promise of it', async (object) => assert.is(await Promise.resolve(object), object)],
  ['JSON.stringify', async (object) => assert.match(JSON.stringify({ object }), /^\{(?:"object":\{|\})/)],
  ['a conversion to text', async (object) => assert.type(String(object), 'string')],
  ['a look-up of symbols', async (object) => assert.equal([...Object.getOwnPropertySymbols(object), Reflect.get(object, Symbol.iterator)], [undefined])],
] as readonly (readonly [string, (object: object) => Promise<unknown>])[]) {
  named(`${what} sends nothing`, () => serveWithClient(declare, async ({ connect, requests }) => {
    const api = connect<Api>();
    const inZoo = api('/zoo/:zoo/pet', { zoo: 'x' });
    for (const object of [api, inZoo, inZoo.custom, inZoo.itemCustom]) await use(object);
    assert.equal(requests, []);
  }));
}
named('a name that the server does not have gets its 404', () => serveWithClient(declare, async ({ connect, requests }) => {
  const { custom } = connect<Api>().one('/settings') as unknown as { custom: Record<string, () => Promise<unknown>> };
  assert.is((await captureError(custom['__proto__']!())).status, 404);
  assert.is((await captureError(custom['a b']!())).status, 404);
  assert.equal(requests, [`POST /v1/settings/__proto__ ${JSON_TYPE}`, `POST /v1/settings/a%20b ${JSON_TYPE}`]);
}));
for (const base of ['http://127.0.0.1/v1?a=1', 'http://127.0.0.1/v1#a', '/v1?', undefined, null, 8080, new URL('http://127.0.0.1/v1')]) {
  named(`the base ${base} is not a string, or has a query or a fragment -> TypeError`, () => {
    assert.throws(() => client<Api>(base as string), isTypeError(`the base must be a string without "?" and "#": "${base}"`));
  });
}
for (const wrong of [new ApiServer('/v1'), 'fetch', 7, { fetch }]) {
  named(`fetch: ${JSON.stringify(wrong)} -> TypeError that names server.fetch`, () => {
    assert.throws(() => client<Api>('/v1', { fetch: wrong as never }), isTypeError('fetch must be a function: server.fetch'));
  });
}
for (const path of ['pet', '', undefined, 'http://127.0.0.1/pet']) {
  named(`the path ${JSON.stringify(path)} -> TypeError, and nothing is sent`, () => {
    const at = client<any>('/v1') as unknown as { (path: unknown): unknown; one(path: unknown): unknown };
    const isRight = (thrown: unknown): boolean => thrown instanceof TypeError && thrown.message === `the path must begin with "/": "${path}"`;
    assert.throws(() => at(path), isRight);
    assert.throws(() => at.one(path), isRight);
  });
}
