/** `limits.operationMs`: one deadline over all that the user does for a request. It stands still while the client sends. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bytes, defineEndpoint, stringId, type ApiServer } from '../../../src/index.ts';
import { after, Gate } from '../../support/gate.ts';
import { head, message } from '../../support/messages.ts';
import { RawClient, rawRequest } from '../../support/raw-client.ts';
import { serving } from '../../support/serving.ts';

const STEPS = ['context', 'query', 'input', 'run', 'output'] as const;

/** An operation whose steps each take so long. The properties of `stepsMs` are by the names of the steps. */
function inSteps(stepsMs: Readonly<Record<string, number>>, invoked: string[] = []): (server: ApiServer) => void {
  const step = async <T>(name: string, value: T): Promise<T> => {
    invoked.push(name);
    await after(stepsMs[name] ?? 0);
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

const deadline = suite('the deadline of a request');
deadline('five asynchronous steps of which each is shorter, and all are longer -> 503, logged once', async () => {
  const stepsMs = Object.fromEntries(STEPS.map((name) => [name, 100]));
  await serving(inSteps(stepsMs), async ({ port, errors }) => {
    assert.is((await rawRequest(port, FEED)).status, 503);
    await after(500);
    assert.equal(errors.map((error) => error.message), [TIMEOUT]);
  }, { limits: { operationMs: 200 } });
});
for (const slow of STEPS) {
  deadline(`${slow} alone is longer -> 503; no later step begins`, async () => {
    const invoked: string[] = [];
    await serving(inSteps({ [slow]: 500 }, invoked), async ({ port, errors }) => {
      assert.is((await rawRequest(port, FEED)).status, 503);
      await after(500);
      assert.equal(invoked, STEPS.slice(0, STEPS.indexOf(slow) + 1));
      assert.equal(errors.map((error) => error.message), [TIMEOUT]);
    }, { limits: { operationMs: 200 } });
  });
}
deadline('five asynchronous steps that are shorter together -> 200', async () => {
  await serving(inSteps(Object.fromEntries(STEPS.map((name) => [name, 5]))), async ({ port }) => {
    assert.is((await rawRequest(port, FEED)).body, '"fed"');
  }, { limits: { operationMs: 10_000 } });
});
deadline('0 is not a limit', async () => {
  await serving(inSteps(Object.fromEntries(STEPS.map((name) => [name, 20]))), async ({ port }) => {
    assert.is((await rawRequest(port, FEED)).body, '"fed"');
  }, { limits: { operationMs: 0 } });
});
deadline('the time in which the client sends a JSON body does not count', async () => {
  await serving(inSteps({ context: 5 }), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(FEED.slice(0, -1));
    await after(600);
    client.send('1');
    assert.is((await client.response()).body, '"fed"');
    client.destroy();
  }, { limits: { operationMs: 200 } });
});
deadline('nor that in which it sends bytes; that between the chunks does', async () => {
  let pauseMs = 0;
  await serving((server) => server.registerEndpoint('/item', defineEndpoint({
    id: stringId,
    custom: {
      take: {
        input: bytes(),
        run: async (body) => {
          let count = 0;
          for await (const chunk of body) {
            count += chunk.length;
            await after(pauseMs);
          }
          return count;
        },
      },
    },
  })), async ({ port, errors }) => {
    for (const [pause, status] of [[0, 200], [300, 503]] as const) {
      pauseMs = pause;
      const client = await RawClient.connect(port);
      client.send(head('POST', '/v1/item/take', ['Content-Length: 3', 'Content-Type: a/b']));
      for (const piece of ['a', 'b', 'c']) {
        await after(300);
        client.send(piece);
      }
      assert.is((await client.response()).status, status);
      client.destroy();
    }
    assert.is(errors.length, 1);
  }, { limits: { operationMs: 500 } });
});
deadline.run();

const begins = suite('the time for the body of an operation that takes bytes');
for (const limits of [{ requestMs: 300 }, undefined] as const) {
  for (const [what, expects] of [['waits for 100 Continue', true], ['has sent a part', false]] as const) {
    begins(`begins when it reads, with ${limits === undefined ? 'the limit of the server' : 'one of its own'}: a client that ${what} gets its response`, async () => {
      const gate = new Gate();
      await serving((server) => server.registerEndpoint('/item', defineEndpoint({
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
        const client = await RawClient.connect(port);
        client.send(head('POST', '/v1/item/take', ['Content-Length: 3', ...(expects ? ['Expect: 100-continue'] : [])]) + (expects ? '' : 'a'));
        // Node looks for requests that are too slow twice a second.
        await after(1500);
        assert.is(client.unread, '');
        gate.open();
        if (expects) assert.is((await client.response()).status, 100);
        client.send(expects ? 'abc' : 'bc');
        assert.is((await client.response()).body, '"abc"');
        client.destroy();
      }, { limits: { requestMs: limits === undefined ? 300 : 600, headersMs: 300 } });
    });
    begins(`and ends: a client that ${what}, and sends no more, with ${limits === undefined ? 'the limit of the server' : 'one of its own'} -> 408`, async () => {
      await serving((server) => server.registerEndpoint('/item', defineEndpoint({
        id: stringId,
        custom: { take: { input: bytes(), ...(limits !== undefined && { limits }), status: 204, run: async (body) => { for await (const _ of body); } } },
      })), async ({ port }) => {
        const client = await RawClient.connect(port);
        client.send(head('POST', '/v1/item/take', ['Content-Length: 3', ...(expects ? ['Expect: 100-continue'] : [])]) + (expects ? '' : 'a'));
        if (expects) assert.is((await client.response()).status, 100);
        assert.is((await client.response()).status, 408);
        client.destroy();
      }, { limits: { requestMs: limits === undefined ? 300 : 600, headersMs: 300 } });
    });
  }
}
begins.run();
