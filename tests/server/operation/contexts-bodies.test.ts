/** Contexts: nothing of a body is read, or judged, for a caller who is rejected. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bearer } from '../../../src/auth/index.ts';
import { ApiError, bytes, defineEndpoint, stringId, type ApiServer, type ContextRequest } from '../../../src/index.ts';
import { waitUntil } from '../../support/wait.ts';
import { sendLongBodies } from '../../support/long-body.ts';
import { chunkedMessage, head, message, readProblem } from '../../support/messages.ts';
import { RawClient, send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';

type Context = (request: ContextRequest) => unknown;

/** Declares operations that take JSON and bytes, and notes which of the user's functions are called after `context`. */
class Files {
  readonly called: string[] = [];

  register(context: Context): (server: ApiServer) => void {
    return (server) => server.registerEndpoint('/file', defineEndpoint({
      id: stringId,
      context,
      schema: (json: unknown): unknown => (this.called.push('schema'), json),
      create: () => (this.called.push('create'), '1'),
      update: () => void this.called.push('update'),
      custom: { put: { input: bytes(), query: (query) => (this.called.push('query'), query), run: () => this.called.push('put') } },
    }));
  }
}

const REJECTIONS: readonly (readonly [status: number, how: string, context: Context])[] = [
  [401, 'at once', bearer(() => undefined)],
  [403, 'later', async () => { await new Promise(setImmediate); throw ApiError.status(403, 'Not you.'); }],
];

const OPERATIONS = [
  ['an operation that takes JSON', 'POST', '/v1/file'],
  ['an operation that takes bytes', 'POST', '/v1/file/put?a=%ff'],
] as const;

const stillSending = suite('O12: a caller who is rejected and goes on sending 8 MiB');
for (const [status, how, context] of REJECTIONS) {
  for (const [what, method, target] of OPERATIONS) {
    stillSending(`${what}, rejected ${how}: the ${status} is read, whole`, async () => {
      const files = new Files();
      await serve(files.register(context), async ({ port }) => {
        await sendLongBodies(port, method, target, (response) => {
          assert.equal([readProblem(response).status, response.headers.get('connection')], [status, 'close']);
        });
        assert.equal(files.called, []);
      });
    });
  }
}
stillSending.run();

const unread = suite('O12 Q4: the body of a caller who is rejected');
for (const [status, how, context] of REJECTIONS) {
  for (const [what, method, target] of OPERATIONS) {
    unread(`${what}, rejected ${how}: the ${status} comes before any of the body is sent, without 100 Continue, and nothing comes behind it`, async () => {
      const files = new Files();
      await serve(files.register(context), async ({ port }) => {
        for (const framing of ['Content-Length: 2', 'Transfer-Encoding: chunked']) {
          assert.is(readProblem(await send(port, head(method, target, [framing]))).status, status);
          const client = await RawClient.connect(port);
          client.send(head(method, target, [framing, 'Expect: 100-continue']));
          assert.is(readProblem(await client.response()).status, status);
          assert.is(await client.closed(), '');
          client.destroy();
        }
        assert.equal(files.called, []);
      });
    });
    unread(`${what}, rejected ${how}: no body is checked -> ${status}`, async () => {
      const files = new Files();
      await serve(files.register(context), async ({ port, errors }) => {
        for (const [why, headers, body, made] of [
          ['of a different type', ['Content-Type: text/plain'], 'x', message],
          ['in a coding', ['Content-Encoding: gzip'], 'x', message],
          ['that is not JSON', ['Content-Type: application/json'], '{', chunkedMessage],
          ['that a page of a different origin may have sent', ['Origin: http://elsewhere.example'], 'x', message],
          ['longer than the limit', [], 'x'.repeat(11), message],
        ] as const) {
          assert.is(readProblem(await send(port, made(method, target, body, headers))).status, status, why);
        }
        assert.equal([files.called, errors], [[], []]);
      }, { limits: { bodyBytes: 10 } });
    });
  }
}
for (const [what, method, target] of OPERATIONS) {
  unread(`${what}: of an accepted caller, it is read, with 100 Continue`, async () => {
    const files = new Files();
    await serve(files.register(() => 'me'), async ({ port }) => {
      const client = await RawClient.connect(port);
      client.send(head(method, target.replace('%ff', ''), ['Content-Length: 2', 'Expect: 100-continue']));
      const { status } = await client.response();
      // The operation that takes bytes does not read them.
      assert.is(status, target === '/v1/file' ? 100 : 200);
      client.send('{}');
      if (status === 100) assert.is((await client.response()).status, 201);
      client.destroy();
      assert.ok(files.called.length > 0);
    });
  });
}
unread('of one who leaves while the context is promised: nothing is invoked', async () => {
  const files = new Files();
  let release: (() => void) | undefined;
  let aborted = false;
  const context = ({ signal }: ContextRequest): Promise<void> => {
    signal.addEventListener('abort', () => (aborted = true));
    return new Promise((resolve) => (release = resolve));
  };
  await serve(files.register(context), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(message('POST', '/v1/file', '{}'));
    await waitUntil(() => release !== undefined, 'the context to be asked');
    client.socket.resetAndDestroy();
    await waitUntil(() => aborted, 'the signal');
    release?.();
    await new Promise(setImmediate);
    assert.equal(files.called, []);
  });
});
unread.run();
