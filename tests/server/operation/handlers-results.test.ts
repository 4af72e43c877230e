/** Results of Get and of Custom operations that JSON cannot represent, and some that it represents in its own way. */
import { ApiError, defineEndpoint, reply, stringId, type ApiServer } from '../../../src/index.ts';
import { assert, check, facts, message, RawClient, readProblem, send, serve, suite } from '../../support/facts.ts';

function resultIs(make: () => unknown): (server: ApiServer) => void {
  return (server) => server.registerEndpoint('/thing', defineEndpoint({
    id: stringId,
    schema: (json: unknown) => json,
    get: (id) => (id === 'good' ? 'good' : make()),
    update: make,
    delete: make,
    custom: { make: { run: make } },
  }));
}

function cycle(): unknown {
  const ring: { next?: unknown } = {};
  ring.next = { next: ring };
  return ring;
}

function nestLevels(levels: number): unknown {
  // Newer engines write plain values without recursion, but not if there is a `toJSON`.
  let value: unknown = { toJSON: () => 'deep' };
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

const unthrown = new Error('a response that went wrong');

const UNSENDABLE: readonly (readonly [why: string, make: () => unknown])[] = [
  ['undefined', () => undefined],
  ['a function', () => () => 1],
  ['a symbol', () => Symbol('result')],
  ['a BigInt', () => 1n],
  ['a BigInt deep inside', () => ({ legs: [{ count: 6n }] })],
  ['a cycle', cycle],
  ['a Map', () => new Map([['legs', 6]])],
  ['a Set', () => new Set([6])],
  ['an iterator', () => [6].values()],
  ['a toJSON that calls itself without an end', () => ({ toJSON() { return JSON.stringify(this); } })],
  ['a toJSON that throws', () => ({ toJSON: () => { throw unthrown; } })],
  ['a toJSON that throws a NotFound error', () => ({ toJSON: () => { throw ApiError.notFound(); } })],
  ['a toJSON that throws what a store reports as not found', () => ({ toJSON: () => { throw Object.assign(new Error('gone'), { code: 'P2025' }); } })],
  ['a toJSON that throws null', () => ({ toJSON: () => { throw null; } })],
  ['a toJSON that returns undefined', () => ({ toJSON: () => undefined })],
  ['a getter that throws', () => ({ get legs() { throw unthrown; } })],
];

const missing = suite('A2: a Get that returns undefined');
for (const [way, give] of [
  ['at once', () => undefined],
  ['by a promise', async () => undefined],
  ['by a thenable', () => ({ then: (resolve: () => void) => resolve() })],
] as const) {
  for (const [method, response] of [['GET', '404 Not found.'], ['HEAD', '404 length 77']] as const) {
    missing(`${way}: ${method} -> ${response}, and the connection stays open`, async () => {
      const get = (id: string): unknown => (id === 'good' ? 'good' : give());
      await check((server) => server.registerEndpoint('/thing', { id: stringId, get }), [`${method} /v1/thing/1`, 'GET /v1/thing/good'], [response, '200 "good"']);
    });
  }
}
missing('gets the same bytes as a NotFound error', () => serve((server) => server.registerEndpoint('/thing', {
  id: stringId,
  get: (id: string) => { if (id === 'throws') throw ApiError.notFound(); return undefined; },
}), async ({ port }) => {
  const [given, thrown] = [await send(port, message('GET', '/v1/thing/1')), await send(port, message('GET', '/v1/thing/throws'))];
  const removeDate = (head: string): string => head.replace(/^Date: .*$/m, '');
  assert.equal([removeDate(given.head), given.body], [removeDate(thrown.head), thrown.body]);
}));

const unsendable = suite('A10: a result that JSON cannot represent');
for (const [why, make] of UNSENDABLE) {
  unsendable(`${why}, returned and promised -> 500, logged once, and the connection stays open`, async () => {
    for (const give of [make, async () => make()]) {
      await serve(resultIs(give), async ({ port, errors }) => {
        const client = await RawClient.connect(port);
        for (const [method, target, pattern] of [
          ['GET', '/v1/thing/1', '/v1/thing/:id'],
          ['POST', '/v1/thing/make', '/v1/thing/make'],
        ] as const) {
          if (why === 'undefined' && method === 'GET') continue;
          const before = errors.length;
          client.send(message(method, target));
          assert.equal(readProblem(await client.response()), { type: 'about:blank', title: 'Internal Server Error', status: 500 });
          client.send(message('GET', '/v1/thing/good'));
          assert.is((await client.response()).body, '"good"');
          assert.is(errors.length, before + 1);
          assert.ok(errors.at(-1)?.message.startsWith(`${method} ${pattern}: Internal error: `), errors.at(-1)?.message);
        }
      });
    }
  });
}
facts(unsendable, resultIs(() => nestLevels(200_000)), [['200,000 levels of arrays', 'GET /v1/thing/1', '500', /^GET \/v1\/thing\/:id: Internal error: /]]);
for (const [why, make] of [
  ['a toJSON', () => ({ toJSON: () => { throw unthrown; } })],
  ['a getter', () => ({ get legs() { throw unthrown; } })],
] as const) {
  facts(unsendable, resultIs(make), [[`the cause in the log is the value that ${why} threw`, 'GET /v1/thing/1', '500', 'GET /v1/thing/:id: Internal error: a response that went wrong']], {
    after: ({ errors }) => assert.is(errors[0]?.cause, unthrown),
  });
}
facts(unsendable, resultIs(cycle),
  [['is ignored by PUT, which sends no result', 'PUT /v1/thing/1 0', '204'], ['is ignored by DELETE, which sends no result', 'DELETE /v1/thing/1', '204']]);

const carried = suite('a result that JSON represents in its own way');
for (const [why, result, json] of [
  ['an empty string', '', '""'],
  ['zero', 0, '0'],
  ['false', false, 'false'],
  ['not a number', NaN, 'null'],
  ['a date', new Date(0), '"1970-01-01T00:00:00.000Z"'],
  ['undefined within an array', [undefined], '[null]'],
  ['undefined within an object', { legs: undefined }, '{}'],
  ['a lone surrogate', '\ud800', '"\\ud800"'],
  ['a function with a toJSON', Object.assign(() => 1, { toJSON: () => 'text' }), '"text"'],
  ['a thing whose then is not a function', { then: 'later' }, '{"then":"later"}'],
] as const) {
  facts(carried, resultIs(() => result), [[why, 'GET /v1/thing/1', `200 ${json}`]]);
}

const gone = ApiError.status(410, 'gone');
const returned = suite('A10: an error that is returned: 500, logged, with a hint to throw it');
for (const [what, properties, method] of [
  ['of get', { get: () => gone }, 'GET'],
  ['of get with a version', { get: () => gone, version: () => 1 }, 'GET'],
  ['of get with output', { get: { output: (value: unknown) => value, run: () => gone } }, 'GET'],
  ['in a reply', { get: () => reply(200, gone) }, 'GET'],
  ['of create without ids', { schema: String, create: () => gone }, 'POST'],
  ['of create', { id: stringId, schema: String, create: () => gone }, 'POST'],
  ['of update', { schema: String, update: () => gone }, 'PUT'],
  ['of update with output', { schema: String, update: { output: { 200: String, 204: null }, run: () => gone } }, 'PUT'],
  ['of update without a body', { schema: String, update: { output: { 202: null }, run: () => gone } }, 'PUT'],
  ['of patch', { patch: { input: String, run: () => gone } }, 'PATCH'],
  ['of delete', { delete: () => gone }, 'DELETE'],
  ['of delete, and of a different class', { delete: () => new RangeError('no') }, 'DELETE'],
] as const) {
  for (const [way, pass] of [['at once', (value: unknown) => value], ['by a promise', async (value: unknown) => value]] as const) {
    const around = async (_call: unknown, run: () => unknown): Promise<unknown> => pass(await run());
    const declared = way === 'at once' ? properties : { ...properties, use: { around } };
    facts(returned, (server) => server.registerEndpoint('/thing', declared as never), [
      [`${what}, ${way}`, `${method} /v1/thing${method.startsWith('P') ? ' 1' : ''}`, '500',
        `${method} /v1/thing: Internal error: the result is an error: throw it, or return problem(status)`],
    ]);
  }
}
const strange = new Proxy({ a: 1 }, { getPrototypeOf: () => { throw unthrown; } });
facts(returned, (server) => server.registerEndpoint('/thing', { delete: () => strange } as never),
  [['a result for which instanceof throws is none', 'DELETE /v1/thing', '204']]);
