/** Every kind of operation, with and without ids: its route, what it and its context get, its reply, and its call by a client. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { KINDS } from '../../../src/endpoint/kinds.ts';
import { integerId, stringId, type ApiServer, type ContextRequest } from '../../../src/index.ts';
import { calling } from '../../support/calling.ts';
import { message } from '../../support/messages.ts';
import { rawRequest } from '../../support/raw-client.ts';
import { serving } from '../../support/serving.ts';
import { requestFor } from '../../support/statuses.ts';

const input = (json: unknown): unknown => ({ decoded: json });

/** Declares operations that note what they get, but for the request, and return something for each of them. */
class Recorder {
  readonly got: unknown[][] = [];

  readonly items = {
    id: integerId,
    schema: input,
    create: (item: unknown) => this.#note(7, 'create', item),
    list: () => this.#note(['all'], 'list'),
    get: (id: number) => this.#note({ id }, 'get', id),
    update: (id: number, item: unknown) => this.#note(1, 'update', id, item),
    patch: { input, run: (id: number, change: unknown) => this.#note(1, 'patch', id, change) },
    delete: (id: number) => this.#note(1, 'delete', id),
    custom: { search: { input, run: (text: unknown) => this.#note(['found'], 'search', text) }, count: { run: () => this.#note(2, 'count') } },
    itemCustom: { feed: { input, run: (id: number, food: unknown) => this.#note('fed', 'feed', id, food) }, wake: { run: (id: number) => this.#note('awake', 'wake', id) } },
  };

  readonly single = {
    schema: input,
    create: (item: unknown) => this.#note('ignored', 'create', item),
    get: () => this.#note({ theme: 'dark' }, 'get'),
    update: (item: unknown) => this.#note(1, 'update', item),
    patch: { input, run: (change: unknown) => this.#note(1, 'patch', change) },
    delete: () => this.#note(1, 'delete'),
    custom: { reset: { run: () => this.#note('done', 'reset') } },
  };

  readonly register = (server: ApiServer): void => this.#registerBelow(server, '', {});

  /** Below a parameter, with a context that notes what it sees. */
  readonly registerInZoo = (server: ApiServer): void => this.#registerBelow(server, '/zoo/:zoo', {
    params: { zoo: stringId },
    context: ({ itemId, params, query }: ContextRequest) => void this.#note(undefined, 'context', itemId, params, String(query)),
  });

  #registerBelow(server: ApiServer, path: string, members: object): void {
    // The types are the compile-only tests' matter.
    server.registerEndpoint(`${path}/pet`, { ...this.items, ...members } as never);
    server.registerEndpoint(`${path}/settings`, { ...this.single, ...members } as never);
  }

  #note<Result>(result: Result, ...got: unknown[]): Result {
    this.got.push(got);
    return result;
  }
}

const item = { decoded: { legs: 4 } };
const BODY = '{"legs":4}';

/** What a client of an endpoint can call. The compile-only tests check its types. */
interface Calls extends Readonly<Record<'create' | 'list' | 'get' | 'update' | 'patch' | 'delete', (...args: unknown[]) => Promise<unknown>>> {
  readonly custom: Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>;
  readonly itemCustom: Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>;
}

const TEXT = 'text/plain; charset=utf-8';
const JSON_TYPE = 'application/json';
const legs = { legs: 4 };

/** A row for each kind, on items and on a singleton: its request, its reply, what the operation gets, a client's call and its result. */
const ROWS = [
  ['POST', '/pet', BODY, 201, TEXT, '7', ['create', item], (pets) => pets.create(legs), 7],
  ['GET', '/pet', '', 200, JSON_TYPE, '["all"]', ['list'], (pets) => pets.list(), ['all']],
  ['GET', '/pet/5', '', 200, JSON_TYPE, '{"id":5}', ['get', 5], (pets) => pets.get(5), { id: 5 }],
  ['PUT', '/pet/5', BODY, 204, undefined, '', ['update', 5, item], (pets) => pets.update(5, legs), undefined],
  ['PATCH', '/pet/5', BODY, 204, undefined, '', ['patch', 5, item], (pets) => pets.patch(5, legs), undefined],
  ['DELETE', '/pet/5', '', 204, undefined, '', ['delete', 5], (pets) => pets.delete(5), undefined],
  ['POST', '/pet/search', BODY, 200, JSON_TYPE, '["found"]', ['search', item], (pets) => pets.custom['search']?.(legs), ['found']],
  ['POST', '/pet/count', '', 200, JSON_TYPE, '2', ['count'], (pets) => pets.custom['count']?.(), 2],
  ['POST', '/pet/5/feed', BODY, 200, JSON_TYPE, '"fed"', ['feed', 5, item], (pets) => pets.itemCustom['feed']?.(5, legs), 'fed'],
  ['POST', '/pet/5/wake', '', 200, JSON_TYPE, '"awake"', ['wake', 5], (pets) => pets.itemCustom['wake']?.(5), 'awake'],
  ['POST', '/settings', BODY, 201, undefined, '', ['create', item], (settings) => settings.create(legs), undefined],
  ['GET', '/settings', '', 200, JSON_TYPE, '{"theme":"dark"}', ['get'], (settings) => settings.get(), { theme: 'dark' }],
  ['PUT', '/settings', BODY, 204, undefined, '', ['update', item], (settings) => settings.update(legs), undefined],
  ['PATCH', '/settings', BODY, 204, undefined, '', ['patch', item], (settings) => settings.patch(legs), undefined],
  ['DELETE', '/settings', '', 204, undefined, '', ['delete'], (settings) => settings.delete(), undefined],
  ['POST', '/settings/reset', '', 200, JSON_TYPE, '"done"', ['reset'], (settings) => settings.custom['reset']?.(), 'done'],
] as const satisfies readonly (readonly [string, string, string, number, string | undefined, string, readonly unknown[], (api: Calls) => unknown, unknown])[];

const replies = suite('the reply to each kind of operation');
for (const [method, path, body, status, type, expected, got] of ROWS) {
  replies(`${method} ${path} -> ${status} ${expected}`, async () => {
    const recorder = new Recorder();
    await serving(recorder.register, async ({ port }) => {
      const reply = await rawRequest(port, message(method, `/v1${path}`, body));
      assert.is(reply.status, status);
      assert.is(reply.body, expected);
      assert.is(reply.headers.get('content-type'), type);
      assert.is(reply.headers.get('content-length'), status === 204 ? undefined : String(expected.length));
      assert.is(reply.headers.get('location'), path === '/pet' && method === 'POST' ? '/v1/pet/7' : undefined);
      // The last argument is the request, which is noted by none.
      assert.equal(recorder.got, [got]);
    });
  });
}
replies('HEAD of a list is the head of its GET', async () => {
  await serving(new Recorder().register, async ({ port }) => {
    const { status, headers } = await rawRequest(port, requestFor('HEAD', '/v1/pet'));
    assert.equal([status, headers.get('content-length')], [200, '7']);
  });
});
for (const [path, why] of [['/pet/x/feed', 'an id that its codec refuses'], ['/pet/%ff/wake', 'an id that is not UTF-8']] as const) {
  replies(`POST ${path}: ${why} -> 400`, async () => {
    const recorder = new Recorder();
    await serving(recorder.register, async ({ port }) => {
      assert.is((await rawRequest(port, message('POST', `/v1${path}`, BODY))).status, 400);
      assert.equal(recorder.got, []);
    });
  });
}
replies('a failed itemCustom is logged whatever it throws, and other kinds only when the server failed', async () => {
  const fail = (): never => {
    throw Object.assign(new Error('no'), { notFound: true });
  };
  const endpoint = { id: integerId, list: fail, patch: { run: fail }, itemCustom: { feed: { run: fail } } };
  await serving((server) => server.registerEndpoint('/pet', endpoint), async ({ port, errors }) => {
    for (const [method, path] of [['GET', '/v1/pet'], ['PATCH', '/v1/pet/1'], ['POST', '/v1/pet/1/feed']] as const) {
      assert.is((await rawRequest(port, message(method, path))).status, 404);
    }
    assert.equal(errors.map(({ message: text }) => text), ['POST /v1/pet/:id/feed: Not found.']);
  });
});
replies('is tested for each kind of the table', () => {
  for (const { method, suffix } of KINDS) {
    const path = `/pet${suffix.replace(':id', '5').replace('<name>', suffix.includes(':id') ? 'feed' : 'search')}`;
    assert.ok(ROWS.some((row) => row[0] === method && row[1] === path), `${method} ${path}`);
  }
});
replies.run();

const seen = suite('what a context sees');
for (const [method, path, body] of [...ROWS, ['HEAD', '/pet/5', '']] as const) {
  const itemId = path.startsWith('/pet/5') ? 5 : undefined;
  seen(`of ${method} ${path}: ${itemId === undefined ? 'no id' : 'the id'}, the parameters and the query`, async () => {
    const recorder = new Recorder();
    await serving(recorder.registerInZoo, async ({ port }) => {
      assert.ok((await rawRequest(port, message(method, `/v1/zoo/a%2Fb${path}?a=1`, body))).status < 300);
      assert.equal(recorder.got[0], ['context', itemId, { zoo: 'a/b' }, 'a=1']);
      assert.is(recorder.got.length, 2);
    });
  });
}
seen.run();

const called = suite('the call of each kind by a client');
for (const [method, path, body, , , , got, call, result] of ROWS) {
  called(`is ${method} ${path}, and resolves to ${JSON.stringify(result) ?? 'nothing'}`, async () => {
    const recorder = new Recorder();
    await calling(recorder.register, async ({ connect, requests }) => {
      const pets = connect<unknown>({ path: '/pet', id: integerId } as never);
      const settings = connect<unknown>({ path: '/settings' } as never);
      assert.equal(await call((path.startsWith('/pet') ? pets : settings) as Calls), result);
      // A POST without a body says its type, too: a page of another origin could not.
      assert.equal(requests, [`${method} /v1${path}${body === '' && method !== 'POST' ? '' : ' application/json'}`]);
      assert.equal(recorder.got, [got]);
    });
  });
}
called.run();

const discovery = suite('discovery of each kind of operation');
for (const [path, allow] of [
  ['/pet', 'GET, POST, POST, POST'],
  ['/pet/5', 'GET, PUT, PATCH, DELETE'],
  ['/pet/search', 'GET, PUT, PATCH, DELETE'],
  ['/pet/5/feed', 'POST'],
  ['/settings', 'GET, PUT, PATCH, DELETE, POST, POST'],
  ['/settings/reset', 'POST'],
] as const) {
  discovery(`OPTIONS ${path} -> 200, Allow: ${allow}`, async () => {
    await serving(new Recorder().register, async ({ port }) => {
      const { status, headers, body } = await rawRequest(port, message('OPTIONS', `/v1${path}`));
      assert.equal([status, headers.get('allow'), body], [200, allow, '']);
    });
  });
}
for (const [method, path, allow] of [
  ['PUT', '/pet', 'GET, HEAD, POST, OPTIONS'],
  ['POST', '/pet/5', 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS'],
  ['GET', '/pet/5/feed', 'POST, OPTIONS'],
  ['TRACE', '/settings', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'],
] as const) {
  discovery(`${method} ${path} -> 405, Allow: ${allow}`, async () => {
    await serving(new Recorder().register, async ({ port }) => {
      const { status, headers, body } = await rawRequest(port, message(method, `/v1${path}`));
      assert.equal([status, headers.get('allow'), body], [405, allow, '']);
    });
  });
}
discovery('every path that has a route is listed and logged once, in the order of the table', async () => {
  await serving(new Recorder().register, async ({ server, infos }) => {
    const expected = [
      'POST /v1/pet', 'GET /v1/pet', 'GET /v1/pet/:id', 'PUT /v1/pet/:id', 'PATCH /v1/pet/:id', 'DELETE /v1/pet/:id',
      'POST /v1/pet/search', 'POST /v1/pet/count', 'POST /v1/pet/:id/feed', 'POST /v1/pet/:id/wake',
      'OPTIONS /v1/pet', 'OPTIONS /v1/pet/:id', 'OPTIONS /v1/pet/:id/feed', 'OPTIONS /v1/pet/:id/wake',
      'POST /v1/settings', 'GET /v1/settings', 'PUT /v1/settings', 'PATCH /v1/settings', 'DELETE /v1/settings', 'POST /v1/settings/reset',
      'OPTIONS /v1/settings', 'OPTIONS /v1/settings/reset',
    ];
    assert.equal(server.routes.map(({ method, path }) => `${method} ${path}`), expected);
    assert.equal(infos, expected.map((route) => `route: ${route}`));
  });
});
discovery.run();

const sharing = suite('endpoints that share a path');
const run = (): string => 'ran';
sharing('have all of their operations, and are discovered together', async () => {
  await serving((server) => {
    server.registerEndpoint('/pet', { id: integerId, list: run, get: run });
    server.registerEndpoint('/pet', { id: integerId, schema: String, create: () => 1, delete: run, itemCustom: { feed: { run } } });
    server.registerEndpoint('/pet', { id: integerId, custom: { count: { run } } });
  }, async ({ port, server, infos }) => {
    const allowed = async (method: string, path: string): Promise<string | undefined> => {
      return (await rawRequest(port, message(method, path))).headers.get('allow');
    };
    assert.is(await allowed('OPTIONS', '/v1/pet'), 'GET, POST, POST');
    assert.is(await allowed('OPTIONS', '/v1/pet/1'), 'GET, DELETE');
    assert.is(await allowed('PUT', '/v1/pet'), 'GET, HEAD, POST, OPTIONS');
    assert.is(await allowed('PUT', '/v1/pet/1'), 'GET, HEAD, DELETE, OPTIONS');
    for (const [method, path, status] of [['GET', '/v1/pet', 200], ['POST', '/v1/pet', 201], ['DELETE', '/v1/pet/1', 204], ['POST', '/v1/pet/count', 200]] as const) {
      assert.is((await rawRequest(port, message(method, path, method === 'POST' && path === '/v1/pet' ? '1' : ''))).status, status, path);
    }
    const options = server.routes.filter(({ method }) => method === 'OPTIONS').map(({ path }) => path);
    assert.equal(options, ['/v1/pet', '/v1/pet/:id', '/v1/pet/:id/feed']);
    assert.is(infos.filter((text) => text.includes('OPTIONS')).length, 3);
  });
});
sharing('with the same method: TypeError that names both routes, and nothing is added', async () => {
  await serving((server) => server.registerEndpoint('/pet', { id: integerId, get: run }), async ({ server, infos }) => {
    const [routes, logged] = [server.routes, [...infos]];
    assert.throws(
      () => server.registerEndpoint('/pet', { id: integerId, list: run, get: run }),
      (error: unknown) => error instanceof TypeError && error.message === 'route GET /v1/pet/:id conflicts with GET /v1/pet/:id',
    );
    assert.equal([server.routes, infos], [routes, logged]);
  });
});
sharing('each with a context of its own: the one of the operation is asked', async () => {
  const get = (_id: number, { context }: { readonly context: unknown }): unknown => ({ context });
  const remove = (_id: number, { context }: { readonly context: unknown }): void => void seen.push(context);
  const seen: unknown[] = [];
  await serving((server) => {
    server.registerEndpoint('/pet', { id: integerId, context: () => 'anyone', get });
    server.registerEndpoint('/pet', { id: integerId, context: () => 'keeper', delete: remove });
  }, async ({ port }) => {
    assert.is((await rawRequest(port, message('GET', '/v1/pet/1'))).body, '{"context":"anyone"}');
    assert.is((await rawRequest(port, message('DELETE', '/v1/pet/1'))).status, 204);
    assert.equal(seen, ['keeper']);
  });
});
sharing.run();
