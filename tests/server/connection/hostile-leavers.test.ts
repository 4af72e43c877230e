/**
 * Clients that leave at any point of a request: the operation in flight is notified, no other operation starts for them, and other
 * clients notice nothing.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiServer } from '../../../src/index.ts';
import { delay, waitUntil } from '../../support/wait.ts';
import { serveListener } from '../../support/serve-listener.ts';
import { head, message } from '../../support/messages.ts';
import { Random, readSeed } from '../../support/random.ts';
import { RawClient, send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';
import { CHUNKED, POST, QUICK, SlowEndpoint } from '../../support/slow-endpoint.ts';
import { runTogether } from '../../support/run-together.ts';

const UPGRADE = head('GET', '/v1/slow/1', ['Connection: upgrade', 'Upgrade: h2c']);
const ENDLESS_UPGRADE = head('GET', '/endless', ['Connection: upgrade', 'Upgrade: h2c']);
// More than Node buffers of an unread body.
const UNREAD_BODY = head('GET', '/v1/slow/1', ['Content-Length: 1000000']) + 'x'.repeat(500_000);

type Leave = (client: RawClient) => void;

const WAYS_TO_LEAVE: readonly (readonly [how: string, leave: Leave])[] = [
  ['resets the connection', ({ socket }) => socket.resetAndDestroy()],
  ['closes the connection', ({ socket }) => socket.destroy()],
  ['ends its side, and stays', ({ socket }) => socket.end()],
];

/**
 * The bytes that are sent, how many requests the server receives before the client leaves, and the functions that have started by then.
 * `next` is sent separately, because Node drops bytes that arrive together with an upgrade request.
 */
type Point = readonly [when: string, sent: string, seen: number, begun: readonly string[], next?: string];

const POINTS: readonly Point[] = [
  ['before it sends anything', '', 0, []],
  ['in a request line', 'GET /v1/sl', 0, []],
  ['in a head', 'GET /v1/slow/1 HTTP/1.1\r\nHost: a\r\n', 0, []],
  ['after a head, before the body', head('POST', '/v1/slow', ['Content-Length: 10']), 1, []],
  ['in a body', POST.slice(0, -5), 1, []],
  ['one byte before the end of a body', POST.slice(0, -1), 1, []],
  ['in a chunk', CHUNKED.slice(0, -20), 1, []],
  ['before the last chunk', CHUNKED.slice(0, -5), 1, []],
  ['in the middle of the last line', CHUNKED.slice(0, -1), 1, []],
  ['while a Get is in flight', message('GET', '/v1/slow/1'), 1, ['1']],
  ['while a Create is in flight', POST, 1, ['create']],
  ['while a Create with a chunked body is in flight', CHUNKED, 1, ['create']],
  ['while an Update is in flight', message('PUT', '/v1/slow/1', '6'), 1, ['1']],
  ['while a request with an upgrade is in flight', UPGRADE, 1, ['1']],
  ['in the middle of a response', message('GET', '/endless'), 1, ['endless']],
  ['while others wait for an operation', message('GET', '/v1/slow/1') + POST + message('GET', '/v1/slow/2'), 3, ['1']],
  ['while others wait for a response', message('GET', '/endless') + POST, 2, ['endless']],
  ['while half of a request waits for an operation', message('GET', '/v1/slow/1') + POST.slice(0, -5), 2, ['1']],
  ['while a CONNECT waits for an operation', `${message('GET', '/v1/slow/1')}CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n`, 1, ['1']],
  ['while a CONNECT waits for a response', `${message('GET', '/endless')}CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n`, 1, ['endless']],
  ['in the head after an operation in flight', `${message('GET', '/v1/slow/1')}GET /v1/sl`, 1, ['1']],
  ['after a request that is ignored after an upgrade in flight', UPGRADE, 1, ['1'], POST],
  ['after a request that is ignored after the response to an upgrade', ENDLESS_UPGRADE, 1, ['endless'], QUICK],
  ['in a head that is ignored after an upgrade in flight', UPGRADE, 1, ['1'], `${POST}GET /v1/sl`],
  ['in a body that is not read', UNREAD_BODY, 1, ['1']],
];

