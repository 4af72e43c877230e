/** Parse errors and ambiguous framing after requests that wait, in a body that is being read, and after a last response. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { defineEndpoint, stringId } from '../../../src/index.ts';
import { Gate, waitUntil } from '../../support/wait.ts';
import { RawClient, sendUntilClosed } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';
import { requestFor, readStatuses } from '../../support/statuses.ts';
import { Zoo } from '../../support/zoo.ts';

const SMUGGLED = requestFor('POST', '/v1/pet/count');
const HOST = 'HTTP/1.1\r\nHost: a\r\n';
const CHUNKED = `${HOST}Transfer-Encoding: chunked\r\n`;

const pipelined = suite('C9: bad framing after requests that are still being served');
for (const [bad, ownStatus, why] of [
  [`POST /v1/pet ${HOST}Content-Length : 5\r\n\r\n`, [], 'a space before a colon'],
  [`POST /v1/pet ${CHUNKED}Content-Length: 5\r\n\r\n0\r\n\r\n`, [], 'chunks and a length'],
  [`POST /v1/pet ${HOST}Content-Length: 05\r\n\r\n`, [400], 'a length with a leading zero'],
  [`POST /v1/pet ${HOST}Content_Length: 5\r\n\r\n`, [400], 'a length with an underscore in its name'],
  [`POST /files ${HOST}Content_Length: 5\r\n\r\n`, [400], 'an underscore, to a mounted handler'],
  [`POST /v1/pet ${HOST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`, [501], 'another coding'],
  [`POST /v1/pet ${CHUNKED}\r\nzz\r\n`, [400], 'a broken chunk'],
  [`POST /files ${CHUNKED}\r\nzz\r\n`, [400], 'a broken chunk, to a mounted handler'],
  [`GET /v1/pet/1# ${HOST}\r\n`, [400], 'a fragment'],
  ['GET /v1/pet/1 HTTP/1.1\r\n\r\n', [400], 'no Host'],
  [`CONNECT a:80 ${HOST}\r\n`, [], 'CONNECT'],
  ['\0\0\0\0', [], 'bytes that are not HTTP'],
  [`GET /v1/pet/1 ${HOST}X: ${'x'.repeat(20_000)}\r\n\r\n`, [], 'a head that is too long'],
] as const) {
  pipelined(`${why}: the requests get responses in order, then the connection closes, and nothing else is invoked`, async () => {
    const gate = new Gate();
    const zoo = new Zoo();
    const begun: string[] = [];
    const wait = async (name: string): Promise<string> => {
      begun.push(name);
      await gate.passed;
      return name;
    };
    await serve((server) => {
      zoo.register(server);
      server.registerEndpoint('/late', defineEndpoint({ id: stringId, get: (id) => wait(id) }));
      server.mount('/files', async (request, response) => response.end(await wait(request.url ?? '')));
    }, async ({ port }) => {
      const client = await RawClient.connect(port);
      client.send(requestFor('GET', '/v1/late/one') + requestFor('GET', '/files/two') + requestFor('GET', '/v1/late/three') + bad + SMUGGLED);
      await waitUntil(() => begun.length > 0, 'the first operation');
      assert.is(client.unread, '');
      gate.open();
      const received = await client.closed();
      assert.equal(readStatuses(received), [200, 200, 200, ...ownStatus]);
      assert.match(received, /"one"HTTP[^]*\/twoHTTP[^]*"three"/);
      assert.is(received.lastIndexOf('\r\nConnection: close\r\n'), received.lastIndexOf('\r\nConnection: '));
      assert.equal(begun, ['one', '/two', 'three']);
      assert.is(zoo.invoked, 0);
    });
  });
}
pipelined.run();

const together = suite('C9: bytes that are not HTTP, in one piece with a whole request: its response is the last, and no 400 follows');
for (const [request, statuses, why] of [
  [`GET /v1/late/1 ${HOST}\r\n`, [200], 'without a body, to an asynchronous operation'],
  [`POST /v1/now ${HOST}Content-Length: 2\r\n\r\n{}`, [201], 'with a body, to a synchronous operation'],
  [`POST /v1/late ${HOST}Content-Length: 2\r\n\r\n{}`, [201], 'with a body, to an asynchronous operation'],
] as const) {
  together(why, async () => {
    const schema = (json: unknown): unknown => json;
    await serve((server) => {
      server.registerEndpoint('/now', defineEndpoint({ id: stringId, schema, create: () => '1', get: (id) => id }));
      server.registerEndpoint('/late', defineEndpoint({ id: stringId, schema, create: async () => '1', get: async (id) => id }));
    }, async ({ port }) => {
      const responses = await sendUntilClosed(port, `${request}\0\0\0\0${SMUGGLED}`);
      assert.equal(readStatuses(responses), statuses);
      assert.is(responses.match(/\r\nConnection: close\r\n/g)?.length, 1);
    });
  });
}
together.run();

const within = suite('a parse error in a body that is being read');
for (const asked of ['POST /v1/pet', 'PUT /v1/pet/1', 'POST /v1/pet/feed'] as const) {
  within(`${asked} -> 400, closed, and the operation is not invoked`, async () => {
    const zoo = new Zoo();
    await serve(zoo.register, async ({ port }) => {
      const client = await RawClient.send(port, `${asked} ${CHUNKED}Expect: 100-continue\r\n\r\n`);
      assert.is((await client.response()).status, 100);
      client.send('2\r\n{}\r\n');
      client.send(`zz\r\n${SMUGGLED}`);
      assert.equal(readStatuses(await client.closed()), [400]);
      assert.is(zoo.invoked, 0);
    });
  });
}
for (const [bytes, status, why] of [
  [`2\r\n{}\r\nzz\r\n${SMUGGLED}`, 400, 'a broken chunk'],
  ['2\r\n{}\r\n', 408, 'a body that does not end'],
] as const) {
  within(`${why}, to a mounted handler -> ${status}, and later writes of the handler are dropped`, async () => {
    const [read, replied]: [string[], unknown[]] = [[], []];
    const zoo = new Zoo();
    await serve((server) => {
      zoo.register(server);
      server.mount('/files', (request, response) => {
        request.on('data', (chunk: Buffer) => read.push(chunk.toString()));
        // Handlers often do this. If a head had been sent already, `writeHead` would throw an uncaught error.
        request.on('error', () => {
          try {
            response.writeHead(400);
            response.end('in vain');
            replied.push('replied');
          } catch (thrown) {
            replied.push(thrown);
          }
        });
      });
    }, async ({ port, errors }) => {
      const received = await sendUntilClosed(port, `POST /files ${CHUNKED}\r\n${bytes}`);
      assert.equal(readStatuses(received), [status]);
      assert.match(received, 'application/problem+json');
      await waitUntil(() => replied.length > 0, "the request's error");
      assert.equal([read, replied, errors], [['{}'], ['replied'], []]);
      assert.is(zoo.invoked, 0);
    }, { limits: { headersMs: 3000, requestMs: 3000 } });
  });
}
within('of a HEAD request -> 400 without a body', () => serve((server) => server.mount('/', () => {}), async ({ port }) => {
  const received = await sendUntilClosed(port, `HEAD / ${CHUNKED}\r\nzz\r\n${SMUGGLED}`);
  assert.equal(readStatuses(received), [400]);
  assert.is(received.indexOf('\r\n\r\n'), received.length - 4);
}));
within.run();

const after = suite('bytes after a last response');
for (const [request, status, invoked, why] of [
  [`POST /v1/pet/count ${HOST}Connection: close\r\n\r\n`, 200, 1, 'the client asked to close'],
  ['POST /v1/pet/count HTTP/1.0\r\n\r\n', 200, 1, 'HTTP/1.0'],
  [`GET /files ${HOST}Connection: close\r\n\r\n`, 200, 0, 'the client asked a mounted handler to close'],
  [`HEAD /v1/pet/1 ${HOST}Content_Length: 5\r\n\r\n`, 400, 0, 'HEAD was rejected'],
  ['HEAD /v1/pet/1 HTTP/1.1\r\n\r\n', 400, 0, 'HEAD was without Host'],
  [`GET /v1/pet/1 ${HOST}Content_Length: 5\r\n\r\n`, 400, 0, 'GET was rejected'],
  [`HEAD /v1/pet/1 ${CHUNKED}\r\n0\r\n\r\n`, 404, 1, 'HEAD had a body of unknown length'],
  [`DELETE /v1/pet/1 ${CHUNKED}\r\n0\r\n\r\n`, 404, 1, 'DELETE had a body of unknown length'],
  [`POST /v1/pet/count ${CHUNKED}\r\n0\r\n\r\n`, 200, 1, 'a Custom without an input had a body of unknown length'],
  [`POST /v1/pet/count ${CHUNKED}\r\nzz\r\n`, 200, 1, 'the body of a Custom without an input is broken'],
  [`POST /v1/pet ${CHUNKED}Content-Type: text/plain\r\n\r\nzz\r\n`, 415, 0, 'the body of a rejected request is broken'],
] as const) {
  after(`${why}: later bytes get no response and invoke nothing, whether they are a request or not`, async () => {
    const zoo = new Zoo();
    await serve((server) => {
      zoo.register(server);
      server.mount('/files', (_request, response) => response.end('mounted'));
    }, async ({ port }) => {
      for (const rest of [SMUGGLED, '\0\0\0\0', SMUGGLED + '\0\0\0\0']) {
        assert.equal(readStatuses(await sendUntilClosed(port, request + rest)), [status], JSON.stringify(rest));
      }
      assert.is(zoo.invoked, 3 * invoked);
    });
  });
}
after.run();
