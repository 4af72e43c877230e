/** Changes that lose nothing: what `edit` sends, and when it begins again. */
import { mock } from 'node:test';
import { client, ProblemError, type ClientOptions } from '../../src/client/index.ts';
import { ApiError, defineEndpoint, integerId } from '../../src/index.ts';
import { serveResponses, respondJson, type Respond } from '../support/serve-responses.ts';
import { serveWithClient, captureError } from '../support/serve-with-client.ts';
import { assert, Gate, suite } from '../support/facts.ts';

interface Counter {
  readonly count: number;
}
const asCounter = (value: unknown): Counter => value as Counter;
const counters = defineEndpoint({ id: integerId, schema: asCounter, get: (): Counter | undefined => undefined, update: () => {} });
const only = defineEndpoint({ schema: asCounter, get: (): Counter => ({ count: 0 }), update: { output: asCounter, run: (counter) => counter } });
interface Api {
  readonly '/counter': typeof counters;
  readonly '/only': typeof only;
}
const increment = ({ count }: Counter): Counter => ({ count: count + 1 });

/** A counter with its version as `ETag`, which rejects a put with another one. */
function respondCount(count = 0): Respond {
  let version = count;
  return (response, asked) => {
    const { method, headers, body } = asked.at(-1)!;
    if (method === 'GET') respondJson(response, { count: version }, { ETag: `"${version}"` });
    else if (headers['if-match'] !== `"${version}"`) response.writeHead(412).end();
    else {
      version = JSON.parse(body).count;
      response.writeHead(204).end();
    }
  };
}

