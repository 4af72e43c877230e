/** Which paths match which routes: literals, and a parameter at the end. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { testLookUps, matchRoute, MISS, makeRouter } from '../support/routing.ts';

const lookUp = suite('a look-up');
testLookUps(lookUp, [
  // No routes, and the path without segments.
  [[], 'GET', '/', MISS],
  [[], 'GET', '/a', MISS],
  [['GET /'], 'GET', '/', 'GET /'],
  [['GET /'], 'POST', '/', MISS],
  [['GET /'], 'GET', '', MISS],
  [['GET /'], 'GET', '//', MISS],
  [['GET /'], 'GET', '/a', MISS],
  [['GET /:id'], 'GET', '/', MISS],
  [['GET /:id'], 'GET', '/a', 'GET /:id', 'a'],
  [['GET /:id', 'GET /'], 'GET', '/', 'GET /'],
  // Literals, byte for byte.
  [['GET /v1/pet'], 'GET', '/v1/pet', 'GET /v1/pet'],
  [['GET /v1/pet'], 'GET', '/v1/Pet', MISS],
  [['GET /v1/pet'], 'GET', '/V1/pet', MISS],
  [['GET /v1/pet'], 'get', '/v1/pet', MISS],
  [['GET /v1/pet'], 'GET', '/v1/pe', MISS],
  [['GET /v1/pet'], 'GET', '/v1/pets', MISS],
  [['GET /v1/pet'], 'GET', '/v1', MISS],
  [['GET /v1/pet'], 'GET', '/v1x/pet', MISS],
  [['GET /v1/pet'], 'GET', '/v/pet', MISS],
  [['GET /v1/pet'], 'GET', '/v1/pet/x', MISS],
  [['GET /v1/pet'], 'GET', 'v1/pet', MISS],
  [['GET /v1/pet'], 'GET', 'x/v1/pet', MISS],
  [['GET /v1/pet'], 'GET', '*', MISS],
  [['GET /v1/pet'], 'GET', '/v1/%70et', MISS],
  [['GET /v1/%70et'], 'GET', '/v1/pet', MISS],
  [['GET /v1/pet'], 'GET', '/v1/./pet', MISS],
  [['GET /v1/pet'], 'GET', '/v1/x/../pet', MISS],
  [['GET /v1/..'], 'GET', '/v1/..', 'GET /v1/..'],
  // Empty segments and trailing slashes make other paths.
  [['GET /v1/pet'], 'GET', '/v1/pet/', MISS],
  [['GET /v1/pet'], 'GET', '//v1/pet', MISS],
  [['GET /v1/pet'], 'GET', '/v1//pet', MISS],
  [['GET /v1/pet'], 'GET', '/v1/pet//', MISS],
  [['GET /v1/pet/:id'], 'GET', '/v1/pet/', MISS],
  [['GET /v1/pet/:id'], 'GET', '/v1/pet//', MISS],
  [['GET /v1/pet/:id'], 'GET', '/v1/pet', MISS],
  [['GET /v1/pet/:id'], 'GET', '/v1/pet/7/', MISS],
  [['GET /v1/pet/:id'], 'GET', '/v1/pet//7', MISS],
  // A parameter is one whole segment, unchanged.
  [['GET /v1/pet/:id'], 'GET', '/v1/pet/7', 'GET /v1/pet/:id', '7'],
  [['GET /v1/pet/:id'], 'GET', '/v1/pet/a%2Fb', 'GET /v1/pet/:id', 'a%2Fb'],
  [['GET /v1/pet/:id'], 'GET', '/v1/pet/:id', 'GET /v1/pet/:id', ':id'],
  [['GET /v1/pet/:id'], 'GET', '/v1/pet/..', 'GET /v1/pet/:id', '..'],
  [['GET /v1/pet/:id'], 'GET', '/v1/pet/a/b', MISS],
  [['GET /v1/pet/:id'], 'PUT', '/v1/pet/7', MISS],
  [['GET /a/:id', 'GET /b/:id'], 'GET', '/b/7', 'GET /b/:id', '7'],
  // A literal wins over a parameter, for each method separately, in either order of insertion.
  [['POST /pet/feed', 'GET /pet/:id'], 'POST', '/pet/feed', 'POST /pet/feed'],
  [['POST /pet/feed', 'GET /pet/:id'], 'GET', '/pet/feed', 'GET /pet/:id', 'feed'],
  [['GET /pet/feed', 'GET /pet/:id'], 'GET', '/pet/feed', 'GET /pet/feed'],
  [['GET /pet/:id', 'GET /pet/feed'], 'GET', '/pet/feed', 'GET /pet/feed'],
  [['GET /pet/:id', 'GET /pet/feed'], 'GET', '/pet/fee', 'GET /pet/:id', 'fee'],
  [['GET /pet/:id', 'GET /pet/feed'], 'GET', '/pet/feeds', 'GET /pet/:id', 'feeds'],
  [['GET /pet/:id', 'GET /pet/feed/now'], 'GET', '/pet/feed', 'GET /pet/:id', 'feed'],
  [['GET /pet/:id', 'GET /pet/feed/now'], 'GET', '/pet/feed/now', 'GET /pet/feed/now'],
  [['GET /pet/:id', 'GET /pet/feed/now'], 'GET', '/pet/feed/then', MISS],
  // One child, and many.
  [['GET /a', 'GET /b'], 'GET', '/a', 'GET /a'],
  [['GET /a', 'GET /b'], 'GET', '/b', 'GET /b'],
  [['GET /a', 'GET /b'], 'GET', '/c', MISS],
  [['GET /a', 'GET /b'], 'GET', '/', MISS],
  [['GET /a', 'GET /b', 'GET /c/d', 'POST /c/d'], 'POST', '/c/d', 'POST /c/d'],
  [['GET /a', 'GET /b', 'GET /c/:id'], 'GET', '/c/a', 'GET /c/:id', 'a'],
  [['GET /a', 'GET /b', 'GET /:id'], 'GET', '/c', 'GET /:id', 'c'],
  // A common prefix of all routes, and then a route without it.
  [['GET /v1/pet/:id'], 'GET', '/v2/pet/7', MISS],
  [['GET /v1/pet/:id'], 'GET', '/v1/pes/7', MISS],
  [['GET /v1/pet/:id'], 'GET', '/v1/petx7', MISS],
  [['GET /v1/pet/:id'], 'GET', '/', MISS],
  [['GET /v1/pet/:id'], 'GET', '/v1', MISS],
  [['GET /v1/pet/:id', 'GET /v1/:id'], 'GET', '/v1/pet/7', 'GET /v1/pet/:id', '7'],
  [['GET /v1/pet/:id', 'GET /v1/:id'], 'GET', '/v1/pet', 'GET /v1/:id', 'pet'],
  [['GET /v1/pet/:id', 'GET /v1'], 'GET', '/v1', 'GET /v1'],
  [['GET /v1/pet/:id', 'GET /v1'], 'GET', '/v1/pet/7', 'GET /v1/pet/:id', '7'],
  [['GET /v1/pet/:id', 'GET /v1/pets/:id'], 'GET', '/v1/pets/7', 'GET /v1/pets/:id', '7'],
  [['GET /v1/pet/:id', 'GET /v1/pets/:id'], 'GET', '/v1/pet/7', 'GET /v1/pet/:id', '7'],
  [['GET /v1/pet/:id', 'GET /v2/pet/:id'], 'GET', '/v2/pet/7', 'GET /v2/pet/:id', '7'],
  [['GET /v1/pet/:id', 'GET /'], 'GET', '/', 'GET /'],
  [['GET /v1/pet/:id', 'GET /'], 'GET', '/v1/pet/7', 'GET /v1/pet/:id', '7'],
  [['GET /v1/pet/:id', 'POST /'], 'GET', '/v1/pet/7', 'GET /v1/pet/:id', '7'],
  // Routes that begin alike, also within a segment. The trie skips their common beginning, and compares it later.
  [['GET /pet', 'GET /pets', 'GET /pen'], 'GET', '/pet', 'GET /pet'],
  [['GET /pet', 'GET /pets', 'GET /pen'], 'GET', '/pets', 'GET /pets'],
  [['GET /pets', 'GET /pet', 'GET /pen'], 'GET', '/pen', 'GET /pen'],
  [['GET /pet', 'GET /pets', 'GET /pen'], 'GET', '/pe', MISS],
  [['GET /pet', 'GET /pets', 'GET /pen'], 'GET', '/pem', MISS],
  [['GET /pet/x', 'GET /pet/y'], 'GET', '/pat/x', MISS],
  [['GET /pet/x', 'GET /pet/y'], 'GET', '/pe//x', MISS],
  [['GET /pet/x', 'GET /pet/y', 'GET /:a/x'], 'GET', '/pat/x', 'GET /:a/x', 'pat'],
  [['GET /pet/x', 'GET /pet/y', 'GET /:a/x'], 'GET', '/p/x', 'GET /:a/x', 'p'],
  [['GET /pet/:id/x', 'GET /pet/:id/y'], 'GET', '/pat/7/x', MISS],
  [['GET /pet/:id/x', 'GET /pet/:id/y'], 'GET', '/pet/7-x', MISS],
  [['GET /pet/:id/walk', 'GET /pet/:id/wash'], 'GET', '/pet/7/walk', 'GET /pet/:id/walk', '7'],
  [['GET /pet/:id/walk', 'GET /pet/:id/wash'], 'GET', '/pet/7/work', MISS],
  [['GET /pet/:id/walk', 'GET /pet/:id'], 'GET', '/pet/7', 'GET /pet/:id', '7'],
  [['GET /pet/:id', 'GET /pe/:id', 'GET /p/:id'], 'GET', '/pe/7', 'GET /pe/:id', '7'],
  [['GET /pet/:id', 'GET /pe/:id', 'GET /p/:id'], 'GET', '/p/7', 'GET /p/:id', '7'],
  // Only a parameter can match characters that no pattern can have.
  [['GET /aa'], 'GET', '/\u6161', MISS],
  [['GET /aa'], 'GET', '/\u6161a', MISS],
  [['GET /aa', 'GET /:id'], 'GET', '/\u6161a', 'GET /:id', '\u6161a'],
  [['GET /aa/:id'], 'GET', '/aa/\xff', 'GET /aa/:id', '\xff'],
  [['GET /a/b'], 'GET', '/a\0/b', MISS],
  [['GET /a/b'], 'GET', '/a/b\0', MISS],
]);
for (const [what, path, value, parameter] of [
  ['a segment of 16,384 characters', `/pet/${'x'.repeat(16_384)}`, 'GET /pet/:id', 'x'.repeat(16_384)],
  ['another segment after it', `/pet/${'x'.repeat(16_384)}/feed`, MISS],
  ['one that begins like a literal', `/pet/feed${'x'.repeat(16_384)}`, 'GET /pet/:id', `feed${'x'.repeat(16_384)}`],
  ['8,192 segments', '/x'.repeat(8_192), MISS],
  ['8,192 segments below a literal', `/pet${'/x'.repeat(8_192)}`, MISS],
  ['a parameter of 16,384 characters', `/zoo/${'x'.repeat(16_384)}/pet`, 'GET /zoo/:zoo/pet', 'x'.repeat(16_384)],
  ['16,384 slashes', '/'.repeat(16_384), MISS],
] as const) {
  lookUp(`a path with ${what} -> ${value ?? 'a miss'}`, () => {
    const router = makeRouter('GET /pet/:id', 'GET /pet/feed', 'GET /x', 'GET /zoo/:zoo/pet');
    assert.equal(matchRoute(router, 'GET', path), value === MISS ? [] : [value, parameter]);
  });
}
lookUp.run();

