/** Clients that go on sending a body of 8 MiB, which the server does not read to its end. */
import * as assert from 'uvu/assert';
import { head } from './messages.ts';
import { RawClient, type RawResponse } from './raw-client.ts';

const LONG = Buffer.alloc(8 * 2 ** 20, ' ');

/**
 * Sends a request with that body in each way: with a length and chunked, reading the response while it sends and only when all is sent. Asserts
 * that the response can be read, and that the connection closes behind it. `before` is called before each request.
 */
export async function sendLongBodies(
  port: number, method: string, target: string, check: (response: RawResponse) => void, before: () => void = () => {},
): Promise<void> {
  for (const [framing, begin, end] of [
    [`Content-Length: ${LONG.length}`, '', ''],
    ['Transfer-Encoding: chunked', `${LONG.length.toString(16)}\r\n`, '\r\n0\r\n\r\n'],
  ] as const) {
    for (const readsLate of [false, true]) {
      before();
      const client = await RawClient.connect(port);
      try {
        if (readsLate) client.socket.pause();
        client.send(head(method, target, [framing]) + begin);
        client.send(LONG);
        await new Promise<void>((resolve, reject) => {
          client.socket.write(end, 'latin1', (error) => (error ? reject(error) : resolve()));
        });
        client.socket.resume();
        check(await client.response(method));
        assert.is(await client.closed(), '');
      } finally {
        client.destroy();
      }
    }
  }
}
