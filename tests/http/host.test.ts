/** Which values of `Host` are valid, how hosts are compared, and what `allowedHosts` may contain. */
import { checkAllowedHosts, toHostName, isHost } from '../../src/http/target.ts';
import { assert, isTypeError, suite } from '../support/facts.ts';

const valid = suite('a host with or without a port');
for (const [host, name] of [
  ['zoo.example', 'zoo.example'],
  ['Zoo.EXAMPLE', 'zoo.example'],
  ['zoo.example:8080', 'zoo.example'],
  ['zoo.example:', 'zoo.example'],
  ['zoo.example.', 'zoo.example.'],
  ['localhost:0', 'localhost'],
  ['localhost:65535', 'localhost'],
  ['localhost:00080', 'localhost'],
  ['[::1]:65535', '::1'],
  ['127.0.0.1', '127.0.0.1'],
  ['127.0.0.1:80', '127.0.0.1'],
  ['[::1]', '::1'],
  ['[::1]:80', '::1'],
  ['[::1]:', '::1'],
  ['[FE80::A]:80', 'fe80::a'],
  ['[::ffff:127.0.0.1]', '::ffff:127.0.0.1'],
  ['a_b-c~d', 'a_b-c~d'],
  ['caf%C3%A9.example', 'caf%c3%a9.example'],
  ['a%30%0a', 'a%30%0a'],
  ['__proto__', '__proto__'],
  ['1', '1'],
] as const) {
  valid(`${host} -> compared as ${name}`, () => {
    assert.ok(isHost(host));
    assert.is(toHostName(host), name);
  });
}

const invalid = suite('an invalid host');
for (const [host, why] of [
  ['', 'nothing'],
  [':80', 'a port alone'],
  [' zoo.example', 'white space before it'],
  ['zoo.example ', 'white space after it'],
  ['zoo example', 'white space inside it'],
  ['zoo.example\n', 'a line break'],
  ['zoo.example:80:80', 'two ports'],
  ['zoo.example:http', 'a port that is not a number'],
  ['zoo.example:-1', 'a negative port'],
  ['zoo.example:123456', 'a port of six digits'],
  ['zoo.example:65536', 'a port over the highest'],
  ['127.0.0.1:99999', 'a port far over the highest'],
  ['[::1]:65536', 'a port that is too high after brackets'],
  ['zoo.example/v1', 'a path'],
  ['zoo.example?q', 'a query'],
  ['zoo.example#top', 'a fragment'],
  ['zoo.example\\', 'a backslash'],
  ['user@zoo.example', 'user information'],
  ['http://zoo.example', 'a URL'],
  ['a,b', 'a list'],
  ['a, b', 'a list'],
  ['a;b', 'a sub-delimiter'],
  ['*', 'an asterisk'],
  ['<a>', 'angle brackets'],
  ['"a"', 'quotes'],
  ['caf\xe9.example', 'a byte beyond ASCII'],
  ['a\0', 'a NUL'],
  ['caf%C3%A', 'an escape cut short'],
  ['caf%zz', 'an invalid escape'],
  ['::1', 'an IPv6 address without brackets'],
  ['[::1', 'a bracket that is not closed'],
  ['::1]', 'a bracket that is not opened'],
  ['[]', 'empty brackets'],
  ['[::1]80', 'a port without a colon'],
  ['[::1]a', 'text after brackets'],
  ['a[::1]', 'text before brackets'],
  ['[zoo]', 'a name in brackets'],
  ['[::1%25lo]', 'a zone'],
  ['[v1.a]', 'an address of the future'],
] as const) {
  invalid(`${JSON.stringify(host)}, ${why} -> rejected`, () => {
    assert.not.ok(isHost(host));
  });
}

const allowed = suite('allowedHosts');
for (const [given, name] of [
  ['zoo.example', 'zoo.example'],
  ['Zoo.EXAMPLE', 'zoo.example'],
  ['127.0.0.1', '127.0.0.1'],
  ['::1', '::1'],
  ['[::1]', '::1'],
  ['FE80::A', 'fe80::a'],
  ['::ffff:127.0.0.1', '::ffff:127.0.0.1'],
  ['constructor', 'constructor'],
] as const) {
  allowed(`${given} -> allows ${name}`, () => assert.equal([...checkAllowedHosts([given])], [name]));
}
allowed('contains each name once', () => assert.equal([...checkAllowedHosts(['A', 'a', '::1', '[::1]', 'b'])], ['a', '::1', 'b']));
for (const [hosts, why] of [
  [undefined, 'undefined'],
  [null, 'null'],
  ['zoo.example', 'text'],
  [[], 'an empty list'],
  [{ 0: 'zoo.example', length: 1 }, 'an object like a list'],
  [new Set(['zoo.example']), 'a set'],
] as const) {
  allowed(`${why} -> TypeError`, () => assert.throws(() => checkAllowedHosts(hosts), typeError('allowedHosts must be a list of host names')));
}
for (const host of [
  '',
  'zoo.example:80',
  'zoo.example:',
  '127.0.0.1:8080',
  'cafe:80',
  'a:',
  '[::1]:80',
  '[::1]:',
  '[::1',
  '*',
  '*.zoo.example',
  'http://zoo.example',
  'zoo.example/v1',
  'user@zoo.example',
  'zoo:example',
  7,
  null,
  undefined,
  ['zoo.example'],
]) {
  allowed(`a list with ${JSON.stringify(host)} -> TypeError that shows it`, () => {
    const message = `allowedHosts must have names or addresses without a port: ${JSON.stringify(host)}`;
    assert.throws(() => checkAllowedHosts(['zoo.example', host]), typeError(message));
  });
}

function typeError(message: string): (error: unknown) => boolean {
  return isTypeError(message);
}
