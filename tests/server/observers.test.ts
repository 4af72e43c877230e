/** The events of `restpoint.request`: one `start` and one `asyncEnd` for each request with a route, however it ends. */
import type { ServerResponse } from 'node:http';
import { ApiError, type ApiServer, type RequestMessage } from '../../src/index.ts';
import { linger } from '../support/linger.ts';
import {
  ASYNC, BROKEN_STREAM, CONFLICT, declareObservable, ENDLESS, MISSING, NEVER, REJECTS, STREAM, SYNC, TAGGED, THROWS, THROWS_NULL, THROWS_PROXY, UNSENDABLE,
} from '../support/observable.ts';
import { captureEvents, type EventName } from '../support/capture-events.ts';
import { readEcho, makeEchoHandler, makeUpgrade } from '../support/upgrades.ts';
import { assert, chunkedMessage, delay, Gate, head, message, RawClient, serve, suite, waitUntil, withTimeout } from '../support/facts.ts';

const get = (id: number, headers: readonly string[] = []): string => message('GET', `/v1/thing/${id}`, '', headers);
const THING = 'GET /v1/thing/:id';

/** `status` is that of the response, and `undefined` if the client leaves as soon as the request has begun. */
type Row = readonly [what: string, sent: string, route: string, operation: string | undefined, status: number | undefined, error?: RegExp];

