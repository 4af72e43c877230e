/** Middleware on a connection: its turn, the drain, clients that leave while it waits, and its async context. */
import type { ServerResponse } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { defineEndpoint, stringId, type ApiServer, type Middleware } from '../../src/index.ts';
import { assertGarbageCollected } from '../support/garbage-collection.ts';
import { delay, Gate, waitUntil } from '../support/wait.ts';
import { head, message } from '../support/messages.ts';
import { RawClient } from '../support/raw-client.ts';
import { serve } from '../support/serve.ts';
import { requestFor, readStatuses } from '../support/statuses.ts';

const passOn: Middleware = (_request, _response, next) => next();
const respond: Middleware = (request, response) => response.end(request.url);

/** An endpoint that counts its calls in a list, behind middleware. */
function declareListeners(called: string[], ...listeners: readonly Middleware[]): (server: ApiServer) => void {
  return (server) => {
    for (const listener of listeners) server.use(listener);
    server.registerEndpoint('/item', defineEndpoint({ id: stringId, get: (id) => (called.push(id), id) }));
    server.mount('/files', (_request, response) => (called.push('files'), response.end('files')));
  };
}

const turn = suite('W7: the turn of middleware');
turn('it is called for one request of a connection after the other, each when the response before is out', async () => {
  const called: string[] = [];
  const gates = [new Gate(), new Gate()];
  const waitForGate: Middleware = (request, response, next) => {
    called.push(`${request.url} ${response.socket !== null}`);
    const gate = gates[Number(request.url?.slice(-1)) - 1];
    return gate === undefined ? next() : gate.passed.then(() => next());
  };
  await serve(declareListeners(called, waitForGate), async ({ port, received }) => {
    const client = await RawClient.connect(port);
    client.send(requestFor('GET', '/v1/item/1') + requestFor('GET', '/v1/item/2') + requestFor('GET', '/v1/item/3'));
    await waitUntil(() => received() === 3, 'all requests');
    assert.equal(called, ['/v1/item/1 true']);
    gates[0]?.open();
    assert.is((await client.response()).body, '"1"');
    await waitUntil(() => called.length === 3, 'the second request');
    assert.equal(called, ['/v1/item/1 true', '1', '/v1/item/2 true']);
    gates[1]?.open();
    assert.is((await client.response()).body, '"2"');
    assert.is((await client.response()).body, '"3"');
  });
});
turn('it is not called for a request whose body breaks before', async () => {
  const called: string[] = [];
  const record: Middleware = (request, _response, next) => (called.push(String(request.url)), delay(5).then(() => next()));
  await serve(declareListeners([], record), async ({ port }) => {
    const client = await RawClient.connect(port, false);
    client.send(`${requestFor('GET', '/v1/item/1')}${head('POST', '/files', ['Transfer-Encoding: chunked'])}broken`);
    assert.is((await client.response()).body, '"1"');
    assert.is((await client.response()).status, 400);
    assert.is(await client.closed(), '');
    assert.equal(called, ['/v1/item/1']);
  });
});
turn('when the body of its own request breaks while it waits -> 400, and nothing starts', async () => {
  const called: string[] = [];
  const gate = new Gate();
  await serve(declareListeners(called, (_request, _response, next) => gate.passed.then(() => next())), async ({ port, received }) => {
    const client = await RawClient.send(port, head('POST', '/files', ['Transfer-Encoding: chunked']), false);
    await waitUntil(() => received() === 1, 'the request');
    client.send('broken');
    assert.is((await client.response()).status, 400);
    gate.open();
    assert.is(await client.closed(), '');
    assert.equal(called, []);
  });
});
turn.run();

