/** The keepers of the example: who is one, and that nobody else can learn their token. */
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inTemporaryFolder } from '../support/temporary.ts';
import { ZooProcess, zooRunning } from '../support/zoo-process.ts';
import { problem, rex, withZoo } from '../support/zoo-suite.ts';

const NONE = problem(401, 'Unauthorized', 'The request needs a bearer token.');
const WRONG = problem(401, 'Unauthorized', 'The token is not valid.');
const MALFORMED = problem(400, 'Bad Request', 'The Authorization header is malformed.');

const signIn = withZoo(suite('signing in'));
signIn('a keeper sees who they are, in a response that shared caches do not store', async ({ zoo }) => {
  const response = await zoo.keep('GET', '/v1/keeper/me');
  assert.is(response.status, 200);
  assert.is(response.headers.get('Cache-Control'), 'private, no-cache');
  assert.is(await response.text(), '{"name":"head keeper"}');
});
for (const [authorization, status, challenge, body] of [
  [undefined, 401, 'Bearer realm="zoo"', NONE],
  ['Basic a2VlcGVyOnNlY3JldA==', 401, 'Bearer realm="zoo"', NONE],
  ['Bearer another-token-of-24-chars', 401, 'Bearer realm="zoo", error="invalid_token"', WRONG],
  ['Bearer two tokens', 400, 'Bearer realm="zoo", error="invalid_request"', MALFORMED],
] as const) {
  for (const [method, path] of [
    ['GET', '/v1/keeper/me'], ['POST', '/v1/zoo'], ['DELETE', '/v1/zoo/1'], ['PATCH', '/v1/zoo/1/pet/1'],
    ['PUT', '/v1/zoo/1/pet/1/photo'],
  ] as const) {
    signIn(`Authorization: ${authorization ?? 'none'} -> ${method} ${path} is a ${status} with a challenge`, async ({ zoo }) => {
      const response = await zoo.request(method, path, undefined, authorization === undefined ? {} : { Authorization: authorization });
      assert.is(response.status, status);
      assert.is(response.headers.get('WWW-Authenticate'), challenge);
      assert.is(await response.text(), body);
    });
  }
}
signIn('anyone may read, with any token', async ({ zoo, path }) => {
  assert.is((await zoo.request('GET', path, undefined, { Authorization: 'Bearer wrong' })).status, 200);
});
signIn.run();

const token = suite('the token of keepers');
const zooWith = (environment: Record<string, string>, use: (zoo: ZooProcess) => Promise<void>): Promise<void> => {
  return inTemporaryFolder((folder) => zooRunning(join(folder, 'zoo.db'), use, environment));
};
token('is another at each start', () => zooWith({}, async (first) => zooWith({}, async (second) => {
  assert.match(first.token, /^[\w-]{24}$/);
  assert.is.not(first.token, second.token);
  assert.is((await second.request('GET', '/v1/keeper/me', undefined, { Authorization: `Bearer ${first.token}` })).status, 401);
})));
token('is that of ZOO_TOKEN, which is not printed', () => zooWith({ ZOO_TOKEN: 'a-token-for-tests+/~.==' }, async (zoo) => {
  assert.is(zoo.token, 'the one in ZOO_TOKEN');
  assert.not.match(zoo.output, 'a-token-for-tests');
  assert.ok(zoo.suggestions.some((line) => line.includes('-H "Authorization: Bearer $ZOO_TOKEN"')));
  assert.is((await zoo.request('GET', '/v1/keeper/me', undefined, { Authorization: 'Bearer a-token-for-tests+/~.==' })).status, 200);
}));
for (const given of ['short', 'with spaces in the middle', 'quotes-"-in-the-middle', 'a-token\nof-two-lines-of-text']) {
  token(`ZOO_TOKEN=${JSON.stringify(given)} -> exit 1 with the reason, and without the token`, () => inTemporaryFolder(async (folder) => {
    const zoo = new ZooProcess({ ZOO_DB: join(folder, 'zoo.db'), ZOO_TOKEN: given });
    try {
      assert.is(await zoo.ended(), 1);
      assert.match(zoo.errors, 'TypeError: a token has 16 or more of');
      assert.not.match(zoo.output + zoo.errors, given);
    } finally {
      zoo.kill('SIGKILL');
    }
  }));
}
token('never appears in the log', () => zooWith({}, async (zoo) => {
  const { length } = zoo.output;
  const wrong = 'a-wrong-token-of-somebody';
  for (const authorization of [`Bearer ${zoo.token}`, `Bearer ${wrong}`, `Bearer ${wrong} ${wrong}`, `Basic ${wrong}`]) {
    for (const [method, path, json] of [
      ['GET', '/v1/keeper/me', undefined],
      ['POST', '/v1/zoo/0/pet', rex],
      ['POST', '/v1/zoo/1/pet/0/feed', { grams: 1 }],
      ['DELETE', '/v1/zoo/0', undefined],
    ] as const) {
      const response = await zoo.request(method, path, json, { Authorization: authorization });
      assert.not.match(await response.text(), new RegExp(`${zoo.token}|${wrong}`));
    }
  }
  zoo.kill('SIGTERM');
  assert.is(await zoo.ended(), 0);
  assert.match(zoo.errors, 'POST /v1/zoo/:zoo/pet/:id/feed: Not found.');
  assert.not.match(zoo.errors + zoo.output.slice(length), new RegExp(`${zoo.token}|${wrong}`));
}));
token.run();
