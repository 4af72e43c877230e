/** `stop()` called by a function that it waits for: an operation, a decoder, a mounted handler. */
import type { ServerResponse } from 'node:http';
import { defineEndpoint, stringId, type ApiServer } from '../../../src/index.ts';
import { assert, delay, message, RawClient, serve, suite } from '../../support/facts.ts';

type Stop = () => Promise<void>;

/** Declares `/thing`, whose Get, Create and decoder call `stop` on request, and a mount that calls it too. */
function declareStop(onGet: (stop: Stop) => unknown): (server: ApiServer) => void {
  return (server) => {
    const stop: Stop = () => server.stop();
    const respond = async (response: ServerResponse): Promise<void> => {
      await onGet(stop);
      response.end('text');
    };
    server.registerEndpoint('/thing', defineEndpoint({
      id: stringId,
      schema: async (json: unknown) => (json === 'decoder' ? (await onGet(stop), 'text') : 'text'),
      create: (item) => item,
      get: async () => (await onGet(stop), 'text'),
      delete: () => void onGet(stop),
    }));
    server.mount('/mount', (_request, response) => respond(response));
  };
}

const CALLERS = [
  ['a synchronous operation', message('DELETE', '/v1/thing/1'), 204],
  ['an operation', message('GET', '/v1/thing/1'), 200],
  ['a decoder', message('POST', '/v1/thing', '"decoder"'), 201],
  ['a mounted handler', message('GET', '/mount'), 200],
] as const;

const inside = suite('stop() called from within');
for (const [caller, sent, status] of CALLERS) {
  inside(`${caller}: its own request gets a response with Connection: close, and the connection ends`, async () => {
    let stopped: Promise<void> | undefined;
    await serve(declareStop((stop) => (stopped = stop(), delay(5))), async ({ port }) => {
      const client = await RawClient.send(port, sent + message('GET', '/v1/thing/next'), false);
      const response = await client.response();
      assert.is(response.status, status);
      // Requests that had arrived already get responses too. The last response says `Connection: close`.
      const last = response.headers.get('connection') === 'close' ? response : await client.response();
      assert.is(last.headers.get('connection'), 'close');
      assert.is(await client.closed(), '');
      await stopped;
    }, { stopGraceMs: 3_600_000 });
  });
}
for (const [caller, sent] of CALLERS.slice(1)) {
  inside(`${caller}, which waits for it: both end after stopGraceMs`, async () => {
    const order: string[] = [];
    await serve(declareStop((stop) => stop().then(() => order.push('stopped'))), async ({ port, server }) => {
      const client = await RawClient.send(port, sent, false);
      assert.is(await client.closed(), '');
      await server.stop();
      await delay(10);
      assert.equal(order, ['stopped']);
    }, { stopGraceMs: 100 });
  });
}