/** Serves endpoints through `requestListener` in a server of the user. */
async function serveHosted(register: (server: ApiServer) => void, use: (port: number) => Promise<void>): Promise<void> {
  const api = new ApiServer('/v1', { ...ENDLESS, logger: { info() {}, error() {} } });
  register(api);
  await serveListener(api.requestListener, use);
}

// Only leaving ends an operation, however long the server takes to see it.
const ENDLESS = { limits: { operationMs: 0 } };

const leaving = suite('C3: a client that leaves');
const leavingTogether = runTogether(leaving);
for (const [how, leave] of WAYS_TO_LEAVE) {
  for (const [when, sent, seen, begun, next] of POINTS) {
    for (const [before, quick] of [['', ''], [', with an unread response', QUICK]] as const) {
      leaving(`${how} ${when}${before}: ${begun.join() || 'nothing'} has started, and ${begun.length === 0 ? 'nothing is' : 'it is'} notified`, async () => {
        const slow = new SlowEndpoint();
        await serve(slow.register, async ({ port, received }) => {
          const client = await RawClient.send(port, quick + sent);
          const expected = seen + Number(quick !== '');
          await waitUntil(() => received() === expected && slow.begun.length === begun.length, 'what was sent');
          if (next !== undefined) {
            client.send(next);
            await waitUntil(() => received() === expected + 1, 'what was sent next');
          }
          leave(client);
          await waitUntil(() => slow.aborted === begun.length, 'the signal');
          if (!client.socket.destroyed) await client.closed();
          slow.gate.open();
          assert.is((await send(port, QUICK)).body, '"quick"');
          assert.equal(slow.begun, begun);
        }, ENDLESS);
      });
    }
  }
}
for (const [how, leave] of WAYS_TO_LEAVE) {
  for (const [what, first, begun] of [
    ['an operation', message('GET', '/v1/slow/1'), '1'],
    ['a mount', message('GET', '/endless'), 'endless'],
  ] as const) {
    leavingTogether(`${how} while more requests than the server reads ahead wait for ${what}: it is notified`, async () => {
      const slow = new SlowEndpoint();
      await serve(slow.register, async ({ port, received }) => {
        const client = await RawClient.send(port, first + POST.repeat(5000));
        await waitUntil(() => received() > 16, 'as many as are parsed ahead');
        leave(client);
        await waitUntil(() => slow.aborted === 1, 'the signal');
        if (!client.socket.destroyed) await client.closed();
        client.destroy();
        assert.equal(slow.begun, [begun]);
      }, ENDLESS);
    });
  }
}
for (const [how, leave] of WAYS_TO_LEAVE) {
  for (const [what, first, begun] of [
    ['an operation', message('GET', '/v1/slow/1'), '1'],
    ['a mount', message('GET', '/endless'), 'endless'],
    ['as many requests as the server reads ahead', message('GET', '/v1/slow/1') + QUICK.repeat(62), '1'],
  ] as const) {
    for (const [kind, headers] of [['a body', []], ['a body of a request with an upgrade', ['Connection: upgrade', 'Upgrade: h2c']]] as const) {
      leavingTogether(`${how} in ${kind} that is longer than the server reads, after ${what}: the operation or mount is notified`, async () => {
        const slow = new SlowEndpoint();
        await serve(slow.register, async ({ port }) => {
          const client = await RawClient.send(port, first + head('POST', '/v1/slow', [...headers, 'Content-Length: 5000000']));
          await waitUntil(() => slow.begun.length === 1, 'the first to begin');
          client.send('x'.repeat(4_000_000));
          await delay(100);
          leave(client);
          await waitUntil(() => slow.aborted === 1, 'the signal');
          client.destroy();
          assert.equal(slow.begun, [begun]);
        }, ENDLESS);
      });
    }
  }
}
for (const [how, leave] of WAYS_TO_LEAVE) {
  leavingTogether(`${how} while more requests than the server reads ahead wait, in a server of the user: the operation is notified`, async () => {
    const slow = new SlowEndpoint();
    await serveHosted(slow.register, async (port) => {
      const client = await RawClient.send(port, message('GET', '/v1/slow/1') + QUICK.repeat(5000));
      await waitUntil(() => slow.begun.length === 1, 'the first to begin');
      await delay(50);
      leave(client);
      await waitUntil(() => slow.aborted === 1, 'the signal');
      client.destroy();
      assert.equal(slow.begun, ['1']);
    });
  });
}
leavingTogether('while the server drains, and more requests than it reads ahead wait, the last one partial: the operation is notified', async () => {
  const slow = new SlowEndpoint();
  await serve(slow.register, async ({ port, server, received }) => {
    const client = await RawClient.send(port, message('GET', '/v1/slow/1') + QUICK.repeat(70) + POST.slice(0, -1));
    await waitUntil(() => received() === 17, 'as many as are parsed ahead');
    const stopped = server.stop();
    await delay(20);
    client.socket.resetAndDestroy();
    await stopped;
    await waitUntil(() => slow.aborted === 1, 'the signal');
  }, { ...ENDLESS, stopGraceMs: 3_600_000 });
});
leavingTogether('while more requests than the server reads ahead wait: they do not start', async () => {
  const slow = new SlowEndpoint();
  await serve(slow.register, async ({ port, received }) => {
    const client = await RawClient.send(port, message('GET', '/v1/slow/1') + POST.repeat(500));
    await waitUntil(() => received() > 16, 'as many as are parsed ahead');
    client.socket.resetAndDestroy();
    await delay(50);
    slow.gate.open();
    await delay(50);
    assert.is((await send(port, QUICK)).body, '"quick"');
    assert.equal(slow.begun, ['1']);
  });
});
leaving.run();