const ends = suite('every end of a request');
for (const [what, sent, route, operation, status, error] of [
  ['a result', get(SYNC), THING, 'get', 200],
  ['a promise', get(ASYNC), THING, 'get', 200],
  ['HEAD', message('HEAD', `/v1/thing/${SYNC}`), THING, 'get', 200],
  ['a Create', message('POST', '/v1/thing', '{}'), 'POST /v1/thing', 'create', 201],
  ['an Update', message('PUT', '/v1/thing/1', '{}'), 'PUT /v1/thing/:id', 'update', 204],
  ['an Update in chunks', chunkedMessage('PUT', '/v1/thing/1', '{}'), 'PUT /v1/thing/:id', 'update', 204],
  ['a Custom operation', message('POST', '/v1/thing/feed', '1'), 'POST /v1/thing/feed', 'custom.feed', 200],
  ['an operation of an item', message('POST', '/v1/thing/1/feed'), 'POST /v1/thing/:id/feed', 'itemCustom.feed', 200],
  ['a reply', get(TAGGED), THING, 'get', 200],
  ['a 304', get(TAGGED, ['If-None-Match: "a"']), THING, 'get', 304],
  ['a stream', get(STREAM), THING, 'get', 200],
  ['a stream that is not read, for HEAD', message('HEAD', `/v1/thing/${ENDLESS}`), THING, 'get', 200],
  ['the last request of a connection', get(SYNC, ['Connection: close']), THING, 'get', 200],
  ['an upgrade', get(SYNC, ['Connection: Upgrade', 'Upgrade: h2c']), THING, 'get', 200],
  ['nothing found', get(MISSING), THING, 'get', 404, /^Error: ApiError 404 Not found\.$/],
  ['a rejected id', message('GET', '/v1/thing/one'), THING, 'get', 400, /^Error: ApiError 400 Bad arguments: id: /],
  ['a rejected caller', message('GET', '/v1/mine'), 'GET /v1/mine', 'get', 403, /^Error: ApiError 403 Forbidden$/],
  ['a body that is not JSON', message('POST', '/v1/thing', '{'), 'POST /v1/thing',
    'create', 400, /^Error: ApiError 400 .*not JSON: it ends too early, at byte 1$/],
  ['a different type', message('POST', '/v1/thing', '{}', ['Content-Type: a/b']), 'POST /v1/thing', 'create', 415, /^Error: ApiError 415 /],
  ['a long body', message('POST', '/v1/thing', 'x'.repeat(200)), 'POST /v1/thing', 'create', 413, /^Error: ApiError 413 /],
  ['a long body in chunks', chunkedMessage('POST', '/v1/thing', 'x'.repeat(200)), 'POST /v1/thing', 'create', 413, /^Error: ApiError 413 /],
  ['a throw', get(THROWS), THING, 'get', 500, /^Error: RangeError thrown$/],
  ['a rejection', get(REJECTS), THING, 'get', 500, /^Error: RangeError rejected$/],
  ['a throw of null', get(THROWS_NULL), THING, 'get', 500, /^Error: ApiError 500 Internal error: null$/],
  ['a throw of a proxy', get(THROWS_PROXY), THING, 'get', 500, /^Error: ApiError 500 Internal error: \{\}$/],
  ['an ApiError', get(CONFLICT), THING, 'get', 409, /^Error: ApiError 409 in use$/],
  ['a result that cannot be sent', get(UNSENDABLE), THING, 'get', 500, /^Error: TypeError /],
  ['an operation that takes too long', get(NEVER), THING, 'get', 503, /^Error: TimeoutError the operation took longer than 50 ms$/],
  ['a body that is too slow', head('PUT', '/v1/slow', ['Content-Length: 9']), 'PUT /v1/slow', 'update', 408, /^Error: ApiError 408 /],
  ['a broken chunk', `${head('POST', '/v1/thing', ['Transfer-Encoding: chunked'])}nonsense\r\n`,
    'POST /v1/thing', 'create', 400, /^Error: ApiError 400 The request is not valid/],
  ['a response that cannot be written', message('GET', '/v1/unwritable'), 'GET /v1/unwritable', 'get', 500, /^Error: RangeError no head$/],
  ['a stream that fails', get(BROKEN_STREAM), THING, 'get', 200, /^Error: RangeError spoilt$/],
  ['discovery', message('OPTIONS', '/v1/thing'), 'OPTIONS /v1/thing', undefined, 200],
  ['a mount', message('GET', '/files/a'), '* /files', undefined, 200],
  ['a mount that throws', message('GET', '/throws'), '* /throws', undefined, 500, /^Error: RangeError a mount$/],
  ['a mount that fails late', message('GET', '/half'), '* /half', undefined, 200, /^Error: RangeError half a mount$/],
  ['an operation that destroys the request', message('DELETE', '/v1/thing/1'), 'DELETE /v1/thing/:id', 'delete', undefined],
  ['a client that leaves its operation', get(NEVER), THING, 'get', undefined],
  ['a client that leaves a stream', get(ENDLESS), THING, 'get', undefined],
  ['a client that leaves a mount', message('GET', '/silent'), '* /silent', undefined, undefined],
  ['a client that leaves within its body', head('POST', '/v1/thing', ['Content-Length: 9']),
    'POST /v1/thing', 'create', undefined, /^Error: ApiError 400 The request is not valid/],
] as const satisfies readonly Row[]) {
  for (const behind of ['nothing', 'middleware'] as const) {
    // Node's parser rejects it before the middleware has passed the request on, so that its route is not known.
    if (what === 'a broken chunk' && behind === 'middleware') continue;
    ends(`${what}, behind ${behind} -> ${status ?? 'no response'}, ${error === undefined ? 'no error' : 'an error'}, and one end`, async () => {
      await captureEvents(async (captured) => {
        await serve((server) => {
          if (behind === 'middleware') server.use((_request, _response, next) => void setImmediate(next));
          declareObservable(server);
        }, async ({ port, errors }) => {
          const client = await RawClient.send(port, sent);
          if (status === undefined) {
            await waitUntil(() => captured.events.length > 0, 'the start');
            client.destroy();
          }
          const [published] = await captured.waitForEnds(1);
          if (status !== undefined) assert.is(published?.response.statusCode, status);
          if (status !== undefined && error === undefined) assert.ok(published?.response.writableFinished);
          if (status !== undefined) await waitUntil(() => client.unread.startsWith(`HTTP/1.1 ${status} `), 'the response');
          client.destroy();
          // Nothing may come later.
          await delay(10);
          checkEvents(captured.eventNames(published), error !== undefined);
          checkMessage(published, route, operation, error);
          assert.is(captured.messages.length, 1);
          assert.is(errors.length, status !== undefined && error !== undefined && (status < 400 || status >= 500) ? 1 : 0);
        }, { limits: { bodyBytes: 100, operationMs: status === 503 ? 50 : 60_000 } });
      });
    });
  }
}

