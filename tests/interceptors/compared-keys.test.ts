/** When the conditions of a change with an idempotency key are compared: a store that holds a connection does it itself, before it takes one. */
import { ApiError, defineEndpoint, stringId, type Interceptor } from '../../src/index.ts';
import { idempotent, memoryIdempotencyStore, type IdempotencyStore } from '../../src/interceptors/index.ts';
import type { RunConditions } from '../../src/endpoint/checked-interceptor.ts';
import { findInternals } from '../../src/util/internals.ts';
import { assert, Gate, message, RawClient, send, serve, suite, type TestServer, waitUntil } from '../support/facts.ts';

/** A store in memory that compares the conditions itself, unless it has a response. It notes what is done. */
class ComparingStore implements IdempotencyStore {
  readonly log: string[] = [];
  readonly #kept = memoryIdempotencyStore();
  #keys = new Set<string>();
  compares = 1;

  readonly once: IdempotencyStore['once'] = async (claim, run, conditions) => {
    for (let times = 0; times < this.compares && !this.#keys.has(claim?.key ?? ''); times += 1) {
      this.log.push('compare');
      await conditions?.compare?.();
    }
    this.#keys.add(claim?.key ?? '');
    this.log.push('hold');
    return this.#kept.once(claim, run, conditions).finally(() => this.log.push('end'));
  };
}

type Use = readonly Interceptor<any>[];

/** Serves an item of the version 1, whose `patch` has interceptors. */
async function servePet(log: string[], use: Use, send: (served: TestServer) => Promise<void>, more: object = {}): Promise<void> {
  await serve((server) => server.registerEndpoint('/pet', defineEndpoint({
    id: stringId,
    get: (id: string) => (log.push(`get ${id}`), id === 'none' ? undefined : { revision: 1 }),
    version: ({ revision }: { readonly revision: number }) => revision,
    patch: { use: use as Interceptor<any>[], input: (json: unknown) => json, run: () => void log.push('run') },
    ...more,
  } as never)), send);
}

const patch = (served: TestServer, condition: string, id = 'rex'): Promise<number> => {
  return send(served.port, message('PATCH', `/v1/pet/${id}`, '{}', ['Idempotency-Key: "a"', condition])).then(({ status }) => status);
};

const compared = suite('K8: the conditions of a request with a key');
for (const [condition, status, log] of [
  ['X-None: 1', 204, ['compare', 'hold', 'run', 'end']],
  ['If-Match: "1"', 204, ['compare', 'get rex', 'hold', 'run', 'end']],
  ['If-Match: *', 204, ['compare', 'get rex', 'hold', 'run', 'end']],
  ['If-Unmodified-Since: Sun, 06 Nov 1994 08:49:37 GMT', 204, ['compare', 'get rex', 'hold', 'run', 'end']],
  ['If-Match: "2"', 412, ['compare', 'get rex']],
  ['If-None-Match: *', 412, ['compare', 'get rex']],
  // No item can have it, so `get` is not called.
  ['If-Match: 2', 412, ['compare', 'hold', 'end']],
] as const) {
  compared(`${condition} -> ${status}, compared before the store holds anything`, async () => {
    const store = new ComparingStore();
    await servePet(store.log, [idempotent(store)], async (served) => {
      assert.is(await patch(served, condition), status);
      assert.equal([store.log, served.errors.length], [log, 0]);
    });
  });
}
compared('a missing item -> 412', async () => {
  const store = new ComparingStore();
  await servePet(store.log, [idempotent(store)], async (served) => {
    assert.is(await patch(served, 'If-Match: *', 'none'), 412);
    assert.equal(store.log, ['compare', 'get none']);
  });
});
compared('currentVersion is called within, where it can read in a transaction', async () => {
  const store = new ComparingStore();
  await servePet(store.log, [idempotent(store)], async (served) => {
    assert.is(await patch(served, 'If-Match: "2"'), 204);
    assert.equal(store.log, ['compare', 'hold', 'version', 'run', 'end']);
  }, { currentVersion: () => (store.log.push('version'), 2) });
});
compared('a store that does not compare: just before the operation runs', async () => {
  const store = new ComparingStore();
  store.compares = 0;
  await servePet(store.log, [idempotent(store)], async (served) => {
    assert.is(await patch(served, 'If-Match: "1"'), 204);
    assert.equal(store.log, ['hold', 'get rex', 'run', 'end']);
  });
});
compared('an operation that runs again is compared again', async () => {
  const log: string[] = [];
  const again: IdempotencyStore = {
    once: async (_claim, run, conditions) => {
      await conditions?.compare?.();
      await run({});
      await run({});
      await conditions?.compare?.();
      await run({});
      return 'done';
    },
  };
  await servePet(log, [idempotent(again)], async (served) => {
    assert.is(await patch(served, 'If-Match: "1"'), 204);
    assert.equal(log, ['get rex', 'run', 'get rex', 'run', 'get rex', 'run']);
  });
});
compared('a store that does not wait for the comparison: its error is logged, and does not end the process', async () => {
  const log: string[] = [];
  const hasty: IdempotencyStore = { once: async (_claim, _run, conditions) => (void conditions?.compare?.(), 'running') };
  await servePet(log, [idempotent(hasty)], async (served) => {
    assert.is(await patch(served, 'If-Match: "2"'), 409);
    await waitUntil(() => served.errors.some(({ message }) => message.includes('use[0].around did not wait for compare(), and compare() failed')), 'the message');
  });
});
compared('a client that leaves while `get` runs: the signal of the store aborts', async () => {
  const gate = new Gate();
  let signal: AbortSignal | undefined;
  let isAsked = false;
  const waiting: IdempotencyStore = {
    once: async (_claim, _run, conditions) => {
      signal = conditions?.signal;
      assert.is(conditions?.operationMs, 60_000);
      await conditions?.compare?.();
      return 'running';
    },
  };
  const get = async (): Promise<object> => (isAsked = true, await gate.passed, { revision: 1 });
  await servePet([], [idempotent(waiting)], async ({ port }) => {
    const client = await RawClient.send(port, message('PATCH', '/v1/pet/rex', '{}', ['If-Match: "1"']));
    await waitUntil(() => isAsked, 'the call of get');
    client.destroy();
    await waitUntil(() => signal?.aborted === true, 'the signal');
    gate.open();
  }, { get });
});

