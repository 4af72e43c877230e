/** Mounted handlers that reply twice or break a stream: nothing is uncaught, and the server goes on. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { MountHandler } from '../../src/index.ts';
import { serveFailingMount, FAILURE, LAST_REQUEST } from '../support/failing-mount.ts';
import { delay, waitUntil } from '../support/wait.ts';
import { RawClient } from '../support/raw-client.ts';
import { serve } from '../support/serve.ts';
import { requestFor, readStatuses } from '../support/statuses.ts';
import { Zoo } from '../support/zoo.ts';

const twice = suite('C11: a handler that responds twice');
for (const [handler, logged, why] of [
  [(_request, response) => {
    response.end('one');
    response.writeHead(500);
  }, ['ERR_HTTP_HEADERS_SENT'], 'a second head'],
  [async (_request, response) => {
    response.end('one');
    await delay(5);
    response.setHeader('X', 'y');
  }, ['ERR_HTTP_HEADERS_SENT'], 'a header, later'],
  [(_request, response) => {
    response.end('one');
    response.write('two');
  }, [], 'more of a body'],
  [(_request, response) => {
    response.end('one');
    response.end('two');
  }, [], 'a second end'],
  [(_request, response) => {
    response.end('one');
    setTimeout(() => response.write('two'), 5);
  }, [], 'more of a body, later'],
] as const satisfies readonly (readonly [MountHandler, readonly string[], string])[]) {
  twice(`${why}: one response is sent, and the connection stays open`, () => serve((server) => {
    new Zoo().register(server);
    server.mount('/files', handler);
  }, async ({ port, errors }) => {
    const client = await RawClient.send(port, requestFor('GET', '/files'));
    assert.is((await client.response()).body, 'one');
    await delay(20);
    client.send(LAST_REQUEST);
    assert.equal(readStatuses(await client.closed()), [200]);
    assert.equal(errors.map(({ cause }) => (cause as NodeJS.ErrnoException).code), logged);
  }));
}
twice.run();

const broken = suite('C11: a handler that breaks a stream');
for (const [handler, statuses, why] of [
  [(_request, response) => response.destroy(FAILURE), [], 'it destroys its response with an error'],
  [(_request, response) => response.destroy(), [], 'it destroys its response'],
  [(_request, response) => response.destroy(new DOMException('no more', 'AbortError')), [], 'an error whose code is a number'],
  [(_request, response) => {
    response.write('half');
    response.destroy(FAILURE);
  }, undefined, 'it destroys its response after half a body'],
  [(request) => request.destroy(FAILURE), [], 'it destroys its request with an error'],
  [(request) => request.socket.destroy(FAILURE), [], 'it destroys the socket with an error'],
  [async (request) => {
    await delay(5);
    request.destroy(FAILURE);
  }, [], 'it destroys its request later'],
  [(request, response) => {
    request.emit('error', FAILURE);
    response.end('fine');
  }, [200, 200], 'an error event on its request'],
  [(_request, response) => {
    setTimeout(() => {
      response.emit('error', FAILURE);
      response.end('fine');
    }, 5);
  }, [200, 200], 'an error event on its response'],
] as const satisfies readonly (readonly [MountHandler, readonly number[] | undefined, string])[]) {
  broken(`${why}: nothing is uncaught`, async () => {
    const { received } = await serveFailingMount(handler, 'POST');
    if (statuses !== undefined) assert.equal(readStatuses(received), statuses);
    assert.not.match(received, 'about:blank');
  });
}
broken('it goes on writing after its client has left: nothing is uncaught', async () => {
  let left = false;
  let written = 0;
  await serve((server) => server.mount('/', (_request, response) => {
    response.write('half');
    response.on('close', () => {
      left = true;
      for (; written < 3; written += 1) response.write('more');
      response.end();
    });
  }), async ({ port, errors }) => {
    const client = await RawClient.send(port, requestFor('GET', '/'));
    await waitUntil(() => client.unread.includes('half'), 'the half');
    client.destroy();
    await waitUntil(() => left, 'the handler to hear of it');
    assert.equal([written, errors], [3, []]);
  });
});
broken.run();