const editing = suite('edit');
editing('gets the item, and puts the change with the tag of what it got', async () => {
  const asked = await serveResponses(respondCount(7), async (base) => {
    assert.equal(await client<Api>(base)('/counter').edit(1, increment), { count: 8 });
  });
  assert.equal(asked.map(({ method, url, headers, body }) => [method, url, headers['if-match'], body]), [
    ['GET', '/counter/1', undefined, ''], ['PUT', '/counter/1', '"7"', '{"count":8}'],
  ]);
});
editing('of many at a time loses no change', () => serveResponses(respondCount(), async (base) => {
  const api = client<Api>(base)('/counter');
  await Promise.all(Array.from({ length: 6 }, () => api.edit(1, async (counter) => increment(counter))));
  assert.equal(await api.get(1), { count: 6 });
}));
editing('of a singleton gives the response of its update', async () => {
  await serveResponses((response, asked) => respondJson(response, { count: asked.length }, { ETag: '"1"' }), async (base) => {
    assert.equal(await client<Api>(base).one('/only').edit(increment), { count: 2 });
  });
});
editing('with a change that is undefined sends nothing, and gives the item', async () => {
  const asked = await serveResponses(respondCount(3), async (base) => {
    assert.equal(await client<Api>(base)('/counter').edit(1, () => undefined), { count: 3 });
  });
  assert.is(asked.length, 1);
});
editing('begins again after 412, at most twenty times', async () => {
  const asked = await serveResponses((response, list) => {
    if (list.at(-1)!.method === 'GET') respondJson(response, { count: list.length }, { ETag: '"1"' });
    else response.writeHead(412).end();
  }, async (base) => {
    const error = await captureError(client<Api>(base)('/counter').edit(1, increment));
    assert.instance(error, ProblemError);
    assert.ok(error.is(412));
  });
  assert.is(asked.filter(({ method }) => method === 'PUT').length, 20);
  assert.is(asked.filter(({ method }) => method === 'GET').length, 20);
});
editing('pauses before it begins again, by chance, and longer after each attempt', async () => {
  const { setTimeout } = globalThis;
  const delays: number[] = [];
  const random = mock.method(Math, 'random', () => 0.5);
  // The connections of the test before have longer timers of their own.
  globalThis.setTimeout = ((passed: () => void, ms: number, ...rest: unknown[]) => (
    ms > 250 ? setTimeout(passed, ms, ...rest as []) : setTimeout(() => (delays.push(ms), passed()), 0)
  )) as typeof setTimeout;
  try {
    const fetched = async (_url: unknown, { method }: RequestInit = {}): Promise<Response> => {
      delays.push(0);
      return method === 'GET' ? Response.json({ count: 1 }, { headers: { ETag: '"1"' } }) : new Response('', { status: 412 });
    };
    await captureError(client<Api>('', { fetch: fetched })('/counter').edit(1, increment));
  } finally {
    globalThis.setTimeout = setTimeout;
    random.mock.restore();
  }
  assert.equal(delays, [...Array.from({ length: 19 }, (_, at) => [0, 0, 12.5 * (at + 1)]).flat(), 0, 0]);
});
for (const [what, fail, name] of [
  ['whose response is lost', (_response, _asked, { socket }) => socket.destroy(), 'TypeError'],
  ['that gets 503', (response) => response.writeHead(503, { 'Retry-After': '0' }).end(), 'ProblemError'],
  ['that gets 409', (response) => response.writeHead(409).end(), 'ProblemError'],
] as readonly (readonly [string, Respond, string])[]) {
  editing(`is not repeated after a put ${what}, also with retries -> ${name}`, async () => {
    const asked = await serveResponses((response, list, request) => {
      if (list.at(-1)!.method === 'GET') respondJson(response, { count: 1 }, { ETag: '"1"' });
      else fail(response, list, request);
    }, async (base) => {
      const options: ClientOptions = { retries: { attempts: 3, maxDelayMs: 1 } };
      assert.is((await captureError(client<Api>(base, options)('/counter').edit(1, increment))).name, name);
    });
    assert.equal(asked.map(({ method }) => method), ['GET', 'PUT']);
  });
}
editing('of an item without a tag -> TypeError, and nothing is put', async () => {
  const asked = await serveResponses((response) => respondJson(response, { count: 1 }), async (base) => {
    const error = await captureError(client<Api>(base)('/counter').edit(1, increment));
    assert.equal([error.name, error.message], ['TypeError', `GET ${base}/counter/1 -> no ETag: edit needs endpoint.version`]);
  });
  assert.is(asked.length, 1);
});
editing('rejects with the error of the change, and for an id that no path can have', async () => {
  const error = new Error('no');
  await serveResponses(respondCount(), async (base) => {
    const { edit } = client<Api>(base)('/counter');
    assert.is(await captureError(edit(1, () => { throw error; })), error);
    assert.is(await captureError(edit(1, async () => { throw error; })), error);
    assert.instance(await captureError(edit('' as never, increment)), TypeError);
  });
});
editing('asks for an item that no cache has kept', async () => {
  const caches: unknown[] = [];
  const fetched = async (_url: string, init: RequestInit): Promise<Response> => {
    caches.push([init.method, (init as { readonly cache?: string }).cache]);
    return init.method === 'GET' ? Response.json({ count: 1 }, { headers: { ETag: '"1"' } }) : new Response(null, { status: 204 });
  };
  await client<Api>('', { fetch: fetched })('/counter').edit(1, increment);
  assert.equal(caches, [['GET', 'no-cache'], ['PUT', undefined]]);
});
for (const [what, options] of [
  ['by its signal', () => ({ signal: AbortSignal.timeout(30) })],
  ['by its timeoutMs', () => ({ timeoutMs: 30 })],
] as const) {
  editing(`is ended ${what} while the change is made -> TimeoutError, and nothing is put`, async () => {
    const gate = new Gate();
    const asked = await serveResponses(respondCount(), async (base) => {
      const edited = captureError(client<Api>(base)('/counter').edit(1, () => gate.passed.then(() => undefined), options()));
      const kept = setTimeout(() => {}, 60_000);
      assert.is((await edited.finally(() => clearTimeout(kept))).name, 'TimeoutError');
    });
    gate.open();
    assert.ok(asked.every(({ method }) => method === 'GET'));
  });
}
editing('of eight writers at once loses no change: the server compares versions, and the store swaps', async () => {
  let counter: Counter = { count: 0 };
  const kept = defineEndpoint({
    id: integerId,
    schema: asCounter,
    get: () => counter,
    version: ({ count }) => count,
    update: async (_id, changed, { ifMatch }) => {
      await new Promise((resolve) => setImmediate(resolve));
      if (!ifMatch?.includes(String(counter.count))) throw ApiError.status(412, 'it has changed');
      counter = changed;
    },
  });
  await serveWithClient((server) => server.registerEndpoint('/kept', kept), async ({ connect, requests }) => {
    const api = connect<{ '/kept': typeof kept }>()('/kept');
    // On a busy machine, a writer can lose to the others until its edit gives up. That makes no change.
    const edit = (): Promise<unknown> => api.edit(1, increment).catch((error: { readonly status?: number }) => {
      if (error.status !== 412) throw error;
      return edit();
    });
    const writers = Array.from({ length: 8 }, async () => {
      for (let change = 0; change < 2; change += 1) await edit();
    });
    await Promise.all(writers);
    assert.is(counter.count, 16);
    assert.ok(requests.filter((line) => line.startsWith('PUT')).length > 16, 'some were rejected');
  });
});
