/** How fast streams are read, and when they are closed. */
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { ApiServer, defineEndpoint, reply, stringId } from '../../../src/index.ts';
import { SOURCE_KINDS, StreamSource, declareStream } from '../../support/declare-stream.ts';
import { runTogether } from '../../support/run-together.ts';
import { captureUnhandled } from '../../support/capture-unhandled.ts';
import { connectPaused } from '../../support/connect-paused.ts';
import { assert, delay, Gate, head, message, RawClient, send, sendUntilClosed, serve, suite, waitUntil, withTimeout } from '../../support/facts.ts';

const MIB = 2 ** 20;
const CHUNK = 'x'.repeat(64 * 1024);
const GET = message('GET', '/v1/stream/1');

const left = suite('R6: a stream whose client leaves');
const leaving = runTogether(left);
for (const kind of SOURCE_KINDS) {
  for (const [what, chunk] of [['gives nothing', undefined], ['always has more', CHUNK]] as const) {
    // A generator that waits can only be stopped by a signal.
    if (kind === 'generator' && chunk === undefined) continue;
    for (const [how, leave] of [
      ['resets the connection', (client: RawClient) => client.socket.resetAndDestroy()],
      ['ends it', (client: RawClient) => client.socket.destroy()],
      ['ends its own side, and reads nothing', (client: RawClient) => client.socket.pause().end()],
    ] as const) {
      leaving(`${kind} that ${what}: the client ${how}, and the stream is closed within a second, once`, async () => {
        const source = new StreamSource(chunk);
        await serve(declareStream(() => source[kind]()), async ({ port, errors }) => {
          const client = await RawClient.send(port, GET);
          await once(client.socket, 'data');
          leave(client);
          await withTimeout(1000, waitUntil(() => source.closed > 0, 'the stream to be closed'));
          const { produced } = source;
          await delay(20);
          assert.is(source.closed, 1);
          assert.is(source.produced, produced);
          assert.equal(errors, []);
        });
      });
    }
  }
}
for (const [why, close, logged] of [
  ['throws', () => { throw new Error('stuck'); }, ['GET /v1/stream/:id: Internal error: stuck']],
  ['rejects', async () => { throw new Error('stuck'); }, ['GET /v1/stream/:id: Internal error: stuck']],
  ['rejects by a thenable', () => ({ then: (_: unknown, no: (thrown: unknown) => void) => no(new Error('stuck')) }),
    ['GET /v1/stream/:id: Internal error: stuck']],
  ['was aborted itself', async () => { throw new DOMException('the client left', 'AbortError'); }, []],
  ['gives nothing', () => undefined, []],
  ['is not there', undefined, []],
] as const) {
  leaving(`an iterator whose return ${why}: ${logged.length === 0 ? 'nothing is' : ''} logged, and nothing is left unhandled`, async () => {
    let closed = close === undefined;
    const iterator = { next: () => new Promise(() => {}), return: close && ((): unknown => ((closed = true), close())) };
    await serve(declareStream(() => ({ [Symbol.asyncIterator]: () => iterator })), async ({ port, errors }) => {
      const client = await RawClient.send(port, GET);
      await once(client.socket, 'data');
      client.destroy();
      await waitUntil(() => closed, 'the stream to be closed');
      await delay(20);
      assert.equal(errors.map((error) => error.message), logged);
    });
  });
}
leaving('request.signal aborts, and a generator that listens to it ends', async () => {
  let ended: unknown;
  await serve(declareStream(({ signal }) => (async function* () {
    try {
      yield 'first';
      await once(new EventTarget() as never, 'never', { signal });
    } catch (thrown) {
      ended = (thrown as Error).name;
      throw thrown;
    }
  })()), async ({ port, errors }) => {
    const client = await RawClient.send(port, GET);
    await client.receives('first');
    client.destroy();
    await withTimeout(1000, waitUntil(() => ended === 'AbortError', 'the signal to abort'));
    await delay(20);
    assert.equal(errors, []);
  });
});
leaving('it fails when its client has left: that is not logged', async () => {
  let hasFailed = false;
  await serve(declareStream(({ signal }) => (async function* () {
    yield 'first';
    if (!signal.aborted) await once(signal, 'abort');
    hasFailed = true;
    throw new Error('too late');
  })()), async ({ port, errors }) => {
    const client = await RawClient.send(port, GET);
    await client.receives('first');
    client.destroy();
    await waitUntil(() => hasFailed, 'the failure');
    await delay(20);
    assert.equal(errors, []);
  });
});

