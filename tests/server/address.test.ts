/** The forms that an address to listen on can have, and the URL of a server that listens. */
import { inspect } from 'node:util';
import { parseAddress, formatBaseUrl } from '../../src/server/address.ts';
import { assert, isTypeError, suite } from '../support/facts.ts';

const read = suite('an address');
for (const [address, options] of [
  ['127.0.0.1:8080', { host: '127.0.0.1', port: 8080 }],
  ['localhost:0', { host: 'localhost', port: 0 }],
  ['zoo.example:65535', { host: 'zoo.example', port: 65535 }],
  ['[::1]:0', { host: '::1', port: 0 }],
  ['[::]:80', { host: '::', port: 80 }],
  ['[::ffff:127.0.0.1]:80', { host: '::ffff:127.0.0.1', port: 80 }],
  ['[fe80::1%eth0]:80', { host: 'fe80::1%eth0', port: 80 }],
  [{ port: 0 }, { host: '127.0.0.1', port: 0 }],
  [{ port: '8094' }, { host: '127.0.0.1', port: 8094 }],
  [{ port: 65535 }, { host: '127.0.0.1', port: 65535 }],
  [{ host: undefined, port: 80 }, { host: '127.0.0.1', port: 80 }],
  [{ host: '::1', port: 80 }, { host: '::1', port: 80 }],
  [{ host: '0.0.0.0', port: 80 }, { host: '0.0.0.0', port: 80 }],
  [{ path: '/run/zoo.sock' }, { path: '/run/zoo.sock' }],
  [{ fd: 0 }, { fd: 0 }],
  [{ fd: 3 }, { fd: 3 }],
  [{ port: 80, path: '/run/zoo.sock', fd: 3 }, { host: '127.0.0.1', port: 80 }],
  [{ path: '/run/zoo.sock', fd: 3 }, { path: '/run/zoo.sock' }],
] as const) {
  read(`${inspect(address)} -> ${inspect(options)}`, () => assert.equal(parseAddress(address), options));
}

const FORMS = 'It is "127.0.0.1:8080", "[::1]:0", { port, host }, { path } of a Unix socket, or { fd }';

const malformed = suite('a malformed address');
for (const address of [
  '',
  '8080',
  ':8080',
  'localhost',
  'localhost:',
  'localhost:http',
  'localhost:-1',
  'localhost:+80',
  'localhost:80.0',
  'localhost:0x50',
  'localhost:65536',
  'localhost:99999',
  'localhost:123456',
  'localhost:000080',
  'localhost:80\n',
  'local host:80',
  ' localhost:80',
  'a:b:80',
  '::1:80',
  '[::1]',
  '[::1]80',
  '[]:80',
  '[zoo]:80',
  '[::1%]:80',
  '[::1]]:80',
  'http://localhost:80',
  'localhost:80/v1',
  '/run/zoo.sock',
  undefined,
  null,
  8080,
  true,
  () => ({ port: 80 }),
  {},
  [],
  { host: 'localhost' },
  { port: 'http' },
  { port: '' },
  { port: '0x50' },
  { port: '-1' },
  { port: '65536' },
  { port: null },
  { port: -1 },
  { port: 65536 },
  { port: 80.5 },
  { port: NaN },
  { port: Infinity },
  { port: 80n },
  { host: '', port: 80 },
  { host: null, port: 80 },
  { host: 7, port: 80 },
  { path: '' },
  { path: 7 },
  { fd: -1 },
  { fd: 1.5 },
  { fd: '3' },
  { fd: NaN },
  { fd: 2 ** 53 },
]) {
  malformed(`${inspect(address)} -> TypeError that shows it`, () => {
    const message = `malformed address: ${inspect(address)}. ${FORMS}`;
    assert.throws(() => parseAddress(address), isTypeError(message));
  });
}
malformed('a deeply nested value -> TypeError that shows only its outer levels', () => {
  assert.throws(() => parseAddress({ hosts: { a: 1 } }), (error: unknown) => {
    return error instanceof TypeError && error.message === `malformed address: { hosts: [Object] }. ${FORMS}`;
  });
});

const urls = suite('the URL of a server that listens');
for (const [address, url] of [
  [{ address: '127.0.0.1', family: 'IPv4', port: 8080 }, 'http://127.0.0.1:8080'],
  [{ address: '::1', family: 'IPv6', port: 80 }, 'http://[::1]:80'],
  ['/run/zoo.sock', 'http+unix://%2Frun%2Fzoo.sock'],
  [null, 'http+unix://'],
] as const) {
  urls(`${inspect(address)} -> ${url}`, () => {
    assert.is(formatBaseUrl(address, 'http'), url);
    assert.is(formatBaseUrl(address, 'https'), url.replace('http', 'https'));
  });
}
