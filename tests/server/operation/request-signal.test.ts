/** The signal of an operation, which aborts when its client leaves or its time is over. */
import { once } from 'node:events';
import { pipeline } from 'node:stream/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stringId, type ApiRequest } from '../../../src/index.ts';
import { looking } from '../../support/looking.ts';
import { head, message } from '../../support/messages.ts';
import { RawClient, rawRequest } from '../../support/raw-client.ts';
import { serving } from '../../support/serving.ts';

const signal = suite('the signal');
for (const [method, target, sent] of [
  ['GET', '/v1/thing/1', ''],
  ['PUT', '/v1/thing/1', '0'],
  ['POST', '/v1/thing/count', ''],
] as const) {
  signal(`aborts when the client of a ${method} leaves before the response, and nothing is logged`, async () => {
    const begun = promiseAndResolve<AbortSignal>();
    const aborted = promiseAndResolve<unknown>();
    const look = async (request: ApiRequest): Promise<void> => {
      begun.resolve(request.signal);
      await once(request.signal, 'abort');
      aborted.resolve(request.signal.reason);
    };
    await serving(looking(look), async ({ port, errors }) => {
      const client = await RawClient.connect(port);
      client.send(message(method, target, sent));
      assert.is((await begun.promise).aborted, false);
      client.destroy();
      assert.is((await aborted.promise as Error).name, 'AbortError');
      assert.equal(errors, []);
    });
  });
}
signal('has aborted already if it is first read after the client left', async () => {
  const begun = promiseAndResolve<void>();
  const aborted = promiseAndResolve<boolean>();
  const look = async (request: ApiRequest): Promise<void> => {
    begun.resolve();
    await once(request.raw.socket, 'close');
    aborted.resolve(request.signal.aborted);
  };
  await serving(looking(look), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(message('GET', '/v1/thing/1'));
    await begun.promise;
    client.destroy();
    assert.is(await aborted.promise, true);
  });
});
for (const [when, ask] of [
  ['before its response', (request: ApiRequest) => void request.signal],
  ['only after its response', () => {}],
] as const) {
  signal(`read ${when} does not abort, even when the connection closes later`, async () => {
    const seen: ApiRequest[] = [];
    const look = (request: ApiRequest): void => {
      seen.push(request);
      ask(request);
    };
    await serving(looking(look), async ({ port }) => {
      const client = await RawClient.connect(port);
      try {
        client.send(message('GET', '/v1/thing/1'));
        await client.response();
        // The second response shows that the first exchange is complete on both sides.
        client.send(message('GET', '/v1/thing/2'));
        await client.response();
        const [first] = seen;
        if (first === undefined) throw new Error('the operation was not invoked');
        const listeners = first.raw.socket.listenerCount('close');
        assert.is(first.signal.aborted, false);
        assert.is(first.raw.socket.listenerCount('close'), listeners);
        const closed = once(first.raw.socket, 'close');
        client.destroy();
        await closed;
        assert.is(first.signal.aborted, false);
      } finally {
        client.destroy();
      }
    });
  });
}
signal('does not abort when its response is the last before the server stops', async () => {
  const begun = promiseAndResolve<ApiRequest>();
  const goOn = promiseAndResolve<void>();
  const look = async (request: ApiRequest): Promise<void> => {
    assert.is(request.signal.aborted, false);
    begun.resolve(request);
    await goOn.promise;
  };
  await serving(looking(look), async ({ port, server }) => {
    const client = await RawClient.connect(port, false);
    client.send(message('GET', '/v1/thing/1'));
    const request = await begun.promise;
    const closed = once(request.raw.socket, 'close');
    const stopped = server.stop();
    goOn.resolve();
    assert.is((await client.response()).headers.get('connection'), 'close');
    await Promise.all([stopped, closed]);
    assert.is(request.signal.aborted, false);
  });
});
for (const [method, target] of [['GET', '/v1/thing/1'], ['HEAD', '/v1/thing/1'], ['DELETE', '/v1/thing/1']] as const) {
  signal(`does not abort after the response to a ${method} whose body is not read`, async () => {
    const begun = promiseAndResolve<ApiRequest>();
    const closed = promiseAndResolve<void>();
    const look = (request: ApiRequest): void => {
      assert.is(request.signal.aborted, false);
      begun.resolve(request);
      request.raw.socket.once('close', closed.resolve);
    };
    await serving(looking(look), async ({ port }) => {
      const client = await RawClient.connect(port, false);
      client.send(head(method, target, ['Transfer-Encoding: chunked']));
      assert.is((await client.response(method)).headers.get('connection'), 'close');
      await closed.promise;
      assert.is((await begun.promise).signal.aborted, false);
    });
  });
}
signal('is created only if the operation reads it', async () => {
  const listeners: number[] = [];
  const look = (request: ApiRequest): void => {
    listeners.push(request.raw.socket.listenerCount('close'));
    assert.is(request.signal.aborted, false);
    listeners.push(request.raw.socket.listenerCount('close'));
  };
  await serving(looking(look), async ({ port }) => {
    assert.is((await rawRequest(port, message('GET', '/v1/thing/1'))).status, 200);
  });
  const [before = 0, after = 0] = listeners;
  assert.is(after, before + 1);
});
signal('leaves no listener on the connection: 50 requests cause no warning of a leak', async () => {
  const warnings: string[] = [];
  const note = (warning: Error): void => void warnings.push(warning.name);
  process.on('warning', note);
  let asked = 0;
  const look = (request: ApiRequest): void => {
    asked += Number(!request.signal.aborted);
  };
  try {
    await serving(looking(look), async ({ port }) => {
      const client = await RawClient.connect(port);
      try {
        for (let count = 0; count < 50; count += 1) {
          client.send(message('GET', '/v1/thing/1'));
          assert.is((await client.response()).status, 200);
        }
      } finally {
        client.destroy();
      }
    });
  } finally {
    process.off('warning', note);
  }
  assert.is(asked, 50);
  assert.equal(warnings, []);
});
signal('works after a pipeline() of the request has failed, which takes the socket from the request', async () => {
  const sockets: unknown[] = [];
  await serving((server) => {
    server.registerEndpoint('/thing', {
      id: stringId,
      delete: async (_id: string, request) => {
        await pipeline(request.raw, async () => { throw new Error('fails'); }).catch(() => {});
        sockets.push(request.raw.socket, request.signal.aborted);
      },
    });
  }, async ({ port, errors }) => {
    assert.is((await rawRequest(port, message('DELETE', '/v1/thing/1', 'body'))).status, 204);
    assert.equal(errors, []);
  });
  assert.equal(sockets, [null, false]);
});
signal.run();

function promiseAndResolve<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