const drain = suite('W7: stop() while middleware waits');
for (const [target, listener, body] of [
  ['/v1/item/1', passOn, '"1"'],
  ['/files', passOn, 'files'],
  ['/own', respond, '/own'],
  ['/nowhere', passOn, undefined],
  ['/throws', () => { throw Object.assign(new Error('no'), { status: 403 }); }, undefined],
] as const satisfies readonly (readonly [string, Middleware, string | undefined])[]) {
  drain(`${target}: the response is whole and says Connection: close; a pipelined request after it gets one too, which then says it instead`, async () => {
    for (const pipelined of [1, 2]) {
      const gate = new Gate();
      await serve(declareListeners([], (_request, _response, next) => gate.passed.then(() => next()), listener), async ({ server, port, received }) => {
        const client = await RawClient.send(port, requestFor('GET', target).repeat(pipelined));
        await waitUntil(() => received() === pipelined, 'the requests');
        const stopped = server.stop();
        gate.open();
        for (let left = pipelined; left > 0; left -= 1) {
          const response = await client.response();
          assert.is(response.headers.get('connection'), left === 1 ? 'close' : 'keep-alive');
          if (body !== undefined) assert.is(response.body, body);
        }
        assert.is(await client.closed(), '');
        client.destroy();
        await stopped;
      });
    }
  });
}
for (const [why, listener] of [['responds by itself', respond], ['passes it on', passOn]] as const) {
  drain(`a listener that ${why} when the server stops already: the response says Connection: close`, async () => {
    const gate = new Gate();
    const slow: Middleware = (request, response, next) => (request.url === '/slow' ? gate.passed.then(() => response.end()) : listener(request, response, next));
    await serve(declareListeners([], slow), async ({ server, port, received }) => {
      const client = await RawClient.send(port, requestFor('GET', '/slow') + requestFor('GET', '/v1/item/1'));
      await waitUntil(() => received() === 2, 'the requests');
      const stopped = server.stop();
      gate.open();
      assert.is((await client.response()).headers.get('connection'), 'keep-alive');
      assert.is((await client.response()).headers.get('connection'), 'close');
      assert.is(await client.closed(), '');
      client.destroy();
      await stopped;
    });
  });
}
drain('middleware that never calls next: its connection is destroyed after stopGraceMs', async () => {
  await serve(declareListeners([], () => {}), async ({ server, port, received }) => {
    const client = await RawClient.send(port, requestFor('GET', '/v1/item/1'));
    await waitUntil(() => received() === 1, 'the request');
    await server.stop();
    assert.equal(readStatuses(await client.closed()), []);
  }, { stopGraceMs: 50 });
});
drain.run();

const leaving = suite('W2: a client that leaves while middleware waits');
for (const [bytes, why] of [
  [requestFor('GET', '/v1/item/1'), 'for an operation'],
  [requestFor('GET', '/files'), 'for a mount'],
  [head('POST', '/files', ['Content-Length: 10']), 'for a mount, within its body'],
  [requestFor('GET', '/v1/item/1').repeat(3), 'with more behind it'],
] as const) {
  for (const leave of ['end', 'resetAndDestroy'] as const) {
    leaving(`${why}, by ${leave}: nothing starts for it, and the listener is notified`, async () => {
      const called: string[] = [];
      const gate = new Gate();
      let calls = 0;
      let hasClosed = false;
      await serve(declareListeners(called, (_request, response, next) => {
        calls += 1;
        response.once('close', () => (hasClosed = true));
        return gate.passed.then(() => next());
      }, () => assert.unreachable()), async ({ port, errors }) => {
        const client = await RawClient.send(port, bytes);
        await waitUntil(() => calls === 1, 'the listener');
        client.socket[leave]();
        await waitUntil(() => hasClosed, 'the close');
        gate.open();
        await delay(20);
        assert.equal([called, calls, errors], [[], 1, []]);
      });
    });
  }
}
leaving.run();

const release = suite('W7: middleware and its connection');
release('a response by a listener, and one behind it, leave the connection idle: stop() closes it at once', async () => {
  const responses: ServerResponse[] = [];
  await serve(declareListeners([], (_request, response, next) => (responses.push(response), next()), (request, response, next) => {
    if (request.url === '/own') response.end('own');
    else next();
  }), async ({ server, port }) => {
    const client = await RawClient.send(port, requestFor('GET', '/own') + requestFor('GET', '/v1/item/1'));
    for (const body of ['own', '"1"']) assert.is((await client.response()).body, body);
    await waitUntil(() => responses.every(({ closed }) => closed), 'both to close');
    const stopped = server.stop();
    assert.is(await client.closed(), '');
    await stopped;
  }, { stopGraceMs: 3_600_000 });
});
for (const [target, why] of [['/own', 'a response of middleware'], ['/files', 'after it, a response of a mount'], ['/v1/item/1', 'by an operation']] as const) {
  release(`a request that is ${why} is let go of when its response is out`, async () => {
    const listener: Middleware = (request, response, next) => (request.url === '/own' ? response.end('own') : next());
    await serve(declareListeners([], listener), ({ port }) => assertGarbageCollected(port, requestFor('GET', target), 1));
  });
}
release('a response by a listener to a request with an upgrade says Connection: close, and later requests do not start', async () => {
  await serve(declareListeners([], respond), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(message('GET', '/own', '', ['Connection: Upgrade', 'Upgrade: h2c']) + requestFor('GET', '/own'));
    assert.is((await client.response()).headers.get('connection'), 'close');
    assert.is(await client.closed(), '');
  });
});
release.run();