function checkEvents(names: readonly EventName[], hasError: boolean): void {
  assert.equal(names.filter((name) => name !== 'error'), ['start', 'end', 'asyncStart', 'asyncEnd']);
  assert.is(names.filter((name) => name === 'error').length, Number(hasError));
  assert.ok(names.indexOf('error') < names.indexOf('asyncStart'));
}

function checkMessage(published: RequestMessage | undefined, route: string, operation: string | undefined, error: RegExp | undefined): void {
  assert.is(`${published?.route.method} ${published?.route.path}`, route);
  assert.is(published?.operation, operation);
  assert.match(textOf(published?.error), error ?? /^no error$/);
}

function textOf(error: Error | undefined): string {
  if (error === undefined) return 'no error';
  const status = error instanceof ApiError ? ` ${error.status}` : '';
  return `${error instanceof Error ? 'Error' : typeof error}: ${error.name}${status} ${error.message}`;
}

const silent = suite('a request without a route');
for (const [what, sent, status] of [
  ['an unknown path', message('GET', '/v1/nowhere'), 404],
  ['a different method', message('PATCH', '/v1/thing/1', '{}'), 405],
  ['OPTIONS *', message('OPTIONS', '*'), 200],
  ['an invalid target', message('GET', '/v1/thing/1#a'), 400],
  ['a request that is not HTTP', 'GET\r\n\r\n', 400],
  ['a request that middleware responds to', message('GET', '/teapot'), 418],
] as const) {
  silent(`${what} -> ${status}, and no event`, () => captureEvents(async (captured) => {
    await serve((server) => {
      server.use((request, response, next) => (request.url === '/teapot' ? response.writeHead(418).end() : next()));
      declareObservable(server);
    }, async ({ port }) => {
      const client = await RawClient.send(port, sent);
      assert.is((await client.response()).status, status);
    });
    assert.equal(captured.events, []);
  }));
}
silent('an upgrade that is handed over -> 101, and no event', () => captureEvents(async (captured) => {
  await serve((server) => server.registerUpgrade('/chat', makeEchoHandler()), async ({ port }) => {
    const client = await RawClient.send(port, makeUpgrade('/chat'));
    assert.is(await readEcho(client, 'hello'), 'hello');
  });
  assert.equal(captured.events, []);
}));

const order = suite('the order of events');
order('start comes before anything is read, and asyncEnd before the next request of the connection starts', async () => {
  const seen: string[] = [];
  await captureEvents(async (captured) => {
    await serve(declareObservable, async ({ port, errors }) => {
      const client = await RawClient.send(port, get(ASYNC) + chunkedMessage('POST', '/v1/thing', '{}') + get(THROWS) + get(SYNC));
      await captured.waitForEnds(4);
      client.destroy();
      const route = (method: string, extra: readonly string[] = []): string[] => ['start', ...extra, 'end', 'asyncStart', 'asyncEnd'].map((name) => `${name} ${method}`);
      assert.equal(seen, [...route('GET'), ...route('POST'), ...route('GET', ['error']), ...route('GET')]);
      assert.is(errors.length, 1);
    });
  }, ({ name, message: { route } }) => seen.push(`${name} ${route.method}`));
});
order('a stop that destroys the remaining connections ends all requests before it resolves', () => captureEvents(async (captured) => {
  await serve(declareObservable, async ({ port, server }) => {
    const client = await RawClient.send(port, get(NEVER));
    await waitUntil(() => captured.events.length > 0, 'the start');
    await server.stop();
    const [published] = captured.messages;
    client.destroy();
    checkEvents(captured.eventNames(published), false);
    assert.not.ok(published?.response.writableFinished);
  }, { stopGraceMs: 20 });
}));
order('a discovery that cannot be written, since middleware broke the response, has the failure and ends', () => captureEvents(async (captured) => {
  await serve((server) => {
    server.use((_request, response, next) => {
      Object.assign(response, { writeHead: () => { throw new RangeError('no head'); } });
      next();
    });
    declareObservable(server);
  }, async ({ port, errors }) => {
    const client = await RawClient.send(port, message('OPTIONS', '/v1/thing'));
    assert.is((await client.response()).status, 500);
    client.destroy();
    const [published] = await captured.waitForEnds(1);
    checkEvents(captured.eventNames(published), true);
    checkMessage(published, 'OPTIONS /v1/thing', undefined, /^Error: RangeError no head$/);
    assert.is(published?.response.statusCode, 500);
    assert.is(errors.length, 1);
  });
}));
order('without subscribers at its start, a request is not published later', () => serve(declareObservable, async ({ port, received }) => {
  const client = await RawClient.send(port, head('PUT', '/v1/thing/1', ['Content-Length: 2']));
  await waitUntil(() => received() === 1, 'the head');
  await captureEvents(async (captured) => {
    client.send('{}');
    assert.is((await client.response()).status, 204);
    client.destroy();
    await delay(20);
    assert.equal(captured.events, []);
  });
}));

