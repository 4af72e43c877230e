/** `stop()` with a connection in each of its states. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { defineEndpoint, stringId, type ApiServer } from '../../../src/index.ts';
import { delay, Gate, waitUntil, withTimeout } from '../../support/wait.ts';
import { readCaseCount } from '../../support/random.ts';
import { RawClient } from '../../support/raw-client.ts';
import { serve, type TestServer } from '../../support/serve.ts';

const get = (id: string): string => `GET /v1/slow/${id} HTTP/1.1\r\nHost: a\r\n\r\n`;

/** An endpoint whose Get waits at a gate. One mount starts its response, waits and ends it; another waits first. */
function declareGated(gate: Gate, begun: string[] = []): (server: ApiServer) => void {
  return (server) => {
    server.registerEndpoint('/slow', defineEndpoint({
      id: stringId,
      schema: (json: unknown) => json,
      get: async (id) => {
        begun.push(id);
        await gate.passed;
        return { id };
      },
      update: () => gate.passed,
    }));
    server.mount('/stream', async (_request, response) => {
      response.write('first;');
      begun.push('stream');
      await gate.passed;
      response.end('last');
    });
    server.mount('/late', async (_request, response) => {
      begun.push('late');
      await gate.passed;
      response.end('late');
    });
  };
}

// Longer than any of these tests waits.
const LONG_GRACE = { stopGraceMs: 3_600_000 };

const thousand = suite('C2: stop() with a thousand requests in flight');
// On a busy machine, a hundred handshakes can take longer than a connection may be silent by default.
const UNHURRIED = { ...LONG_GRACE, limits: { headersMs: 60_000, operationMs: 0 } };
for (let round = 1; round <= readCaseCount(1); round += 1) {
  thousand(`round ${round}: all get responses in order, the last of each connection with Connection: close`, async () => {
    const gate = new Gate();
    await serve(declareGated(gate), async ({ server, port, received }) => {
      const clients = await Promise.all(Array.from({ length: 100 }, () => RawClient.connect(port, false)));
      const ids = Array.from({ length: 10 }, (_, index) => String(index));
      clients.forEach((client) => client.send(ids.map(get).join('')));
      await waitUntil(() => received() === 1000, 'a thousand requests');
      const stopped = server.stop();
      gate.open();
      await Promise.all(clients.map(async (client) => {
        for (const id of ids) {
          const { status, headers, body } = await client.response();
          assert.is(status, 200);
          assert.equal(JSON.parse(body), { id });
          assert.is(headers.get('connection'), id === '9' ? 'close' : 'keep-alive');
        }
        assert.is(await client.closed(), '');
      }));
      await stopped;
    }, UNHURRIED);
  });
}
thousand.run();

const AT_ONCE = { ...LONG_GRACE, stopLingerMs: 0 };

const idle = suite('C2: stop() with nothing in flight');
for (const [sent, why] of [
  ['', 'silent'],
  ['GET /v1/slow/1 HTT', 'in the middle of a request line'],
  ['GET /v1/slow/1 HTTP/1.1\r\nHost: a\r\n', 'in the middle of a head'],
] as const) {
  idle(`with stopLingerMs: 0, a connection that is ${why}: closed at once`, () => serve(declareGated(new Gate()), async ({ server, port }) => {
    const client = await RawClient.send(port, sent, false);
    await delay(20);
    await withTimeout(server.stop());
    assert.is(await client.closed(), '');
  }, AT_ONCE));
}
idle('with stopLingerMs: 0, a connection that is idle after a response: closed at once', async () => {
  const gate = new Gate();
  gate.open();
  await serve(declareGated(gate), async ({ server, port }) => {
    const client = await RawClient.send(port, get('1'), false);
    assert.is((await client.response()).headers.get('connection'), 'keep-alive');
    await withTimeout(server.stop());
    assert.is(await client.closed(), '');
  }, AT_ONCE);
});
idle('a connection in lingering close, whose client goes on sending: stop() does not wait for it', async () => {
  await serve(declareGated(new Gate()), async ({ server, port }) => {
    const client = await RawClient.send(port, 'nonsense\r\n\r\n');
    assert.is((await client.response()).status, 400);
    const sending = setInterval(() => client.send('x'.repeat(1000)), 10);
    try {
      await delay(50);
      // A lingering close ends after ten seconds at the latest.
      await withTimeout(5000, server.stop());
    } finally {
      clearInterval(sending);
      client.destroy();
    }
  }, LONG_GRACE);
});
idle('new connections are rejected at once, while a request is still in flight', async () => {
  const gate = new Gate();
  await serveInFlight(gate, get('1'), async ({ server, port, client }) => {
    const stopped = server.stop();
    await delay(5);
    assert.is(await RawClient.connect(port).then(() => 'accepted', (error) => error.code), 'ECONNREFUSED');
    gate.open();
    assert.is((await client.response()).status, 200);
    await stopped;
  });
});
idle.run();

