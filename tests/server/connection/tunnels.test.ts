/** Requests for a tunnel (CONNECT) after a reply that is unfinished: Node takes its own listeners off the socket then. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { assert, delay, message, RawClient, serve, suite, waitUntil } from '../../support/facts.ts';

const CONNECT = 'CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n';
// More than the system takes for a client that does not read.
const BYTES = 16 * 2 ** 20;

const tunnel = suite('a request for a tunnel behind a mounted handler');

tunnel('that streams to a slow reader: the whole stream comes, and the connection closes', () => serve((server) => {
  const pieces = Array.from({ length: BYTES / 65_536 }, () => Buffer.alloc(65_536, 'x'));
  server.mount('/stream', (_request, response) => {
    response.writeHead(200, { 'Content-Length': BYTES });
    return pipeline(Readable.from(pieces, { objectMode: false }), response);
  });
}, async ({ port }) => {
  const client = await RawClient.connect(port);
  client.socket.pause();
  client.send(message('GET', '/stream') + CONNECT);
  await delay(50);
  client.socket.resume();
  assert.is((await client.response()).body.length, BYTES);
  assert.is(await client.closed(), '');
}));
for (const [how, leave] of [
  ['resets the connection', ({ socket }: RawClient) => socket.resetAndDestroy()],
  ['ends its side, and stays', ({ socket }: RawClient) => socket.end()],
] as const) {
  tunnel(`whose client ${how}: the handler's request and response are closed`, async () => {
    const closed: string[] = [];
    let begun = 0;
    await serve((server) => {
      server.mount('/endless', (request, response) => {
        begun += 1;
        request.once('close', () => closed.push('request'));
        response.once('close', () => closed.push('response'));
        response.write('first');
      });
    }, async ({ port }) => {
      const client = await RawClient.send(port, message('GET', '/endless') + CONNECT);
      await waitUntil(() => begun === 1, 'the handler to be called');
      leave(client);
      await waitUntil(() => closed.length === 2, 'both to be closed');
      assert.equal(closed.sort(), ['request', 'response']);
    });
  });
}
