/** The keepers of the example: who is one. `zoo.long.test.ts` has their token. */
import { problemBody, makeZooSuite } from '../support/zoo-suite.ts';
import { assert, suite } from '../support/facts.ts';

const NONE = problemBody(401, 'Unauthorized', 'The request needs a bearer token.');
const WRONG = problemBody(401, 'Unauthorized', 'The token is not valid.');
const MALFORMED = problemBody(400, 'Bad Request', 'The Authorization header is malformed.');

const signIn = makeZooSuite(suite('signing in'));
signIn('a keeper sees who they are, in a response that shared caches do not store', async ({ zoo }) => {
  const response = await zoo.keep('GET', '/v1/keeper/me');
  assert.is(response.status, 200);
  assert.is(response.headers.get('Cache-Control'), 'private, no-cache');
  assert.is(await response.text(), '{"name":"head keeper"}');
});
for (const [authorization, status, challenge, body] of [
  [undefined, 401, 'Bearer realm="api"', NONE],
  ['Basic a2VlcGVyOnNlY3JldA==', 401, 'Bearer realm="api"', NONE],
  ['Bearer another-token-of-24-chars', 401, 'Bearer realm="api", error="invalid_token"', WRONG],
  ['Bearer two tokens', 400, 'Bearer realm="api", error="invalid_request"', MALFORMED],
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
