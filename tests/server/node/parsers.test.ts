/** The behaviour of Node's parsers that the server relies on, shown on plain Node objects, so that a change in Node fails here. */
import type { Socket } from 'node:net';
import { Socket as PlainSocket } from 'node:net';
import { STOPPED, stopParser, type StoppableParser } from '../../../src/server/exchange/node/internals/sockets.ts';
import { connectToListener } from '../../support/connect-to-listener.ts';
import { assert, chunkedMessage, message, suite, waitUntil } from '../../support/facts.ts';

interface StoppedError extends Error {
  readonly code: string;
  readonly rawPacket: Buffer;
  readonly bytesParsed: number;
}

const parsers = suite('a parser');
for (const [what, stopped, body] of [
  ['a head', message('GET', '/stop'), ''],
  ['a head whose body follows', message('POST', '/stop', 'a body'), 'a body'],
  ['a head whose body has chunks', chunkedMessage('POST', '/stop', 'a body'), 'a body'],
  ['a head after which Node closes', message('GET', '/stop', '', ['Connection: close']), ''],
] as const) {
  parsers(`stops after ${what}, and goes on with the rest`, async () => {
    const seen: string[] = [];
    const rests: Buffer[] = [];
    let parser: StoppableParser | undefined;
    let socket: Socket | undefined;
    await connectToListener((request, response) => {
      const { url = '' } = request;
      socket = request.socket;
      seen.push(url);
      parser ??= stopParser(socket, () => seen.at(-1) === '/stop');
      let text = '';
      request.on('data', (chunk) => (text += chunk)).on('end', () => response.end(`${url}:${text}`));
    }, async (client, server) => {
      server.on('clientError', ({ code, rawPacket, bytesParsed }: StoppedError) => {
        // Node rejects what follows a request after which it closes.
        if (code !== 'HPE_CLOSED_CONNECTION') assert.is(code, STOPPED);
        rests.push(rawPacket.subarray(bytesParsed));
      });
      client.send(message('GET', '/first') + stopped + message('GET', '/last'));
      assert.is((await client.response()).body, '/first:');
      assert.equal(seen, ['/first', '/stop']);
      assert.is(String(rests), stopped.slice(stopped.indexOf('\r\n\r\n') + 4) + message('GET', '/last'));
      seen.push('go on');
      assert.is(parser?.isParsing(), true);
      parser?.resume();
      socket?.emit('data', rests[0]);
      assert.is((await client.response()).body, `/stop:${body}`);
      if (stopped.includes('close')) assert.is(await client.closed(), '');
      else assert.is((await client.response()).body, '/last:');
      client.destroy();
      await waitUntil(() => parser?.isParsing() === false, 'the connection to close');
    });
  });
}
parsers('that no connection has: cannot stop', () => assert.is(stopParser(new PlainSocket(), () => true), undefined));
