/** H2: The beginning of a path that the routers of a user's app have removed. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findBaseUrl } from '../../src/server/listeners/request-listener.ts';

const prefixes = suite('the beginning of a path that a router has removed');
for (const [why, url, originalUrl, baseUrl, prefix] of [
  ['no router', '/v1/pet', undefined, undefined, ''],
  ['a mount at the root', '/v1/pet', '/v1/pet', '', ''],
  ['Express', '/v1/pet?a=/b', '/api/v1/pet?a=/b', '/api', '/api'],
  ['Connect', '/v1/pet?a=/b', '/api/v1/pet?a=/b', undefined, '/api'],
  ['a router that leaves a slash', '/?a', '/api?a', undefined, '/api'],
  ['a path that ends with a slash', '/', '/api/', undefined, '/api'],
  ['absolute-form', 'http://zoo.example/v1/pet', 'http://zoo.example/api/v1/pet', undefined, '/api'],
  ['absolute-form that is shortened to origin-form', '/v1/pet', 'http://zoo.example/api/v1/pet', undefined, '/api'],
  ['escapes, which stay as they are', '/v1/pet', '/a%20b/v1/pet', undefined, '/a%20b'],
  ['a mount within a router', '/v1/pet', '/api/zoo/v1/pet', '/api', '/api/zoo'],
  ['a rewritten path', '/v2/pet', '/api/v1/pet', '/api', '/api'],
  ['a rewritten path, without baseUrl', '/v2/pet', '/api/v1/pet', undefined, ''],
  ['a target that was lengthened', '/api/v1/pet', '/v1/pet', undefined, ''],
  ['properties that are not a string', '/v1/pet', 7, {}, ''],
  ['a whole target that is invalid', '/v1/pet', '/a\\b/v1/pet', undefined, ''],
  ['a rest that is invalid', '/v1/p\\et', '/v1/p\\et', undefined, ''],
  ['two slashes, which a browser takes for a host', '/v1/pet', '//evil.example/v1/pet', undefined, undefined],
  ['two slashes, from Express', '/v1/pet', '//evil.example/v1/pet', '//evil.example', undefined],
  ['a baseUrl that breaks a line', '/v2/pet', '/v1/pet', '/a\r\nSet-Cookie: a=b', undefined],
  ['a baseUrl that is a whole URL', '/v2/pet', '/v1/pet', 'http://zoo.example/api', undefined],
  ['a baseUrl with a query', '/v2/pet', '/v1/pet', '/api?a=b', undefined],
  ['a baseUrl that is not ASCII', '/v2/pet', '/v1/pet', '/\u00e4', undefined],
] as const) {
  prefixes(`${why}: ${prefix}`, () => assert.is(findBaseUrl({ url, originalUrl, baseUrl }), prefix));
}
prefixes.run();
