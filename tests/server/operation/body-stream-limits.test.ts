/** I4: Bodies that an operation reads as bytes, and that are too long. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, ApiServer, bytes, reply, stringId } from '../../../src/index.ts';
import { waitUntil } from '../../support/wait.ts';
import { chunkedMessage, head, readProblem } from '../../support/messages.ts';
import { RawClient, send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';
import { readWhole, UPLOAD, readAll, declareUpload, type Run } from '../../support/declare-upload.ts';

const tooLong = suite('bytes over the limit');
for (const [why, run, logged] of [
  ['that the operation passes on', readWhole, 0],
  ['that the operation hides', async (body) => {
    try {
      return await readAll(body);
    } catch {
      return 'hidden';
    }
  }, 0],
  ['of an operation that never ends', async (body) => readAll(body).catch(() => new Promise(() => {})), 0],
] as readonly (readonly [string, Run, number])[]) {
  tooLong(`${why}: the iteration throws, and the response is 413, though the client still sends`, async () => {
    let thrown: unknown;
    let given = 0;
    const watchBody: Run = (body, request) => run((async function* () {
      try {
        for await (const chunk of body) {
          given += chunk.length;
          yield chunk;
        }
      } catch (error) {
        thrown = error;
        throw error;
      }
    })(), request);
    await serve(declareUpload(watchBody), async ({ port, errors }) => {
      const client = await RawClient.connect(port);
      client.send(`${head(...UPLOAD, ['Transfer-Encoding: chunked'])}7d000\r\n${'x'.repeat(512_000)}\r\n`);
      const response = await client.response();
      assert.is(response.status, 413);
      assert.is(readProblem(response).detail, 'The body must not be longer than 300000 bytes.');
      assert.is(await client.closed(), '');
      await waitUntil(() => thrown !== undefined, 'the iteration to throw');
      assert.ok(thrown instanceof ApiError && thrown.status === 413);
      assert.ok(given <= 300_000);
      // A client that sends too much must not fill the log.
      assert.is(errors.length, logged);
      client.destroy();
    }, { limits: { bodyBytes: 300_000 } });
  });
}
tooLong('by their declared length: 413, and the operation is not invoked', async () => {
  let invoked = 0;
  await serve(declareUpload(() => (invoked += 1)), async ({ port }) => {
    assert.is((await send(port, head(...UPLOAD, ['Content-Length: 11']))).status, 413);
    assert.is(invoked, 0);
  }, { limits: { bodyBytes: 10 } });
});
tooLong('when the reply has begun: the connection is destroyed', async () => {
  await serve(declareUpload((body) => reply(200, body)), async ({ port, errors }) => {
    const client = await RawClient.connect(port);
    client.send(`${head(...UPLOAD, ['Transfer-Encoding: chunked'])}3\r\nabc\r\n`);
    await client.receives('abc');
    client.send('8\r\n12345678\r\n0\r\n\r\n');
    assert.not.match(await client.closed(), /0\r\n\r\n$/);
    client.destroy();
    // The server did not fail: the client sent too much.
    assert.equal(errors, []);
  }, { limits: { bodyBytes: 10 } });
});
tooLong('of an operation that has its own limit, which may be longer than any JSON', async () => {
  const declare = (bodyBytes: number) => (server: ApiServer): void => server.registerEndpoint('/file', {
    id: stringId,
    custom: { put: { input: bytes(), limits: { bodyBytes }, run: () => 'begun' } },
  });
  await serve(declare(2 ** 40), async ({ port }) => {
    assert.is((await send(port, head(...UPLOAD, [`Content-Length: ${2 ** 40}`]))).body, '"begun"');
    assert.is((await send(port, head(...UPLOAD, [`Content-Length: ${2 ** 40 + 1}`]))).status, 413);
  });
  assert.throws(() => declare(2 ** 53)(new ApiServer('')), /limits.bodyBytes must be a whole number from 0 to 9007199254740991/);
});
tooLong('of exactly the limit are read', async () => {
  await serve(declareUpload(readWhole), async ({ port }) => {
    assert.is((await send(port, chunkedMessage(...UPLOAD, '1234567890'))).body, '"1234567890"');
  }, { limits: { bodyBytes: 10 } });
});
tooLong.run();
