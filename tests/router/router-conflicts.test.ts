/** Which routes `insert` rejects, and that a rejection changes nothing. */
import { parsePattern } from '../../src/router/pattern.ts';
import { matchRoute, makeRouter } from '../support/routing.ts';
import { assert, isTypeError, suite } from '../support/facts.ts';

const conflicts = suite('a route that conflicts with another');
for (const [taken, late] of [
  ['GET /', 'GET /'],
  ['GET /pet', 'GET /pet'],
  ['GET /pet/:id', 'GET /pet/:id'],
  ['GET /pet/:id', 'GET /pet/:name'],
  ['GET /:id', 'GET /:name'],
  ['GET /zoo/:zoo/pet', 'GET /zoo/:id/pet'],
  ['GET /zoo/:zoo/pet/:id', 'GET /zoo/:a/pet/:b'],
  ['GET /zoo/:zoo/:id', 'GET /zoo/:id/:zoo'],
  ['GET /:a/:b/:c', 'GET /:c/:a/:b'],
  ['__proto__ /__proto__/:id', '__proto__ /__proto__/:constructor'],
] as const) {
  conflicts(`${late} after ${taken} -> TypeError that names both, and nothing is changed`, () => {
    const router = makeRouter(taken);
    const [method = '', template = ''] = late.split(' ');
    const message = `route ${late} conflicts with ${taken}`;
    assert.is(router.findConflict(method, parsePattern(template))?.template, taken.slice(method.length + 1));
    assert.throws(() => router.insert(method, parsePattern(template), 'late'), isTypeError(message));
    assert.is(router.match(method, template), taken);
    assert.equal(router.methods(), [method]);
  });
}
for (const [one, other] of [
  ['GET /pet', 'POST /pet'],
  ['GET /pet', 'get /pet'],
  ['GET /pet/:id', 'GET /pet/id'],
  ['GET /pet/:id', 'GET /pet'],
  ['GET /pet', 'GET /Pet'],
  ['GET /', 'GET /:id'],
  ['GET /zoo/:zoo', 'GET /zoo/:zoo/pet'],
  ['GET /zoo/:zoo/pet', 'GET /zoo/pet/:zoo'],
  ['GET /zoo/:zoo/pet', 'GET /zoo/:zoo/:id'],
  ['GET /:a/b', 'GET /a/:b'],
  ['GET /constructor', 'GET /toString'],
  ['GET /a:b', 'GET /a:c'],
] as const) {
  conflicts(`${one} and ${other} do not conflict, in either order`, () => {
    for (const router of [makeRouter(one, other), makeRouter(other, one)]) {
      for (const route of [one, other]) {
        const [method = '', path = ''] = route.split(' ');
        assert.is(router.match(method, path), route);
      }
    }
  });
}
conflicts('taken has the names of the stored pattern, even if other patterns begin alike', () => {
  const router = makeRouter('GET /zoo/:a/pet', 'GET /zoo/:b', 'GET /zoo/:c/pet/:d', 'GET /zoo/:e/:f');
  for (const [late, taken] of [
    ['/zoo/:x/pet', '/zoo/:a/pet'],
    ['/zoo/:x', '/zoo/:b'],
    ['/zoo/:x/pet/:y', '/zoo/:c/pet/:d'],
    ['/zoo/:x/:y', '/zoo/:e/:f'],
  ] as const) {
    assert.is(router.findConflict('GET', parsePattern(late))?.template, taken);
  }
});
conflicts('taken changes nothing, and finds nothing without a conflict', () => {
  const router = makeRouter('GET /a');
  for (const template of ['/b', '/b/:id', '/a/b/c', '/:id', '/:id/b', '/a/:b/:c', '/']) assert.is(router.findConflict('PATCH', parsePattern(template)), undefined);
  assert.equal(router.methods(), ['GET']);
  for (const path of ['/b', '/b/7', '/a/b/c', '/']) assert.equal(router.findMethods(path), []);
  assert.equal(matchRoute(router, 'GET', '/a'), ['GET /a']);
  router.insert('PATCH', parsePattern('/b'), 'PATCH /b');
  assert.equal(matchRoute(router, 'PATCH', '/b'), ['PATCH /b']);
});
