/** R1: Replies, streams and bodies as bytes behind middleware. */
import { once } from 'node:events';
import { createGzip, gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bytes, reply, stringId, type ApiServer, type Middleware } from '../../../src/index.ts';
import { waitUntil } from '../../support/wait.ts';
import { head, message } from '../../support/messages.ts';
import { RawClient, send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';
import { StreamSource, declareStream } from '../../support/declare-stream.ts';

const GET = message('GET', '/v1/stream/1');

/** As `compression` does: it replaces the methods of the response, and compresses their arguments with gzip. */
const compress: Middleware = (_request, response, next) => {
  const { write, end, on } = response;
  const gzip = createGzip();
  gzip.on('data', (chunk: Buffer) => Reflect.apply(write, response, [chunk]) || gzip.pause());
  gzip.on('end', () => Reflect.apply(end, response, []));
  Reflect.apply(on, response, ['drain', () => gzip.resume()]);
  response.setHeader('Content-Encoding', 'gzip');
  Object.assign(response, {
    write: (chunk: Uint8Array) => gzip.write(chunk),
    end: (chunk?: Uint8Array) => (gzip.end(chunk), response),
    on: (name: string, listener: () => void) => (name === 'drain' ? gzip.on(name, listener) : Reflect.apply(on, response, [name, listener]), response),
  });
  next();
};

const behind = suite('replies after middleware');
behind('headers that it has set are kept, unless the reply has the same; Set-Cookie and Vary are added to', async () => {
  await serve((server) => {
    server.use((_request, response, next) => {
      response.setHeader('X-Frame-Options', 'DENY').setHeader('ETag', '"middleware"').setHeader('Set-Cookie', 'a=1').setHeader('Vary', 'Origin');
      next();
    });
    declareStream(() => (async function* () { yield 'streamed'; })(), { ETag: '"reply"', 'Set-Cookie': ['b=2', 'c=3'], Vary: 'Accept' })(server);
  }, async ({ port }) => {
    const client = await RawClient.connect(port);
    for (let time = 0; time < 2; time += 1) {
      client.send(GET);
      const { headers, body } = await client.response();
      assert.is(headers.get('x-frame-options'), 'DENY');
      assert.is(headers.get('etag'), '"reply"');
      assert.is(headers.get('set-cookie'), 'a=1, b=2, c=3');
      assert.is(headers.get('vary'), 'Origin, Accept');
      assert.is(headers.get('content-type'), 'application/octet-stream');
      assert.is(body, 'streamed');
    }
    client.destroy();
  });
});
behind('a stream through middleware that compresses: whole, and the connection is kept', async () => {
  const text = 'ant '.repeat(100_000);
  await serve((server) => {
    server.use(compress);
    declareStream(() => (async function* () { for (let at = 0; at < text.length; at += 1000) yield text.slice(at, at + 1000); })())(server);
  }, async ({ port, errors }) => {
    const client = await RawClient.connect(port);
    for (let time = 0; time < 2; time += 1) {
      client.send(GET);
      assert.is(gunzipSync(Buffer.from((await client.response()).body, 'latin1')).toString(), text);
    }
    client.destroy();
    assert.equal(errors, []);
  });
});
behind('a stream whose client leaves is closed, through middleware that compresses too', async () => {
  const source = new StreamSource('x'.repeat(64 * 1024));
  await serve((server) => {
    server.use(compress);
    declareStream(() => source.readable())(server);
  }, async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(GET);
    await once(client.socket, 'data');
    client.destroy();
    await waitUntil(() => source.closed === 1, 'the stream to be closed');
  });
});
behind('a response whose write returns undefined: the stream does not wait', async () => {
  await serve((server) => {
    server.use((_request, response, next) => {
      const write = response.write.bind(response);
      Object.assign(response, { write: (chunk: string) => void write(chunk) });
      next();
    });
    declareStream(() => (async function* () { yield 'a'; yield 'b'; })())(server);
  }, async ({ port }) => {
    assert.is((await send(port, GET)).body, 'ab');
  });
});
behind('bytes, with a client that waits to be asked: asked once, when they are read', async () => {
  const declare = (server: ApiServer): void => {
    server.use((_request, _response, next) => next());
    server.registerEndpoint('/file', {
      id: stringId,
      custom: { echo: { input: bytes(), run: (body) => reply(200, body) } },
    });
  };
  await serve(declare, async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(head('POST', '/v1/file/echo', ['Expect: 100-continue', 'Content-Length: 3']));
    assert.is((await client.response()).status, 100);
    client.send('abc');
    const response = await client.response();
    assert.equal([response.status, response.body], [200, 'abc']);
    client.destroy();
  });
});
behind('bytes that it has read -> 500, logged', async () => {
  await serve((server) => {
    server.use((request, _response, next) => void request.on('data', () => {}).on('end', () => next()));
    server.registerEndpoint('/file', { id: stringId, custom: { put: { input: bytes(), run: () => 'put' } } });
  }, async ({ port, errors }) => {
    assert.is((await send(port, message('POST', '/v1/file/put', 'abc'))).status, 500);
    assert.match(errors[0]?.message ?? '', /the body was read before the operation could/);
  });
});
behind.run();
