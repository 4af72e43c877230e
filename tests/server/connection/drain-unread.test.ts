/** `stop()` while the server has an unread request, after responses that the client has not received yet. */
import { defineEndpoint, integerId, type ApiServer } from '../../../src/index.ts';
import { linger } from '../../support/linger.ts';
import { assert, delay, RawClient, serve, suite } from '../../support/facts.ts';

// More than the buffers of the client's side hold, and less than those of both sides.
const LENGTH = 400_000;
const RESPONSES = 5;

function lengthy(server: ApiServer): void {
  server.registerEndpoint('/text', defineEndpoint({ id: integerId, get: (length) => 'x'.repeat(length) }));
}

const request = `GET /v1/text/${LENGTH} HTTP/1.1\r\nHost: a\r\n\r\n`;

const unread = suite('stop() with a request unread');
unread('the responses before it reach a client that reads them later', () => serve(lengthy, async ({ server, port }) => {
  const client = await RawClient.connect(port, false);
  client.socket.pause();
  client.send(request.repeat(RESPONSES));
  await delay(100);
  client.send(request);
  const stopped = server.stop();
  await delay(50);
  client.socket.resume();
  for (let response = 1; response <= RESPONSES; response += 1) {
    const { status, body } = await client.response();
    assert.is(status, 200);
    assert.is(body.length, LENGTH + '""'.length);
  }
  assert.is(await client.closed(), '');
  await stopped;
}, linger(0)));
