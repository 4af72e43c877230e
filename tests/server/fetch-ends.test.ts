/** How a call of `server.fetch` ends: at a limit, by an abort, with its connection, and at `stop`. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { reply, type Interceptor } from '../../src/index.ts';
import { captureError } from '../support/serve-with-client.ts';
import { makeServerRunning, makeServer, makeStream } from '../support/fetch-server.ts';
import { delay, Gate, waitTwoTurns, waitUntil, withTimeout } from '../support/wait.ts';

const limits = suite('L8: the limits of requests of server.fetch');
limits('inFlight: 1 -> the second call gets 503', async () => {
  const gate = new Gate();
  const { server } = makeServerRunning(() => gate.passed.then(() => 'done'), { limits: { inFlight: 1 } });
  const first = server.fetch('/v1/it/1');
  assert.is((await server.fetch('/v1/it/1')).status, 503);
  gate.open();
  assert.is(await (await first).json(), 'done');
  assert.is((await server.fetch('/v1/it/1')).status, 200);
});
for (const [title, status, limit, init] of [
  ['bodyBytes, declared', 413, { bodyBytes: 3 }, { body: '"four"' }],
  ['bodyBytes, streamed', 413, { bodyBytes: 3 }, { body: makeStream('"fo', 'ur"'), duplex: 'half' }],
  ['headerBytes', 431, { headerBytes: 512 }, { headers: { 'x-a': 'x'.repeat(1000) } }],
  ['operationMs', 503, { operationMs: 20 }, { body: '1' }],
  ['requestMs', 408, { requestMs: 50, headersMs: 50 }, { body: new ReadableStream({}), duplex: 'half' }],
] as const) {
  limits(`${title} -> ${status}`, async () => {
    const { server, errors } = makeServerRunning(() => new Promise(() => {}), { limits: limit });
    const response = await server.fetch('/v1/it/run', { method: 'POST', ...init, headers: { 'content-type': 'application/json', ...('headers' in init && init.headers) } } as RequestInit);
    assert.is(response.status, status);
    assert.is(((await response.json()) as { status: number }).status, status);
    assert.is(errors.length, Number(title === 'operationMs'));
  });
}
limits('headerBytes counts each name and value of the head, the length of the body too', async () => {
  // `Host`, `Connection`, `Content-Type` and `Content-Length` with their values, the method and the target.
  const bytes = 'POST/v1/it/runHostlocalhostConnectionkeep-alivecontent-typeapplication/jsonContent-Length10'.length;
  for (const [headerBytes, status] of [[512, 200], [511, 431]] as const) {
    const { server } = makeServerRunning(() => 1, { limits: { headerBytes } });
    const headers = { 'content-type': 'application/json', x: 'x'.repeat(512 - bytes - 1) };
    assert.is((await server.fetch('/v1/it/run', { method: 'POST', body: '"12345678"', headers })).status, status);
  }
});
limits('sendMs: a response that is not read on is broken off', async () => {
  const closed = new Gate();
  const { server } = makeServerRunning(() => reply(200, async function* () {
    try {
      for (;;) yield Buffer.alloc(64 * 1024);
    } finally {
      closed.open();
    }
  }()), { limits: { sendMs: 50 } });
  const response = await server.fetch('/v1/it/1');
  await withTimeout(closed.passed);
  assert.instance(await captureError(response.text()), TypeError);
});
limits.run();

const aborts = suite('L9: a call of server.fetch that is aborted');
aborts('before it begins: rejects with the reason, and nothing is sent', async () => {
  let calls = 0;
  const { server } = makeServerRunning(() => (calls += 1));
  const reason = new Error('enough');
  assert.is(await captureError(server.fetch('/v1/it/1', { signal: AbortSignal.abort(reason) })), reason);
  assert.is((await captureError(server.fetch('/v1/it/1', { signal: AbortSignal.abort() }))).name, 'AbortError');
  assert.is(calls, 0);
});
for (const reason of [undefined, new Error('enough'), 'text']) {
  aborts(`in the operation, with the reason ${String(reason)}: rejects with it, and the signal of the operation aborts`, async () => {
    const controller = new AbortController();
    const left = new Gate();
    const { server } = makeServerRunning(({ signal }) => {
      signal.addEventListener('abort', () => left.open());
      controller.abort(reason);
      return left.passed;
    });
    const error = await captureError(server.fetch('/v1/it/1', { signal: controller.signal }));
    if (reason === undefined) assert.is(error.name, 'AbortError');
    else assert.is(error, reason);
    await withTimeout(left.passed);
  });
}
aborts('while an interceptor waits: its run() rejects with the reason of signal, nothing is logged, and the operation does not run', async () => {
  const controller = new AbortController();
  let calls = 0;
  let thrown: unknown;
  let reason: unknown;
  const late: Interceptor = {
    around: async ({ request: { signal } }, next) => {
      const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
      controller.abort();
      await aborted;
      reason = signal.reason;
      return next().catch((error: unknown) => {
        thrown = error;
        throw error;
      });
    },
  };
  const { server, errors } = makeServer();
  server.registerEndpoint('/late', { get: { use: late, run: () => (calls += 1) } });
  await captureError(server.fetch('/v1/late', { signal: controller.signal }));
  await waitUntil(() => thrown !== undefined, 'the error');
  assert.is(thrown, reason);
  await waitTwoTurns();
  assert.equal(errors, []);
  assert.is(calls, 0);
});
for (const [title, leave] of [
  ['by its signal', (controller: AbortController) => controller.abort()],
  ['by cancel', (_controller: AbortController, body: ReadableStreamDefaultReader) => void body.cancel()],
] as const) {
  aborts(`in the body of the response, ${title}: the source of the body is closed`, async () => {
    const closed = new Gate();
    const controller = new AbortController();
    const { server } = makeServerRunning(() => reply(200, async function* () {
      try {
        for (;;) {
          yield 'piece';
          await new Promise((resolve) => setImmediate(resolve));
        }
      } finally {
        closed.open();
      }
    }()));
    const reader = (await server.fetch('/v1/it/1', { signal: controller.signal })).body!.getReader();
    await reader.read();
    leave(controller, reader);
    await withTimeout(closed.passed);
    if (controller.signal.aborted) assert.is((await captureError(reader.closed)).name, 'AbortError');
  });
}
aborts('by a signal of many calls: no listener of it stays', async () => {
  const { server } = makeServerRunning(() => 'done');
  const warnings: Error[] = [];
  const warn = (warning: Error): void => void warnings.push(warning);
  process.on('warning', warn);
  const { signal } = new AbortController();
  for (let call = 0; call < 50; call += 1) await (await server.fetch('/v1/it/1', { signal })).text();
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', warn);
  assert.equal(warnings, []);
});
aborts.run();

const broken = suite('L9: a call of server.fetch whose connection is broken');
broken('before the response: rejects with TypeError, and its cause', async () => {
  const { server } = makeServer();
  server.mount('/', (request) => request.socket.destroy());
  const error = await captureError(server.fetch('/'));
  assert.instance(error, TypeError);
  assert.is(error.message, 'fetch failed');
  assert.is(error.cause.code, 'ECONNRESET');
});
broken('in the body of the response: the body fails with TypeError', async () => {
  const { server } = makeServer();
  server.mount('/', (_request, response) => void response.write('piece', () => response.destroy()));
  const error = await captureError((await server.fetch('/')).text());
  assert.instance(error, TypeError);
  assert.is(error.message, 'terminated');
  assert.is(error.cause.code, 'ECONNRESET');
});
broken('by a response that no Response can be: rejects with TypeError', async () => {
  const { server } = makeServer();
  server.mount('/', (_request, response) => void response.writeHead(600).end());
  assert.instance(await captureError(server.fetch('/')), TypeError);
});
broken.run();

const stops = suite('L10: server.fetch and stop()');
stops('works before start, after it, and after a restart', async () => {
  const { server } = makeServerRunning(() => 'done');
  const isWorking = async (): Promise<boolean> => (await server.fetch('/v1/it/1')).status === 200;
  assert.ok(await isWorking());
  assert.is((await server.start('127.0.0.1:0')).ok, true);
  assert.ok(await isWorking());
  await server.stop();
  assert.is((await server.start('127.0.0.1:0')).ok, true);
  assert.ok(await isWorking());
  await server.stop();
});
for (const stopLingerMs of [0, 50]) {
  stops(`stop() waits for the responses to the calls before it, also to those of the same turn, with stopLingerMs ${stopLingerMs}`, async () => {
    const gate = new Gate();
    let begun = 0;
    const { server } = makeServerRunning(() => ((begun += 1), gate.passed.then(() => 'done')), { stopLingerMs });
    const first = server.fetch('/v1/it/1');
    await waitUntil(() => begun === 1, 'the first');
    const second = server.fetch('/v1/it/run', { method: 'POST', body: '1', headers: { 'content-type': 'application/json' } });
    let isStopped = false;
    const stopped = server.stop().then(() => (isStopped = true));
    assert.is(server.stopping.aborted, true);
    await waitUntil(() => begun === 2, 'the second');
    assert.is(isStopped, false);
    gate.open();
    assert.equal(await Promise.all([first, second].map(async (call) => (await call).json())), ['done', 'done']);
    await withTimeout(stopped);
  });
}
stops('stop() waits for a call whose body begins later', async () => {
  const { server } = makeServerRunning(() => 'done');
  const gate = new Gate();
  const body = new ReadableStream({
    async pull(controller) {
      await gate.passed;
      controller.enqueue(Buffer.from('"late"'));
      controller.close();
    },
  });
  const call = server.fetch('/v1/it/run', { method: 'POST', body, duplex: 'half', headers: { 'content-type': 'application/json' } } as RequestInit);
  const stopped = server.stop();
  // Longer than a connection that is idle stays open.
  await delay(200);
  gate.open();
  assert.is((await call).status, 200);
  await withTimeout(stopped);
});
stops('stop(), called twice: both resolve when the calls before them have their responses', async () => {
  const gate = new Gate();
  const { server } = makeServerRunning(() => gate.passed.then(() => 'done'), { stopGraceMs: 3_600_000 });
  const call = server.fetch('/v1/it/1');
  const stopped = [server.stop(), server.stop()];
  await delay(20);
  stopped.push(server.stop());
  gate.open();
  assert.is((await call).status, 200);
  await withTimeout(Promise.all(stopped));
});
stops('a call after a restart does not end with the calls before the stop', async () => {
  const [before, later] = [new Gate(), new Gate()];
  let begun = 0;
  const { server } = makeServerRunning(() => ((begun += 1), (begun === 1 ? before : later).passed.then(() => 'done')), { stopGraceMs: 3_600_000 });
  const first = server.fetch('/v1/it/1');
  const stopped = server.stop();
  await waitUntil(async () => (await server.start('127.0.0.1:0')).ok, 'the restart');
  const second = server.fetch('/v1/it/1');
  await waitUntil(() => begun === 2, 'the second');
  before.open();
  await withTimeout(stopped);
  let isStopped = false;
  const stoppedAgain = server.stop().then(() => (isStopped = true));
  await delay(100);
  assert.is(isStopped, false);
  later.open();
  assert.equal(await Promise.all([first, second].map(async (response) => (await response).json())), ['done', 'done']);
  await withTimeout(stoppedAgain);
});
stops('from the call of stop() on, calls reject with TypeError', async () => {
  const { server } = makeServerRunning(() => 'done');
  await server.fetch('/v1/it/1');
  const stopped = server.stop();
  const error = await captureError(server.fetch('/v1/it/1'));
  assert.instance(error, TypeError);
  assert.is(error.cause.message, 'the server is stopped');
  await stopped;
  assert.instance(await captureError(server.fetch('/v1/it/1')), TypeError);
});
stops('stop() of a server that has served nothing: later calls reject too', async () => {
  const { server } = makeServerRunning(() => 'done');
  await server.stop();
  assert.instance(await captureError(server.fetch('/v1/it/1')), TypeError);
});
stops('stop() does not wait for responses that nobody reads', async () => {
  const { server } = makeServerRunning(() => reply(200, 'x'.repeat(32 * 1024), { 'Content-Type': 'a/b' }), { stopGraceMs: 3_600_000 });
  const responses = await Promise.all(Array.from({ length: 10 }, () => server.fetch('/v1/it/1')));
  await withTimeout(server.stop());
  for (const response of responses) assert.is((await response.text()).length, 32 * 1024);
});
stops('stop() ends calls that take longer than stopGraceMs', async () => {
  const { server } = makeServerRunning(() => new Promise(() => {}), { stopGraceMs: 50 });
  const call = captureError(server.fetch('/v1/it/1'));
  await waitUntil(async () => (await withTimeout(server.stop()), true), 'the stop');
  assert.instance(await call, TypeError);
});
stops('stops and starts with the server that it is mounted in', async () => {
  const { server: outer } = makeServer();
  const { server: inner } = makeServerRunning(() => 'done');
  outer.mount('/inner', inner.requestListener);
  assert.is(await (await outer.fetch('/inner/v1/it/1')).json(), 'done');
  assert.is((await inner.fetch('/v1/it/1')).status, 200);
  await outer.stop();
  assert.instance(await captureError(inner.fetch('/v1/it/1')), TypeError);
  assert.is((await outer.start('127.0.0.1:0')).ok, true);
  assert.is((await inner.fetch('/v1/it/1')).status, 200);
  await outer.stop();
});
stops.run();
