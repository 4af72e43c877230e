/** Contexts: nothing of a body is read, or judged, for a caller who is rejected. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bearer } from '../../../src/auth/index.ts';
import { ApiError, bytes, defineEndpoint, stringId, type ApiServer, type ContextRequest } from '../../../src/index.ts';
import { until } from '../../support/gate.ts';
import { chunkedMessage, head, message, problemIn } from '../../support/messages.ts';
import { RawClient, rawRequest } from '../../support/raw-client.ts';
import { serving } from '../../support/serving.ts';

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

const LONG = Buffer.alloc(8 * 2 ** 20, 'x');
// `body-limits.test.ts` has more of them.
const ROUNDS = 5;

const stillSending = suite('a caller who is rejected and goes on sending 8 MiB');
for (const [status, how, context] of REJECTIONS) {
  for (const [what, method, target] of OPERATIONS) {
    for (const [framing, header, begin, end] of [
      ['with a length', `Content-Length: ${LONG.length}`, '', ''],
      ['chunked', 'Transfer-Encoding: chunked', `${LONG.length.toString(16)}\r\n`, '\r\n0\r\n\r\n'],
    ] as const) {
      for (const [when, readsLate] of [['while it sends', false], ['only when all is sent', true]] as const) {
        stillSending(`${what}, ${framing}, rejected ${how}: the ${status} is read ${when}, whole, in ${ROUNDS} rounds of ${ROUNDS}`, async () => {
          const files = new Files();
          await serving(files.register(context), async ({ port }) => {
            for (let round = 0; round < ROUNDS; round += 1) {
              const client = await RawClient.connect(port);
              try {
                if (readsLate) client.socket.pause();
                client.send(head(method, target, [header]) + begin);
                client.send(LONG);
                await new Promise<void>((resolve, reject) => {
                  client.socket.write(end, 'latin1', (error) => (error ? reject(error) : resolve()));
                });
                client.socket.resume();
                const response = await client.response(method);
                assert.is(problemIn(response).status, status);
                assert.is(response.headers.get('connection'), 'close');
                assert.is(await client.closed(), '');
              } finally {
                client.destroy();
              }
            }
            assert.equal(files.called, []);
          });
        });
      }
    }
  }
}
stillSending.run();

const unread = suite('the body of a caller who is rejected');
for (const [status, how, context] of REJECTIONS) {
  for (const [what, method, target] of OPERATIONS) {
    for (const framing of ['Content-Length: 2', 'Transfer-Encoding: chunked']) {
      unread(`${what}, rejected ${how}, ${framing}: the ${status} comes before any of the body is sent`, async () => {
        const files = new Files();
        await serving(files.register(context), async ({ port }) => {
          assert.is(problemIn(await rawRequest(port, head(method, target, [framing]))).status, status);
          assert.equal(files.called, []);
        });
      });
      unread(`${what}, rejected ${how}, ${framing}: no 100 Continue, and nothing behind the ${status}`, async () => {
        const files = new Files();
        await serving(files.register(context), async ({ port }) => {
          const client = await RawClient.connect(port);
          client.send(head(method, target, [framing, 'Expect: 100-continue']));
          assert.is(problemIn(await client.response()).status, status);
          assert.is(await client.closed(), '');
          client.destroy();
          assert.equal(files.called, []);
        });
      });
    }
    for (const [why, headers, body, made] of [
      ['of a different type', ['Content-Type: text/plain'], 'x', message],
      ['in a coding', ['Content-Encoding: gzip'], 'x', message],
      ['that is not JSON', ['Content-Type: application/json'], '{', chunkedMessage],
      ['that a page of a different origin may have sent', ['Origin: http://elsewhere.example'], 'x', message],
      ['longer than the limit', [], 'x'.repeat(11), message],
    ] as const) {
      unread(`${what}, rejected ${how}: a body ${why} is not checked -> ${status}`, async () => {
        const files = new Files();
        await serving(files.register(context), async ({ port, errors }) => {
          assert.is(problemIn(await rawRequest(port, made(method, target, body, headers))).status, status);
          assert.equal([files.called, errors], [[], []]);
        }, { limits: { bodyBytes: 10 } });
      });
    }
  }
}
for (const [what, method, target] of OPERATIONS) {
  unread(`${what}: of an accepted caller, it is read, with 100 Continue`, async () => {
    const files = new Files();
    await serving(files.register(() => 'me'), async ({ port }) => {
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
  await serving(files.register(context), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(message('POST', '/v1/file', '{}'));
    await until(() => release !== undefined, 'the context to be asked');
    client.socket.resetAndDestroy();
    await until(() => aborted, 'the signal');
    release?.();
    await new Promise(setImmediate);
    assert.equal(files.called, []);
  });
});
unread.run();
