/** Clients that go on sending after a rejected request, and read only then: they can read the response. */
import { readCaseCount } from '../../support/random.ts';
import { Zoo } from '../../support/zoo.ts';
import { assert, head, RawClient, serve, suite } from '../../support/facts.ts';

const ROUNDS = readCaseCount(1);
const NOISE = Buffer.alloc(8 * 2 ** 20, 'x');

const sending = suite('a client that goes on sending 8 MiB of garbage');
for (const [why, sent, status] of [
  ['from the start', '', 400],
  ['after a head with a line that is not a header', 'GET /v1/pet/1 HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n', 400],
  ['after a head without a host', 'GET /v1/pet/1 HTTP/1.1\r\n\r\n', 400],
  ['after a head with two ways of framing', head('POST', '/v1/pet', ['Content-Length: 9', 'Transfer-Encoding: chunked']), 400],
  ['after a head that is too long', `GET /v1/pet/1 HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ['instead of a chunk', head('POST', '/v1/pet', ['Transfer-Encoding: chunked']), 400],
  ['after a CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 501],
  ['after the last request of a connection', head('GET', '/v1/pet/1', ['Upgrade: h2c', 'Connection: upgrade']), 404],
] as const) {
  sending(`${why}: the ${status} is read, and the connection closes`, async () => {
    const zoo = new Zoo();
    await serve(zoo.register, async ({ port }) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const client = await RawClient.connect(port);
        client.socket.pause();
        client.send(sent);
        await new Promise<void>((resolve, reject) => {
          client.socket.write(NOISE, (error) => (error ? reject(error) : resolve()));
        });
        client.socket.resume();
        assert.is((await client.response()).status, status);
        assert.is(await client.closed(), '');
      }
    });
  });
}
