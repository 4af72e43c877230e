/** Which paths match which routes, and which conflicts `insert` refuses. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parsePattern } from '../../src/router/pattern.ts';
import { Router } from '../../src/router/router.ts';

/** A router whose values are the texts of its routes. */
function routerOf(...routes: readonly string[]): Router<string> {
  const router = new Router<string>();
  for (const route of routes) {
    const [method = '', template = ''] = route.split(' ');
    router.insert(method, parsePattern(template), route);
  }
  return router;
}

const MISS = undefined;
const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'] as const;

const lookUp = suite('a look-up');
for (const [routes, method, path, value, parameter] of [
  // No routes, and the path without segments.
  [[], 'GET', '/', MISS],
  [[], 'GET', '/a', MISS],
  [['GET /'], 'GET', '/', 'GET /', ''],
  [['GET /'], 'POST', '/', MISS],
  [['GET /'], 'GET', '', MISS],
  [['GET /'], 'GET', '//', MISS],
  [['GET /'], 'GET', '/a', MISS],
  [['GET /:id'], 'GET', '/', MISS],
  [['GET /:id'], 'GET', '/a', 'GET /:id', 'a'],
  [['GET /:id', 'GET /'], 'GET', '/', 'GET /', ''],
  // Literals, byte for byte.
  [['GET /v1/pet'], 'GET', '/v1/pet', 'GET /v1/pet', ''],
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
  [['GET /v1/..'], 'GET', '/v1/..', 'GET /v1/..', ''],
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
  [['POST /pet/feed', 'GET /pet/:id'], 'POST', '/pet/feed', 'POST /pet/feed', ''],
  [['POST /pet/feed', 'GET /pet/:id'], 'GET', '/pet/feed', 'GET /pet/:id', 'feed'],
  [['GET /pet/feed', 'GET /pet/:id'], 'GET', '/pet/feed', 'GET /pet/feed', ''],
  [['GET /pet/:id', 'GET /pet/feed'], 'GET', '/pet/feed', 'GET /pet/feed', ''],
  [['GET /pet/:id', 'GET /pet/feed'], 'GET', '/pet/fee', 'GET /pet/:id', 'fee'],
  [['GET /pet/:id', 'GET /pet/feed'], 'GET', '/pet/feeds', 'GET /pet/:id', 'feeds'],
  [['GET /pet/:id', 'GET /pet/feed/now'], 'GET', '/pet/feed', 'GET /pet/:id', 'feed'],
  [['GET /pet/:id', 'GET /pet/feed/now'], 'GET', '/pet/feed/now', 'GET /pet/feed/now', ''],
  [['GET /pet/:id', 'GET /pet/feed/now'], 'GET', '/pet/feed/then', MISS],
  // One child, and many.
  [['GET /a', 'GET /b'], 'GET', '/a', 'GET /a', ''],
  [['GET /a', 'GET /b'], 'GET', '/b', 'GET /b', ''],
  [['GET /a', 'GET /b'], 'GET', '/c', MISS],
  [['GET /a', 'GET /b'], 'GET', '/', MISS],
  [['GET /a', 'GET /b', 'GET /c/d', 'POST /c/d'], 'POST', '/c/d', 'POST /c/d', ''],
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
  [['GET /v1/pet/:id', 'GET /v1'], 'GET', '/v1', 'GET /v1', ''],
  [['GET /v1/pet/:id', 'GET /v1'], 'GET', '/v1/pet/7', 'GET /v1/pet/:id', '7'],
  [['GET /v1/pet/:id', 'GET /v1/pets/:id'], 'GET', '/v1/pets/7', 'GET /v1/pets/:id', '7'],
  [['GET /v1/pet/:id', 'GET /v1/pets/:id'], 'GET', '/v1/pet/7', 'GET /v1/pet/:id', '7'],
  [['GET /v1/pet/:id', 'GET /v2/pet/:id'], 'GET', '/v2/pet/7', 'GET /v2/pet/:id', '7'],
  [['GET /v1/pet/:id', 'GET /'], 'GET', '/', 'GET /', ''],
  [['GET /v1/pet/:id', 'GET /'], 'GET', '/v1/pet/7', 'GET /v1/pet/:id', '7'],
  [['GET /v1/pet/:id', 'POST /'], 'GET', '/v1/pet/7', 'GET /v1/pet/:id', '7'],
  // Only a parameter can match characters that no pattern can have.
  [['GET /aa'], 'GET', '/\u6161', MISS],
  [['GET /aa'], 'GET', '/\u6161a', MISS],
  [['GET /aa', 'GET /:id'], 'GET', '/\u6161a', 'GET /:id', '\u6161a'],
  [['GET /aa/:id'], 'GET', '/aa/\xff', 'GET /aa/:id', '\xff'],
  [['GET /a/b'], 'GET', '/a\0/b', MISS],
  [['GET /a/b'], 'GET', '/a/b\0', MISS],
] as readonly (readonly [readonly string[], string, string, (string | undefined)?, string?])[]) {
  lookUp(`${method} ${JSON.stringify(path)} in [${routes.join(', ')}] -> ${value ?? 'a miss'} (${parameter ?? ''})`, () => {
    assert.equal(routerOf(...routes).match(method, path), value === MISS ? undefined : { value, parameter });
  });
}
for (const [what, path, value, parameter] of [
  ['a segment of 16,384 characters', `/pet/${'x'.repeat(16_384)}`, 'GET /pet/:id', 'x'.repeat(16_384)],
  ['another segment after it', `/pet/${'x'.repeat(16_384)}/feed`, MISS],
  ['one that begins like a literal', `/pet/feed${'x'.repeat(16_384)}`, 'GET /pet/:id', `feed${'x'.repeat(16_384)}`],
  ['8,192 segments', '/x'.repeat(8_192), MISS],
  ['8,192 segments below a literal', `/pet${'/x'.repeat(8_192)}`, MISS],
  ['16,384 slashes', '/'.repeat(16_384), MISS],
] as const) {
  lookUp(`a path with ${what} -> ${value ?? 'a miss'}`, () => {
    const router = routerOf('GET /pet/:id', 'GET /pet/feed', 'GET /x');
    assert.equal(router.match('GET', path), value === MISS ? undefined : { value, parameter });
  });
}
lookUp.run();

