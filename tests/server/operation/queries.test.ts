/** Queries: the arguments of an operation's `query`, the response when it rejects, and the value that the operation gets. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stringId, type ApiServer, type Interceptor, type StandardSchemaV1 } from '../../../src/index.ts';
import { makeJsonSchema } from '../../support/make-document.ts';
import { message, readProblem } from '../../support/messages.ts';
import { send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';

interface Page {
  readonly limit: number;
}

/** Takes `limit` as a whole number, and rejects anything else of it. */
const page: StandardSchemaV1<unknown, Page> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) => {
      const { limit } = value as { limit?: string };
      if (limit === undefined) return { issues: [{ message: 'expected a limit' }] };
      if (!/^\d+$/.test(limit)) return { issues: [{ message: 'expected a number', path: ['limit'] }, { message: 'too long', path: [{ key: 'limit' }, 0] }] };
      return { value: { limit: Number(limit) } };
    },
  },
};

let seen: unknown[] = [];
const declare = (server: ApiServer): void => {
  seen = [];
  const list = { type: 'array' };
  const lists = { type: 'object', required: ['all'], properties: { all: list, some: { anyOf: [list, { type: 'null' }] }, one: { type: 'string' } } };
  const bracketed = { type: 'object', properties: { tag: list, 'tag[]': { type: 'string' }, 'to[]': list, to: { type: 'string' } } };
  const limit = makeJsonSchema({ type: 'object', properties: { limit: { type: 'string' } } });
  const query = { '~standard': { ...limit['~standard'], validate: () => ({ value: { limit: 1 } }) } };
  const paged: Interceptor = { query, around: (_call, run) => run() };
  server.registerEndpoint('/bee', { id: stringId, list: { query: makeJsonSchema(lists), lists: ['some'], use: paged, run: ({ query }) => query as object } });
  server.registerEndpoint('/bracketed', { id: stringId, list: { query: makeJsonSchema(bracketed), run: ({ query }) => query as object } });
  server.registerEndpoint('/pet', {
    id: stringId,
    list: { query: page, run: ({ query }) => (seen.push(query), query.limit) },
    get: { query: (given) => Promise.resolve(given), lists: ['tag'], run: (id, { query }) => [id, query] },
    delete: (_id, { query }) => void seen.push([...query]),
    create: { input: String, query: (given: unknown) => given ?? {}, run: (text, { query }) => JSON.stringify([text, query]) },
    custom: {
      failing: { query: () => { throw new Error('no such page'); }, run: () => seen.push('failing') },
      broken: { query: () => undefined, run: () => seen.push('broken') },
      later: { query: () => Promise.reject(new Error('not now')), run: () => seen.push('later') },
    },
  });
};

