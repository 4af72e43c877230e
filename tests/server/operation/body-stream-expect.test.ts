/** I3: Bodies that an operation reads as bytes, of clients that wait for `100 Continue`. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, reply } from '../../../src/index.ts';
import { head } from '../../support/messages.ts';
import { RawClient, send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';
import { readWhole, UPLOAD, readAll, declareUpload, type Run } from '../../support/declare-upload.ts';

const EXPECT = 'Expect: 100-continue';

const expected = suite('a client that waits to be asked for its bytes');
for (const [why, run, asked, status] of [
  ['is asked when they are read', readWhole, true, 200],
  ['is not asked if they are not', () => 'unread', false, 200],
  ['is not asked if the operation rejects', () => { throw ApiError.argument('no'); }, false, 400],
  ['is asked before a stream that may be made of them', (body) => reply(200, body), true, 200],
  ['is not asked for an iteration after the reply', (body) => {
    setTimeout(() => void readAll(body).catch(() => {}), 20);
    return 'unread';
  }, false, 200],
] as readonly (readonly [string, Run, boolean, number])[]) {
  expected(why, async () => {
    await serve(declareUpload(run), async ({ port, errors }) => {
      const client = await RawClient.connect(port);
      client.send(head(...UPLOAD, [EXPECT, 'Content-Length: 3']));
      const first = await client.response();
      assert.is(first.status, asked ? 100 : status);
      if (asked) {
        client.send('abc');
        assert.match((await client.response()).body, /abc/);
      } else {
        assert.is(await client.closed(), '');
      }
      client.destroy();
      // Every error that a Custom operation throws is logged.
      assert.is(errors.length, status === 400 ? 1 : 0);
    });
  });
}
for (const framing of [[], ['Content-Length: 0']]) {
  expected(`is not asked for no bytes, before a stream, with [${framing.join()}]`, async () => {
    await serve(declareUpload((body) => reply(200, body)), async ({ port }) => {
      assert.is((await send(port, head(...UPLOAD, [EXPECT, ...framing]))).status, 200);
    });
  });
}
for (const [why, headers, status] of [
  ['a different type', ['Content-Length: 3', 'Content-Type: text/plain'], 415],
  ['a length over the limit', ['Content-Length: 11', 'Content-Type: image/png'], 413],
] as const) {
  expected(`is not asked for ${why} -> ${status}`, async () => {
    await serve(declareUpload(readWhole, { types: ['image/png'] }), async ({ port }) => {
      assert.is((await send(port, head(...UPLOAD, [EXPECT, ...headers]))).status, status);
    }, { limits: { bodyBytes: 10 } });
  });
}
expected.run();