const flying = suite('C2: stop() with a request in flight');

flying('requests that are pipelined after the stop do not start', async () => {
  const gate = new Gate();
  const begun: string[] = [];
  await serveInFlight(gate, get('first'), async ({ server, client }) => {
    const stopped = server.stop();
    client.send(get('second'));
    await delay(20);
    gate.open();
    const { headers, body } = await client.response();
    assert.is(headers.get('connection'), 'close');
    assert.is(body, '{"id":"first"}');
    assert.is(await client.closed(), '');
    client.destroy();
    await stopped;
    assert.equal(begun, ['first']);
  }, begun);
});
flying('a body that is still arriving is read to its end, and its request gets its response', async () => {
  const gate = new Gate();
  gate.open();
  await serve(declareGated(gate), async ({ server, port, received }) => {
    const client = await RawClient.send(port, 'PUT /v1/slow/1 HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n"hal', false);
    await waitUntil(() => received() === 1, 'the head');
    const stopped = server.stop();
    await delay(20);
    client.send('f ok"');
    const { status, headers } = await client.response();
    assert.is(status, 204);
    assert.is(headers.get('connection'), 'close');
    await stopped;
  });
});
flying('a mounted handler that has not started its response sends Connection: close', async () => {
  const gate = new Gate();
  await serveInFlight(gate, 'GET /late HTTP/1.1\r\nHost: a\r\n\r\n', async ({ server, client }) => {
    const stopped = server.stop();
    gate.open();
    const { headers, body } = await client.response();
    assert.is(headers.get('connection'), 'close');
    assert.is(body, 'late');
    await stopped;
  });
});
flying('a mounted handler whose request waits for an earlier one sends Connection: close', async () => {
  const gate = new Gate();
  await serveInFlight(gate, `${get('1')}GET /late HTTP/1.1\r\nHost: a\r\n\r\n`, async ({ server, client, received }) => {
    await waitUntil(() => received() === 2, 'both requests');
    const stopped = server.stop();
    gate.open();
    assert.is((await client.response()).headers.get('connection'), 'keep-alive');
    assert.is((await client.response()).headers.get('connection'), 'close');
    await stopped;
  });
});
flying('a mounted handler that streams can end its response, then the connection closes', async () => {
  const gate = new Gate();
  await serveInFlight(gate, 'GET /stream HTTP/1.1\r\nHost: a\r\n\r\n', async ({ server, client }) => {
    await waitUntil(() => client.unread.includes('first;'), 'the first part');
    const stopped = server.stop();
    await delay(20);
    gate.open();
    assert.is((await client.response()).body, 'first;last');
    assert.is(await client.closed(), '');
    await stopped;
  });
});
flying('a response that is written but not flushed is not lost', async () => {
  const large = 'x'.repeat(20_000_000);
  let asked = 0;
  const declare = (server: ApiServer): void => {
    server.registerEndpoint('/large', { id: stringId, get: () => (asked++, large) });
  };
  await serve(declare, async ({ server, port }) => {
    const client = await RawClient.connect(port, false);
    client.socket.pause();
    client.send('GET /v1/large/1 HTTP/1.1\r\nHost: a\r\n\r\n');
    await waitUntil(() => asked === 1, 'the operation to begin');
    const stopped = server.stop();
    client.socket.resume();
    assert.is((await client.response()).body.length, large.length + 2);
    await stopped;
  }, LONG_GRACE);
});
flying('connections that are still open after stopGraceMs are destroyed', async () => {
  const gate = new Gate();
  await serveInFlight(gate, get('1'), async ({ server, client }) => {
    await server.stop();
    assert.is(await client.closed(), '');
  }, [], 100);
});
flying.run();

/** Serves, sends bytes, and waits until the first request has started. */
async function serveInFlight(
  gate: Gate,
  sent: string,
  use: (served: TestServer & { client: RawClient }) => Promise<void>,
  begun: string[] = [],
  stopGraceMs = LONG_GRACE.stopGraceMs,
): Promise<void> {
  await serve(declareGated(gate, begun), async (served) => {
    const client = await RawClient.connect(served.port, false);
    try {
      client.send(sent);
      await waitUntil(() => begun.length === 1, 'the operation to begin');
      await use(Object.assign(served, { client }));
    } finally {
      gate.open();
      client.destroy();
    }
  }, { stopGraceMs });
}
