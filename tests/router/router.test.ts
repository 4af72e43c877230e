/** Which paths match which routes, and which conflicts `insert` refuses. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Nodes } from '../../src/router/nodes.ts';
import { parsePattern } from '../../src/router/pattern.ts';
import { Router } from '../../src/router/router.ts';
import { parametersIn } from '../support/parameters.ts';

/** A router whose values are the texts of its routes. */
function routerOf(...routes: readonly string[]): Router<string> {
  const router = new Router<string>();
  for (const route of routes) {
    const [method = '', template = ''] = route.split(' ');
    router.insert(method, parsePattern(template), route);
  }
  return router;
}

/** The route that matches, and the texts of its parameters; nothing on a miss. */
function found(router: Router<string>, method: string, path: string): string[] {
  const route = router.match(method, path);
  return route === undefined ? [] : [route, ...parametersIn(parsePattern(route.slice(method.length + 1)), path)];
}

const MISS = undefined;
const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'] as const;

const lookUp = suite('a look-up');
for (const [routes, method, path, value, ...parameters] of [
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
  // Only a parameter can match characters that no pattern can have.
  [['GET /aa'], 'GET', '/\u6161', MISS],
  [['GET /aa'], 'GET', '/\u6161a', MISS],
  [['GET /aa', 'GET /:id'], 'GET', '/\u6161a', 'GET /:id', '\u6161a'],
  [['GET /aa/:id'], 'GET', '/aa/\xff', 'GET /aa/:id', '\xff'],
  [['GET /a/b'], 'GET', '/a\0/b', MISS],
  [['GET /a/b'], 'GET', '/a/b\0', MISS],
] as readonly (readonly [readonly string[], string, string, (string | undefined)?, ...string[]])[]) {
  lookUp(`${method} ${JSON.stringify(path)} in [${routes.join(', ')}] -> ${value ?? 'a miss'} (${parameters.join(', ')})`, () => {
    assert.equal(found(routerOf(...routes), method, path), value === MISS ? [] : [value, ...parameters]);
  });
}
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
    const router = routerOf('GET /pet/:id', 'GET /pet/feed', 'GET /x', 'GET /zoo/:zoo/pet');
    assert.equal(found(router, 'GET', path), value === MISS ? [] : [value, parameter]);
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
      assert.equal(found(router, 'GET', `/${name}`), [`GET /${name}`]);
      assert.equal(found(router, 'POST', `/${name}/${name}`), [`POST /${name}/${name}`]);
      assert.is(router.match('GET', '/valueOf'), undefined);
    }
  });
  names(`${name} is an ordinary method, id and parameter`, () => {
    const router = routerOf(`${name} /pet/:${name}`);
    assert.equal(found(router, name, `/pet/${name}`), [`${name} /pet/:${name}`, name]);
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
const sharing = routerOf('POST /a/b', 'GET /a/:x', 'PUT /a/:x', 'PUT /a/b', 'POST /a/:y/c', 'GET /:z/b/c', 'DELETE /a/b/d');
for (const [path, expected] of [
  ['/a/b', ['POST', 'GET', 'PUT']],
  ['/a/7', ['GET', 'PUT']],
  ['/a/b/c', ['POST', 'GET']],
  ['/7/b/c', ['GET']],
  ['/a/b/d', ['DELETE']],
  ['/a/b/e', []],
] as const) {
  methods(`${path} has the methods of all patterns that match it: [${expected.join(', ')}]`, () => {
    assert.equal(sharing.methodsAt(path), expected);
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
  ['GET /zoo/:zoo/pet', 'GET /zoo/:id/pet'],
  ['GET /zoo/:zoo/pet/:id', 'GET /zoo/:a/pet/:b'],
  ['GET /zoo/:zoo/:id', 'GET /zoo/:id/:zoo'],
  ['GET /:a/:b/:c', 'GET /:c/:a/:b'],
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
] as const) {
  conflicts(`${one} and ${other} do not conflict, in either order`, () => {
    for (const router of [routerOf(one, other), routerOf(other, one)]) {
      for (const route of [one, other]) {
        const [method = '', path = ''] = route.split(' ');
        assert.is(router.match(method, path), route);
      }
    }
  });
}
conflicts('the message has the names of the stored pattern, even if other patterns share its nodes', () => {
  const router = routerOf('GET /zoo/:a/pet', 'GET /zoo/:b', 'GET /zoo/:c/pet/:d', 'GET /zoo/:e/:f');
  for (const [late, taken] of [
    ['/zoo/:x/pet', '/zoo/:a/pet'],
    ['/zoo/:x', '/zoo/:b'],
    ['/zoo/:x/pet/:y', '/zoo/:c/pet/:d'],
    ['/zoo/:x/:y', '/zoo/:e/:f'],
  ] as const) {
    assert.is(router.conflictOf('GET', parsePattern(late)), taken);
  }
});
conflicts('refuseTaken changes nothing if there is no conflict', () => {
  const router = routerOf('GET /a');
  for (const template of ['/b', '/b/:id', '/a/b/c', '/:id', '/:id/b', '/a/:b/:c', '/']) router.refuseTaken('PATCH', parsePattern(template));
  assert.equal(router.methods(), ['GET']);
  for (const path of ['/b', '/b/7', '/a/b/c', '/']) assert.equal(router.methodsAt(path), []);
  assert.equal(found(router, 'GET', '/a'), ['GET /a']);
  router.insert('PATCH', parsePattern('/b'), 'PATCH /b');
  assert.equal(found(router, 'PATCH', '/b'), ['PATCH /b']);
});
conflicts.run();

const hostile = suite('patterns and a path that make literals lead nowhere');
const DEPTH = 12;

/** The number of nodes that a miss visits. */
function visitsOf(router: Router<string>, path: string): number {
  const { parameterOf } = Nodes.prototype;
  let visits = 0;
  Nodes.prototype.parameterOf = function (this: Nodes, node: number): number {
    visits += 1;
    return parameterOf.call(this, node);
  };
  try {
    assert.is(router.match('GET', path), undefined);
  } finally {
    Nodes.prototype.parameterOf = parameterOf;
  }
  return visits;
}

hostile('with every pattern of "a" and a parameter, no node is visited twice', () => {
  const count = 2 ** DEPTH;
  const templateOf = (bits: number): string => {
    return Array.from({ length: DEPTH }, (_, at) => (bits >> at & 1 ? `/:p${at}` : '/a')).join('');
  };
  const router = routerOf(...Array.from({ length: count }, (_, bits) => `GET ${templateOf(bits)}/end`));
  assert.is(visitsOf(router, `${'/a'.repeat(DEPTH)}/none`), 2 * count - 1);
  assert.equal(found(router, 'GET', `${'/a'.repeat(DEPTH)}/end`), [`GET ${'/a'.repeat(DEPTH)}/end`]);
});

for (const [what, templates, path] of [
  ['one parameter at each place', (at: number) => `${'/a'.repeat(at)}/:x${'/a'.repeat(63 - at)}/end`, '/a'.repeat(64)],
  ['a parameter at each second segment', (at: number) => `${'/a/:x'.repeat(at)}/end`, `${'/a'.repeat(64)}/none`],
  ['literals that end one after the other', (at: number) => `${'/a'.repeat(at)}/b/end`, '/a'.repeat(8_000)],
] as const) {
  hostile(`${what}: the visits are at most the segments of all patterns`, () => {
    const unique = (template: string): string => {
      let count = 0;
      return template.replaceAll(':x', () => `:x${(count += 1)}`);
    };
    const patterns = Array.from({ length: 64 }, (_, at) => unique(templates(at)));
    const segments = patterns.join('').split('/').length;
    const visits = visitsOf(routerOf(...patterns.map((template) => `GET ${template}`)), path);
    assert.ok(visits > 0 && visits <= segments, `${visits} visits, ${segments} segments`);
  });
}
hostile.run();