const decoded = suite('O9: a query that is decoded');
for (const [method, target, body, status, expected] of [
  ['GET', '/v1/pet?limit=10', '', 200, '10'],
  ['HEAD', '/v1/pet?limit=10', '', 200, ''],
  ['GET', '/v1/pet/a?tag=x', '', 200, '["a",{"tag":["x"]}]'],
  ['GET', '/v1/pet/a', '', 200, '["a",{}]'],
  ['GET', '/v1/pet/a?b=1&b=2&c=%20+', '', 200, '["a",{"b":["1","2"],"c":"  "}]'],
  ['GET', '/v1/bee', '', 200, '{"all":[]}'],
  ['GET', '/v1/bee?all=1&some=2&one=3', '', 200, '{"all":["1"],"some":["2"],"one":"3"}'],
  ['GET', '/v1/bee?all=1&some=2&all=3&some=4', '', 200, '{"all":["1","3"],"some":["2","4"]}'],
  ['GET', '/v1/bee?limit=1&some=2', '', 200, '{"all":[],"some":["2"]}'],
  ['POST', '/v1/pet?a=1', '"x"', 201, '["x",{"a":"1"}]'],
  // As axios, and the forms of PHP and Rails send lists.
  ['GET', '/v1/pet/a?tag[]=x&tag%5B%5D=y', '', 200, '["a",{"tag":["x","y"]}]'],
  ['GET', '/v1/pet/a?tag=x&tag[]=y&b[]=1', '', 200, '["a",{"tag":["x","y"],"b[]":"1"}]'],
  ['GET', '/v1/bee?all[]=1&some[]=2&one[]=3', '', 200, '{"all":["1"],"some":["2"],"one[]":"3"}'],
  // Fields of their own.
  ['GET', '/v1/bracketed?tag=1&tag[]=2&to=3&to[]=4', '', 200, '{"tag":["1"],"tag[]":"2","to":"3","to[]":["4"]}'],
] as const) {
  decoded(`${method} ${target} -> ${status} ${expected}`, async () => {
    await serve(declare, async ({ port }) => {
      const reply = await send(port, message(method, target, body));
      assert.equal([reply.status, reply.body], [status, expected]);
    });
  });
}
decoded('without `query`, the operation sees the URLSearchParams', async () => {
  await serve(declare, async ({ port }) => {
    assert.is((await send(port, message('DELETE', '/v1/pet/a?b=1&b=2'))).status, 204);
    assert.equal(seen, [[['b', '1'], ['b', '2']]]);
  });
});
for (const value of [null, 0, false, '']) {
  decoded(`to ${JSON.stringify(value)}: the operation sees that, and not the URLSearchParams`, async () => {
    const declareValue = (server: ApiServer): void => {
      server.registerEndpoint('/value', { get: { query: (): unknown => value, run: ({ query }) => ({ query }) } });
      server.registerEndpoint('/later', { get: { query: async (): Promise<unknown> => value, run: ({ query }) => ({ query }) } });
    };
    await serve(declareValue, async ({ port }) => {
      for (const path of ['/v1/value?a=1', '/v1/later?a=1']) assert.equal(JSON.parse((await send(port, message('GET', path))).body), { query: value });
    });
  });
}
decoded.run();

const rejected = suite('O10 Q6: a query that is rejected by its decoder');
for (const [method, target, detail, errors] of [
  ['GET', '/v1/pet?limit=x', 'expected a number; too long', [{ detail: 'expected a number', parameter: 'limit' }, { detail: 'too long', parameter: 'limit' }]],
  ['GET', '/v1/pet', 'expected a limit', [{ detail: 'expected a limit' }]],
  ['GET', '/v1/pet?limit=%ff', 'the query is not percent-encoded UTF-8', [{ detail: 'the query is not percent-encoded UTF-8' }]],
  ['GET', '/v1/pet?__proto__=1', 'the query has a parameter named "__proto__"', [{ detail: 'the query has a parameter named "__proto__"', parameter: '__proto__' }]],
  ['GET', `/v1/pet?${'a&'.repeat(1001)}`, 'the query has more than 1,000 parameters', [{ detail: 'the query has more than 1,000 parameters' }]],
  ['POST', '/v1/pet/failing', 'no such page', [{ detail: 'no such page' }]],
  ['POST', '/v1/pet/later', 'not now', [{ detail: 'not now' }]],
] as const) {
  rejected(`${method} ${target.slice(0, 40)} -> 400 ${detail}, and the operation is not invoked`, async () => {
    await serve(declare, async ({ port, errors: logged }) => {
      const reply = await send(port, message(method, target));
      const problem = readProblem(reply);
      assert.is(reply.status, 400);
      assert.is(problem.detail, `Bad arguments: ${detail}`);
      assert.equal(problem.errors, errors);
      assert.equal([seen, logged], [[], []]);
    });
  });
}
rejected('a decoder that returns undefined has failed -> 500, logged', async () => {
  await serve(declare, async ({ port, errors }) => {
    assert.is((await send(port, message('POST', '/v1/pet/broken'))).status, 500);
    assert.is(errors.length, 1);
    assert.equal(seen, []);
  });
});
rejected('before the body is looked at', async () => {
  await serve((server) => {
    server.registerEndpoint('/pet', { id: stringId, custom: { find: { input: String, query: page, run: () => 1 } } });
  }, async ({ port }) => {
    const reply = await send(port, message('POST', '/v1/pet/find?limit=x', 'no JSON', ['Content-Type: text/plain']));
    assert.is(readProblem(reply).detail, 'Bad arguments: expected a number; too long');
  });
});
rejected.run();
