/** The signal of an operation, which aborts when its client leaves or its time is over. */
import { EventEmitter, once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stringId, type ApiRequest, type InterceptedCall } from '../../../src/index.ts';
import { inspectRequests } from '../../support/inspect-requests.ts';
import { head, message } from '../../support/messages.ts';
import { RawClient, send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';
import { waitTwoTurns, waitUntil } from '../../support/wait.ts';

const signal = suite('C3: the signal');
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
    await serve(inspectRequests(look), async ({ port, errors }) => {
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
  await serve(inspectRequests(look), async ({ port }) => {
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
    await serve(inspectRequests(look), async ({ port }) => {
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
  await serve(inspectRequests(look), async ({ port, server }) => {
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
    await serve(inspectRequests(look), async ({ port }) => {
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
  await serve(inspectRequests(look), async ({ port }) => {
    assert.is((await send(port, message('GET', '/v1/thing/1'))).status, 200);
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
    await serve(inspectRequests(look), async ({ port }) => {
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
  await serve((server) => {
    server.registerEndpoint('/thing', {
      id: stringId,
      delete: async (_id: string, request) => {
        await pipeline(request.raw, async () => { throw new Error('fails'); }).catch(() => {});
        sockets.push(request.raw.socket, request.signal.aborted);
      },
    });
  }, async ({ port, errors }) => {
    assert.is((await send(port, message('DELETE', '/v1/thing/1', 'body'))).status, 204);
    assert.equal(errors, []);
  });
  assert.equal(sockets, [null, false]);
});
signal.run();

/** Functions that wait until a signal aborts, and reject because of it. */
const WAITS: Readonly<Record<string, (signal: AbortSignal, silentUrl: string) => Promise<unknown>>> = {
  'timers/promises': (aborting) => setTimeout(600_000, undefined, { signal: aborting }),
  'timers/promises, with a signal that follows from it': (aborting) => {
    return setTimeout(600_000, undefined, { signal: AbortSignal.any([aborting, new AbortController().signal]) });
  },
  'events.once': (aborting) => once(new EventEmitter(), 'never', { signal: aborting }),
  'throwIfAborted': (aborting) => new Promise((_, fail) => aborting.addEventListener('abort', () => {
    try {
      aborting.throwIfAborted();
    } catch (thrown) {
      fail(thrown);
    }
  })),
  'fetch': (aborting, silentUrl) => fetch(silentUrl, { signal: aborting }),
  'the body of a fetch': (aborting, silentUrl) => fetch(`${silentUrl}/begun`, { signal: aborting }).then((response) => response.text()),
  'http.get': (aborting, silentUrl) => new Promise((_, fail) => get(silentUrl, { signal: aborting }).on('error', fail)),
};

/** Fails after a signal has aborted, for a reason of its own. */
const FAILURES: Readonly<Record<string, (signal: AbortSignal) => unknown>> = {
  'an error': () => new Error('disk is full'),
  'an error with the reason of the signal as its cause': ({ reason }) => new Error('disk is full', { cause: reason }),
  'the AbortError of a different signal': () => Object.assign(new Error('disk is full'), { name: 'AbortError' }),
  'an error whose properties throw': () => new Proxy(new Error('disk is full'), { get: throwOnName }),
};

/** Reads a property of an error. Throws for its name. */
function throwOnName(error: object, name: string | symbol): unknown {
  if (name === 'name') throw new Error('no name');
  return Reflect.get(error, name);
}

/** Serves a path that never responds, and one that never ends its response. */
async function servingSilence(use: (url: string) => Promise<void>): Promise<void> {
  const silent = createServer(({ url }, response) => void (url === '/begun' && response.write('first'))).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  try {
    await use(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`);
  } finally {
    silent.close();
    silent.closeAllConnections();
  }
}

const passed = suite('C3 C5: an operation that passes its signal on, and fails when it aborts');
for (const [what, wait] of Object.entries(WAITS)) {
  for (const [method, target] of [['GET', '/v1/thing/1'], ['DELETE', '/v1/thing/1'], ['POST', '/v1/thing/count']] as const) {
    passed(`${what}, in a ${method} whose client leaves: nothing is logged`, () => servingSilence(async (url) => {
      const begun = promiseAndResolve<void>();
      const failed = promiseAndResolve<void>();
      const look = async ({ signal: aborting }: ApiRequest): Promise<void> => {
        const waiting = wait(aborting, url);
        begun.resolve();
        await waiting.finally(failed.resolve);
      };
      await serve(inspectRequests(look), async ({ port, errors }) => {
        const client = await RawClient.connect(port);
        client.send(message(method, target));
        await begun.promise;
        client.destroy();
        await failed.promise;
        await waitTwoTurns();
        assert.equal(errors, []);
      });
    }));
  }
  passed(`${what}, in an operation that takes too long: only the timeout is logged`, () => servingSilence(async (url) => {
    const failed = promiseAndResolve<void>();
    const look = ({ signal: aborting }: ApiRequest): Promise<unknown> => wait(aborting, url).finally(failed.resolve);
    await serve(inspectRequests(look), async ({ port, errors }) => {
      assert.is((await send(port, message('GET', '/v1/thing/1'))).status, 503);
      await failed.promise;
      await waitTwoTurns();
      assert.equal(errors.map(({ message: text }) => text), ['GET /v1/thing/:id: the operation took longer than 50 ms']);
    }, { limits: { operationMs: 50 } });
  }));
}
for (const step of ['context', 'an interceptor', 'a run that an interceptor does not wait for'] as const) {
  passed(`the client leaves during ${step}: nothing is logged`, async () => {
    const begun = promiseAndResolve<void>();
    const failed = promiseAndResolve<void>();
    const wait = ({ signal: aborting }: { readonly signal: AbortSignal }): Promise<string> => {
      begun.resolve();
      return setTimeout(600_000, 'never', { signal: aborting }).finally(failed.resolve);
    };
    const around = step === 'an interceptor' ? ({ request }: InterceptedCall) => wait(request)
      : async (_call: InterceptedCall, run: () => Promise<unknown>) => {
        void run();
        await failed.promise;
        await waitTwoTurns();
        return 'at last';
      };
    await serve((server) => {
      server.registerEndpoint('/thing', {
        ...(step === 'context' ? { context: (request) => wait(request).then(() => 'me') } : { use: [{ around }] }),
        custom: { count: { run: wait } },
      });
    }, async ({ port, errors }) => {
      const client = await RawClient.connect(port);
      client.send(message('POST', '/v1/thing/count'));
      await begun.promise;
      client.destroy();
      await failed.promise;
      for (let turns = 0; turns < 3; turns += 1) await waitTwoTurns();
      assert.equal(errors, []);
    });
  });
}
for (const [what, makeError] of Object.entries(FAILURES)) {
  passed(`the client leaves, and it fails with ${what}: that is logged`, async () => {
    const begun = promiseAndResolve<void>();
    const look = async ({ signal: aborting }: ApiRequest): Promise<void> => {
      begun.resolve();
      await once(aborting, 'abort');
      throw makeError(aborting);
    };
    await serve(inspectRequests(look), async ({ port, errors }) => {
      const client = await RawClient.connect(port);
      client.send(message('GET', '/v1/thing/1'));
      await begun.promise;
      client.destroy();
      await waitUntil(() => errors.length === 1, 'the error');
      assert.is(errors[0]?.message, 'GET /v1/thing/:id: Internal error: disk is full');
    });
  });
}
passed('an AbortError while the client is there: logged, and the response is a 500', async () => {
  const abort = new DOMException('the client left', 'AbortError');
  const look = ({ signal: aborting }: ApiRequest): never => {
    assert.is(aborting.aborted, false);
    throw abort;
  };
  await serve(inspectRequests(look), async ({ port, errors }) => {
    assert.is((await send(port, message('GET', '/v1/thing/1'))).status, 500);
    assert.equal(errors.map(({ message: text }) => text), ['GET /v1/thing/:id: Internal error: the client left']);
  });
});
passed.run();

function promiseAndResolve<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
