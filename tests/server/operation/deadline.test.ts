/** `limits.operationMs`: one deadline over all that the user does for a request. It stands still while the client sends. */
import { bytes, defineEndpoint, reply, stringId, type ApiServer } from '../../../src/index.ts';
import { assert, delay, Gate, head, message, RawClient, send, serve, suite, waitUntil } from '../../support/facts.ts';

const STEPS = ['context', 'query', 'input', 'run', 'output'] as const;

/** An operation whose steps each take so long. The properties of `stepsMs` are by the names of the steps. */
function declareSteps(stepsMs: Readonly<Record<string, number>>, invoked: string[] = []): (server: ApiServer) => void {
  const step = async <T>(name: string, value: T): Promise<T> => {
    invoked.push(name);
    await delay(stepsMs[name] ?? 0);
    return value;
  };
  return (server) => server.registerEndpoint('/item', defineEndpoint({
    id: stringId,
    context: () => step('context', 'anyone'),
    custom: {
      feed: {
        query: (query: unknown) => step('query', query),
        input: (json: unknown) => step('input', json),
        output: (result: unknown) => step('output', result),
        run: () => step('run', 'fed'),
      },
    },
  }));
}

const FEED = message('POST', '/v1/item/feed', '1');
const TIMEOUT = 'POST /v1/item/feed: the operation took longer than 200 ms';

const deadline = suite('C5: the deadline of a request');
deadline('five asynchronous steps of which each is shorter, and all are longer -> 503, logged once', async () => {
  const stepsMs = Object.fromEntries(STEPS.map((name) => [name, 100]));
  await serve(declareSteps(stepsMs), async ({ port, errors }) => {
    assert.is((await send(port, FEED)).status, 503);
    await delay(500);
    assert.equal(errors.map((error) => error.message), [TIMEOUT]);
  }, { limits: { operationMs: 200 } });
});
for (const slow of STEPS) {
  deadline(`${slow} alone is longer -> 503; no later step begins`, async () => {
    const invoked: string[] = [];
    await serve(declareSteps({ [slow]: 500 }, invoked), async ({ port, errors }) => {
      assert.is((await send(port, FEED)).status, 503);
      await delay(500);
      assert.equal(invoked, STEPS.slice(0, STEPS.indexOf(slow) + 1));
      assert.equal(errors.map((error) => error.message), [TIMEOUT]);
    }, { limits: { operationMs: 200 } });
  });
}
deadline('five asynchronous steps that are shorter together -> 200', () => serve(declareSteps(Object.fromEntries(STEPS.map((name) => [name, 5]))), async ({ port }) => {
  assert.is((await send(port, FEED)).body, '"fed"');
}, { limits: { operationMs: 10_000 } }));
deadline('0 is not a limit', () => serve(declareSteps(Object.fromEntries(STEPS.map((name) => [name, 20]))), async ({ port }) => {
  assert.is((await send(port, FEED)).body, '"fed"');
}, { limits: { operationMs: 0 } }));
deadline('the time in which the client sends a JSON body does not count', () => serve(declareSteps({ context: 5 }), async ({ port }) => {
  const client = await RawClient.send(port, FEED.slice(0, -1));
  await delay(3000);
  client.send('1');
  assert.is((await client.response()).body, '"fed"');
}, { limits: { operationMs: 2000 } }));
deadline('nor that in which it sends bytes; that between the chunks does', async () => {
  let pauseMs = 0;
  await serve((server) => server.registerEndpoint('/item', defineEndpoint({
    id: stringId,
    custom: {
      take: {
        input: bytes(),
        run: async (body) => {
          let count = 0;
          for await (const chunk of body) {
            count += chunk.length;
            await delay(pauseMs);
          }
          return count;
        },
      },
    },
  })), async ({ port, errors }) => {
    for (const [pause, status] of [[0, 200], [1500, 503]] as const) {
      pauseMs = pause;
      const client = await RawClient.send(port, head('POST', '/v1/item/take', ['Content-Length: 3', 'Content-Type: a/b']));
      for (const piece of ['a', 'b', 'c']) {
        await delay(1000);
        client.send(piece);
      }
      assert.is((await client.response()).status, status);
      client.destroy();
    }
    assert.is(errors.length, 1);
  }, { limits: { operationMs: 2000 } });
});

