/** Which request targets are accepted, and their paths and authorities. */
import { readTarget } from '../../src/http/target.ts';
import { assert, suite } from '../support/facts.ts';

const read = suite('a request target');
for (const [target, path, authority] of [
  // Origin-form: the path is the part before the query, unchanged.
  ['/', '/', undefined],
  ['/v1/animal/ant', '/v1/animal/ant', undefined],
  ['/v1/animal/ant?full=1', '/v1/animal/ant', undefined],
  ['/v1/?', '/v1/', undefined],
  ['/?a?b/c', '/', undefined],
  ['//v1', '//v1', undefined],
  ['/a/../b/./c//', '/a/../b/./c//', undefined],
  ['/a%2Fb%3f%zz%', '/a%2Fb%3f%zz%', undefined],
  ['/%0b%01%0e%1f', '/%0b%01%0e%1f', undefined],
  ['/%250a%25%30%30a', '/%250a%25%30%30a', undefined],
  ['/http://zoo.example/v1', '/http://zoo.example/v1', undefined],
  ['/*', '/*', undefined],
  ['/a:b@c', '/a:b@c', undefined],
  // A query may contain characters that a path may not.
  ['/v1?q=%00%0d%0A', '/v1', undefined],
  ['/v1?q=a\\b', '/v1', undefined],
  // Absolute-form: the path is the part between the authority and the query.
  ['http://zoo.example/v1/animal', '/v1/animal', 'zoo.example'],
  ['http://zoo.example:8080/v1?q=1', '/v1', 'zoo.example:8080'],
  ['https://zoo.example/v1', '/v1', 'zoo.example'],
  ['HTTP://Zoo.Example/V1', '/V1', 'Zoo.Example'],
  ['http://[::1]:80/v1', '/v1', '[::1]:80'],
  ['http://zoo.example/', '/', 'zoo.example'],
  ['http://zoo.example?q=/v1', '/', 'zoo.example'],
  ['http://zoo.example//v1', '//v1', 'zoo.example'],
  ['http://user@zoo.example/v1', '/v1', 'user@zoo.example'],
  ['http:///v1', '/v1', ''],
  ['http://zoo.example/v1?q=a\\b%00', '/v1', 'zoo.example'],
] as const) {
  for (const method of ['GET', 'OPTIONS']) {
    read(`${method} ${target} -> the path ${path}, the authority ${authority}`, () => assert.equal(readTarget(method, target), { path, authority }));
  }
}
for (const [method, path] of [['GET', '/'], ['OPTIONS', '*']] as const) {
  read(`${method} http://zoo.example -> the path ${path}, the authority zoo.example`, () => {
    assert.equal(readTarget(method, 'http://zoo.example'), { path, authority: 'zoo.example' });
  });
}
read('OPTIONS * -> the path for the server as a whole', () => {
  assert.equal(readTarget('OPTIONS', '*'), { path: '*', authority: undefined });
});

const rejected = suite('an invalid request target');
for (const method of ['GET', 'POST', 'HEAD', 'options']) {
  rejected(`${method} * -> rejected, since only OPTIONS may have it`, () => assert.is(readTarget(method, '*'), undefined));
}
for (const [target, why] of [
  ['', 'nothing'],
  ['v1/animal', 'no slash'],
  ['?q=1', 'a query alone'],
  ['**', 'two asterisks'],
  ['*?q=1', 'an asterisk with a query'],
  ['zoo.example:443', 'authority-form'],
  ['http:/v1', 'one slash after the scheme'],
  ['http:v1', 'no slash after the scheme'],
  ['://zoo.example/v1', 'no scheme'],
  ['httpx://zoo.example/v1', 'another scheme'],
  ['ftp://zoo.example/v1', 'another scheme'],
  ['file:///etc/hosts', 'another scheme'],
  ['xhttp://zoo.example/v1', 'another scheme'],
  ['/v1#top', 'a fragment'],
  ['/v1?q=1#top', 'a fragment after the query'],
  ['http://zoo.example/v1#top', 'a fragment in absolute-form'],
  ['#', 'a fragment alone'],
  ['/v1\\animal', 'a backslash'],
  ['\\v1', 'a backslash first'],
  ['http://zoo.example\\@other/v1', 'a backslash in the authority'],
  ['http://zoo.example/v1\\', 'a backslash in absolute-form'],
  ['/v1 animal', 'a space'],
  ['/v1?q=a b', 'a space in the query'],
  ['/v1\tanimal', 'a tab'],
  ['/\0', 'a raw NUL'],
  ['/v1\r', 'a raw CR'],
  ['/v1\n', 'a raw LF'],
  ['/v1?q=\n', 'a raw LF in the query'],
  ['/\x1f', 'a raw control character'],
  ['/\x7f', 'a raw DEL'],
  ['/?\x7f', 'a raw DEL in the query'],
  ['/caf\xe9', 'a raw byte beyond ASCII'],
  ['/?caf\xe9', 'a raw byte beyond ASCII in the query'],
  ['/%00', 'an encoded NUL'],
  ['/%0d', 'an encoded CR'],
  ['/%0D', 'an encoded CR in upper case'],
  ['/%0a', 'an encoded LF'],
  ['/v1/a%0Ab/c', 'an encoded LF in the middle'],
  ['/v1/%0a?q=1', 'an encoded LF before a query'],
  ['/%%00', 'an encoded NUL after a percent sign'],
  ['http://zoo.example/%00', 'an encoded NUL in absolute-form'],
  ['http://zoo%0d.example/', 'an encoded CR in the authority'],
] as const) {
  for (const method of ['GET', 'OPTIONS']) {
    rejected(`${method} ${JSON.stringify(target)}, ${why} -> rejected`, () => assert.is(readTarget(method, target), undefined));
  }
}
