/** A listener of the user that waits before it passes some requests on, so that they arrive in a different order. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiServer, defineEndpoint, stringId, type ApiRequest } from '../../../src/index.ts';
import { serveListener } from '../../support/serve-listener.ts';
import { assert, delay, Gate, head, message, RawClient, sendUntilClosed, suite, waitUntil } from '../../support/facts.ts';

type Get = (name: string, request: ApiRequest) => Promise<string>;
type HandOn = (request: IncomingMessage, response: ServerResponse, server: ApiServer) => void;

async function serveThrough(handOn: HandOn, use: (port: number) => Promise<void>, get: Get = async (name) => name): Promise<void> {
  const server = new ApiServer('', { limits: { bodyBytes: 100 }, logger: { info() {}, error() {} } });
  server.registerEndpoint('/item', defineEndpoint({ id: stringId, schema: String, create: (name) => name, get }));
  await serveListener((request, response) => handOn(request, response, server), use);
}

const handOnLate: HandOn = (request, response, server) => {
  if (request.headers['x-late'] === undefined) server.requestListener(request, response);
  else setTimeout(() => server.requestListener(request, response), 20);
};

const FIRST = message('GET', '/item/first');
const LATE = ['X-Late: yes'];

const late = suite('a request that is passed on later than the ones after it');
for (const [what, held, status] of [
  ['a Get', message('GET', '/item/late', '', LATE), 200],
  ['a Create', message('POST', '/item', '"late"', LATE), 201],
] as const) {
  for (const [why, last, lastStatus] of [
    ['to a request with Connection: close', message('GET', '/item/last', '', ['Connection: close']), 200],
    ['to a request with an upgrade', head('GET', '/item/last', ['Connection: upgrade', 'Upgrade: x']), 200],
    ['to an invalid request', message('GET', '/item/%00'), 400],
    ['to a body that is too long', head('POST', '/item', ['Content-Length: 101']), 413],
  ] as const) {
    for (const before of ['', FIRST]) {
      late(`${what}, ${before === '' ? '' : 'after another request, '}before a response ${why}: all get responses, in order`, async () => {
        await serveThrough(handOnLate, async (port) => {
          const responses = (await sendUntilClosed(port, before + held + last)).matchAll(/HTTP\/1\.1 (\d+)/g);
          const expected = [...(before === '' ? [] : [200]), status, lastStatus];
          assert.equal([...responses].map(([, text]) => Number(text)), expected);
        });
      });
    }
  }
}
for (const [what, held, status] of [
  ['a Get', message('GET', '/item/late', '', LATE), 200],
  ['a Create', message('POST', '/item', '"late"', LATE), 201],
] as const) {
  late(`${what}, after an operation in flight, on a connection that is closing: all get responses, in order`, async () => {
    const isHandedOn = new Gate();
    let handOnHeld = (): void => {};
    const handOn: HandOn = (request, response, server) => {
      if (request.headers['x-late'] !== undefined) {
        handOnHeld = () => server.requestListener(request, response);
        return;
      }
      server.requestListener(request, response);
      if (request.url !== '/item/last') return;
      handOnHeld();
      isHandedOn.open();
    };
    const get = async (name: string): Promise<string> => {
      if (name === 'first') await isHandedOn.passed;
      return name;
    };
    await serveThrough(handOn, async (port) => {
      const last = head('GET', '/item/last', ['Connection: upgrade', 'Upgrade: x']);
      const responses = (await sendUntilClosed(port, FIRST + held + last)).matchAll(/HTTP\/1\.1 (\d+)/g);
      assert.equal([...responses].map(([, text]) => Number(text)), [200, status, 200]);
    }, get);
  });
}

const leaving = suite('a client that leaves while half of its body waits, and that request was passed on late');
for (const [what, between] of [
  ['after a slow operation', ''],
  ['after a slow operation and a request that is passed on even later', message('GET', '/item/late', '', ['X-Late: 40'])],
] as const) {
  leaving(`${what}: the signal of the operation aborts`, async () => {
    let passedOn = 0;
    let isAborted = false;
    const handOn: HandOn = (request, response, server) => {
      setTimeout(() => (passedOn += 1, server.requestListener(request, response)), Number(request.headers['x-late']));
    };
    const get: Get = (_name, { signal }) => {
      signal.addEventListener('abort', () => (isAborted = true));
      return new Promise(() => {});
    };
    await serveThrough(handOn, async (port) => {
      const client = await RawClient.connect(port);
      const half = head('POST', '/item', ['X-Late: 20', 'Content-Length: 200000']) + 'x'.repeat(100_000);
      client.send(message('GET', '/item/first', '', ['X-Late: 0']) + between + half);
      await waitUntil(() => passedOn === (between === '' ? 2 : 3), 'all to be passed on');
      client.destroy();
      await waitUntil(() => isAborted, 'the signal');
    }, get);
  });
}

const done = suite('a request that is passed on after your code has responded');
done('does not wait for its turn: the connection stays open, however often this happens', async () => {
  const handOn: HandOn = (request, response, server) => {
    if (request.url === '/rejected') response.writeHead(401, { 'Content-Length': 0 }).end();
    setTimeout(() => server.requestListener(request, response), 1);
  };
  await serveThrough(handOn, async (port) => {
    const client = await RawClient.connect(port);
    for (let count = 0; count < 100; count += 1) {
      client.send(message('GET', '/rejected'));
      assert.is((await client.response()).status, 401);
      await delay(3);
    }
    client.send(FIRST);
    assert.is((await client.response()).body, '"first"');
  });
});
