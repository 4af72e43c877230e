/**
 * Operations that return a thenable, as query builders do: the server makes it behave like a promise. The thenable may be a
 * function.
 */
import { stringId } from '../../../src/index.ts';
import { runTogether } from '../../support/run-together.ts';
import { assert, message, RawClient, serve, suite } from '../../support/facts.ts';

type Settle = (value: unknown) => void;

const failure = new Error('the store is gone');
const OPERATION_MS = 50;

const thenables = suite('a thenable');
const thenablesTogether = runTogether(thenables);
for (const [why, then, body, logged] of [
  ['that resolves at once', (resolve: Settle) => resolve('text'), '"text"', []],
  ['that resolves with a promise', (resolve: Settle) => resolve(Promise.resolve('text')), '"text"', []],
  ['that resolves twice', (resolve: Settle) => [resolve('text'), resolve('other')], '"text"', []],
  ['that resolves, and then rejects', (resolve: Settle, reject: Settle) => [resolve('text'), reject(failure)], '"text"', []],
  ['that resolves, and then throws', (resolve: Settle) => { resolve('text'); throw failure; }, '"text"', []],
  ['that rejects', (_resolve: Settle, reject: Settle) => reject(failure), undefined, [failure]],
  ['that resolves with a promise that rejects', (resolve: Settle) => resolve(Promise.reject(failure)), undefined, [failure]],
  ['that throws', () => { throw failure; }, undefined, [failure]],
  ['whose then is asynchronous and rejects', async () => { throw failure; }, undefined, [failure]],
  ['that resolves, and whose then rejects', async (resolve: Settle) => { resolve('text'); throw failure; }, '"text"', []],
] as const) {
  for (const [form, thenable] of [['an object', { then }], ['a function', Object.assign(() => 'the call', { then })]] as const) {
    thenablesTogether(`${why}, ${form} -> ${body ?? '500'}, ${logged.length} lines in the log, and the connection stays open`, () => serve((server) => {
      server.registerEndpoint('/thing', { id: stringId, get: (): unknown => thenable });
    }, async ({ port, errors }) => {
      const client = await RawClient.connect(port);
      try {
        client.send(message('GET', '/v1/thing/1'));
        const response = await client.response();
        assert.is(response.status, body === undefined ? 500 : 200);
        if (body !== undefined) assert.is(response.body, body);
        // An operation whose response was sent must not time out.
        await new Promise((resolve) => setTimeout(resolve, 3 * OPERATION_MS));
        client.send(message('OPTIONS', '/v1/thing'));
        assert.is((await client.response()).status, 200);
        assert.is(client.unread, '');
      } finally {
        client.destroy();
      }
      assert.equal(errors.map(({ cause }) => cause), logged);
    }, { limits: { operationMs: OPERATION_MS } }));
  }
}
