/** I5: Bodies as bytes that break off: a client could fill the log, so nothing is logged of it. */
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { reply } from '../../../src/index.ts';
import { waitTwoTurns, waitUntil, withTimeout } from '../../support/wait.ts';
import { head } from '../../support/messages.ts';
import { RawClient, sendUntilClosed } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';
import { readStatuses } from '../../support/statuses.ts';
import { UPLOAD, readAll, declareUpload, type Run } from '../../support/declare-upload.ts';

const LONG_TRAILER = `X: ${'x'.repeat(17_000)}\r\n\r\n`;
const CHUNKED = ['Transfer-Encoding: chunked'];

/** An operation that reads the body through, and shows how that ended. */
function makeReader(read: Run = readAll): { readonly run: Run; readonly thrown: Promise<unknown> } {
  let end = (_thrown: unknown): void => {};
  const thrown = new Promise((resolve) => (end = resolve));
  const run: Run = async (body, request) => {
    try {
      return await read(body, request);
    } catch (error) {
      end(error);
      throw error;
    }
  };
  return { run, thrown };
}

const uploads = suite('an upload that breaks off');
for (const [how, leave] of [
  ['resets the connection', (client: RawClient) => client.socket.resetAndDestroy()],
  ['ends it', (client: RawClient) => client.socket.end()],
] as const) {
  for (const [framing, headers, begin] of [
    ['with a length', ['Content-Length: 1000000'], 'begin'],
    ['in chunks', CHUNKED, '5\r\nbegin\r\n'],
  ] as const) {
    uploads(`${framing}, by a client that ${how}: the operation fails, and nothing is logged`, async () => {
      const { run, thrown } = makeReader();
      await serve(declareUpload(run), async ({ port, received, errors }) => {
        const client = await RawClient.connect(port);
        client.send(head(...UPLOAD, headers) + begin);
        await waitUntil(() => received() === 1, 'the request');
        leave(client);
        assert.is((await withTimeout(2000, thrown) as Error).message, 'Bad arguments: the client left before its body was read');
        client.destroy();
        await waitTwoTurns();
        assert.equal(errors, []);
      });
    });
  }
  uploads(`by a client that ${how}, through a pipeline: nothing is logged`, async () => {
    const { run, thrown } = makeReader((body) => pipeline(body, new Writable({ write: (_chunk, _encoding, written) => written() })));
    await serve(declareUpload(run), async ({ port, received, errors }) => {
      const client = await RawClient.connect(port);
      client.send(`${head(...UPLOAD, CHUNKED)}5\r\nbegin\r\n`);
      await waitUntil(() => received() === 1, 'the request');
      leave(client);
      assert.is((await withTimeout(2000, thrown) as Error).message, 'Bad arguments: the client left before its body was read');
      client.destroy();
      await waitTwoTurns();
      assert.equal(errors, []);
    });
  });
  uploads(`by a client that ${how}, while it is sent back: nothing is logged`, async () => {
    await serve(declareUpload((body) => reply(200, body)), async ({ port, server, errors }) => {
      const client = await RawClient.connect(port);
      client.send(`${head(...UPLOAD, CHUNKED)}5\r\nbegin\r\n`);
      await client.receives('begin');
      leave(client);
      client.destroy();
      await server.stop();
      assert.equal(errors, []);
    });
  });
}
uploads('behind it, trailers that are too long: 431, the iteration throws that the body cannot be read to its end, and nothing is logged', async () => {
  const { run, thrown } = makeReader();
  await serve(declareUpload(run), async ({ port, errors }) => {
    assert.equal(readStatuses(await sendUntilClosed(port, `${head(...UPLOAD, CHUNKED)}5\r\nbegin\r\n0\r\n${LONG_TRAILER}`)), [431]);
    assert.is((await withTimeout(2000, thrown) as Error).message, 'Bad arguments: the body cannot be read to its end');
    assert.equal(errors, []);
  });
});
uploads('malformed chunks: 400, the iteration throws that the body cannot be read to its end, and nothing is logged', async () => {
  const { run, thrown } = makeReader();
  await serve(declareUpload(run), async ({ port, errors }) => {
    assert.equal(readStatuses(await sendUntilClosed(port, `${head(...UPLOAD, CHUNKED)}5\r\nbegin\r\nzz\r\n`)), [400]);
    assert.is((await withTimeout(2000, thrown) as Error).message, 'Bad arguments: the body cannot be read to its end');
    assert.equal(errors, []);
  });
});
uploads.run();