const failing = suite('a subscriber that throws');
for (const event of ['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const) {
  failing(`in ${event}: the request gets the same response, and the process gets an uncaught exception`, async () => {
    const uncaught: unknown[] = [];
    const listeners = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException').on('uncaughtException', (error) => uncaught.push(error));
    const failure = new Error(`in ${event}`);
    try {
      await captureEvents(async (captured) => {
        await serve((server) => server.registerEndpoint('/item', { get: () => { throw new Error('failed'); } }), async ({ port, errors }) => {
          const client = await RawClient.send(port, message('GET', '/v1/item'));
          assert.is((await client.response()).status, 500);
          client.destroy();
          const [published] = await captured.waitForEnds(1);
          assert.equal(captured.eventNames(published), ['start', 'error', 'end', 'asyncStart', 'asyncEnd']);
          assert.is(errors.length, 1);
        });
      }, ({ name }) => { if (name === event) throw failure; });
      assert.equal(uncaught, [failure]);
    } finally {
      process.removeAllListeners('uncaughtException');
      for (const listener of listeners) process.on('uncaughtException', listener);
    }
  });
}

const served = suite('an observed request');
served('its operation is done before the next turn of the event loop, with and without subscribers', async () => {
  const turns: boolean[] = [];
  const declare = (server: ApiServer): void => {
    server.registerEndpoint('/item', { get: ({ raw }) => {
      const { _httpMessage: response } = raw.socket as unknown as { _httpMessage: { writableEnded: boolean } };
      queueMicrotask(() => turns.push(response.writableEnded));
      return 1;
    } });
  };
  await serve(declare, async ({ port }) => {
    const client = await RawClient.send(port, message('GET', '/v1/item'));
    await client.response();
    await captureEvents(async () => {
      client.send(message('GET', '/v1/item'));
      await client.response();
    });
  });
  assert.equal(turns, [true, true]);
});
served('a subscriber that delays the end of its response: stop() waits for it', async () => {
  const gate = new Gate();
  const declare = (server: ApiServer): void => void server.registerEndpoint('/item', { get: () => 'done' });
  let ended = 0;
  const delayEnd = (response: ServerResponse): void => {
    const { end } = response;
    Object.assign(response, {
      end: (...values: never[]) => {
        ended += 1;
        void gate.passed.then(() => Reflect.apply(end, response, values));
        return response;
      },
    });
  };
  await captureEvents(async () => {
    await serve(declare, async ({ port, server }) => {
      const client = await RawClient.send(port, message('GET', '/v1/item'));
      await waitUntil(() => ended === 1, 'the reply');
      const stopped = server.stop();
      await delay(20);
      gate.open();
      assert.is((await client.response()).body, '"done"');
      client.destroy();
      await withTimeout(stopped);
    }, { ...linger(0), stopGraceMs: 3_600_000 });
  }, ({ name, message: { response } }) => { if (name === 'start') delayEnd(response); });
});
served('its request is a stream like any other', async () => {
  const seen: string[] = [];
  await captureEvents(async (captured) => {
    await serve((server) => server.registerEndpoint('/item', { schema: String, get: () => '1', update: () => {} }), async ({ port }) => {
      const client = await RawClient.send(port, message('PUT', '/v1/item', '"x"') + message('GET', '/v1/item'));
      await captured.waitForEnds(2);
      client.destroy();
      await waitUntil(() => seen.length === 2, 'the ends of both requests');
    });
  }, ({ name, message: { request } }) => { if (name === 'start') request.on('end', () => seen.push(String(request.method))); });
  assert.equal(seen, ['PUT', 'GET']);
});
