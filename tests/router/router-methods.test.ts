/** The methods of a path and of a router, and names that every object has. */
import { matchRoute, makeRouter } from '../support/routing.ts';
import { assert, suite } from '../support/facts.ts';

const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'] as const;

const names = suite('the name of a property that every object has');
for (const name of NAMES) {
  names(`${name} is not a segment, method or id until it is inserted`, () => {
    for (const router of [makeRouter('GET /a'), makeRouter('GET /a', 'GET /b', 'GET /c')]) {
      assert.is(router.match('GET', `/${name}`), undefined);
      assert.is(router.match(name, '/a'), undefined);
      assert.equal(router.findMethods(`/${name}`), []);
    }
  });
  names(`${name} is an ordinary segment, alone and among others`, () => {
    for (const others of [[], ['GET /a', 'GET /b']]) {
      const router = makeRouter(...others, `GET /${name}`, `POST /${name}/${name}`);
      assert.equal(matchRoute(router, 'GET', `/${name}`), [`GET /${name}`]);
      assert.equal(matchRoute(router, 'POST', `/${name}/${name}`), [`POST /${name}/${name}`]);
      assert.is(router.match('GET', '/valueOf'), undefined);
    }
  });
  names(`${name} is an ordinary method, id and parameter`, () => {
    const router = makeRouter(`${name} /pet/:${name}`);
    assert.equal(matchRoute(router, name, `/pet/${name}`), [`${name} /pet/:${name}`, name]);
    assert.equal(router.findMethods(`/pet/${name}`), [name]);
    assert.equal(router.methods(), [name]);
  });
}

const methods = suite('the methods at a path');
const zoo = makeRouter('POST /pet', 'GET /pet/:id', 'PUT /pet/:id', 'POST /pet/feed', 'GET /pet/feed', 'OPTIONS /');
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
    assert.equal(zoo.findMethods(path), expected);
  });
}
const sharing = makeRouter('POST /a/b', 'GET /a/:x', 'PUT /a/:x', 'PUT /a/b', 'POST /a/:y/c', 'GET /:z/b/c', 'DELETE /a/b/d');
for (const [path, expected] of [
  ['/a/b', ['POST', 'GET', 'PUT']],
  ['/a/7', ['GET', 'PUT']],
  ['/a/b/c', ['POST', 'GET']],
  ['/7/b/c', ['GET']],
  ['/a/b/d', ['DELETE']],
  ['/a/b/e', []],
] as const) {
  methods(`${path} has the methods of all patterns that match it: [${expected.join(', ')}]`, () => assert.equal(sharing.findMethods(path), expected));
}
methods('those of all routes are each listed once, and a caller cannot change the list', () => {
  assert.equal(makeRouter().methods(), []);
  zoo.methods().push('PATCH');
  assert.equal(zoo.methods(), ['POST', 'GET', 'PUT', 'OPTIONS']);
});
