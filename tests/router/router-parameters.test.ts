/** Which paths match which routes with parameters anywhere, and whether a literal or a parameter is tried first. */
import { suite } from 'uvu';
import { testLookUps, MISS } from '../support/routing.ts';

const lookUp = suite('a look-up with parameters anywhere');
testLookUps(lookUp, [
  // Parameters anywhere.
  [['GET /:a/b'], 'GET', '/1/b', 'GET /:a/b', '1'],
  [['GET /:a/b'], 'GET', '/1/c', MISS],
  [['GET /:a/b'], 'GET', '/1', MISS],
  [['GET /:a/b'], 'GET', '/1/', MISS],
  [['GET /:a/b'], 'GET', '//b', MISS],
  [['GET /:a/b'], 'GET', '/1/b/', MISS],
  [['GET /:a/b'], 'GET', '/b', MISS],
  [['GET /:a/:b'], 'GET', '/1/2', 'GET /:a/:b', '1', '2'],
  [['GET /:a/:b'], 'GET', '/1', MISS],
  [['GET /:a/:b'], 'GET', '/1/', MISS],
  [['GET /:a/:b'], 'GET', '//2', MISS],
  [['GET /:a/:b'], 'GET', '/1/2/3', MISS],
  [['GET /zoo/:zoo/pet/:id'], 'GET', '/zoo/7/pet/a%2Fb', 'GET /zoo/:zoo/pet/:id', '7', 'a%2Fb'],
  [['GET /zoo/:zoo/pet/:id'], 'GET', '/zoo/zoo/pet/pet', 'GET /zoo/:zoo/pet/:id', 'zoo', 'pet'],
  [['GET /zoo/:zoo/pet/:id'], 'GET', '/zoo//pet/9', MISS],
  [['GET /zoo/:zoo/pet/:id'], 'GET', '/zoo/7/pet/', MISS],
  [['GET /zoo/:zoo/pet/:id'], 'GET', '/zoo/7/pet', MISS],
  [['GET /zoo/:zoo/pet/:id'], 'GET', '/zoo/7/pets/9', MISS],
  [['GET /zoo/:zoo/pet/:id'], 'GET', '/zoo/7/pet/9/feed', MISS],
  [['POST /zoo/:zoo/pet/:id/feed'], 'POST', '/zoo/7/pet/9/feed', 'POST /zoo/:zoo/pet/:id/feed', '7', '9'],
  [['GET /:a/:b/:c'], 'GET', '/:a/:b/:c', 'GET /:a/:b/:c', ':a', ':b', ':c'],
  [['GET /a', 'GET /a/:x', 'GET /a/:x/b', 'GET /a/:x/b/:y'], 'GET', '/a', 'GET /a'],
  [['GET /a', 'GET /a/:x', 'GET /a/:x/b', 'GET /a/:x/b/:y'], 'GET', '/a/1', 'GET /a/:x', '1'],
  [['GET /a', 'GET /a/:x', 'GET /a/:x/b', 'GET /a/:x/b/:y'], 'GET', '/a/1/b', 'GET /a/:x/b', '1'],
  [['GET /a', 'GET /a/:x', 'GET /a/:x/b', 'GET /a/:x/b/:y'], 'GET', '/a/1/b/2', 'GET /a/:x/b/:y', '1', '2'],
  [['GET /a', 'GET /a/:x', 'GET /a/:x/b', 'GET /a/:x/b/:y'], 'GET', '/a/b', 'GET /a/:x', 'b'],
  // At each segment a literal is tried before a parameter.
  [['GET /a/:x/c', 'GET /a/b/d'], 'GET', '/a/b/c', 'GET /a/:x/c', 'b'],
  [['GET /a/:x/c', 'GET /a/b/d'], 'GET', '/a/b/d', 'GET /a/b/d'],
  [['GET /a/:x/c', 'GET /a/b/d'], 'GET', '/a/b/e', MISS],
  [['GET /a/:x/c', 'GET /a/b/c'], 'GET', '/a/b/c', 'GET /a/b/c'],
  [['GET /a/:x/c', 'GET /a/b'], 'GET', '/a/b/c', 'GET /a/:x/c', 'b'],
  [['GET /a/:x/c', 'GET /a/b/:y'], 'GET', '/a/b/c', 'GET /a/b/:y', 'c'],
  [['GET /a/:x/c', 'GET /a/:x/:y'], 'GET', '/a/b/c', 'GET /a/:x/c', 'b'],
  [['GET /a/:x/c', 'GET /a/:x/:y'], 'GET', '/a/b/d', 'GET /a/:x/:y', 'b', 'd'],
  [['GET /a/:x/c', 'GET /a/:y/:z/e'], 'GET', '/a/b/c/e', 'GET /a/:y/:z/e', 'b', 'c'],
  [['GET /:x/b/c/d', 'GET /a/:x/c/e', 'GET /a/b/c/f'], 'GET', '/a/b/c/d', 'GET /:x/b/c/d', 'a'],
  [['GET /:x/b/c/d', 'GET /a/:x/c/e', 'GET /a/b/c/f'], 'GET', '/a/b/c/e', 'GET /a/:x/c/e', 'b'],
  [['GET /:x/b/c/d', 'GET /a/:x/c/e', 'GET /a/b/c/f'], 'GET', '/a/b/c/f', 'GET /a/b/c/f'],
  [['GET /:x/b/c/d', 'GET /a/:x/c/e', 'GET /a/b/c/f'], 'GET', '/a/b/c/g', MISS],
  [['GET /a/:x/c', 'GET /a/b/d'], 'GET', '/a/longer-than-any-literal/c', 'GET /a/:x/c', 'longer-than-any-literal'],
  [['GET /a/:x/c', 'GET /a/b/d'], 'GET', '/a//c', MISS],
  [['GET /a/:x/c', 'GET /a/b/d'], 'GET', '/a/b/', MISS],
  [['GET /pet/:id/feed', 'GET /pet/feed'], 'GET', '/pet/feed/feed', 'GET /pet/:id/feed', 'feed'],
  [['GET /pet/:id/feed', 'GET /pet/feed/:meal'], 'GET', '/pet/feed/feed', 'GET /pet/feed/:meal', 'feed'],
  [['POST /a/b', 'GET /a/:x', 'PUT /a/:x/c'], 'GET', '/a/b', 'GET /a/:x', 'b'],
  // The text that all routes begin with ends before the first parameter.
  [['GET /v1/:a/pet', 'GET /v1/:b/toy'], 'GET', '/v1/7/toy', 'GET /v1/:b/toy', '7'],
  [['GET /v1/zoo/:a/pet', 'GET /v1/zoo'], 'GET', '/v1/zoo', 'GET /v1/zoo'],
  [['GET /v1/zoo/:a/pet', 'GET /v1/zoo'], 'GET', '/v1/zoo/7/pet', 'GET /v1/zoo/:a/pet', '7'],
]);
lookUp.run();