const names = suite('the name of a property that every object has');
for (const name of NAMES) {
  names(`${name} is no segment, method or id until it is inserted`, () => {
    for (const router of [routerOf('GET /a'), routerOf('GET /a', 'GET /b', 'GET /c')]) {
      assert.is(router.match('GET', `/${name}`), undefined);
      assert.is(router.match(name, '/a'), undefined);
      assert.equal(router.methodsAt(`/${name}`), []);
    }
  });
  names(`${name} is an ordinary segment, alone and among others`, () => {
    for (const others of [[], ['GET /a', 'GET /b']]) {
      const router = routerOf(...others, `GET /${name}`, `POST /${name}/${name}`);
      assert.equal(router.match('GET', `/${name}`), { value: `GET /${name}`, parameter: '' });
      assert.equal(router.match('POST', `/${name}/${name}`), { value: `POST /${name}/${name}`, parameter: '' });
      assert.is(router.match('GET', '/valueOf'), undefined);
    }
  });
  names(`${name} is an ordinary method, id and parameter`, () => {
    const router = routerOf(`${name} /pet/:${name}`);
    assert.equal(router.match(name, `/pet/${name}`), { value: `${name} /pet/:${name}`, parameter: name });
    assert.equal(router.methodsAt(`/pet/${name}`), [name]);
    assert.equal(router.methods(), [name]);
  });
}
names.run();

const methods = suite('the methods at a path');
const zoo = routerOf('POST /pet', 'GET /pet/:id', 'PUT /pet/:id', 'POST /pet/feed', 'GET /pet/feed', 'OPTIONS /');
for (const [path, expected] of [
  ['/', ['OPTIONS']],
  ['/pet', ['POST']],
  ['/pet/7', ['GET', 'PUT']],
  ['/pet/feed', ['POST', 'GET', 'PUT']],
  ['/pet/', []],
  ['/pet/feed/', []],
  ['/nothing', []],
  ['', []],
] as const) {
  methods(`${JSON.stringify(path)} -> [${expected.join(', ')}], each once, in the order of their first insertion`, () => {
    assert.equal(zoo.methodsAt(path), expected);
  });
}
methods('those of all routes are each listed once, and a caller cannot change the list', () => {
  assert.equal(routerOf().methods(), []);
  zoo.methods().push('PATCH');
  assert.equal(zoo.methods(), ['POST', 'GET', 'PUT', 'OPTIONS']);
});
methods('paths with the same methods get the same list, so that a result for it can be cached', () => {
  assert.is(zoo.methodsAt('/pet/7'), zoo.methodsAt('/pet/8'));
  assert.is.not(zoo.methodsAt('/pet/7'), zoo.methodsAt('/nothing'));
});

methods('all paths without methods get the same list', () => {
  assert.is(zoo.methodsAt('/nothing'), zoo.methodsAt('/pet/7/8'));
});
methods.run();

const conflicts = suite('a route that conflicts with another');
for (const [taken, late] of [
  ['GET /', 'GET /'],
  ['GET /pet', 'GET /pet'],
  ['GET /pet/:id', 'GET /pet/:id'],
  ['GET /pet/:id', 'GET /pet/:name'],
  ['GET /:id', 'GET /:name'],
  ['__proto__ /__proto__/:id', '__proto__ /__proto__/:constructor'],
] as const) {
  conflicts(`${late} after ${taken} -> TypeError that names both, and nothing is changed`, () => {
    const router = routerOf(taken);
    const [method = '', template = ''] = late.split(' ');
    const message = `route ${late} conflicts with ${taken}`;
    for (const refuse of [
      () => router.refuseTaken(method, parsePattern(template)),
      () => router.insert(method, parsePattern(template), 'late'),
    ]) {
      assert.throws(refuse, (error: unknown) => error instanceof TypeError && error.message === message);
    }
    assert.is(router.match(method, template)?.value, taken);
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
  ['GET /constructor', 'GET /toString'],
] as const) {
  conflicts(`${one} and ${other} do not conflict, in either order`, () => {
    for (const router of [routerOf(one, other), routerOf(other, one)]) {
      for (const route of [one, other]) {
        const [method = '', path = ''] = route.split(' ');
        assert.is(router.match(method, path)?.value, route);
      }
    }
  });
}
conflicts('refuseTaken changes nothing if there is no conflict', () => {
  const router = routerOf('GET /a');
  for (const template of ['/b', '/b/:id', '/a/b/c', '/:id', '/']) router.refuseTaken('PATCH', parsePattern(template));
  assert.equal(router.methods(), ['GET']);
  for (const path of ['/b', '/b/7', '/a/b/c', '/']) assert.equal(router.methodsAt(path), []);
  assert.equal(router.match('GET', '/a'), { value: 'GET /a', parameter: '' });
  router.insert('PATCH', parsePattern('/b'), 'free');
  assert.equal(router.match('PATCH', '/b'), { value: 'free', parameter: '' });
});
conflicts.run();
