/** The response to a Create: the id as the body, and in `Location`. */
import { ApiError, integerId, stringId } from '../../../src/index.ts';
import { captureUnhandled } from '../../support/capture-unhandled.ts';
import { assert, check, facts, suite, type Declare } from '../../support/facts.ts';

const declareCreate = (id: string, format: (id: string) => string = stringId.format): Declare => (server) => {
  server.registerEndpoint('/pet', { id: { parse: stringId.parse, format }, schema: String, create: () => id, get: (asked) => asked });
};

const located = suite('A1: the id of a created item');
for (const [id, segment] of [
  ['ant', 'ant'],
  ['a/b', 'a%2Fb'],
  ['a b', 'a%20b'],
  ['100%', '100%25'],
  ['a?b#c', 'a%3Fb%23c'],
  ['你', '%E4%BD%A0'],
  ['🐜', '%F0%9F%90%9C'],
  [':id', '%3Aid'],
  ['a\\"<b>', 'a%5C%22%3Cb%3E'],
  ['...', '...'],
  ['.a', '.a'],
  ['%2e', '%252e'],
  ['\t', '%09'],
  ['\u001f\u007f', '%1F%7F'],
] as const) {
  facts(located, declareCreate(id), [['is the body, and a Get of Location returns it', ['POST /v1/pet 0', `GET /v1/pet/${segment}`], [`201 text ${id} | Location: /v1/pet/${segment}`, `200 ${JSON.stringify(id)}`]]], {
    after: () => assert.is(new URL(`/v1/pet/${segment}`, 'http://a').pathname, `/v1/pet/${segment}`),
  });
}
for (const [root, subpath, location] of [['', '/pet', '/pet/7'], ['/a/b', '/c/d', '/a/b/c/d/7'], ['/v1', '/', '/v1/7'], ['', '/', '/7']] as const) {
  const declare: Declare = (server) => server.registerEndpoint(subpath, { id: integerId, schema: String, create: () => 7 });
  facts(located, declare,
    [[`under the root "${root}"`, `POST ${`${root}${subpath}`.replace(/(?<=.)\/$/, '')} 0`, `201 text 7 | Location: ${location}`]], { root });
}
for (const [why, id, sent = id] of [
  ['no text', ''],
  ['a dot', '.'],
  ['two dots', '..'],
  ['a NUL', '\0'],
  ['a CR', 'a\rb'],
  ['an LF', 'ant\n'],
  ['a NUL after many characters', `${'x'.repeat(1000)}\0`],
  ['a lone surrogate', 'a\ud800', 'a\ufffd'],
] as const) {
  facts(located, declareCreate(id), [[`${why}: without Location, logged`, ['POST /v1/pet 0', 'GET /v1/pet/1'], [`201 text ${sent}`, '200 "1"'],
    `POST /v1/pet: no Location is sent: no path can have the id ${JSON.stringify(id.slice(0, 100))}`]], { after: ({ errors }) => assert.is(errors[0]?.cause, id) });
}

const unsendable = suite('an id that cannot be sent');
const NO_STRING = 'format of a codec must return a string: it returned';
// The types reject the first three.
for (const [why, format, text] of [
  ['formatted as no string', (id) => Object(id.length), `${NO_STRING} object`],
  ['formatted as a promise', async (id) => id, `${NO_STRING} a promise, which is not awaited`],
  ['formatted as a promise that rejects', async () => { throw new Error('the key is lost'); }, `${NO_STRING} a promise, which is not awaited`],
  ['its codec throws', () => { throw new Error('no such id'); }, 'no such id'],
  ['its codec throws a NotFound error', () => { throw ApiError.notFound(); }, 'Not found.'],
] as readonly (readonly [string, (id: string) => any, string])[]) {
  unsendable(`${why} -> 500, logged, and the connection stays open`, async () => {
    assert.equal(await captureUnhandled(() => check(
      declareCreate('ant', format), ['POST /v1/pet 0', 'GET /v1/pet/1'], ['500', '200 "1"'], [`POST /v1/pet: Internal error: ${text}`],
    )), []);
  });
}
