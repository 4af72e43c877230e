/** Bodies that an operation reads as bytes, and that are not read to their end. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bytes, reply, type ApiServer } from '../../../src/index.ts';
import { delay, Gate, runFor, waitUntil, withTimeout } from '../../support/wait.ts';
import { chunkedMessage, head, message } from '../../support/messages.ts';
import { RawClient, send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';
import { GET_GOOD, UPLOAD, readAll, declareUpload, type Run } from '../../support/declare-upload.ts';
import { captureUnhandled } from '../../support/capture-unhandled.ts';

/** Declares `POST /file/put`, whose body may take 100 ms. */
function declareHasty(run: Run): (server: ApiServer) => void {
  const limits = { requestMs: 100, bodyBytes: 10_000_000 };
  return (server) => server.registerEndpoint('/file', { custom: { put: { input: bytes(), limits, run } } });
}

const broken = suite('I2 I5: bytes that are cut off');
for (const [why, wait] of [
  ['the operation waits for them', 0],
  ['the operation does something else', 300],
] as const) {
  for (const [how, leave] of [
    ['resets the connection', (client: RawClient) => client.socket.resetAndDestroy()],
    ['ends it', (client: RawClient) => client.socket.end()],
  ] as const) {
    broken(`the client ${how}, and ${why}: the iteration throws within a second`, async () => {
      const begun = new Gate();
      const ended = new Gate();
      let thrown: unknown;
      const unhandled = await captureUnhandled(() => serve(declareUpload(async (body) => {
        try {
          for await (const _chunk of body) {
            begun.open();
            await delay(wait);
          }
        } catch (error) {
          thrown = error;
        }
        ended.open();
        return 'ended';
      }), async ({ port }) => {
        const client = await RawClient.connect(port);
        client.send(`${head(...UPLOAD, ['Content-Length: 1000000'])}begin`);
        await begun.passed;
        leave(client);
        await withTimeout(1000 + wait, ended.passed);
        assert.is((thrown as Error).message, 'Bad arguments: the client left before its body was read');
        client.destroy();
      }));
      assert.equal(unhandled, []);
    });
  }
}
broken('they take longer than limits.requestMs -> 408, and the iteration throws', async () => {
  let thrown: unknown;
  await serve(declareUpload((body) => readAll(body).catch((error: unknown) => String(thrown = error))), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(`${head(...UPLOAD, ['Content-Length: 10'])}begin`);
    assert.is((await client.response()).status, 408);
    await waitUntil(() => thrown !== undefined, 'the iteration to throw');
    client.destroy();
  }, { limits: { requestMs: 100 } });
});
broken('the operation reads none within limits.requestMs, of more than the server buffers -> 408, and the iteration throws', async () => {
  const gate = new Gate();
  let thrown: unknown;
  await serve(declareHasty(async (body) => {
    await gate.passed;
    return readAll(body).catch((error: unknown) => String(thrown = error));
  }), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(head(...UPLOAD, ['Content-Length: 6000000']) + 'x'.repeat(5_000_000));
    assert.is((await client.response()).status, 408);
    gate.open();
    await waitUntil(() => thrown !== undefined, 'the iteration to throw');
    assert.is((thrown as Error).message, 'Bad arguments: the body cannot be read to its end');
    client.destroy();
  });
});
broken('the operation reads none within limits.requestMs, of a body that the server buffers as a whole: read later', async () => {
  await serve(declareHasty(async (body) => {
    await runFor(1500);
    return (await readAll(body)).length;
  }), async ({ port }) => {
    assert.is((await send(port, message(...UPLOAD, 'x'.repeat(900_000)))).body, '900000');
  });
});
broken('they take longer than limits.requestMs, and the reply has begun: the connection is destroyed', async () => {
  await serve(declareUpload((body) => reply(200, body)), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(`${head(...UPLOAD, ['Content-Length: 100000'])}begin`);
    await client.receives('begin');
    assert.not.match(await client.closed(), /0\r\n\r\n$/);
    client.destroy();
  }, { limits: { requestMs: 100 } });
});
broken('the operation takes longer than limits.operationMs over one chunk -> 503, and the iteration throws', async () => {
  let thrown: unknown;
  const run: Run = async (body) => {
    try {
      for await (const _ of body) await delay(200);
    } catch (error) {
      thrown = error;
    }
    return '';
  };
  await serve(declareUpload(run), async ({ port, errors }) => {
    const client = await RawClient.connect(port);
    client.send(`${head(...UPLOAD, ['Content-Length: 10'])}begin`);
    assert.is((await client.response()).status, 503);
    client.send('ended');
    await waitUntil(() => thrown !== undefined, 'the iteration to throw');
    client.destroy();
    assert.is(errors.length, 1);
  }, { limits: { operationMs: 100 } });
});
broken('the client takes longer than limits.operationMs to send them: that time does not count', async () => {
  await serve(declareUpload(readAll), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(head(...UPLOAD, ['Content-Length: 10']));
    for (const [part, ms] of [['abcd', 3000], ['ef', 100], ['gh', 100], ['ij', 100]] as const) {
      await delay(ms);
      client.send(part);
    }
    assert.is((await client.response()).status < 300, true);
    client.destroy();
  }, { limits: { operationMs: 2000 } });
});
broken.run();

const first: Run = async (body) => {
  for await (const _chunk of body) break;
  return 'first';
};

const unread = suite('I6: bytes that the operation does not read to their end');
for (const [what, run] of [['none', () => 'none'], ['the first', first]] as readonly (readonly [string, Run])[]) {
  for (const [why, sent, isKept] of [
    ['a short body', message(...UPLOAD, 'x'.repeat(60_000)), true],
    ['a short body in a request line\'s form', message(...UPLOAD, message('GET', '/v1/good/666').repeat(100)), true],
    ['a long body', message(...UPLOAD, 'x'.repeat(900_000)), false],
    ['a chunked body', chunkedMessage(...UPLOAD, 'x'.repeat(500_000)), false],
  ] as const) {
    unread(`${what} of ${why}: gets its response, and the connection ${isKept ? 'is kept' : 'closes'}`, async () => {
      await serve(declareUpload(run), async ({ port, errors }) => {
        const client = await RawClient.connect(port);
        client.send(sent + GET_GOOD);
        assert.is((await client.response()).body, `"${what.replace('the ', '')}"`);
        const behind = await client.closed();
        assert.is(/\r\n\r\n"1"$/.test(behind), isKept);
        assert.not.match(behind, /666/);
        assert.equal(errors, []);
        client.destroy();
      });
    });
  }
}
unread('a rest that comes only after the reply: dropped, and the next request gets its response', async () => {
  await serve(declareUpload(first), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(`${head(...UPLOAD, ['Content-Length: 60000'])}begin`);
    assert.is((await client.response()).body, '"first"');
    client.send('x'.repeat(59_995) + GET_GOOD);
    assert.is((await client.response()).body, '"1"');
    client.destroy();
  });
});
unread('an iteration that goes on after the reply throws', async () => {
  let thrown: unknown;
  await serve(declareUpload((body) => {
    readAll(body).catch((error: unknown) => (thrown = error));
    return 'at once';
  }), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(`${head(...UPLOAD, ['Content-Length: 10'])}begin`);
    assert.is((await client.response()).body, '"at once"');
    await waitUntil(() => thrown !== undefined, 'the iteration to throw');
    assert.is((thrown as Error).message, 'Bad arguments: the response was sent before the body was read');
    client.send('ended' + GET_GOOD);
    assert.is((await client.response()).body, '"1"');
    client.destroy();
  });
});
unread.run();
