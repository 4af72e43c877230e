/** Mounted handlers that write more or fewer bytes than they declare: the connection closes, so that later responses are not garbled. */
import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { ServerResponse } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { defineEndpoint, stringId, type ApiServer } from '../../src/index.ts';
import { waitUntil } from '../support/wait.ts';
import { message } from '../support/messages.ts';
import { RawClient, send, sendUntilClosed } from '../support/raw-client.ts';
import { serve } from '../support/serve.ts';
import { readStatuses } from '../support/statuses.ts';

type Write = (response: ServerResponse) => unknown;

function mountFiles(write: Write): (server: ApiServer) => void {
  return (server) => {
    server.registerEndpoint('/item', defineEndpoint({ id: stringId, get: (id) => id }));
    server.mount('/mount', (_request, response) => write(response));
  };
}

const NEXT = message('GET', '/v1/item/next');
const LENGTH = { 'Content-Length': '5' };

const wrong = suite('M5: a body that differs from its declared length');
for (const [how, write] of [
  ['more at once', (response) => response.writeHead(200, LENGTH).end('too long')],
  ['fewer at once', (response) => response.writeHead(200, LENGTH).end('few')],
  ['nothing', (response) => response.writeHead(200, LENGTH).end()],
  ['more at once, by setHeader', (response) => response.setHeader('Content-Length', 5).end('too long')],
  ['fewer at once, by setHeader', (response) => response.setHeader('Content-Length', 5).end('few')],
  ['more in two writes', (response) => (response.writeHead(200, LENGTH).write('long'), response.end('long'))],
  ['more in bytes, not in characters', (response) => response.writeHead(200, LENGTH).end('äöüäö')],
  ['more by a timer', (response) => void setTimeout(() => response.writeHead(200, LENGTH).end('too long'), 5)],
  ['fewer by a timer', (response) => void setTimeout(() => response.writeHead(200, LENGTH).end('few'), 5)],
  ['more by a stream', (response) => void Readable.from([Buffer.from('lon'), Buffer.from('ger')], { objectMode: false }).pipe(response.writeHead(200, LENGTH))],
  ['fewer by a stream', (response) => void Readable.from([Buffer.from('few')], { objectMode: false }).pipe(response.writeHead(200, LENGTH))],
  ['more by a promise', async (response) => response.writeHead(200, LENGTH).end('too long')],
] as const satisfies readonly (readonly [string, Write])[]) {
  wrong(`${how}: logged, the connection is destroyed, later requests on it get no response, and the server goes on`, async () => {
    await serve(mountFiles(write), async ({ port, errors }) => {
      const received = await sendUntilClosed(port, message('GET', '/v1/item/before') + message('GET', '/mount') + NEXT);
      assert.match(received, '"before"');
      assert.not.match(received, '"next"');
      assert.ok(readStatuses(received).length <= 2);
      assert.is((await send(port, NEXT)).body, '"next"');
      assert.is(errors.length, 1);
      assert.match(errors[0]?.message ?? '', /^\* \/mount: Response body's content-length/);
    });
  });
}
wrong('fewer, ended after the client has left: is not logged', async () => {
  let ended = 0;
  await serve(mountFiles((response) => {
    response.writeHead(200, LENGTH).write('few');
    response.on('close', () => {
      response.end();
      ended += 1;
    });
  }), async ({ port }) => {
    const client = await RawClient.send(port, message('GET', '/mount'));
    await once(client.socket, 'data');
    client.destroy();
    await waitUntil(() => ended === 1, 'the response to close');
  });
});
wrong('any other error of a write is passed to the handler', async () => {
  let thrown: unknown;
  await serve(mountFiles((response) => {
    try {
      response.write(5);
    } catch (error) {
      thrown = error;
    }
    response.end('x');
  }), async ({ port }) => {
    assert.is((await send(port, message('GET', '/mount'))).body, 'x');
    assert.is((thrown as NodeJS.ErrnoException).code, 'ERR_INVALID_ARG_TYPE');
  });
});
wrong.run();

const right = suite('a body that has its declared length');
for (const [how, write, method, status, body] of [
  ['at once', (response) => response.writeHead(200, LENGTH).end('exact'), 'GET', 200, 'exact'],
  ['in pieces', (response) => (response.writeHead(200, LENGTH).write('exa'), response.end('ct')), 'GET', 200, 'exact'],
  ['in bytes', (response) => response.writeHead(200, LENGTH).end('ä öx'.replace('x', '')), 'GET', 200, 'Ã¤ Ã¶'],
  ['of a response to HEAD, which has no body', (response) => response.writeHead(200, LENGTH).end(), 'HEAD', 200, ''],
  ['of a response to HEAD, whose body Node drops', (response) => response.writeHead(200, LENGTH).end('exact'), 'HEAD', 200, ''],
  ['of a 304', (response) => response.writeHead(304, LENGTH).end(), 'GET', 304, ''],
  ['of none at all', (response) => response.end('chunked or not'), 'GET', 200, 'chunked or not'],
] as const satisfies readonly (readonly [string, Write, string, number, string])[]) {
  right(`${how} -> ${status}, and the connection stays open`, () => serve(mountFiles(write), async ({ port }) => {
    const client = await RawClient.send(port, message(method, '/mount') + NEXT);
    const response = await client.response(method);
    assert.is(response.status, status);
    assert.is(response.body, body);
    assert.is((await client.response()).body, '"next"');
  }));
}
right.run();