const unread = suite('R8: a stream that is not read');
for (const kind of SOURCE_KINDS) {
  for (const [why, method, headers, status] of [
    ['HEAD', 'HEAD', [], 200],
    ['a GET whose client has it', 'GET', ['If-None-Match: "1"'], 304],
  ] as const) {
    unread(`${kind}: ${why} -> ${status}, and it is closed`, async () => {
      const source = new StreamSource(CHUNK);
      let stream: unknown;
      await serve(declareStream(() => (stream = source[kind]()), { ETag: '"1"' }), async ({ port, errors }) => {
        assert.is((await send(port, message(method, '/v1/stream/1', '', headers))).status, status);
        // The body of a generator has not begun, so there is nothing that it could clean up.
        if (kind === 'generator') assert.equal(await (stream as AsyncGenerator).next(), { done: true, value: undefined });
        else await waitUntil(() => source.closed === 1, 'the stream to be closed');
        assert.ok(source.produced < 4);
        assert.equal(errors, []);
      });
    });
  }
}
for (const [why, operationMs, ask] of [
  ['the operation took too long', 60, (port: number) => send(port, GET).then(({ status }) => assert.is(status, 503))],
  ['the client has left', 60_000, async (port: number) => {
    const client = await RawClient.send(port, GET);
    await delay(10);
    client.destroy();
  }],
] as const) {
  unread(`${why}, and the reply comes only then: it is closed`, async () => {
    const source = new StreamSource(CHUNK);
    await serve((server) => server.registerEndpoint('/stream', defineEndpoint({
      id: stringId,
      get: async () => (await delay(100), reply(200, source.readable())),
    })), async ({ port, errors }) => {
      await ask(port);
      await waitUntil(() => source.closed === 1, 'the stream to be closed');
      assert.is(errors.length, why.startsWith('the operation') ? 1 : 0);
    }, { limits: { operationMs } });
  });
}
unread('a web stream that is locked, to HEAD: logged, and the response is sent', () => serve(declareStream(() => {
  const stream = new ReadableStream();
  stream.getReader();
  return stream;
}), async ({ port, errors }) => {
  assert.is((await send(port, message('HEAD', '/v1/stream/1'))).status, 200);
  await waitUntil(() => errors.length === 1, 'the failure to be logged');
  assert.match(errors[0]?.message ?? '', /^GET \/v1\/stream\/:id: Internal error: .*locked/);
}));
for (const [why, spoil, chunk] of [
  ['before the head', () => { throw new Error('spoilt'); }],
  ['before the head, which the first chunk brings', () => { throw new Error('spoilt'); }, CHUNK],
  ['when the status is taken', function (this: ServerResponse, status: number) {
    this.statusMessage = String(status);
    throw new Error('spoilt');
  }],
] as readonly (readonly [string, (this: ServerResponse, status: number) => void, string?])[]) {
  unread(`a response that code in front of the server breaks, ${why} -> 500, logged, and the stream is closed, and not written`, async () => {
    const source = new StreamSource(chunk);
    let written = 0;
    const errors: Error[] = [];
    const api = new ApiServer('/v1', { logger: { info: () => {}, error: (error) => errors.push(error) } });
    declareStream(() => source.readable())(api);
    const server: Server = createServer((request, response) => {
      const { writeHead } = response;
      let times = 0;
      response.writeHead = function (this: ServerResponse, ...given: never[]) {
        return Reflect.apply((times += 1) === 1 ? spoil : writeHead, this, given) as never;
      };
      response.write = () => (written += 1) > 0;
      api.requestListener(request, response);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    try {
      const received = await sendUntilClosed((server.address() as AddressInfo).port, message('GET', '/v1/stream/1', '', ['Connection: close']));
      assert.match(received, /^HTTP\/1\.1 500 /);
      await waitUntil(() => source.closed === 1, 'the stream to be closed');
      assert.equal(errors.map((error) => error.message), ['GET /v1/stream/:id: Internal error: spoilt']);
      assert.is(written, 0);
    } finally {
      server.close();
    }
  });
}
unread('another reply takes the place of its own before the first chunk: it is closed, and not read on', async () => {
  const gate = new Gate();
  let begun = 0;
  let closed = 0;
  let given = 0;
  const stream = async function* (): AsyncGenerator<string> {
    begun += 1;
    try {
      await gate.passed;
      for (given = 1; ; given += 1) yield 'x';
    } finally {
      closed += 1;
    }
  };
  await serve(declareStream(stream), async ({ port }) => {
    const client = await RawClient.send(port, head('GET', '/v1/stream/1', ['Transfer-Encoding: chunked']));
    await waitUntil(() => begun === 1, 'the stream');
    client.send('nonsense\r\n');
    assert.is((await client.response()).status, 400);
    gate.open();
    await waitUntil(() => closed === 1, 'the stream to be closed');
    assert.is(given, 1);
  });
});

const pulled = suite('R5: how fast a stream is read');
const pulling = runTogether(pulled);
for (const kind of SOURCE_KINDS) {
  pulling(`${kind}: no faster than the client takes it, however long that is, and to its last byte`, async () => {
    const total = 24 * MIB;
    const source = new StreamSource(CHUNK);
    const stream = async function* (): AsyncGenerator<unknown> {
      let given = 0;
      for await (const chunk of source[kind]() as AsyncIterable<unknown>) {
        yield chunk;
        if ((given += CHUNK.length) >= total) return;
      }
    };
    await serve(declareStream(stream), async ({ port }) => {
      const client = await connectPaused(port);
      client.write(message('GET', '/v1/stream/1', '', ['Connection: close']));
      let bytes = 0;
      let most = 0;
      client.on('data', (chunk) => {
        bytes += chunk.length;
        most = Math.max(most, source.produced * CHUNK.length - bytes);
      });
      for (let time = 0; time < 3; time += 1) {
        client.pause();
        // It is read no further.
        for (let given = -1; given !== source.produced; await delay(50)) given = source.produced;
        client.resume();
        await delay(5);
      }
      await once(client, 'close');
      assert.ok(bytes >= total);
      // The buffers of the system for a connection, and those of the process.
      assert.ok(most < 16 * MIB, `${most} bytes ahead`);
    });
  });
}
pulling('a client that takes nothing for limits.sendMs: the connection is destroyed, and the stream closed', async () => {
  const source = new StreamSource(CHUNK);
  await serve(declareStream(() => source.generator()), async ({ port, errors }) => {
    const client = await connectPaused(port);
    client.write(GET);
    await waitUntil(() => source.closed === 1, 'the stream to be closed');
    assert.equal(errors, []);
  }, { limits: { sendMs: 300 } });
});
pulling('a stream that takes longer than limits.operationMs, sendMs and requestMs: the whole response is sent, and its signal does not abort', async () => {
  let signal: AbortSignal | undefined;
  await serve(declareStream((request) => {
    ({ signal } = request);
    return (async function* () {
      for (const chunk of 'abcdef') yield (await delay(400), chunk);
    })();
  }), async ({ port }) => {
    assert.is((await send(port, GET)).body, 'abcdef');
    assert.not.ok(signal?.aborted);
  }, { limits: { operationMs: 2000, sendMs: 2000, requestMs: 2000 } });
  assert.not.ok(signal?.aborted);
});

const drained = suite('stop() while a stream is sent');
drained('waits for it, and closes the connection behind it', async () => {
  const gate = new Gate();
  await serve(declareStream(() => (async function* () {
    yield 'first ';
    await gate.passed;
    yield 'last';
  })()), async ({ port, server }) => {
    const client = await RawClient.send(port, GET);
    await client.receives('first');
    let isStopped = false;
    const stopped = server.stop().then(() => (isStopped = true));
    await delay(50);
    assert.not.ok(isStopped);
    gate.open();
    assert.is((await client.response()).body, 'first last');
    assert.is(await client.closed(), '');
    await withTimeout(1000, stopped);
    client.destroy();
  });
});
drained('destroys it after stopGraceMs, and closes the stream', async () => {
  const source = new StreamSource();
  const unhandled = await captureUnhandled(() => serve(declareStream(() => source.readable()), async ({ port, server, errors }) => {
    const client = await RawClient.send(port, GET);
    await once(client.socket, 'data');
    await withTimeout(1500, server.stop());
    await waitUntil(() => source.closed === 1, 'the stream to be closed');
    assert.equal(errors, []);
  }, { stopGraceMs: 100 }));
  assert.equal(unhandled, []);
});

const infinite = suite('a Readable that is destroyed for its client');
infinite('does not fail: nothing is logged', async () => {
  const stream = Readable.from((async function* () { for (;;) yield (await delay(1), 'x'); })());
  await serve(declareStream(() => stream), async ({ port, errors }) => {
    const client = await RawClient.send(port, GET);
    await once(client.socket, 'data');
    client.destroy();
    await waitUntil(() => stream.destroyed, 'the stream to be destroyed');
    await delay(10);
    assert.equal(errors, []);
  });
});