const ended = suite('C3: a mounted handler that ends the socket');
const endedTogether = runTogether(ended);
for (const [what, end] of [
  ['with another request pipelined', POST],
  ['with no other request', ''],
] as const) {
  endedTogether(`${what}: the connection closes although the client stays, and the response closes`, async () => {
    let closed = 0;
    await serve((server) => {
      server.mount('/ends', (request, response) => {
        response.on('close', () => (closed += 1));
        response.write('first');
        request.socket.end();
      });
    }, async ({ port, server }) => {
      const client = await RawClient.send(port, message('GET', '/ends') + end);
      await client.closed();
      await waitUntil(() => closed === 1, 'the response to close');
      // Nothing is left that `stop` would wait for.
      await server.stop();
    }, { stopGraceMs: 3_600_000 });
  });
}
ended.run();

const CLIENTS = 200;
const IN_FLIGHT = 4;

const storm = suite('two hundred clients that reset their connections');
for (const [why, isInTurn] of [['at once', false], ['one after the other', true]] as const) {
  storm(`at random points, ${why}: limits.inFlight does not count them, and stop() does not wait`, async () => {
    const seed = readSeed();
    const random = new Random(seed);
    const slow = new SlowEndpoint();
    const whole = QUICK + POST + QUICK + CHUNKED + message('GET', '/endless') + QUICK;
    const resetSomewhere = async (port: number): Promise<void> => {
      const client = await RawClient.send(port, whole.slice(random.below(20), random.below(whole.length)));
      await delay(random.below(20));
      client.socket.resetAndDestroy();
    };
    await serve(slow.register, async ({ port, server }) => {
      const resets: Promise<void>[] = [];
      for (let count = 0; count < CLIENTS; count += 1) {
        const reset = resetSomewhere(port);
        resets.push(reset);
        if (isInTurn) await reset;
      }
      await Promise.all(resets);
      const clients = await Promise.all(Array.from({ length: IN_FLIGHT }, () => RawClient.connect(port)));
      await delay(50);
      slow.begun.length = 0;
      clients.forEach((client) => client.send(message('GET', '/v1/slow/last')));
      await waitUntil(() => slow.begun.length === IN_FLIGHT, `room for all again (RESTPOINT_SEED=${seed})`);
      const stopped = server.stop();
      slow.gate.open();
      for (const client of clients) assert.is((await client.response()).body, '"last"', `RESTPOINT_SEED=${seed}`);
      clients.forEach((client) => client.destroy());
      await stopped;
    }, { stopGraceMs: 3_600_000, limits: { operationMs: 0, inFlight: IN_FLIGHT } });
  });
}
storm.run();
