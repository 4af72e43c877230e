/** Which paths match a route, byte for byte: roots and sub-paths, paths that are not folded, literals and parameters. */
import { defineEndpoint, stringId, type ApiServer } from '../../src/index.ts';
import { assert, facts, send, serve, suite } from '../support/facts.ts';

const ODD_NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'] as const;

/** An endpoint that responds with the name and the id of the operation that was called. */
function declareOperations(server: ApiServer, subpath: string, names: readonly string[] = ['feed']): void {
  server.registerEndpoint(subpath, defineEndpoint({
    id: stringId,
    schema: (json: unknown) => json,
    create: () => 'created',
    get: (id) => `get ${id}`,
    custom: Object.fromEntries(names.map((name) => [name, { run: () => `run ${name}` }])),
  }));
}

/** Sends a request to a server with `subpath` under `root`. Returns the status, and the body of a 200. */
async function sendRequest(root: string, subpath: string, method: string, path: string): Promise<string> {
  let result = '';
  await serve((server) => declareOperations(server, subpath), async ({ port, errors }) => {
    const content = method === 'POST' ? '\r\nContent-Length: 4\r\n\r\nnull' : '\r\n\r\n';
    const { status, body } = await send(port, `${method} ${path} HTTP/1.1\r\nHost: zoo.example${content}`);
    result = status === 200 ? `200 ${body}` : String(status);
    assert.ok(errors.every(({ message }) => status === 404 && message.includes(' gets 404: did you mean ')));
  }, { root });
  return result;
}

const folded = suite('P1: a path that a different server would fold into a route');
for (const [path, why] of [
  ['/V1/pet/1', 'the root in upper case'],
  ['/v1/Pet/1', 'the sub-path in upper case'],
  ['/v1/./pet/1', 'a dot segment'],
  ['/v1/x/../pet/1', 'two dots'],
  ['/v1/%2e/pet/1', 'an encoded dot segment'],
  ['//v1/pet/1', 'a double slash in front'],
  ['/v1//pet/1', 'a double slash within'],
  ['/v1/pet//1', 'a double slash before the id'],
  ['/v1/pet/1/', 'a trailing slash after the id'],
  ['/v1/pet/', 'a trailing slash and no id'],
  ['/v1/p%65t/1', 'an escape for a letter of a literal'],
  ['/v1%2Fpet/1', 'an escape for a slash'],
  ['/v1/pet;a=b/1', 'a path parameter'],
  ['/v1/pets/1', 'a longer segment'],
  ['/v1/pe/1', 'a shorter segment'],
  ['/v1/pet/1/2', 'a segment too many'],
  ['/v1/:id', 'the template itself'],
  ['/', 'nothing but a slash'],
] as const) {
  folded(`${why} -> 404: ${path}`, async () => assert.is(await sendRequest('/v1', '/pet', 'GET', path), '404'));
}
folded('the query is not part of the path, even with another "?" in it', async () => {
  assert.is(await sendRequest('/v1', '/pet', 'GET', '/v1/pet/1?a/b?c'), '200 "get 1"');
});

const joined = suite('P2: root and sub-path');
for (const [root, subpath, method, path, response] of [
  ['/v1', '/', 'POST', '/v1', '201'],
  ['/v1', '/', 'GET', '/v1/7', '200 "get 7"'],
  ['/v1', '/', 'POST', '/v1/feed', '200 "run feed"'],
  ['/v1', '/', 'POST', '/v1/', '404'],
  ['', '/', 'POST', '/', '201'],
  ['', '/', 'GET', '/7', '200 "get 7"'],
  ['', '/', 'POST', '/feed', '200 "run feed"'],
  ['', '/', 'GET', '//7', '404'],
  ['', '/pet', 'POST', '/pet', '201'],
  ['', '/pet', 'GET', '/pet/7', '200 "get 7"'],
  ['/a/b', '/c/d', 'GET', '/a/b/c/d/7', '200 "get 7"'],
  ['/v1:2*', '/~a.b-c_d!$&\'()+,;=@', 'GET', '/v1:2*/~a.b-c_d!$&\'()+,;=@/7', '200 "get 7"'],
  ['/v1', '/%70et', 'GET', '/v1/%70et/7', '200 "get 7"'],
  ['/v1', '/%70et', 'GET', '/v1/pet/7', '404'],
] as const) {
  joined(`"${root}" + "${subpath}": ${method} ${path} -> ${response}`, async () => assert.is(await sendRequest(root, subpath, method, path), response));
}

const literal = suite('P4: a literal and a parameter');
for (const [method, path, response] of [
  ['POST', '/v1/pet/feed', '200 "run feed"'],
  ['GET', '/v1/pet/feed', '200 "get feed"'],
  ['GET', '/v1/pet/fee', '200 "get fee"'],
  ['POST', '/v1/pet/f%65ed', '405'],
  ['GET', '/v1/pet/f%65ed', '200 "get feed"'],
  ['POST', '/v1/pet/Feed', '405'],
  ['GET', '/v1/pet/a%2Fb', '200 "get a/b"'],
  ['GET', '/v1/pet/%2525', '200 "get %25"'],
] as const) {
  literal(`${method} ${path} -> ${response}`, async () => assert.is(await sendRequest('/v1', '/pet', method, path), response));
}
facts(literal, (server) => declareOperations(server, '/pet'), [['names the methods of an item, then POST', 'OPTIONS /v1/pet/feed', '200 | Allow: GET, POST']]);
facts(literal, (server) => {
  declareOperations(server, '/pet');
  declareOperations(server, '/pet/toy');
}, [
  ['an endpoint below the ids of another serves only its own path',
    ['GET /v1/pet/toy', 'GET /v1/pet/toy/3', 'OPTIONS /v1/pet/toy'], ['200 "get toy"', '200 "get 3"', '200 | Allow: POST, POST']],
]);

const ordinary = suite('P5: names of properties that every object has');
for (const name of ODD_NAMES) {
  facts(ordinary, (server) => declareOperations(server, `/${name}`, ODD_NAMES), [
    ['is an ordinary sub-path, operation and id', [`POST /v1/${name}/${name}`, `GET /v1/${name}/${name}`], [`200 "run ${name}"`, `200 "get ${name}"`]],
  ]);
  ordinary(`${name} is an unknown path if it is not registered`, async () => {
    assert.is(await sendRequest('/v1', '/pet', 'GET', `/v1/${name}/1`), '404');
    assert.is(await sendRequest('', '/pet', 'GET', `/${name}`), '404');
    assert.is(await sendRequest('/v1', '/pet', 'POST', `/v1/pet/${name}`), '405');
  });
}
