/** The facts of an operation that follow from its declaration when its endpoint is registered. */
import { Endpoint } from '../../src/endpoint/endpoint.ts';
import type { DecodedHead } from '../../src/endpoint/head-decoders.ts';
import { stringId } from '../../src/index.ts';
import { checkServerOptions } from '../../src/server/settings/server-options.ts';
import { assert, isTypeError, suite } from '../support/facts.ts';

const run = (): string => 'done';

function endpointOf(declared: object): Endpoint {
  return new Endpoint('', '/pet', declared, checkServerOptions({ logger: { info: () => {}, error: () => {} } }));
}

// A decoder for a status that no reply can have would never be called, and a secret that it should drop would be sent.
const statuses = suite('O25: the statuses of an output');
for (const status of ['200', '201', '304', '399']) {
  statuses(`${status} is one`, () => {
    const { operations } = endpointOf({ id: stringId, get: { run, output: { [status]: String } } });
    const outputs = operations[0]?.outputs;
    assert.type(outputs?.find(Number(status)), 'function');
    assert.is(outputs?.find(Number(status) + 1), undefined);
  });
}
for (const status of ['2OO', '2xx', 'default', '', '20', '0200', '200.5', '-200', '199', '600', '2e2']) {
  statuses(`${JSON.stringify(status)} is not a status -> TypeError`, () => {
    for (const decoder of [String, null]) {
      assert.throws(
        () => endpointOf({ id: stringId, get: { run, output: { [status]: decoder } } }),
        isTypeError(`endpoint.get.output must only have statuses from 200 to 399, or be a schema such as z.object({ … }): ${JSON.stringify(status)}`),
      );
    }
  });
}
statuses('without statuses, it is the output of all from 200 to 299', () => {
  const [{ outputs } = {}] = endpointOf({ id: stringId, get: { run, output: String } }).operations;
  assert.equal([200, 299, 300].map((status) => typeof outputs?.find(status)), ['function', 'function', 'undefined']);
});

const KINDS = {
  create: run, list: run, get: run, update: run, patch: { input: String, run }, delete: run, custom: { count: run }, itemCustom: { feed: { input: String, run } },
};
const conditions = suite('the conditions of a request');
for (const [requireIfMatch, changed, called] of [[true, 'required', 'checked'], [false, 'checked', 'checked']] as const) {
  conditions(`of each operation, with requireIfMatch: ${requireIfMatch}`, () => {
    const { operations } = endpointOf({ id: stringId, schema: String, version: run, requireIfMatch, ...KINDS });
    assert.equal(Object.fromEntries(operations.map(({ kind, conditions: found }) => [kind.name, found])), {
      create: 'none', list: 'none', get: 'none', update: changed, patch: changed, delete: changed, custom: 'none', itemCustom: called,
    });
  });
}

const vary = suite('the header Vary of cache');
for (const [what, context, expected] of [
  ['a context without security', {}, ['Vary', 'Authorization, Cookie']],
  ['a context with a key in a header', { security: { scheme: { type: 'apiKey', in: 'header', name: 'X-Key' } } }, ['Vary', 'X-Key']],
  ['one that also reads others', { security: [], ' internal': { readsOthers: true } }, ['Vary', 'Authorization, Cookie']],
  ['one that reads nothing', { security: [] }, []],
] as const) {
  vary(`${what}: ${expected[1] ?? 'none'}`, () => {
    const declared = { id: stringId, context: Object.assign(() => 'me', context), get: { run, cache: { maxAgeSeconds: 1 } } };
    assert.equal(endpointOf(declared).operations[0]?.caching?.vary, expected);
  });
}

const heads = suite('the query that an operation decodes');
heads('lacks the parameters that its interceptor has taken', async () => {
  const use = { query: ({ limit }: { limit: string }) => ({ limit }), around: (_call: unknown, next: () => unknown) => next() };
  const [{ headDecoders } = {}] = endpointOf({ id: stringId, list: { use, query: (query: unknown) => query, run } }).operations;
  const { query, byInterceptor } = await headDecoders?.decode('limit=5&tag=a', []) as DecodedHead;
  assert.equal([query?.value, byInterceptor[0]?.query], [{ tag: 'a' }, { limit: '5' }]);
});
