/** Queries: the arguments of an operation's `query`, the response when it rejects, and the value that the operation gets. */
import { stringId, type Interceptor } from '../../../src/index.ts';
import { assert, facts, suite, type Declare } from '../../support/facts.ts';
import { makeJsonSchema } from '../../support/make-document.ts';
import { makeSchema } from '../../support/serve-decoder.ts';

/** Takes `limit` as a whole number, and rejects anything else of it. */
const page = makeSchema((value) => {
  const { limit } = value as { limit?: string };
  if (limit === undefined) return { issues: [{ message: 'expected a limit' }] };
  if (!/^\d+$/.test(limit)) return { issues: [{ message: 'expected a number', path: ['limit'] }, { message: 'too long', path: [{ key: 'limit' }, 0] }] };
  return { value: { limit: Number(limit) } };
});

let seen: unknown[] = [];
const declare: Declare = (server) => {
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
    list: { query: page, run: ({ query }) => (seen.push(query), (query as { limit: number }).limit) },
    get: { query: (given) => Promise.resolve(given), lists: ['tag'], run: (id, { query }) => [id, query] },
    delete: (_id, { query }) => void seen.push([...query]),
    create: { input: String, query: (given: unknown) => given ?? {}, run: (text, { query }) => JSON.stringify([text, query]) },
    custom: {
      failing: { query: () => { throw new Error('no such page'); }, run: () => seen.push('failing') },
      broken: { query: () => undefined, run: () => seen.push('broken') },
      later: { query: () => Promise.reject(new Error('not now')), run: () => seen.push('later') },
      find: { input: String, query: page, run: () => seen.push('find') },
    },
  });
};

const decoded = suite('O9: a query that is decoded');
facts(decoded, declare, [
  ['', 'GET /v1/pet?limit=10', '200 10'],
  ['', 'HEAD /v1/pet?limit=10', '200 length 2'],
  ['', 'GET /v1/pet/a?tag=x', '200 ["a",{"tag":["x"]}]'],
  ['', 'GET /v1/pet/a', '200 ["a",{}]'],
  ['', 'GET /v1/pet/a?b=1&b=2&c=%20+', '200 ["a",{"b":["1","2"],"c":"  "}]'],
  ['', 'GET /v1/bee', '200 {"all":[]}'],
  ['', 'GET /v1/bee?all=1&some=2&one=3', '200 {"all":["1"],"some":["2"],"one":"3"}'],
  ['', 'GET /v1/bee?all=1&some=2&all=3&some=4', '200 {"all":["1","3"],"some":["2","4"]}'],
  ['', 'GET /v1/bee?limit=1&some=2', '200 {"all":[],"some":["2"]}'],
  ['', 'POST /v1/pet?a=1 "x"', '201 text ["x",{"a":"1"}] | Location: /v1/pet/%5B%22x%22%2C%7B%22a%22%3A%221%22%7D%5D'],
  ['as axios, and the forms of PHP and Rails send lists', 'GET /v1/pet/a?tag[]=x&tag%5B%5D=y', '200 ["a",{"tag":["x","y"]}]'],
  ['', 'GET /v1/pet/a?tag=x&tag[]=y&b[]=1', '200 ["a",{"tag":["x","y"],"b[]":"1"}]'],
  ['', 'GET /v1/bee?all[]=1&some[]=2&one[]=3', '200 {"all":["1"],"some":["2"],"one[]":"3"}'],
  ['properties of their own', 'GET /v1/bracketed?tag=1&tag[]=2&to=3&to[]=4', '200 {"tag":["1"],"tag[]":"2","to":"3","to[]":["4"]}'],
]);
facts(decoded, declare, [['without `query`, the operation sees the URLSearchParams', 'DELETE /v1/pet/a?b=1&b=2', '204']], {
  after: () => assert.equal(seen, [[['b', '1'], ['b', '2']]]),
});
for (const value of [null, 0, false, '']) {
  const declareValue: Declare = (server) => {
    server.registerEndpoint('/value', { get: { query: (): unknown => value, run: ({ query }) => ({ query }) } });
    server.registerEndpoint('/later', { get: { query: async (): Promise<unknown> => value, run: ({ query }) => ({ query }) } });
  };
  const sent = `200 ${JSON.stringify({ query: value })}`;
  facts(decoded, declareValue, [['the operation sees the value, and not the URLSearchParams', ['GET /v1/value?a=1', 'GET /v1/later?a=1'], [sent, sent]]]);
}

const rejected = suite('O10 Q6: a query that is rejected by its decoder');
facts(rejected, declare, [
  ['', 'GET /v1/pet?limit=x', '400 Bad arguments: expected a number; too long @limit @limit'],
  ['', 'GET /v1/pet', '400 Bad arguments: expected a limit @'],
  ['', 'GET /v1/pet?limit=%ff', '400 Bad arguments: the query is not percent-encoded UTF-8 @'],
  ['', 'GET /v1/pet?__proto__=1', '400 Bad arguments: the query has a parameter named "__proto__" @__proto__'],
  ['', `GET /v1/pet?${'a&'.repeat(1001)}`, '400 Bad arguments: the query has more than 1,000 parameters @'],
  ['', 'POST /v1/pet/failing', '400 Bad arguments: no such page @'],
  ['', 'POST /v1/pet/later', '400 Bad arguments: not now @'],
  ['a decoder that returns undefined has failed', 'POST /v1/pet/broken', '500', /^POST \/v1\/pet\/broken: Internal error: /],
  ['before the body is looked at', 'POST /v1/pet/find?limit=x no JSON\nContent-Type: text/plain', '400 Bad arguments: expected a number; too long @limit @limit'],
], { after: () => assert.equal(seen, []) });