const begins = suite('the time for the body of an operation that takes bytes');
for (const limits of [{ requestMs: 2000 }, undefined] as const) {
  for (const [what, expects] of [['waits for 100 Continue', true], ['has sent a part', false]] as const) {
    begins(`begins when it reads, with ${limits === undefined ? 'the limit of the server' : 'one of its own'}: a client that ${what} gets its response`, async () => {
      const gate = new Gate();
      await serve((server) => server.registerEndpoint('/item', defineEndpoint({
        id: stringId,
        custom: {
          take: {
            input: bytes(),
            ...(limits !== undefined && { limits }),
            run: async (body) => {
              await gate.passed;
              let text = '';
              for await (const chunk of body) text += Buffer.from(chunk).toString();
              return text;
            },
          },
        },
      })), async ({ port }) => {
        const client = await RawClient.send(port, head('POST', '/v1/item/take', ['Content-Length: 3', ...(expects ? ['Expect: 100-continue'] : [])]) + (expects ? '' : 'a'));
        // Node looks for requests that are too slow twice a second.
        await delay(3000);
        assert.is(client.unread, '');
        gate.open();
        if (expects) assert.is((await client.response()).status, 100);
        client.send(expects ? 'abc' : 'bc');
        assert.is((await client.response()).body, '"abc"');
        client.destroy();
      }, { limits: { requestMs: limits === undefined ? 2000 : 4000, headersMs: 2000 } });
    });
    begins(`and ends: a client that ${what}, and sends no more, with ${limits === undefined ? 'the limit of the server' : 'one of its own'} -> 408`, async () => {
      await serve((server) => server.registerEndpoint('/item', defineEndpoint({
        id: stringId,
        custom: { take: { input: bytes(), ...(limits !== undefined && { limits }), output: { 204: null }, run: async (body) => { for await (const _ of body); } } },
      })), async ({ port }) => {
        const client = await RawClient.send(port, head('POST', '/v1/item/take', ['Content-Length: 3', ...(expects ? ['Expect: 100-continue'] : [])]) + (expects ? '' : 'a'));
        if (expects) assert.is((await client.response()).status, 100);
        assert.is((await client.response()).status, 408);
        client.destroy();
      }, { limits: { requestMs: limits === undefined ? 2000 : 4000, headersMs: 2000 } });
    });
  }
}

const blocked = suite('a step that blocks the process for longer than the deadline');
blocked('leaves no time for the next one -> 503', () => serve((server) => server.registerEndpoint('/item', defineEndpoint({
  id: stringId,
  context: async () => {
    await null;
    const begin = performance.now();
    while (performance.now() - begin < 20);
    return 'anyone';
  },
  get: () => new Promise<string>(() => {}),
})), async ({ port, errors }) => {
  assert.is((await send(port, message('GET', '/v1/item/1'))).status, 503);
  assert.is(errors.length, 1);
}, { limits: { operationMs: 10 } }));

const over = suite('the deadline after the operation has returned');
over('does not count while its stream reads the body of the request', async () => {
  const gate = new Gate();
  await serve((server) => server.registerEndpoint('/item', defineEndpoint({
    custom: {
      echo: {
        input: bytes(),
        output: bytes(),
        run: (body) => reply(200, (async function* () {
          const { value } = await body[Symbol.asyncIterator]().next();
          await gate.passed;
          yield value ?? '';
        })()),
      },
    },
  })), async ({ port }) => {
    const client = await RawClient.send(port, head('POST', '/v1/item/echo', ['Content-Length: 3', 'Content-Type: a/b']));
    await delay(20);
    client.send('abc');
    // The head is sent after a second, without a chunk.
    await waitUntil(() => client.unread !== '', 'the head');
    gate.open();
    const { status, body } = await client.response();
    assert.equal([status, body], [200, 'abc']);
    client.destroy();
  }, { limits: { operationMs: 100 } });
});
