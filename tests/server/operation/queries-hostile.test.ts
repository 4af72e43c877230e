/** O9: Queries that are made to pollute objects, or to be expensive: each is a 400, or text like any other. */
import { deepStrictEqual } from 'node:assert';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stringId, type ApiServer } from '../../../src/index.ts';
import { message, readProblem } from '../../support/messages.ts';
import { send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';

type ParsedQuery = Readonly<Record<string, string | readonly string[]>>;

const OPTIONS = { limits: { headerBytes: 2 ** 20 } };
const PROTO = 'Bad arguments: the query has a parameter named "__proto__"';
const TOO_MANY = 'Bad arguments: the query has more than 1,000 parameters';
const NOT_ENCODED = 'Bad arguments: the query is not percent-encoded UTF-8';

/** The arguments of the endpoint's decoder, and the number of its calls. */
class Decoded {
  readonly queries: ParsedQuery[] = [];

  readonly register = (server: ApiServer): void => server.registerEndpoint('/pet', {
    id: stringId,
    list: { query: (given: unknown) => (this.queries.push(given as ParsedQuery), given as ParsedQuery), lists: ['tag'], run: ({ query }) => Object.keys(query).length },
    get: (_id, { query }) => [...query.keys()].length,
  });
}

/** The properties that every object has. A query must not change them. */
function listInherited(): unknown[] {
  return [Object.prototype, Array.prototype, Function.prototype].map((prototype) => Object.getOwnPropertyDescriptors(prototype));
}

const hostile = suite('a hostile query');
for (const [why, query, detail] of [
  ['a name __proto__', '__proto__=1', PROTO],
  ['a name __proto__, escaped', '%5f%5Fproto%5f%5f=1', PROTO],
  ['a name __proto__ without a value', 'a=1&__proto__', PROTO],
  ['a name __proto__ behind others, twice', 'a=1&__proto__=2&__proto__=3', PROTO],
  ['100,000 pairs', Array.from({ length: 100_000 }, (_, at) => `p${at}=1`).join('&'), TOO_MANY],
  ['100,000 empty pairs', '&'.repeat(100_000), TOO_MANY],
  ['1,001 pairs', 'a&'.repeat(1000) + 'b', TOO_MANY],
  ['a name 10,000 times', 'a=1&'.repeat(10_000), TOO_MANY],
  ['the second name of a list 10,000 times', 'tag[]=1&'.repeat(10_000), TOO_MANY],
  ['both names of a list 501 times', 'tag=1&tag[]=1&'.repeat(501), TOO_MANY],
  ['a name of lists 10,000 times', 'tag=1&'.repeat(10_000), TOO_MANY],
  ['100,000 broken pairs: they are counted before they are decoded', '%zz&'.repeat(100_000), TOO_MANY],
  ['broken escapes, many', '%'.repeat(16_384), NOT_ENCODED],
  ['a broken escape at the end', `${'a=1&'.repeat(999)}b=%e`, NOT_ENCODED],
  ['bytes that are not UTF-8', 'a=%c3%28', NOT_ENCODED],
  ['an overlong form of a slash', 'a=%c0%af', NOT_ENCODED],
] as const) {
  hostile(`${why} -> 400, and the decoder is not asked; without a decoder it is text`, async () => {
    const before = listInherited();
    const decoded = new Decoded();
    await serve(decoded.register, async ({ port, errors }) => {
      const reply = await send(port, message('GET', `/v1/pet?${query}`));
      assert.equal([reply.status, readProblem(reply).detail], [400, detail]);
      assert.equal([decoded.queries, errors], [[], []]);
      assert.is((await send(port, message('GET', `/v1/pet/1?${query}`))).status, 200);
    }, OPTIONS);
    deepStrictEqual(listInherited(), before);
  });
}
for (const [why, query, name, value] of [
  ['a name constructor', 'constructor=1', 'constructor', '1'],
  ['a name prototype', 'prototype=1', 'prototype', '1'],
  ['a name toString, twice', 'toString=1&toString=2', 'toString', ['1', '2']],
  ['a name hasOwnProperty', 'hasOwnProperty=', 'hasOwnProperty', ''],
  ['brackets, which some parsers nest', '__proto__[polluted]=1', '__proto__[polluted]', '1'],
  ['brackets, which some parsers make a list of', '__proto__[]=1', '__proto__[]', '1'],
  ['both names of a list 500 times', 'tag=1&tag[]=1&'.repeat(500).slice(0, -1), 'tag', Array.from({ length: 1000 }, () => '1')],
  ['dots, which some parsers nest', 'constructor.prototype.polluted=1', 'constructor.prototype.polluted', '1'],
  ['an index, which some parsers allocate', 'a[99999999]=1', 'a[99999999]', '1'],
  ['a name of 16 KiB', `${'n'.repeat(16_384)}=1`, 'n'.repeat(16_384), '1'],
  ['a name of 16 KiB, escaped', `${'%6e'.repeat(16_384)}=1`, 'n'.repeat(16_384), '1'],
  ['a name 1,000 times', 'a=1&'.repeat(999) + 'a=1', 'a', Array.from({ length: 1000 }, () => '1')],
  ['an encoded NUL', 'a=%00', 'a', '\0'],
] as const) {
  hostile(`${why}: ordinary text, in its own property`, async () => {
    const before = listInherited();
    const decoded = new Decoded();
    await serve(decoded.register, async ({ port }) => {
      assert.is((await send(port, message('GET', `/v1/pet?${query}`))).body, '1');
    }, OPTIONS);
    const [object = {}] = decoded.queries;
    assert.equal(Object.entries(object), [[name, value]]);
    assert.is(Object.getPrototypeOf(object), Object.prototype);
    deepStrictEqual(listInherited(), before);
  });
}
for (const target of ['/v1/pet', '/v1/pet/1']) {
  hostile(`longer than limits.headerBytes, ${target} -> 431, and nothing is parsed`, async () => {
    const decoded = new Decoded();
    await serve(decoded.register, async ({ port }) => {
      assert.is((await send(port, message('GET', `${target}?${'a=1&'.repeat(5000)}`))).status, 431);
      assert.equal(decoded.queries, []);
    });
  });
}
hostile.run();
