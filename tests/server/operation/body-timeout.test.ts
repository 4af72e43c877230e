/** O7: `limits.requestMs` of an operation, which replaces the server's. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bytes, defineEndpoint, reply, stringId, type ApiServer } from '../../../src/index.ts';
import { Gate, withTimeout } from '../../support/wait.ts';
import { head } from '../../support/messages.ts';
import { RawClient } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';
import { runTogether } from '../../support/run-together.ts';

const NEVER_MS = 60_000;
const SHORT_MS = 300;
// Node looks for requests that are too slow twice a second.
const LONGER_MS = SHORT_MS + 1000;
// A limit is enforced within a second, and the timer that measures this is coarse.
const LATE_MS = 1000 + 500;

/** An endpoint whose operations have their own limit, and one whose operations have the server's. */
const declare = (requestMs: number) => (server: ApiServer): void => {
  const limits = { requestMs };
  const input = (json: unknown): unknown => json;
  server.registerEndpoint('/timed', defineEndpoint({
    id: stringId,
    update: { input, limits, run: () => {} },
    patch: { input: bytes(), limits, run: async (_id, body) => { for await (const _ of body); } },
    get: { limits, run: (id) => id },
    delete: { limits, run: () => {} },
    custom: { early: { input: bytes(), limits, run: () => reply(202) } },
  }));
  server.registerEndpoint('/plain', defineEndpoint({ id: stringId, update: { input, run: () => {} } }));
};

const formatBegun = (method: string, path: string, contentLength = 4): string => `${head(method, path, [`Content-Length: ${contentLength}`])}"a`;

const time = suite('the time of an operation for a body');
const timeTogether = runTogether(time);

for (const [method, body] of [['PUT', 'JSON'], ['PATCH', 'bytes']] as const) {
  timeTogether(`${body}: shorter than the server's -> 408 after it, and the connection closes`, async () => {
    await serve(declare(SHORT_MS), async ({ port }) => {
      const client = await RawClient.connect(port, false);
      const begin = Date.now();
      client.send(formatBegun(method, '/v1/timed/1'));
      await withTimeout(SHORT_MS + LATE_MS, once(client.socket, 'end'));
      const elapsed = Date.now() - begin;
      assert.ok(elapsed >= SHORT_MS - 10, `closed after ${elapsed} ms`);
      const { status, headers, body: json } = await client.response();
      assert.is(status, 408);
      assert.is(headers.get('connection'), 'close');
      assert.is(JSON.parse(json).detail, 'The request took too long to arrive.');
      assert.is(await client.closed(), '');
    }, { limits: { requestMs: NEVER_MS } });
  });
  timeTogether(`${body}: longer than the server's -> a response, and the server's holds for the next request`, async () => {
    await serve(declare(NEVER_MS), async ({ port }) => {
      const client = await RawClient.connect(port, false);
      client.send(formatBegun(method, '/v1/timed/1'));
      await sleep(LONGER_MS);
      client.send('b"');
      assert.is((await client.response()).status, 204);
      client.send(formatBegun('PUT', '/v1/plain/1'));
      assert.is((await withTimeout(SHORT_MS + LATE_MS, client.response())).status, 408);
      assert.is(await client.closed(), '');
    }, { limits: { requestMs: SHORT_MS } });
  });
  timeTogether(`${body}: longer than the server's -> 408 after it`, async () => {
    await serve(declare(LONGER_MS), async ({ port }) => {
      const client = await RawClient.connect(port, false);
      const begin = Date.now();
      client.send(formatBegun(method, '/v1/timed/1'));
      assert.is((await withTimeout(LONGER_MS + LATE_MS, client.response())).status, 408);
      const elapsed = Date.now() - begin;
      assert.ok(elapsed >= LONGER_MS - 10, `408 after ${elapsed} ms`);
      assert.is(await client.closed(), '');
    }, { limits: { requestMs: SHORT_MS } });
  });
}
timeTogether('does not hold for an operation without it', async () => {
  await serve(declare(SHORT_MS), async ({ port }) => {
    const client = await RawClient.connect(port, false);
    client.send(formatBegun('PUT', '/v1/plain/1'));
    await sleep(LONGER_MS);
    client.send('b"');
    assert.is((await client.response()).status, 204);
    client.destroy();
  }, { limits: { requestMs: NEVER_MS } });
});
timeTogether('also holds for a body that the operation does not read, after its reply', async () => {
  await serve(declare(SHORT_MS), async ({ port }) => {
    for (const [method, path, status] of [['POST', '/v1/timed/early', 202], ['DELETE', '/v1/timed/1', 204]] as const) {
      const client = await RawClient.connect(port, false);
      client.send(formatBegun(method, path));
      assert.is((await client.response()).status, status);
      await withTimeout(SHORT_MS + LATE_MS, client.closed());
    }
  }, { limits: { requestMs: NEVER_MS } });
});
timeTogether('does not run while context is asked', async () => {
  const gate = new Gate();
  const slow = (server: ApiServer): void => server.registerEndpoint('/timed', defineEndpoint({
    id: stringId,
    context: () => gate.passed.then(() => 'anyone'),
    update: { input: (json: unknown) => json, limits: { requestMs: SHORT_MS }, run: () => {} },
  }));
  await serve(slow, async ({ port }) => {
    const client = await RawClient.connect(port, false);
    client.send(formatBegun('PUT', '/v1/timed/1'));
    await sleep(LONGER_MS);
    gate.open();
    client.send('b"');
    assert.is((await client.response()).status, 204);
    client.destroy();
  }, { limits: { requestMs: NEVER_MS } });
});
timeTogether('is over -> the 408 is formatted by formatProblem', async () => {
  await serve(declare(SHORT_MS), async ({ port }) => {
    const client = await RawClient.connect(port, false);
    client.send(formatBegun('PUT', '/v1/timed/1?a'));
    assert.is((await client.response()).body, '{"error":408,"url":"/v1/timed/1?a"}');
    client.destroy();
  }, { limits: { requestMs: NEVER_MS }, formatProblem: ({ status }, { url }) => ({ body: { error: status, url } }) });
});
timeTogether('is over after the client has left, or after all was received: nothing happens', async () => {
  await serve(declare(SHORT_MS), async ({ port, errors }) => {
    const leaver = await RawClient.connect(port, false);
    leaver.send(formatBegun('PUT', '/v1/timed/1'));
    leaver.destroy();
    const client = await RawClient.connect(port, false);
    client.send(`${formatBegun('PUT', '/v1/timed/1')}b"`);
    assert.is((await client.response()).status, 204);
    await sleep(LONGER_MS);
    client.send(head('GET', '/v1/timed/1'));
    assert.is((await client.response()).body, '"1"');
    assert.equal(errors, []);
    client.destroy();
  }, { limits: { requestMs: NEVER_MS } });
});
time.run();