const chained = suite('V18: interceptors that hold something, in a chain');
/** Holds something while it runs the next interceptor, as a transaction holds a connection. */
const holding = (name: string, log: string[], runs = 1): Interceptor => ({
  around: async (call, run) => {
    const { compare } = findInternals<RunConditions>(call) ?? {};
    let result: unknown;
    for (let times = 0; times < runs; times += 1) {
      await compare?.();
      log.push(`hold ${name}`);
      result = await run();
    }
    return result;
  },
});
const rejecting = (times: number): Interceptor => {
  let left = times;
  return { around: (_call, run) => ((left -= 1) >= 0 ? Promise.reject(ApiError.status(409, 'not yet')) : run()) };
};
const again: Interceptor = { around: (_call, run) => run().catch(() => run()) };
for (const [what, makeUse, expected] of [
  ['only the outermost compares: an inner one would hold what the outer one has',
    (log) => [holding('a', log), holding('b', log)], ['get rex', 'hold a', 'hold b', 'run']],
  ['the inner one runs the operation again: it is compared again, just before',
    (log) => [holding('a', log), holding('b', log, 2)], ['get rex', 'hold a', 'hold b', 'run', 'hold b', 'get rex', 'run']],
  ['the outer one runs the operation again: it compares again', (log) => [holding('a', log, 2), holding('b', log)],
    ['get rex', 'hold a', 'hold b', 'run', 'get rex', 'hold a', 'hold b', 'run']],
  ['it is run again after a rejection within it: it compares again',
    (log) => [again, holding('a', log), rejecting(1)], ['get rex', 'hold a', 'get rex', 'hold a', 'run']],
  ['before one that stores responses, nothing is compared', (log) => [holding('a', log), idempotent(memoryIdempotencyStore())], ['hold a', 'get rex', 'run']],
  ['after one that stores responses', (log) => [idempotent(memoryIdempotencyStore()), holding('a', log)], ['get rex', 'hold a', 'run']],
] as readonly (readonly [string, (log: string[]) => Use, string[]])[]) {
  chained(what, async () => {
    const log: string[] = [];
    await servePet(log, makeUse(log), async (served) => {
      assert.is(await patch(served, 'If-Match: "1"'), 204);
      assert.equal(log, expected);
    });
  });
}
