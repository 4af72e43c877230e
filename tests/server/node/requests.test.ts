/** The behaviour of Node's requests that the server relies on, shown on plain Node objects, so that a change in Node fails here. */
import type { IncomingMessage } from 'node:http';
import { bufferUnread, emitNoClose, onFirstRead } from '../../../src/server/exchange/node/internals/requests.ts';
import { connectToListener } from '../../support/connect-to-listener.ts';
import { assert, head, message, suite, waitUntil } from '../../support/facts.ts';

const requests = suite('a request');
requests('that is not read: bufferUnread sets how much of it Node buffers before it pauses', async () => {
  const bytes = 512 * 1024;
  let request: IncomingMessage | undefined;
  await connectToListener((received) => (bufferUnread(received, bytes), (request = received)), async (client) => {
    client.send(head('POST', '/', [`Content-Length: ${4 * bytes}`]) + 'x'.repeat(4 * bytes));
    await waitUntil(() => request?.socket.isPaused() === true, 'the pause');
    const { readableLength = 0 } = request ?? {};
    assert.ok(readableLength >= bytes && readableLength < bytes + 128 * 1024, `${readableLength} bytes`);
  });
});
requests('without a stream state, as in other engines: bufferUnread and emitNoClose do nothing', () => {
  bufferUnread({} as IncomingMessage, 1);
  emitNoClose({} as IncomingMessage);
});
for (const [how, read] of [
  ['read to its end', async (request) => { for await (const _ of request); }],
  ['destroyed', (request) => request.destroy()],
] as const satisfies readonly (readonly [string, (request: IncomingMessage) => unknown])[]) {
  requests(`that is ${how}: after emitNoClose, Node does not emit close`, async () => {
    let closes = 0;
    let isOver = false;
    await connectToListener(async (request) => {
      emitNoClose(request);
      request.on('close', () => (closes += 1));
      await read(request);
      setImmediate(() => (isOver = true));
    }, async (client) => {
      client.send(message('POST', '/', 'a'));
      await waitUntil(() => isOver, 'the end');
      assert.is(closes, 0);
    });
  });
}
for (const [how, read] of [
  ['a listener for data', (request) => request.on('data', () => {})],
  ['a listener for readable', (request) => request.on('readable', () => request.read())],
  ['resume', (request) => request.resume()],
  ['a loop', async (request) => { for await (const _ of request); }],
] as const satisfies readonly (readonly [string, (request: IncomingMessage) => unknown])[]) {
  requests(`that is read by ${how}: onFirstRead is called once, at the first read`, async () => {
    const bytes = 256 * 1024;
    const steps: string[] = [];
    await connectToListener((request, response) => {
      onFirstRead(request, () => steps.push('read'));
      setTimeout(() => (steps.push('begun'), read(request)), 10);
      request.on('end', () => response.end());
    }, async (client) => {
      client.send(head('POST', '/', [`Content-Length: ${bytes}`]));
      await waitUntil(() => steps.includes('read'), 'the read');
      client.send('x'.repeat(bytes));
      assert.is((await client.response()).status, 200);
      assert.equal(steps, ['begun', 'read']);
    });
  });
}
