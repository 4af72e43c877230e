/** The behaviour of Node's responses that the server relies on, shown on plain Node objects, so that a change in Node fails here. */
import { IncomingMessage, ServerResponse } from 'node:http';
import net from 'node:net';
import { findSocket } from '../../../src/server/exchange/node/internals/requests.ts';
import { onBeforeClose, hasHead, hasTurn, isLast, onTurn } from '../../../src/server/exchange/node/internals/requests.ts';
import { onCloseByNode } from '../../../src/server/exchange/node/internals/sockets.ts';
import { connectToListener } from '../../support/connect-to-listener.ts';
import { assert, head, message, suite, waitUntil } from '../../support/facts.ts';

const GET = message('GET', '/');

const turns = suite('the turn of a response');
turns('starts when the response before it has been sent and it gets its socket, and ends when it loses the socket', async () => {
  const pairs: [IncomingMessage, ServerResponse][] = [];
  await connectToListener((request, response) => void pairs.push([request, response]), async (client) => {
    client.send(GET + GET);
    await waitUntil(() => pairs.length === 2, 'both requests');
    const [[firstRequest, first], [, second]] = pairs as [[IncomingMessage, ServerResponse], [IncomingMessage, ServerResponse]];
    assert.equal([hasTurn(first), hasTurn(second)], [true, false]);
    assert.is(findSocket(firstRequest, first), first.socket);
    const order: string[] = [];
    first.on('close', () => order.push('listener'));
    onBeforeClose(first, () => order.push('before'));
    onTurn(second, () => order.push(`turn of the second: ${hasTurn(second)}, after the first: ${!hasTurn(first)}`));
    first.end();
    await waitUntil(() => order.length === 3, 'the turn');
    assert.equal(order, ['before', 'listener', 'turn of the second: true, after the first: true']);
  });
});
turns('of a destroyed request: the request has lost its socket, and the response does not have one yet', async () => {
  const pairs: [IncomingMessage, ServerResponse][] = [];
  await connectToListener((request, response) => void pairs.push([request, response]), async (client) => {
    client.send(GET + head('POST', '/', ['Content-Length: 10']));
    await waitUntil(() => pairs.length === 2, 'both requests');
    const [, [request, response]] = pairs as [[IncomingMessage, ServerResponse], [IncomingMessage, ServerResponse]];
    assert.is(findSocket(request, response), request.socket);
    Reflect.set(request, 'socket', null);
    assert.is(findSocket(request, response), null);
  });
});

const responses = suite('a response');
for (const [what, write, expected] of [
  ['no head', () => {}, false],
  ['a header set', (response: ServerResponse) => void response.setHeader('X', '1'), false],
  ['a head that Node rejects', (response: ServerResponse) => void response.writeHead(200, { X: 'a\r\nb' }), true],
  ['a head', (response: ServerResponse) => void response.writeHead(200), true],
] as const) {
  responses(`with ${what}: hasHead is ${expected}`, () => {
    const response = new ServerResponse(new IncomingMessage(new net.Socket()));
    try {
      write(response);
    } catch {
      // The head that Node rejects.
    }
    assert.is(hasHead(response), expected);
  });
}
for (const [what, request, headers, expected] of [
  ['to HTTP/1.1', GET, { 'Content-Length': '1' }, false],
  ['that is chunked', GET, {}, false],
  ['that says Connection: close', GET, { Connection: 'close', 'Content-Length': '1' }, true],
  ['to a client that says Connection: close', message('GET', '/', '', ['Connection: close']), { 'Content-Length': '1' }, true],
  ['to HTTP/1.0 with a length', GET.replace('HTTP/1.1\r\n', 'HTTP/1.0\r\nConnection: keep-alive\r\n'), { 'Content-Length': '1' }, false],
  ['to HTTP/1.0 without a length', GET.replace('HTTP/1.1\r\n', 'HTTP/1.0\r\nConnection: keep-alive\r\n'), {}, true],
] as const) {
  responses(`${what}: isLast is ${expected} once the head is written`, async () => {
    const seen: boolean[] = [];
    await connectToListener((_request, response) => {
      response.writeHead(200, headers);
      response.write('x');
      seen.push(isLast(response));
      response.end();
    }, async (client) => {
      client.send(request);
      await waitUntil(() => seen.length === 1, 'the response');
      assert.equal(seen, [expected]);
    });
  });
}
responses('that is the last: Node closes the socket by destroySoon', async () => {
  let closed = 0;
  await connectToListener((_request, response) => {
    if (response.socket !== null) onCloseByNode(response.socket, function () {
      closed += 1;
      this.destroy();
    });
    response.setHeader('Connection', 'close').end();
  }, async (client) => {
    client.send(GET);
    assert.is((await client.response()).status, 200);
    await client.closed();
    assert.is(closed, 1);
  });
});
